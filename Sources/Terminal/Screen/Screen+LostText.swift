/// How far lines with lost cells are written in a terminal that wraps its lines again: lost cells fill the line of the
/// model, but not that of the terminal.
extension Screen {
  /// The column from which on nothing is written in a line.
  func writtenEnd(_ index: Int) -> Int {
    let line = lines[index]
    var end = Int(line.used)
    guard line.bound > 0 else { return line.blank.isLost ? columns : end }
    while end > line.bound, case let cell = cells[line.start + end - 1], cell.isErased, cell.isLost
    {
      end -= 1
    }
    return max(end, min(Int(line.bound), columns))
  }

  /// Makes a row unknown from a column on, where text of uncertain width has come.
  ///
  /// - Parameter end: the column from which on this text cannot have written anything.
  mutating func loseText(_ row: Int, _ from: Int, writtenTo end: Int) {
    let index = lineIndex(row)
    guard rewraps else { return makeUnknown(row, from, columns) }
    let bound = max(writtenEnd(index), min(end, columns))
    makeUnknown(row, from, columns)
    lines[index].bound = Int32(bound)
  }

  /// The rows of the screen that belong to the same line, if the terminal wraps lines again.
  func rows(ofLineIn row: Int) -> Range<Int> {
    guard rewraps else { return row..<row + 1 }
    var first = row
    var end = row + 1
    while first > 0, lines[lineIndex(first - 1)].goesOn { first -= 1 }
    while end < rows, lines[lineIndex(end - 1)].goesOn { end += 1 }
    return first..<end
  }

  /// Makes a line with lost cells as short as it is in the terminal, since what follows them is erased now.
  mutating func forgetBlanks(_ index: Int, after column: Int) {
    guard lines[index].bound > 0 else { return }
    let end = min(Int(lines[index].used), writtenEnd(index))
    guard column <= end else { return }
    lines[index].used = Int32(end)
    lines[index].blank = .erased()
  }
}
