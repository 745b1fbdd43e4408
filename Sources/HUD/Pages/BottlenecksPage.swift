import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The page of bottlenecks: what holds the program back.

/// Columns of a value: a number, a blank, and a unit, `34.4 %`, `1.83M /s`. All numbers end in the same column, and all
/// units begin in another.
private let valueColumns = numberColumns + 1 + unitColumns
private let numberColumns = 6
private let unitColumns = 2

/// The columns of the trend: the least, those that go before the meaning of a reason, the most, and the columns of the
/// widest meaning, `, all of them 12.3 %` included.
private let leastTrend = 6
private let usualTrend = 10
private let mostTrend = 30
private let meaningColumns = 54

/// The shares of the time, in percent, that a whole cell of the trend shows at least.
private let leastTrendScale = 10.0

/// The least wait for a core, in percent, that is also said in tasks: about one is what the percentage says.
private let leastTasksPercent = 110.0

/// The least columns of the name of a value of the machine: in them `machine cpu` is whole.
private let leastMachineName = 12

extension PageRows {
  /// Columns of the widest name, including a blank.
  private func nameColumns(_ bottlenecks: Bottlenecks) -> Int {
    var widest = 0
    for index in 0..<bottlenecks.reasons.count {
      let reason = bottlenecks.reasons[index]
      let isKnown = reason.reading.value != nil
      widest = max(
        widest,
        isKnown
          ? nameWidth(reason.metric) : Canvas.width(reason.metric.label.text(language)))
    }
    return widest + 1
  }

  /// The rows of the page: a verdict, the reasons with a row of their own, and the names of those at 0.
  func bottleneckCount(_ bottlenecks: Bottlenecks) -> Int {
    1 + reasonRows.ownCount + zeroRowCount(reasonRows, bottlenecks)
  }

  /// Writes a row of the page: a verdict first, then the reasons.
  func writeBottleneck(_ row: Int, _ bottlenecks: Bottlenecks, to line: inout ListRow) {
    guard row > 0 else { return writeVerdict(bottlenecks, to: &line) }
    let rows = reasonRows
    guard row <= rows.ownCount else {
      return writeNamesAtZero(inRow: row - 1 - rows.ownCount, rows, bottlenecks, to: &line)
    }
    let index = rows[row - 1]
    let reason = bottlenecks.reasons[index]
    let names = nameColumns(bottlenecks)
    switch reason.reading {
    case .absent(let absence):
      let start = line.mark
      line.append(reason.metric.label.text(language), .dim)
      let word = Canvas.width(absence.word.text(language))
      // A mark ends where numbers end; words begin where they would.
      let isWide = names + valueColumns <= columns
      let end = word <= numberColumns ? names + numberColumns : names + word
      line.blanks(
        max(1, (isWide ? end : min(end, columns)) - word - line.columns(since: start)), .dim)
      line.append(absence.word.text(language), .dim)
    case .value(let value): writeBottleneck(value, of: reason, index, names, to: &line)
    }
  }

  // MARK: The verdict

  /// Writes what costs most: `waits for a free core`. Its value is in a row below, unless that row is not visible.
  private func writeVerdict(_ bottlenecks: Bottlenecks, to line: inout ListRow) {
    let state = context.row?.state ?? .unknown
    switch state {
    case .stopped, .traced, .zombie: return line.append(state.word.text(language), .alert)
    default: break
    }
    if bottlenecks.verdictWithoutReason == .slowAsleep, let sleep = bottlenecks.sleep {
      return writeSleep(sleep, to: &line)
    }
    let worst = bottlenecks.named
    guard worst.grade >= .seen, case .value(let value) = worst.reading else {
      line.append(bottlenecks.verdictWithoutReason.text(language), .label)
      return writeCPU(bottlenecks, to: &line)
    }
    let isFelt = worst.grade == .felt
    let role: Role = context.run.ended != nil ? .dim : isFelt ? .alert : .label
    let word =
      isFelt
      ? worst.metric.definition.meaning ?? worst.metric.label : bottlenecks.verdictWithoutReason
    line.append(word.text(language), role)
    guard word != .slowOwnWork else { return writeCPU(bottlenecks, to: &line) }
    if isOfCores(worst.metric) { writeOthers(role, to: &line) }
    // Below the verdict.
    let row = reasonRows.place(of: bottlenecks.namedIndex) + 1
    guard row >= visibleRows else { return }
    let start = line.mark
    line.append(": ", role)
    if !isFelt {
      if word != .slowMachine, isOfMachine(worst.metric) {
        line.append(Word.ofMachine.text(language), role)
      }
      line.append(worst.metric.label.text(language), role)
      line.append(" ", role)
    }
    if context.lacksProcesses(worst.metric) { line.append(context.atLeastText, role) }
    line.append(number(value, worst.metric), role)
    line.append(unit(worst.metric), role)
    line.keep(since: start, within: columns)
  }

  /// Writes how much of the time the program sleeps: `asleep 70 % of the time`.
  private func writeSleep(_ sleep: Bottlenecks.Sleep, to line: inout ListRow) {
    let role: Role = context.run.ended == nil ? .label : .dim
    guard case .percent(let percent, let isLowerBound) = sleep else {
      return line.append(Word.slowMostlyAsleep.text(language), role)
    }
    line.append(Word.slowAsleep.text(language), role)
    line.append(" ", role)
    if isLowerBound { line.append(context.atLeastText, role) }
    var text = ShortText()
    text.append(percent.rounded(.down), decimals: 0)
    text.append(" %")
    line.append(text, role)
    let start = line.mark
    line.append(Word.slowAsleepOfTime.text(language), role)
    line.keep(since: start, within: columns)
  }

  /// Whether a reason is that all cores are busy, of this program or of others.
  private func isOfCores(_ metric: Metric) -> Bool {
    metric == .cpuWait || metric == .cpuPressure || metric == .involuntarySwitches
  }

  /// Appends how much of the cores other processes use.
  private func writeOthers(_ role: Role, to line: inout ListRow) {
    guard let share = context.run.othersCPUPercent else { return }
    let start = line.mark
    line.append(language == .english ? ", " : "、", role)
    line.append(Word.othersUse.text(language), role)
    line.append(" ", role)
    line.append(NumberFormat.percent(share / context.cpuScale).trimmed, role)
    line.keep(since: start, within: columns)
  }

  /// Appends the processor time of a program that nothing holds back.
  private func writeCPU(_ bottlenecks: Bottlenecks, to line: inout ListRow) {
    guard let share = context.row?[.cpuWindow].value else { return }
    let start = line.mark
    line.append(": ", .label)
    line.append(Word.cpu.text(language), .label)
    line.append(" ", .label)
    line.append(NumberFormat.percent(share / context.cpuScale).trimmed, .label)
    line.keep(since: start, within: columns)
  }

  // MARK: Reasons

  /// The columns of the trend behind a value; 0 without room. What the meanings leave lengthens it.
  private func trendColumns(after end: Int) -> Int {
    let rest = columns - end - 2
    guard rest >= leastTrend else { return 0 }
    return min(mostTrend, max(min(usualTrend, rest), rest - meaningColumns))
  }

  /// Appends the values of the last seconds, the newest on the right. A whole cell is the greatest of them, or a tenth
  /// of the time if that is more.
  ///
  /// - Parameter index: the index of the reason.
  private func writeTrend(
    _ index: Int, _ metric: Metric, _ role: Role, columns trend: Int, to line: inout ListRow
  ) {
    line.append("  ", .dim)
    let history = context.state.values.reasons
    // In units of the metric: milliseconds a second are tenths of a percent.
    var scale =
      metric.unit == .percent
      ? leastTrendScale : metric.unit == .millisecondsPerSecond ? 10 * leastTrendScale : 1
    var age = 0
    while age < trend {
      scale = max(scale, history.value(index, age: age) ?? 0)
      age += 1
    }
    while age > 0 {
      age -= 1
      let value = history.value(index, age: age)
      writeCell(value, of: scale, role, least: Bottlenecks.leastValue(of: metric), to: &line)
    }
  }

  /// - Parameters:
  ///   - index: the index of the reason.
  ///   - names: the columns of the widest name.
  private func writeBottleneck(
    _ value: Double, of reason: Bottlenecks.Reason, _ index: Int, _ names: Int,
    to line: inout ListRow
  ) {
    let role: Role =
      switch reason.grade {
      // What held back a program that has ended is no longer urgent.
      case .felt: context.run.ended == nil ? .alert : .text
      case .seen: .text
      case .calm, .missing: .dim
      }
    let nameRole: Role = reason.grade <= .calm ? .dim : .label
    let scope: Word? = context.isOfFirstProcess(reason.metric) ? .firstProcess : nil
    let isNarrow = names + valueColumns > columns
    var digits = number(value, reason.metric, isShort: isNarrow)
    let isZero = digits.count == 1 && digits[0] == UInt8(ascii: "0")
    // `≥ 0` would say nothing.
    let isUnknown = isZero && context.lacksProcesses(reason.metric)
    if isUnknown { digits = ShortText(context.dashText) }
    let end = min(columns, names + valueColumns)
    let trend = trendColumns(after: end)
    // Without room for the word, the value is a lower bound for all processes.
    let least = end + (trend > 0 ? trend + 2 : 0)
    let isMarked =
      !isUnknown
      && scope.map { least + 4 + Canvas.width($0.text(language)) > columns }
        ?? context.lacksProcesses(reason.metric)
    // The name is cut, never the value or its unit.
    let start = end - unitColumns - (isNarrow ? 0 : 1) - Canvas.width(digits) - (isMarked ? 1 : 0)
    let room = start - 1
    let name = line.mark
    if isOfMachine(reason.metric), room >= leastMachineName {
      line.append(Word.ofMachine.text(language), nameRole)
    }
    line.append(reason.metric.label.text(language), nameRole)
    if line.columns > room {
      line.fit(since: name, max(1, room), role, ellipsis: ellipsis)
    }
    line.blanks(start - line.columns, role)
    // A value that is not 0 is worth reading, whatever its grade.
    let valueRole: Role = role == .dim && !isZero ? .text : role
    if isMarked { line.append(context.atLeastText, valueRole) }
    line.append(digits, valueRole)
    if !isUnknown {
      line.append(unit(reason.metric, isShort: isNarrow), isZero ? .dim : valueRole)
    }
    line.blanks(end - line.columns, role)
    if trend > 0 {
      let trendRole: Role = role == .text ? .cpu : role
      writeTrend(index, reason.metric, trendRole, columns: trend, to: &line)
    }
    // If only one of them fits, the scope matters more than the meaning.
    let note = line.mark
    var isWhole = append(meaning(of: reason), "  ", "", to: &line)
    isWhole = append(scope, " (", ")", to: &line) && isWhole
    if !isWhole, scope != nil {
      line.cut(to: note)
      _ = append(scope, "  (", ")", to: &line)
    }
    guard isWhole else { return }
    if reason.metric == .cpuWait, value >= leastTasksPercent {
      return writeTasks(value, isLowerBound: isMarked, to: &line)
    }
    // The value is the share of the time in which some tasks waited; this is the share in which all did.
    guard let metric = reason.metric.fullPressure, let all = context.row?[metric].value,
      all >= 0.05
    else { return }
    let full = line.mark
    line.append(", ", .dim)
    line.append(Word.pressureAll.text(language), .dim)
    var text = ShortText(" ")
    text.append(all, decimals: 1)
    text.append(" %")
    line.append(text, .dim)
    line.keep(since: full, within: columns)
  }

  /// Appends how many tasks wait at a time, if they waited longer altogether than the time that passed.
  private func writeTasks(_ percent: Double, isLowerBound: Bool, to line: inout ListRow) {
    let start = line.mark
    line.append(", ", .dim)
    if isLowerBound { line.append(context.atLeastText, .dim) }
    var text = ShortText()
    text.append(percent / 100, decimals: 1)
    text.append(" ")
    line.append(text, .dim)
    line.append(Word.tasksOnAverage.text(language), .dim)
    line.keep(since: start, within: columns)
  }

  private func meaning(of reason: Bottlenecks.Reason) -> Word? {
    let isOfQuota =
      reason.metric == .cpuWait && reason.grade >= .seen
      && context.row.map { Bottlenecks.isWaitOfQuota(in: $0) } == true
    return isOfQuota ? .slowWaitOfQuota : reason.metric.definition.meaning
  }

  // MARK: Values

  /// The number of a value: of a share of the time with one decimal, of a count without one, of bytes with three digits.
  /// What is not worth a digit is 0.
  ///
  /// - Parameter isShort: Whether there are at most two digits, for a narrow list.
  private func number(_ value: Double, _ metric: Metric, isShort: Bool = false) -> ShortText {
    if metric.unit == .bytesPerSecond {
      return isShort ? NumberFormat.shortBytes(value) : NumberFormat.compactBytes(value)
    }
    let isShare = metric.isShareOfTime
    let value = metric.unit == .millisecondsPerSecond ? value / 10 : value
    guard value >= 0.05 else { return ShortText("0") }
    guard isShare || value < 99_999.5 else { return NumberFormat.count(value).trimmed }
    var text = ShortText()
    text.append(value, decimals: value < (!isShare ? 0.95 : isShort ? 9.95 : 999.95) ? 1 : 0)
    return text
  }

  /// The unit with the blank before it, if there is room for one.
  private func unit(_ metric: Metric, isShort: Bool = false) -> StaticString {
    metric.isShareOfTime ? " %" : isShort ? "/s" : " /s"
  }

  /// Appends a word, if there is one.
  ///
  /// - Returns: `false` if it does not fit.
  private func append(
    _ word: Word?, _ before: StaticString, _ after: StaticString, to line: inout ListRow
  ) -> Bool {
    guard let word else { return true }
    let start = line.mark
    line.append(before, .dim)
    line.append(word.text(language), .dim)
    line.append(after, .dim)
    return line.keep(since: start, within: columns)
  }
}

extension Metric {
  /// Whether the page shows its value in percent of the time.
  fileprivate var isShareOfTime: Bool { unit == .percent || unit == .millisecondsPerSecond }

  /// The label on the page of bottlenecks, where longer ones fit.
  var label: Word {
    switch self {
    case .majorFaults: .majorFaultsLong
    case .readRate: .diskReads
    case .writeRate: .diskWrites
    default: definition.word ?? .absentPending
    }
  }

  /// The metric for the share of time in which all tasks waited, not only some.
  fileprivate var fullPressure: Metric? {
    switch self {
    case .memoryPressure: .memoryPressureFull
    case .ioPressure: .ioPressureFull
    case .cpuPressure: .cpuPressureFull
    default: nil
    }
  }
}
