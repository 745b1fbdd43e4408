import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The page of the list that shows threads: name, share of a core as a number and over time, wait for a core, CPU time.
// Those of a tree have the number of their process.

/// The columns that fit in the list of threads. The name comes first, up to its greatest length, then the sparkline, then
/// the number of the process if there are several, that of the thread, its state and its CPU time. What remains lengthens
/// the sparkline. In a narrow list the name leaves columns to the number that no name needs: threads often have the same
/// name.
struct ThreadColumns {
  static let tidWidth = 7
  static let stateWidth = 10
  private static let leastName = 4
  /// The kernel keeps at most 15 bytes of a name.
  private static let mostName = 15
  /// The least columns of a sparkline and the blank before it.
  static let leastHistory = 8

  let name: Int
  /// Columns of a share; in a narrow list those of its shortest form.
  let percent: Int
  let hasPid: Bool
  let hasTid: Bool
  let hasState: Bool
  let hasWait: Bool
  let hasTime: Bool
  let isShort: Bool
  /// Cells of the sparkline of CPU shares.
  let history: Int

  /// - Parameters:
  ///   - columns: the columns of a row.
  ///   - longestName: the most columns of a name in the list.
  ///   - isOfTree: whether the threads are of several processes.
  init(_ columns: Int, longestName: Int, isOfTree: Bool) {
    isShort = columns < 30
    percent = isShort ? 5 : NumberFormat.percentWidth
    let percent = percent + 1
    var rest = columns - ThreadColumns.leastName - percent
    func take(_ width: Int, leaving least: Int = 0) -> Bool {
      guard rest >= width + least else { return false }
      rest -= width
      return true
    }
    hasWait = take(percent)
    let hasRoom =
      rest >= ThreadColumns.mostName - ThreadColumns.leastName + ThreadColumns.tidWidth + 1
    let most = hasRoom ? ThreadColumns.mostName : min(ThreadColumns.mostName, longestName)
    let extra = max(0, min(rest, most - ThreadColumns.leastName))
    name = ThreadColumns.leastName + extra
    rest -= extra
    let least = rest < ThreadColumns.leastHistory ? 0 : ThreadColumns.leastHistory
    hasPid = isOfTree && take(ThreadColumns.tidWidth + 1, leaving: least)
    hasTid = take(ThreadColumns.tidWidth + 1, leaving: least)
    let isWide = columns >= PageRows.wideColumns
    hasState = isWide && take(ThreadColumns.stateWidth + 1, leaving: least)
    hasTime = isWide && take(ProcessColumns.timeWidth + 1, leaving: least)
    history = PageRows.historyColumns(rest, most: ShareHistories.capacity)
  }

  /// The column of the first cell of the sparkline.
  var firstCell: Int {
    name + 1 + (hasPid ? ThreadColumns.tidWidth + 1 : 0)
      + (hasTid ? ThreadColumns.tidWidth + 1 : 0)
      + (hasState ? ThreadColumns.stateWidth + 1 : 0) + percent + 1
  }
}

extension PageRows {
  var threadColumns: ThreadColumns {
    let listing = context.order.listing
    return ThreadColumns(
      columns, longestName: listing.longestName, isOfTree: listing.hasSeveralProcesses)
  }

  /// Appends the column headings.
  func writeThreadHeads(to line: inout ListRow) {
    let shown = threadColumns
    let isNumber = !shown.hasTid && areThreadsUnnamed
    head(isNumber ? .columnTid : .columnName, shown.name, isRight: false, to: &line)
    if shown.hasPid { head(.columnPid, ThreadColumns.tidWidth, to: &line) }
    if shown.hasTid { head(.columnTid, ThreadColumns.tidWidth, to: &line) }
    if shown.hasState { head(.columnState, ThreadColumns.stateWidth, isRight: false, to: &line) }
    line.right(Word.cpu.text(language), shown.percent)
    // The heading of a short trend is as wide as it.
    let isNarrow = (1..<ThreadColumns.leastHistory).contains(shown.history)
    line.append(isNarrow ? " " : context.glyph("▼", "v"), .cpuLabel)
    if shown.history > 0 {
      writeTrendHead(shown.history - 1, to: &line)
    }
    guard shown.hasWait else { return }
    if shown.history > 0 { line.append(" ") }
    line.right(TableWord.threadWait.text(language), shown.percent)
    guard shown.hasTime else { return }
    line.right(Word.columnTime.text(language), ProcessColumns.timeWidth + 1)
  }

  /// Whether a thread has the name of its process, which says nothing about it where there is only that one.
  private func isUnnamed(_ row: ProcessRow) -> Bool {
    row.pid != row.parent && row.name == context.row?.name
      && !context.order.listing.hasSeveralProcesses
  }

  /// Whether no thread has a name of its own. Where numbers have no column, they are all listed by number then.
  static func areUnnamed(_ context: DrawContext) -> Bool {
    guard let table = context.order.listing.table, table.request.kind == .threads,
      table.rows.count > 1, !context.order.listing.hasSeveralProcesses
    else { return false }
    let rows = table.rows
    var index = 0
    while index < rows.count {
      let isMain = rows[index].pid == rows[index].parent
      if !isMain, rows[index].name != context.row?.name { return false }
      index += 1
    }
    return true
  }

  /// Appends the name of a thread. One that has none is its number, unless that has a column of its own.
  private func writeName(of row: ProcessRow, _ shown: ThreadColumns, to line: inout ListRow) {
    let isUnnamed = isUnnamed(row)
    let role: Role = isUnnamed ? .text : .label
    let start = line.mark
    if !shown.hasTid, isUnnamed || areThreadsUnnamed {
      line.append(number: Int(row.pid), role)
    } else {
      line.append(row.name, role)
    }
    line.fit(since: start, shown.name, role, ellipsis: ellipsis)
  }

  /// - Parameter index: the row in the table.
  func writeThread(_ row: ProcessRow, index: Int, to line: inout ListRow) {
    let shown = threadColumns
    writeName(of: row, shown, to: &line)
    line.append(" ", .dim)
    if shown.hasPid {
      line.right(number: Int(row.parent), ThreadColumns.tidWidth, .dim)
      line.append(" ", .dim)
    }
    if shown.hasTid {
      line.right(number: Int(row.pid), ThreadColumns.tidWidth, .dim)
      line.append(" ", .dim)
    }
    if shown.hasState {
      writeState(of: row, index: index, to: &line)
      line.append(" ", .dim)
    }
    let role: Role = context.run.ended == nil ? .text : .dim
    writeShare(listing?.histories.mean(row: index), role, shown, to: &line)
    writeHistory(index, columns: shown.history, to: &line)
    guard shown.hasWait else { return }
    line.append(" ", .dim)
    let wait = listing?.histories.meanWait(row: index)
    let isFelt = wait ?? 0 >= Bottlenecks.feltPercent
    writeShare(wait, isFelt ? .alert : .dim, shown, to: &line)
    guard shown.hasTime else { return }
    line.right(cpuTime(row.cpuNanoseconds), ProcessColumns.timeWidth + 1, .dim)
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
    line.right(
      NumberFormat.compactPercent(value / context.cpuScale), shown.percent, shareRole(value, role))
  }
}

extension ListRow {
  /// Appends a column heading, right-aligned.
  fileprivate mutating func right(_ text: StaticString, _ width: Int) {
    blanks(width - Canvas.width(text))
    append(text, .title)
  }
}
