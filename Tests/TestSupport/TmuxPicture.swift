/// A part of a screen, in cells from 0.
public struct CellRect: Sendable {
  public var rows: Range<Int>
  public var columns: Range<Int>

  public init(rows: Range<Int>, columns: Range<Int>) {
    self.rows = rows
    self.columns = columns
  }

  public func contains(row: Int, column: Int) -> Bool {
    rows.contains(row) && columns.contains(column)
  }
}

/// All that tmux knows about the terminal of its program.
public struct TmuxPicture: Equatable, Sendable {
  /// The screen, a row a line, with SGR sequences and the blanks at its end.
  public let screen: [String]
  /// What was scrolled out, in the same form.
  public let history: [String]
  /// The first screen while the second shows.
  public let saved: [String]
  /// History and screen with wrapped lines joined, without blanks at the end.
  public let joined: [String]
  /// `name=value` of cursor, modes, region, tabs and title.
  public let facts: [String]

  /// The variables of `tmux(1)`, section FORMATS, that say how a terminal stands.
  static let names = [
    "pane_width", "pane_height", "cursor_x", "cursor_y", "cursor_flag", "insert_flag", "wrap_flag",
    "origin_flag", "alternate_on", "alternate_saved_x", "alternate_saved_y", "scroll_region_upper",
    "scroll_region_lower", "keypad_flag", "keypad_cursor_flag", "mouse_any_flag", "mouse_all_flag",
    "mouse_button_flag", "mouse_sgr_flag", "mouse_standard_flag", "mouse_utf8_flag", "pane_tabs",
    "pane_title", "history_size",
  ]

  /// - Parameter parts: what the four commands of ``Tmux/picture()`` have printed.
  init(_ parts: [[String]]) {
    facts = parts[1][0].split(separator: "¦", omittingEmptySubsequences: false).map(String.init)
    let rows = Int(facts[1].split(separator: "=").last ?? "") ?? 0
    screen = parts[0].suffix(rows)
    history = parts[0].dropLast(rows)
    joined = parts[2].map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
    saved = parts[3]
  }

  /// The first difference from a picture that was to be the same, with both sides; `nil` if there is
  /// none.
  ///
  /// - Parameters:
  ///   - covered: cells of the screen that may differ.
  ///   - withHistory: whether what was scrolled out is compared.
  public func difference(
    from expected: TmuxPicture, covered: CellRect?, withHistory: Bool = true
  ) -> String? {
    if self == expected { return nil }
    // An attribute lasts from the history into the screen, in the one text that tmux prints.
    let screens = (
      Grid.parse(screen, after: history), Grid.parse(expected.screen, after: expected.history)
    )
    if let text = difference("row", screen, expected.screen, covered, cells: screens) {
      return text
    }
    if let text = difference("row of the first screen", saved, expected.saved, nil) { return text }
    let skipped = withHistory ? [] : ["history_size"]
    for (mine, theirs) in zip(facts, expected.facts) where mine != theirs {
      if skipped.contains(where: { mine.hasPrefix($0) }) { continue }
      return "\(theirs) has become \(mine)"
    }
    guard withHistory else { return nil }
    if let text = difference("row of the history", history, expected.history, nil) { return text }
    // A covered row may wrap where the one beneath does not.
    guard covered == nil, joined != expected.joined else { return nil }
    for (index, (mine, theirs)) in zip(joined, expected.joined).enumerated() where mine != theirs {
      return "line \(index), its rows joined, differs\n- \(theirs)\n+ \(mine)"
    }
    return "\(expected.joined.count) joined lines have become \(joined.count)"
  }

  private func difference(
    _ what: String, _ mine: [String], _ theirs: [String], _ covered: CellRect?,
    cells parsed: ([[GridCell]], [[GridCell]])? = nil
  ) -> String? {
    if mine == theirs { return nil }
    guard mine.count == theirs.count else {
      return "\(theirs.count) rows have become \(mine.count) (\(what))"
    }
    let (cells, expected) = parsed ?? (Grid.parse(mine), Grid.parse(theirs))
    for row in cells.indices {
      for column in 0..<max(cells[row].count, expected[row].count) {
        if covered?.contains(row: row, column: column) == true { continue }
        let cell = column < cells[row].count ? cells[row][column] : .blank
        let old = column < expected[row].count ? expected[row][column] : .blank
        if cell == old { continue }
        // tmux prints a row up to the last cell that was written: of cells beyond, which an erase has
        // given a ground, nothing is known.
        let isPrinted = column < min(cells[row].count, expected[row].count)
        if !isPrinted, cell.text == " ", old.text == " " { continue }
        return """
          \(what) \(row) differs at column \(column): \
          '\(old.text)' (\(old.style)) has become '\(cell.text)' (\(cell.style))
          - \(quote(theirs[row].utf8))
          + \(quote(mine[row].utf8))
          """
      }
    }
    return nil
  }

  /// All of it as text, to look at.
  public var text: String {
    """
    \(facts.joined(separator: "\n"))
    --- screen
    \(screen.map { quote($0.utf8) }.joined(separator: "\n"))
    --- first screen
    \(saved.map { quote($0.utf8) }.joined(separator: "\n"))
    --- history
    \(history.map { quote($0.utf8) }.joined(separator: "\n"))

    """
  }
}

extension Tmux {
  /// Reads all that tmux knows about the terminal, at one moment.
  public func picture() throws(ToolError) -> TmuxPicture {
    let facts = TmuxPicture.names.map { "\($0)=#{\($0)}" }.joined(separator: "¦")
    let printed = try ask([
      ["capture-pane", "-p", "-e", "-N", "-t", "test", "-S", "-"],
      ["display-message", "-p", "-t", "test", facts],
      ["capture-pane", "-p", "-J", "-t", "test", "-S", "-"],
      ["capture-pane", "-p", "-e", "-N", "-a", "-q", "-t", "test"],
    ])
    // Who waits for a picture asks again and again.
    if let last = lastPicture, zip(last.printed, printed).allSatisfy({ $0.isSame(as: $1) }) {
      return last.picture
    }
    guard printed.count == 4, printed[1].lines.count == 1 else {
      throw ToolError("tmux printed no facts: \(printed)")
    }
    let picture = TmuxPicture(printed.map(\.lines))
    lastPicture = (printed, picture)
    return picture
  }

  /// Types the bytes as they are.
  public func type(_ bytes: [UInt8]) throws(ToolError) {
    // `-H` takes ASCII alone, and `-l` whole characters.
    var rest = bytes[...]
    while let first = rest.first {
      let part = rest.prefix { ($0 < 0x80) == (first < 0x80) }
      if first < 0x80 {
        let digits = part.map { String($0, radix: 16) }
        _ = try ask([["send-keys", "-t", "test", "-H"] + digits])
      } else {
        try sendText(String(decoding: part, as: UTF8.self))
      }
      rest = rest.dropFirst(part.count)
    }
  }
}
