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

/// The most and the least columns of the bar of a share of the time.
private let barColumns = 10
private let leastBar = 6

/// With more rows each reason keeps its row.
private let leastOrderedRows = 6

/// The least columns of the name of a value of the machine: in them `machine cpu` is whole.
private let leastMachineName = 12

extension PageRows {
  /// Columns of the widest name, including a blank.
  private func nameColumns(_ bottlenecks: Bottlenecks) -> Int {
    var widest = 0
    for index in 0..<bottlenecks.reasons.count {
      let reason = bottlenecks.reasons[index]
      let width = Canvas.width(reason.metric.label.text(language))
      let isOfMachine = isOfMachine(reason.metric) && reason.reading.value != nil
      widest = max(widest, width + (isOfMachine ? Canvas.width(Word.ofMachine.text(language)) : 0))
    }
    return widest + 1
  }

  /// Whether the values of a metric are those of the whole machine, because the cgroup of the target has none.
  private func isOfMachine(_ metric: Metric) -> Bool {
    switch metric {
    case .memoryPressure, .ioPressure, .cpuPressure: context.row?.isPressureOfCgroup == false
    default: false
    }
  }

  /// Writes a row of the page: a verdict first, then the reasons.
  func writeBottleneck(_ row: Int, _ bottlenecks: Bottlenecks, to line: inout ListRow) {
    guard row > 0 else { return writeVerdict(bottlenecks, to: &line) }
    guard row <= bottlenecks.reasons.count else { return }
    let reason = bottlenecks.reasons[index(ofRow: row, bottlenecks)]
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
    case .value(let value): writeBottleneck(value, of: reason, names, to: &line)
    }
  }

  /// Whether each reason keeps its row whatever its value, because the most important ones are visible.
  private var keepsOrder: Bool { visibleRows > leastOrderedRows }

  /// Whether a reason has a value that is worth a digit.
  private func hasDigit(_ reason: Bottlenecks.Reason) -> Bool {
    guard let value = reason.reading.value else { return false }
    return value >= (reason.metric.unit == .millisecondsPerSecond ? 0.5 : 0.05)
  }

  /// The reason in a row, counted from 1. In little room those with a value above 0 come first.
  private func index(ofRow row: Int, _ bottlenecks: Bottlenecks) -> Int {
    guard !keepsOrder else { return row - 1 }
    var left = row
    for pass in 0..<2 {
      for index in 0..<bottlenecks.reasons.count
      where hasDigit(bottlenecks.reasons[index]) == (pass == 0) {
        left -= 1
        if left == 0 { return index }
      }
    }
    return row - 1
  }

  /// The row of a reason, counted from 1.
  private func row(ofIndex index: Int, _ bottlenecks: Bottlenecks) -> Int {
    for row in 1...max(1, bottlenecks.reasons.count)
    where self.index(ofRow: row, bottlenecks) == index { return row }
    return index + 1
  }

  /// Writes what costs most: `waits for a free core`. Its value is in a row below, unless that row is not visible.
  private func writeVerdict(_ bottlenecks: Bottlenecks, to line: inout ListRow) {
    let state = context.row?.state ?? .unknown
    switch state {
    case .stopped, .traced, .zombie: return line.append(state.word.text(language), .alert)
    default: break
    }
    let worst = bottlenecks.named
    guard worst.grade >= .seen, case .value(let value) = worst.reading else {
      line.append(bottlenecks.verdictWithoutReason.text(language), .label)
      return writeCPU(bottlenecks, to: &line)
    }
    let isFelt = worst.grade == .felt
    let role: Role = isFelt ? .alert : .label
    let word =
      isFelt
      ? worst.metric.definition.meaning ?? worst.metric.label : bottlenecks.verdictWithoutReason
    line.append(word.text(language), role)
    guard word != .slowOwnWork else { return writeCPU(bottlenecks, to: &line) }
    guard row(ofIndex: bottlenecks.namedIndex, bottlenecks) >= visibleRows else { return }
    let start = line.mark
    line.append(": ", role)
    if !isFelt {
      if word != .slowMachine, isOfMachine(worst.metric) {
        line.append(Word.ofMachine.text(language), role)
      }
      line.append(worst.metric.label.text(language), role)
      line.append(" ", role)
    }
    if context.lacksProcesses(worst.metric) { line.append(atLeast, role) }
    line.append(number(value, worst.metric), role)
    line.append(unit(worst.metric), role)
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

  private var atLeast: StaticString { context.state.isASCII ? ">" : "≥" }

  /// Appends a bar for the share of the time, where a full bar is all of it; blanks for a metric without a share.
  private func writeBar(
    _ share: Double?, _ role: Role, columns barColumns: Int, to line: inout ListRow
  ) {
    line.append("  ", .dim)
    guard let share else { return line.blanks(barColumns, .dim) }
    // In eighths of a column. Any share above 0 gets at least one.
    let eighths = Int((min(1, max(0, share)) * Double(barColumns * 8)).rounded(.up))
    for index in 0..<barColumns {
      let rest = eighths - 8 * index
      if context.state.isASCII ? rest >= 4 : rest >= 8 {
        line.append(context.glyph("█", "#"), role)
      } else if rest > 0, !context.state.isASCII {
        line.append(Unicode.Scalar(UInt32(0x2590 - rest)) ?? "▏", role)
      } else {
        line.append(context.glyph("·", "."), .track)
      }
    }
  }

  /// - Parameter names: the columns of the widest name.
  private func writeBottleneck(
    _ value: Double, of reason: Bottlenecks.Reason, _ names: Int, to line: inout ListRow
  ) {
    let role: Role =
      switch reason.grade {
      case .felt: .alert
      case .seen: .text
      case .calm, .missing: .dim
      }
    let nameRole: Role = reason.grade <= .calm ? .dim : .label
    let scope: Word? = context.isOfFirstProcess(reason.metric) ? .firstProcess : nil
    let isNarrow = names + valueColumns > columns
    var digits = number(value, reason.metric, isShort: isNarrow)
    let isZero = digits.count == 1 && digits[0] == UInt8(ascii: "0")
    // At least nothing would say nothing.
    let isUnknown = isZero && context.lacksProcesses(reason.metric)
    if isUnknown { digits = ShortText(context.state.isASCII ? "-" : "–") }
    let end = min(columns, names + valueColumns)
    let bar = min(barColumns, columns - end - 2)
    // Without room for the word, the value is a lower bound for all processes.
    let least = end + (bar >= leastBar ? bar + 2 : 0)
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
    if isMarked { line.append(atLeast, valueRole) }
    line.append(digits, valueRole)
    if !isUnknown {
      line.append(unit(reason.metric, isShort: isNarrow), isZero ? .dim : valueRole)
    }
    line.blanks(end - line.columns, role)
    if bar >= leastBar {
      let share = Bottlenecks.percent(value, of: reason.metric).map { $0 / 100 }
      writeBar(share, role == .dim ? .dim : .cpu, columns: bar, to: &line)
    }
    // If only one of them fits, the scope matters more than the meaning.
    let note = line.mark
    var isWhole = append(meaning(of: reason), "  ", "", to: &line)
    isWhole = append(scope, " (", ")", to: &line) && isWhole
    if !isWhole, scope != nil {
      line.cut(to: note)
      _ = append(scope, " (", ")", to: &line)
    }
    guard isWhole else { return }
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
  fileprivate var label: Word {
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
