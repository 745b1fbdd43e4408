/// A CUP, EL or SGR in the form that nearly all of them have: numbers of at most three digits, and no more parameters
/// than this form allows.
struct PlainSequence {
  enum Kind { case other, position, eraseInLine, rendition, color }

  var kind: Kind
  /// The number of its bytes; 0 for any other sequence, and for one that is incomplete.
  var length: Int
  /// The parameters. For SGR with one parameter the second is `PlainSGR.none`.
  var first = 0
  var second = 0
  /// The color of SGR 38 or 48; the first parameter says which.
  var color = Color.standard

  static let other = PlainSequence(kind: .other, length: 0)
}

/// The one place where CUP, EL and SGR are recognized without the parser.
extension UncheckedBytes {
  /// Reads the sequence that begins with the ESC at `start`.
  ///
  /// No branch depends on the lengths of the numbers, because such branches cannot be predicted and would cost the
  /// most.
  @inline(__always) func shortSequence(at start: Int) -> PlainSequence {
    guard start &+ 2 &+ 8 <= count, self[start &+ 1] == 0x5B else { return .other }
    let word = word(at: start &+ 2)
    let digits = word ^ 0x3030_3030_3030_3030
    var others = UncheckedBytes.notDigits(digits)
    let first = others.trailingZeroBitCount >> 3
    others &= others &- 1
    let second = others.trailingZeroBitCount >> 3
    guard first <= 3 else { return .other }
    let number = UncheckedBytes.number(digits, first)
    switch UInt8(truncatingIfNeeded: word &>> UInt64(first &* 8)) {
    case UInt8(ascii: "m"):
      return PlainSequence(
        kind: .rendition, length: first &+ 3, first: number, second: PlainSGR.none)
    case UInt8(ascii: ";"):
      let length = second &- first &- 1
      guard second < 8, length <= 3 else { return .other }
      let other = UncheckedBytes.number(digits &>> UInt64(first &* 8 &+ 8), length)
      switch UInt8(truncatingIfNeeded: word &>> UInt64(second &* 8)) {
      case UInt8(ascii: "H"):
        return PlainSequence(kind: .position, length: second &+ 3, first: number, second: other)
      case UInt8(ascii: "m"):
        return PlainSequence(kind: .rendition, length: second &+ 3, first: number, second: other)
      case UInt8(ascii: ";"):
        let (color, length) = plainColor(start, second &+ 3, plane: number, form: other)
        return PlainSequence(kind: .color, length: length, first: number, color: color)
      default: return .other
      }
    case UInt8(ascii: "K"):
      return PlainSequence(kind: .eraseInLine, length: first &+ 3, first: number)
    case UInt8(ascii: "H"):
      return PlainSequence(kind: .position, length: first &+ 3, first: number)
    default: return .other
    }
  }

  /// The color of an SGR that consists of 38 or 48 alone, indexed or direct, and the length of the sequence; 0 for any
  /// other sequence.
  ///
  /// - Parameter offset: from the ESC to the number after the second semicolon.
  @inline(__always) private func plainColor(
    _ start: Int, _ offset: Int, plane: Int, form: Int
  ) -> (color: Color, length: Int) {
    guard start &+ offset &+ 12 <= count, plane == 38 || plane == 48 else { return (.standard, 0) }
    var end = start &+ offset
    let first = shortNumber(at: end)
    end &+= first.length &+ 1
    if form == 5 {
      guard first.isByte(before: UInt8(ascii: "m")) else { return (.standard, 0) }
      return (.indexed(UInt8(truncatingIfNeeded: first.value)), end &- start)
    }
    guard form == 2 else { return (.standard, 0) }
    let second = shortNumber(at: end)
    end &+= second.length &+ 1
    guard first.isByte(before: UInt8(ascii: ";")), second.isByte(before: UInt8(ascii: ";")) else {
      return (.standard, 0)
    }
    let third = shortNumber(at: end)
    end &+= third.length &+ 1
    guard third.isByte(before: UInt8(ascii: "m")) else { return (.standard, 0) }
    let color = Color.rgb(
      UInt8(truncatingIfNeeded: first.value), UInt8(truncatingIfNeeded: second.value),
      UInt8(truncatingIfNeeded: third.value))
    return (color, end &- start)
  }

  /// The length of a complete SGR or EL with any parameters, without prefix and intermediates; 0 for anything else.
  @inline(__always) func plainSequence(_ start: Int, _ limit: Int) -> Int {
    guard start &+ 2 < limit, self[start &+ 1] == 0x5B else { return 0 }
    let end = parametersEnd(start &+ 2, limit)
    guard end < limit, self[end] == UInt8(ascii: "m") || self[end] == UInt8(ascii: "K") else {
      return 0
    }
    return end &+ 1 &- start
  }

  /// Whether an incomplete SGR or EL may begin at an ESC.
  func isUnfinishedSequence(_ start: Int, _ limit: Int) -> Bool {
    guard start &+ 1 < limit else { return true }
    return self[start &+ 1] == 0x5B && parametersEnd(start &+ 2, limit) == limit
  }

  /// The end of digits, colons and semicolons.
  ///
  /// No branch depends on where the parameters end within the first 16 bytes, because it cannot be predicted and would
  /// cost the most.
  @inline(__always) private func parametersEnd(_ start: Int, _ limit: Int) -> Int {
    var index = start
    if index &+ 16 <= limit {
      // 64 if the word has no end in it.
      let first = UncheckedBytes.noParameters(word(at: index)).trailingZeroBitCount
      let second = UncheckedBytes.noParameters(word(at: index &+ 8)).trailingZeroBitCount
      let bits = first &+ (first == 64 ? second : 0)
      index &+= bits >> 3
      if bits < 128 { return index }
    }
    while index < limit, self[index] &- 0x30 < 12 { index &+= 1 }
    return index
  }

  /// Sets the high bit of each byte that is not a digit, colon or semicolon. Correct up to the first such byte.
  @inline(__always) private static func noParameters(_ word: UInt64) -> UInt64 {
    // 0x30 to 0x3B become 0 to 0x0B; the high bit is set for anything above.
    let values = word ^ 0x3030_3030_3030_3030
    return ((values & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7474_7474_7474_7474 | values)
      & 0x8080_8080_8080_8080
  }

  /// Whether the sequence is SGR 0 alone.
  func isReset(_ start: Int) -> Bool {
    guard start &+ 4 <= count, self[start &+ 1] == 0x5B else { return false }
    return self[start &+ 2] == UInt8(ascii: "m")
      || self[start &+ 2] == UInt8(ascii: "0") && self[start &+ 3] == UInt8(ascii: "m")
  }
}
