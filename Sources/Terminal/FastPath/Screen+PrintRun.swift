/// Prints runs of ASCII, which is most text.
extension Screen {
  /// Prints a run of 0x20–0x7E.
  ///
  /// - Returns: the number of printed bytes; less than `length` if the next one would move covered cells.
  @inline(__always) mutating func printRun(_ bytes: UncheckedBytes, _ start: Int, _ length: Int)
    -> Int
  {
    guard feeding.isPlain else { return printSlowRun(bytes, start, length) }
    if penState.isStale { refreshPen() }
    if printed.isWide { printed.clear() }
    var done = 0
    while done < length {
      if isWrapPending {
        if feeding.hasStops, wrapWouldMove() { return done }
        wrap()
        // It is uncertain whether the line has wrapped.
        if !feeding.isPlain {
          return done &+ printSlowRun(bytes, start &+ done, length &- done)
        }
      }
      let limit = region.lineEnd(from: column)
      let count = min(limit &- column, length &- done)
      if feeding.hasStops, isUnknownTerminal, cutsUncertainly(row, column, column &+ count) {
        return done
      }
      writeRun(bytes, start &+ done, count)
      done &+= count
      column &+= count
      if column == limit {
        column = limit &- 1
        isWrapPending = true
      }
    }
    if length > 0 {
      printed.isWide = false
      printed.set(Cell(raw: penState.bits | UInt64(bytes[start &+ length &- 1])))
    }
    return done
  }

  @inline(__always) private mutating func writeRun(
    _ bytes: UncheckedBytes, _ start: Int, _ count: Int
  ) {
    let index = lineIndex(row)
    let line = lines[index]
    let used = Int(line.used)
    let end = column &+ count
    if column > used { cells.fill(line.start &+ used, column &- used, with: line.blank) }
    if line.hasWide {
      if hasHalf(line.start, column &+ 1, end) { return writeApart(bytes, start, count) }
      cutWide(index, column, end, isPrinting: true)
    }
    writeCells(bytes, start, count, at: line.start &+ column)
    if end > used { lines[index].used = Int32(truncatingIfNeeded: end) }
    noteChange(row, column, end)
    if frames.redundant.isOn { noteWritten(index, column, end) }
    printed.row = row
    printed.column = end &- 1
  }

  /// Whether these cells may contain one half of a wide character without the other, now or once they are overwritten.
  private func hasHalf(_ start: Int, _ from: Int, _ end: Int) -> Bool {
    for column in from..<max(from, end) {
      let cell = cells[start &+ column]
      guard cell.isRightHalf else { continue }
      if !cell.isContinuation || (sparesHalves && cell.isProtected) { return true }
    }
    return false
  }

  /// Writes the characters one by one: whether xterm writes them as one run depends on how it reads them.
  private mutating func writeApart(_ bytes: UncheckedBytes, _ start: Int, _ count: Int) {
    for offset in 0..<count {
      let column = column + offset
      let index = prepare(row, column, column + 1, isPrinting: true)
      cells[lines[index].start + column] = Cell(raw: penState.bits | UInt64(bytes[start + offset]))
    }
    noteChange(row, column, column + count)
    printed.row = row
    printed.column = column + count - 1
    if frames.redundant.isOn { noteWritten(lineIndex(row), column, column + count) }
  }

  /// Turns bytes of ASCII into cells, in blocks of eight.
  @inline(__always) private func writeCells(
    _ bytes: UncheckedBytes, _ start: Int, _ count: Int, at target: Int
  ) {
    let bits = penState.bits
    var offset = 0
    guard start &+ count &+ 7 < bytes.count else {
      while offset < count {
        cells[target &+ offset] = Cell(raw: bits | UInt64(bytes[start &+ offset]))
        offset &+= 1
      }
      return
    }
    while offset &+ 8 <= count {
      cells.store(bytes.word(at: start &+ offset), bits, at: target &+ offset)
      offset &+= 8
    }
    if offset == count { return }
    cells.store(
      bytes.word(at: start &+ offset), bits, at: target &+ offset, first: count &- offset)
  }

  private mutating func printSlowRun(_ bytes: UncheckedBytes, _ start: Int, _ length: Int) -> Int {
    for offset in 0..<length {
      let scalar = UInt32(bytes[start + offset])
      if feeding.hasStops, characterWouldMove(scalar) { return offset }
      print(scalar)
      if feeding.isPlain {
        // Only the first character was special; the rest can take the fast path.
        return offset + 1 + printRun(bytes, start + offset + 1, length - offset - 1)
      }
    }
    return length
  }
}
