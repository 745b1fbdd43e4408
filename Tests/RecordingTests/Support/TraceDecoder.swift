/// Decodes Protocol Buffers messages without a schema, written apart from the encoder.
struct WireMessage {
  enum Value {
    case number(UInt64)
    case double(Double)
    case bytes(ArraySlice<UInt8>)
  }

  private(set) var fields: [(number: Int, value: Value)] = []

  /// - Returns: `nil` where the bytes are no message.
  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while !rest.isEmpty {
      guard let key = WireMessage.number(&rest) else { return nil }
      let field = Int(key / 8)
      switch key % 8 {
      case 0:
        guard let value = WireMessage.number(&rest) else { return nil }
        fields.append((field, .number(value)))
      case 1:
        guard rest.count >= 8 else { return nil }
        let bits = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        fields.append((field, .double(Double(bitPattern: bits))))
        rest = rest.dropFirst(8)
      case 2:
        guard let count = WireMessage.number(&rest), count <= rest.count else { return nil }
        fields.append((field, .bytes(rest.prefix(Int(count)))))
        rest = rest.dropFirst(Int(count))
      default: return nil
      }
    }
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value += UInt64(byte % 128) << shift
      if byte < 128 { return value }
    }
    return nil
  }

  func number(_ field: Int) -> UInt64? {
    for case (field, .number(let value)) in fields { return value }
    return nil
  }

  func double(_ field: Int) -> Double? {
    for case (field, .double(let value)) in fields { return value }
    return nil
  }

  func text(_ field: Int) -> String? {
    for case (field, .bytes(let bytes)) in fields { return String(decoding: bytes, as: UTF8.self) }
    return nil
  }

  /// The messages of a field.
  func messages(_ field: Int) -> [WireMessage] {
    fields.compactMap { found in
      guard found.number == field, case .bytes(let bytes) = found.value else { return nil }
      return WireMessage(bytes)
    }
  }

  func message(_ field: Int) -> WireMessage? { messages(field).first }
}
