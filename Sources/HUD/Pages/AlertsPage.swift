import Metrics
import PerfHUDBase
import Terminal

// The page of alerts: the rules, their state and their values.

extension PageRows {
  /// Writes the state, the rule and the value of a rule, then as much of the rest as fits.
  func writeAlert(_ index: Int, to line: inout ListRow) {
    let tracker = context.run.alerts.trackers[index]
    let role: Role = tracker.isRaised ? .alert : tracker.count > 0 ? .text : .dim
    line.append(tracker.isRaised ? "! " : tracker.count > 0 ? "- " : "  ", role)
    guard columns >= PageRows.alertHeadColumns else {
      return writeNarrowAlert(tracker, role, to: &line)
    }
    guard let shown = alertColumns else { return }
    let valueRole: Role = tracker.isRaised ? .alert : .text
    let state = line.mark
    line.append(stateWord(of: tracker).text(language), role)
    line.blanks(shown.state - line.columns(since: state), role)
    let rule = line.mark
    line.append(tracker.rule.text, role)
    line.fit(since: rule, shown.rule, role, ellipsis: ellipsis)
    right(
      tracker.value.map { tracker.rule.formatted($0) }, AlertColumns.value, valueRole, to: &line)
    if shown.hasCount {
      var count = ShortText()
      count.append(decimal: Int(tracker.count))
      line.right(count, AlertColumns.count, tracker.count > 0 ? .text : .dim)
    }
    if shown.hasLast {
      right(tracker.last.map { clockTime(of: $0, context.run) }, AlertColumns.last, .dim, to: &line)
    }
    if shown.hasWorst {
      right(tracker.worst.map { tracker.rule.formatted($0) }, AlertColumns.value, .dim, to: &line)
    }
    if shown.hasFirst {
      right(
        tracker.first.map { clockTime(of: $0, context.run) }, AlertColumns.first, .dim, to: &line)
    }
  }

  /// Appends the column headings.
  func writeAlertHeads(to line: inout ListRow) {
    guard let shown = alertColumns else { return }
    line.blanks(2)
    let state = line.mark
    line.append(TableWord.state.text(language), .title)
    line.blanks(shown.state - line.columns(since: state))
    let rule = line.mark
    line.append(TableWord.rule.text(language), .title)
    line.blanks(shown.rule - line.columns(since: rule))
    func head(_ text: StaticString, _ width: Int) { line.right(ShortText(text), width, .title) }
    head(TableWord.valueNow.text(language), AlertColumns.value)
    if shown.hasCount { head(TableWord.count.text(language), AlertColumns.count) }
    if shown.hasLast { head(TableWord.lastTime.text(language), AlertColumns.last) }
    if shown.hasWorst { head(Word.alertWorst.text(language), AlertColumns.value) }
    if shown.hasFirst { head(TableWord.firstTime.text(language), AlertColumns.first) }
  }

  /// From this number of columns on the page has columns with headings.
  static let alertHeadColumns = 60

  /// Appends a text at the right end of a column; a dash if there is none.
  private func right(_ text: ShortText?, _ width: Int, _ role: Role, to line: inout ListRow) {
    if let text { return line.right(text.trimmed, width, role) }
    line.right(ShortText(context.dashText), width, .dim)
  }

  /// Writes a rule, its value, how often it was raised, and the last time if there is room.
  private func writeNarrowAlert(
    _ tracker: RuleTracker, _ role: Role, to line: inout ListRow
  ) {
    let valueText = tracker.value.map { tracker.rule.formatted($0) } ?? ShortText(context.dashText)
    var count = ShortText()
    if tracker.count > 1 {
      count.append(context.state.isASCII ? " x" : " ×")
      count.append(decimal: Int(tracker.count))
    }
    // The rule is cut before its value is.
    let rest = Canvas.width(valueText) + Canvas.width(count) + 2
    let room = max(4, columns - line.columns - rest)
    let start = line.mark
    line.append(tracker.rule.text, role)
    line.fit(
      since: start, min(room, line.columns(since: start)), role, ellipsis: ellipsis)
    let valueRole: Role = tracker.isRaised ? .alert : .text
    line.append("  ", valueRole)
    line.append(valueText, valueRole)
    line.append(count, valueRole)
    guard let last = tracker.last else { return }
    let end = line.mark
    line.append("  ", .dim)
    line.append(clockTime(of: last, context.run), .dim)
    line.keep(since: end, within: columns)
  }

  private func stateWord(of tracker: RuleTracker) -> Word {
    tracker.isRaised ? .alertRaised : tracker.count > 0 ? .alertStateEnded : .alertStateOK
  }

}

/// The columns of the page of alerts.
struct AlertColumns {
  /// The columns of a value, of a number and of times, each with the blanks before it.
  static let value = 15
  static let count = 7
  static let last = 11
  static let first = 11

  /// The columns of the state, with a blank after it.
  let state: Int
  /// The columns of the rules.
  private(set) var rule: Int
  private(set) var hasCount = false
  private(set) var hasLast = false
  private(set) var hasWorst = false
  private(set) var hasFirst = false

  /// - Parameter columns: The columns of a row. With too little room the rules are cut.
  init(_ columns: Int, _ alerts: AlertList, _ language: Language) {
    var state = Canvas.width(TableWord.state.text(language))
    state = max(state, Canvas.width(Word.alertRaised.text(language)))
    state = max(state, Canvas.width(Word.alertStateEnded.text(language)))
    state = max(state, Canvas.width(Word.alertStateOK.text(language)))
    self.state = state + 1
    var widest = Canvas.width(TableWord.rule.text(language))
    var index = 0
    while index < alerts.trackers.count {
      widest = max(widest, Canvas.columns(of: alerts.trackers[index].rule.text))
      index += 1
    }
    // After the sign of the state.
    var rest = columns - 2 - self.state - AlertColumns.value
    rule = min(widest, rest - AlertColumns.count)
    rest -= rule
    func takes(_ width: Int) -> Bool {
      guard rest >= width else { return false }
      rest -= width
      return true
    }
    hasCount = takes(AlertColumns.count)
    hasLast = hasCount && takes(AlertColumns.last)
    hasWorst = hasLast && takes(AlertColumns.value)
    hasFirst = hasWorst && takes(AlertColumns.first)
  }
}
