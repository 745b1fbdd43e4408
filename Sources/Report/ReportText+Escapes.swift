import PerfHUDBase

/// Untrusted text in the formats of reports.
extension ReportText {
  /// Puts a backslash before everything that Markdown or HTML may read as markup. Source: GitHub Flavored Markdown,
  /// 2.4.
  static func markdown(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if "\\`*_[]<>#|~&@".unicodeScalars.contains(scalar) { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// Changes a text so that a spreadsheet does not take it for a formula. Source: RFC 4180; OWASP, "CSV Injection".
  static func csv(_ text: String) -> String {
    guard let first = text.unicodeScalars.first else { return "" }
    let isFormula = "=+-@".unicodeScalars.contains(first)
    let needsQuotes =
      isFormula || text.unicodeScalars.contains { ",\"'\n\r".unicodeScalars.contains($0) }
    guard needsQuotes else { return text }
    // By scalars: in a `Character`, a combining character would hide a quote.
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
