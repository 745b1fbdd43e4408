import Base
import Metrics
import Terminal

/// A row of the page of alerts: a rule and what has become of it.
struct AlertRow {
  private let run: Run
  private let columns: Int
  private let isASCII: Bool
  private let language: Language

  init(_ run: Run, columns: Int, isASCII: Bool, _ language: Language) {
    self.run = run
    self.columns = columns
    self.isASCII = isASCII
    self.language = language
  }

  /// What is said of a rule: state, rule and figure first, the rest as far as there is room.
  func pieces(_ index: Int) -> [TextPiece] {
    let tracker = run.alerts.trackers[index]
    let role: Role = tracker.isRaised ? .alert : tracker.count > 0 ? .text : .dim
    var pieces = [TextPiece(tracker.isRaised ? "! " : tracker.count > 0 ? "- " : "  ", role)]
    if columns >= 60 { pieces.append(TextPiece(padded(state(of: tracker), stateColumns), role)) }
    let figure = tracker.value.map { "\(tracker.rule.figure($0))" } ?? "-"
    let times = tracker.count > 1 ? " \(isASCII ? "x" : "×")\(tracker.count)" : ""
    // The rule is cut before the figure is.
    let rest = Canvas.columns(of: figure) + Canvas.columns(of: times) + 2
    let room = max(4, columns - width(of: pieces) - rest)
    let wanted = min(room, columns >= 60 ? ruleColumns : Canvas.columns(of: tracker.rule.text))
    pieces.append(TextPiece(padded(tracker.rule.text, wanted), role))
    pieces.append(TextPiece("  \(figure)\(times)", tracker.isRaised ? .alert : .text))
    if let last = tracker.last { append(times: tracker, last, to: &pieces) }
    return pieces
  }

  private func append(times tracker: RuleTracker, _ last: Instant, to pieces: inout [TextPiece]) {
    let time = clockTime(of: last, run)
    var more = "  \(time)"
    if tracker.count > 1, let first = tracker.first {
      more = "  \(clockTime(of: first, run)) - \(time)"
    }
    guard append(TextPiece(more, .dim), to: &pieces), let worst = tracker.worst else { return }
    append(
      TextPiece("  \(Word.alertWorst.text(language)) \(tracker.rule.figure(worst))", .dim),
      to: &pieces)
  }

  private func state(of tracker: RuleTracker) -> String {
    let word: Word =
      tracker.isRaised ? .alertRaised : tracker.count > 0 ? .alertOver : .alertQuiet
    return "\(word.text(language))"
  }

  /// Columns of the widest state, with a blank.
  private var stateColumns: Int {
    [Word.alertRaised, .alertOver, .alertQuiet].map { Canvas.width($0.text(language)) }.max()
      .map { $0 + 1 } ?? 0
  }

  private var ruleColumns: Int {
    run.alerts.trackers.map { Canvas.columns(of: $0.rule.text) }.max() ?? 0
  }

  private func width(of pieces: [TextPiece]) -> Int {
    pieces.reduce(0) { $0 + Canvas.columns(of: $1.text) }
  }

  @discardableResult
  private func append(_ piece: TextPiece, to pieces: inout [TextPiece]) -> Bool {
    guard width(of: pieces) + Canvas.columns(of: piece.text) <= columns else { return false }
    pieces.append(piece)
    return true
  }

  /// Cut or filled up to so many columns; rules are ASCII, words may be wide.
  private func padded(_ text: String, _ width: Int) -> String {
    let columns = Canvas.columns(of: text)
    if columns <= width { return text + String(repeating: " ", count: width - columns) }
    return String(text.prefix(max(0, width - 1))) + (isASCII ? "~" : "…")
  }
}
