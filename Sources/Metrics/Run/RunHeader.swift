import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The facts that do not change during a run; the header of a recording.
package struct RunHeader: Sendable, Equatable {
  /// When the run began, in whole microseconds as the times of its records; elapsed times count from here.
  package var start: Instant
  /// Unix time in nanoseconds at monotonic zero.
  package var wallClockOffset: UInt64
  /// The user's local time minus UTC, in seconds, when the run began.
  package var secondsFromUTC: Int
  /// The chosen interval between samples, in nanoseconds.
  package var interval: UInt64
  /// The metric that the memory graph shows.
  package var memory: MemoryMetric
  /// The period of the tick, in nanoseconds; `nil` when it is off.
  package var tickPeriod: UInt64?
  /// Whether frames are detected in the output of the program under the overlay.
  package var framesFromTerminal: Bool
  /// Whether the values include all descendants of the target.
  package var includesChildren: Bool
  /// An action is HIGH above this number of times a second.
  package var highRate = 30.0
  /// Which sources may report phases; `nil` lets the one with the highest rank do so.
  package var phaseOrigins: Set<EventOrigin>?
  /// The rules that raise alerts.
  package var alerts: [Rule] = []
  /// The limits that the run has to keep.
  package var budgets: [Budget] = []
  /// The command line of the target, made harmless.
  package var command: String
  /// The base name of the program that perfhud has started, made harmless; empty if it started none. It is not recorded.
  package var startedProgram = ""
  /// The name that belongs to the command line. If the name changes, the process runs another program.
  package var name: ProcessName
  /// Whether the process is a kernel thread, which has no memory and runs no program.
  package var isKernelThread: Bool
  /// What perfhud waits for while nothing is sampled: the followed pattern or cgroup, made harmless; `nil` if the
  /// target is one process.
  package var followed: String?
  /// How many processes matched the pattern at the start; the newest is the target.
  package var matches = 1
  /// Whether the target is a cgroup, which has no pid and no state.
  package var isCgroup = false

  package init(
    start: Instant, wallClockOffset: UInt64, secondsFromUTC: Int = 0, interval: UInt64,
    memory: MemoryMetric = .footprint,
    tickPeriod: UInt64? = nil, command: String = "", name: ProcessName = ProcessName(),
    isKernelThread: Bool = false, framesFromTerminal: Bool = false, includesChildren: Bool = false
  ) {
    self.start = start.wholeMicroseconds
    self.wallClockOffset = wallClockOffset
    self.secondsFromUTC = secondsFromUTC
    self.interval = interval
    self.memory = memory
    self.tickPeriod = tickPeriod
    self.framesFromTerminal = framesFromTerminal
    self.includesChildren = includesChildren
    self.command = command
    self.name = name
    self.isKernelThread = isKernelThread
  }
}
