import Metrics
import PerfHUDBase

/// What the graphs show: the part that the user has chosen, and otherwise the part that follows the run.
package struct GraphViewport: Sendable {
  /// The graph with the focus, which shows the cursor.
  var focus: WidgetID?
  /// The time at the cursor; `nil` while it follows the newest cell.
  var cursor: Instant?
  /// The end of the graphs, if the user has gone back in time.
  var chosenEnd: Instant?
  /// Where the graphs end while nothing changes; `nil` for the newest sample.
  var steadyEnd: Instant?
  /// The chosen duration of a cell, in nanoseconds; `nil` for one that fits the interval.
  private(set) var chosenCellDuration: UInt64?
  /// The duration of a cell, in nanoseconds.
  package private(set) var cellDuration: UInt64 = 1_000_000_000
  /// Whether the values are on a logarithmic scale.
  package var isLog = false
  /// The baseline to compare with.
  var baseline: GraphBaseline?

  /// The durations of a cell that zooming goes through, in nanoseconds.
  static let cells: [UInt64] = [
    100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
    1_200_000, 1_800_000,
  ].map { $0 * 1_000_000 }

  /// Whether the user has moved the cursor or the graphs, which then do not follow the run.
  var isMovedByUser: Bool { focus != nil || chosenEnd != nil }

  /// Makes the graphs follow the run again.
  mutating func leave() {
    focus = nil
    cursor = nil
    chosenEnd = nil
  }

  /// Sets the duration of a cell, in nanoseconds.
  mutating func setCellDuration(_ duration: UInt64) {
    cellDuration = duration
    steadyEnd = nil
  }

  /// Sets the duration of a cell that the user has chosen, in nanoseconds.
  mutating func zoom(to duration: UInt64) {
    chosenCellDuration = duration
    setCellDuration(duration)
  }
}

/// A baseline: the graphs of an earlier time range, drawn below the current ones.
struct GraphBaseline: Sendable {
  let history: History
  let start: Instant
  let end: Instant
  /// When it was kept. Later values are compared with it.
  var kept: Instant { end }

  /// The extremes of a series in the part of the baseline that is drawn at a current time range.
  ///
  /// - Parameter anchor: The current time at which the baseline begins.
  func extent(_ series: Series, from: Instant, to: Instant, anchor: Instant) -> Extent {
    let shift = start.nanoseconds(since: anchor)
    let first = max(from.advanced(byNanoseconds: shift), start)
    let last = min(to.advanced(byNanoseconds: shift), end)
    guard from >= anchor, first < last else { return .none }
    return history.extent(series, from: first, to: last)
  }
}

extension GraphBaseline {
  /// The time at which it begins in the current graphs: at the last change of the target since then, otherwise when it
  /// was kept.
  func anchor(in run: borrowing Run) -> Instant {
    guard let job = run.jobs.last, job.time > kept else { return kept }
    return job.time
  }
}

/// A line across a graph at a fixed value of its series.
package struct GraphThreshold: Sendable {
  package var series: Series
  /// In the unit of the series: bytes, or percent of one core.
  package var value: Double

  package init(_ series: Series, _ value: Double) {
    self.series = series
    self.value = value
  }
}

extension GraphThreshold {
  /// The thresholds of the rules about the series of the graphs.
  static func all(of run: borrowing Run) -> [GraphThreshold] {
    let leading = run.header.memory
    return run.alerts.trackers.compactMap { tracker in
      let rule = tracker.rule
      guard rule.statistic == .value else { return nil }
      switch rule.subject.metric(leading: leading) {
      case .cpu, .cpuWindow: return GraphThreshold(.cpu, rule.threshold)
      case leading.metric: return GraphThreshold(.memory, rule.threshold)
      default: return nil
      }
    }
  }
}
