import Metrics
import PerfHUDBase

// The rows of the actions, and of the values that the program reports.

extension PageRows {
  /// Columns of a name next to its values and the mark of a rate that is too high.
  private var nameColumns: Int {
    switch columns {
    case 100...: 20
    case 48...: 15
    case 30...: max(6, min(15, columns - 21))
    default: max(4, columns - 3 - 2 * countColumns)
    }
  }

  /// Columns of a count and of a rate; fewer if names could not be distinguished otherwise.
  private var countColumns: Int { columns >= 30 ? 7 : 6 }

  func write(_ total: ActionTotal, to line: inout ListRow) {
    let isShort = columns < 30
    var count = ShortText(total.isExact ? "" : context.state.isASCII ? ">" : "≥")
    if isShort {
      count.append(NumberFormat.count(Double(total.count)).trimmed)
    } else {
      count.append(decimal: total.count)
    }
    write(total.name, nameColumns, .label, to: &line)
    line.append(" ")
    line.right(count, countColumns)
    line.append(" ", total.isHigh ? .alert : .text)
    line.right(perSecond(total.rate), countColumns, total.isHigh ? .alert : .text)
    guard !isShort else {
      if total.isHigh { line.append("!", .alert) }
      return
    }
    let high = Word.actionHigh.text(language)
    var start = line.mark
    if total.isHigh || columns >= 52 {
      line.append(" ", .alert)
      let word = line.mark
      if total.isHigh { line.append(high, .alert) }
      line.fit(since: word, Canvas.width(high), .alert, ellipsis: ellipsis)
      line.keep(since: start, within: columns)
    }
    start = line.mark
    line.append("  ", .dim)
    line.append(Word.peak.text(language), .dim)
    line.append(" ", .dim)
    line.right(perSecond(total.peakRate), 7)
    line.keep(since: start, within: columns)
    if columns >= PageRows.wideColumns { writeEffects(total, to: &line) }
  }

  /// A missing value leaves its columns empty.
  private func writeEffects(_ total: ActionTotal, to line: inout ListRow) {
    var start = line.mark
    let hasChange = abs(total.memoryBytes) >= Verdict.leastNoise
    line.append(hasChange ? "  MEM " : "      ", .dim)
    line.right(
      hasChange ? signed(total.memoryBytes) : ShortText(), NumberFormat.bytesWidth + 1)
    line.keep(since: start, within: columns)
    start = line.mark
    line.append("  ", .dim)
    let often = line.mark
    if total.timesHigh > 0 {
      line.append(Word.actionHigh.text(language), .dim)
      line.append(" ", .dim)
      line.right(number: Int(total.timesHigh), 3, .dim)
      line.append(times, .dim)
    }
    line.fit(since: often, 9, .dim, ellipsis: ellipsis)
    line.keep(since: start, within: columns)
    guard total.slowFrames > 0 else { return }
    start = line.mark
    line.append("  ", .dim)
    line.append(Word.slowFrames.text(language), .dim)
    line.append(" ", .dim)
    line.append(number: Int(clamping: total.slowFrames))
    line.keep(since: start, within: columns)
  }

  /// Writes a value that the program reports: the last one and its extremes.
  func write(_ value: ProgramValue, to line: inout ListRow) {
    write(value.name, nameColumns, .label, to: &line)
    let start = line.mark
    line.append(" ")
    line.right(formatted(value.last), 9)
    write(unit: value, to: &line)
    line.keep(since: start, within: columns)
    write(.least, value.least, of: value, to: &line)
    write(.greatest, value.greatest, of: value, to: &line)
  }

  private func write(
    _ word: Word, _ extreme: Double, of value: ProgramValue, to line: inout ListRow
  ) {
    let start = line.mark
    line.append("  ", .dim)
    line.append(word.text(language), .dim)
    line.append(" ", .dim)
    line.append(formatted(extreme))
    write(unit: value, to: &line)
    line.keep(since: start, within: columns)
  }

  private func write(unit value: ProgramValue, to line: inout ListRow) {
    guard !value.unit.isEmpty else { return }
    line.append(" ")
    line.append(value.unit)
  }

  private func formatted(_ value: Double) -> ShortText {
    var text = ShortText()
    text.append(value, decimals: value.magnitude < 1000 ? 2 : 0)
    return text
  }
}
