import Base
import Metrics
import Sampler
import Terminal

// The page that tells what holds the program back.

/// Columns of a name and of a figure with its unit.
private let nameColumns = 13
private let figureColumns = 11

/// A row of the page: the sum of it all first, then the reasons, the worst first.
func slowPieces(
  _ row: Int, _ slow: SlowReasons, _ scene: Scene, columns: Int
) -> [TextPiece] {
  let language = scene.language
  guard row > 0 else {
    guard let worst = slow.reasons.first, worst.grade >= .seen else {
      let word: Word = slow.isOwnWork ? .slowOwnWork : .slowNothing
      return [TextPiece("\(word.text(language))", .label)]
    }
    let word = worst.metric.slowWord ?? worst.metric.slowName
    return [TextPiece("\(word.text(language))", worst.grade == .felt ? .alert : .label)]
  }
  guard row <= slow.reasons.count else { return [] }
  let reason = slow.reasons[row - 1]
  let name = "\(reason.metric.slowName.text(language))"
  var pieces = [TextPiece(filled(name, nameColumns), reason.grade <= .calm ? .dim : .label)]
  guard case .value(let value) = reason.reading else {
    if case .absent(let absence) = reason.reading {
      pieces.append(TextPiece(" \(absence.word.text(language))", .dim))
    }
    return pieces
  }
  let role: Role =
    switch reason.grade {
    case .felt: .alert
    case .seen: .text
    case .calm, .missing: .dim
    }
  let figure = slowFigure(value, reason.metric)
  pieces.append(
    TextPiece(
      String(repeating: " ", count: max(1, figureColumns - figure.utf8.count)) + figure, role))
  // Some waited for the first figure; all did for the second.
  if let full = reason.metric.fullPressure, let all = scene.row?[full].value, columns >= 44 {
    var text = ShortText()
    text.append(all, decimals: 1)
    pieces.append(TextPiece("  \(Word.pressureFull.text(language)) \(text) %", .dim))
  }
  func append(_ text: String) {
    let used = pieces.reduce(0) { $0 + Canvas.columns(of: $1.text) }
    if used + Canvas.columns(of: text) <= columns { pieces.append(TextPiece(text, .dim)) }
  }
  if let word = reason.metric.slowWord { append("  \(word.text(language))") }
  if reason.metric.fullPressure != nil, scene.row?.isPressureOfCgroup == false {
    append(" (\(Word.wholeMachine.text(language)))")
  }
  return pieces
}

private func filled(_ text: String, _ columns: Int) -> String {
  text + String(repeating: " ", count: max(0, columns - Canvas.columns(of: text)))
}

/// The figure with its unit.
private func slowFigure(_ value: Double, _ metric: Metric) -> String {
  var text = ShortText()
  switch metric.unit {
  case .bytesPerSecond: return NumberFormat.rate(value).trimmedText
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
  return "\(text)"
}

extension Metric {
  /// How the page calls it.
  fileprivate var slowName: Word {
    switch self {
    case .cpuWait: .wait
    case .throttled: .throttled
    case .memoryPressure: .memoryPressure
    case .ioPressure: .ioPressure
    case .cpuPressure: .cpuPressure
    case .majorFaults: .majorFaultsLong
    case .involuntarySwitches: .involuntarySwitches
    case .readRate: .reads
    case .writeRate: .writes
    default: .voluntarySwitches
    }
  }

  /// What it means; `nil` if it only tells what the program does.
  fileprivate var slowWord: Word? {
    switch self {
    case .cpuWait: .slowWait
    case .throttled: .slowThrottled
    case .memoryPressure: .slowMemory
    case .ioPressure: .slowIO
    case .cpuPressure: .slowCPU
    case .majorFaults: .slowMajorFaults
    case .involuntarySwitches: .slowPreempted
    default: nil
    }
  }

  /// The share of the time in which all waited and not only some.
  fileprivate var fullPressure: Metric? {
    switch self {
    case .memoryPressure: .memoryPressureFull
    case .ioPressure: .ioPressureFull
    case .cpuPressure: .cpuPressureFull
    default: nil
    }
  }
}
