import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

// How windows are visually separated from their surroundings.

/// Draws the lines of a box of at least two rows and two columns, with round corners.
///
/// - Parameter isHeavy: Whether the lines are thick, because the window has the focus.
func drawBorder(
  _ canvas: inout Canvas, _ box: Rect, role: Role, isHeavy: Bool = false, _ context: DrawContext
) {
  let right = box.endColumn - 1
  let bottom = box.endRow - 1
  func glyph(
    _ thin: Unicode.Scalar, _ thick: Unicode.Scalar, _ plain: Unicode.Scalar
  ) -> Unicode.Scalar { context.glyph(isHeavy ? thick : thin, plain) }
  let line = glyph("─", "━", isHeavy ? "=" : "-")
  let side = glyph("│", "┃", isHeavy ? "#" : "|")
  canvas.fill(line, row: box.row, column: box.column, count: box.columns, role: role)
  canvas.fill(line, row: bottom, column: box.column, count: box.columns, role: role)
  for row in box.row..<box.endRow {
    canvas.put(side, row: row, column: box.column, role: role)
    canvas.put(side, row: row, column: right, role: role)
  }
  canvas.put(glyph("╭", "┏", isHeavy ? "#" : "+"), row: box.row, column: box.column, role: role)
  canvas.put(glyph("╮", "┓", isHeavy ? "#" : "+"), row: box.row, column: right, role: role)
  canvas.put(glyph("╰", "┗", isHeavy ? "#" : "+"), row: bottom, column: box.column, role: role)
  canvas.put(glyph("╯", "┛", isHeavy ? "#" : "+"), row: bottom, column: right, role: role)
}

/// Draws a text in an edge with a blank at each end, or nothing if it does not fit.
func drawInset(
  _ canvas: inout Canvas, _ inner: Rect, _ text: StaticString, _ role: Role
) {
  drawInset(&canvas, inner, columns: Canvas.width(text)) {
    $0.text(text, row: inner.row, column: inner.column, role: role)
  }
}

/// The same for a text with a value in it.
func drawInset(_ canvas: inout Canvas, _ inner: Rect, _ text: ShortText, _ role: Role) {
  drawInset(&canvas, inner, columns: Canvas.width(text)) {
    $0.text(text, row: inner.row, column: inner.column, role: role)
  }
}

/// - Parameter draw: draws the text and returns the column after it.
private func drawInset(
  _ canvas: inout Canvas, _ inner: Rect, columns: Int, _ draw: (inout Canvas) -> Int
) {
  guard columns <= inner.columns else { return }
  canvas.put(" ", row: inner.row, column: inner.column - 1)
  let end = draw(&canvas)
  canvas.put(" ", row: inner.row, column: end)
}

/// Separates a HUD without a frame from the program: a single row by a mark at each end, so that its values keep their
/// colors; more rows by reverse video, with caps that end in half a cell, so that they differ from a row of the program
/// in reverse video.
func setApart(_ canvas: inout Canvas, isLine: Bool = false, _ context: DrawContext) {
  let size = canvas.grid.size
  canvas.clip = Rect(size)
  guard size.columns >= Layout.capColumns else { return canvas.reverse() }
  let right = size.columns - 1
  if isLine {
    let role: Role = context.state.hasFocus ? .mark : .edge
    canvas.put(context.glyph("▌", "|"), row: 0, column: 0, role: role)
    canvas.put(context.glyph("▐", "|"), row: 0, column: right, role: role)
  } else {
    canvas.clip = Rect(row: 0, column: 1, rows: size.rows, columns: size.columns - 2)
    canvas.reverse()
    canvas.clip = Rect(size)
    for row in 0..<size.rows {
      canvas.put(context.glyph("▐", " "), row: row, column: 0, role: .text)
      canvas.put(context.glyph("▌", " "), row: row, column: right, role: .text)
    }
  }
  if context.state.hasFocus { canvas.put("?", row: 0, column: right, role: .label) }
}
