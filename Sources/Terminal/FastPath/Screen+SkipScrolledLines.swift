/// Skips lines that come and go within the same bytes: what scrolls off the screen before anyone sees it is not
/// printed.
extension Screen {
  /// Looking ahead is not worthwhile with fewer bytes for each row.
  private static let leastBytesARow = 16
  /// How many line ends are tried to find one with a simple state.
  private static let lineEndTries = 16

  /// Skips to a line end after which there are enough bytes to scroll off everything before it. Skipped bytes affect
  /// only the pen.
  ///
  /// Only plain output (`UncheckedBytes.plainOutput`) is skipped, while lines of full width scroll and nothing is
  /// covered. After the same bytes the screen is as if all of them had been printed. The caller makes sure that
  /// printing is plain, and that a line has just ended in the last row.
  ///
  /// Complexity: each byte is scanned once, and only the last SGR sequences of the skipped bytes are executed.
  @inline(never) mutating func passOverScrolledLines(_ bytes: UncheckedBytes, _ index: inout Int) {
    let height = region.height
    guard bytes.count &- index > height &* Screen.leastBytesARow else { return }
    guard scrollsLines, columns > 1, !isWrapPending, hudRegion.isEmpty else { return }
    guard options.isUTF8, tabs.isKnown, characterSets[characterSets.right] == .ascii else { return }
    // Each written cell has to be counted.
    guard !frames.redundant.isOn else { return }
    if feeding.plainEnd <= index {
      feeding.plainEnd = bytes.plainOutput(from: index, to: bytes.count).end
    }
    feeding.scannedEnd = feeding.plainEnd
    guard let place = lastLineEnd(bytes, index, feeding.plainEnd, after: height &+ 2) else {
      return
    }
    takeRenditions(bytes, index, place)
    forgetLinesAbove()
    index = place
    printed.clear()
    column = 0
    isWrapPending = false
  }

  /// Whether a line end or a wrap scrolls whole lines, so that the cursor stays in its row.
  var scrollsLines: Bool { row == region.bottom && region.isFullWidth }

  /// The last line end that has at least `needed` lines after it, and at which the cursor is in the first column.
  ///
  /// - Parameter needed: one more than the number of lines that scroll. The first line determines where a character was
  ///   last printed.
  /// - Returns: where its line feed is; `nil` if there is none after `start`.
  private func lastLineEnd(
    _ bytes: UncheckedBytes, _ start: Int, _ end: Int, after needed: Int
  ) -> Int? {
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

  /// Whether the first thing after a line end, apart from SGR and EL, is a character with a column of its own. Then it
  /// does not matter where the previous character was printed.
  private func printsFirst(_ bytes: UncheckedBytes, _ start: Int, _ end: Int) -> Bool {
    var at = start
    while at < end, bytes[at] == 0x1B {
      let length = bytes.plainSequence(at, end)
      if length == 0 { return false }
      at &+= length
    }
    guard at &+ 4 <= end else { return false }
    return tables.characters.width(tables.characters.decode(bytes.halfWord(at: at)).scalar) > 0
  }

  /// Executes those parts of plain output that set the pen: SGR, from the last one that resets it on.
  private mutating func takeRenditions(_ bytes: UncheckedBytes, _ start: Int, _ end: Int) {
    // Do not assign a number to a style that nothing is printed with.
    setStale()
    // If there is no ESC, searching from the end would take longer.
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
      // A special pen is left to the parser.
      if isRendition, !feeding.isPlain || takePlainSequence(bytes, at) == 0 {
        _ = run(bytes.upTo(next), from: at)
      }
      at = bytes.nextEscape(from: next)
    }
  }
}
