import Base
import Metrics
import Terminal

// The window of the list: its edge, its rows, its prompt.

/// Where the rows lie in the window of a list: in a pane below its heading, over a program in a frame.
func logInner(_ size: Size, _ family: HUDFamily) -> Rect {
  guard family == .overlay else {
    return Rect(row: 1, column: 0, rows: max(0, size.rows - 1), columns: size.columns)
  }
  return Rect(row: 1, column: 1, rows: max(0, size.rows - 2), columns: max(0, size.columns - 2))
}

/// Draws the list with its heading, or its frame, which is thick while the keys go to it.
func drawLog(_ canvas: inout Canvas, _ list: inout ListView, _ focus: KeyFocus, _ scene: Scene) {
  let size = canvas.grid.size
  guard size.rows >= 2, size.columns >= 4 else { return }
  let isFocused = focus.isInLog
  if scene.isOverlay {
    drawFrame(
      &canvas, Rect(size), role: isFocused ? .mark : .edge, isHeavy: isFocused, scene)
  } else {
    drawHeadingLine(&canvas, isFocused: isFocused, scene)
  }
  let name = scene.state.page.title.text(scene.language)
  let title = Rect(row: 0, column: 2, rows: 1, columns: size.columns - 4)
  drawInset(&canvas, title, name, .title)
  drawPageNotes(&canvas, title, scene)

  let inner = logInner(size, scene.state.family)
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
    // Where nothing can come, the reason stands in its place.
    let word: Word =
      switch scene.state.page {
      case .log, .phases, .actions: scene.run.hearing.word ?? .logEmpty
      case .alerts: .alertNone
      case .processes, .threads: scene.run.header.isCgroup ? .absentUnsupported : .logEmpty
      case .frames, .slow: .logEmpty
      }
    canvas.text(word.text(scene.language), row: inner.row, column: inner.column + 1, role: .dim)
  }
  canvas.clip = Rect(size)
  guard !scene.isOverlay else {
    let foot = Rect(row: size.rows - 1, column: 2, rows: 1, columns: size.columns - 4)
    drawListFoot(&canvas, foot, list, isFocused: isFocused, scene)
    return
  }
  // A pane has its keys in its last row: here stands what is typed, and what a filter leaves.
  guard list.prompt != nil || !list.filter.isEmpty else { return }
  let left = title.column + Canvas.width(name) + 2
  let foot = Rect(row: 0, column: left, rows: 1, columns: size.columns - left - 1)
  drawListFoot(&canvas, foot, list, isFocused: isFocused, scene)
}

/// Behind the title of a list: how it is sorted.
private func drawPageNotes(_ canvas: inout Canvas, _ title: Rect, _ scene: Scene) {
  var column = title.column + Canvas.width(scene.state.page.title.text(scene.language))
  for word in scene.state.pageNotes {
    let text = word.text(scene.language)
    guard column + 3 + Canvas.width(text) < title.endColumn else { return }
    canvas.text(scene.state.isASCII ? " - " : " · ", row: title.row, column: column, role: .dim)
    column = canvas.text(text, row: title.row, column: column + 3, role: .dim)
    canvas.put(" ", row: title.row, column: column)
  }
}

/// The line across a pane in which the name of a list stands.
private func drawHeadingLine(_ canvas: inout Canvas, isFocused: Bool, _ scene: Scene) {
  let line = isFocused ? scene.glyph("━", "=") : scene.glyph("─", "-")
  canvas.fill(
    line, row: 0, column: 0, count: canvas.grid.size.columns, role: isFocused ? .mark : .frame)
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
