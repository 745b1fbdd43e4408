import PerfHUDBase
import PerfHUDEvents
import Sampler

/// Every metric at one sample: what a gauge shows and a line prints.
public struct Row: BitwiseCopyable, Sendable {
  public var time = Instant(nanoseconds: 0)
  public var sequence: UInt32 = 0
  public var pid: Int32 = 0
  public var name = ProcessName()
  public var state = ProcessState.unknown
  public var hasEnded = false
  /// The values are based on an interval shorter than the chosen one.
  public var isProvisional = false
  /// How long the process has been there.
  public var ageSeconds = 0.0
  public var cpuSource = CPUSource.processClock
  public var limitSource = MemoryLimitSource.physical
  /// Processors that the target may use.
  public var usableProcessors = Reading<Double>.absent(.pending)
  /// How old the PSS is: it is read rarely.
  public var pssAgeSeconds = 0.0
  /// Parts of the resident memory, in bytes: shared memory without a file on disk (tmpfs, memfd, System V), pages of
  /// files, and page tables beside it.
  public var sharedMemoryBytes = Reading<Double>.absent(.pending)
  public var fileBytes = Reading<Double>.absent(.pending)
  public var pageTableBytes = Reading<Double>.absent(.pending)
  /// Private anonymous memory, in bytes.
  public var anonymousBytes = Reading<Double>.absent(.pending)
  public var fpsSource: FrameSource?
  /// The program has drawn nothing for more than 250 ms, or nothing at all so far, or single frames with
  /// longer pauses between them: "idle" is shown in place of its frame rate, whose value is the count
  /// all the same. Never for the tick.
  public var isIdle = false
  /// The program draws frames: its frame rate says more about it than what it reads and writes.
  public var drawsFrames = false
  /// Some frames of the terminal may be several: the rate is at least what it says.
  public var fpsIsLowerBound: Bool {
    get { lowerBounds.contains(.fps) }
    set { lowerBounds.set(.fps, newValue) }
  }
  /// The mean rate of the slowest 1 % of the frames of the last 5 s.
  public var onePercentLow = Reading<Double>.absent(.pending)
  /// The phase at this moment; `nil` if there is none.
  public var phase: RowPhase?
  /// 99th percentile of the time from a key to the frame that answers it, in milliseconds.
  public var keyToFrameP99 = Reading<Double>.absent(.pending)
  /// Descendants for which there was no room: sums over processes are lower bounds.
  public var leftOutProcesses: UInt32 = 0
  /// The metrics that are lower bounds, since a part of them is not known.
  public var lowerBounds = MetricSet()
  public var cpuTimeIsLowerBound: Bool { lowerBounds.contains(.cpuTime) }
  public var cpuShareIsLowerBound: Bool { lowerBounds.contains(.cpuWindow) }
  /// The footprint of a tree is a lower bound: forked processes may have copied what they shared, or there
  /// was no room for some.
  public var footprintIsLowerBound: Bool {
    get { lowerBounds.contains(.footprint) }
    set { lowerBounds.set(.footprint, newValue) }
  }
  /// perfhud's own CPU share over the window, in percent of one processor, and its private memory.
  public var ownCPUPercent = Reading<Double>.absent(.pending)
  public var ownBytes: UInt64 = 0

  /// The pressure is on the target's cgroup; else on the whole machine.
  public var isPressureOfCgroup = false

  /// The process has ended, and its parent has not reaped it.
  public var isZombie: Bool { hasEnded && state == .zombie }

  private var values = MetricValues(repeating: .absent(.pending))

  public init() {}

  public subscript(metric: Metric) -> Reading<Double> {
    get { values[Int(metric.rawValue)] }
    set { values[Int(metric.rawValue)] = newValue }
  }
}

/// The phase of a sample.
public struct RowPhase: BitwiseCopyable, Sendable, Equatable {
  /// Its index in `Run.phases`.
  public var index: PhaseIndex
  public var name: Event.Name

  public init(index: PhaseIndex, name: Event.Name) {
    self.index = index
    self.name = name
  }
}

/// A column of jsonl and csv, in the order in which they are printed.
public enum Column: Equatable, Sendable {
  case time
  case elapsed
  case pid
  case name
  case state
  case fpsSource
  case phase
  /// How old the PSS is.
  case pssAge
  case metric(Metric)
  /// The keys of the columns that are lower bounds.
  case lowerBounds

  /// The columns of the target, then all metrics, with the columns that belong to a metric after it.
  public static let all: [Column] =
    [.time, .elapsed, .pid, .name, .state]
    + Metric.allCases.flatMap { metric -> [Column] in
      switch metric {
      case .hitches: [.metric(metric), .fpsSource]
      case .bytesPerFrame: [.metric(metric), .phase]
      default: [.metric(metric)]
      }
    } + [.pssAge, .lowerBounds]

  public var key: StaticString {
    switch self {
    case .time: "t"
    case .elapsed: "elapsed_s"
    case .pid: "pid"
    case .name: "comm"
    case .state: "state"
    case .fpsSource: "fps_source"
    case .phase: "phase"
    case .pssAge: "pss_age_s"
    case .metric(let metric): metric.key
    case .lowerBounds: "lower_bounds"
    }
  }
}

/// A set of metrics in one word.
public struct MetricSet: BitwiseCopyable, Hashable, Sendable, ExpressibleByArrayLiteral {
  private var bits: UInt64 = 0

  public init() {}

  public init(arrayLiteral elements: Metric...) {
    for metric in elements { insert(metric) }
  }

  public var isEmpty: Bool { bits == 0 }

  public func contains(_ metric: Metric) -> Bool { bits & MetricSet.bit(metric) != 0 }

  public mutating func insert(_ metric: Metric) { bits |= MetricSet.bit(metric) }

  /// Puts a metric in or takes it out.
  public mutating func set(_ metric: Metric, _ isMember: Bool) {
    if isMember { insert(metric) } else { bits &= ~MetricSet.bit(metric) }
  }

  public mutating func formUnion(_ other: MetricSet) { bits |= other.bits }

  private static func bit(_ metric: Metric) -> UInt64 { 1 &<< UInt64(metric.rawValue) }
}
