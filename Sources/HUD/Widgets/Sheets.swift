import Base
import Metrics
import Terminal

// The help, made from the key table.

/// Draws the keys in a box in the middle, or as a plain list where there is no room for a box.
func drawHelp(_ canvas: inout Canvas, _ scene: Scene) {
  let size = canvas.grid.size
  let keyWidth = 7
  var textWidth = Canvas.width(Word.helpClose.text(scene.language)) - keyWidth
  for binding in KeyBinding.all {
    textWidth = max(textWidth, Canvas.width(binding.word.text(scene.language)))
  }
  let hasBox = size.rows >= KeyBinding.all.count + 3 && size.columns >= keyWidth + textWidth + 4
  let rows = min(size.rows, KeyBinding.all.count + (hasBox ? 3 : 0))
  let columns = min(size.columns, keyWidth + textWidth + (hasBox ? 4 : 0))
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
  for (index, binding) in KeyBinding.all.enumerated() where top + index < box.endRow {
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
  if hasBox {
    canvas.text(
      Word.helpClose.text(scene.language), row: box.endRow - 2, column: left, role: .dim)
  }
  canvas.clip = Rect(size)
}

/// A frame with a title in its upper edge.
private func drawBox(_ canvas: inout Canvas, _ box: Rect, title: StaticString, _ scene: Scene) {
  let right = box.endColumn - 1
  let bottom = box.endRow - 1
  for row in [box.row, bottom] {
    canvas.fill(
      scene.glyph("─", "-"), row: row, column: box.column, count: box.columns, role: .frame)
  }
  for row in box.row..<box.endRow {
    canvas.put(scene.glyph("│", "|"), row: row, column: box.column, role: .frame)
    canvas.put(scene.glyph("│", "|"), row: row, column: right, role: .frame)
  }
  canvas.put(scene.glyph("┌", "+"), row: box.row, column: box.column, role: .frame)
  canvas.put(scene.glyph("┐", "+"), row: box.row, column: right, role: .frame)
  canvas.put(scene.glyph("└", "+"), row: bottom, column: box.column, role: .frame)
  canvas.put(scene.glyph("┘", "+"), row: bottom, column: right, role: .frame)
  canvas.text(" ", row: box.row, column: box.column + 2)
  let end = canvas.text(title, row: box.row, column: box.column + 3, role: .title)
  canvas.text(" ", row: box.row, column: end)
}
