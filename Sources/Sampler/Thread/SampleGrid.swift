import PerfHUDBase

/// The times at which samples are due: `start + k · interval`, for k = 1, 2, ….
///
/// The grid is absolute, so a late sample does not shift those after it. Intervals are whole multiples of 20 ms: that
/// is a whole number of ticks for kernels with 100, 250 and 1000 ticks a second, so a CPU clock that advances with the
/// tick gives steady values.
package struct SampleGrid: Equatable, Sendable {
  /// An interval must be a multiple of this, in nanoseconds.
  package static let step: UInt64 = 20_000_000

  /// When the next sample is due.
  private(set) var due: Instant
  /// Nanoseconds.
  let interval: UInt64

  /// The first multiple of `step` on the clock that is not before `time`.
  ///
  /// The kernel's ticks are at whole milliseconds of CLOCK_MONOTONIC, so a sample at such a multiple comes right after
  /// a tick, when the CPU times of running threads are up to date.
  static func aligned(_ time: Instant) -> Instant {
    Instant(nanoseconds: (time.nanoseconds &+ step &- 1) / step &* step)
  }

  /// - Parameter interval: in nanoseconds, a positive multiple of `step`.
  init(start: Instant, interval: UInt64) {
    precondition(SampleGrid.isValid(interval: interval), "round up to 20 ms steps")
    self.interval = interval
    due = Instant(nanoseconds: start.nanoseconds &+ interval)
  }

  /// Whether it is a positive multiple of `step`.
  static func isValid(interval: UInt64) -> Bool { interval > 0 && interval % step == 0 }

  /// The position of a sample on the grid.
  struct Slot: Equatable, Sendable {
    /// The number of grid times that were passed over before the one served.
    var missed: UInt64
    /// From the served grid time to the sample, in nanoseconds.
    var lateNanoseconds: UInt64
  }

  /// Serves the last grid time at or before `now`; earlier ones that were not served count as missed.
  ///
  /// - Parameter now: not before `due`.
  mutating func serve(at now: Instant) -> Slot {
    let late = now.nanoseconds &- due.nanoseconds
    let missed = late / interval
    due = Instant(nanoseconds: due.nanoseconds &+ (missed &+ 1) &* interval)
    return Slot(missed: missed, lateNanoseconds: late % interval)
  }
}
