import Metrics
import PerfHUDBase
import Terminal

// Toasts, and the message while the program loads.

/// Draws each toast as a line in reverse video; in a pane at the right end of the window.
func drawToasts(_ canvas: inout Canvas, _ toasts: [ToastLine], _ context: DrawContext) {
  let size = canvas.grid.size
  for (row, toast) in toasts.suffix(size.rows).enumerated() {
    let width =
      context.isOverlay ? size.columns : min(size.columns, Canvas.columns(of: toast.text) + 2)
    let column = size.columns - width
    canvas.fill(" ", row: row, column: column, count: width, role: .notice)
    canvas.text(
      toast.text, row: row, column: column + 1, width: width - 2, role: .notice,
      ellipsis: context.glyph("…", "~"))
  }
}

/// Draws one line with its bar, or the whole window with the keys that close it.
func drawLoading(_ canvas: inout Canvas, _ line: LoadingLine, _ context: DrawContext) {
  let size = canvas.grid.size
  guard line.coversScreen else {
    canvas.fill(" ", row: 0, column: 0, count: size.columns, role: .notice)
    let bar = min(12, size.columns / 3)
    let end = canvas.text(
      line.text, row: 0, column: 1, width: size.columns - bar - 3, role: .notice,
      ellipsis: context.glyph("…", "~"))
    drawProgress(
      &canvas, Rect(row: 0, column: end + 1, rows: 1, columns: size.columns - end - 2),
      line.progress, context)
    return
  }
  if Layout.isFramed(size) {
    drawBorder(&canvas, Rect(size), role: context.isOverlay ? .edge : .frame, context)
  }
  let middle = size.rows / 2
  let width = min(40, size.columns - 4)
  let column = (size.columns - width) / 2
  drawCentered(&canvas, size, row: max(0, middle - 2), line.text, .title, context)
  drawProgress(
    &canvas, Rect(row: middle, column: column, rows: 1, columns: width), line.progress, context)
  // A key for the program closes it too.
  let word: Word = context.state.hasKeys ? .loadingOut : .loadingAnyKey
  let out = "\(word.text(context.language))"
  drawCentered(&canvas, size, row: min(size.rows - 1, middle + 2), out, .dim, context)
}

private func drawCentered(
  _ canvas: inout Canvas, _ size: Size, row: Int, _ text: String, _ role: Role,
  _ context: DrawContext
) {
  let room = size.columns - 2
  let width = min(Canvas.columns(of: text), room)
  canvas.text(
    text, row: row, column: (size.columns - width) / 2, width: room, role: role,
    ellipsis: context.glyph("…", "~"))
}

/// Draws a bar that fills up; only its track if the end is unknown.
private func drawProgress(
  _ canvas: inout Canvas, _ frame: Rect, _ progress: Double?, _ context: DrawContext
) {
  guard frame.columns > 0 else { return }
  canvas.fill(
    context.glyph("─", "-"), row: frame.row, column: frame.column, count: frame.columns,
    role: .track)
  guard let progress else { return }
  let filled = Int((min(max(progress, 0), 1) * Double(frame.columns)).rounded())
  canvas.fill(
    context.glyph("━", "#"), row: frame.row, column: frame.column, count: filled, role: .cpu)
}

/// A short line that shows for a while.
package struct ToastLine: Equatable, Sendable {
  package var text: String
  /// When it ends.
  package var until: Instant
  /// The event of the log that it reports; `nil` for a line that the log does not have.
  var event: Event?

  /// An event of the log.
  enum Event: Equatable, Sendable {
    /// The notice with this id.
    case notice(UInt32)
    /// The target was started again at this time.
    case restart(Instant)

    init(_ notice: Notice) {
      self = notice.kind == .restarted ? .restart(notice.time) : .notice(notice.id)
    }
  }

  package init(_ text: String, until: Instant) {
    self.text = text
    self.until = until
  }

  init(_ text: String, until: Instant, event: Event?) {
    self.init(text, until: until)
    self.event = event
  }
}

/// The loading message.
package struct LoadingLine: Equatable, Sendable {
  package var text: String
  /// From 0 to 1; `nil` if unknown.
  package var progress: Double?
  /// Whether it covers the whole screen instead of a line.
  package var coversScreen: Bool

  package init(_ text: String, progress: Double? = nil, coversScreen: Bool = false) {
    self.text = text
    self.progress = progress
    self.coversScreen = coversScreen
  }
}
