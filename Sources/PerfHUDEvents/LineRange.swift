import Glibc
import PerfHUDBase

/// A part of the bytes of a line.
struct LineRange: BitwiseCopyable {
  var start: Int
  var end: Int

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
  }

  private func byte(_ index: Int, _ line: RawSpan) -> UInt8 {
    FieldCursor.byte(at: index, in: line)
  }

  func first(in line: RawSpan) -> UInt8 { byte(start, line) }

  /// Removes blanks at both ends.
  mutating func trim(in line: RawSpan) {
    while end > start, LineRange.isBlank(byte(end - 1, line)) { end -= 1 }
    while start < end, LineRange.isBlank(byte(start, line)) { start += 1 }
  }

  /// Takes the first word and the blanks after it; empty if there is none.
  mutating func takeWord(in line: RawSpan) -> LineRange {
    var word = LineRange(start: start, end: start)
    while word.end < end, !LineRange.isBlank(byte(word.end, line)) { word.end += 1 }
    start = word.end
    trim(in: line)
    return word
  }

  /// Takes the words before the first field, including the blanks between them.
  mutating func takeUntilField(in line: RawSpan) -> LineRange {
    var text = LineRange(start: start, end: start)
    while start < end {
      var ahead = self
      let word = ahead.takeWord(in: line)
      if word.fieldSeparator(in: line) != nil { break }
      text.end = word.end
      self = ahead
    }
    return text
  }

  func lastWord(in line: RawSpan) -> LineRange {
    var word = LineRange(start: end, end: end)
    while word.start > start, !LineRange.isBlank(byte(word.start - 1, line)) { word.start -= 1 }
    return word
  }

  /// The position of the `=` of a field, whose name consists of a letter, then letters, digits and hyphens; `nil` if
  /// this word is not a field.
  func fieldSeparator(in line: RawSpan) -> Int? {
    var index = start
    while index < end {
      switch byte(index, line) {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): index += 1
      case UInt8(ascii: "0")...UInt8(ascii: "9") where index > start,
        UInt8(ascii: "-") where index > start:
        index += 1
      case UInt8(ascii: "=") where index > start: return index
      default: return nil
      }
    }
    return nil
  }

  /// Whether it equals this text.
  func holds(_ text: StaticString, in line: RawSpan) -> Bool {
    guard end - start == text.utf8CodeUnitCount else { return false }
    var cursor = FieldCursor(position: start)
    return cursor.take(text, in: line)
  }

  // MARK: Numbers

  /// Reads digits. A number that does not fit becomes the greatest one that does.
  func unsigned(in line: RawSpan) throws(EventLineError) -> UInt64 {
    guard start < end else { throw .badNumber }
    var value: UInt64 = 0
    for index in start..<end {
      let digit = byte(index, line) &- UInt8(ascii: "0")
      guard digit < 10 else { throw .badNumber }
      let (product, isOver) = value.multipliedReportingOverflow(by: 10)
      let (sum, isFull) = product.addingReportingOverflow(UInt64(digit))
      value = isOver || isFull ? .max : sum
    }
    return value
  }

  /// Reads a decimal number such as `-12.5` or `3e-4`, correct to 15 digits; never infinite.
  func decimal(in line: RawSpan) throws(EventLineError) -> Double {
    var index = start
    let isNegative = byte(index, line) == UInt8(ascii: "-")
    if isNegative || byte(index, line) == UInt8(ascii: "+") { index += 1 }
    var mantissa: UInt64 = 0
    var digits = 0
    var power = 0
    var hasPoint = false
    while index < end {
      let next = byte(index, line)
      if next == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        let digit = next &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        digits += 1
        if mantissa < 1_000_000_000_000_000_000 {
          mantissa = mantissa * 10 + UInt64(digit)
          if hasPoint { power -= 1 }
        } else if !hasPoint {
          power += 1
        }
      }
      index += 1
    }
    guard digits > 0 else { throw .badNumber }
    if index < end { power += try exponent(from: index, in: line) }
    guard mantissa > 0 else { return isNegative ? -0.0 : 0 }
    // A single exact power keeps short numbers exact. Others take two steps; otherwise 10^309 would overflow on the
    // way.
    let value =
      switch power {
      case 0...22: Double(mantissa) * pow(10, Double(power))
      case -22..<0: Double(mantissa) / pow(10, Double(-power))
      default:
        Double(mantissa) * pow(10, Double(power / 2)) * pow(10, Double(power - power / 2))
      }
    guard value.isFinite else { throw .badNumber }
    return isNegative ? -value : value
  }

  private func exponent(from: Int, in line: RawSpan) throws(EventLineError) -> Int {
    guard byte(from, line) | 0x20 == UInt8(ascii: "e") else { throw .badNumber }
    var index = from + 1
    let isNegative = byte(index, line) == UInt8(ascii: "-")
    if isNegative || byte(index, line) == UInt8(ascii: "+") { index += 1 }
    let digits = LineRange(start: index, end: end)
    let value = Int(min(1000, try digits.unsigned(in: line)))
    return isNegative ? -value : value
  }

  // MARK: Text

  /// Appends the text, percent-decoded and made harmless. Text that does not fit is cut between two characters.
  ///
  /// - Returns: whether all of it fitted.
  @discardableResult
  func decode<let capacity: Int>(
    into text: inout InlineText<capacity>, in line: RawSpan
  ) -> Bool {
    var source = self
    while let scalar = source.takeScalar(in: line) {
      guard text.append(SafeText.replacement(for: scalar)) else { return false }
    }
    return true
  }

  /// As above, but only up to the first U+200D: terminals differ in the width of joined emoji.
  func decodeIcon(into icon: inout Event.Icon, in line: RawSpan) {
    icon.removeAll()
    var source = self
    while let scalar = source.takeScalar(in: line), scalar != "\u{200D}" {
      guard icon.append(SafeText.replacement(for: scalar)) else { return }
    }
  }

  /// Takes a byte, or the byte given by `%` and two hexadecimal digits. A `%` without two digits is taken as itself.
  private mutating func takeByte(in line: RawSpan) -> UInt8? {
    guard start < end else { return nil }
    let next = byte(start, line)
    if next == UInt8(ascii: "%"), start + 2 < end,
      let high = byte(start + 1, line).hexDigitValue,
      let low = byte(start + 2, line).hexDigitValue
    {
      start += 3
      return high << 4 | low
    }
    start += 1
    return next
  }

  /// Takes a character. Each maximal part of a malformed one is U+FFFD (Unicode, section 3.9, table 3-7).
  private mutating func takeScalar(in line: RawSpan) -> Unicode.Scalar? {
    guard let first = takeByte(in: line) else { return nil }
    if first < 0x80 { return Unicode.Scalar(first) }
    guard let form = UTF8Form(first) else { return "\u{FFFD}" }
    var value = form.value(of: first)
    for index in 1..<form.length {
      var ahead = self
      guard let next = ahead.takeByte(in: line), form.allows(next, at: index) else {
        return "\u{FFFD}"
      }
      self = ahead
      value = value << 6 | UInt32(next & 0x3F)
    }
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }
}
