/// The state machine that splits a program's output into characters, controls and sequences.
///
/// It keeps its state across reads, so it does not matter where they are cut, and it allocates nothing after `init`. It
/// only decides the form of the bytes; `Screen` knows what a sequence means.
///
/// Limits: `parameterLimit` parameters and sub-parameters, further ones are dropped; values up to 65535; two
/// intermediate bytes, a sequence with more is dispatched as unknown; `stringLimit` bytes of a string, the rest is read
/// and dropped.
///
/// Source: ECMA-48 section 5.4; see `ParserTable`.
struct Parser: ~Copyable {
  static let parameterLimit = 32
  static let stringLimit = 4096

  /// The kind of string that is being read.
  enum StringKind: UInt8 {
    case osc, dcs, sos, pm, apc
  }

  var state = ParserState.ground
  private let table: UncheckedBuffer<UInt8>

  // MARK: The sequence

  /// One more element than the limit, for dropped values.
  private let values = UncheckedBuffer<UInt32>(zeroed: Parser.parameterLimit + 1)
  /// Bit n is set if value n follows a colon and so belongs to the parameter before it.
  private(set) var subparameters: UInt32 = 0
  /// The number of values so far; 0 for a sequence without any.
  private(set) var count = 0
  /// Whether the last parameter has digits: it is a written 0, not a missing value.
  private(set) var endsWithDigit = false
  /// `<`, `=`, `>` or `?` before the parameters; otherwise 0.
  private(set) var prefix: UInt8 = 0
  /// The intermediate bytes, the last one lowest; 0 for none.
  private(set) var intermediates: UInt16 = 0
  private(set) var hasTooManyIntermediates = false

  // MARK: The string

  private(set) var stringKind = StringKind.osc
  private let string = UncheckedBuffer<UInt8>(zeroed: Parser.stringLimit)
  /// The number of bytes of the string that are kept.
  private(set) var stringCount = 0
  /// Whether the string was longer than the bytes that are kept.
  private(set) var isStringCut = false
  /// The final byte of the DCS whose string is being read.
  private(set) var stringFinal: UInt8 = 0

  // MARK: UTF-8

  private var scalar: UInt32 = 0
  /// The number of continuation bytes still to come; above 0 while the parser is within a character.
  private(set) var missing = 0

  init() {
    table = UncheckedBuffer(zeroed: 16 * 256)
    let entries = ParserTable.entries
    for index in entries.indices { table[index] = entries[index] }
  }

  /// Whether the current character interrupted a sequence and is lost with it, as in xterm.
  var isSwallowing = false

  /// Whether the last byte ended a character or a sequence.
  var isAtGround: Bool { state == .ground && missing == 0 }

  /// Forgets the unfinished sequence or character.
  mutating func reset() {
    state = .ground
    missing = 0
    isSwallowing = false
  }

  /// Takes a byte that is not part of a character beyond ASCII.
  ///
  /// - Returns: what the caller has to do. After `swallow` the byte begins a character that will be lost.
  @inline(__always) mutating func take(_ byte: UInt8) -> ParserAction {
    let entry = table[Int(state.rawValue) << 8 | Int(byte)]
    let action = ParserAction(rawValue: entry >> 4) ?? .none
    let before = state
    state = ParserState(rawValue: entry & 15) ?? .ground
    switch action {
    case .clear: clear()
    case .collect: collect(byte)
    case .parameter: takeParameter(byte)
    case .put: put(byte)
    case .beginString: beginString(byte)
    case .hook:
      if before == .dcsIgnore { hasTooManyIntermediates = true }
      beginString(byte)
    case .cancel where before == .stringEscape && byte != 0x18 && byte != 0x1A:
      // The byte after the ESC begins a sequence of its own.
      clear()
      return takeCold(byte)
    default: break
    }
    return action
  }

  /// The same as `take`, apart: it is rare, and `take` is inlined.
  @inline(never) private mutating func takeCold(_ byte: UInt8) -> ParserAction { take(byte) }

  /// Begins an 8-bit control: within a string it may be the end (ST), otherwise it begins a sequence.
  mutating func beginC1() {
    switch state {
    case .oscString, .dcsString, .otherString: state = .stringEscape
    default:
      clear()
      state = .escape
    }
  }

  private mutating func clear() {
    count = 0
    endsWithDigit = false
    subparameters = 0
    prefix = 0
    intermediates = 0
    hasTooManyIntermediates = false
  }

  private mutating func collect(_ byte: UInt8) {
    if byte >= 0x3C {
      prefix = byte
    } else {
      if intermediates > 0xFF { hasTooManyIntermediates = true }
      intermediates = intermediates << 8 | UInt16(byte)
    }
  }

  @inline(__always) private mutating func takeParameter(_ byte: UInt8) {
    if count == 0 {
      count = 1
      values[0] = 0
    }
    endsWithDigit = byte < 0x3A
    if byte < 0x3A {
      appendDigit(byte &- 0x30)
    } else {
      separate(isColon: byte == 0x3A)
    }
  }

  @inline(__always) private mutating func appendDigit(_ digit: UInt8) {
    // The element beyond the limit takes the dropped values.
    guard count <= Parser.parameterLimit else { return }
    values[count &- 1] = min(values[count &- 1] &* 10 &+ UInt32(digit), 65535)
  }

  @inline(__always) private mutating func separate(isColon: Bool) {
    guard count < Parser.parameterLimit else {
      count = Parser.parameterLimit &+ 1
      return
    }
    values[count] = 0
    if isColon { subparameters |= 1 << UInt32(count) }
    count &+= 1
  }

  /// Reads a control sequence of digits and semicolons in one go.
  ///
  /// - Parameter start: the index after `ESC [`.
  /// - Returns: the index of its final byte, in the state before that byte. If the bytes end, or a byte is of another
  ///   kind, returns that index instead; `take` continues from there.
  @inline(__always) mutating func scanParameters(_ bytes: UncheckedBytes, from start: Int) -> Int {
    clear()
    state = .csiEntry
    var index = start
    let end = bytes.count
    guard index < end else { return index }
    var byte = bytes[index]
    if byte == 0x3F {
      prefix = byte
      state = .csiParameter
      index &+= 1
      if index == end { return index }
      byte = bytes[index]
    }
    guard byte &- 0x30 < 10 || byte == 0x3B else { return index }
    state = .csiParameter
    // No branch depends on where the numbers end, because that cannot be predicted and would cost the most.
    var value: UInt32 = 0
    var last = 0
    values[0] = 0
    while true {
      let digit = UInt32(byte &- 0x30)
      guard digit < 12, digit != 10 else { break }
      let isSeparator = digit == 11
      value = isSeparator ? 0 : min(value &* 10 &+ digit, 65535)
      last = min(last &+ (isSeparator ? 1 : 0), Parser.parameterLimit)
      values[last] = value
      index &+= 1
      if index == end { break }
      byte = bytes[index]
    }
    count = last &+ 1
    endsWithDigit = bytes[index &- 1] &- 0x30 < 10
    return index
  }

  // MARK: Parameters

  /// The number of values.
  var valueCount: Int { min(count, Parser.parameterLimit) }

  /// A value; 0 if it is missing.
  @inline(__always) func value(_ index: Int) -> Int {
    index < count && index < Parser.parameterLimit ? Int(values[index]) : 0
  }

  /// A value; `standard` if it is missing or 0.
  @inline(__always) func value(_ index: Int, or standard: Int) -> Int {
    let value = value(index)
    return value == 0 ? standard : value
  }

  /// Whether a value follows a colon.
  @inline(__always) func isSubparameter(_ index: Int) -> Bool {
    subparameters & (1 << UInt32(truncatingIfNeeded: index & 31)) != 0 && index < valueCount
  }

  // MARK: Strings

  private mutating func beginString(_ byte: UInt8) {
    stringCount = 0
    isStringCut = false
    stringFinal = 0
    switch byte {
    case 0x58 where state == .otherString: stringKind = .sos
    case 0x5D where state == .oscString: stringKind = .osc
    case 0x5E where state == .otherString: stringKind = .pm
    case 0x5F where state == .otherString: stringKind = .apc
    default:
      stringKind = .dcs
      stringFinal = byte
    }
  }

  @inline(__always) private mutating func put(_ byte: UInt8) {
    guard stringCount < Parser.stringLimit else {
      isStringCut = true
      return
    }
    string[stringCount] = byte
    stringCount &+= 1
  }

  @inline(__always) func stringByte(_ index: Int) -> UInt8 {
    index < stringCount ? string[index] : 0
  }

  /// Whether the string contains this text at an index.
  func string(at start: Int = 0, is text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard start + length <= stringCount else { return false }
    for index in 0..<length {
      guard unsafe string[start + index] == text.utf8Start[index] else { return false }
    }
    return true
  }

  /// The bytes of the string from an index on; valid until the next byte is taken.
  func stringBytes(from start: Int) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(rebasing: string.prefix(stringCount)[min(start, stringCount)...])
  }

  // MARK: Characters

  /// The result of a byte of a character.
  enum Decoded {
    case incomplete
    case scalar(UInt32)
    /// Not a character; U+FFFD is printed.
    case invalid
    /// The character is incomplete: prints U+FFFD, and the byte has not been taken.
    case malformed
  }

  /// Takes a byte of a character, from 0x80 on, or any byte while a character is incomplete.
  ///
  /// As in xterm: a lone continuation byte, a sequence that is too long for its character, a surrogate and what is
  /// beyond Unicode make one U+FFFD each; an incomplete sequence makes one, and the byte that interrupted it is taken
  /// again.
  mutating func decode(_ byte: UInt8) -> Decoded {
    if missing > 0 {
      guard byte & 0xC0 == 0x80 else {
        missing = 0
        return .malformed
      }
      let isTooLong = scalar == 0 && (byte & 0x7F) >> UInt8(truncatingIfNeeded: 7 &- missing) == 0
      scalar = isTooLong ? Parser.invalid : scalar << 6 | UInt32(byte & 0x3F)
      if scalar > 0x1F_FFFF { scalar = Parser.invalid }
      missing &-= 1
      guard missing == 0 else { return .incomplete }
      let isValid =
        scalar <= 0x10_FFFF && scalar &- 0xD800 >= 0x800 && scalar != 0xFFFE && scalar != 0xFFFF
      return isValid ? .scalar(scalar) : .invalid
    }
    switch byte {
    case 0xC0...0xDF: begin(byte & 0x1E == 0 ? Parser.invalid : UInt32(byte & 0x1F), 1)
    case 0xE0...0xEF: begin(UInt32(byte & 0x0F), 2)
    case 0xF0...0xF7: begin(UInt32(byte & 0x07), 3)
    case 0xF8...0xFB: begin(UInt32(byte & 0x03), 4)
    case 0xFC...0xFD: begin(UInt32(byte & 0x01), 5)
    default:
      scalar = 0
      return .invalid
    }
    return .incomplete
  }

  /// Whether the last decoded character took more bytes than it needs.
  var isTooLong: Bool { scalar > 0x1F_FFFF }

  /// Stays above the range of Unicode whatever is appended, and does not overflow.
  private static let invalid: UInt32 = 0x200_0000

  private mutating func begin(_ bits: UInt32, _ missing: Int) {
    scalar = bits
    self.missing = missing
  }
}
