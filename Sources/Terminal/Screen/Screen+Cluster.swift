/// Characters without a column of their own, which join another character to form a cluster.
extension Screen {
  /// The greatest number of scalars in a cluster; with more, the cell becomes unknown.
  static let clusterLimit = 8

  /// Adds a character without a column to the one before the cursor.
  mutating func combine(_ scalar: UInt32) {
    if penState.isStale { refreshPen() }
    var target = isWrapPending ? column : column - 1
    // If nothing is to its left, we do not know where the terminal puts it.
    guard target >= 0 else {
      makeUnknown(row, 0, min(2, columns))
      return
    }
    if cell(row: row, column: target).isContinuation, target > 0 { target -= 1 }
    if combinesUncertainly { return noteUncertainAccent(target, scalar) }
    if isUnknownTerminal, isWrapPending, !modes.contains(.autowrap) {
      // Some terminals add it to the cell before the last column, where the cursor stays.
      makeUnknown(row, max(0, column - 2), column + 1)
    }
    if cutsAsTmux, cell(row: row, column: target).isRightHalf {
      // tmux looks further to the left for a character to join.
      loseLeft(lineIndex(row), target, columns)
    }
    if options.quirks.contains(.isXterm), row != printed.row || target != printed.column {
      // xterm adds it to the character that it wrote last, or if the cursor has moved since, to the one under the
      // cursor. Which of the two is unknown here.
      makeUnknown(row, column, column + 1)
      let isThere = printed.row < rows && printed.column < columns
      // To its right half, if that was a wide one.
      if isThere { makeUnknown(printed.row, printed.column, min(columns, printed.column + 2)) }
      printed.clear()
    }
    let old = cell(row: row, column: target)
    let width = max(1, old.width)
    // Beside it nothing is cut.
    var line = lineIndex(row)
    if target + width > Int(lines[line].used) { line = prepare(row, target, target + width) }
    let start = lines[line].start + target
    noteChange(row, target, target + width)
    // The character was counted without its accent.
    if frames.redundant.isOn, row == printed.row, target == printed.column {
      noteWritten(line, target, target + width, -1)
    }
    // xterm adds it to the last written cell, others to the one before the cursor.
    var cell = lastPrinted.isClear ? old.unknown : old
    if let number = clusterNumber(of: cell, with: scalar) {
      cell = Cell(
        raw: (cell.raw & ~(0x1F_FFFF | Cell.Bits.erased)) | UInt64(number) | Cell.Bits.cluster)
    } else {
      cell = cell.unknown
    }
    cells[start] = cell
    if !lastPrinted.isClear {
      printed.replace(by: cell)
    }
    if width == 2 { restoreContinuation(start + 1, of: cell) }
    if frames.redundant.isOn { noteWritten(line, target, target + width) }
    if !options.quirks.contains(.widthsAddUp), Screen.changesWidth(scalar) {
      // For a joiner or an emoji selector, terminals differ in the columns that follow.
      loseColumn(by: 1)
      let end = column + (isWrapPending ? 1 : 0)
      loseText(row, target, writtenTo: end + certainty.columnExcess)
    }
  }

  private func restoreContinuation(_ place: Int, of cell: Cell) {
    let kept = cell.raw & (Cell.Bits.unknown | Cell.Bits.protected | 0xFFFF_FFFF_0000_0000)
    cells[place] = Cell(raw: kept | Cell.Bits.continuation)
  }

  private mutating func clusterNumber(of cell: Cell, with scalar: UInt32) -> UInt16? {
    if cell.isCluster {
      var length = 2
      var link = tables.clusters[UInt16(truncatingIfNeeded: cell.scalarValue)]
      while link.followsCluster {
        length += 1
        link = tables.clusters[UInt16(truncatingIfNeeded: link.base)]
      }
      if length >= Screen.clusterLimit { return nil }
    }
    let link = ClusterLink(base: cell.scalarValue, isCluster: cell.isCluster, scalar: scalar)
    if let number = tables.clusters.number(of: link) { return number }
    guard tables.clusters.beginCollection() else { return nil }
    if cell.isCluster { markCluster(UInt16(truncatingIfNeeded: cell.scalarValue)) }
    forEachCell { screen, cell in
      if cell.isCluster { screen.markCluster(UInt16(truncatingIfNeeded: cell.scalarValue)) }
    }
    tables.clusters.endCollection()
    return tables.clusters.number(of: link)
  }

  private func markCluster(_ first: UInt16) {
    var number = first
    while !tables.clusters.isMarked(number) {
      tables.clusters.mark(number)
      guard tables.clusters[number].followsCluster else { return }
      number = UInt16(truncatingIfNeeded: tables.clusters[number].base)
    }
  }
}
