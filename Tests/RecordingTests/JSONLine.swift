/// One flat JSON object, read as strictly as RFC 8259 says: for lines that others must be able to read.
struct JSONLine {
  enum Value: Equatable {
    case null
    case number(Double)
    case text(String)
    case boolean(Bool)
  }

  private(set) var keys: [String] = []
  private(set) var values: [Value] = []

  /// `nil` if the bytes are not one object with its newline and nothing else.
  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self), text.hasSuffix("}\n") else {
      return nil
    }
    var rest = text.unicodeScalars.dropLast()[...]
    guard JSONLine.take("{", &rest) else { return nil }
    repeat {
      guard let key = JSONLine.string(&rest), JSONLine.take(":", &rest),
        let value = JSONLine.value(&rest)
      else { return nil }
      keys.append(key)
      values.append(value)
    } while JSONLine.take(",", &rest)
    guard JSONLine.take("}", &rest), rest.isEmpty, Set(keys).count == keys.count else {
      return nil
    }
  }

  subscript(key: String) -> Value? {
    keys.firstIndex(of: key).map { values[$0] }
  }

  private typealias Rest = Substring.UnicodeScalarView

  private static func take(_ scalar: Unicode.Scalar, _ rest: inout Rest) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private static func value(_ rest: inout Rest) -> Value? {
    if rest.first == "\"" { return string(&rest).map { .text($0) } }
    let word = String(rest.prefix { $0 != "," && $0 != "}" })
    rest = rest.dropFirst(word.unicodeScalars.count)
    switch word {
    case "null": return .null
    case "true", "false": return .boolean(word == "true")
    default: return number(word).map { .number($0) }
    }
  }

  /// `-? (0 | [1-9][0-9]*) (. [0-9]+)?`; none of ours has an exponent.
  private static func number(_ word: String) -> Double? {
    var digits = Substring(word)
    if digits.first == "-" { digits.removeFirst() }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } }),
      parts[0] == "0" || parts[0].first != "0"
    else { return nil }
    return Double(word)
  }

  private static func string(_ rest: inout Rest) -> String? {
    guard take("\"", &rest) else { return nil }
    var text = ""
    while let scalar = rest.first {
      rest.removeFirst()
      switch scalar {
      case "\"": return text
      case "\\":
        // Ours escape nothing but these two; control characters never get as far as here.
        guard let escaped = rest.first, escaped == "\"" || escaped == "\\" else { return nil }
        rest.removeFirst()
        text.unicodeScalars.append(escaped)
      case "\u{0}"..."\u{1F}": return nil
      default: text.unicodeScalars.append(scalar)
      }
    }
    return nil
  }
}
