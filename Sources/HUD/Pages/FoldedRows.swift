import Metrics
import PerfHUDBase
import Sampler

// The last rows of a list of processes or threads, which stand for several: the processes that have ended, and those
// that did not fit. Their values are in the columns of the other rows.

extension PageRows {
  /// Appends the number of processes or threads that did not fit.
  func writeOthers(_ count: Int, to line: inout ListRow) {
    guard page == .processes else {
      line.append("+ ", .dim)
      line.append(number: count, .dim)
      line.append(" ", .dim)
      return line.append(Word.others.text(language), .dim)
    }
    let shown = processColumns
    line.blanks(shown.beforeCPU + shown.valueWidth + shown.threadColumns + shown.timeColumns)
    line.append(number: count, .dim)
    line.append(" ", .dim)
    line.append(Word.others.text(language), .dim)
  }

  /// Appends a summary of the processes that have ended: their number, their CPU share and time, greatest footprint, and
  /// how the last one ended.
  func writeEnded(_ ended: EndedProcesses, to line: inout ListRow) {
    let shown = processColumns
    line.blanks(shown.beforeCPU)
    if let share = endedPercent {
      writePercent(share, context.run.ended == nil ? .text : .dim, to: &line)
    } else {
      line.blanks(NumberFormat.percentWidth)
    }
    line.blanks(shown.valueWidth - NumberFormat.percentWidth + shown.threadColumns)
    let time = endedTime(ended)
    if shown.hasTime {
      line.right(time, ProcessColumns.timeWidth, .dim)
      line.append(" ")
    }
    if let entry = listing?.endedChild { writeBranches(of: entry, to: &line) }
    if ended.isCountLowerBound { line.append(context.atLeast, .dim) }
    line.append(number: Int(ended.count), .dim)
    line.append(" ", .dim)
    line.append(Word.foldEnded.text(language), .dim)
    // A narrow list has no column for the time; what it has goes right behind the number.
    if !shown.hasTime { writePart(.cpu, to: &line) { $0.append(time) } }
    guard ended.lastEnd != .none else { return }
    writePart(.foldMost, to: &line) {
      $0.append(NumberFormat.trimmed(Double(ended.greatestBytes), unit: .bytes))
    }
    // Without its status there is nothing to say about the last one.
    guard ended.lastEnd != .unknown else { return }
    writePart(.foldLast, to: &line) {
      $0.append(ended.lastName, .dim)
      $0.append(" ", .dim)
      $0.append(ended.lastEnd.shortText(language), .dim)
    }
  }

  /// Appends a word and a value, if both fit in the row.
  private func writePart(_ word: Word, to line: inout ListRow, _ value: (inout ListRow) -> Void) {
    let mark = line.mark
    if let last = line.last, last != " " { line.append("  ", .dim) }
    line.append(word.text(language), .dim)
    line.append(" ", .dim)
    value(&line)
    line.keep(since: mark, within: columns)
  }

  private func endedTime(_ ended: EndedProcesses) -> ShortText {
    var text = ShortText()
    if ended.isCPULowerBound { text.append(context.atLeastText) }
    text.append(cpuTime(ended.cpuNanoseconds))
    return text
  }

  /// What the processes that have ended used in the time that the shares of the others cover, in percent of one core:
  /// the share of the whole tree without these. `nil` if it is not known, or nothing.
  private var endedPercent: Double? {
    guard let listing, listing.others == 0,
      context.run.processesCPUPercent != nil, let whole = context.row?[.cpuWindow].value
    else { return nil }
    let rest = whole - listing.rowsPercent
    return rest >= PageRows.leastEndedPercent ? rest : nil
  }

  /// A smaller share is the error of the counters: a process that ends passes on its time in ticks of the kernel.
  private static let leastEndedPercent = 0.05
}

extension DrawContext {
  /// Whether the rows of a tree have more memory than the whole tree, because forked processes share pages, which each
  /// of their rows includes.
  var hasSharedPagesInEach: Bool {
    guard run.header.includesChildren, let table = order.listing.table,
      table.request.kind == .processes, let whole = row?[.footprint].value
    else { return false }
    var sum = 0.0
    for index in table.rows.indices where !table.rows[index].hasEnded {
      sum += Double(table.rows[index].footprintBytes)
    }
    return sum > 1.05 * whole + Verdict.leastNoise
  }
}
