import PerfHUDBase
import Sampler

/// A span of time in which memory was greater than all readings saw, according to the kernel.
struct MissedPeak: BitwiseCopyable, Sendable {
  /// The peak came after `start`, and at `end` at the latest; `nil` if it may have come at any time before.
  var start: Instant?
  var end: Instant
  /// The greatest that the leading memory metric may have been in it, in bytes.
  var most: Double
  /// The greatest resident memory of the process in it, in bytes; `nil` if unknown.
  var resident: Double?

  /// A smaller difference from what was read, in bytes, is noise: the kernel sums its counters late.
  static let noise = 262_144.0
  private static let share = 1.1
  private static let leastBytes = 1_048_576.0

  /// Whether a peak that may have been this great is more than what was read, even where no limit depends on it.
  static func isShown(_ most: Double, over read: Double) -> Bool {
    most > share * read + leastBytes
  }
}

/// Compares the high-water mark of the resident memory of a process, which the kernel keeps (`VmHWM`), with what was
/// read since the last look at it. If the mark has risen above that, the readings have missed a peak in between.
struct HighWaterMark: BitwiseCopyable, Sendable {
  private var pid: Int32 = 0
  private var startTicks: UInt64 = 0
  /// The last mark, in bytes; `nil` if unknown.
  private var last: Double?
  /// When it was read, or when the process started.
  private var since = Instant(nanoseconds: 0)
  /// The greatest readings since then, in bytes: of the resident memory of the process, and of the leading metric of the
  /// target.
  private var resident = 0.0
  private var leading: Double?
  /// The same of readings between samples, and the time of the newest one. They may arrive before earlier samples.
  private var between: (resident: Double, leading: Double?, newest: Instant)?
  /// Whether any other process belonged to the target, now or earlier.
  private var hadOthers = false
  /// More CPU time than that of the process itself, in nanoseconds, shows that there was another one.
  private static let leastCPUOfOthers: UInt64 = 1_000_000

  /// Takes a reading between two samples.
  ///
  /// - Parameters:
  ///   - bytes: the resident memory of the process.
  ///   - level: the leading metric; `nil` if it was not read.
  mutating func take(
    resident bytes: Double, leading level: Double?, of pid: Int32, at time: Instant
  ) {
    guard pid == self.pid, time >= since else { return }
    let former = between ?? (resident: 0, leading: nil, newest: time)
    between = (
      resident: max(former.resident, bytes), leading: greater(former.leading, level),
      newest: max(former.newest, time)
    )
  }

  private func greater(_ first: Double?, _ second: Double?) -> Double? {
    guard let first, let second else { return first ?? second }
    return max(first, second)
  }

  /// - Parameters:
  ///   - level: the leading metric; `nil` if the sample has none.
  ///   - start: when the run began.
  /// - Returns: the peak that all readings have missed, if there was one.
  mutating func take(_ sample: Sample, leading level: Double?, start: Instant) -> MissedPeak? {
    if sample.pid != pid || sample.startTicks != startTicks { begin(sample, start: start) }
    noteOthers(sample)
    let isAlone = sample.reporter.pid == sample.pid
    let bytes = isAlone ? sample.reporter.residentBytes : sample.residentBytes.value ?? 0
    resident = max(resident, Double(bytes))
    leading = greater(leading, level)
    if let found = between, found.newest <= sample.time {
      resident = max(resident, found.resident)
      leading = greater(leading, found.leading)
      between = nil
    }
    guard sample.peakResidentBytes > 0, sample.lowRateTime > since || self.last == nil else {
      return nil
    }
    let mark = Double(sample.peakResidentBytes)
    defer {
      self.last = mark
      since = sample.lowRateTime
      (resident, leading) = (Double(bytes), level)
    }
    // A process that executes another program starts over.
    guard let last, mark != last else { return nil }
    return missed(by: mark, at: sample.lowRateTime)
  }

  /// The peak of a command that has ended, as the kernel reports it, if no reading and no earlier mark was as great.
  ///
  /// - Parameter mark: the greatest resident memory of any process of the command.
  func missedAtEnd(by mark: Double, at end: Instant) -> MissedPeak? {
    guard let last, mark > last + MissedPeak.noise else { return nil }
    var all = self
    if let between { all.resident = max(resident, between.resident) }
    return all.missed(by: mark, at: end)
  }

  /// Whether the greatest process of a command may have been another one than this, or is not known.
  var mayBeOfOthers: Bool { hadOthers || last == nil }

  private func missed(by mark: Double, at time: Instant) -> MissedPeak? {
    let excess = mark - resident
    guard excess > MissedPeak.noise else { return nil }
    // Without a reading of the leading metric: it cannot exceed the resident memory by much.
    let most = leading.map { $0 + excess } ?? mark
    return MissedPeak(start: since, end: time, most: most, resident: mark)
  }

  /// Begins with another process. If it is older than the run, its first mark says nothing about the run.
  private mutating func begin(_ sample: Sample, start: Instant) {
    if pid != 0 { hadOthers = true }
    (pid, startTicks) = (sample.pid, sample.startTicks)
    let age = Int64(clamping: min(sample.ageNanoseconds, sample.time.nanoseconds))
    let born = sample.time.advanced(byNanoseconds: -age)
    // The kernel reports the start of a process in steps of 10 ms.
    let isNew = born.nanoseconds(since: start) > -20_000_000
    last = isNew && age > 0 ? 0 : nil
    since = isNew ? max(born, start) : sample.time
    (resident, leading, between) = (0, nil, nil)
  }

  private mutating func noteOthers(_ sample: Sample) {
    if sample.processes > 1 { hadOthers = true }
    if let all = sample.cpuNanoseconds.value, let own = sample.processCPUNanoseconds.value,
      all > own, all - own > HighWaterMark.leastCPUOfOthers
    {
      hadOthers = true
    }
  }
}
