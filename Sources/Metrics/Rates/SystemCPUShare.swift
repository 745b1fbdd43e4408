import PerfHUDBase
import Sampler

/// The share of a core that the target uses in the kernel, over about a second.
///
/// The kernel reports system time in clock ticks of 10 ms, so a share over a short time would be coarse. Twice a second
/// a reading is kept, and the share is computed from the one a second before. The first share is over half a second.
struct SystemCPUShare: BitwiseCopyable, Sendable {
  /// The least time between two readings that are kept, in nanoseconds: half a second, or a little less after a late
  /// reading.
  static let least: Int64 = 450_000_000
  /// Two readings this far apart make a share of their own.
  static let span: Int64 = 950_000_000

  /// Percent of one core.
  private(set) var percent = Reading<Double>.absent(.pending)
  private var newest = Mark()
  private var older = Mark()

  /// The counters of a reading; all zeros if there is none.
  private struct Mark: BitwiseCopyable, Sendable {
    var systemTime = Instant(nanoseconds: 0)
    var system: UInt64 = 0
    var cpuTime = Instant(nanoseconds: 0)
    var cpu: UInt64 = 0

    var exists: Bool { systemTime.nanoseconds > 0 }
  }

  /// Takes a sample with a new reading of the system time.
  mutating func update(_ sample: Sample) {
    let system: UInt64
    let cpu: UInt64
    switch (sample.systemNanoseconds, sample.cpuNanoseconds) {
    case (.value(let ofSystem), .value(let total)): (system, cpu) = (ofSystem, total)
    case (.absent(let reason), _), (_, .absent(let reason)):
      self = SystemCPUShare()
      percent = .absent(reason)
      return
    }
    let mark = Mark(
      systemTime: sample.statTime, system: system, cpuTime: sample.time, cpu: cpu)
    guard newest.exists, system >= newest.system else {
      self = SystemCPUShare()
      newest = mark
      return
    }
    let elapsed = mark.systemTime.nanoseconds(since: newest.systemTime)
    guard elapsed >= SystemCPUShare.least else { return }
    let base = elapsed >= SystemCPUShare.span || !older.exists ? newest : older
    // A tick that began before the first reading may make it more than the exact time of both parts.
    let most = SystemCPUShare.share(mark.cpu, base.cpu, mark.cpuTime, base.cpuTime)
    percent = .value(
      min(most, SystemCPUShare.share(system, base.system, mark.systemTime, base.systemTime)))
    older = newest
    newest = mark
  }

  private static func share(
    _ new: UInt64, _ old: UInt64, _ newTime: Instant, _ oldTime: Instant
  ) -> Double {
    100 * Double(new &- min(old, new)) / max(1, Double(newTime.nanoseconds(since: oldTime)))
  }
}
