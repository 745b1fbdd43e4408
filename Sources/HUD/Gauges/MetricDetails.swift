import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The grid of further metrics below the gauges of a full-screen view.

@Sendable func drawDetails(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  if context.isOverlay { return drawDetailsGrid(&canvas, frame, context) }
  let perRow = max(1, frame.columns / Layout.detailWidth)
  let width = frame.columns / perRow
  for index in 0..<min(Layout.detailCount, perRow * frame.rows) {
    let metric = detail(index, context.run.header.memory)
    let cell = Rect(
      row: frame.row + index / perRow, column: frame.column + index % perRow * width, rows: 1,
      columns: min(width - 2, 30))
    drawMetric(&canvas, cell, metric, context)
  }
}

/// The metric at an index of the details, the most important one first, because a small HUD shows only the first ones.
private func detail(_ index: Int, _ memory: MemoryMetric) -> Metric {
  switch index {
  // The gauge already shows one of the memory metrics.
  case 0: memory == .rss ? .footprint : .resident
  case 1: .threads
  case 2: memory == .pss ? .footprint : .pss
  case 3: .cpuTime
  case 4: .cpuWait
  case 5: .swap
  case 6: .majorFaults
  case 7: .readRate
  case 8: .writeRate
  case 9: .minorFaults
  default: .memoryLimit
  }
}

/// The age in seconds from which PSS is drawn dim and with its age. It is read every 5 s, but less often if that costs
/// too much. Dimming it between two normal reads would send it twice for each read.
private let oldSeconds = 7.5
/// From then on, the age is rounded up to a multiple of this: each change costs some 40 bytes.
private let ageStep = 10.0

/// The age of PSS as it is shown, in seconds.
func shownAgeOfPSS(_ seconds: Double) -> Double {
  seconds > oldSeconds ? (seconds / ageStep).rounded(.up) * ageStep : seconds
}

/// Draws the label of a metric on the left, and its value or the reason for its absence on the right.
func drawMetric(
  _ canvas: inout Canvas, _ frame: Rect, _ metric: Metric, _ context: DrawContext
) {
  let definition = metric.definition
  // Without a limit of its own, the target has the memory of the machine.
  let isMachine = metric == .memoryLimit && context.row?.limitSource == .physical
  let word = isMachine ? Word.physicalMemory : definition.word
  let label = word?.text(context.language) ?? definition.key
  let labelEnd = canvas.text(label, row: frame.row, column: frame.column, role: .dim)
  switch context.row?[metric] ?? .absent(.pending) {
  case .value where context.isOfFirstProcess(metric):
    canvas.put(context.dash, row: frame.row, column: frame.endColumn - 1, role: .dim)
  case .value(let value):
    let text =
      metric == .cpuTime
      ? NumberFormat.elapsed(seconds: value, isFinal: true)
      : NumberFormat.fixedWidth(value, unit: definition.unit)
    let isOld = metric == .pss && isOldPSS(context)
    let role: Role = context.row?.hasEnded == true || isOld ? .dim : .text
    let column = frame.endColumn - text.count
    canvas.text(text, row: frame.row, column: column, role: role)
    let isLeast =
      metric == .cpuTime && context.row?.cpuTimeIsLowerBound == true
      || context.lacksProcesses(metric)
    if isLeast {
      canvas.put(context.atLeast, row: frame.row, column: column - 1, role: .dim)
    }
    if isOld, let seconds = context.row?.pssAgeSeconds {
      var age = NumberFormat.duration(seconds: shownAgeOfPSS(seconds))
      let ago = Word.old.text(context.language)
      if labelEnd + 1 + age.count + Canvas.width(ago) < column { age.append(ago) }
      guard labelEnd + 1 + Canvas.width(age) < column else {
        // Without its age it would look like a current value.
        canvas.fill(" ", row: frame.row, column: column, count: text.count)
        canvas.put(
          context.dash, row: frame.row, column: frame.endColumn - 1, role: .dim)
        return
      }
      canvas.text(age, row: frame.row, column: labelEnd + 1, role: .dim)
    }
  case .absent(let reason):
    let word = reason.word.text(context.language)
    let width = Canvas.width(word)
    if labelEnd + 1 + width <= frame.endColumn {
      canvas.text(word, row: frame.row, column: frame.endColumn - width, role: .dim)
    } else {
      canvas.put(
        context.dash, row: frame.row, column: frame.endColumn - 1, role: .dim)
    }
  }
}

/// Whether a PSS value is so old that its age is shown.
func isOldPSS(_ context: DrawContext) -> Bool {
  (context.row?.pssAgeSeconds ?? 0) > oldSeconds
}
