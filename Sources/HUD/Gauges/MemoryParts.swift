import Metrics
import PerfHUDBase
import Sampler
import Terminal

// What the target's memory consists of: the parts with a bar each, then sums.

/// A part of memory, a sum, or what it is compared with.
private enum MemoryPart {
  case anonymous, file, shared, swap, forkShared, pageTables, resident, proportional, footprint,
    limit

  /// In the order of their rows.
  static let all: InlineArray<10, MemoryPart> = [
    .anonymous, .file, .shared, .swap, .pageTables, .forkShared, .footprint, .resident,
    .proportional, .limit,
  ]
  /// The first four have a bar: their sum is the resident memory plus swap.
  static let barCount = 4

  var word: Word {
    switch self {
    case .anonymous: .partAnonymous
    case .file: .partFile
    case .shared: .partShared
    case .swap: .swap
    case .forkShared: .partForkShared
    case .pageTables: .partPageTables
    case .resident: .rss
    case .proportional: .pss
    case .footprint: .memory
    case .limit: .limit
    }
  }

  /// A shorter word for little room.
  var shortWord: Word {
    switch self {
    case .anonymous: .partAnonymousShort
    case .shared: .partSharedShort
    default: word
    }
  }

  /// Whether its word is short enough for half a row.
  var hasPair: Bool {
    switch self {
    case .forkShared, .pageTables, .footprint, .limit: false
    default: true
    }
  }

  func reading(_ row: Row) -> Reading<Double> {
    switch self {
    case .anonymous: row.anonymousBytes
    case .file: row.fileBytes
    case .shared: row.sharedMemoryBytes
    case .swap: row[.swap]
    case .forkShared: .value(row.forkSharedBytes)
    case .pageTables: row.pageTableBytes
    case .resident: row[.resident]
    case .proportional: row[.pss]
    case .footprint: row[.footprint]
    case .limit: row[.memoryLimit]
    }
  }
}

/// Memory that forked processes share is shown from here on, in bytes: less makes no difference to MEM.
private let leastForkShared = 1_048_576.0

/// Columns of the words before the values.
private func labelWidth(_ context: DrawContext) -> Int {
  var width = 0
  for index in MemoryPart.all.indices {
    width = max(width, Canvas.width(MemoryPart.all[index].word.text(context.language)))
  }
  return width
}

@Sendable func drawMemoryParts(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  guard frame.rows >= 1, frame.columns >= 8 else { return }
  let title = Word.memoryTitle.text(context.language)
  let panel = drawPanel(
    &canvas, frame, title, .memoryFrame, hasFrame: context.listHasFrame, context)
  let inner = Rect(
    row: panel.row, column: panel.column + 1, rows: panel.rows, columns: panel.columns - 1)
  guard inner.rows > 0 else { return }
  guard let row = context.row else {
    canvas.text(
      Word.waiting.text(context.language), row: inner.row, column: inner.column,
      width: inner.columns, role: .dim, ellipsis: context.ellipsis)
    return
  }
  let whole = (row[.resident].value ?? 0) + (row[.swap].value ?? 0)
  let isPaired = inner.rows < MemoryPart.barCount && canPair(inner.columns, context)
  let room = isPaired ? 2 * inner.rows : inner.rows
  if !isPaired, whole > 0, hasPercentage(barRoom(in: inner.columns, context)) {
    let hasSwap = row[.swap].value ?? 0 > 0
    drawPanelNote(
      &canvas, frame, after: title, hasSwap ? .shareOfResidentAndSwap : .shareOfResident, context)
  }
  let isForked = row.forkSharedBytes >= leastForkShared
  // The memory of the machine is neither a part nor a limit of this program.
  let isLimited = row.limitSource != .physical
  let count = MemoryPart.all.count - (isForked ? 0 : 1) - (isLimited ? 0 : 1)
  let isCut = room < count
  var place = 0
  // Where not all fit, what says less comes after the rest: parts that are 0, page tables, and what the gauge shows.
  for pass in 0..<(isCut ? 2 : 1) {
    let isLate = pass == 1
    for index in MemoryPart.all.indices where place < room {
      let part = MemoryPart.all[index]
      let saysLess =
        index < MemoryPart.barCount
        ? part.reading(row).value == 0
        : part == .pageTables || part == .footprint || part == .limit
      guard isForked || part != .forkShared, isLimited || part != .limit,
        !isPaired || part.hasPair, !isCut || saysLess == isLate
      else {
        continue
      }
      if isPaired {
        drawPair(&canvas, pairCell(place, inner), part, row, context)
      } else {
        let cell = Rect(
          row: inner.row + place, column: inner.column, rows: 1, columns: inner.columns)
        let hasBar = index < MemoryPart.barCount && whole > 0
        let share = hasBar ? (part.reading(row).value ?? 0) / whole : nil
        drawPart(&canvas, cell, part, row, share: share, context)
      }
      place += 1
    }
  }
  // Over the graphs, a program that draws no frames has them beside its reads and writes.
  guard context.showsFrames, !isPaired, place + faultRates.count <= inner.rows else { return }
  for index in faultRates.indices {
    let cell = Rect(
      row: inner.row + place + index, column: inner.column, rows: 1, columns: inner.columns)
    drawFaultRate(&canvas, cell, faultRates[index], row, context)
  }
}

/// The columns for a bar, with its percentage, behind the value of a part.
private func barRoom(in columns: Int, _ context: DrawContext) -> Int {
  columns - min(columns, labelWidth(context) + 1 + NumberFormat.compactWidth) - 1
}

/// Whether there is a percentage at the end of a bar.
private func hasPercentage(_ room: Int) -> Bool { room >= 16 }

/// Rates of page faults, below everything else.
private var faultRates: InlineArray<2, (metric: Metric, word: Word)> {
  [(.minorFaults, .faults), (.majorFaults, .majorFaults)]
}

/// Draws a rate of page faults below the numbers of the parts.
private func drawFaultRate(
  _ canvas: inout Canvas, _ cell: Rect, _ rate: (metric: Metric, word: Word), _ row: Row,
  _ context: DrawContext
) {
  let end = cell.column + min(cell.columns, labelWidth(context) + 1 + NumberFormat.compactWidth)
  let text =
    row[rate.metric].value.map { NumberFormat.count($0).trimmed }
    ?? ShortText(context.dashText)
  canvas.text(
    rate.word.text(context.language), row: cell.row, column: cell.column,
    width: max(0, end - cell.column - text.count - 1), role: .dim,
    ellipsis: context.ellipsis)
  canvas.text(
    text, row: cell.row, column: end - Canvas.width(text),
    role: row.hasEnded || row[rate.metric].value == nil ? .dim : .text)
}

/// The cell of a part where two are in a row.
private func pairCell(_ place: Int, _ inner: Rect) -> Rect {
  let half = inner.columns / 2
  let column = place.isMultiple(of: 2) ? inner.column : inner.endColumn - half + 1
  return Rect(row: inner.row + place / 2, column: column, rows: 1, columns: half - 1)
}

/// Whether two parts fit into a row.
private func canPair(_ columns: Int, _ context: DrawContext) -> Bool {
  for index in 0..<MemoryPart.barCount {
    let label = Canvas.width(MemoryPart.all[index].shortWord.text(context.language))
    // A blank, and a value of four columns at most.
    if columns / 2 - 1 < label + 5 { return false }
  }
  return true
}

/// Draws a part in half a row, with the shortest form of its value.
private func drawPair(
  _ canvas: inout Canvas, _ cell: Rect, _ part: MemoryPart, _ row: Row, _ context: DrawContext
) {
  let text =
    part.reading(row).value.map(NumberFormat.shortBytes)
    ?? ShortText(context.dashText)
  let width = Canvas.width(text)
  let value = max(cell.column, cell.endColumn - width)
  canvas.text(
    part.shortWord.text(context.language), row: cell.row, column: cell.column,
    width: max(0, value - cell.column), role: .dim, ellipsis: context.ellipsis)
  canvas.text(text, row: cell.row, column: value, role: row.hasEnded ? .dim : .text)
}

/// Draws a part in a row of its own: label, value, and its share of the whole as a bar.
private func drawPart(
  _ canvas: inout Canvas, _ cell: Rect, _ part: MemoryPart, _ row: Row, share: Double?,
  _ context: DrawContext
) {
  let labels = labelWidth(context)
  // A value that is taken off has a sign.
  let width = min(cell.columns, labels + 1 + NumberFormat.compactWidth)
  let text = Rect(row: cell.row, column: cell.column, rows: 1, columns: width)
  let labelEnd = canvas.text(
    part.word.text(context.language), row: cell.row, column: cell.column,
    role: part == .footprint ? .label : .dim)
  switch part.reading(row) {
  case .value(let bytes):
    // All numbers end in one column, in a form that needs no column for its unit.
    let isLess = part == .forkShared
    var value = ShortText(!isLess ? "" : context.state.isASCII ? "-" : "−")
    value.append(NumberFormat.compactBytes(bytes))
    let isOld = part == .proportional && isOldPSS(context)
    let age = isOld ? shownAgeOfPSS(row.pssAgeSeconds) : nil
    canvas.text(
      value, row: cell.row, column: text.endColumn - Canvas.width(value),
      role: row.hasEnded || age != nil ? .dim : .text)
    if let age { drawAge(&canvas, text, after: labelEnd, value, seconds: age, context) }
  case .absent(let reason):
    if reason == .outdated, part == .proportional, let last = context.state.values.lastPSS,
      last.bytes >= leastPSS(row), last.bytes <= row[.resident].value ?? .infinity
    {
      // Memory has changed much since then.
      let value = NumberFormat.compactBytes(last.bytes)
      canvas.text(
        value, row: cell.row, column: text.endColumn - Canvas.width(value), role: .dim)
      let age = row.time.seconds(since: last.time).rounded(.up)
      return drawAge(&canvas, text, after: labelEnd, value, seconds: age, context)
    }
    let word = reason.word.text(context.language)
    // A reason may begin before the values, and end after them.
    let column = labelEnd + 1
    guard Canvas.width(word) <= cell.endColumn - column else {
      canvas.put(context.dash, row: cell.row, column: text.endColumn - 1, role: .dim)
      return
    }
    canvas.text(
      word, row: cell.row, column: max(column, text.endColumn - Canvas.width(word)), role: .dim)
    return
  }
  let room = barRoom(in: cell.columns, context)
  guard let share, room >= 3 else { return }
  let percent = NumberFormat.compactPercent(share * 100)
  let hasPercent = hasPercentage(room)
  drawBar(
    &canvas, row: cell.row, column: text.endColumn + 1, width: hasPercent ? room - 7 : room,
    share: share, role: .memory, context)
  if hasPercent {
    canvas.text(percent, row: cell.row, column: cell.endColumn - percent.count, role: .dim)
  }
}

/// Draws how old a value is between its label and the value. Without room for that there is no value: it would look like
/// a current one.
private func drawAge(
  _ canvas: inout Canvas, _ cell: Rect, after labelEnd: Int, _ value: ShortText, seconds: Double,
  _ context: DrawContext
) {
  var age = NumberFormat.duration(seconds: seconds)
  let column = cell.endColumn - Canvas.width(value)
  let ago = Word.old.text(context.language)
  if labelEnd + 1 + age.count + Canvas.width(ago) < column { age.append(ago) }
  guard labelEnd + 1 + Canvas.width(age) >= column else {
    canvas.text(age, row: cell.row, column: labelEnd + 1, role: .dim)
    return
  }
  canvas.fill(" ", row: cell.row, column: column, count: Canvas.width(value))
  canvas.put(context.dash, row: cell.row, column: cell.endColumn - 1, role: .dim)
}

/// What PSS must have at least, in bytes: memory that the process alone has, less a tenth. An older reading below that is
/// plainly no longer true.
private func leastPSS(_ row: Row) -> Double {
  let footprint = row[.footprint].value ?? 0
  return 0.9 * (footprint - (row[.swap].value ?? 0))
}
