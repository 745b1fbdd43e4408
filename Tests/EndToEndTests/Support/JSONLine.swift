import TestSupport

/// A value of a line of `--format jsonl`: the objects there are flat.
enum JSONValue: Equatable {
  case null
  case number(Double)
  case text(String)
  case boolean(Bool)
}

/// One line of `--format jsonl`, read strictly: what is not RFC 8259 is an error.
struct JSONLine {
  private(set) var keys: [String] = []
  private var values: [String: JSONValue] = [:]

  init(_ line: String) throws(ToolError) {
    var parser = JSONParser(bytes: Array(line.utf8))
    do throws(ToolError) {
      try parser.expect("{")
      repeat {
        let key = try parser.string()
        try parser.expect(":")
        guard values[key] == nil else { throw ToolError("the key \(key) is there twice") }
        keys.append(key)
        values[key] = try parser.value()
      } while parser.take(",")
      try parser.expect("}")
      guard parser.isAtEnd else { throw ToolError("something follows the object") }
    } catch {
      throw ToolError("\(error.description): \(quote(line.utf8))")
    }
  }

  /// The value of a key, which must be there.
  subscript(key: String) -> JSONValue {
    get throws(ToolError) {
      guard let value = values[key] else { throw ToolError("no key \(key) among \(keys)") }
      return value
    }
  }

  /// The number of a key; `nil` for null.
  func number(_ key: String) throws(ToolError) -> Double? {
    switch try self[key] {
    case .null: return nil
    case .number(let value): return value
    case .text, .boolean: throw ToolError("\(key) is no number")
    }
  }

  /// The text of a key; `nil` for null.
  func text(_ key: String) throws(ToolError) -> String? {
    switch try self[key] {
    case .null: return nil
    case .text(let value): return value
    case .number, .boolean: throw ToolError("\(key) is no text")
    }
  }
}

private struct JSONParser {
  let bytes: [UInt8]
  var place = 0

  var isAtEnd: Bool { place == bytes.count }
  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: scalar) else { return false }
    place += 1
    return true
  }

  mutating func expect(_ scalar: Unicode.Scalar) throws(ToolError) {
    guard take(scalar) else { throw ToolError("no \(scalar) at byte \(place)") }
  }

  mutating func value() throws(ToolError) -> JSONValue {
    if next == UInt8(ascii: "\"") { return .text(try string()) }
    if bytes[place...].starts(with: Array("null".utf8)) {
      place += 4
      return .null
    }
    for (word, value) in [("true", true), ("false", false)]
    where bytes[place...].starts(with: Array(word.utf8)) {
      place += word.utf8.count
      return .boolean(value)
    }
    return .number(try number())
  }

  private mutating func number() throws(ToolError) -> Double {
    let start = place
    func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
    _ = take("-")
    let first = next
    guard isDigit(first) else { throw ToolError("no value at byte \(start)") }
    while isDigit(next) { place += 1 }
    guard first != 0x30 || place <= start + 2 else { throw ToolError("a number begins with 0") }
    if take(".") {
      guard isDigit(next) else { throw ToolError("no digit after the point at byte \(place)") }
      while isDigit(next) { place += 1 }
    }
    guard let value = Double(String(decoding: bytes[start..<place], as: UTF8.self)) else {
      throw ToolError("no number at byte \(start)")
    }
    return value
  }

  mutating func string() throws(ToolError) -> String {
    try expect("\"")
    var content: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw ToolError("a control byte in a text at byte \(place)") }
      place += 1
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      guard let escaped = next, escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
      else { throw ToolError("an escape that perfhud has no use for at byte \(place)") }
      content.append(escaped)
      place += 1
    }
    try expect("\"")
    guard let text = String(validating: content, as: UTF8.self) else {
      throw ToolError("a text is not UTF-8")
    }
    return text
  }
}
