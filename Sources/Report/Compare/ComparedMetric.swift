import Metrics

/// A metric by which runs, or visits to a phase, are compared. A greater value is worse, except for the frame rate.
package enum ComparedMetric: String, CaseIterable, Sendable {
  /// The time from the start to the end.
  case time
  case cpuTime = "cpu-time"
  /// The memory that a visit keeps.
  case kept
  /// The greatest increase of memory in a visit.
  case taken
  /// The greatest memory in a run.
  case peak

  // Details, for which no change is reported.
  case peakResident = "rss-peak"
  case frameP99 = "frame-p99"
  case frameRate = "frame-rate"
  case minorFaults = "minor-faults"
  case bytesRead = "read"
  case bytesWritten = "written"

  /// Whether changes of it are judged.
  package var isLeading: Bool {
    switch self {
    case .time, .cpuTime, .kept, .taken, .peak: true
    default: false
    }
  }

  var label: String {
    switch self {
    case .time: "time"
    case .cpuTime: "CPU time"
    case .kept: "kept"
    case .taken: "taken"
    case .peak: "peak"
    case .peakResident: "peak RSS"
    case .frameP99: "frame p99"
    case .frameRate: "frame rate"
    case .minorFaults: "faults"
    case .bytesRead: "read"
    case .bytesWritten: "written"
    }
  }

  /// The unit of its values in files.
  var unitName: String {
    switch self {
    case .time, .cpuTime: "seconds"
    case .kept, .taken, .peak, .peakResident, .bytesRead, .bytesWritten: "bytes"
    case .frameP99: "milliseconds"
    case .frameRate: "per_second"
    case .minorFaults: "count"
    }
  }

  /// How other load on the machine affects it.
  var disturbance: DisturbanceEffect {
    switch self {
    case .time: BudgetMetric.wall.disturbance
    case .cpuTime: BudgetMetric.cpuTime.disturbance
    default: []
    }
  }

  /// A smaller difference than this means nothing, whatever its probability.
  ///
  /// - Parameters:
  ///   - unit: what each value belongs to. A single run depends on one state of the machine, such as the clock rate of
  ///     its processors, which the next run does not have.
  ///   - isAtBorders: whether memory was read at the borders of all visits.
  package func threshold(base: Double, unit: ComparedUnit, isAtBorders: Bool) -> Double {
    let share =
      switch self {
      case .time, .cpuTime: unit == .run ? 0.02 : 0.1
      default: unit == .run ? 0.02 : 0.05
      }
    let floor: Double =
      switch self {
      case .time: unit == .run ? 0.005 : 0.002
      case .cpuTime: unit == .run ? 0.002 : 0.005
      case .kept, .taken, .peak: isAtBorders ? 262_144 : Verdict.leastNoise
      default: 0
      }
    return max(share * base.magnitude, floor)
  }

  /// A value with its unit.
  func text(_ value: Double) -> String {
    switch self {
    case .time, .cpuTime:
      value.magnitude < 1
        ? ReportText.milliseconds(value * 1000) : ReportText.seconds(value)
    case .kept, .taken, .peak, .peakResident, .bytesRead, .bytesWritten: ReportText.bytes(value)
    case .frameP99: ReportText.milliseconds(value)
    case .frameRate: "\(ReportText.number(value, decimals: 1)) FPS"
    case .minorFaults: ReportText.number(value, decimals: 0)
    }
  }

  /// A difference with its sign and unit.
  func differenceText(_ value: Double) -> String {
    let text = text(value.magnitude)
    return value == 0 ? text : (value < 0 ? "-" : "+") + text
  }
}

/// What each value of a metric belongs to.
package enum ComparedUnit: String, Sendable {
  case visit, run
}
