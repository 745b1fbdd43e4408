import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The title row of a pane: name and arguments of the target, its pid, its state and its phase. Where they do not fit
// together, the arguments go first, then the time that the target has existed, its state and its pid: a phase is whole
// wherever it fits beside the name.

/// Columns of the states `active` and `sleeping`.
private let stateWidth = 8
/// Columns of the time for which a target has existed: `23h59m`.
private let longestAge = 6
/// From this number of columns on the pid has its name before it.
private let leastForPidWord = 60
/// The least columns of arguments that are shown.
private let leastArguments = 6

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
  let name = Canvas.columns(of: context.state.values.name)
  let phaseColumns = context.phase.map { context.phaseWidth($0) + 2 } ?? 0
  let reserved = name + phaseColumns <= inner.columns ? phaseColumns : 0
  var pen = RowPen(
    Rect(row: inner.row, column: inner.column, rows: 1, columns: inner.columns - reserved))
  var pid = ShortText()
  pid.append(decimal: Int(row.pid))
  let hasPid = row.pid > 0 && (reserved == 0 || name + 1 + pid.count <= pen.room)
  let nameRoom = inner.columns - (hasPid ? pid.count + 1 : 0)
  pen.column = canvas.text(
    context.state.values.name, row: frame.row, column: frame.column, width: nameRoom, role: .title,
    ellipsis: context.ellipsis)
  // If the name differs, the process runs another program, whose command line is not known yet.
  let isSame = row.name == context.run.program.name
  let isWide = inner.columns >= leastForPidWord
  if isSame || context.run.header.isCgroup {
    drawArguments(
      &canvas, &pen, end: pen.end - tailWidth(row, pid, isWide: isWide, context), context)
  }
  if hasPid {
    if isWide { pen.text("pid", .dim, gap: 1, on: &canvas) }
    pen.text(pid, gap: 1, on: &canvas)
  }
  if row.hasEnded, let followed = context.run.header.followed {
    pen.column += 2
    drawWaiting(&canvas, &pen, followed, context)
    return
  }
  if context.run.header.isCgroup {
    pen.text(Word.cgroup.text(context.language), gap: 1, on: &canvas)
    if let processes = row[.processes].value { drawCount(&canvas, &pen, processes, context) }
  } else if !row.hasEnded {
    // Keeps what follows in the same column while the process alternates between active and sleeping.
    let stateGap = isWide ? 2 : 1
    let stateEnd = pen.column + stateGap + stateWidth
    let hasRoom = reserved == 0 || stateEnd <= pen.end
    let processes = context.run.header.includesChildren ? row[.processes].value ?? 1 : 1
    // Its own state would say nothing about the values, which are those of several processes.
    let isOfSeveral = processes > 1 && row.state.isUsual
    if hasRoom, isOfSeveral {
      drawCount(&canvas, &pen, processes, context)
    } else if hasRoom,
      pen.text(context.state.values.state.text(context.language), gap: stateGap, on: &canvas)
    {
      pen.column = min(max(pen.column, stateEnd), pen.end)
    }
    let age = NumberFormat.duration(seconds: row.ageSeconds)
    pen.pair(Word.uptime.text(context.language), age, gap: stateGap, on: &canvas)
  }
  if row.isZombie { pen.text(Word.notReaped.text(context.language), gap: 1, on: &canvas) }
  if context.run.header.isKernelThread {
    pen.text(Word.kernelThread.text(context.language), .dim, gap: 2, on: &canvas)
  }
  let before = pen.column
  pen = RowPen(inner)
  pen.column = before
  if let phase = context.phase, reserved > 0 || pen.room >= 8 {
    let width = min(pen.room - 2, context.phaseWidth(phase))
    pen.column = drawPhase(
      &canvas, phase, row: frame.row, column: pen.column + 2, width: width, context)
  }
}

/// The columns that follow the arguments: those of the pid, the state or the number of processes, and the time for
/// which the target has existed.
///
/// - Parameter isWide: whether there is a word before the pid, and two blanks between the parts.
private func tailWidth(
  _ row: Row, _ pid: ShortText, isWide: Bool, _ context: DrawContext
) -> Int {
  let language = context.language
  var width = row.pid > 0 ? pid.count + (isWide ? 5 : 1) : 0
  guard !row.hasEnded else { return width + 2 }
  let count = 1 + Canvas.width(Word.processes.text(language)) + 5
  if context.run.header.isCgroup {
    width += 1 + Canvas.width(Word.cgroup.text(language)) + count
  } else {
    // A tree may have one process now, and several in a moment.
    width += context.run.header.includesChildren ? max(count, stateWidth + 2) : stateWidth + 2
    width += 2 + Canvas.width(Word.uptime.text(language)) + 1 + longestAge
  }
  if row.isZombie { width += 1 + Canvas.width(Word.notReaped.text(language)) }
  if context.run.header.isKernelThread {
    width += 2 + Canvas.width(Word.kernelThread.text(language))
  }
  return width + 1
}

/// Draws the arguments after the name, as a shell has them.
private func drawArguments(
  _ canvas: inout Canvas, _ pen: inout RowPen, end: Int, _ context: DrawContext
) {
  let start = pen.column + 1
  guard end - start >= leastArguments else { return }
  canvas.line.clear()
  // A cgroup has a path only.
  canvas.line.append(
    command: context.run.program.command, hasProgram: !context.run.header.isCgroup, .text)
  canvas.line.removeProgram(named: context.state.values.name)
  guard !canvas.line.isOnlyProgram(named: context.state.values.name) else { return }
  canvas.line.shortenCommand(within: end - start, isASCII: context.state.isASCII)
  drawListLine(&canvas, pen.row, start, end, [], context)
  pen.column = min(end, start + canvas.line.columns) + 1
}

/// Draws how many processes there are: `7 processes`.
private func drawCount(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ processes: Double, _ context: DrawContext
) {
  let start = pen.column
  let word =
    processes == 1
    ? DetailWord.title.text(context.language) : Word.processes.text(context.language)
  let count = NumberFormat.count(processes).trimmed
  guard pen.room >= 2 + count.count + 1 + Canvas.width(word) else { return }
  pen.text(count, gap: 2, on: &canvas)
  pen.text(word, .dim, gap: 1, on: &canvas)
  // Keeps what follows in the same column for up to 99 processes.
  pen.column = min(pen.end, max(pen.column, start + Canvas.width(word) + 5))
}

/// Draws the pattern or cgroup that perfhud waits for.
private func drawWaiting(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ followed: String, _ context: DrawContext
) {
  pen.text(Word.waitingFor.text(context.language), .dim, on: &canvas)
  guard pen.room > 2 else { return }
  pen.column = canvas.text(
    followed, row: pen.row, column: pen.column + 1, width: pen.room - 1, role: .text,
    ellipsis: context.ellipsis)
}

/// Draws notices at the right end; returns the column where they begin.
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
    let position = canvas.text(text, row: frame.row, column: end, role: role)
    if hasDetail, let detail {
      canvas.text(detail, row: frame.row, column: position + 1, role: role)
    }
    end -= 1
  }
  if context.state.frozen != nil {
    // The time of the values on the screen.
    draw(Word.paused.text(context.language), clockTime(of: row.time, context.run), .notice)
  }
  if row.hasEnded {
    let text = (row.isZombie ? Word.zombie : .ended).text(context.language)
    var clock = context.run.ended.map { clockTime(of: $0, context.run) }
    if frame.columns >= 44 {
      clock?.append(" ")
      clock?.append("(")
      clock?.append(NumberFormat.duration(seconds: row.ageSeconds))
      clock?.append(")")
      // After `ENDED`: how. Of a zombie it matters more that it was not reaped.
      let end = row.processEnd
      let hasRoom = !row.isZombie || frame.columns >= 100
      if hasRoom, end != .none, end != .unknown, let time = clock {
        clock = end.shortText(context.language)
        clock?.append(" ")
        clock?.append(time)
      }
    }
    draw(text, clock, row.processEnd.isFailure ? .alert : .notice)
  }
  let raised = context.run.alerts.raised
  if raised > 0 {
    var count = ShortText()
    count.append(decimal: raised)
    draw(Word.alertRaised.text(context.language), raised > 1 ? count : nil, .alert)
  } else if let mark = context.alertMark, mark.count + 9 <= end - frame.column {
    end -= mark.count
    canvas.text(mark, row: frame.row, column: end, role: .alert)
    end -= 1
  }
  if row.isProvisional { draw(Word.provisional.text(context.language), nil, .dim) }
  if row.uncountedChildren > 0, !row.hasEnded {
    drawUncountedChildren(&canvas, frame, &end, row.uncountedChildren, context)
  }
  return end
}

/// The columns that the rest of the title keeps beside the number of children: its name, its phase, these, and at least
/// the last ones.
private let pidAndStateWidth = 18
private let leastTitle = 40

/// Draws how many children are not in the values, and what would include them, as far as there is room. Without it, a
/// program that leaves its work to children would seem idle.
private func drawUncountedChildren(
  _ canvas: inout Canvas, _ frame: Rect, _ end: inout Int, _ count: UInt32, _ context: DrawContext
) {
  let word = Word.uncountedChildren.text(context.language)
  let way: Word = context.state.mayCountChildren ? .uncountedKey : .uncountedHow
  let how = way.text(context.language)
  var number = ShortText()
  number.append(decimal: UInt64(count))
  var width = Canvas.width(word) + 1 + number.count
  let phase = context.phase.map { context.phaseWidth($0) + 2 } ?? 0
  let name = Canvas.columns(of: context.state.values.name) + pidAndStateWidth
  let room = end - frame.column - max(leastTitle, name + phase)
  guard width <= room else { return }
  let hasHow = width + 1 + Canvas.width(how) <= room
  if hasHow { width += 1 + Canvas.width(how) }
  var column = canvas.text(word, row: frame.row, column: end - width, role: .text)
  column = canvas.text(number, row: frame.row, column: column + 1, role: .text)
  if hasHow { canvas.text(how, row: frame.row, column: column + 1, role: .text) }
  end -= width + 1
}

/// The time of day, `HH:MM:SS`, in the user's time zone.
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
