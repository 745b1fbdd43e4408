import Metrics
import PerfHUDBase
import Terminal

// The settings editor's window, generated from the table of settings.

/// Its size including the box, if there is room. In a wide one each setting has its description.
func settingsBoxSize(_ family: HUDFamily, isReplay: Bool, in room: Size) -> Size {
  Size(
    rows: SettingDefinition.of(family, isReplay: isReplay).count + 4,
    columns: room.columns >= wideBoxColumns ? wideBoxColumns : 76)
}

private let wideBoxColumns = 116

/// The size of the parts of the layout including their box, if there is room.
let partsBoxSize = Size(rows: OverviewLayout.choices.count + 4, columns: 50)

/// Draws the settings with their values, and details of the selected one.
func drawSettings(
  _ canvas: inout Canvas, _ editor: inout SettingsEditor, _ settingsState: SettingsState,
  _ context: DrawContext
) {
  let size = canvas.grid.size
  let isFramed = Layout.isFramed(size)
  var inner = Rect(size)
  if isFramed {
    drawBorder(&canvas, Rect(size), role: .mark, isHeavy: true, context)
    let title = Rect(row: 0, column: 3, rows: 1, columns: max(0, size.columns - 6))
    inner = Rect(row: 1, column: 2, rows: size.rows - 2, columns: size.columns - 4)
    let rows = inner.rows - (inner.rows >= 8 ? 2 : inner.rows >= 3 ? 1 : 0)
    if editor.parts == nil { editor.settle(height: rows) } else { editor.settleParts(height: rows) }
    drawSettingsTitle(&canvas, title, editor, rows: rows, context)
    drawSettingsFoot(&canvas, editor, context)
  }
  let details = inner.rows >= 8 ? 2 : inner.rows >= 3 ? 1 : 0
  let list = Rect(
    row: inner.row, column: inner.column, rows: inner.rows - details, columns: inner.columns)
  if editor.parts == nil {
    editor.settle(height: list.rows)
    for row in 0..<list.rows where editor.first + row < editor.all.count {
      let index = editor.first + row
      let line = Rect(row: list.row + row, column: list.column, rows: 1, columns: list.columns)
      let isSelected = index == editor.selection
      let isFirst = row == 0 || editor.all[index].group != editor.all[index - 1].group
      drawSetting(
        &canvas, line, editor.all[index], isFirstOfGroup: isFirst, isSelected: isSelected,
        settingsState, context)
    }
  } else {
    editor.settleParts(height: list.rows)
    if let parts = editor.parts { drawParts(&canvas, list, parts, context) }
  }
  let below = Rect(
    row: details == 0 ? inner.endRow - 1 : list.endRow, column: inner.column,
    rows: max(1, details), columns: inner.columns)
  if details > 0 || editor.prompt != nil || editor.message != nil {
    drawSettingDetails(&canvas, below, editor, context)
  }
  if context.isOverlay, !isFramed { setApart(&canvas, context) }
}

/// Draws the name of the editor, or of the setting whose parts are being chosen, and which rows are visible if not all
/// are.
private func drawSettingsTitle(
  _ canvas: inout Canvas, _ title: Rect, _ editor: SettingsEditor, rows: Int,
  _ context: DrawContext
) {
  let name = Word.settings.text(context.language)
  drawInset(&canvas, title, name, .title)
  let first = editor.parts?.first ?? editor.first
  let count = editor.parts?.all.count ?? editor.all.count
  let seen = RowsSeen(first..<min(first + rows, count), count: count, total: count)
  var title = title
  drawRowsSeen(&canvas, &title, after: Canvas.width(name), seen)
  guard editor.parts != nil else { return }
  let key = editor.selected.key
  let column = title.column + Canvas.width(name)
  guard column + 4 + Canvas.columns(of: key) <= title.endColumn else { return }
  canvas.text(context.state.isASCII ? " - " : " · ", row: title.row, column: column, role: .dim)
  let end = canvas.text(key, row: title.row, column: column + 3, role: .title)
  canvas.put(" ", row: title.row, column: end)
}

private func drawSettingsFoot(
  _ canvas: inout Canvas, _ editor: SettingsEditor, _ context: DrawContext
) {
  let size = canvas.grid.size
  let edge = Rect(row: size.rows - 1, column: 2, rows: 1, columns: max(0, size.columns - 4))
  guard editor.prompt == nil else {
    return drawInset(&canvas, edge, SettingWord.promptHint.text(context.language), .dim)
  }
  let isChoosing = editor.parts != nil
  let long = (isChoosing ? SettingWord.partsHint : .hint).text(context.language)
  let short = (isChoosing ? SettingWord.partsHintShort : .hintShort).text(context.language)
  drawInset(&canvas, edge, Canvas.width(long) + 2 <= edge.columns ? long : short, .dim)
}

/// Draws the parts of the layout; the shown ones are numbered.
private func drawParts(
  _ canvas: inout Canvas, _ list: Rect, _ parts: LayoutParts, _ context: DrawContext
) {
  let all = parts.all
  for row in 0..<list.rows where parts.first + row < all.count {
    let index = parts.first + row
    let line = list.row + row
    let isSelected = index == parts.selection
    let isShown = index < parts.shown.count
    if isSelected {
      canvas.fill(" ", row: line, column: list.column, count: list.columns, role: .notice)
      canvas.put(">", row: line, column: list.column, role: .notice)
    }
    let role: Role = isSelected ? .notice : isShown ? .text : .dim
    if isShown {
      var number = ShortText()
      number.append(decimal: index + 1)
      canvas.text(number, row: line, column: list.column + 3 - number.count, role: role)
    } else {
      canvas.put("-", row: line, column: list.column + 2, role: role)
    }
    canvas.text(
      OverviewLayout.name(of: all[index]), row: line, column: list.column + 4,
      width: list.columns - 4, role: role, ellipsis: context.ellipsis)
  }
}

/// The least columns of a line with the name of its group and where its value comes from, and the columns of these.
private let leastGroupColumns = 56
private let groupColumns = 10
/// The most columns of a key, with a blank.
private let keyWidth = 17
private let sourceWidth = 14
/// The columns of a value before its description, and the least columns after it for that.
private let describedValueColumns = 22
private let leastDescription = 48

/// Whether the rows of settings have their descriptions.
private func isDescribed(columns: Int) -> Bool {
  columns - groupColumns - keyWidth - 1 - sourceWidth >= describedValueColumns + leastDescription
}

/// Draws key and value and, if there is room, the name of a new group, and where the value comes from.
private func drawSetting(
  _ canvas: inout Canvas, _ line: Rect, _ setting: SettingDefinition, isFirstOfGroup: Bool,
  isSelected: Bool, _ settingsState: SettingsState, _ context: DrawContext
) {
  let ellipsis = context.ellipsis
  let isWide = line.columns >= leastGroupColumns
  let sourceColumns = isWide ? sourceWidth : 0
  var line = line
  // As in lists, the selected row is in reverse video.
  func role(_ role: Role) -> Role { isSelected ? .notice : role }
  if isWide {
    if isFirstOfGroup {
      canvas.text(
        setting.group.word.text(context.language), row: line.row, column: line.column, role: .dim)
    }
    line.column += groupColumns
    line.columns -= groupColumns
  }
  let keyColumns = min(keyWidth, max(8, line.columns * 3 / 5))
  if isSelected {
    canvas.fill(" ", row: line.row, column: line.column, count: line.columns, role: .notice)
    canvas.put(">", row: line.row, column: line.column, role: .notice)
  }
  canvas.text(
    setting.key, row: line.row, column: line.column + 1, width: keyColumns - 1, role: role(.text),
    ellipsis: ellipsis)
  let value = settingsState.settings.text(of: setting.key)
  let isChanged = value != settingsState.launched.text(of: setting.key)
  let column = line.column + 1 + keyColumns
  var room = line.endColumn - column - sourceColumns
  if room >= describedValueColumns + leastDescription {
    let description = column + describedValueColumns
    canvas.text(
      setting.word.text(context.language), row: line.row, column: description,
      width: room - describedValueColumns - 1, role: role(.dim), ellipsis: ellipsis)
    room = describedValueColumns
  }
  let text = value ?? "\(SettingWord.unset.text(context.language))"
  // A star marks values that are not in the file, because color alone is not enough.
  let end = canvas.text(
    SafeText.clean(text), row: line.row, column: column, width: room - 1,
    role: role(isChanged ? .mark : value == nil ? .dim : .text), ellipsis: ellipsis)
  if isChanged { canvas.put("*", row: line.row, column: end, role: role(.mark)) }
  let source = settingsState.settings.source(of: setting.key)
  // A column of the same word would hide those that are set.
  guard sourceColumns > 0, source != .standard else { return }
  let word = source.word.text(context.language)
  let width = Canvas.width(word)
  canvas.text(word, row: line.row, column: line.endColumn - width, role: role(.dim))
}

/// Draws the effect and the accepted values of the selected setting, or the text typed for it.
private func drawSettingDetails(
  _ canvas: inout Canvas, _ frame: Rect, _ editor: SettingsEditor, _ context: DrawContext
) {
  let language = context.language
  let ellipsis = context.ellipsis
  canvas.fill(" ", row: frame.row, column: frame.column, count: frame.columns)
  // In a wide box the row of the setting has its effect.
  var text =
    editor.parts == nil && isDescribed(columns: frame.columns)
    ? "" : "\(editor.selected.word.text(language))"
  var role = Role.title
  if let prompt = editor.prompt {
    drawPrompt(&canvas, frame, prompt, isReplaced: editor.replacesPrompt, context)
  } else {
    if let message = editor.message {
      text = SafeText.clean(message)
      role = .alert
    }
    canvas.text(
      text, row: frame.row, column: frame.column, width: frame.columns, role: role,
      ellipsis: ellipsis)
  }
  guard frame.rows > 1 else { return }
  var range = editor.selected.range
  if let parts = editor.parts {
    range = parts.layout.text
  } else if editor.selected.hasParts {
    range = "\(SettingWord.parts.text(language))"
  }
  if !editor.selected.isLive {
    range = "\(SettingWord.nextStart.text(language)): \(range)"
  }
  canvas.text(
    range, row: frame.row + 1, column: frame.column, width: frame.columns, role: .dim,
    ellipsis: ellipsis)
}

/// Draws the text that is being typed, or its end if there is little room.
///
/// - Parameter isReplaced: whether the next character replaces it; then it is in reverse video, like selected text.
private func drawPrompt(
  _ canvas: inout Canvas, _ frame: Rect, _ prompt: String, isReplaced: Bool,
  _ context: DrawContext
) {
  var label = "\(SettingWord.prompt.text(context.language))".unicodeScalars
  var value = SafeText.clean(prompt).unicodeScalars
  while Canvas.columns(of: String(label)) + Canvas.columns(of: String(value)) >= frame.columns {
    guard !label.isEmpty || !value.isEmpty else { return }
    if label.isEmpty { value.removeFirst() } else { label.removeFirst() }
  }
  let column = canvas.text(
    String(label), row: frame.row, column: frame.column, width: frame.columns, role: .title)
  let end = canvas.text(
    String(value), row: frame.row, column: column, width: frame.endColumn - column,
    role: isReplaced ? .notice : .title)
  if !isReplaced { canvas.put("_", row: frame.row, column: end, role: .title) }
}
