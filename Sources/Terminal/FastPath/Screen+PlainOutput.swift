/// The way that most output goes: text, line ends and the commonest control sequences, in a state in
/// which nothing but printing has to be thought of.
extension Screen {
  /// Takes bytes as long as the state is plain and they are of the commonest kinds. It does what `run`
  /// does with them by way of the parser, and leaves to that whatever is special, from the first byte of
  /// a sequence on.
  ///
  /// The parser stands at ground before and after, and nothing of a single shift is pending.
  ///
  /// - Returns: why it stopped, if it did for what is covered.
  @inline(__always) mutating func runPlain(
    _ bytes: UncheckedBytes, _ index: inout Int
  ) -> ScreenStop.Reason? {
    let end = bytes.count
    while index < end {
      let byte = bytes[index]
      if byte &- 0x20 < 0x5F {
        let length = bytes.printableRun(from: index)
        let taken = printRun(bytes, index, length)
        index &+= taken
        if taken < length { return .willMoveCovered }
        // A wrap may have left the place of the cursor in doubt.
        if !isPlain { return nil }
      } else if byte == 0x1B {
        let length = takePlainSequence(bytes, index)
        if length == 0 { return nil }
        index &+= length
      } else if byte == 0x0D {
        repeatable = .clear
        carriageReturn()
        index &+= 1
      } else if byte == 0x0A {
        if hasStops, row == bottom || isUnmeasured, let reason = controlStop(byte) { return reason }
        repeatable = .clear
        lineFeed()
        index &+= 1
        if !isPlain { return nil }
        if row == bottom, index >= lookedUpTo { passOverScrolledLines(bytes, &index) }
      } else if byte >= 0xC2, options.isUTF8 {
        let taken = printUnicodeRun(bytes, index)
        index &+= taken
        // A character may have left its column in doubt.
        if taken == 0 || !isPlain { return nil }
      } else {
        return nil
      }
    }
    return nil
  }

  /// Carries out CUP, EL or SGR in the forms that nearly all of them have: numbers of three digits at
  /// most, and not more of them than the form has.
  ///
  /// None of them is ever stopped at. No branch depends on the lengths of the numbers: that cannot be
  /// foreseen, and so would cost the most.
  ///
  /// - Returns: its length; 0 if it is none of them, or does not lie in the bytes as a whole.
  @inline(__always) mutating func takePlainSequence(
    _ bytes: UncheckedBytes, _ start: Int
  ) -> Int {
    guard start &+ 2 &+ 8 <= bytes.count, bytes[start &+ 1] == 0x5B else { return 0 }
    let word = bytes.word(at: start &+ 2)
    let digits = word ^ 0x3030_3030_3030_3030
    var others = UncheckedBytes.notDigits(digits)
    let first = others.trailingZeroBitCount >> 3
    others &= others &- 1
    let second = others.trailingZeroBitCount >> 3
    guard first <= 3 else { return 0 }
    let number = UncheckedBytes.number(digits, first)
    switch UInt8(truncatingIfNeeded: word &>> UInt64(first &* 8)) {
    case UInt8(ascii: "m"):
      return selectPlainRendition(number, PlainSGR.none) ? first &+ 3 : 0
    case UInt8(ascii: ";"):
      let length = second &- first &- 1
      guard second < 8, length <= 3 else { return 0 }
      let other = UncheckedBytes.number(digits &>> UInt64(first &* 8 &+ 8), length)
      switch UInt8(truncatingIfNeeded: word &>> UInt64(second &* 8)) {
      case UInt8(ascii: "H"):
        repeatable = .clear
        hasDrawn = true
        place(row: max(1, number) &- 1, column: max(1, other) &- 1)
        return second &+ 3
      case UInt8(ascii: "m"):
        return selectPlainRendition(number, other) ? second &+ 3 : 0
      case UInt8(ascii: ";"):
        return selectPlainColor(bytes, start, second &+ 3, number, other)
      default: return 0
      }
    case UInt8(ascii: "K"):
      if isWrapPending, isUnmeasured { return 0 }
      repeatable = .clear
      eraseInLine(number, isSelective: false)
      return first &+ 3
    case UInt8(ascii: "H"):
      repeatable = .clear
      hasDrawn = true
      place(row: max(1, number) &- 1, column: 0)
      return first &+ 3
    default: return 0
    }
  }

  /// SGR with one parameter or two, of those that only set or reset.
  ///
  /// - Returns: whether it was that; if not, nothing has happened.
  @inline(__always) private mutating func selectPlainRendition(_ first: Int, _ second: Int) -> Bool
  {
    guard first < PlainSGR.count, second < PlainSGR.count else { return false }
    let one = renditions[first]
    let two = renditions[second]
    guard one.isPlain, two.isPlain else { return false }
    repeatable = Cell(raw: repeatable.raw | Screen.closed)
    var style = pen.style
    one.apply(to: &style)
    two.apply(to: &style)
    if one.setsBackground || two.setsBackground { sentBackground = style.background }
    usePlainStyle(style)
    return true
  }

  /// The pen's style is another, and nothing else about it. Its number is looked up at once: to store the
  /// style and to load it again for the next character would take longer.
  private mutating func usePlainStyle(_ style: Style) {
    pen.style = style
    isEraseStale = true
    if isPenStale { return }
    if let number = styles.number(of: style) {
      penBits = penBits & ~(0xFFFF << 32 | Cell.Bits.unknown) | UInt64(number) << 32
    } else {
      isPenStale = true
    }
  }

  /// SGR 38 or 48 alone, with a colour of the palette or a direct one.
  ///
  /// - Parameter offset: where the number behind the second semicolon begins, from the ESC on.
  /// - Returns: the length of the sequence; 0 if it was another, and nothing has happened.
  @inline(__always) private mutating func selectPlainColor(
    _ bytes: UncheckedBytes, _ start: Int, _ offset: Int, _ plane: Int, _ form: Int
  ) -> Int {
    let (color, length) = bytes.plainColor(start, offset, plane: plane, form: form)
    guard length > 0 else { return 0 }
    repeatable = Cell(raw: repeatable.raw | Screen.closed)
    let isBackground = plane == 48
    var style = pen.style
    style.foreground = isBackground ? style.foreground : color
    style.background = isBackground ? color : style.background
    sentBackground = isBackground ? color : sentBackground
    usePlainStyle(style)
    return length
  }
}
