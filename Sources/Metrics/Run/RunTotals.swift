import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The totals of the whole run.
package struct RunTotals: Sendable {
  /// The extremes, which a reset by the user does not affect.
  package internal(set) var peaks = Peaks()
  /// The first sample of the first target.
  package private(set) var first: FirstSample?
  /// The number of times the target was restarted.
  package internal(set) var restarts = 0
  /// CPU time of the earlier targets, each for the time it was followed, in seconds; `nil` if there was no other
  /// target.
  package private(set) var earlierTargetsCPUSeconds: Double?
  /// CPU time that the current target had already used at its first sample, in seconds.
  package private(set) var targetStartCPUSeconds: Double?
  /// How much the targets have read from storage and written to it.
  package private(set) var storage = StorageTotals()
  package private(set) var receivedEvents: UInt64 = 0
  /// Events that were sent but have not arrived.
  package private(set) var lostEvents: UInt64 = 0
  /// Lines that were meant to be events but were not accepted.
  package private(set) var badEvents: UInt64 = 0

  mutating func count(_ event: Event) {
    // What perfhud has found out itself is not a received event.
    if event.origin == .app { receivedEvents += 1 }
  }

  mutating func countLost(_ count: UInt32) { lostEvents += UInt64(count) }

  mutating func countBad(_ count: UInt32) { badEvents += UInt64(count) }

  /// The totals of a run that begins anew: restarts and events are counted on, everything else starts over.
  func startedAnew() -> RunTotals {
    var totals = RunTotals()
    totals.restarts = restarts
    totals.receivedEvents = receivedEvents
    totals.lostEvents = lostEvents
    totals.badEvents = badEvents
    return totals
  }

  /// Adds the CPU time of a target that is no longer followed.
  ///
  /// - Parameter latest: Its last row.
  mutating func changeTarget(after latest: Row?) {
    let used = latest?[.cpuTime].value.map { max(0, $0 - (targetStartCPUSeconds ?? $0)) }
    earlierTargetsCPUSeconds = (earlierTargetsCPUSeconds ?? 0) + (used ?? 0)
    targetStartCPUSeconds = nil
  }

  /// - Parameter cpuSeconds: CPU time that the target has used.
  mutating func apply(_ sample: Sample, cpuSeconds: Double?) {
    if first == nil { first = FirstSample(sample) }
    storage.take(sample)
    if targetStartCPUSeconds == nil { targetStartCPUSeconds = cpuSeconds }
  }
}

/// How much the targets of a run have read from storage and written to it, as of the last reading. These counters are
/// read about once a second.
package struct StorageTotals: BitwiseCopyable, Sendable {
  private struct Sum: BitwiseCopyable, Sendable {
    var bytes: UInt64?
    var last: UInt64?

    /// - Parameter isNew: whether the target has started during this run.
    mutating func take(_ reading: Reading<UInt64>, isNew: Bool) {
      guard let value = reading.value else { return }
      let before = last ?? (isNew ? 0 : value)
      bytes = (bytes ?? 0) &+ (value - min(value, before))
      last = value
    }
  }

  private var read = Sum()
  private var written = Sum()
  private var pid: Int32 = 0
  private var startTicks: UInt64 = 0
  private var first: Instant?
  /// When they were last read.
  package private(set) var time: Instant?

  /// In bytes; `nil` if it could not be read.
  package var bytesRead: Double? { read.bytes.map { Double($0) } }
  package var bytesWritten: Double? { written.bytes.map { Double($0) } }

  mutating func take(_ sample: Sample) {
    if sample.pid != pid || sample.startTicks != startTicks {
      pid = sample.pid
      startTicks = sample.startTicks
      read.last = nil
      written.last = nil
    }
    if first == nil { first = sample.time }
    guard sample.ioTime.nanoseconds > 0, sample.ioTime != time else { return }
    time = sample.ioTime
    // A target that started during the run has done all of it in this run.
    let age = Int64(clamping: sample.ageNanoseconds)
    let isNew = age <= max(0, sample.time.nanoseconds(since: first ?? sample.time)) + 20_000_000
    read.take(sample.readBytes, isNew: isNew)
    written.take(sample.writeBytes, isNew: isNew)
  }
}

/// The state at the first sample of a run.
package struct FirstSample: BitwiseCopyable, Sendable {
  package let time: Instant
  /// CPU time that the target had already used, in seconds; `nil` if it could not be read.
  package let cpuSeconds: Double?
  /// When the target started.
  package let targetStart: Instant

  init(_ sample: Sample) {
    time = sample.time
    cpuSeconds = sample.cpuNanoseconds.value.map { Double($0) * 1e-9 }
    targetStart = sample.time.advanced(
      byNanoseconds: -Int64(clamping: min(sample.ageNanoseconds, sample.time.nanoseconds)))
  }
}

/// The extremes of the leading metrics since the start or the last reset.
package struct Peaks: BitwiseCopyable, Sendable {
  /// Greatest CPU share over the window, in percent of one processor.
  package var cpu: Double?
  /// Greatest value of the leading memory metric, in bytes.
  package var memoryHigh: Double?
  /// The greatest that this metric may have been in a sample that has only a lower bound of it, in bytes.
  package var memoryMost: Double?
  /// The greatest that this metric may have been between two readings, in bytes, if the kernel's high-water mark of the
  /// resident memory shows that they have missed a peak.
  package var memoryPossible: Double?
  /// Greatest resident memory of the target with its descendants, in bytes.
  package var resident: Double?
  /// The greatest resident memory that was read between two samples.
  package var residentBetween: Double?
  /// The greatest resident memory of one process according to the kernel's high-water mark, if readings have missed it.
  package var residentMark: Double?
  /// The greatest sampled resident memory while the target was a single process.
  package var residentAlone: Double?

  package init() {}

  /// Whether `memoryHigh` may lack more than a twentieth and 1 MiB.
  package var memoryIsLowerBound: Bool {
    guard let memoryMost, let memoryHigh else { return false }
    return memoryMost - memoryHigh > max(1_048_576, memoryHigh / 20)
  }

  /// By how much the leading metric may have exceeded `memoryHigh` between two readings, in bytes; 0 if that is no more
  /// than noise.
  package var memoryUnseen: Double {
    guard let memoryPossible, let memoryHigh else { return 0 }
    let excess = memoryPossible - memoryHigh
    return excess > MissedPeak.noise ? excess : 0
  }

  /// Whether that is more than a tenth and 1 MiB, so that `memoryHigh` is shown as a lower bound.
  package var hasMissedPeak: Bool {
    guard let memoryPossible, let memoryHigh else { return false }
    return MissedPeak.isShown(memoryPossible, over: memoryHigh)
  }

  /// The greatest resident memory that was read, in a sample or between two.
  var residentRead: Double? {
    resident.map { max($0, residentBetween ?? 0) }
  }

  /// Takes the extremes of one row instead of the row, which would be copied.
  mutating func merge(_ other: Peaks) {
    func greater(_ first: Double?, _ second: Double?) -> Double? {
      guard let first, let second else { return first ?? second }
      return max(first, second)
    }
    cpu = greater(cpu, other.cpu)
    memoryHigh = greater(memoryHigh, other.memoryHigh)
    memoryMost = greater(memoryMost, other.memoryMost)
    memoryPossible = greater(memoryPossible, other.memoryPossible)
    resident = greater(resident, other.resident)
    residentBetween = greater(residentBetween, other.residentBetween)
    residentMark = greater(residentMark, other.residentMark)
    residentAlone = greater(residentAlone, other.residentAlone)
  }
}
