import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The window of the list: its edge, its rows, its prompt.

/// The least rows of a list window with a frame, or in a pane with a heading.
private func listEdgeRows(_ family: HUDFamily) -> Int { family == .overlay ? 3 : 2 }

/// Whether a list window has a frame, not only a heading.
private func hasListFrame(_ size: Size, _ state: HUDState) -> Bool {
  guard size.rows >= listEdgeRows(state.family), state.family == .pane else {
    return size.rows >= listEdgeRows(state.family)
  }
  // A list that is as high as its rows need has room for a frame, however low it is.
  let isSnug = size.rows == state.view.listRows
  return size.columns >= Layout.framedListColumns && (hasPanelFrame(size) || isSnug)
}

/// The area of the rows in a list window: inside its frame, or below the heading in a pane. A window that is too low
/// for those is all rows.
func listInner(_ size: Size, _ state: HUDState) -> Rect {
  guard size.rows >= listEdgeRows(state.family) else { return Rect(size) }
  guard hasListFrame(size, state) else {
    return Rect(row: 1, column: 0, rows: size.rows - 1, columns: size.columns)
  }
  return Rect(row: 1, column: 1, rows: max(0, size.rows - 2), columns: max(0, size.columns - 2))
}

/// Draws the list with its heading, or with its frame, which is thick while the list has the focus.
///
/// - Parameter chosen: The process that stays selected while the rows change.
func drawListWindow(
  _ canvas: inout Canvas, _ list: inout ListView, _ focus: KeyFocus, _ context: DrawContext,
  chosen: Target? = nil
) {
  let size = canvas.grid.size
  guard size.rows >= 1, size.columns >= 4 else { return }
  let isFocused = focus.isInList
  let hasEdge = size.rows >= listEdgeRows(context.state.family)
  if hasListFrame(size, context.state) {
    let role = isFocused ? .mark : context.isOverlay ? .edge : context.state.page.frameRole
    drawBorder(&canvas, Rect(size), role: role, isHeavy: isFocused, context)
  } else if hasEdge {
    drawHeadingLine(&canvas, isFocused: isFocused, context)
  }
  let page = context.state.page
  var title = Rect(row: 0, column: 2, rows: 1, columns: size.columns - 4)
  if !context.isOverlay, hasListFrame(size, context.state) { title = title.afterCorner }
  var inner = listInner(size, context.state)
  guard page != .frames else {
    if hasEdge { drawPageTitle(&canvas, title, page, context) }
    canvas.clip = inner
    drawFrameTimes(&canvas, inner, context)
    canvas.clip = Rect(size)
    if hasEdge, context.isOverlay, !isFocused {
      let foot = Rect(row: size.rows - 1, column: 2, rows: 1, columns: size.columns - 4)
      drawClosingKey(&canvas, foot, context)
    }
    return
  }
  // A blank on the left, and one before a frame.
  let margin = hasListFrame(size, context.state) && !context.isOverlay ? 2 : 1
  var rows = PageRows(page, context, columns: inner.columns - margin)
  let hasHeadRow = rows.hasHeads(in: inner.rows)
  if hasHeadRow { drawHeads(&canvas, &inner, rows, context) }
  rows.visibleRows = inner.rows
  list.update(lines: inner.rows, linesOfRow: context.linesOfRow(page), rows: rows)
  if let chosen, isFocused, page == .processes {
    list.select(chosen, in: context.order.listing)
  }
  // In a pane the heading shows the typed line, and how many rows a filter leaves.
  let hasFoot = list.prompt != nil || !list.filter.isEmpty
  let total = list.filter.isEmpty ? rows.total : list.shownCount
  let seen = RowsSeen(list.seen, count: list.shownCount, total: total)
  // A low list of phases has its column headings on the line with its name.
  let hasHeads = page == .phases && rows.hasHeads && !hasHeadRow && list.shownCount > 0 && !hasFoot
  let showsSeen = !hasHeads && (context.isOverlay || !hasFoot)
  if hasEdge {
    // The foot takes the place of the notes.
    drawPageTitle(&canvas, title, page, seen: showsSeen ? seen : nil, hasNotes: showsSeen, context)
  }
  if hasEdge, hasHeads { drawHeadsInLine(&canvas, title, inner.column + 1, page, rows, context) }
  canvas.clip = inner
  drawList(&canvas, inner, list, isFocused: isFocused, rows: rows, context)
  if list.shownCount == 0, !list.filter.isEmpty, rows.count > 0 {
    drawNoMatch(&canvas, inner, list.filter, context)
  } else if list.shownCount == 0 {
    drawEmpty(&canvas, inner, page, context)
  }
  canvas.clip = Rect(size)
  guard hasEdge else {
    if list.prompt != nil {
      let foot = Rect(row: size.rows - 1, column: 0, rows: 1, columns: size.columns)
      canvas.fill(" ", row: foot.row, column: 0, count: size.columns)
      drawListFoot(&canvas, foot, list, isFocused: isFocused, context)
    }
    if context.isOverlay { setApart(&canvas, context) }
    return
  }
  guard !context.isOverlay else {
    let foot = Rect(row: size.rows - 1, column: 2, rows: 1, columns: size.columns - 4)
    drawListFoot(&canvas, foot, list, isFocused: isFocused, context)
    return
  }
  // A pane shows its keys in its last row.
  guard hasFoot else { return }
  let left = title.column + Canvas.width(page.title.text(context.language)) + 2
  let foot = Rect(row: 0, column: left, rows: 1, columns: size.columns - left - 1)
  drawListFoot(&canvas, foot, list, isFocused: isFocused, context)
}

/// Draws the column headings in the first row, and removes that row from the area.
func drawHeads(
  _ canvas: inout Canvas, _ inner: inout Rect, _ rows: PageRows, _ context: DrawContext
) {
  canvas.line.clear()
  rows.writeHeads(to: &canvas.line)
  drawListLine(&canvas, inner.row, inner.column + 1, inner.endColumn, [], context)
  inner = Rect(
    row: inner.row + 1, column: inner.column, rows: inner.rows - 1, columns: inner.columns)
}

/// Draws the column headings on the line above a part, to the right of its name.
func drawHeadsInLine(
  _ canvas: inout Canvas, _ title: Rect, _ start: Int, _ page: ListPage, _ rows: PageRows,
  _ context: DrawContext
) {
  canvas.line.clear()
  rows.writeHeads(to: &canvas.line)
  let first = title.column + Canvas.width(page.title.text(context.language)) + 1
  var column = start
  var index = 0
  while index < canvas.line.count {
    let width = CharacterWidth.of(canvas.line[index].scalar)
    guard canvas.line[index].scalar != " " else {
      (index, column) = (index + 1, column + width)
      continue
    }
    // A heading has blanks around it, or is left out.
    let isClear = column > first
    if isClear { canvas.put(" ", row: title.row, column: column - 1) }
    while index < canvas.line.count, canvas.line[index].scalar != " " {
      let scalar = canvas.line[index].scalar
      if isClear { canvas.character(scalar, row: title.row, column: column, role: .dim) }
      (index, column) = (index + 1, column + CharacterWidth.of(scalar))
    }
    // The corner of a frame may follow.
    if isClear, column <= title.endColumn { canvas.put(" ", row: title.row, column: column) }
  }
}

/// Draws the line across a pane with the name of a list.
private func drawHeadingLine(_ canvas: inout Canvas, isFocused: Bool, _ context: DrawContext) {
  let line = isFocused ? context.glyph("━", "=") : context.glyph("─", "-")
  canvas.fill(
    line, row: 0, column: 0, count: canvas.grid.size.columns, role: isFocused ? .mark : .frame)
}

/// Draws the visible rows of a list: the selected one in reverse video except for matches of the search, in the others
/// only these.
func drawList(
  _ canvas: inout Canvas, _ frame: Rect, _ list: ListView, isFocused: Bool, rows: PageRows,
  _ context: DrawContext
) {
  var place = 0
  var line = frame.row
  while line < frame.endRow, let row = list.row(at: place) {
    let isSelected = isFocused && row == list.selectedRow
    // In a row of several lines the text is beside the base of the graph.
    let baseLine = min(line + list.linesOfRow, frame.endRow) - 1
    if isSelected {
      for part in line..<min(line + list.linesOfRow, frame.endRow) {
        canvas.fill(" ", row: part, column: frame.column, count: frame.columns, role: .notice)
      }
      canvas.put(">", row: baseLine, column: frame.column, role: .notice)
    }
    canvas.line.clear()
    rows.write(row, to: &canvas.line)
    drawListLine(
      &canvas, baseLine, frame.column + 1, frame.endColumn, list.folded, isSelected: isSelected,
      context)
    if list.linesOfRow > 1 {
      let lines = Rect(
        row: line, column: frame.column + 1, rows: list.linesOfRow, columns: frame.columns - 1)
      rows.drawLines(&canvas, lines, row, isSelected: isSelected)
    }
    place += 1
    line += list.linesOfRow
  }
}

/// Draws the text in `canvas.line`.
///
/// - Parameter pattern: The search text, in lower case.
func drawListLine(
  _ canvas: inout Canvas, _ row: Int, _ start: Int, _ end: Int, _ pattern: [Unicode.Scalar],
  isSelected: Bool = false, _ context: DrawContext
) {
  canvas.line.shortenCommand(within: end - start, isASCII: context.state.isASCII)
  var column = start
  var matchEnd = 0
  var index = 0
  while index < canvas.line.count {
    let character = canvas.line[index]
    let width = CharacterWidth.of(character.scalar)
    if column + width > end {
      let ellipsis = context.ellipsis
      let last = min(column, end - 1)
      // A path that was shortened there has its own; in ASCII that looks different.
      let isTwice =
        !context.state.isASCII && last > start
        && canvas.isGlyph(ellipsis, row: row, column: last - 1)
      canvas.put(
        isTwice ? " " : ellipsis, row: row, column: last, role: isSelected ? .notice : .dim)
      return
    }
    if index >= matchEnd, canvas.line.begins(with: pattern, at: index) {
      matchEnd = index + pattern.count
    }
    let isMatch = index < matchEnd
    let role: Role =
      isSelected ? isMatch ? .mark : .notice : isMatch ? .notice : character.role
    if character.height > 0, !isSelected {
      canvas.put(
        character.scalar, row: row, column: column,
        style: Sparkline.style(Int(character.height), role))
      column += 1
    } else {
      column = canvas.character(character.scalar, row: row, column: column, role: role)
    }
    index += 1
  }
}

/// Draws the lower edge: the typed line, otherwise the number of rows that match the filter, otherwise the keys.
private func drawListFoot(
  _ canvas: inout Canvas, _ inner: Rect, _ list: ListView, isFocused: Bool, _ context: DrawContext
) {
  var text = ""
  var role = Role.dim
  if let prompt = list.prompt {
    let word: Word = prompt.isFilter ? .filterPrompt : .searchPrompt
    text = " \(word.text(context.language))\(prompt.text)_ "
    if prompt.isFilter, !list.filter.isEmpty {
      text += "\(context.glyph("·", "-")) \(list.shownCount) "
    }
    role = .text
    // Show the end of the typed text.
    while Canvas.columns(of: text) > inner.columns, !text.isEmpty {
      text.unicodeScalars.removeFirst()
    }
  } else if !list.filter.isEmpty {
    let word = Word.filterPrompt.text(context.language)
    let dot = context.glyph("·", "-")
    text = " \(word)\"\(SafeText.clean(list.filter))\" \(dot) \(list.shownCount) "
  } else if isFocused {
    let longest = Word.processListHint.text(context.language)
    let long = Word.listHint.text(context.language)
    func fits(_ text: StaticString) -> Bool { Canvas.width(text) + 2 <= inner.columns }
    let word =
      context.state.page == .processes && fits(longest)
      ? longest : fits(long) ? long : Word.backHint.text(context.language)
    if Canvas.width(word) + 2 <= inner.columns {
      let edge = Rect(
        row: inner.row, column: inner.column + 1, rows: 1, columns: inner.columns - 1)
      return drawInset(&canvas, edge, word, .dim)
    }
    text = " \(word) "
  } else if context.isOverlay {
    return drawClosingKey(&canvas, inner, context)
  }
  guard !text.isEmpty else { return }
  canvas.text(
    text, row: inner.row, column: inner.column, width: inner.columns, role: role,
    ellipsis: context.ellipsis)
}

/// Draws the key that closes a page over a program, with the prefix key if that comes first: `F12 l closes`. Draws
/// nothing if there is no room for it.
private func drawClosingKey(_ canvas: inout Canvas, _ inner: Rect, _ context: DrawContext) {
  let state = context.state
  let word = Word.pageCloses.text(context.language)
  // The keys of a replay, and all keys while the HUD has the focus, need no prefix key.
  let isDirect = state.hasKeys || state.keys.isReplay
  guard isDirect || !state.prefixKey.isEmpty else { return }
  let prefixWidth = isDirect ? 0 : state.prefixKey.utf8.count + 1
  guard prefixWidth + 2 + Canvas.width(word) + 2 <= inner.columns else { return }
  var column = inner.column
  canvas.put(" ", row: inner.row, column: column)
  column += 1
  if !isDirect {
    column = canvas.text(state.prefixKey, row: inner.row, column: column, role: .dim)
    canvas.put(" ", row: inner.row, column: column)
    column += 1
  }
  canvas.put(state.page.key, row: inner.row, column: column, role: .dim)
  canvas.put(" ", row: inner.row, column: column + 1)
  column = canvas.text(word, row: inner.row, column: column + 2, role: .dim)
  canvas.put(" ", row: inner.row, column: column)
}
