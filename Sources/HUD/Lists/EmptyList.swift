import Metrics
import PerfHUDBase
import Sampler
import Terminal

// What an empty list shows: why it is empty, and below that a command that would fill it, and the calls that do so from
// within a program, or other rules.

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
    case .frames: (reason, command) = (other ?? .noFrame, "perfhud emit frame")
    case .alerts: (reason, command) = (.alertNone, "perfhud --alert 'cpu > 90% for 10s' --pid")
    case .mappings: (reason, command) = (EmptyList.mappings(context), nil)
    case .processes, .threads:
      (reason, command) = (EmptyList.rows(context), nil)
    case .bottlenecks: (reason, command) = (.listEmpty, nil)
    }
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

/// Three lines that fill a page: the calls of the clients by language, or other rules.
private struct Examples {
  private typealias Line = (label: StaticString, text: StaticString)
  private let first: Line
  private let second: Line
  private let third: Line

  init?(_ page: ListPage) {
    switch page {
    case .actions:
      self.init(
        python: #"perfhud.action("save")"#, c: #"perfhud_action("save");"#,
        swift: #"PerfHUD.action("save")"#)
    case .phases:
      self.init(
        python: #"perfhud.phase("canvas")"#, c: #"perfhud_phase("canvas", NULL, NULL);"#,
        swift: #"PerfHUD.phase("canvas")"#)
    case .frames:
      self.init(python: "perfhud.frame()", c: "perfhud_frame();", swift: "PerfHUD.frame()")
    case .alerts:
      self.init(
        ("", "--alert 'mem growth > 1MiB/s for 30s'"), ("", "--alert 'rss.peak > 500MiB'"),
        ("", "--alert 'fps < 30 for 2s'"))
    default: return nil
    }
  }

  private init(_ first: Line, _ second: Line, _ third: Line) {
    (self.first, self.second, self.third) = (first, second, third)
  }

  private init(python: StaticString, c: StaticString, swift: StaticString) {
    self.init(("Python", python), ("C", c), ("Swift", swift))
  }

  /// Draws a line in each row that has room for one.
  func draw(_ canvas: inout Canvas, _ area: Rect) {
    draw(&canvas, area, first, 0)
    draw(&canvas, area, second, 1)
    draw(&canvas, area, third, 2)
  }

  private func draw(_ canvas: inout Canvas, _ area: Rect, _ line: Line, _ row: Int) {
    let indent = line.label.utf8CodeUnitCount == 0 ? 0 : 8
    guard row < area.rows, indent + Canvas.width(line.text) <= area.columns else { return }
    canvas.text(line.label, row: area.row + row, column: area.column, role: .dim)
    canvas.text(line.text, row: area.row + row, column: area.column + indent, role: .text)
  }
}

/// Draws why a page is empty and, in a row of its own, a command to copy if there is one. In a single row the command
/// replaces the reason; below it follow, after a blank row, as many examples as there are rows for.
func drawEmpty(
  _ canvas: inout Canvas, _ inner: Rect, _ page: ListPage, _ context: DrawContext
) {
  guard inner.rows > 0 else { return }
  let empty = EmptyList(page, context)
  let ellipsis = context.ellipsis
  let column = inner.column + 1
  guard let command = empty.command, page == .alerts || context.run.listener == .here else {
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
  if width + (hasPid ? pid.count : 0) < inner.columns {
    let end = canvas.text(command, row: row, column: column, role: .text)
    if hasPid { canvas.text(pid, row: row, column: end) }
  } else {
    // A truncated pid would name another process.
    canvas.text(
      command, row: row, column: column, width: min(inner.columns, width) - 1, role: .text,
      ellipsis: ellipsis)
  }
  guard let examples = Examples(page) else { return }
  // Below a blank row.
  row += 2
  examples.draw(
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
