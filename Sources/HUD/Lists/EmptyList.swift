import Metrics
import PerfHUDBase
import Sampler
import Terminal

// What an empty list shows: why it is empty, and below that a command that would fill it, and the calls that do so from
// within a program.

/// An empty list.
private struct EmptyList {
  let reason: Word
  /// The command to type. The pid of the target is appended if events go to the target.
  let command: StaticString?

  init(_ page: ListPage, _ context: DrawContext) {
    let other = context.run.listener.word
    switch page {
    case .log: (reason, command) = (other ?? .noLog, "perfhud emit action hello")
    case .phases: (reason, command) = (other ?? .noPhase, "perfhud emit phase canvas")
    case .actions: (reason, command) = (other ?? .noAction, "perfhud emit action save")
    case .frames: (reason, command) = (other ?? EmptyList.frames(context), "perfhud emit frame")
    case .alerts: (reason, command) = (.alertNone, "perfhud --alert 'cpu > 90% for 10s' --pid")
    case .mappings: (reason, command) = (EmptyList.mappings(context), nil)
    case .processes, .threads:
      (reason, command) = (EmptyList.rows(context), nil)
    case .bottlenecks: (reason, command) = (.listEmpty, nil)
    }
  }

  /// The reason on the page of frames. The graph above it may still show the HUD's own tick.
  private static func frames(_ context: DrawContext) -> Word {
    context.row?.fpsSource == .tick ? .noProgramFrame : .noFrame
  }

  private static func rows(_ context: DrawContext) -> Word {
    if context.run.header.isCgroup { return .absentUnsupported }
    guard context.state.replay == nil else { return .notRecorded }
    // Lists are read only while they are shown: one that is opened now stays empty.
    return context.row?.hasEnded == true ? .pickerEnded : .listEmpty
  }

  private static func mappings(_ context: DrawContext) -> Word {
    if context.run.header.isCgroup { return .absentUnsupported }
    guard let table = context.order.listing.table, table.request.kind == .mappings else {
      guard context.state.replay == nil else { return .notRecorded }
      // They are read only while they are shown.
      return context.row?.hasEnded == true ? .pickerEnded : .mappingsPartial
    }
    switch table.mappings.absence {
    case .tooCostly?: return .mappingsTooCostly
    case let absence?: return absence.word
    case nil: return .listEmpty
    }
  }
}

/// The calls of the clients that fill a page, by language.
private struct ClientCalls {
  let python: StaticString
  let c: StaticString
  let swift: StaticString

  init?(_ page: ListPage) {
    switch page {
    case .actions:
      (python, c, swift) = (
        #"perfhud.action("save")"#, #"perfhud_action("save");"#, #"PerfHUD.action("save")"#
      )
    case .phases:
      (python, c, swift) = (
        #"perfhud.phase("canvas")"#, #"perfhud_phase("canvas", NULL, NULL);"#,
        #"PerfHUD.phase("canvas")"#
      )
    case .frames:
      (python, c, swift) = ("perfhud.frame()", "perfhud_frame();", "PerfHUD.frame()")
    default: return nil
    }
  }

  /// Draws a call in each row that has room for one.
  func draw(_ canvas: inout Canvas, _ area: Rect) {
    let labelWidth = 8
    func draw(_ label: StaticString, _ call: StaticString, _ row: Int) {
      guard row < area.rows, labelWidth + Canvas.width(call) <= area.columns else { return }
      canvas.text(label, row: area.row + row, column: area.column, role: .dim)
      canvas.text(call, row: area.row + row, column: area.column + labelWidth, role: .text)
    }
    draw("Python", python, 0)
    draw("C", c, 1)
    draw("Swift", swift, 2)
  }
}

/// Draws why a page is empty and, in a row of its own, a command to copy if there is one. In a single row the command
/// replaces the reason; in six or more the calls of the clients follow.
func drawEmpty(
  _ canvas: inout Canvas, _ inner: Rect, _ page: ListPage, _ context: DrawContext
) {
  guard inner.rows > 0 else { return }
  let empty = EmptyList(page, context)
  let ellipsis = context.ellipsis
  let column = inner.column + 1
  guard let command = empty.command, context.run.listener == .here else {
    canvas.text(
      empty.reason.text(context.language), row: inner.row, column: column,
      width: inner.columns - 1, role: .dim, ellipsis: ellipsis)
    return
  }
  var row = inner.row
  if inner.rows > 1 {
    canvas.text(
      empty.reason.text(context.language), row: row, column: column, width: inner.columns - 1,
      role: .dim, ellipsis: ellipsis)
    row += 1
  }
  // Rules are set when perfhud starts, so this command always contains the pid.
  var pid = ShortText(page == .alerts ? " " : " --to ")
  let number = context.row?.pid ?? 0
  let hasPid = number > 0 && (page == .alerts || !context.isOverlay)
  pid.append(decimal: Int(number))
  let width = Canvas.width(command)
  guard width + (hasPid ? pid.count : 0) < inner.columns else {
    // A truncated pid would name another process.
    canvas.text(
      command, row: row, column: column, width: min(inner.columns, width) - 1, role: .text,
      ellipsis: ellipsis)
    return
  }
  let end = canvas.text(command, row: row, column: column, role: .text)
  if hasPid { canvas.text(pid, row: row, column: end) }
  guard let calls = ClientCalls(page) else { return }
  // Below a blank row.
  row += 2
  calls.draw(
    &canvas,
    Rect(row: row, column: column, rows: inner.endRow - row, columns: inner.endColumn - column))
}

/// Draws that a list has rows, but none that matches its filter.
func drawNoMatch(
  _ canvas: inout Canvas, _ inner: Rect, _ filter: String, _ context: DrawContext
) {
  guard inner.rows > 0 else { return }
  let text = Word.noMatch.text(context.language, value: SafeText.clean(filter))
  canvas.text(
    text, row: inner.row, column: inner.column + 1, width: inner.columns - 1, role: .dim,
    ellipsis: context.ellipsis)
}
