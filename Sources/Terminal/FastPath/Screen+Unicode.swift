/// Prints runs of characters beyond ASCII.
extension Screen {
  /// Prints characters as long as they are complete, have one or two columns of their own and fit in the line,
  /// including ASCII between them. `print` does the wrap.
  ///
  /// It has the same effect as calling `print` for each of them, and leaves special cases to `print`: a character that
  /// is incomplete, malformed, combining (except a common accent), or of uncertain width, and one that may cut a wide
  /// character. The caller makes sure that printing is plain and the parser at ground.
  ///
  /// - Returns: the number of bytes taken; 0 if the first character is a special case.
  mutating func printUnicodeRun(_ bytes: UncheckedBytes, _ start: Int) -> Int {
    guard !isWrapPending, characterSets[characterSets.right] == .ascii else { return 0 }
    let first = column
    let index = lineIndex(row)
    let line = lines[index]
    let used = Int(line.used)
    // What remains of a cut wide character is a case for `print` too.
    guard first >= used || !line.hasWide else { return combineAccent(bytes, start) }
    if penState.isStale { refreshPen() }
    if first > used { cells.fill(line.start &+ used, first &- used, with: line.blank) }
    let limit = region.lineEnd(from: column)
    let bits = penState.bits & ~(3 << 21)
    let halfMask = Cell.Bits.unknown | Cell.Bits.protected | 0xFFFF_FFFF_0000_0000
    let addsUp = options.quirks.contains(.widthsAddUp)
    let joins = !isUnknownTerminal || options.quirks.contains(.joinsBefore)
    var next = start
    var place = first
    var last: UInt64 = 0
    var all: UInt64 = 0
    var saved = Cell.clear
    var asciiLength = 0
    // The kind of the next character cannot be predicted, so no branch depends on its length and width.
    while place &+ 2 <= limit, next &+ 4 <= bytes.count {
      let word = bytes.halfWord(at: next)
      let (scalar, length) = tables.characters.decode(word)
      // Longer runs of ASCII have a faster path.
      asciiLength = length == 1 ? asciiLength &+ 1 : 0
      let width = tables.characters.width(scalar)
      if width == 0 {
        // An accent joins the previous character if the two have been seen together before.
        guard joins, !isUnknownTerminal || Cell(raw: last).width < 2,
          let cluster = knownCluster(last, scalar)
        else { break }
        last = cluster
        cells[line.start &+ place &- Cell(raw: last).width] = Cell(raw: last)
        next &+= length
        continue
      }
      if asciiLength > Screen.asciiInUnicode { break }
      if !addsUp, scalar &- 0x1F1E6 < 26 || scalar &- 0x1F3FB < 5 { break }
      last = bits | UInt64(scalar) | UInt64(width) << 21
      all |= last
      let target = line.start &+ place
      saved = cells[target &+ 1]
      cells[target] = Cell(raw: last)
      // For a narrow character this is the position of the next one.
      cells[target &+ 1] = Cell(raw: last & halfMask | Cell.Bits.continuation)
      place &+= width
      next &+= length
    }
    guard place > first else { return combineAccent(bytes, start) }
    let lastWidth = Cell(raw: last).width
    if lastWidth == 1 { cells[line.start &+ place] = saved }
    if place > used { lines[index].used = Int32(truncatingIfNeeded: place) }
    if all & 2 << 21 != 0 { lines[index].hasWide = true }
    noteChange(row, first, place)
    if frames.redundant.isOn { noteWritten(index, first, place) }
    printed.set(Cell(raw: last))
    printed.row = row
    printed.column = place &- lastWidth
    printed.isWide = lastWidth == 2
    column = place
    if place == limit {
      column = limit &- 1
      isWrapPending = true
    }
    // A run often ends because of an accent.
    return next &- start &+ combineAccent(bytes, next)
  }

  /// A cell combined with a common accent, as `combine` makes it; `nil` if there is no cell, or the cluster has no
  /// number yet.
  @inline(__always) private func knownCluster(_ cell: UInt64, _ scalar: UInt32) -> UInt64? {
    guard scalar &- 0x300 < 0x70, cell != 0 else { return nil }
    let base = Cell(raw: cell)
    let link = ClusterLink(base: base.scalarValue, isCluster: base.isCluster, scalar: scalar)
    guard let number = tables.clusters.known(link) else { return nil }
    return cell & ~0x1F_FFFF | UInt64(number) | Cell.Bits.cluster
  }

  /// Combines a common accent (U+0300–U+036F) with the character before the cursor. No terminal gives such an accent a
  /// column of its own.
  private mutating func combineAccent(_ bytes: UncheckedBytes, _ start: Int) -> Int {
    let (scalar, length) = bytes.wholeScalar(at: start)
    guard length == 2, scalar &- 0x300 < 0x70, !combinesWithBefore(scalar), !combinesUncertainly
    else { return 0 }
    combine(scalar)
    return length
  }

  /// A run of ASCII up to this length is printed here.
  private static let asciiInUnicode = 12
}

extension UncheckedBytes {
  /// The printable character at `index` and its number of bytes; 0 if it is incomplete, malformed, or a control
  /// character of ASCII.
  @inline(__always) func wholeScalar(at index: Int) -> (scalar: UInt32, length: Int) {
    guard index < count else { return (0, 0) }
    let first = UInt32(self[index])
    if first < 0x80 { return (first, first &- 0x20 < 0x5F ? 1 : 0) }
    guard index &+ 1 < count, first >= 0xC2 else { return (0, 0) }
    let second = UInt32(self[index &+ 1]) ^ 0x80
    guard second < 0x40 else { return (0, 0) }
    if first < 0xE0 { return ((first & 0x1F) << 6 | second, 2) }
    guard index &+ 2 < count else { return (0, 0) }
    let third = UInt32(self[index &+ 2]) ^ 0x80
    guard third < 0x40 else { return (0, 0) }
    if first < 0xF0 {
      let scalar = (first & 0x0F) << 12 | second << 6 | third
      return (scalar, scalar < 0x800 ? 0 : 3)
    }
    guard index &+ 3 < count, first < 0xF5 else { return (0, 0) }
    let fourth = UInt32(self[index &+ 3]) ^ 0x80
    guard fourth < 0x40 else { return (0, 0) }
    let scalar = (first & 0x07) << 18 | second << 12 | third << 6 | fourth
    return (scalar, scalar &- 0x1_0000 < 0x10_0000 ? 4 : 0)
  }
}
