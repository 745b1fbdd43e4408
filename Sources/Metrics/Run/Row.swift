import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The values of all metrics at one sample: what a gauge shows and a line prints.
package struct Row: Sendable {
  package var time = Instant(nanoseconds: 0)
  package var sequence: UInt32 = 0
  package var pid: Int32 = 0
  package var name = ProcessName()
  package var state = ProcessState.unknown
  package var hasEnded = false
  /// How the process has ended; `none` if that is not known.
  package var processEnd = ProcessEnd.none
  /// Whether the values come from an interval shorter than the configured one.
  package var isProvisional = false
  /// How long the process has existed.
  package var ageSeconds = 0.0
  package var cpuSource = CPUSource.processClock
  package var limitSource = MemoryLimitSource.physical
  /// The number of processors that the target may use.
  package var usableProcessors = Reading<Double>.absent(.pending)
  /// How old the PSS is: it is read rarely.
  package var pssAgeSeconds = 0.0
  /// Parts of the resident memory, in bytes: shared memory without a file on disk (tmpfs, memfd, System V), pages of
  /// files, and page tables beside it.
  package var sharedMemoryBytes = Reading<Double>.absent(.pending)
  package var fileBytes = Reading<Double>.absent(.pending)
  package var pageTableBytes = Reading<Double>.absent(.pending)
  /// Private memory that forked processes share and that the footprint counts once, in bytes: how much less the
  /// footprint is than the sum over the processes.
  package var forkSharedBytes = 0.0
  /// Private anonymous memory, in bytes.
  package var anonymousBytes = Reading<Double>.absent(.pending)
  package var fpsSource: FrameSource?
  /// Whether the program has drawn nothing for more than 250 ms, nothing at all so far, or only single frames with
  /// longer pauses between them. Then "idle" is shown instead of its frame rate, whose value is still the count. Never
  /// for the tick.
  package var isIdle = false
  /// Whether the program draws frames, so that its frame rate says more about it than what it reads and writes.
  package var drawsFrames = false
  /// Whether the program draws only in answer to keys, so that its frame rate is that of the typing.
  package var drawsOnlyAfterKeys = false
  /// Whether the frame rate is a lower bound, because some frames of the terminal may be several.
  package var fpsIsLowerBound: Bool {
    get { lowerBounds.contains(.fps) }
    set { lowerBounds.set(.fps, newValue) }
  }
  /// The mean rate of the slowest 1 % of the frames of the last 5 s.
  package var onePercentLow = Reading<Double>.absent(.pending)
  /// The phase at this moment; `nil` if there is none.
  package var phase: RowPhase?
  /// 99th percentile of the time from a key to the frame that answers it, in milliseconds.
  package var keyToFrameP99 = Reading<Double>.absent(.pending)
  /// The number of descendants that did not fit: sums over processes are then lower bounds.
  package var leftOutProcesses: UInt32 = 0
  /// The number of children that no value includes.
  package var uncountedChildren: UInt32 = 0
  /// The metrics that are lower bounds, because part of their value is unknown.
  package var lowerBounds = MetricSet()
  package var cpuTimeIsLowerBound: Bool { lowerBounds.contains(.cpuTime) }
  package var cpuShareIsLowerBound: Bool { lowerBounds.contains(.cpuWindow) }
  /// Whether the footprint of a tree is a lower bound: forked processes may have copied what they shared, or some
  /// processes did not fit.
  package var footprintIsLowerBound: Bool {
    get { lowerBounds.contains(.footprint) }
    set { lowerBounds.set(.footprint, newValue) }
  }
  /// perfhud's own CPU share over the window, in percent of one processor, and its private memory.
  package var ownCPUPercent = Reading<Double>.absent(.pending)
  package var ownBytes: UInt64 = 0

  /// Whether the pressure is that of the target's cgroup; otherwise it is that of the whole machine.
  package var isPressureOfCgroup = false

  /// Whether the process has ended and its parent has not reaped it.
  package var isZombie: Bool { hasEnded && state == .zombie }

  private var values = MetricValues(repeating: .absent(.pending))
  private let anchor = Anchor()

  package init() {}

  package subscript(metric: Metric) -> Reading<Double> {
    // A span, because a subscript into a stored inline array would copy all of it.
    @inline(__always) get { values.span[Int(metric.rawValue)] }
    set { values[Int(metric.rawValue)] = newValue }
  }
}

/// The phase of a sample.
package struct RowPhase: BitwiseCopyable, Sendable, Equatable {
  /// Its index in `Run.phases`.
  package var index: PhaseIndex
  package var name: Event.Name

  package init(index: PhaseIndex, name: Event.Name) {
    self.index = index
    self.name = name
  }
}

/// A column of jsonl and csv, in the order in which they are printed.
package enum Column: Equatable, Sendable {
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
  /// The keys of the metrics that are lower bounds.
  case lowerBounds

  /// The columns of the target, then the metrics, each followed by the columns that belong to it. Later metrics are at
  /// the end, so that the earlier columns keep their places.
  package static let all: [Column] =
    [.time, .elapsed, .pid, .name, .state]
    + Metric.allCases.flatMap { metric -> [Column] in
      switch metric {
      case _ where metric.isAppended: []
      case .hitches: [.metric(metric), .fpsSource]
      case .bytesPerFrame: [.metric(metric), .phase]
      default: [.metric(metric)]
      }
    } + [.pssAge, .lowerBounds] + Metric.allCases.filter(\.isAppended).map { .metric($0) }

  package var key: StaticString {
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

/// A set of metrics, stored in one word.
package struct MetricSet: BitwiseCopyable, Hashable, Sendable, ExpressibleByArrayLiteral {
  private var bits: UInt64 = 0

  package init() {}

  package init(arrayLiteral elements: Metric...) {
    for metric in elements { insert(metric) }
  }

  package var isEmpty: Bool { bits == 0 }

  package func contains(_ metric: Metric) -> Bool { bits & MetricSet.bit(metric) != 0 }

  package mutating func insert(_ metric: Metric) { bits |= MetricSet.bit(metric) }

  /// Adds a metric or removes it.
  package mutating func set(_ metric: Metric, _ isMember: Bool) {
    if isMember { insert(metric) } else { bits &= ~MetricSet.bit(metric) }
  }

  package mutating func formUnion(_ other: MetricSet) { bits |= other.bits }

  private static func bit(_ metric: Metric) -> UInt64 { 1 &<< UInt64(metric.rawValue) }
}
