/// Moves left: CUB and BS, over the start of a line with reverse wrap, and in some terminals without it.
extension Screen {
  /// BS.
  mutating func backspace() {
    let wasPending = isWrapPending
    if isPastLineEnd {
      isWrapPending = false
      return
    }
    let mayGoBack = backspaceMayGoBack
    moveLeft(1)
    if mayGoBack { loseCursor() }
    if wasPending, isUnknownTerminal { loseColumn(by: 1) }
  }

  /// CUB: stops at the left margin, unless it starts to its left.
  mutating func moveLeft(_ count: Int) {
    let mayGoAround = mayGoAround(count)
    if options.quirks.contains(.reverseWrapsAnywhere),
      modes.isSuperset(of: [.reverseWrap, .autowrap])
    {
      moveLeftAround(count)
    } else {
      // From past the line end the first step leads to the last column.
      let count = isPastLineEnd ? count - 1 : count
      column = max(column - count, column < region.left ? 0 : region.left)
      isWrapPending = false
    }
    if mayGoAround { loseCursor() }
  }

  /// CUB and BS with reverse wrap, as xterm 379 counts: from the left margin to the previous line, and from the top to
  /// the bottom. A pending wrap counts as one step.
  private mutating func moveLeftAround(_ count: Int) {
    let first = column < region.left ? 0 : region.left
    let before = column
    var target = column - (isWrapPending ? count - 1 : count)
    isWrapPending = false
    guard target < first else {
      column = target
      return
    }
    let width = region.right - first + 1
    target += width * row - first
    if before == first, before >= region.left, before <= region.right, row == region.top {
      target = (region.bottom + 1) * width - 1
    } else if target < 0 {
      target += (-target / (width * rows) + 1) * width * rows
    }
    row = min(target / width, rows - 1)
    column = target % width + first
  }

  /// Whether xterm counts to the row below the last one: after a whole number of screens.
  private func leadsOff(_ count: Int) -> Bool {
    let first = column < region.left ? 0 : region.left
    let isAtTop = column == first && region.containsColumn(column) && row == region.top
    let target = column - (isWrapPending ? count - 1 : count)
    guard target < first, !isAtTop else { return false }
    let width = region.right - first + 1
    let offset = target + width * row - first
    return offset < 0 && -offset % (width * rows) == 0
  }

  /// Whether moving left by `count` columns with CUB or BS and reverse wrap leads to an unknown position, because
  /// terminals differ in the line.
  func mayGoAround(_ count: Int) -> Bool {
    let reverse: ProgramModes = [.reverseWrap, .extendedReverseWrap]
    guard modes.contains(.autowrap), !modes.isDisjoint(with: reverse) else { return false }
    if isColumnUncertain { return true }
    if options.quirks.contains(.reverseWrapsAnywhere) {
      return modes.contains(.reverseWrap) && leadsOff(count)
    }
    return isWrapPending || column - count < (column < region.left ? 0 : region.left)
  }

  /// Whether BS leads to the previous line, or may do so. screen and foot go there from the first column without being
  /// asked to, and tmux does if it considers that line to continue in this one.
  var backspaceMayGoBack: Bool {
    if mayGoAround(1) { return true }
    guard !options.quirks.contains(.isXterm), row > 0, !isPastLineEnd else { return false }
    guard column <= region.left || isColumnUncertain else { return false }
    if options.quirks.contains(.backspaceFollowsWrap) { return lines[lineIndex(row - 1)].mayGoOn }
    return modes.contains(.autowrap)
  }
}
