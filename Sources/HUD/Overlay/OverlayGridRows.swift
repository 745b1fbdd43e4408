import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

// The rows of the grid, from top to bottom. Their cells are in the order of importance: a narrow HUD has only the first.

func drawCPUGrid(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var row = OverlayGridRow(frame, context)
  let language = context.language
  row.label(Word.cpu.text(language), .cpu, on: &canvas)
  let scale = context.cpuScale
  let peak = context.peaks.cpu.map { $0 / scale }
  let usable = context.row?.usableProcessors.value
  let isOfAll = context.state.showsCPUOfAllProcessors
  let full = isOfAll ? 100 : fullCPU(peak: peak ?? 0, processors: usable ?? 1)
  if let share = row.valueOrReason(.cpuWindow, on: &canvas) {
    row.value(
      NumberFormat.percent(share / scale),
      isLowerBound: context.row?.cpuShareIsLowerBound == true, on: &canvas)
    row.bar(share / scale / full, role: .cpu, on: &canvas)
  }
  if canvas.grid.size.rows < Layout.titleRows, let notice = context.notice {
    // Without a title the notice is shown here.
    row.lastCell(notice.text(language), .notice, on: &canvas)
  }
  if isOfAll, let usable {
    var text = processors(usable)
    text.append(" ")
    text.append((usable == 1 ? Word.core : .cores).text(language))
    row.lastCell(Word.of.text(language), text, on: &canvas)
  } else if full > 100, context.row?[.cpuWindow].value != nil {
    row.lastCell(Word.of.text(language), NumberFormat.compactPercent(full), on: &canvas)
  }
  // The graph has a greatest value. Another one beside it, over a longer time, would contradict it.
  if let peak, !context.state.graphShowsGreatestCPU {
    row.cell(Word.peak.text(language), NumberFormat.compactPercent(peak), on: &canvas)
  }
  row.cell(Word.timeUsed.text(language), .cpuTime, on: &canvas) {
    NumberFormat.elapsed(seconds: $0, isFinal: true)
  }
  // `≥ 0` would say nothing.
  if let wait = context.row?[.cpuWait].value, wait >= 0.05 || !context.lacksProcesses(.cpuWait) {
    row.cell(Word.columnWait.text(language), context.waitText(.cpuWait, wait), on: &canvas)
  }
}

/// - Parameters:
///   - full: the value of a full bar, a limit or a round value above the peak; `nil` without a value.
///   - limit: the limit; `nil` if only the memory of the machine limits the target.
func drawMemoryGrid(
  _ canvas: inout Canvas, _ frame: Rect, label: StaticString, full: Double?, limit: Double?,
  _ context: DrawContext
) {
  var row = OverlayGridRow(frame, context)
  let language = context.language
  let leading = context.run.header.memory.metric
  let peak = context.peaks.memoryHigh
  row.label(label, .memory, on: &canvas)
  let isNearLimit = context.isNearMemoryLimit
  if let bytes = row.valueOrReason(leading, on: &canvas) {
    let isLowerBound = leading == .footprint && context.row?.footprintIsLowerBound == true
    row.value(
      NumberFormat.bytes(bytes), isAlert: isNearLimit, isLowerBound: isLowerBound, on: &canvas)
    if let full, full > 0 {
      row.bar(bytes / full, mark: peak.map { $0 / full }, role: .memory, on: &canvas)
    }
  }
  if let limit {
    row.lastCell(
      Word.limit.text(language), NumberFormat.axis(limit), isAlert: isNearLimit, on: &canvas)
  } else if let full, row.grid.count > 3 {
    // With fewer cells the peak, which the bar has a mark for, is its scale.
    row.lastCell(Word.of.text(language), NumberFormat.axis(full), on: &canvas)
  }
  if let kept = keptBytes(context.run) {
    var text = ShortText("+")
    text.append(NumberFormat.shortBytes(kept))
    row.cell(Word.kept.text(language), text, isAlert: true, on: &canvas)
  } else if let peak {
    row.cell(
      Word.peak.text(language), context.memoryPeak(NumberFormat.compactBytes(peak)), on: &canvas)
  }
  func other(_ word: Word, _ metric: Metric) {
    guard metric != leading else { return }
    row.cell(word.text(language), metric, on: &canvas, NumberFormat.compactBytes)
  }
  other(.rss, .resident)
  other(.memory, .footprint)
  if leading != .pss { drawPSSCell(&canvas, &row, context) }
}

/// Draws PSS. It is read rarely: an outdated value has its age, and is left out where there is no room for that.
private func drawPSSCell(
  _ canvas: inout Canvas, _ row: inout OverlayGridRow, _ context: DrawContext
) {
  let label = Word.pss.text(context.language)
  guard let values = context.row, let bytes = values[.pss].value else { return }
  guard isOldPSS(context) else {
    return row.cell(label, .pss, on: &canvas, NumberFormat.compactBytes)
  }
  var text = NumberFormat.duration(seconds: shownAgeOfPSS(values.pssAgeSeconds))
  text.append(" ")
  if values.lowerBounds.contains(.pss) { text.append(context.atLeastText) }
  text.append(NumberFormat.compactBytes(bytes))
  row.dimCell(label, text, on: &canvas)
}

/// Draws the frame rate of a program that draws frames, otherwise its reads and writes.
func drawRateGrid(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  guard context.showsFrames else { return drawStorageGrid(&canvas, frame, context) }
  var row = OverlayGridRow(frame, context)
  row.label("FPS", .fps, on: &canvas)
  guard let values = context.row else {
    return row.reason(Word.absentPending.text(context.language), on: &canvas)
  }
  let isTick = values.fpsSource == .tick
  if let word = context.frameWord {
    row.reason(word.text(context.language), on: &canvas)
    row.bar(0, role: .fps, on: &canvas)
  } else if let rate = row.valueOrReason(.fps, on: &canvas) {
    row.value(
      NumberFormat.framesPerSecond(rate), isLowerBound: values.fpsIsLowerBound, on: &canvas)
    let full = context.run.header.tickPeriod.flatMap { isTick ? 1e9 / Double($0) : nil } ?? 60
    row.bar(rate / full, role: .fps, on: &canvas)
  }
  // The tick says something about the machine, not about the program.
  if isTick { drawSource(&canvas, &row, .tick, context) }
  let answer = values[.keyToFrame].value
  // The frame times of a program that draws only after keys are the times between keys.
  if !values.drawsOnlyAfterKeys {
    if row.room > 2 || answer == nil {
      row.cell("p50", .frameMedian, on: &canvas, NumberFormat.compactMilliseconds)
    }
    row.cell("p99", .frameP99, on: &canvas, NumberFormat.compactMilliseconds)
  }
  let key = Word.keyToFrame.text(context.language)
  if let answer {
    row.cell(key, NumberFormat.compactMilliseconds(answer), on: &canvas)
    if values.drawsOnlyAfterKeys, let slow = values.keyToFrameP99.value {
      row.cell("p99", NumberFormat.compactMilliseconds(slow), on: &canvas)
    }
  } else if case .absent(.unclear) = values[.keyToFrame] {
    row.dimCell(key, ShortText(Absence.unclear.word.text(context.language)), on: &canvas)
  }
  if let source = values.fpsSource, !isTick { drawSource(&canvas, &row, source, context) }
}

/// Draws whose frames the rate counts.
private func drawSource(
  _ canvas: inout Canvas, _ row: inout OverlayGridRow, _ source: FrameSource,
  _ context: DrawContext
) {
  row.dimCell(Word.from.text(context.language), ShortText(source.key), on: &canvas)
}

/// Draws reads and writes, and what the rows above leave out.
private func drawStorageGrid(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var row = OverlayGridRow(frame, context)
  row.label(Word.io.text(context.language), .fps, on: &canvas)
  if let read = row.valueOrReason(.readRate, on: &canvas) {
    row.value(
      NumberFormat.compactRate(read + (context.row?[.writeRate].value ?? 0)), on: &canvas)
    let greatest = Sparkline.greatest(.io, cells: row.grid.bar.count, context)
    row.sparkline(
      Sparkline(series: .io, axis: .sparklineBytes(to: greatest, least: 65_536), role: .fps),
      on: &canvas)
  }
  let language = context.language
  row.cell(Word.reads.text(language), .readRate, on: &canvas, NumberFormat.compactRate)
  row.cell(Word.writes.text(language), .writeRate, on: &canvas, NumberFormat.compactRate)
  if !context.outputShowsThreads {
    row.cell(Word.threads.text(language), .threads, on: &canvas, NumberFormat.shortCount)
  }
  row.cell(Word.faultRate.text(language), .minorFaults, on: &canvas, NumberFormat.shortCount)
}

/// Draws what the program writes to the terminal. If that says nothing, draws its threads.
func drawOutputGrid(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  guard !context.outputShowsThreads else { return drawThreadsGrid(&canvas, frame, context) }
  var row = OverlayGridRow(frame, context)
  row.isBarFree = true
  row.label(Word.output.text(context.language), .label, on: &canvas)
  if let bytes = row.valueOrReason(.bytesPerFrame, on: &canvas) {
    row.value(NumberFormat.bytes(bytes), on: &canvas)
    canvas.text(
      Word.perFrame.text(context.language), row: row.row, column: row.grid.lead.upperBound,
      role: .dim)
  }
  // Hitches need two cells, and matter more.
  let hasHitches = context.row?.drawsOnlyAfterKeys == false && context.row?[.hitches].value != nil
  if !hasHitches || row.room > 2 {
    row.cell(
      Word.unchangedCells.text(context.language), .unchangedCells, on: &canvas, wholePercent)
  }
  if hasHitches { drawHitchesCell(&canvas, &row, context) }
}

private func drawHitchesCell(
  _ canvas: inout Canvas, _ row: inout OverlayGridRow, _ context: DrawContext
) {
  guard let value = context.row?[.hitches].value else { return }
  var text = ShortText()
  text.append(value, decimals: 1)
  text.append(" ms/s")
  row.cell(Word.hitches.text(context.language), text, span: 2, on: &canvas)
}

private func wholePercent(_ value: Double) -> ShortText {
  var text = ShortText()
  text.append(value, decimals: 0)
  text.append("%")
  return text
}

/// Draws the threads, and how often they give up a core and lose one.
private func drawThreadsGrid(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var row = OverlayGridRow(frame, context)
  let language = context.language
  row.label(Word.threads.text(language), .label, on: &canvas)
  if let threads = context.row?[.threads].value {
    row.value(NumberFormat.shortCount(threads), on: &canvas)
  } else if context.row == nil {
    row.reason(Word.absentPending.text(language), on: &canvas)
  }
  row.cell(
    Word.switchRate.text(language), .voluntarySwitches, on: &canvas, NumberFormat.shortCount)
  row.cell(
    Word.preemptRate.text(language), .involuntarySwitches, on: &canvas, NumberFormat.shortCount)
  if context.showsFrames, context.row?.drawsOnlyAfterKeys == false {
    drawHitchesCell(&canvas, &row, context)
  }
}

/// Draws what the rows above have no room for.
func drawDetailsGrid(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  guard !context.showsFrames else { return drawStorageGrid(&canvas, frame, context) }
  var row = OverlayGridRow(frame, context)
  let language = context.language
  row.label(Word.swap.text(language), .label, on: &canvas)
  if let swap = row.valueOrReason(.swap, on: &canvas) {
    // The label may take all columns but five.
    row.value(swap > 0 ? NumberFormat.compactBytes(swap) : ShortText("0 B"), on: &canvas)
  }
  row.cell(
    Word.majorFaultRate.text(language), .majorFaults, on: &canvas, NumberFormat.shortCount)
  if let file = context.row?.fileBytes.value {
    row.cell(Word.partFile.text(language), NumberFormat.shortBytes(file), on: &canvas)
  }
  if let shared = context.row?.sharedMemoryBytes.value {
    row.cell(Word.partShared.text(language), NumberFormat.shortBytes(shared), on: &canvas)
  }
  if context.row?.limitSource == .physical {
    row.cell(
      Word.physicalMemory.text(language), .memoryLimit, on: &canvas, NumberFormat.compactBytes)
  }
}
