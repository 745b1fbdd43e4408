import Base
import Metrics
import Terminal

// The window of the list: its edge, its rows, its prompt.

/// Where the rows lie in the window of a list.
func logInner(_ size: Size) -> Rect {
  Rect(row: 1, column: 1, rows: max(0, size.rows - 2), columns: max(0, size.columns - 2))
}

/// Draws the log with its edge, which is thick while the keys go to it.
func drawLog(_ canvas: inout Canvas, _ list: inout ListView, _ focus: KeyFocus, _ scene: Scene) {
  let size = canvas.grid.size
  guard size.rows >= 2, size.columns >= 4 else { return }
  let isFocused = focus.isInLog
  let role: Role = isFocused ? .mark : scene.isOverlay ? .edge : .frame
  drawFrame(&canvas, Rect(size), role: role, isHeavy: isFocused, scene)
  let title = Rect(row: 0, column: 2, rows: 1, columns: size.columns - 4)
  drawInset(&canvas, title, scene.state.page.title.text(scene.language), .title)

  let inner = logInner(size)
  guard scene.state.page != .frames else {
    canvas.clip = inner
    drawFrameTimes(&canvas, inner, scene)
    canvas.clip = Rect(size)
    return
  }
  let rows = PageRows(scene.run, scene.state, columns: inner.columns - 1)
  list.update(count: rows.count, height: inner.rows, rows: rows.pieces)
  canvas.clip = inner
  drawList(&canvas, inner, list, isFocused: isFocused, rows: rows.pieces, scene)
  if list.shownCount == 0 {
    canvas.text(
      (scene.state.page == .alerts ? Word.alertNone : .logEmpty).text(scene.language),
      row: inner.row, column: inner.column + 1, role: .dim)
  }
  canvas.clip = Rect(size)
  let foot = Rect(row: size.rows - 1, column: 2, rows: 1, columns: size.columns - 4)
  drawListFoot(&canvas, foot, list, isFocused: isFocused, scene)
}

/// The rows of a list that are seen, the selected one marked, matches of the search in reverse video.
func drawList(
  _ canvas: inout Canvas, _ frame: Rect, _ list: ListView, isFocused: Bool, rows: ListView.Rows,
  _ scene: Scene
) {
  var line = frame.row
  for row in list.visible {
    guard line < frame.endRow else { return }
    if isFocused, row == list.selectedRow {
      canvas.put(">", row: line, column: frame.column, role: .mark)
    }
    drawPieces(&canvas, line, frame.column + 1, frame.endColumn, rows(row), list.pattern, scene)
    line += 1
  }
}

private func drawPieces(
  _ canvas: inout Canvas, _ row: Int, _ start: Int, _ end: Int, _ pieces: [TextPiece],
  _ pattern: String, _ scene: Scene
) {
  let text = SafeText.clean(ListView.text(pieces))
  let matches = pattern.isEmpty ? [] : ListView.matches(of: pattern, in: text)
  let roles = pieces.flatMap { Array(repeating: $0.role, count: $0.text.unicodeScalars.count) }
  var column = start
  for (index, scalar) in text.unicodeScalars.enumerated() {
    let width = CharacterWidth.of(scalar)
    if column + width > end {
      canvas.put(scene.glyph("…", "~"), row: row, column: min(column, end - 1), role: .dim)
      return
    }
    let isMatch = matches.contains { $0.contains(index) }
    let role = isMatch ? .notice : index < roles.count ? roles[index] : .text
    column = canvas.text(String(scalar), row: row, column: column, role: role)
  }
}

/// In the lower edge: what is being typed, else the keys, else how many rows a filter leaves.
private func drawListFoot(
  _ canvas: inout Canvas, _ inner: Rect, _ list: ListView, isFocused: Bool, _ scene: Scene
) {
  var text = ""
  var role = Role.dim
  if let prompt = list.prompt {
    let word: Word = prompt.isFilter ? .filterPrompt : .searchPrompt
    text = " \(word.text(scene.language))\(prompt.text)_ "
    role = .text
    // The end of what is typed is what has to be seen.
    while Canvas.columns(of: text) > inner.columns, !text.isEmpty {
      text.unicodeScalars.removeFirst()
    }
  } else if !list.filter.isEmpty {
    text = " & \(SafeText.clean(list.filter)): \(list.shownCount) "
  } else if isFocused {
    text = " \(Word.logHint.text(scene.language)) "
    if Canvas.columns(of: text) > inner.columns {
      text = " \(Word.backHint.text(scene.language)) "
    }
  }
  guard !text.isEmpty else { return }
  canvas.text(
    text, row: inner.row, column: inner.column, width: inner.columns, role: role,
    ellipsis: scene.glyph("…", "~"))
}
