/// The lines of a primary screen and the last lines above it. They behave as in a terminal when the size changes.
///
/// xterm cuts lines that are too long, but keeps `Screen.hiddenLimit` hidden columns. If the screen gets lower, rows
/// below the cursor are lost first, then others go into the history. Only xterm knows how many come back when the
/// screen gets taller.
///
/// tmux first changes the height: rows below the cursor are lost, others go into the history or come back from there.
/// Then it changes the width: lines that are too long are split, and lines that continue in the next one are joined
/// with it. The last rows are the screen. A line is as long as it was ever written, even if its end was erased.
///
/// Source: tmux 3.3a, `screen_resize_cursor` in screen.c, `grid_reflow` in grid.c; compared with tmux by
/// `ReflowTmuxTests`. xterm 379, `ScreenResize` in screen.c.
struct ReflowGrid: Sendable, Equatable {
  /// A line of the terminal.
  struct Line: Sendable, Equatable {
    /// The written cells; all cells after them are `blank`.
    var cells: [Cell] = []
    var blank = Cell.erased()
    /// Whether it continues in the next line.
    var goesOn = false
    /// The column up to which the terminal may count cells as written although the program has not written them.
    var reach = 0
    /// The number of the line that begins here, counted from the end before the change of size; `nil` if none begins
    /// here.
    var origin: Int?
    /// By how many columns the line may be shorter in the terminal, because of characters of uncertain width.
    var slack = 0
  }

  /// The lines, oldest first. The last ones, one for each row, are the screen.
  var lines: [Line]
  var size: Size
  /// The cursor, with its row on the screen. Past the last column, a wrap is pending.
  var cursor: Point
  /// Whether the terminal wraps lines again when the width changes (tmux).
  var rewraps = true
  /// The number of forgotten lines above `lines`.
  var forgotten = 0
  /// The number of lines above the screen that come back when it gets taller, as far as is known.
  var returning = 0
  /// Whether there may be unknown lines above the known ones, which may come back.
  var mayHaveMore = false
  var mayTakeMore = false
  /// The number of further rows that may be unknown lines, since the last change of size.
  private(set) var missing = 0
  /// Whether there are fewer lines than rows, so nothing is above the first line.
  private(set) var isShort = false
  private(set) var inserted = 0
  /// The number of lines at the top of the screen that have come back.
  private(set) var returned = 0
  /// The number of lines that were expected to come back.
  private(set) var expected = 0
  /// Whether the row of the cursor depends on the length of lines with characters of uncertain width.
  var isCursorDoubtful = false

  /// Greater than the numbers of all known lines.
  private static let unknownOrigin = 1 << 20

  /// A cell of the HUD.
  static let covered = Cell(raw: UInt64(0xFFFF) << 48 | Cell.Bits.space)

  /// The number of lines above the screen.
  private var above: Int { lines.count - size.rows }

  /// The number of lines above the screen, as far as is known.
  var total: Int { forgotten + above }

  /// Whether any line on the screen is unknown.
  var hasUnseen: Bool { screen.contains { $0.blank.isUnknown } }

  var screen: ArraySlice<Line> { lines.suffix(size.rows) }

  /// Changes the size.
  ///
  /// - Parameter extra: the number of unknown lines that come back; at most what `missing` is without it.
  mutating func resize(to wanted: Size, extra: Int = 0) {
    missing = 0
    expected = 0
    isShort = false
    inserted = 0
    returned = 0
    var cursor = Point(row: above + cursor.row, column: cursor.column)
    var extra = extra
    if wanted.rows < size.rows {
      lowerHeight(wanted.rows)
    } else if wanted.rows > size.rows {
      raiseHeight(wanted.rows, &cursor, &extra)
    }
    if !rewraps {
      cut(wanted.columns)
    } else if wanted.columns != size.columns {
      var place = logicalPlace(of: cursor)
      let doubt = doubt(at: wanted.columns)
      rewrap(wanted.columns)
      let isFull = lines.count >= size.rows
      place.line += fillScreen(&extra)
      cursor = self.place(of: place)
      if let doubt { loseLines(doubt, isFull: isFull, cursor: cursor) }
    }
    let row = cursor.row - above
    self.cursor = row >= 0 ? Point(row: row, column: cursor.column) : Point(row: 0, column: 0)
  }

  /// Moves lines into the history.
  mutating func scroll(_ count: Int) {
    lines.append(contentsOf: repeatElement(Line(), count: count))
    returning += count
  }

  // MARK: Height

  private mutating func lowerHeight(_ rows: Int) {
    let lost = min(size.rows - 1 - cursor.row, size.rows - rows)
    if lost > 0 {
      lines.removeLast(lost)
      if let last = lines.indices.last { lines[last].goesOn = false }
    }
    returning += size.rows - rows - max(0, lost)
    size.rows = rows
  }

  private mutating func raiseHeight(_ rows: Int, _ cursor: inout Point, _ extra: inout Int) {
    let needed = rows - size.rows
    var taken = min(returning, needed)
    if !rewraps {
      expected = taken
      missing = needed
      taken = min(extra, needed)
      extra -= taken
    }
    let known = min(taken, above)
    // These lines have been forgotten.
    insertUnknown(taken - known, &cursor)
    forgotten = max(0, forgotten - (taken - known))
    returning = max(0, returning - taken)
    let lacking = needed - taken
    var more = 0
    if rewraps, mayTakeMore, lacking > 0 {
      more = min(extra, lacking)
      extra -= more
      missing += lacking - more
      insertUnknown(more, &cursor)
    }
    lines.append(contentsOf: repeatElement(Line(), count: lacking - more))
    returned = taken + more
    size.rows = rows
  }

  private mutating func insertUnknown(_ count: Int, _ cursor: inout Point) {
    guard count > 0 else { return }
    for _ in 0..<count {
      inserted += 1
      lines.insert(Line(blank: .unseen, origin: -ReflowGrid.unknownOrigin - inserted), at: 0)
    }
    cursor.row += count
  }

  // MARK: Width

  /// Cuts the lines of the screen, or shows their hidden columns again.
  private mutating func cut(_ columns: Int) {
    let isWider = columns > size.columns
    let limit = Screen.allotted(columns)
    for index in above..<lines.count {
      let blank = lines[index].blank
      if blank.isUnknown {
        // A piece of the HUD may have been there.
        if isWider, index >= above + returned {
          fill(index, to: size.columns)
          lines[index].blank = .erased()
          fill(index, to: min(columns, Screen.allotted(size.columns)))
          lines[index].blank = blank
        }
      } else if blank != .erased() {
        fill(index, to: size.columns)
        lines[index].blank = .erased()
      }
      if lines[index].cells.count > limit {
        lines[index].cells.removeLast(lines[index].cells.count - limit)
        if lines[index].cells.last?.width == 2 { lines[index].cells[limit - 1] = .erased() }
      }
      // The hidden part may contain a piece of the HUD.
      for column in columns..<max(columns, lines[index].cells.count)
      where lines[index].cells[column].isUnknown {
        lines[index].cells[column] = .erased()
      }
      // What xterm shows of a half-hidden wide character is uncertain; the model hides all of it.
      if lines[index].cells.count > columns, lines[index].cells[columns - 1].width == 2 {
        lines[index].cells[columns] = lines[index].cells[columns - 1]
        lines[index].cells[columns - 1] = .unseen
      }
    }
    size.columns = columns
  }

  /// Fills a line with its blank up to a number of cells; a longer line is not changed.
  private mutating func fill(_ index: Int, to count: Int) {
    let lacking = count - lines[index].cells.count
    guard lacking > 0 else { return }
    lines[index].cells.append(contentsOf: repeatElement(lines[index].blank, count: lacking))
  }

  /// A position that wrapping lines again does not change.
  private struct LogicalPlace {
    /// The number of lines before it, not counting those that continue in the next.
    var line: Int
    /// The number of cells from the start of the text; `nil` after its end.
    var offset: Int?
  }

  private func logicalPlace(of cursor: Point) -> LogicalPlace {
    var place = LogicalPlace(line: 0, offset: nil)
    var offset = 0
    for row in 0..<cursor.row {
      if lines[row].goesOn {
        offset += lines[row].cells.count
      } else {
        offset = 0
        place.line += 1
      }
    }
    if cursor.column < lines[cursor.row].cells.count { place.offset = offset + cursor.column }
    return place
  }

  private func place(of place: LogicalPlace) -> Point {
    var row = 0
    var line = 0
    while row < lines.count - 1, line < place.line {
      if !lines[row].goesOn { line += 1 }
      row += 1
    }
    guard var offset = place.offset else {
      while row < lines.count - 1, lines[row].goesOn { row += 1 }
      return Point(row: row, column: lines[row].cells.count)
    }
    while row < lines.count - 1, lines[row].goesOn, offset >= lines[row].cells.count {
      offset -= lines[row].cells.count
      row += 1
    }
    return Point(row: row, column: offset)
  }

  private mutating func rewrap(_ columns: Int) {
    var rewrapping = LineRewrapping(
      lines, columns: columns, oldColumns: size.columns, forgotten: forgotten, returning: returning)
    rewrapping.run()
    lines = rewrapping.target
    size.columns = columns
    returning = min(rewrapping.returning, forgotten + max(0, above))
  }

  /// Joining lines may leave fewer lines than the screen has rows.
  ///
  /// - Returns: the number of lines that were added at the top.
  private mutating func fillScreen(_ extra: inout Int) -> Int {
    let lacking = size.rows - lines.count
    guard lacking > 0 else { return 0 }
    var more = min(forgotten, lacking)
    forgotten -= more
    if mayHaveMore {
      let unknown = min(extra, lacking - more)
      extra -= unknown
      more += unknown
      missing += lacking - more
    }
    var unused = Point(row: 0, column: 0)
    insertUnknown(more, &unused)
    lines.append(contentsOf: repeatElement(Line(), count: lacking - more))
    isShort = more < lacking
    return more
  }
}
