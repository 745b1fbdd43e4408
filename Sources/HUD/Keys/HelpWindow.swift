import Metrics
import PerfHUDBase
import Terminal

// The help, generated from the key table.

/// Columns of a key including the blanks after it.
private let keyWidth = 7

/// The size of the help with its box.
///
/// - Parameter columns: The number of columns of keys.
func helpBoxSize(_ language: Language, _ keys: KeySet, columns: Int = 1) -> Size {
  var textWidth = Canvas.width(Word.helpClose.text(language)) - keyWidth
  let help = HelpLines.of(keys)
  for line in help.lines {
    let width = Canvas.width(line.word(keys).text(language))
    textWidth = max(textWidth, line.isHeading ? width - keyWidth : width)
  }
  return Size(
    rows: help.rows(columns: columns) + 3,
    columns: columns * (keyWidth + textWidth) + (columns - 1) * helpGap + 4)
}

/// The number of blanks between two columns of keys.
private let helpGap = 2

/// Draws the keys, grouped by what they are about, in a box that fills the window, or as a plain list if there is no room for a box.
///
/// - Parameter top: The first visible line, which is limited to the existing lines.
func drawHelp(_ canvas: inout Canvas, _ top: inout Int, _ context: DrawContext) {
  let size = canvas.grid.size
  let pair = helpBoxSize(context.language, context.state.keys, columns: 2)
  let columns = size.columns >= pair.columns ? 2 : 1
  let wanted = columns == 2 ? pair : helpBoxSize(context.language, context.state.keys)
  // A framed overlay keeps its frame and truncates the list; a pane has no box.
  let isFramed = context.isOverlay && Layout.isFramed(size)
  let hasBox = isFramed || (size.rows >= wanted.rows && size.columns >= wanted.columns)
  let isWhole = size.rows >= wanted.rows
  if hasBox { drawBox(&canvas, Rect(size), context) }
  var inner =
    hasBox
    ? Rect(row: 1, column: 2, rows: max(0, size.rows - 2), columns: max(0, size.columns - 4))
    : Rect(size)
  let help = HelpLines.of(context.state.keys)
  let lines = columns == 2 ? help.paired : help.lines
  let perColumn = help.rows(columns: columns)
  let isSpaced = hasBox && columns == 2 && size.rows >= wanted.rows + help.blankRows
  // Without an edge, the last row shows that there is more.
  let hasHint = !hasBox && perColumn > size.rows && size.rows >= 4 && !context.isOverlay
  if hasHint { inner.rows -= 1 }
  top = max(0, min(top, perColumn - inner.rows))
  canvas.clip = inner
  let width = (inner.columns - (columns - 1) * helpGap) / columns
  for column in 0..<columns {
    let range = help.range(column: column, of: columns)
    var blanks = 0
    for row in 0..<max(0, min(inner.rows, range.count - top)) {
      if isSpaced, row > 0, lines[range.lowerBound + row].isHeading { blanks += 1 }
      let line = Rect(
        row: inner.row + row + blanks, column: inner.column + column * (width + helpGap), rows: 1,
        columns: width)
      switch lines[range.lowerBound + top + row] {
      case .heading(let group):
        canvas.text(
          group.word(context.state.keys).text(context.language), row: line.row, column: line.column,
          width: line.columns, role: .cpuLabel, ellipsis: context.ellipsis)
      case .key(let binding): drawBinding(&canvas, line, binding, context)
      }
    }
  }
  if hasBox, isWhole {
    canvas.text(
      Word.helpClose.text(context.language), row: inner.endRow - 1, column: inner.column, role: .dim
    )
  }
  canvas.clip = Rect(size)
  if hasHint {
    let hint = Word.helpScroll.text(context.language)
    let column = max(0, size.columns - Canvas.width(hint))
    canvas.text(hint, row: size.rows - 1, column: column, role: .dim)
  }
  if hasBox, !isWhole {
    let edge = Rect(row: size.rows - 1, column: 2, rows: 1, columns: max(0, size.columns - 4))
    drawInset(&canvas, edge, Word.helpScroll.text(context.language), .dim)
  }
  if context.isOverlay, !isFramed { setApart(&canvas, context) }
}

private func drawBinding(
  _ canvas: inout Canvas, _ line: Rect, _ binding: KeyBinding, _ context: DrawContext
) {
  let word = binding.word.text(context.language)
  let left = line.column + keyWidth
  let label = context.state.isASCII ? binding.plainLabel ?? binding.label : binding.label
  if binding.isPrefixKey {
    let name = context.state.prefixKey.isEmpty ? "-" : context.state.prefixKey
    canvas.text(name, row: line.row, column: line.column, width: keyWidth - 1, role: .label)
  } else {
    canvas.text(label, row: line.row, column: line.column, role: .label)
  }
  if left + Canvas.width(word) <= line.endColumn {
    canvas.text(word, row: line.row, column: left)
    return
  }
  // Stop before the last column, so that no half of a wide character is left.
  canvas.clip.columns -= 1
  canvas.text(word, row: line.row, column: left)
  canvas.clip.columns += 1
  canvas.put(context.ellipsis, row: line.row, column: line.endColumn - 1, role: .dim)
}

/// A frame with a title in its upper edge: over a program that has the keys, it says which key comes first.
private func drawBox(_ canvas: inout Canvas, _ box: Rect, _ context: DrawContext) {
  drawBorder(&canvas, box, role: context.isOverlay ? .mark : .frame, context)
  let inner = Rect(row: box.row, column: box.column + 3, rows: 1, columns: box.columns - 6)
  var title = ShortText()
  if context.state.needsPrefixKey {
    title.append(.helpAfterPrefix, context.language, value: context.state.prefixKey.utf8)
  } else {
    title.append(Word.help.text(context.language))
  }
  drawInset(&canvas, inner, title, .title)
}
