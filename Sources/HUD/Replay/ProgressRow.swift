import Metrics
import PerfHUDBase
import Terminal

// The position in a recording: state, time, speed, and a bar with the starts of phases.

/// The least columns of the bar.
private let leastBar = 8

@Sendable func drawProgress(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  guard let replay = context.state.replay else { return }
  var pen = RowPen(frame)
  if let typed = replay.typed {
    let prompt = Word.replayGoTo.text(context.language)
    if frame.columns > Canvas.width(prompt) + 6 { pen.text(prompt, .label, on: &canvas) }
    let start = pen.column > frame.column ? pen.column + 1 : pen.column
    let end = canvas.text(
      typed, row: frame.row, column: start, width: max(0, frame.endColumn - start - 1),
      role: .title, ellipsis: context.ellipsis)
    canvas.put("_", row: frame.row, column: min(end, frame.endColumn - 1), role: .title)
    return
  }
  let role: Role = replay.isPaused ? .notice : .text
  let position = replayTime(replay.position)
  guard frame.columns > 2 else {
    canvas.text(
      stateGlyph(replay, context), row: frame.row, column: frame.endColumn - 1, role: role)
    return
  }
  guard frame.columns > Layout.shortProgressWidth else {
    pen.column = max(frame.column, frame.endColumn - position.count)
    pen.text(
      position.count < frame.columns ? position : shortReplayTime(replay.position), role,
      on: &canvas)
    return
  }
  pen.column =
    canvas.text(
      stateGlyph(replay, context), row: frame.row, column: frame.column, role: role) + 1
  pen.text(position, role, on: &canvas)
  let length = replayTime(replay.length)
  if pen.room > length.count + 1 {
    pen.text("/", .dim, on: &canvas)
    pen.text(length, .dim, on: &canvas)
  }
  pen.text(speed(replay.speed, context), replay.speed == 1 ? .dim : .notice, gap: 1, on: &canvas)
  if let word = stateWord(replay), pen.room >= Canvas.width(word.text(context.language)) + 1 {
    pen.text(word.text(context.language), .notice, gap: 1, on: &canvas)
    if replay.target != nil { pen.text(percent(replay), .notice, gap: 1, on: &canvas) }
  }
  guard pen.room > leastBar else { return }
  drawBar(
    &canvas,
    Rect(row: frame.row, column: pen.column + 1, rows: 1, columns: pen.room - 1), replay, context)
}

private func stateGlyph(_ replay: ReplayState, _ context: DrawContext) -> StaticString {
  if context.state.isASCII { return replay.isPaused ? "=" : ">" }
  return replay.isPaused ? "‖" : "▸"
}

private func stateWord(_ replay: ReplayState) -> Word? {
  if replay.target != nil { return .replayReading }
  if replay.isLive { return .replayLive }
  if replay.isPaused {
    return replay.position >= replay.length && replay.read >= replay.length ? .replayEnd : .paused
  }
  return replay.read < replay.length ? .replayReading : nil
}

/// How much of the way to the target has been read.
private func percent(_ replay: ReplayState) -> ShortText {
  let share = Double(replay.read) / Double(max(1, replay.target ?? replay.length))
  var text = ShortText()
  text.append(decimal: Int(max(0, min(99, share * 100))))
  text.append("%")
  return text
}

private func speed(_ speed: Double, _ context: DrawContext) -> ShortText {
  var text = ShortText()
  if speed >= 1, speed == speed.rounded() {
    text.append(decimal: Int(speed))
  } else {
    let hundredths = Int((speed * 100).rounded())
    text.append(decimal: hundredths / 100)
    text.append(".")
    text.append(decimal: UInt64(hundredths % 100), width: 2, pad: UInt8(ascii: "0"))
  }
  text.append(context.state.isASCII ? "x" : "×")
  return text
}

/// `1:23:45`, `3:07`.
private func replayTime(_ nanoseconds: UInt64) -> ShortText {
  let seconds = nanoseconds / 1_000_000_000
  let zero = UInt8(ascii: "0")
  var text = ShortText()
  if seconds >= 3600 {
    text.append(decimal: Int(seconds / 3600))
    text.append(":")
    text.append(decimal: seconds / 60 % 60, width: 2, pad: zero)
  } else {
    text.append(decimal: Int(seconds / 60))
  }
  text.append(":")
  text.append(decimal: seconds % 60, width: 2, pad: zero)
  return text
}

/// A time in few columns: `12h34m`.
private func shortReplayTime(_ nanoseconds: UInt64) -> ShortText {
  let minutes = nanoseconds / 60_000_000_000
  var text = ShortText()
  text.append(decimal: Int(min(9999, minutes / 60)))
  text.append("h")
  text.append(decimal: minutes % 60, width: 2, pad: UInt8(ascii: "0"))
  return text
}

/// Draws the bar: the part before the position, the position, the part that has not been read, and where phases begin.
private func drawBar(
  _ canvas: inout Canvas, _ frame: Rect, _ replay: ReplayState, _ context: DrawContext
) {
  let last = frame.columns - 1
  func column(_ time: UInt64) -> Int {
    guard replay.length > 0 else { return 0 }
    return max(0, min(last, Int(Double(last) * (Double(time) / Double(replay.length)))))
  }
  let position = column(replay.position)
  let read = replay.read >= replay.length ? last : column(replay.read)
  for offset in 0...last {
    let scalar: Unicode.Scalar =
      offset < position
      ? context.glyph("━", "=") : offset <= read ? context.glyph("─", "-") : context.glyph("┄", ".")
    canvas.put(
      scalar, row: frame.row, column: frame.column + offset, role: offset < position ? .text : .dim)
  }
  for phase in replay.phases {
    canvas.put(
      context.glyph("╹", "'"), row: frame.row, column: frame.column + column(phase), role: .mark)
  }
  canvas.put(
    context.glyph("●", "O"), row: frame.row, column: frame.column + position, role: .title)
}
