import Metrics
import PerfHUDBase
import Sampler
import Terminal

extension ShortText {
  /// The text without its leading blanks.
  var trimmedText: String { trimmed.description }
}

/// Places texts in a row from left to right. A text that does not fit is left out, never cut.
struct RowPen {
  let row: Int
  var end: Int
  var column: Int

  init(_ frame: Rect) {
    row = frame.row
    column = frame.column
    end = frame.endColumn
  }

  var room: Int { max(0, end - column) }

  /// Moves to the column of the notes after the value of a full bar, so that those of all gauges begin in one column.
  /// In a narrow row they follow at once.
  ///
  /// - Parameter start: The column after the bar.
  mutating func alignNotes(after start: Int, _ frame: Rect) {
    guard frame.columns >= 100 else { return }
    column = min(end, max(column, start + 18))
  }

  @discardableResult
  mutating func text(
    _ text: StaticString, _ role: Role = .text, gap: Int = 0, on canvas: inout Canvas
  ) -> Bool {
    guard column + gap + Canvas.width(text) <= end else { return false }
    column = canvas.text(text, row: row, column: column + gap, role: role)
    return true
  }

  @discardableResult
  mutating func text(
    _ text: ShortText, _ role: Role = .text, gap: Int = 0, on canvas: inout Canvas
  ) -> Bool {
    guard column + gap + Canvas.width(text) <= end else { return false }
    column = canvas.text(text, row: row, column: column + gap, role: role)
    return true
  }

  /// Draws the mark of `DrawContext.hasNoticeMark`: for the reason why the values do not change, or for an alert, if
  /// there is no room for a word.
  mutating func noticeMark(_ context: DrawContext, on canvas: inout Canvas) {
    guard let notice = context.notice else {
      if context.run.unansweredSince != nil {
        text("!", .notice, on: &canvas)
      } else if context.run.alerts.raised > 0 || context.alertMark != nil {
        text("!", .alert, on: &canvas)
      }
      return
    }
    text(notice == .paused ? "=" : notice == .zombie ? "Z" : "X", .notice, on: &canvas)
  }

  /// Draws a label and its value, or neither.
  @discardableResult
  mutating func pair(
    _ label: StaticString, _ valueText: ShortText, _ role: Role = .text, gap: Int = 2,
    on canvas: inout Canvas
  ) -> Bool {
    guard column + gap + Canvas.width(label) + 1 + Canvas.width(valueText) <= end else {
      return false
    }
    text(label, .dim, gap: gap, on: &canvas)
    text(valueText, role, gap: 1, on: &canvas)
    return true
  }
}
