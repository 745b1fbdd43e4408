import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The page of the list that shows processes.

/// The least columns of a name.
let leastProcessName = 4

/// The columns that fit in the list of processes; the command gets the rest.
struct ProcessColumns {
  static let pidWidth = 7
  static let stateWidth = 10
  static let threadsWidth = 4
  static let timeWidth = 9

  let hasMemory: Bool
  let hasPid: Bool
  let hasState: Bool
  let hasTime: Bool
  let hasGrowth: Bool
  /// Cells of the sparkline of CPU shares.
  var history = 0

  /// - Parameters:
  ///   - columns: the columns of a row.
  ///   - hasGrown: whether some process has grown, so that there is a value to show.
  init(_ columns: Int, _ order: ProcessOrder, hasGrown: Bool) {
    hasMemory = columns >= 18 + leastProcessName
    hasPid = columns >= 30
    hasState = columns >= PageRows.wideColumns
    hasTime = columns >= 100
    hasGrowth = columns >= 48 && (order == .growth || (columns >= 100 && hasGrown))
    let rest = columns - beforeCPU - valueWidth - threadColumns - timeColumns
    // A wide list shows whole command lines, a narrow one their beginnings. What is left beyond a short sparkline goes to
    // both.
    let spare = rest - (columns >= PageRows.wideColumns ? 46 : 24)
    let more = max(0, spare - 2 * ShareHistories.shortCapacity) / 2
    history = PageRows.historyColumns(
      spare, most: min(ShareHistories.capacity, ShareHistories.shortCapacity + more))
  }

  /// Columns of memory: `41.1M`.
  static let memoryWidth = NumberFormat.compactWidth
  /// Columns of a growth: a sign and memory.
  static let growthWidth = NumberFormat.compactWidth + 1

  /// The columns before the values, each with a blank after it.
  var beforeCPU: Int {
    (hasPid ? ProcessColumns.pidWidth + 1 : 0) + (hasState ? ProcessColumns.stateWidth + 1 : 0)
  }
  /// The columns of the number of threads and of the CPU time, each with a blank after it.
  var threadColumns: Int { hasState ? ProcessColumns.threadsWidth + 1 : 0 }
  var timeColumns: Int { hasTime ? ProcessColumns.timeWidth + 1 : 0 }

  /// The columns of the values of CPU, memory and growth, with a blank after each.
  var valueWidth: Int {
    var width = NumberFormat.percentWidth + 1
    if hasMemory { width += ProcessColumns.memoryWidth + 1 }
    if hasGrowth { width += ProcessColumns.growthWidth + 1 }
    if history > 0 { width += history + 1 }
    return width
  }
}

extension PageRows {
  // MARK: The heads of the columns

  /// Whether a page has column headings, if it has enough rows.
  ///
  /// - Parameters:
  ///   - columns: the columns of a row.
  ///   - isEmpty: whether the page has nothing to show yet.
  static func hasHeads(_ page: ListPage, columns: Int, isEmpty: Bool = false) -> Bool {
    switch page {
    case .processes, .threads, .mappings: true
    // An empty page of these says what would fill it.
    case .actions: !isEmpty
    case .phases: !isEmpty && columns >= phasePeakColumns
    case .alerts: !isEmpty && columns >= alertHeadColumns
    case .log, .frames, .bottlenecks: false
    }
  }
  var hasHeads: Bool {
    PageRows.hasHeads(page, columns: columns, isEmpty: count == 0)
  }
  /// Whether the headings have a row of their own: where there are enough rows, or the list leaves one.
  func hasHeads(in rows: Int) -> Bool {
    hasHeads && (rows >= (page == .mappings ? 3 : 4) || (rows > count && count > 0))
  }

  /// Appends the column headings.
  func writeHeads(to line: inout ListRow) {
    if page == .phases { return writePhaseHeads(to: &line) }
    if page == .actions { return writeActionHeads(to: &line) }
    if page == .threads { return writeThreadHeads(to: &line) }
    if page == .mappings { return writeMappingHeads(to: &line) }
    if page == .alerts { return writeAlertHeads(to: &line) }
    let shown = processColumns
    if shown.hasPid { head(.columnPid, ProcessColumns.pidWidth, to: &line) }
    if shown.hasState { head(.columnState, ProcessColumns.stateWidth, isRight: false, to: &line) }
    let order = context.state.processList.order
    head(
      .cpu, NumberFormat.percentWidth, isOrder: order == .cpu,
      touchesCommand: !shown.hasMemory && shown.history == 0, to: &line)
    writeTrendHead(shown.history, to: &line)
    if shown.hasMemory {
      head(
        .memory, ProcessColumns.memoryWidth, isOrder: order == .memory,
        touchesCommand: !shown.hasGrowth && !shown.hasState, to: &line)
    }
    if shown.hasGrowth {
      head(
        .columnGrowth, ProcessColumns.growthWidth, isOrder: order == .growth,
        touchesCommand: !shown.hasState, to: &line)
    }
    if shown.hasState { head(.columnThreads, ProcessColumns.threadsWidth, to: &line) }
    if shown.hasTime { head(.columnTime, ProcessColumns.timeWidth, to: &line) }
    let last: Word = context.state.processList.showsCommandLine ? .columnCommand : .columnName
    line.append(last.text(language), .title)
  }

  /// - Parameters:
  ///   - isOrder: Whether the rows are sorted by the column: then it has a mark, after the word.
  ///   - touchesCommand: Whether a word follows directly: then the mark is before the word, where there is a blank.
  func head(
    _ word: Word, _ width: Int, isRight: Bool = true, isOrder: Bool = false,
    touchesCommand: Bool = false, to line: inout ListRow
  ) {
    let text = word.text(language)
    let mark = context.glyph("▼", "v")
    var blanks = width - Canvas.width(text)
    let isMarkFirst = isOrder && touchesCommand && blanks > 0
    if isMarkFirst { blanks -= 1 }
    if isRight { line.blanks(blanks) }
    if isMarkFirst { line.append(mark, .cpuLabel) }
    line.append(text, .title)
    if !isRight { line.blanks(blanks) }
    let isMarkLast = isOrder && !isMarkFirst
    line.append(isMarkLast ? mark : " ", isMarkLast ? .cpuLabel : .text)
  }

  /// Appends the heading of a sparkline of CPU shares and a blank, if there is one.
  func writeTrendHead(_ cells: Int, to line: inout ListRow) {
    guard cells > 0 else { return }
    // Above the newest cells.
    let text = Word.columnTrend.text(language)
    line.blanks(cells - Canvas.width(text))
    line.append(text, .title)
    line.append(" ")
  }

  // MARK: Rows

  /// The columns of the list of processes.
  var processColumns: ProcessColumns {
    ProcessColumns(
      columns, context.state.processList.order, hasGrown: context.order.listing.hasGrown)
  }

  /// A growth with its sign: `+1.25M`; nothing if it is too small to be one.
  private func growth(_ bytes: Double) -> ShortText {
    guard abs(bytes) >= Verdict.leastNoise else { return ShortText() }
    var text = ShortText(bytes < 0 ? "-" : "+")
    text.append(NumberFormat.compactBytes(abs(bytes)))
    return text
  }

  func writeListing(_ row: Int, to line: inout ListRow) {
    guard let listing, let table = listing.table, let entry = listing.entry(inRow: row) else {
      if row == listing?.endedRow, let ended = listing?.table?.ended {
        return writeEnded(ended, to: &line)
      }
      return writeOthers(context.order.listing.others, to: &line)
    }
    let row = table.rows[entry.index]
    if table.request.kind == .threads {
      writeThread(row, index: entry.index, to: &line)
    } else {
      let commandLine =
        context.state.processList.showsCommandLine && !table.commandLines.isEmpty
        ? table.commandLines[entry.index] : ProcessArguments()
      writeProcess(row, entry, commandLine, to: &line)
    }
  }

  private func writeProcess(
    _ row: ProcessRow, _ entry: ProcessListing.Entry, _ commandLine: ProcessArguments,
    to line: inout ListRow
  ) {
    let shown = processColumns
    if shown.hasPid {
      line.right(number: Int(row.pid), ProcessColumns.pidWidth, .dim)
      line.append(" ")
    }
    line.beginUnsearched()
    if row.hasEnded {
      writeEnd(of: row, shown, to: &line)
    } else {
      if shown.hasState {
        writeState(of: row, index: entry.index, to: &line)
        line.append(" ")
      }
      // Children that outlive the target have their last values, which may be of any time.
      let role: Role = context.run.ended == nil ? .text : .dim
      let share = isTarget(row) ? context.row?[.cpuWindow].value : row.cpuPercent
      writePercent(share, role, to: &line)
      writeHistory(entry.index, columns: shown.history, to: &line)
      line.append(" ")
      if shown.hasMemory {
        let current = isTarget(row) ? context.row?[.footprint].value : nil
        let bytes = current ?? Double(row.footprintBytes)
        line.right(
          NumberFormat.compactBytes(bytes), ProcessColumns.memoryWidth,
          role == .text ? memoryRole(bytes) : role)
        line.append(" ")
      }
      if shown.hasGrowth {
        line.right(growth(row.growthBytes), ProcessColumns.growthWidth, .dim)
        line.append(" ")
      }
      if shown.hasState {
        line.right(number: Int(row.threads), ProcessColumns.threadsWidth, .dim)
        line.append(" ")
      }
    }
    if shown.hasTime {
      line.right(cpuTime(row.cpuNanoseconds), ProcessColumns.timeWidth, .dim)
      line.append(" ")
    }
    writeBranches(of: entry, to: &line)
    line.endUnsearched()
    writeCommand(of: row, commandLine, to: &line)
  }

  /// Whether the gauges show the values of this process alone. Its row has the same ones, which are newer than those of
  /// the list.
  private func isTarget(_ row: ProcessRow) -> Bool {
    !context.run.header.includesChildren && row.pid == context.row?.pid
  }

  /// Whether a command line does not have the name of its process, which has changed it: workers that a program has
  /// forked have the same command line, and only their names tell one from another.
  private func lacks(_ name: ProcessName, _ commandLine: ProcessArguments) -> Bool {
    let length = Int(name.count)
    guard length > 0, length <= commandLine.count else { return length > 0 }
    for start in 0...commandLine.count - length {
      var index = 0
      while index < length, commandLine[start + index] == name[index] { index += 1 }
      if index == length { return false }
    }
    return true
  }

  /// Appends the name, or the command line with the name of the program marked.
  private func writeCommand(
    of row: ProcessRow, _ commandLine: ProcessArguments, to line: inout ListRow
  ) {
    let role: Role = row.hasEnded ? .dim : .label
    guard !commandLine.isEmpty else { return line.append(row.name, role) }
    var end = 0
    var name = 0
    while end < commandLine.count, commandLine[end] != UInt8(ascii: " ") {
      end += 1
      if commandLine[end - 1] == UInt8(ascii: "/") { name = end }
    }
    // Only a path has a directory: `postgres: a/b` has none.
    let lead = commandLine[0]
    if lead != UInt8(ascii: "/"), lead != UInt8(ascii: "."), lead != UInt8(ascii: "~") { name = 0 }
    if lacks(row.name, commandLine) {
      line.append(row.name, role)
      line.append("  ")
    }
    let hasPath = columns - line.columns >= 40
    line.beginCommand()
    var decoder = UTF8Decoder()
    for index in 0..<commandLine.count {
      guard let scalar = decoder.feed(commandLine[index]), index >= name || hasPath else {
        continue
      }
      let part: Role = index < name ? .dim : index < end ? role : row.hasEnded ? .dim : .text
      line.append(ofCommand: scalar, part)
    }
  }

  /// Appends how a process has ended, in place of its values.
  private func writeEnd(
    of row: ProcessRow, _ shown: ProcessColumns, to line: inout ListRow
  ) {
    let start = line.mark
    let width =
      shown.valueWidth - 1
      + (shown.hasState ? ProcessColumns.stateWidth + ProcessColumns.threadsWidth + 2 : 0)
    let end = row.end.shortText(language)
    if row.state == .zombie, Canvas.width(end) + 12 <= width {
      line.append(row.state.word.text(language), .dim)
      line.append(" ", .dim)
    }
    line.append(end, .dim)
    line.fit(since: start, width, .dim, ellipsis: ellipsis)
    line.append(" ")
  }

  // MARK: Values

  /// Appends the state of a row: active if it has used a part of a core in the last two seconds, even if it slept
  /// whenever it was sampled.
  func writeState(of row: ProcessRow, index: Int, to line: inout ListRow) {
    let share = listing?.histories.mean(row: index) ?? 0
    let isBusy = share >= ShownValues.busyPercent
    // The last list of a target that has ended still has its threads.
    let hasEnded = page == .threads && context.row?.hasEnded == true
    // The same as in the title.
    let titleWord = page == .processes && isTarget(row) ? context.state.values.state : nil
    let word =
      hasEnded ? .foldEnded : titleWord ?? (isBusy ? row.state.wordWhileBusy : row.state.word)
    let start = line.mark
    let role: Role = isBusy && !hasEnded && context.run.ended == nil ? .text : .dim
    line.append(word.text(language), role)
    line.fit(since: start, ProcessColumns.stateWidth, role, ellipsis: ellipsis)
  }

  /// A smaller share is shown as `0.0 %`.
  private static let leastShownPercent = 0.05

  /// Shares as they are shown, in percent: from the first one on they stand out, and below the second they are dim.
  private static let greatShare = 10.0
  private static let smallShare = 1.0
  /// Parts of the memory of the greatest process: the same.
  private static let greatPart = 0.5
  private static let smallPart = 0.01

  /// The role of the memory of a process: it shows which ones have the most.
  private func memoryRole(_ bytes: Double) -> Role {
    // One process alone stands out from nothing.
    guard context.order.listing.entries.count > 1 else { return .text }
    let part = bytes / max(1, Double(context.order.listing.greatestBytes))
    return part >= PageRows.greatPart ? .memoryLabel : part < PageRows.smallPart ? .dim : .text
  }

  /// The role of a share. As a text it has the color of CPU if it is great, and is dim if it is small; in any role it is
  /// dim if it is shown as 0.
  func shareRole(_ value: Double, _ role: Role) -> Role {
    let share = value / context.cpuScale
    if share < PageRows.leastShownPercent { return .dim }
    guard role == .text else { return role }
    return share >= PageRows.greatShare ? .cpuLabel : share < PageRows.smallShare ? .dim : .text
  }

  /// Appends a share.
  func writePercent(_ value: Double?, _ role: Role = .text, to line: inout ListRow) {
    if let value {
      line.append(NumberFormat.percent(value / context.cpuScale), shareRole(value, role))
    } else {
      line.blanks(NumberFormat.percentWidth - 1, role)
      line.append(context.glyph("…", "-"), role)
    }
  }
}
