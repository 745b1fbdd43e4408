/// The text of an SVG document. The same calls produce the same bytes on every machine.
///
///     var svg = SVGText()
///     svg.open("g", ["fill": "#4aa8ff"])
///     svg.element("rect", ["width": SVGText.number(12.5), "height": "3"])
///     svg.close("g")
///
/// Source: SVG 1.1; XML 1.0, 2.2 (characters) and 2.4 (escapes).
package struct SVGText: Sendable {
  package private(set) var text = ""

  package init() {}

  /// Begins an element. Names are written as they are; values are escaped.
  package mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
    begin(name, attributes)
    text += ">"
  }

  package mutating func close(_ name: String) { text += "</\(name)>\n" }

  /// Writes an element, empty or with text.
  package mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String>, _ content: String? = nil
  ) {
    begin(name, attributes)
    if let content {
      text += ">\(SVGText.escaped(content))</\(name)>\n"
    } else {
      text += "/>\n"
    }
  }

  /// Writes text, escaped.
  package mutating func add(_ content: String) { text += SVGText.escaped(content) }

  /// Writes markup unchanged: never for untrusted text.
  package mutating func add(markup: String) { text += markup }

  /// Ends a line, so that diffs of documents are readable.
  package mutating func newline() { text += "\n" }

  private mutating func begin(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    text += "<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(SVGText.escaped(value))\"" }
  }

  // MARK: Values

  /// A number with at most two decimals, without trailing zeros: `12.5`. Values that are not finite become 0; others
  /// are clamped to ±10¹².
  package static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let hundredths = Int((min(max(value, -1e12), 1e12) * 100).rounded())
    let sign = hundredths < 0 ? "-" : ""
    let whole = hundredths.magnitude / 100
    let rest = hundredths.magnitude % 100
    if rest == 0 { return "\(sign)\(whole)" }
    if rest % 10 == 0 { return "\(sign)\(whole).\(rest / 10)" }
    return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// A color of 24 bits: `#4aa8ff`.
  package static func color(_ value: UInt32) -> String {
    let digits = String(value & 0xFF_FFFF, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// Untrusted text in a form that XML accepts: escaped, with U+FFFD for characters that XML does not allow.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", " "..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
        result.unicodeScalars.append(scalar)
      default: result += "\u{FFFD}"
      }
    }
    return result
  }
}

/// The data of a path, in user units: rectangles to fill and lines to stroke.
package struct SVGPath: Sendable, Equatable {
  package private(set) var data = ""

  package init() {}

  package var isEmpty: Bool { data.isEmpty }

  package mutating func move(_ x: Double, _ y: Double) { add("M", x, y) }

  /// Draws a line from the current point.
  package mutating func line(_ x: Double, _ y: Double) { add("L", x, y) }

  /// Draws a line back to the last `move`.
  package mutating func close() { data += "z" }

  package mutating func rectangle(x: Double, y: Double, width: Double, height: Double) {
    add("M", x, y)
    data += "h\(SVGText.number(width))v\(SVGText.number(height))h\(SVGText.number(-width))z"
  }

  package mutating func horizontal(_ x: Double, _ y: Double, length: Double) {
    add("M", x, y)
    data += "h\(SVGText.number(length))"
  }

  package mutating func vertical(_ x: Double, _ y: Double, length: Double) {
    add("M", x, y)
    data += "v\(SVGText.number(length))"
  }

  /// Draws a quadratic curve from the current point.
  package mutating func curve(by x1: Double, _ y1: Double, to x: Double, _ y: Double) {
    add("Q", x1, y1)
    add(" ", x, y)
  }

  private mutating func add(_ command: String, _ x: Double, _ y: Double) {
    let second = SVGText.number(y)
    // A minus sign also separates numbers.
    data += command + SVGText.number(x) + (second.hasPrefix("-") ? "" : " ") + second
  }
}
