import Metrics
import PerfHUDBase
import PerfHUDEvents

// The rows of the actions: how often, how fast, when last.

/// The columns of a row of an action. A narrow list has only the first ones.
struct ActionColumns {
  static let highWidth = 8
  /// `HIGH` in a narrow list, with a blank on both sides.
  static let shortHighWidth = 6
  static let ageWidth = 10
  static let slowWidth = 12
  static let memoryWidth = NumberFormat.bytesWidth + 1

  let name: Int
  /// Columns of a count and of a rate; fewer if names could not be distinguished otherwise.
  let number: Int
  let isShort: Bool
  /// Whether it has how often it was HIGH, and when it happened last.
  let isWide: Bool
  /// Whether it has slow frames and memory.
  let hasEffects: Bool
  /// Cells of the sparkline of its rate.
  private(set) var history = 0

  /// - Parameters:
  ///   - columns: the columns of a row.
  ///   - longest: the columns of the longest name.
  init(_ columns: Int, longest: Int) {
    isShort = columns < 30
    isWide = columns >= PageRows.wideColumns
    hasEffects = columns >= 100
    number = isShort ? 6 : 7
    guard isWide else {
      // The name gets what count, rate and HIGH leave, and the peak if names stay long enough.
      let values = isShort ? 3 + 2 * number : 2 * (number + 1) + ActionColumns.shortHighWidth
      let peak = columns >= 40 ? number + 1 : 0
      name = isShort ? max(4, columns - values) : max(6, min(20, columns - values - peak))
      if peak > 0 { history = ActionColumns.cells(columns - name - values - peak) }
      return
    }
    // In steps, so that a new name seldom moves the columns.
    let most = columns >= 140 ? 32 : columns >= 100 ? 24 : 16
    name = min(most, max(12, (longest + 3) / 4 * 4))
    var rest = columns - name - 3 * (number + 1) - ActionColumns.highWidth - ActionColumns.ageWidth
    rest -= 2
    if hasEffects { rest -= ActionColumns.slowWidth + ActionColumns.memoryWidth + 2 }
    history = ActionColumns.cells(rest)
  }

  /// The cells of a sparkline with two blanks before it and one at the right edge; 0 if there were too few.
  private static func cells(_ columns: Int) -> Int {
    let cells = min(columns - 3, ActionTracker.keptSeconds)
    return cells < 6 ? 0 : cells
  }
}

extension PageRows {
  /// The columns of the longest name of an action or a value.
  static func longestName(_ run: Run) -> Int {
    var longest = 0
    for index in 0..<run.actions.count {
      longest = max(longest, Canvas.width(run.actions.name(index)))
    }
    let values = run.reports.values.all
    for index in 0..<values.count { longest = max(longest, Canvas.width(values[index].name)) }
    return longest
  }

  private var shown: ActionColumns { ActionColumns(columns, longest: longestName) }

  // MARK: Headings

  func writeActionHeads(to line: inout ListRow) {
    let actions = context.run.actions.count
    guard actions > 0 else { return writeValueHeads(to: &line) }
    let shown = shown
    heading(TableWord.action.text(language), shown.name, isRight: false, to: &line)
    heading(TableWord.count.text(language), shown.number + 1, to: &line)
    heading(TableWord.rate.text(language), shown.number + 1, to: &line)
    guard !shown.isShort else { return }
    guard shown.isWide else {
      line.blanks(ActionColumns.shortHighWidth)
      writeHistoryHead(shown.history, to: &line)
      let start = line.mark
      heading(Word.peak.text(language), shown.number + 1, to: &line)
      line.keep(since: start, within: columns)
      return
    }
    writeHistoryHead(shown.history, to: &line)
    heading(Word.peak.text(language), shown.number + 1, to: &line)
    heading(Word.actionHigh.text(language), ActionColumns.highWidth + 1, to: &line)
    heading(TableWord.lastTime.text(language), ActionColumns.ageWidth + 1, to: &line)
    guard shown.hasEffects else { return }
    heading(Word.slowFrames.text(language), ActionColumns.slowWidth + 1, to: &line)
    heading(TableWord.memoryPerRun.text(language), ActionColumns.memoryWidth + 1, to: &line)
  }

  private func writeHistoryHead(_ cells: Int, to line: inout ListRow) {
    guard cells > 0 else { return }
    // No longer than the run, and above the newest cells.
    let start = context.run.header.start.nanoseconds / 1_000_000_000
    let current = now.nanoseconds / 1_000_000_000
    let seconds = min(cells, max(1, Int(clamping: current) - Int(clamping: start)))
    let text = TableWord.lastSeconds.text(language, seconds)
    line.blanks(2 + max(0, cells - Canvas.width(text)))
    let head = line.mark
    line.append(text, .title)
    line.fit(since: head, min(cells, Canvas.width(text)), .title, ellipsis: ellipsis)
  }

  private func heading(
    _ text: StaticString, _ width: Int, isRight: Bool = true, to line: inout ListRow
  ) {
    let blanks = width - Canvas.width(text)
    if isRight { line.blanks(blanks) }
    line.append(text, .title)
    if !isRight { line.blanks(blanks) }
  }

  // MARK: Actions

  func writeAction(_ index: Int, to line: inout ListRow) {
    let total = context.run.actions.totals(index, asOf: now)
    let shown = shown
    var count = ShortText(total.isExact ? "" : context.atLeastText)
    if shown.isShort {
      count.append(NumberFormat.count(Double(total.count)).trimmed)
    } else {
      count.append(decimal: total.count)
    }
    let rateRole: Role = total.isHigh ? .alert : total.rate > 0 ? .text : .dim
    write(total.name, shown.name, .label, to: &line)
    line.append(" ")
    line.right(count, shown.number)
    line.append(" ", rateRole)
    line.right(perSecond(total.rate), shown.number, rateRole)
    guard !shown.isShort else {
      if total.isHigh { line.append("!", .alert) }
      return
    }
    guard shown.isWide else {
      let high = line.mark
      if total.isHigh {
        line.append(" ", .alert)
        line.append(Word.actionHigh.text(language), .alert)
      }
      line.fit(since: high, ActionColumns.shortHighWidth, .text, ellipsis: ellipsis)
      line.keep(since: high, within: columns)
      writeRateHistory(index, columns: shown.history, to: &line)
      let start = line.mark
      line.right(perSecond(total.peakRate), shown.number + 1)
      line.keep(since: start, within: columns)
      return
    }
    writeRateHistory(index, columns: shown.history, to: &line)
    line.right(perSecond(total.peakRate), shown.number + 1)
    writeTimesHigh(total, to: &line)
    line.right(age(of: total.last), ActionColumns.ageWidth + 1, .dim)
    if shown.hasEffects { writeEffects(total, to: &line) }
  }

  /// Appends how often an action happened in each of the last whole seconds, the newest on the right. A step more is
  /// twice as often, so that one event is seen beside a hundred. Seconds above the limit have the color of an alert.
  private func writeRateHistory(_ index: Int, columns: Int, to line: inout ListRow) {
    guard columns > 0 else { return }
    let tracker = context.run.actions
    let start = context.run.header.start.nanoseconds / 1_000_000_000
    let current = now.nanoseconds / 1_000_000_000
    line.blanks(2)
    var age = columns
    while age > 0 {
      defer { age -= 1 }
      guard current >= start + UInt64(age) else {
        line.append(" ")
        continue
      }
      let second = tracker.second(index, age: age, asOf: now)
      guard second.step > 0 else {
        line.append(Sparkline.baseGlyph(context), .track)
        continue
      }
      line.append(
        height: min(Sparkline.steps, second.step), second.isHigh ? .alert : .cpu, context)
    }
  }

  /// Appends `HIGH` while an action is, and how often it has been.
  private func writeTimesHigh(_ total: ActionTotal, to line: inout ListRow) {
    let role: Role = total.isHigh ? .alert : .dim
    var text = ShortText()
    if total.isHigh {
      text.append(Word.actionHigh.text(language))
      text.append(" ")
    }
    if total.timesHigh > 0 {
      text.append(decimal: Int(total.timesHigh))
      text.append(times)
    }
    line.right(text, ActionColumns.highWidth + 1, role)
  }

  /// How long ago something was, or that it is now.
  func age(of time: Instant) -> ShortText {
    let seconds = max(0, now.seconds(since: time))
    guard seconds >= 1 else { return ShortText(Word.now.text(language)) }
    var text = NumberFormat.duration(seconds: seconds)
    text.append(Word.ago.text(language))
    return text
  }

  /// A dash for a change of memory that cannot be attributed to an action.
  private func writeEffects(_ total: ActionTotal, to line: inout ListRow) {
    var slow = ShortText()
    slow.append(decimal: total.slowFrames)
    line.right(slow, ActionColumns.slowWidth + 1, total.slowFrames > 0 ? .text : .dim)
    var change = ShortText(context.dashText)
    if let bytes = total.bytesPerRun {
      change = abs(bytes) >= Verdict.leastNoise ? signed(bytes) : ShortText("0")
    }
    let isChange = abs(total.bytesPerRun ?? 0) >= Verdict.leastNoise
    line.right(change, ActionColumns.memoryWidth + 1, isChange ? .text : .dim)
  }
}
