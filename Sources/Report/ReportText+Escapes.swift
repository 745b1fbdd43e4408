import PerfHUDBase

/// Text from outside in the forms of reports.
extension ReportText {
  /// A text with a backslash before everything that Markdown or HTML may read as markup. Source: GitHub Flavored
  /// Markdown, 2.4.
  static func markdown(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if "\\`*_[]<>#|~&@".unicodeScalars.contains(scalar) { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// A text that a spreadsheet does not take for a formula. Source: RFC 4180; OWASP, "CSV Injection".
  static func csv(_ text: String) -> String {
    guard let first = text.unicodeScalars.first else { return "" }
    let isFormula = "=+-@".unicodeScalars.contains(first)
    let needsQuotes =
      isFormula || text.unicodeScalars.contains { ",\"'\n\r".unicodeScalars.contains($0) }
    guard needsQuotes else { return text }
    // By scalars: a combining character would hide a quote in a `Character`.
    var inside = ""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { inside.unicodeScalars.append(scalar) }
      inside.unicodeScalars.append(scalar)
    }
    return "\"\(isFormula ? "'" : "")\(inside)\""
  }

  /// A text in quotes.
  static func json(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.append(quoted: text)
    return String(decoding: bytes, as: UTF8.self)
  }
}
