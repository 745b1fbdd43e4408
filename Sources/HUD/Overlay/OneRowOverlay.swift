import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The strip: an overlay of one row.

/// The forms of the values in a strip without labels, the longest first. The first form that fits is used.
private enum StripDetail {
  /// ` 89.2 % 161.0 MiB  60 FPS`.
  case values
  /// `  89% 161MiB  60FPS`.
  case short
  /// `  89% 161MiB`.
  case withoutFrames
  /// `89%`.
  case cpu

  init(fitting room: Int) {
    self =
      switch room {
      case StripDetail.values.columns...: .values
      case StripDetail.short.columns...: .short
      case StripDetail.withoutFrames.columns...: .withoutFrames
      default: .cpu
      }
  }

  var columns: Int {
    switch self {
    case .values: 25
    case .short: Layout.stripWithFrames
    case .withoutFrames: 13
    case .cpu: 0
    }
  }

  var isLong: Bool { self == .values }
}

/// Draws CPU, memory and the rate of frames, or else of bytes read and written, in one row. Values that do not fit are
/// shortened, then left out.
@Sendable func drawStrip(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  var pen = RowPen(frame)
  guard let row = context.row else {
    if !pen.text(Word.waiting.text(context.language), on: &canvas) {
      pen.text(Word.absentPending.text(context.language), on: &canvas)
    }
    return
  }
  let labeled = LabeledStrip(context)
  guard pen.room < labeled.columns(context) else { return labeled.draw(&canvas, pen, context) }
  drawNotice(&canvas, &pen, context)
  let detail = StripDetail(fitting: pen.room)
  // The columns that a reason may use in addition to those of its value.
  var spare = pen.room - detail.columns
  drawValue(&canvas, &pen, .cpuWindow, detail, &spare, context)
  drawCores(&canvas, &pen, &spare, context)
  guard detail != .cpu else { return }
  pen.column += 1
  drawValue(&canvas, &pen, context.run.header.memory.metric, detail, &spare, context)
  guard detail != .withoutFrames else { return }
  pen.column += 1
  if context.showsFrames {
    drawFrameRate(&canvas, &pen, row, detail, context)
  } else {
    drawStorageRate(&canvas, &pen, row, detail, context)
  }
}

/// Draws what a share of all processors refers to, if there is room: `of 2 cores`.
private func drawCores(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ spare: inout Int, _ context: DrawContext
) {
  guard context.state.showsCPUOfAllProcessors, let count = context.row?.usableProcessors.value
  else { return }
  let text = processors(count)
  let of = Word.of.text(context.language)
  let cores = Word.cores.text(context.language)
  let width = Canvas.width(of) + text.count + Canvas.width(cores) + 3
  guard width <= spare else { return }
  spare -= width
  pen.text(of, .dim, gap: 1, on: &canvas)
  pen.text(text, gap: 1, on: &canvas)
  pen.text(cores, .dim, gap: 1, on: &canvas)
}

/// Draws why the values do not change: as a word, or as a mark if the word would displace a value.
private func drawNotice(_ canvas: inout Canvas, _ pen: inout RowPen, _ context: DrawContext) {
  if context.state.hasFocus, canvas.grid.size.columns < Layout.capColumns {
    pen.text("?", .notice, on: &canvas)
  }
  guard let notice = context.notice else {
    let start = pen.column
    let detail = StripDetail(fitting: pen.room)
    pen.noticeMark(context, on: &canvas)
    guard pen.column > start else { return }
    // The notice stays until the user has looked, so it may replace labels and decimals but never a value. Before a
    // short value the first column is blank.
    if detail.isLong || StripDetail(fitting: pen.room - 1) == detail {
      pen.column += 1
    } else {
      pen.column = start
    }
    return
  }
  let text = notice.text(context.language)
  if Canvas.width(text) + 1 + StripDetail.values.columns <= pen.room {
    pen.text(text, .notice, on: &canvas)
    pen.column += 1
  } else {
    pen.noticeMark(context, on: &canvas)
  }
}

private func drawValue(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ metric: Metric, _ detail: StripDetail,
  _ spare: inout Int, _ context: DrawContext
) {
  let isCPU = metric == .cpuWindow
  let width =
    isCPU
    ? detail.isLong ? NumberFormat.percentWidth : shortPercentWidth
    : detail.isLong ? NumberFormat.bytesWidth : shortBytesWidth
  let end = pen.column + width
  if let value = context.row?[metric].value {
    let value = isCPU ? value / context.cpuScale : value
    let text =
      !detail.isLong
      ? shortValue(metric, value)
      : isCPU ? NumberFormat.percent(value) : NumberFormat.bytes(value)
    pen.column = max(pen.column, min(end, pen.end) - text.count)
    pen.text(text, context.valueRole(isCPU ? .cpu : .memory), on: &canvas)
    pen.column = max(pen.column, end)
  } else {
    let word = context.widgetState(metric).reason.word.text(context.language)
    let more = max(0, Canvas.width(word) - width)
    if more <= spare {
      spare -= more
      drawWord(&canvas, &pen, word, width: width + more)
    } else {
      drawWord(&canvas, &pen, context.dashText, width: width)
    }
  }
}

/// Draws a word right-aligned in a number of columns.
private func drawWord(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ word: StaticString, width: Int
) {
  let end = min(pen.column + width, pen.end)
  pen.column = max(pen.column, end - Canvas.width(word))
  pen.text(word, .dim, on: &canvas)
  pen.column = max(pen.column, end)
}

private func drawFrameRate(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ row: Row, _ detail: StripDetail,
  _ context: DrawContext
) {
  let width = detail == .values ? 7 : 6
  if context.frameWord == nil, let value = row[.fps].value {
    var text = NumberFormat.framesPerSecond(value)
    text.append(detail == .values ? " FPS" : "FPS")
    let start = pen.column
    let end = pen.column + width
    pen.column = max(pen.column, end - text.count)
    if row.fpsIsLowerBound, pen.column > start {
      canvas.put(context.atLeast, row: pen.row, column: pen.column - 1, role: .dim)
    }
    pen.text(text, context.valueRole(.fps), on: &canvas)
    return
  }
  let reason = context.frameWord ?? context.widgetState(.fps).reason.word
  let word = reason.text(context.language)
  let isRoom = row.isIdle || Canvas.width(word) <= width
  drawWord(&canvas, &pen, isRoom ? word : context.dashText, width: width)
}

private func drawStorageRate(
  _ canvas: inout Canvas, _ pen: inout RowPen, _ row: Row, _ detail: StripDetail,
  _ context: DrawContext
) {
  let width = detail == .values ? 7 : NumberFormat.compactWidth
  guard let value = context.storageRate else {
    let word = context.widgetState(.readRate).reason.word.text(context.language)
    let fits = Canvas.width(word) <= width
    return drawWord(&canvas, &pen, fits ? word : context.dashText, width: width)
  }
  let text = NumberFormat.compactRate(value)
  pen.column += max(0, min(width, pen.room) - text.count)
  pen.text(text, context.valueRole(.fps), on: &canvas)
}

/// A value in its shortest form, for a row without room for the usual form.
func shortValue(_ metric: Metric, _ value: Double) -> ShortText {
  switch metric {
  case .cpuWindow:
    var text = ShortText()
    text.append(value, decimals: 0)
    text.append("%")
    return text
  case .fps:
    var text = ShortText()
    text.append(value, decimals: 0)
    text.append("FPS")
    return text
  default: return shortBytes(value)
  }
}

/// Width of a short share: `  89%`, `1540%`.
private let shortPercentWidth = 5

/// Width of short bytes: ` 161MiB`, `1023MiB`, `1.8GiB`.
private let shortBytesWidth = 7

/// Bytes with at least two significant digits.
private func shortBytes(_ value: Double) -> ShortText {
  let units: InlineArray<6, UInt8> = [0x42, 0x4B, 0x4D, 0x47, 0x54, 0x50]  // B K M G T P
  var rest = value
  var unit = 0
  while rest.magnitude >= 1023.5, unit < 5 {
    rest /= 1024
    unit += 1
  }
  var text = ShortText()
  text.append(rest, decimals: unit > 0 && rest.magnitude < 9.95 ? 1 : 0)
  text.append(units[unit])
  if unit > 0 { text.append("iB") }
  return text
}
