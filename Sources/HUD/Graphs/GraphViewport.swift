import Base
import Metrics

/// What the user has made of the graphs: where they look, and how.
public struct GraphViewport: Sendable {
  /// The graph that has the keys and shows its cursor.
  var focus: WidgetID?
  /// The moment below the cursor; `nil` while it goes with the newest cell.
  var cursor: Instant?
  /// Where the graphs end, if the user has gone back in time.
  var end: Instant?
  /// Nanoseconds of a cell that were chosen; `nil`: as many as fit the interval.
  var cell: UInt64?
  /// The values are on a logarithmic scale.
  public var isLog = false
  /// What was kept to be compared with.
  var baseline: GraphBaseline?

  /// The durations of a cell that zooming goes through, in nanoseconds.
  static let cells: [UInt64] = [
    100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
    1_200_000, 1_800_000,
  ].map { $0 * 1_000_000 }

  /// The user goes through the graphs: they show the very moment that was asked for.
  var isHeld: Bool { focus != nil || end != nil }

  /// The graphs follow the run again.
  mutating func leave() {
    focus = nil
    cursor = nil
    end = nil
  }
}

/// The graphs of a former stretch of time, to be drawn behind those of now.
struct GraphBaseline: Sendable {
  let history: History
  /// The stretch that was kept.
  let start: Instant
  let end: Instant
  /// When it was kept: what came later is compared with it.
  var kept: Instant { end }

  /// What a figure did then, at the place of a stretch of now.
  ///
  /// - Parameter anchor: the moment of now at which the kept stretch begins.
  func extent(_ series: Series, from: Instant, to: Instant, anchor: Instant) -> Extent {
    let shift = start.nanoseconds(since: anchor)
    let first = max(from.advanced(byNanoseconds: shift), start)
    let last = min(to.advanced(byNanoseconds: shift), end)
    guard from >= anchor, first < last else { return .none }
    return history.extent(series, from: first, to: last)
  }
}

extension GraphBaseline {
  /// Where it begins among what is shown: at the target that came last since, else when it was kept.
  func anchor(in run: borrowing Run) -> Instant {
    guard let job = run.jobs.last, job.time > kept else { return kept }
    return job.time
  }
}

/// A line across a graph at a value of its series.
public struct GraphThreshold: Sendable {
  public var series: Series
  /// In the unit of the series: bytes, or percent of one core.
  public var value: Double

  public init(_ series: Series, _ value: Double) {
    self.series = series
    self.value = value
  }
}

extension GraphThreshold {
  /// The thresholds of the rules that speak of what the graphs show.
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
