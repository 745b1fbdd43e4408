/// Lines with lost cells: characters whose width terminals do not agree on, and what follows them.
///
/// What the program wrote there cannot be painted again, so it has to stay where the terminal has it, and how long such
/// a line is in the terminal is not exactly known.
extension ReflowGrid {
  /// Where lost cells end in doubt.
  enum Doubt {
    /// Before the line that has this origin.
    case before(Int)
    /// Nowhere.
    case all
  }

  /// Whether any line has lost cells.
  var hasLost: Bool { lines.contains { $0.hasLost } }

  /// The lines as long as in the terminal, which counts cells as written where the HUD has been.
  func lengthened() -> ReflowGrid {
    var result = self
    for index in lines.indices where lines[index].cells.count < lines[index].reach {
      let count = lines[index].reach - lines[index].cells.count
      let blank = lines[index].hasLost ? Cell.unknown : lines[index].blank
      result.lines[index].cells.append(contentsOf: repeatElement(blank, count: count))
    }
    for index in result.lines.indices where result.lines[index].slack > 0 {
      let line = result.lines[index]
      result.lines[index].slack = min(line.slack, max(0, line.cells.count - line.reach))
    }
    return result
  }

  /// The lines as long as in the terminal, but with the program's cells in place of those of the HUD.
  func uncovered(by program: ReflowGrid) -> ReflowGrid {
    var result = self
    let above = lines.count - size.rows
    for (index, line) in lines.enumerated() {
      for (column, cell) in line.cells.enumerated() where cell == ReflowGrid.covered {
        // What was under the HUD in a line above the screen is not kept.
        guard index >= above else {
          result.lines[index].cells[column] = .erased()
          continue
        }
        let beneath = program.lines[program.lines.count - lines.count + index]
        result.lines[index].cells[column] =
          column < beneath.cells.count ? beneath.cells[column] : beneath.blank
      }
    }
    return result
  }

  /// The lines as they are once the known lines of the screen were erased and painted again.
  func asRepainted() -> ReflowGrid {
    var result = self
    var first = lines.count - size.rows
    while first < lines.count {
      var last = first
      while last < lines.count - 1, lines[last].goesOn { last += 1 }
      if !lines[first...last].contains(where: { $0.hasUnknown }) { result.repaint(first...last) }
      first = last + 1
    }
    return result
  }

  /// Erasing a row forgets how long it was, and that it continues. Printing across the margin restores the latter.
  private mutating func repaint(_ line: ClosedRange<Int>) {
    for index in line {
      while lines[index].cells.last == Cell.erased() { lines[index].cells.removeLast() }
    }
    for index in line.dropLast() {
      let isFull = lines[index].cells.count == size.columns
      let isWrapped = isFull && lines[index].cells.last?.isErased == false
      if !isWrapped || lines[index + 1].cells.first?.isErased != false {
        lines[index].goesOn = false
      }
    }
  }

  /// The rows of the screen with lost cells, each with the line to which it belongs.
  ///
  /// - Parameter shift: how many rows go into the history first.
  func lostRows(movedBy shift: Int) -> [LostRow] {
    var result: [LostRow] = []
    var origin: Int?
    var part = 0
    for (index, line) in lines.enumerated() {
      part = line.origin == nil && origin != nil ? part + 1 : 0
      origin = line.origin ?? origin
      let row = index - (lines.count - size.rows) - shift
      if row >= 0, line.hasLost { result.append(LostRow(row: row, origin: origin, part: part)) }
    }
    return result
  }

  struct LostRow: Equatable {
    var row: Int
    var origin: Int?
    var part: Int
  }

  // MARK: Doubt

  /// Which lines may be in another row of the terminal after wrapping them again, because it is not known how many rows
  /// a line takes. The last lines are the screen, so those below are where they should be.
  func doubt(at columns: Int) -> Doubt? {
    var end: Int?
    var most = 0
    var least = 0
    var isEndless = false
    for (index, line) in lines.enumerated() {
      most += line.cells.count
      least += line.cells.count - line.slack
      isEndless = isEndless || line.blank.isLost
      if line.goesOn { continue }
      // In each row, a wide character may be too wide for the last column.
      let longest = most > columns ? most + most / columns : most
      if isEndless || (least < most && max(0, least - 1) / columns != (longest - 1) / columns) {
        end = index + 1
      }
      most = 0
      least = 0
      isEndless = false
    }
    guard let end else { return most > 0 && isEndless ? .all : nil }
    return lines[end...].first { $0.origin != nil }?.origin.map { .before($0) } ?? .all
  }

  /// Forgets the lines that may be in another row of the terminal.
  mutating func loseLines(_ doubt: Doubt, isFull: Bool, cursor: Point) {
    var end = lines.count
    // If there are fewer lines than rows, their number also decides where those below are.
    if case .before(let origin) = doubt, isFull {
      end = lines.firstIndex { $0.origin == origin } ?? end
    }
    for index in 0..<end { lines[index] = Line(blank: .unknown) }
    if cursor.row < end { isCursorDoubtful = true }
  }
}

extension ReflowGrid.Line {
  /// Whether the program has written cells in it that are unknown.
  var hasLost: Bool { blank.isLost || cells.contains { $0.isLost } }

  var hasUnknown: Bool { blank.isUnknown || cells.contains { $0.isUnknown } }

  /// Notes by how much it may be shorter in the terminal: from the first character on whose width is uncertain, all
  /// columns are.
  mutating func noteSlack() {
    guard cells.contains(where: { $0.isLost }) else { return }
    let first = cells.firstIndex { $0.isLost && ($0.isCluster || $0.scalarValue >= 0x1F000) }
    slack = cells.count - (first ?? 0)
  }
}
