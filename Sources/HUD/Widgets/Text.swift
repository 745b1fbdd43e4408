import Base
import Metrics
import Sampler
import Terminal

// The title, the details and the footer.

/// Columns of the states that a process is in again and again.
private let stateWidth = 8

@Sendable func drawTitle(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  guard let row = context.row else {
    var pen = RowPen(frame)
    guard let followed = context.run.header.followed else {
      pen.text(Word.waiting.text(context.language), .dim, on: &canvas)
      return
    }
    drawWaiting(&canvas, &pen, followed, context)
    return
  }
  let end = drawNotices(&canvas, frame, row, context)
  let inner = Rect(
    row: frame.row, column: frame.column, rows: 1, columns: end - frame.column)
  var pen = RowPen(inner)
  var pid = ShortText()
  pid.append(decimal: Int(row.pid))
  let hasPid = row.pid > 0
  let nameRoom = inner.columns - (hasPid ? pid.count + 1 : 0)
  pen.column = canvas.text(
    context.state.name, row: frame.row, column: frame.column, width: nameRoom, role: .title,
    ellipsis: context.glyph("…", "~"))
  if hasPid { pen.text(pid, gap: 1, on: &canvas) }
  if row.hasEnded, let followed = context.run.header.followed {
    pen.column += 2
    drawWaiting(&canvas, &pen, followed, context)
    return
  }
  if context.run.header.isCgroup {
    pen.text(Word.cgroup.text(context.language), gap: 1, on: &canvas)
    if let processes = row[.processes].value {
      pen.pair(
        Word.processes.text(context.language), NumberFormat.count(processes), gap: 1, on: &canvas)
    }
  } else if !row.hasEnded {
    // What stands behind it stays where it is while the process runs and sleeps by turns.
    let stateEnd = pen.column + 1 + stateWidth
    if pen.text(row.state.word.text(context.language), gap: 1, on: &canvas) {
      pen.column = min(max(pen.column, stateEnd), pen.end)
    }
    let age = NumberFormat.duration(seconds: row.ageSeconds)
    pen.pair(Word.uptime.text(context.language), age, gap: 1, on: &canvas)
  }
  if row.isZombie { pen.text(Word.notReaped.text(context.language), gap: 1, on: &canvas) }
  if context.run.header.isKernelThread {
    pen.text(Word.kernelThread.text(context.language), .dim, gap: 2, on: &canvas)
  }
  if let phase = context.phase, pen.room >= 8 {
    let width = min(pen.room - 2, context.phaseWidth(phase))
    pen.column = drawPhase(
      &canvas, phase, row: frame.row, column: pen.column + 2, width: width, context)
  }
  // With another name the process runs another program, whose command line is not known yet.
  let isSame = row.name == context.run.program.name
  if pen.room >= 14, isSame || context.run.header.isCgroup {
    canvas.text(
      context.run.program.command, row: frame.row, column: pen.column + 2, width: pen.room - 2,
      role: .dim, ellipsis: context.glyph("…", "~"))
  }
}

/// Says what is waited for.
private func drawWaiting(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ followed: String, _ context: DrawContext
) {
  pen.text(Word.waitingFor.text(context.language), .dim, on: &canvas)
  guard pen.room > 2 else { return }
  pen.column = canvas.text(
    followed, row: pen.row, column: pen.column + 1, width: pen.room - 1, role: .text,
    ellipsis: context.glyph("…", "~"))
}

/// What must not be missed stands at the right end; returns the column where it begins.
private func drawNotices(
  _ canvas: inout Canvas, _ frame: Rect, _ row: Row, _ context: DrawContext
) -> Int {
  var end = frame.endColumn
  func draw(_ text: StaticString, _ detail: ShortText?, _ role: Role) {
    var width = Canvas.width(text) + (detail.map { $0.count + 1 } ?? 0)
    let room = end - frame.column - 9
    let hasDetail = width <= room
    if !hasDetail { width = Canvas.width(text) }
    guard width <= room else { return }
    end -= width
    let place = canvas.text(text, row: frame.row, column: end, role: role)
    if hasDetail, let detail { canvas.text(detail, row: frame.row, column: place + 1, role: role) }
    end -= 1
  }
  if context.state.frozen != nil { draw(Word.paused.text(context.language), nil, .notice) }
  if row.hasEnded {
    let text = (row.isZombie ? Word.zombie : .ended).text(context.language)
    var clock = context.run.ended.map { clockTime(of: $0, context.run) }
    if frame.columns >= 44 {
      clock?.append(" ")
      clock?.append("(")
      clock?.append(NumberFormat.duration(seconds: row.ageSeconds))
      clock?.append(")")
    }
    draw(text, clock, .notice)
  }
  let raised = context.run.alerts.raised
  if raised > 0 {
    var count = ShortText()
    count.append(decimal: raised)
    draw(Word.alertRaised.text(context.language), raised > 1 ? count : nil, .alert)
  }
  if row.isProvisional { draw(Word.provisional.text(context.language), nil, .dim) }
  return end
}

/// The time of the day, `HH:MM:SS`, on the clock of the user.
func clockTime(of instant: Instant, _ run: Run) -> ShortText {
  let seconds =
    Int64((instant.nanoseconds &+ run.wallClockOffset) / 1_000_000_000)
    + Int64(run.header.secondsFromUTC)
  let day = UInt64(((seconds % 86_400) + 86_400) % 86_400)
  let zero = UInt8(ascii: "0")
  var text = ShortText()
  text.append(decimal: day / 3600, width: 2, pad: zero)
  text.append(":")
  text.append(decimal: day / 60 % 60, width: 2, pad: zero)
  text.append(":")
  text.append(decimal: day % 60, width: 2, pad: zero)
  return text
}

@Sendable func drawDetails(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let perRow = max(1, frame.columns / Layout.detailWidth)
  let width = frame.columns / perRow
  // The first one stands beside the gauge already, where an overlay has room for one note.
  let first = context.isOverlay && !Layout.isWideOverlay(frame.columns) ? 1 : 0
  let shown = min(Layout.detailCount - first, perRow * frame.rows)
  for index in 0..<shown {
    let place = Rect(
      row: frame.row + index / perRow, column: frame.column + index % perRow * width, rows: 1,
      columns: min(width - 2, 30))
    drawMetric(&canvas, place, detail(index + first, context.run.header.memory), context)
  }
}

/// The metric at an index of the details, the most important one first, since a small HUD shows only the first ones.
private func detail(_ index: Int, _ memory: MemoryMetric) -> Metric {
  switch index {
  // The gauge has one of the memory metrics already.
  case 0: memory == .rss ? .footprint : .resident
  case 1: .threads
  case 2: memory == .pss ? .footprint : .pss
  case 3: .cpuWait
  case 4: .swap
  case 5: .minorFaults
  case 6: .majorFaults
  case 7: .readRate
  case 8: .writeRate
  default: .memoryLimit
  }
}

/// The PSS is read every 5 s; dimmed and with its age where it is older because that would cost too much. To
/// dim it between two readings would send it twice for each.
private let oldSeconds = 7.5

/// Draws the label of a metric on the left, its value or the reason why there is none on the right.
private func drawMetric(
  _ canvas: inout Canvas, _ frame: Rect, _ metric: Metric, _ context: DrawContext
) {
  let definition = metric.definition
  let label = definition.word?.text(context.language) ?? definition.key
  let labelEnd = canvas.text(label, row: frame.row, column: frame.column, role: .dim)
  switch context.row?[metric] ?? .absent(.pending) {
  case .value(let value):
    let text = NumberFormat.fixedWidth(value, unit: definition.unit)
    let isOld = metric == .pss && (context.row?.pssAgeSeconds ?? 0) > oldSeconds
    let role: Role = context.row?.hasEnded == true || isOld ? .dim : .text
    let column = frame.endColumn - text.count
    canvas.text(text, row: frame.row, column: column, role: role)
    if isOld, let seconds = context.row?.pssAgeSeconds {
      let age = NumberFormat.duration(seconds: seconds)
      guard labelEnd + 1 + age.count < column else { return }
      canvas.text(age, row: frame.row, column: labelEnd + 1, role: .dim)
    }
  case .absent(let reason):
    let word = reason.word.text(context.language)
    let width = Canvas.width(word)
    if labelEnd + 1 + width <= frame.endColumn {
      canvas.text(word, row: frame.row, column: frame.endColumn - width, role: .dim)
    } else {
      canvas.put(
        context.glyph("–", "-"), row: frame.row, column: frame.endColumn - 1, role: .dim)
    }
  }
}
