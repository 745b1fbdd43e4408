/// Lines that come and go within the same bytes: what scrolls off the screen before anybody looks is not
/// printed.
extension Screen {
  /// A line end, and the pen there.
  struct LineEnd: BitwiseCopyable {
    var place = 0
    var style = Style.plain
    var sentBackground = Color.standard
  }

  /// With less than this many bytes for each row a look ahead is not worth it.
  private static let leastBytesARow = 16
  /// After so many bytes it is seen whether the lines are short enough.
  private static let trialBytes = 2048
  /// So many line ends are tried for one at which the state is simple.
  static let lineEndTries = 16

  /// Goes on at a line end behind which all of the screen is scrolled off by bytes that are at hand, if
  /// there is one: what lies before it leaves nothing behind but the pen.
  ///
  /// In between there is only what prints, ends lines and sets the pen; the whole screen scrolls, and
  /// nothing is covered. At the end of the same bytes the screen is as if all had been printed.
  /// The caller has seen to it that printing is plain, and that a line has just ended in the last row.
  ///
  /// Complexity: each byte is looked at once, whether it is passed over or not.
  @inline(never) mutating func passOverScrolledLines(_ bytes: ByteView, _ index: inout Int) {
    let left = bytes.count &- index
    guard left > rows &* Screen.leastBytesARow, scrollsWhole, cover.isEmpty else { return }
    guard options.isUTF8, areTabsKnown, characterSets[characterSets.right] == .ascii else { return }
    // Each cell that is written is to be counted.
    guard !countsRewrites else { return }
    var at = index
    var end = LineEnd(style: pen.style, sentBackground: sentBackground)
    var count = 0
    var slot = 0
    var isTried = false
    let slots = rows &+ 1 &+ Screen.lineEndTries
    while at < bytes.count {
      let byte = bytes[at]
      if byte &- 0x20 < 0x5F {
        at &+= bytes.printableRun(from: at)
      } else if byte == 0x0A {
        end.place = at
        lineEnds[slot] = end
        slot = slot &+ 1 == slots ? 0 : slot &+ 1
        count &+= 1
        at &+= 1
        let taken = at &- index
        if !isTried, taken > Screen.trialBytes {
          isTried = true
          // With no more lines than twice the rows of the screen little would be saved.
          guard count &* left > taken &* 2 &* rows else {
            lookedUpTo = bytes.count
            return
          }
        }
      } else if byte == 0x0D || byte == 0x09 {
        at &+= 1
      } else {
        let length =
          byte == 0x1B
          ? passOverRendition(bytes, at, &end) : passOverCharacters(bytes, at) &- at
        if length == 0 { break }
        at &+= length
      }
    }
    lookedUpTo = at
    // Behind it one line more than the screen has rows: the first says where a character was printed last.
    for back in 0..<Screen.lineEndTries where count >= rows &+ 2 &+ back {
      var place = slot &- (rows &+ 2) &- back
      if place < 0 { place &+= slots }
      let found = lineEnds[place]
      guard found.place > index, bytes[found.place &- 1] == 0x0D,
        printsFirst(bytes, found.place &+ 1)
      else { continue }
      index = found.place
      pen.style = found.style
      sentBackground = found.sentBackground
      setStale()
      repeatable = .clear
      column = 0
      isWrapPending = false
      return
    }
  }

  /// Whether the first thing behind a line end, but for SGR, is a character with a column of its own: then
  /// it does not matter where the one before it was printed.
  private func printsFirst(_ bytes: ByteView, _ start: Int) -> Bool {
    var at = start
    var end = LineEnd()
    while bytes[at] == 0x1B {
      let length = passOverRendition(bytes, at, &end)
      guard length > 0 else { return false }
      at &+= length
    }
    guard at &+ 4 <= bytes.count else { return false }
    return characters.width(characters.decode(bytes.halfWord(at: at)).scalar) > 0
  }

  /// Whether a line end in the last row scrolls the whole screen.
  private var scrollsWhole: Bool {
    row == rows &- 1 && top == 0 && bottom == rows &- 1 && self.left == 0 && right == columns &- 1
      && columns > 1 && !isWrapPending
  }

  /// The end of characters beyond ASCII, with some ASCII between them, that leave nothing in doubt.
  @inline(__always) private func passOverCharacters(_ bytes: ByteView, _ start: Int) -> Int {
    var at = start
    while at &+ 4 <= bytes.count {
      let (scalar, length) = characters.decode(bytes.halfWord(at: at))
      // Terminals differ in the columns of joiners, emoji selectors, flags and skin tones; C1 controls are
      // for the parser.
      let isSpecial =
        scalar == 0x200D || scalar == 0xFE0F || scalar &- 0x1F1E6 < 26 || scalar &- 0x1F3FB < 5
        || scalar &- 0x80 < 0x20
      if scalar == 0 || isSpecial { break }
      at &+= length
    }
    return at
  }

  /// Carries out SGR as `runPlain` does, on a pen that is only tried.
  ///
  /// - Returns: its length; 0 if it is another sequence, or is for the parser.
  @inline(__always) private func passOverRendition(
    _ bytes: ByteView, _ start: Int, _ end: inout LineEnd
  ) -> Int {
    guard start &+ 10 <= bytes.count, bytes[start &+ 1] == 0x5B else { return 0 }
    let word = bytes.word(at: start &+ 2)
    let digits = word ^ 0x3030_3030_3030_3030
    var others = ByteView.notDigits(digits)
    let first = others.trailingZeroBitCount >> 3
    others &= others &- 1
    let second = others.trailingZeroBitCount >> 3
    guard first <= 3 else { return 0 }
    let number = ByteView.number(digits, first)
    let next = UInt8(truncatingIfNeeded: word &>> UInt64(first &* 8))
    if next == UInt8(ascii: "m") {
      return tryRendition(number, PlainRendition.none, &end) ? first &+ 3 : 0
    }
    let length = second &- first &- 1
    guard next == UInt8(ascii: ";"), second < 8, length <= 3 else { return 0 }
    let other = ByteView.number(digits &>> UInt64(first &* 8 &+ 8), length)
    switch UInt8(truncatingIfNeeded: word &>> UInt64(second &* 8)) {
    case UInt8(ascii: "m"): return tryRendition(number, other, &end) ? second &+ 3 : 0
    case UInt8(ascii: ";"):
      let (color, length) = bytes.plainColor(start, second &+ 3, plane: number, form: other)
      guard length > 0 else { return 0 }
      let isBackground = number == 48
      end.style.foreground = isBackground ? end.style.foreground : color
      end.style.background = isBackground ? color : end.style.background
      end.sentBackground = isBackground ? color : end.sentBackground
      return length
    default: return 0
    }
  }

  @inline(__always) private func tryRendition(
    _ first: Int, _ second: Int, _ end: inout LineEnd
  ) -> Bool {
    guard first < PlainRendition.count, second < PlainRendition.count else { return false }
    let one = renditions[first]
    let two = renditions[second]
    guard one.isPlain, two.isPlain else { return false }
    one.apply(to: &end.style)
    two.apply(to: &end.style)
    if one.setsBackground || two.setsBackground { end.sentBackground = end.style.background }
    return true
  }
}

extension ByteView {
  /// The colour of an SGR 38 or 48 alone, of the palette or a direct one.
  ///
  /// - Parameter offset: where the number behind the second semicolon begins, from the ESC on.
  /// - Returns: with the length of the sequence, which is 0 if it was another.
  @inline(__always) func plainColor(
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
}
