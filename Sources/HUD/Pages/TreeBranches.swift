import Terminal

// The lines of a tree of processes, from the parents to their children.

extension PageRows {
  /// Draws the lines of the tree above the last line of a row: those to the process and those that pass it.
  func drawBranches(
    _ canvas: inout Canvas, _ area: Rect, of entry: ProcessListing.Entry, isSelected: Bool
  ) {
    let shown = processColumns
    let start = shown.beforeCPU + shown.valueWidth + shown.threadColumns + shown.timeColumns
    var depth = 1
    while depth <= min(entry.depth, branchRoom(after: start)) {
      if depth == entry.depth || entry.hasBranch(depth) {
        let column = area.column + start + branchWidth * (depth - 1)
        var row = area.row
        while row < area.endRow - 1 {
          canvas.put(
            context.glyph("│", "|"), row: row, column: column,
            role: isSelected ? .notice : .dim)
          row += 1
        }
      }
      depth += 1
    }
  }

  /// How many lines of the tree, with a blank each in a wide list, have room after some columns.
  private func branchRoom(after start: Int) -> Int {
    max(1, ((columns - start) / 2 - leastProcessName - 1) / branchWidth)
  }

  private var branchWidth: Int { columns < 48 ? 1 : 2 }

  /// Appends the lines from the parents to a child.
  func writeBranches(of entry: ProcessListing.Entry, to line: inout ListRow) {
    guard entry.depth > 0 else { return }
    // A narrow list needs its room for names. The name never touches a line.
    let width = branchWidth
    let room = branchRoom(after: line.columns)
    // A row without room for its own branch continues the lines that pass it, up to a mark if the list is wide.
    let hasMark = entry.depth > room && width > 1
    for depth in 1..<max(1, min(entry.depth, hasMark ? room : room + 1)) {
      line.append(entry.hasBranch(depth) ? context.glyph("│", "|") : " ", .dim)
      if width > 1 { line.append(" ", .dim) }
    }
    if hasMark {
      line.append(context.ellipsis, .dim)
      line.append(" ", .dim)
    }
    guard entry.depth <= room else {
      if !hasMark { line.append(" ", .dim) }
      return
    }
    line.append(
      entry.isLast ? context.glyph("└", "`") : context.glyph("├", "|"), .dim)
    if width > 1 { line.append(context.glyph("─", "-"), .dim) }
    line.append(" ", .dim)
  }
}
