/// The path of most output: text, line ends and the commonest control sequences, in a state in which printing has no
/// special cases.
extension Screen {
  /// Takes bytes as long as the state is plain and they are of the commonest kinds. It has the same effect as `run`,
  /// which uses the parser, and leaves anything special to `run`, from the first byte of a sequence on.
  ///
  /// The parser is at ground before and after, and no single shift is pending.
  ///
  /// - Returns: why it stopped, if it did because of covered cells.
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
        // A wrap may have left the cursor uncertain.
        if !feeding.isPlain { return nil }
      } else if byte == 0x1B {
        let length = takePlainSequence(bytes, index)
        if length == 0 { return nil }
        index &+= length
      } else if byte == 0x0D {
        printed.clear()
        carriageReturn()
        index &+= 1
      } else if byte == 0x0A {
        if feeding.hasStops, row == region.bottom || isUnknownTerminal,
          let reason = controlStop(byte)
        {
          return reason
        }
        printed.clear()
        lineFeed()
        index &+= 1
        if !feeding.isPlain { return nil }
        if row == region.bottom, index >= feeding.scannedEnd {
          passOverScrolledLines(bytes, &index)
        }
      } else if byte >= 0xC2, options.isUTF8 {
        let taken = printUnicodeRun(bytes, index)
        index &+= taken
        // A character may have left its column uncertain.
        if taken == 0 || !feeding.isPlain { return nil }
      } else {
        return nil
      }
    }
    return nil
  }

  /// Executes a `PlainSequence`. The model never stops at one.
  ///
  /// - Returns: its length; 0 if it is any other sequence, in which case nothing has happened.
  @inline(__always) mutating func takePlainSequence(
    _ bytes: UncheckedBytes, _ start: Int
  ) -> Int {
    let sequence = bytes.shortSequence(at: start)
    switch sequence.kind {
    case .other: return 0
    case .position:
      printed.clear()
      reported.hasDrawn = true
      if isUnknownTerminal, modes.contains(.origin) { return 0 }
      let from = row
      place(row: max(1, sequence.first) &- 1, column: max(1, sequence.second) &- 1)
      if row < from || row == 0 { reported.hasReturned = true }
    case .eraseInLine:
      if isUnknownTerminal, needsThought { return 0 }
      printed.clear()
      eraseInLine(sequence.first, isSelective: false)
    case .rendition:
      guard selectPlainRendition(sequence.first, sequence.second) else { return 0 }
    case .color:
      if sequence.length > 0 { selectPlainColor(sequence.first, sequence.color) }
    }
    return sequence.length
  }

  /// Executes an SGR with one or two parameters that only set or reset something.
  ///
  /// - Returns: whether it was such an SGR; if not, nothing has happened.
  @inline(__always) private mutating func selectPlainRendition(_ first: Int, _ second: Int) -> Bool
  {
    guard first < PlainSGR.count, second < PlainSGR.count else { return false }
    let one = tables.renditions[first]
    let two = tables.renditions[second]
    guard one.isPlain, two.isPlain else { return false }
    printed.close()
    var style = pen.style
    one.apply(to: &style)
    two.apply(to: &style)
    if one.setsBackground || two.setsBackground { penState.sentBackground = style.background }
    usePlainStyle(style)
    return true
  }

  /// Changes the pen's style and nothing else about the pen. Its number is looked up at once: storing the style and
  /// loading it again for the next character would take longer.
  private mutating func usePlainStyle(_ style: Style) {
    pen.style = style
    penState.isEraseStale = true
    if penState.isStale { return }
    if let number = tables.styles.number(of: style) {
      penState.bits = penState.bits & ~(0xFFFF << 32 | Cell.Bits.unknown) | UInt64(number) << 32
    } else {
      penState.isStale = true
    }
  }

  /// Executes an SGR that consists of 38 or 48 alone.
  @inline(__always) private mutating func selectPlainColor(_ plane: Int, _ color: Color) {
    printed.close()
    let isBackground = plane == 48
    var style = pen.style
    style.foreground = isBackground ? style.foreground : color
    style.background = isBackground ? color : style.background
    penState.sentBackground = isBackground ? color : penState.sentBackground
    usePlainStyle(style)
  }
}
