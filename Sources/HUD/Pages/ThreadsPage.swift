import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The page of the list that shows threads: name, share of a core as a number and over time, and wait for a core.

/// The columns that fit in the list of threads. The name gets the rest up to a limit, the sparkline what remains after
/// that.
private struct ThreadColumns {
  static let tidWidth = 7
  static let stateWidth = 10
  private static let leastName = 4
  /// The least columns of a row with the numbers of threads: then names have at least six.
  private static let leastWithTid = 26
  /// The kernel keeps at most 15 bytes of a name.
  private static let mostName = 15

  let name: Int
  /// Columns of a share; in a narrow list those of its shortest form.
  let percent: Int
  let hasTid: Bool
  let hasState: Bool
  let hasWait: Bool
  let isShort: Bool
  /// Cells of the sparkline of CPU shares.
  let history: Int

  /// - Parameter columns: the columns of a row.
  init(_ columns: Int) {
    isShort = columns < 30
    percent = isShort ? 5 : NumberFormat.percentWidth
    let percent = percent + 1
    var rest = columns - ThreadColumns.leastName - percent
    func take(_ width: Int) -> Bool {
      guard rest >= width else { return false }
      rest -= width
      return true
    }
    // Names get some room before the thread numbers get any.
    hasWait = take(percent)
    hasTid = columns >= ThreadColumns.leastWithTid && take(ThreadColumns.tidWidth + 1)
    hasState = columns >= PageRows.wideColumns && take(ThreadColumns.stateWidth + 1)
    let extra = min(rest, ThreadColumns.mostName - ThreadColumns.leastName)
    name = ThreadColumns.leastName + max(0, extra)
    rest -= extra
    history = PageRows.historyColumns(rest)
  }
}

extension PageRows {
  /// Appends the column headings.
  func writeThreadHeads(to line: inout ListRow) {
    let shown = ThreadColumns(columns)
    head(.columnName, shown.name, isRight: false, to: &line)
    if shown.hasTid { head(.columnTid, ThreadColumns.tidWidth, to: &line) }
    if shown.hasState { head(.columnState, ThreadColumns.stateWidth, isRight: false, to: &line) }
    line.right(Word.cpu, shown.percent, language)
    if shown.history > 0 { line.blanks(shown.history + 1) }
    guard shown.hasWait else { return }
    line.append(" ")
    line.right(Word.columnWait, shown.percent, language)
  }

  /// - Parameter index: the row in the table.
  func writeThread(_ row: ProcessRow, index: Int, to line: inout ListRow) {
    let shown = ThreadColumns(columns)
    let start = line.mark
    line.append(row.name, .label)
    line.fit(since: start, shown.name, .label, ellipsis: ellipsis)
    line.append(" ", .dim)
    if shown.hasTid {
      line.right(number: Int(row.pid), ThreadColumns.tidWidth, .dim)
      line.append(" ", .dim)
    }
    if shown.hasState {
      writeState(of: row, index: index, to: &line)
      line.append(" ", .dim)
    }
    writeShare(row.cpuPercent, .text, shown, to: &line)
    writeHistory(index, columns: shown.history, to: &line)
    guard shown.hasWait else { return }
    line.append(" ", .dim)
    let isFelt = row.waitPercent ?? 0 >= Bottlenecks.feltPercent
    writeShare(row.waitPercent, isFelt ? .alert : .dim, shown, to: &line)
  }

  private func writeShare(
    _ value: Double?, _ role: Role, _ shown: ThreadColumns, to line: inout ListRow
  ) {
    guard shown.isShort, let value else {
      line.blanks(shown.percent - NumberFormat.percentWidth, role)
      if shown.isShort {
        line.blanks(shown.percent - 1, role)
        return line.append(context.glyph("…", "-"), role)
      }
      return writePercent(value, role, to: &line)
    }
    line.right(NumberFormat.compactPercent(value / context.cpuScale), shown.percent, role)
  }
}

extension ListRow {
  /// Appends a column heading, right-aligned.
  fileprivate mutating func right(_ word: Word, _ width: Int, _ language: Language) {
    let text = word.text(language)
    blanks(width - Canvas.width(text))
    append(text, .title)
  }
}
