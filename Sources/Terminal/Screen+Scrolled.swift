/// Lines that come and go within the same bytes: what scrolls off the screen before anybody looks is not
/// printed.
extension Screen {
  /// With less than this many bytes for each row a look ahead is not worth it.
  private static let leastBytesARow = 16
  /// So many line ends are tried for one at which the state is simple.
  private static let lineEndTries = 16

  /// Goes on at a line end behind which all of the screen is scrolled off by bytes that are at hand, if
  /// there is one: what lies before it leaves nothing behind but the pen.
  ///
  /// In between there is only plain output (`ByteView.plainOutput`); the whole screen scrolls, and
  /// nothing is covered. At the end of the same bytes the screen is as if all had been printed.
  /// The caller has seen to it that printing is plain, and that a line has just ended in the last row.
  ///
  /// Complexity: each byte is looked at once, but of what is passed over only the last SGR are
  /// carried out.
  @inline(never) mutating func passOverScrolledLines(_ bytes: ByteView, _ index: inout Int) {
    guard bytes.count &- index > rows &* Screen.leastBytesARow else { return }
    guard scrollsWhole, columns > 1, !isWrapPending, cover.isEmpty else { return }
    guard options.isUTF8, areTabsKnown, characterSets[characterSets.right] == .ascii else { return }
    // Each cell that is written is to be counted.
    guard !countsRewrites else { return }
    if plainTo <= index { plainTo = bytes.plainOutput(from: index, to: bytes.count).end }
    lookedUpTo = plainTo
    guard let place = lastLineEnd(bytes, index, plainTo) else { return }
    takeRenditions(bytes, index, place)
    index = place
    repeatable = .clear
    column = 0
    isWrapPending = false
  }

  /// Whether what ends a line or wraps in the last row scrolls the whole screen, so that the cursor stays
  /// in that row.
  var scrollsWhole: Bool {
    row == rows &- 1 && top == 0 && bottom == rows &- 1 && left == 0 && right == columns &- 1
  }

  /// The last line end with a whole screen of lines behind it, and at which the cursor is known to be
  /// in the first column.
  ///
  /// - Returns: where its line feed is; `nil` if there is none behind `start`.
  private func lastLineEnd(_ bytes: ByteView, _ start: Int, _ end: Int) -> Int? {
    // Behind it one line more than the screen has rows: the first says where a character was printed last.
    let needed = rows &+ 2
    var count = 0
    var place = end
    while let found = bytes.lastLineFeed(from: start, before: place) {
      count &+= 1
      place = found
      guard count >= needed else { continue }
      guard found > start, count < needed &+ Screen.lineEndTries else { return nil }
      if bytes[found &- 1] == 0x0D, printsFirst(bytes, found &+ 1, end) { return found }
    }
    return nil
  }

  /// Whether the first thing behind a line end, but for SGR and EL, is a character with a column of its
  /// own: then it does not matter where the one before it was printed.
  private func printsFirst(_ bytes: ByteView, _ start: Int, _ end: Int) -> Bool {
    var at = start
    while at < end, bytes[at] == 0x1B {
      let length = bytes.plainSequence(at, end)
      if length == 0 { return false }
      at &+= length
    }
    guard at &+ 4 <= end else { return false }
    return characters.width(characters.decode(bytes.halfWord(at: at)).scalar) > 0
  }

  /// Carries out of plain output what sets the pen: SGR, from the last one on that sets all of it.
  private mutating func takeRenditions(_ bytes: ByteView, _ start: Int, _ end: Int) {
    // No style is given a number of which nothing is printed.
    setStale()
    // To look for the last from the end on takes longer, where there is none.
    let first = bytes.upTo(end).nextEscape(from: start)
    guard first < end else { return }
    var at = end
    while let found = bytes.lastEscape(from: first, before: at) {
      at = found
      if bytes.isReset(at) { break }
    }
    at = bytes.nextEscape(from: at)
    while at < end {
      let length = bytes.plainSequence(at, end)
      let next = at &+ max(1, length)
      let isRendition = bytes[next &- 1] == UInt8(ascii: "m")
      // What is special about the pen is for the parser to see.
      if isRendition, !isPlain || takePlainSequence(bytes, at) == 0 {
        _ = run(bytes.upTo(next), from: at)
      }
      at = bytes.nextEscape(from: next)
    }
  }
}

/// Plain output: what prints, ends lines, erases in its line or sets the pen. Nothing of it needs the
/// HUD out of its way for longer than for a line feed, and no answer comes to it.
extension ByteView {
  /// The end of the plain output that begins at a place: at something else, or at a character or sequence
  /// that has not ended.
  func plainOutput(from start: Int, to limit: Int) -> (end: Int, isUnfinished: Bool) {
    var index = start
    var nextBlock = start
    while true {
      if index >= nextBlock {
        while index &+ ByteView.block <= limit, isText(index) { index &+= ByteView.block }
        nextBlock = index &+ ByteView.block
      }
      index = nextUnusual(from: index, to: limit)
      guard index < limit else { break }
      switch self[index] {
      case 0x07: index &+= 1
      case 0x1B:
        let length = plainSequence(index, limit)
        if length == 0 { return (index, isUnfinishedSequence(index, limit)) }
        index &+= length
      case 0xC2:
        // A C1 control in UTF-8.
        guard index &+ 1 < limit else { return (index, true) }
        if self[index &+ 1] &- 0x80 < 0x20 { return (index, false) }
        index &+= 1
      default: return (index, false)
      }
    }
    // The lead of a character that goes on in the bytes to come.
    var lead = limit &- 1
    while lead > start, limit &- lead < 6, self[lead] & 0xC0 == 0x80 { lead &-= 1 }
    // The bytes of forms that are no longer allowed are counted too; FE and FF begin nothing.
    guard lead >= start, self[lead] >= 0xC0, self[lead] < 0xFE else { return (limit, false) }
    let length = (~self[lead]).leadingZeroBitCount
    return lead &+ length > limit ? (lead, true) : (limit, false)
  }

  /// The length of a whole SGR or EL without prefix and intermediates; 0 for anything else.
  @inline(__always) func plainSequence(_ start: Int, _ limit: Int) -> Int {
    guard start &+ 2 < limit, self[start &+ 1] == 0x5B else { return 0 }
    let end = parametersEnd(start &+ 2, limit)
    guard end < limit, self[end] == UInt8(ascii: "m") || self[end] == UInt8(ascii: "K") else {
      return 0
    }
    return end &+ 1 &- start
  }

  /// Whether an SGR or EL may have begun at an ESC.
  private func isUnfinishedSequence(_ start: Int, _ limit: Int) -> Bool {
    guard start &+ 1 < limit else { return true }
    return self[start &+ 1] == 0x5B && parametersEnd(start &+ 2, limit) == limit
  }

  /// The end of digits, colons and semicolons.
  ///
  /// No branch depends on where the first 16 bytes end: that cannot be foreseen, and so would cost the most.
  @inline(__always) private func parametersEnd(_ start: Int, _ limit: Int) -> Int {
    var index = start
    if index &+ 16 <= limit {
      // 64 for a word without an end.
      let first = ByteView.noParameters(word(at: index)).trailingZeroBitCount
      let second = ByteView.noParameters(word(at: index &+ 8)).trailingZeroBitCount
      let bits = first &+ (first == 64 ? second : 0)
      index &+= bits >> 3
      if bits < 128 { return index }
    }
    while index < limit, self[index] &- 0x30 < 12 { index &+= 1 }
    return index
  }

  /// The high bit of each byte of a word that is no digit, colon or semicolon; right up to the first.
  @inline(__always) private static func noParameters(_ word: UInt64) -> UInt64 {
    // 0x30 to 0x3B become 0 to 0x0B; the high bit is set of what is above.
    let values = word ^ 0x3030_3030_3030_3030
    return ((values & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7474_7474_7474_7474 | values)
      & 0x8080_8080_8080_8080
  }

  /// Whether SGR 0 is there, alone.
  fileprivate func isReset(_ start: Int) -> Bool {
    guard start &+ 4 <= count, self[start &+ 1] == 0x5B else { return false }
    return self[start &+ 2] == UInt8(ascii: "m")
      || self[start &+ 2] == UInt8(ascii: "0") && self[start &+ 3] == UInt8(ascii: "m")
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
