import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The page of bottlenecks: what holds the program back.

/// Columns of a value including its unit.
private let valueColumns = 11

/// Columns of the widest name, including a blank.
private func nameColumns(_ bottlenecks: Bottlenecks, _ language: Language) -> Int {
  var widest = 0
  for index in 0..<bottlenecks.reasons.count {
    widest = max(widest, Canvas.width(bottlenecks.reasons[index].metric.label.text(language)))
  }
  return widest + 1
}

extension PageRows {
  /// Writes a row of the page: a summary first, then the reasons, the worst first.
  func writeBottleneck(_ row: Int, _ bottlenecks: Bottlenecks, to line: inout ListRow) {
    guard row > 0 else {
      if let worst = bottlenecks.reasons.first, worst.grade == .felt {
        let word = worst.metric.definition.meaning ?? worst.metric.label
        return line.append(word.text(language), .alert)
      }
      return line.append(bottlenecks.verdictWithoutReason.text(language), .label)
    }
    guard row <= bottlenecks.reasons.count else { return }
    let reason = bottlenecks.reasons[row - 1]
    let start = line.mark
    let names = nameColumns(bottlenecks, language)
    let nameRole: Role = reason.grade <= .calm ? .dim : .label
    line.append(reason.metric.label.text(language), nameRole)
    switch reason.reading {
    case .absent(let absence):
      line.blanks(names + 1 - line.columns(since: start), .dim)
      line.append(absence.word.text(language), .dim)
    case .value(let value): writeBottleneck(value, of: reason, name: start, names, to: &line)
    }
  }

  /// - Parameters:
  ///   - name: the column where the name begins.
  ///   - names: the columns of the widest name.
  private func writeBottleneck(
    _ value: Double, of reason: Bottlenecks.Reason, name: ListRow.Mark, _ names: Int,
    to line: inout ListRow
  ) {
    let role: Role =
      switch reason.grade {
      case .felt: .alert
      case .seen: .text
      case .calm, .missing: .dim
      }
    let valueText = valueText(value, reason.metric)
    // All values end in the same column. The name is cut, never the value or its unit.
    let end = min(names + valueColumns, columns)
    if line.columns + valueText.count + 1 > end {
      line.fit(since: name, max(1, end - valueText.count - 1), role, ellipsis: ellipsis)
    }
    line.blanks(end - valueText.count - line.columns, role)
    line.append(valueText, role)
    // The first value is the time in which some tasks waited, the second that in which all did.
    if let full = reason.metric.fullPressure, let all = context.row?[full].value, columns >= 44 {
      line.append("  ", .dim)
      line.append(Word.pressureFull.text(language), .dim)
      var text = ShortText(" ")
      text.append(all, decimals: 1)
      text.append(" %")
      line.append(text, .dim)
    }
    var start = line.mark
    if let word = reason.metric.definition.meaning {
      line.append("  ", .dim)
      line.append(word.text(language), .dim)
      line.keep(since: start, within: columns)
    }
    guard reason.metric.fullPressure != nil, context.row?.isPressureOfCgroup == false else {
      return
    }
    start = line.mark
    line.append(" (", .dim)
    line.append(Word.wholeMachine.text(language), .dim)
    line.append(")", .dim)
    line.keep(since: start, within: columns)
  }
}

/// The value with its unit.
private func valueText(_ value: Double, _ metric: Metric) -> ShortText {
  var text = ShortText()
  switch metric.unit {
  case .bytesPerSecond: return NumberFormat.rate(value).trimmed
  case .percent:
    text.append(value, decimals: value < 99.95 ? 1 : 0)
    text.append(" %")
  case .millisecondsPerSecond:
    text.append(value, decimals: value < 99.95 ? 1 : 0)
    text.append(" ms/s")
  default:
    text.append(value, decimals: value < 9.95 ? 1 : 0)
    text.append("/s")
  }
  return text
}

extension Metric {
  /// The label on the page of bottlenecks, where longer ones fit.
  fileprivate var label: Word {
    self == .majorFaults ? .majorFaultsLong : definition.word ?? .absentPending
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
