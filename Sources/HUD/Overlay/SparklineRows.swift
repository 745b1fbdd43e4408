import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The rows of a HUD of medium width: label, value, sparkline and note, each in its own columns.

/// The columns of a row with a sparkline: the same in each row, whatever the values.
struct SparklineColumns {
  /// The least columns for a sparkline.
  static let least = 26
  /// The least columns for a note.
  static let leastWithNote = 30
  /// A word of four columns and a value of five.
  private static let noteWidth = 10

  /// The columns of values.
  let value: Range<Int>
  let graph: Range<Int>
  /// The columns of a note; empty if there is no room for one.
  let note: Range<Int>

  init(_ frame: Rect) {
    let start = frame.column + 4
    value = start..<start + NumberFormat.compactWidth
    let hasNote = frame.columns >= SparklineColumns.leastWithNote
    note = frame.endColumn - (hasNote ? SparklineColumns.noteWidth : 0)..<frame.endColumn
    graph = value.upperBound + 1..<note.lowerBound - (hasNote ? 1 : 0)
  }
}

extension DrawContext {
  /// Whether the gauges are rows with sparklines, as in an overlay between the small and the large one.
  func hasSparklines(_ frame: Rect) -> Bool {
    isOverlay && frame.columns >= SparklineColumns.least
      && frame.columns < OverlayGrid.least
  }
}

/// Draws one row with a sparkline.
struct SparklineRow {
  let row: Int
  let columns: SparklineColumns
  let context: DrawContext

  init(_ frame: Rect, _ context: DrawContext) {
    row = frame.row
    columns = SparklineColumns(frame)
    self.context = context
  }

  func label(_ text: StaticString, _ role: Role, on canvas: inout Canvas) {
    canvas.text(text, row: row, column: columns.value.lowerBound - 4, role: role.labelRole)
  }

  /// Draws a value at the end of its columns.
  func value(
    _ text: ShortText, isAlert: Bool = false, isLowerBound: Bool = false, on canvas: inout Canvas
  ) {
    let role: Role = context.row?.hasEnded == true ? .dim : isAlert ? .alert : .text
    let column = columns.value.upperBound - text.count
    canvas.text(text, row: row, column: column, role: role)
    if isLowerBound {
      canvas.put(context.atLeast, row: row, column: column - 1, role: .dim)
    }
  }

  /// Draws the reason why there is no value; over the sparkline if it needs more room than a value.
  func reason(_ word: StaticString, on canvas: inout Canvas) {
    let column = max(
      columns.value.lowerBound, columns.value.upperBound - Canvas.width(word))
    let room = columns.graph.upperBound - column
    canvas.text(word, row: row, column: column, width: room, role: .dim)
  }

  func sparkline(_ sparkline: Sparkline, on canvas: inout Canvas) {
    sparkline.draw(&canvas, row: row, columns: columns.graph, context)
  }

  /// Draws a label and its value at the two ends of the note's columns, or neither.
  func note(
    _ label: StaticString, _ text: ShortText, _ role: Role = .dim, on canvas: inout Canvas
  ) {
    let width = Canvas.width(text)
    guard Canvas.width(label) + width < columns.note.count else { return }
    canvas.text(label, row: row, column: columns.note.lowerBound, role: role)
    canvas.text(text, row: row, column: columns.note.upperBound - width, role: role)
  }

  /// Draws how many processors a share refers to.
  func cores(_ count: Double, on canvas: inout Canvas) {
    var pen = RowPen(
      Rect(row: row, column: columns.note.lowerBound, rows: 1, columns: columns.note.count))
    var text = ShortText()
    text.append(count, decimals: count == count.rounded() ? 0 : 1)
    let of = Word.of.text(context.language)
    let cores = Word.cores.text(context.language)
    // The number and its unit say enough where there is no room for more.
    if Canvas.width(of) + 1 + text.count + 1 + Canvas.width(cores) <= pen.room {
      pen.text(of, .dim, on: &canvas)
      pen.column += 1
    }
    pen.text(text, .dim, on: &canvas)
    pen.text(cores, .dim, gap: 1, on: &canvas)
  }

  /// Draws the reason why a metric has no value, if it has none.
  ///
  /// - Returns: whether there is a value.
  func hasValue(_ metric: Metric, on canvas: inout Canvas) -> Bool {
    if context.row?[metric].value != nil { return true }
    reason(context.widgetState(metric).reason.word.text(context.language), on: &canvas)
    return false
  }
}

func drawCPUSparkline(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let row = SparklineRow(frame, context)
  row.label(Word.cpu.text(context.language), .cpu, on: &canvas)
  guard row.hasValue(.cpuWindow, on: &canvas), let share = context.row?[.cpuWindow].value else {
    return
  }
  let scale = context.cpuScale
  row.value(
    NumberFormat.compactPercent(share / scale),
    isLowerBound: context.row?.cpuShareIsLowerBound == true, on: &canvas)
  let peak = context.peaks.cpu
  // The value and the peak are means over some samples; the greatest single sample would exceed both.
  let greatest = Sparkline.greatestMean(.cpu, cells: row.columns.graph.count, context)
  row.sparkline(
    Sparkline(
      series: .cpu, axis: .sparkline(to: greatest, peak: peak, least: 20), role: .cpu,
      showsMean: true), on: &canvas)
  if canvas.grid.size.rows < Layout.titleRows, let notice = context.notice {
    // Without a title the notice is shown here.
    let text = notice.text(context.language)
    let column = max(row.columns.note.lowerBound, frame.endColumn - Canvas.width(text))
    canvas.text(text, row: frame.row, column: column, role: .notice)
  } else if context.state.showsCPUOfAllProcessors, let cores = context.row?.usableProcessors.value {
    row.cores(cores, on: &canvas)
  } else if let peak {
    row.note(
      Word.peak.text(context.language), NumberFormat.shortPercent(peak / scale), on: &canvas)
  }
}

func drawMemorySparkline(
  _ canvas: inout Canvas, _ frame: Rect, label: StaticString, _ context: DrawContext
) {
  let row = SparklineRow(frame, context)
  let leading = context.run.header.memory.metric
  row.label(label, .memory, on: &canvas)
  guard row.hasValue(leading, on: &canvas), let bytes = context.row?[leading].value else { return }
  let isNearLimit = context.isNearMemoryLimit
  row.value(
    NumberFormat.compactBytes(bytes), isAlert: isNearLimit,
    isLowerBound: leading == .footprint && context.row?.footprintIsLowerBound == true, on: &canvas)
  let peak = context.peaks.memoryHigh
  let limit = isNearLimit ? context.row?[.memoryLimit].value : nil
  let extent = Sparkline.extent(.memory, cells: row.columns.graph.count, context)
  row.sparkline(
    Sparkline(
      series: .memory, axis: .sparklineMemory(extent, peak: limit ?? peak), role: .memory,
      showsMean: true, hasPhases: context.state.hasPhases), on: &canvas)
  // A warning takes precedence over the memory that phases have kept, and that over the peak.
  if let limit {
    row.note(
      Word.limit.text(context.language), NumberFormat.shortBytes(limit), .alert, on: &canvas)
  } else if let kept = keptBytes(context.run) {
    var text = ShortText("+")
    text.append(NumberFormat.shortBytes(kept))
    row.note(Word.kept.text(context.language), text, .alert, on: &canvas)
  } else if let peak {
    row.note(
      Word.peak.text(context.language),
      context.memoryPeak(NumberFormat.compactBytes(peak)), on: &canvas)
  }
}

/// What all visits to phases that keep memory have kept together; `nil` if no phase keeps any.
func keptBytes(_ run: Run) -> Double? {
  var sum = 0.0
  for index in 0..<run.phases.count {
    guard case .keeps(let bytes, _) = run.phases.verdict(index) else { continue }
    sum += max(bytes, run.phases[index].keptBytes)
  }
  return sum > 0 ? sum : nil
}

/// Draws the frame rate of a program that draws frames, otherwise its reads and writes.
func drawRateSparkline(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let row = SparklineRow(frame, context)
  if context.showsFrames {
    drawFrameRate(&canvas, row, context)
  } else {
    drawStorageRate(&canvas, row, context)
  }
}

private func drawFrameRate(
  _ canvas: inout Canvas, _ row: SparklineRow, _ context: DrawContext
) {
  row.label("FPS", .fps, on: &canvas)
  if let word = context.frameWord {
    row.reason(word.text(context.language), on: &canvas)
  } else {
    guard row.hasValue(.fps, on: &canvas), let rate = context.row?[.fps].value else { return }
    row.value(
      NumberFormat.framesPerSecond(rate).trimmed,
      isLowerBound: context.row?.fpsIsLowerBound == true, on: &canvas)
  }
  let greatest = Sparkline.greatest(.fps, cells: row.columns.graph.count, context)
  row.sparkline(
    Sparkline(series: .fps, axis: .sparklineFrames(to: greatest), role: .fps, showsMean: true),
    on: &canvas)
  if context.row?.drawsOnlyAfterKeys == true {
    if let answer = context.row?[.keyToFrame].value {
      row.note(
        Word.keyToFrame.text(context.language), NumberFormat.shortMilliseconds(answer),
        on: &canvas)
    }
  } else if let slow = context.row?[.frameP99].value {
    // The tick says something about the machine, not about the program.
    row.note(
      context.row?.fpsSource == .tick ? FrameSource.tick.key : "p99",
      NumberFormat.shortMilliseconds(slow), on: &canvas)
  }
}

private func drawStorageRate(
  _ canvas: inout Canvas, _ row: SparklineRow, _ context: DrawContext
) {
  row.label(Word.io.text(context.language), .fps, on: &canvas)
  guard row.hasValue(.readRate, on: &canvas), let read = context.row?[.readRate].value else {
    return
  }
  let written = context.row?[.writeRate].value ?? 0
  row.value(NumberFormat.compactRate(read + written), on: &canvas)
  let greatest = Sparkline.greatest(.io, cells: row.columns.graph.count, context)
  row.sparkline(
    Sparkline(series: .io, axis: .sparklineBytes(to: greatest, least: 65_536), role: .fps),
    on: &canvas)
  guard row.columns.note.count > 0 else { return }
  // `r 0  w 68K`, at the two ends of the note's columns; without blanks after the letters if there is no room, and only
  // the greater one where no blank would be between them.
  let texts = (NumberFormat.shortBytes(read), NumberFormat.shortBytes(written))
  // What the blanks between and after the letters may have.
  let rest = row.columns.note.count - texts.0.count - texts.1.count - 2
  let gap = rest == 1 || rest == 2 ? 0 : 1
  func draw(_ letter: StaticString, _ text: ShortText, at column: Int) {
    let end = canvas.text(letter, row: row.row, column: column, role: .fps)
    canvas.text(text, row: row.row, column: end + gap, role: .dim)
  }
  func draw(_ letter: StaticString, endingWith text: ShortText) {
    draw(letter, text, at: row.columns.note.upperBound - text.count - 1 - gap)
  }
  guard rest >= 1 else {
    return read > written ? draw("r", endingWith: texts.0) : draw("w", endingWith: texts.1)
  }
  draw("r", texts.0, at: row.columns.note.lowerBound)
  draw("w", endingWith: texts.1)
}
