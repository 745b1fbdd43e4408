import Base
import Metrics
import Terminal

// The help, made from the key table.

/// Columns of a key and the blanks behind it.
private let keyWidth = 7

/// What the help takes with its box.
func helpBoxSize(_ language: Language, _ family: HUDFamily) -> Size {
  var textWidth = Canvas.width(Word.helpClose.text(language)) - keyWidth
  let bindings = KeyBinding.all(family)
  for binding in bindings {
    textWidth = max(textWidth, Canvas.width(binding.word.text(language)))
  }
  return Size(rows: bindings.count + 3, columns: keyWidth + textWidth + 4)
}

/// Draws the keys in a box in the middle, or as a plain list where there is no room for a box.
func drawHelp(_ canvas: inout Canvas, _ scene: Scene) {
  let size = canvas.grid.size
  let wanted = helpBoxSize(scene.language, scene.state.family)
  // A framed overlay keeps its frame and cuts the list; a pane does without a box.
  let isFramed = scene.isOverlay && Layout.isFramed(size)
  let hasBox = isFramed || (size.rows >= wanted.rows && size.columns >= wanted.columns)
  let rows = min(size.rows, wanted.rows - (hasBox ? 0 : 3))
  // What is left of an overlay without a frame would look like a part of the list.
  let isBlock = scene.isOverlay && !isFramed
  let columns = isBlock ? size.columns : min(size.columns, wanted.columns - (hasBox ? 0 : 4))
  let box = Rect(
    row: (size.rows - rows) / 2, column: (size.columns - columns) / 2, rows: rows,
    columns: columns)
  for row in box.row..<box.endRow {
    canvas.fill(" ", row: row, column: box.column, count: box.columns)
  }
  var top = box.row
  var left = box.column
  if hasBox {
    drawBox(&canvas, box, title: Word.help.text(scene.language), scene)
    top += 1
    left += 2
  }
  let end = box.endColumn - (hasBox ? 2 : 0)
  canvas.clip = Rect(row: box.row, column: box.column, rows: box.rows, columns: end - box.column)
  let listEnd = box.endRow - (hasBox ? 1 : 0)
  for (index, binding) in KeyBinding.all(scene.state.family).enumerated()
  where top + index < listEnd {
    let row = top + index
    let word = binding.word.text(scene.language)
    canvas.text(binding.label, row: row, column: left, role: .label)
    if left + keyWidth + Canvas.width(word) <= end {
      canvas.text(word, row: row, column: left + keyWidth)
    } else {
      // Cut before the last column, so that no wide character is left half.
      let clip = canvas.clip
      canvas.clip.columns -= 1
      canvas.text(word, row: row, column: left + keyWidth)
      canvas.clip = clip
      canvas.put(scene.glyph("…", "~"), row: row, column: end - 1, role: .dim)
    }
  }
  if hasBox, box.rows == wanted.rows {
    canvas.text(
      Word.helpClose.text(scene.language), row: box.endRow - 2, column: left, role: .dim)
  } else if hasBox {
    canvas.put(scene.glyph("…", "~"), row: box.endRow - 1, column: left, role: .dim)
  }
  canvas.clip = Rect(size)
}

/// A frame with a title in its upper edge.
private func drawBox(_ canvas: inout Canvas, _ box: Rect, title: StaticString, _ scene: Scene) {
  drawFrame(&canvas, box, role: scene.isOverlay ? .mark : .frame, scene)
  canvas.text(" ", row: box.row, column: box.column + 2)
  let end = canvas.text(title, row: box.row, column: box.column + 3, role: .title)
  canvas.text(" ", row: box.row, column: end)
}
