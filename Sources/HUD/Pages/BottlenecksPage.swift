import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The page of bottlenecks: what holds the program back.

/// Columns of a value: a number, a blank, and a unit, `1.834 MiB/s`. All numbers end in the same column. Where that does
/// not fit, the values have fewer digits and end in the last column.
private let valueColumns = 11
private let unitColumns = 5

/// Columns of the bar of a share of the time, and the least columns of a row with one.
private let barColumns = 10
private let leastColumnsWithBar = 45

/// The least columns of the name of a value of the machine: in them `machine cpu` is whole.
private let leastMachineName = 12

extension PageRows {
  /// Whether the longer names fit, and values with all their digits.
  private func isWide(_ names: Int) -> Bool { names + valueColumns <= columns }

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

  /// Writes a row of the page: a verdict first, then the reasons, the worst first.
  func writeBottleneck(_ row: Int, _ bottlenecks: Bottlenecks, to line: inout ListRow) {
    guard row > 0 else { return writeVerdict(bottlenecks, to: &line) }
    guard row <= bottlenecks.reasons.count else { return }
    let reason = bottlenecks.reasons[row - 1]
    let names = nameColumns(bottlenecks)
    switch reason.reading {
    case .absent(let absence):
      let start = line.mark
      line.append(reason.metric.label.text(language), .dim)
      let word = Canvas.width(absence.word.text(language))
      let end = isWide(names) ? min(names + 1, columns - word) : columns - word
      line.blanks(max(1, end - line.columns(since: start)), .dim)
      line.append(absence.word.text(language), .dim)
    case .value(let value): writeBottleneck(value, of: reason, names, to: &line)
    }
  }

  /// Writes what costs most and how much: `waits for a free core: 18.3 %`, `little holds it back: cpu wait 2.3 %`.
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
    let start = line.mark
    line.append(": ", role)
    if !isFelt {
      if word != .slowMachine, isOfMachine(worst.metric) {
        line.append(Word.ofMachine.text(language), role)
      }
      line.append(worst.metric.label.text(language), role)
      line.append(" ", role)
    }
    if context.isOfFirstProcess(worst.metric) { line.append(atLeast, role) }
    line.append(ValueText(value, worst.metric, isShort: false).text, role)
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
  private func writeBar(_ share: Double?, _ role: Role, to line: inout ListRow) {
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
    let isWide = isWide(names)
    var valueText = ValueText(value, reason.metric, isShort: !isWide)
    // Without room for the word, the value is a lower bound for all processes.
    let hasBar =
      isWide && columns >= max(leastColumnsWithBar, names + valueColumns + barColumns + 2)
    let least = names + valueColumns + (hasBar ? barColumns + 2 : 0)
    if let scope, least + 4 + Canvas.width(scope.text(language)) > columns {
      valueText.markLowerBound(atLeast)
    }
    // The name is cut, never the value or its unit.
    let end = isWide ? names + valueColumns : columns
    let start =
      isWide ? end - unitColumns - 1 - valueText.number : end - Canvas.width(valueText.text)
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
    line.append(valueText.text, role == .dim && value >= 0.05 ? .text : role)
    line.blanks(end - line.columns, role)
    if hasBar {
      let share = Bottlenecks.percent(value, of: reason.metric).map { $0 / 100 }
      writeBar(share, role == .dim ? .dim : .cpu, to: &line)
    }
    // If only one of them fits, the scope matters more than the meaning.
    let note = line.mark
    var isWhole = append(reason.metric.definition.meaning, "  ", "", to: &line)
    isWhole = append(scope, " (", ")", to: &line) && isWhole
    if !isWhole, scope != nil {
      line.cut(to: note)
      _ = append(scope, " (", ")", to: &line)
    }
    guard isWhole else { return }
    // The value is the share of the time in which some tasks waited; this is the share in which all did.
    guard let metric = reason.metric.fullPressure, let all = context.row?[metric].value else {
      return
    }
    let full = line.mark
    line.append("  ", .dim)
    line.append(Word.pressureFull.text(language), .dim)
    var text = ShortText(" ")
    text.append(all, decimals: 1)
    text.append(" %")
    line.append(text, .dim)
    line.keep(since: full, within: columns)
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

/// A value with its unit.
private struct ValueText {
  private(set) var text = ShortText()
  /// The columns of the number, before the blank and the unit.
  private(set) var number = 0

  /// - Parameter isShort: Whether a percentage or a rate of bytes has its short form with two digits.
  init(_ value: Double, _ metric: Metric, isShort: Bool) {
    switch metric.unit {
    case .bytesPerSecond where isShort:
      let short = NumberFormat.shortBytes(value)
      for index in 0..<short.count {
        if index > 0, index == short.count - 1 {
          number = text.count
          text.append(" ")
        }
        text.append(short[index])
      }
      if number == 0 {
        number = text.count
        text.append(" B")
      }
      text.append("/s")
    case .bytesPerSecond:
      text = NumberFormat.rate(value).trimmed
      while number < text.count, text[number] != UInt8(ascii: " ") { number += 1 }
    case .percent: append(value, decimals: value < (isShort ? 9.95 : 99.95) ? 1 : 0, " %")
    case .millisecondsPerSecond: append(value, decimals: value < 99.95 ? 1 : 0, " ms/s")
    default: append(value, decimals: value < 9.95 ? 1 : 0, " /s")
    }
  }

  /// Puts a mark before the number.
  mutating func markLowerBound(_ mark: StaticString) {
    var marked = ShortText(mark)
    marked.append(text)
    text = marked
    number += 1
  }

  private mutating func append(_ value: Double, decimals: Int, _ unit: StaticString) {
    text.append(value, decimals: decimals)
    number = text.count
    text.append(unit)
  }
}

extension Metric {
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
