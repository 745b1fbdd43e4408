import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal

// Toasts, and the message while the program loads.

/// Draws each toast as a line of text behind a mark; in a pane at the right end of the window.
func drawToasts(_ canvas: inout Canvas, _ toasts: [ToastLine], _ context: DrawContext) {
  let size = canvas.grid.size
  for (row, toast) in toasts.suffix(size.rows).enumerated() {
    let width =
      context.isOverlay ? size.columns : min(size.columns, Canvas.columns(of: toast.text) + 2)
    let column = size.columns - width
    canvas.fill(" ", row: row, column: column, count: width)
    drawMessageMark(&canvas, row: row, column: column, isUrgent: toast.isUrgent, context)
    canvas.text(
      toast.text, row: row, column: column + 1, width: width - 2, role: toast.role,
      ellipsis: context.ellipsis)
  }
}

/// Draws the mark at the left end of a message, which separates it from what is beside it.
private func drawMessageMark(
  _ canvas: inout Canvas, row: Int, column: Int, isUrgent: Bool, _ context: DrawContext
) {
  canvas.put(
    context.glyph("▌", "|"), row: row, column: column, role: isUrgent ? .alert : .edge)
}

/// Draws the toast in the lower edge of an overlay; returns the column after it.
func drawEdgeToast(
  _ canvas: inout Canvas, _ inner: Rect, _ toast: ToastLine, _ context: DrawContext
) -> Int {
  canvas.put(" ", row: inner.row, column: inner.column + 1)
  let end = canvas.text(
    toast.text, row: inner.row, column: inner.column + 2, width: inner.columns - 3,
    role: toast.role, ellipsis: context.ellipsis)
  canvas.put(" ", row: inner.row, column: end)
  return end + 1
}

/// Draws one line with its bar, or the whole window with the keys that close it.
func drawLoading(_ canvas: inout Canvas, _ line: LoadingLine, _ context: DrawContext) {
  let size = canvas.grid.size
  guard line.coversScreen else {
    canvas.fill(" ", row: 0, column: 0, count: size.columns)
    drawMessageMark(&canvas, row: 0, column: 0, isUrgent: false, context)
    let bar = min(12, size.columns / 3)
    let end = canvas.text(
      line.text, row: 0, column: 1, width: size.columns - bar - 3,
      ellipsis: context.ellipsis)
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
    ellipsis: context.ellipsis)
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
  /// When it began, in the user's time: a later one is more important.
  var began = Instant(nanoseconds: 0)
  /// The event of the log that it reports; `nil` for a line that the log does not have.
  var event: Event?
  /// Whether it warns, and so has the color of alerts.
  var isUrgent = false
  /// The action that it says is HIGH.
  var highAction: PerfHUDEvents.Event.Name?

  var role: Role { isUrgent ? .alert : .text }

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

  init(_ text: String, until: Instant, notice: Notice) {
    self.init(text, until: until)
    event = Event(notice)
    isUrgent = notice.kind != .restarted && notice.kind != .newest
    highAction = notice.kind == .actionHigh ? notice.name : nil
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
