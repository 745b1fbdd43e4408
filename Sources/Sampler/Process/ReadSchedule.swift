import PerfHUDBase

/// When each file of a process is due to be read again.
struct ReadSchedule {
  /// statm of a process that has not run.
  var memory = Instant(nanoseconds: 0)
  /// stat with the values that are summed over descendants.
  var stat = Instant(nanoseconds: 0)
  /// stat of a process that has not run.
  var statAtRest = Instant(nanoseconds: 0)
  /// stat of the process alone, without its descendants.
  var state = Instant(nanoseconds: 0)
  /// stat of a large tree, because the machine has new processes.
  var reaped = Instant(nanoseconds: 0)
  /// The low-rate values.
  var lowRate = Instant(nanoseconds: 0)
  /// The low-rate values of a process that has not run.
  var lowRateAtRest = Instant(nanoseconds: 0)
  var io = Instant(nanoseconds: 0)
  /// The counters of each thread.
  var threads = Instant(nanoseconds: 0)
}

/// The CPU time of a process when each of its values was last read, in nanoseconds. As long as it does not change, the
/// process has not run, and the values still hold. `nil` where the next sample must read them.
struct CPUAtRead {
  var sample: UInt64?
  var memory: UInt64?
  /// `nil` too if stat is the source of CPU time.
  var stat: UInt64?
  /// The read of stat with the values that are summed over descendants.
  var sums: UInt64?
  var lowRate: UInt64?
  /// The CPU time of the target, with its descendants where they are counted.
  var pss: UInt64?
}
