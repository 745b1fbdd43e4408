import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The rules of a run and their state, one entry for each rule. A repeated alert is counted, with its first and its
/// last time.
package struct AlertList: Sendable {
  /// In the order in which they were given.
  package private(set) var trackers: [RuleTracker]
  /// How often any rule was raised.
  package private(set) var raisedCount: UInt64 = 0

  package init(_ rules: [Rule] = []) {
    trackers = rules.prefix(Rule.capacity).map(RuleTracker.init)
  }

  package var isEmpty: Bool { trackers.isEmpty }

  /// The number of rules that are raised now.
  package var raised: Int { trackers.reduce(0) { $0 + ($1.isRaised ? 1 : 0) } }

  /// Updates all rules with a row. It allocates nothing.
  mutating func take(
    _ row: Row, leading: MemoryMetric, interval: UInt64, notices: inout NoticeList
  ) {
    guard !row.isProvisional else { return }
    guard !row.hasEnded else {
      for index in trackers.indices {
        let wasRaised = trackers[index].isRaised
        trackers[index].finish(at: row.time)
        noteEnd(of: index, wasRaised, &notices)
      }
      return
    }
    for index in trackers.indices {
      let wasRaised = trackers[index].isRaised
      defer { noteEnd(of: index, wasRaised, &notices) }
      let metric = trackers[index].rule.subject.metric(leading: leading)
      // A program that draws nothing, or only when a key is pressed, does not have a low frame rate.
      let isUnknown = metric == .fps && (row.isIdle || row.drawsOnlyAfterKeys)
      let value = isUnknown ? nil : row[metric].value
      guard trackers[index].take(value, at: row.time, interval: interval) else { continue }
      raisedCount += 1
      notices.add(Notice(alert: index, trackers[index], at: row.time))
    }
  }

  /// Starts over for another process.
  mutating func restart(notices: inout NoticeList) {
    for index in trackers.indices {
      let wasRaised = trackers[index].isRaised
      trackers[index].restart()
      noteEnd(of: index, wasRaised, &notices)
    }
  }

  /// Adds a notice if the alert of a rule has just ended.
  private func noteEnd(of index: Int, _ wasRaised: Bool, _ notices: inout NoticeList) {
    guard wasRaised, !trackers[index].isRaised, let end = trackers[index].over else { return }
    notices.add(Notice(endOfAlert: index, trackers[index], at: end))
  }
}

extension Notice {
  /// The alert of a rule.
  init(alert index: Int, _ tracker: RuleTracker, at time: Instant) {
    self.init(.alert, Event.Name(tracker.rule.text), at: time)
    rule = UInt8(truncatingIfNeeded: index)
    let text = tracker.rule.formatted(tracker.value ?? 0)
    for index in 0..<text.count { valueText.append(text[index]) }
    count = tracker.count
  }

  /// The end of the alert of a rule.
  init(endOfAlert index: Int, _ tracker: RuleTracker, at time: Instant) {
    self.init(.alertEnded, Event.Name(tracker.rule.text), at: time)
    rule = UInt8(truncatingIfNeeded: index)
    if let begin = tracker.last { seconds = max(0, Double(time.nanoseconds(since: begin)) * 1e-9) }
  }
}
