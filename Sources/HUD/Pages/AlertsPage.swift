import Metrics
import PerfHUDBase
import Terminal

// The page of alerts: the rules and their state.

extension PageRows {
  /// Writes state, rule and value of a rule, then as much of the rest as fits.
  func writeAlert(_ index: Int, to line: inout ListRow) {
    let tracker = context.run.alerts.trackers[index]
    let role: Role = tracker.isRaised ? .alert : tracker.count > 0 ? .text : .dim
    line.append(tracker.isRaised ? "! " : tracker.count > 0 ? "- " : "  ", role)
    let isWide = columns >= 60
    if isWide { writeState(of: tracker, role, to: &line) }
    let valueText = tracker.value.map { tracker.rule.formatted($0) } ?? ShortText("-")
    var times = ShortText()
    if tracker.count > 1 {
      times.append(context.state.isASCII ? " x" : " ×")
      times.append(decimal: Int(tracker.count))
    }
    // The rule is cut before its value is.
    let text = tracker.rule.text
    let rest = Canvas.width(valueText) + Canvas.width(times) + 2
    let room = max(4, columns - line.columns - rest)
    let start = line.mark
    line.append(text, role)
    let wanted = min(room, isWide ? ruleColumns : line.columns(since: start))
    line.fit(since: start, wanted, role, ellipsis: ellipsis)
    let valueRole: Role = tracker.isRaised ? .alert : .text
    line.append("  ", valueRole)
    line.append(valueText, valueRole)
    line.append(times, valueRole)
    if let last = tracker.last { writeTimes(of: tracker, last, to: &line) }
  }

  private func writeTimes(of tracker: RuleTracker, _ last: Instant, to line: inout ListRow) {
    let start = line.mark
    line.append("  ", .dim)
    if tracker.count > 1, let first = tracker.first {
      line.append(clockTime(of: first, context.run), .dim)
      line.append(" - ", .dim)
    }
    line.append(clockTime(of: last, context.run), .dim)
    guard line.keep(since: start, within: columns), let worst = tracker.worst else { return }
    let end = line.mark
    line.append("  ", .dim)
    line.append(Word.alertWorst.text(language), .dim)
    line.append(" ", .dim)
    line.append(tracker.rule.formatted(worst), .dim)
    line.keep(since: end, within: columns)
  }

  private func writeState(of tracker: RuleTracker, _ role: Role, to line: inout ListRow) {
    let word: Word =
      tracker.isRaised ? .alertRaised : tracker.count > 0 ? .alertOver : .alertQuiet
    let start = line.mark
    line.append(word.text(language), role)
    line.blanks(stateColumns - line.columns(since: start), role)
  }

  /// Columns of the widest state, including a blank.
  private var stateColumns: Int {
    let raised = Canvas.width(Word.alertRaised.text(language))
    let over = Canvas.width(Word.alertOver.text(language))
    return max(raised, over, Canvas.width(Word.alertQuiet.text(language))) + 1
  }

  private var ruleColumns: Int {
    var widest = 0
    for tracker in context.run.alerts.trackers {
      widest = max(widest, Canvas.columns(of: tracker.rule.text))
    }
    return widest
  }
}
