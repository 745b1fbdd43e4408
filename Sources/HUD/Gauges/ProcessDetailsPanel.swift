import Metrics
import PerfHUDBase
import Sampler
import Terminal

// Facts about a process that is alone in its list, or whose threads are: whose it is, when it was started, what it may
// use, and its paths.

/// A fact about a process, in the order of their rows.
private enum Fact {
  case user, parent, started, nice, openFiles, cores, program, directory, cgroup

  /// In a wide panel the first ones are in pairs; each of the rest has a row.
  static let all: InlineArray<9, Fact> = [
    .user, .parent, .started, .nice, .openFiles, .cores, .program, .directory, .cgroup,
  ]
  static let pairedCount = 6

  var word: DetailWord {
    switch self {
    case .user: .user
    case .parent: .parent
    case .started: .started
    case .nice: .nice
    case .openFiles: .openFiles
    case .cores: .cores
    case .program: .program
    case .directory: .directory
    case .cgroup: .cgroup
    }
  }
}

/// The columns from which facts are in pairs.
private let pairedColumns = 60

/// The rows of the panel, with its frame.
///
/// - Parameter columns: the columns of the panel.
func processDetailRows(columns: Int) -> Int {
  let paired = columns >= pairedColumns ? Fact.pairedCount / 2 : 0
  return Fact.all.count - paired + (columns >= Layout.framedListColumns ? 2 : 1)
}

@Sendable func drawProcessDetails(
  _ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext
) {
  guard frame.rows >= 2, frame.columns >= 12 else { return }
  let panel = drawPanel(
    &canvas, frame, DetailWord.title.text(context.language), .cpuFrame,
    hasFrame: context.listHasFrame
      ?? (frame.columns >= Layout.framedListColumns && frame.rows >= 4), context)
  guard let details = context.run.processes?.details else {
    canvas.text(
      Word.waiting.text(context.language), row: panel.row, column: panel.column + 1,
      width: panel.columns - 2, role: .dim, ellipsis: context.ellipsis)
    return
  }
  let isPaired = panel.columns >= pairedColumns - 2
  let half = panel.columns / 2
  let labels = labelWidth(context)
  var row = panel.row
  for index in Fact.all.indices {
    guard row < panel.endRow else { return }
    let isLeft = !isPaired || index >= Fact.pairedCount || index.isMultiple(of: 2)
    let isWhole = !isPaired || index >= Fact.pairedCount
    let cell = Rect(
      row: row, column: panel.column + (isLeft ? 1 : half), rows: 1,
      columns: (isWhole ? panel.columns : half) - 2)
    drawFact(&canvas, cell, Fact.all[index], details, labels: labels, context)
    if isWhole || !isLeft { row += 1 }
  }
}

private func drawFact(
  _ canvas: inout Canvas, _ cell: Rect, _ fact: Fact, _ details: ProcessDetails, labels: Int,
  _ context: DrawContext
) {
  canvas.line.clear()
  canvas.line.append(fact.word.text(context.language), .dim)
  canvas.line.blanks(labels - canvas.line.columns + 1)
  let role: Role = context.row?.hasEnded == true ? .dim : .text
  if !canvas.line.append(fact, details, role, context) {
    canvas.line.append(context.dash, .dim)
  }
  drawListLine(&canvas, cell.row, cell.column, cell.endColumn, [], context)
}

/// Columns of the longest label.
private func labelWidth(_ context: DrawContext) -> Int {
  var width = 0
  for index in Fact.all.indices {
    width = max(width, Canvas.width(Fact.all[index].word.text(context.language)))
  }
  return width
}

extension ListRow {
  /// Appends the value of a fact.
  ///
  /// - Returns: whether it is known.
  fileprivate mutating func append(
    _ fact: Fact, _ details: ProcessDetails, _ role: Role, _ context: DrawContext
  ) -> Bool {
    switch fact {
    case .user: return append(text: details.userName, role)
    case .parent:
      guard details.parent > 0 else { return false }
      append(number: Int(details.parent), role)
      append(" ")
      append(details.parentName, role)
    case .started:
      guard let row = context.row else { return false }
      let age = Int64(min(row.ageSeconds, 4e9) * 1e9)
      append(startTime(row.time.advanced(byNanoseconds: -age), age, context.run), role)
    case .nice:
      guard let nice = details.nice else { return false }
      append(number: Int(nice), role)
    case .openFiles:
      guard let count = details.openFiles else { return false }
      append(number: count, role)
      guard let limit = details.openFilesLimit else { return true }
      // The next file fails to open soon.
      let isScarce = Double(count) > 0.9 * Double(limit)
      append(" ")
      append(DetailWord.of.text(context.language), .dim)
      append(" ")
      append(number: Int(clamping: limit), isScarce ? .alert : .dim)
    case .cores: return append(text: details.processors, role)
    case .program:
      guard let program = details.program else { return false }
      if details.isProgramDeleted {
        append(DetailWord.replaced.text(context.language), .alert)
        append("  ")
      }
      append(path: program, role)
    case .directory: return append(path: details.directory, role)
    case .cgroup: return append(path: details.cgroup, role)
    }
    return true
  }

  private mutating func append(text: String?, _ role: Role) -> Bool {
    guard let text else { return false }
    append(text, role)
    return true
  }

  /// Appends a path, whose first directories may be left out.
  @discardableResult
  private mutating func append(path: String?, _ role: Role) -> Bool {
    guard let path else { return false }
    append(command: path, hasProgram: false, role)
    return true
  }
}

/// The time of day at which the process started; with the date if that is a day ago or longer.
private func startTime(_ start: Instant, _ age: Int64, _ run: Run) -> ShortText {
  let day: Int64 = 86_400_000_000_000
  guard age >= day else { return clockTime(of: start, run) }
  let seconds =
    Int64((start.nanoseconds &+ run.wallClockOffset) / 1_000_000_000)
    + Int64(run.header.secondsFromUTC)
  let date = CivilDate(daysSince1970: seconds / 86_400)
  let zero = UInt8(ascii: "0")
  var text = ShortText()
  text.append(decimal: UInt64(date.year), width: 4, pad: zero)
  text.append("-")
  text.append(decimal: UInt64(date.month), width: 2, pad: zero)
  text.append("-")
  text.append(decimal: UInt64(date.day), width: 2, pad: zero)
  text.append(" ")
  let time = clockTime(of: start, run)
  for index in 0..<5 { text.append(time[index]) }
  return text
}
