import PerfHUDBase
import Sampler

/// The CPU readings of the last seconds, for the CPU share over max(0.5 s, interval).
///
/// The displayed share covers half a second, because the CPU time of a thread that runs on another processor is as old
/// as the last kernel tick (docs/METRICS.md).
struct CPUShareWindow: Sendable {
  static let capacity = 64
  static let span: Int64 = 500_000_000
  /// The part of an interval by which the window may be too short: after a late reading the next one comes early.
  static let tolerance = 0.25
  /// By how much the time of a list of processes may differ from that of its sample, in nanoseconds.
  private static let rounding: UInt64 = 1_000_000

  struct Entry: BitwiseCopyable, Sendable {
    var time = Instant(nanoseconds: 0)
    var cpu: UInt64 = 0
    var own: UInt64 = 0
    var pid: Int32 = 0
    var startTicks: UInt64 = 0
  }

  private var entries = [Entry](repeating: Entry(), count: CPUShareWindow.capacity)
  private var ring = RingIndex<64>()
  private var absence: Absence? = .pending

  mutating func add(_ sample: Sample) {
    switch sample.cpuNanoseconds {
    case .absent(let reason): absence = reason
    case .value(let cpu):
      absence = nil
      if ring.count > 0, entry(0).startTicks != sample.startTicks || entry(0).pid != sample.pid {
        ring.removeAll()
      }
      entries[ring.advance()] = Entry(
        time: sample.time, cpu: cpu, own: sample.ownCPUNanoseconds, pid: sample.pid,
        startTicks: sample.startTicks)
    }
  }

  private func entry(_ age: Int) -> Entry { entries[ring.slot(age: age)] }

  /// The newest entry, and the one at the start of the window.
  private func pair(span: Int64) -> (Entry, Entry)? {
    guard ring.count >= 2 else { return nil }
    let newest = entry(0)
    var age = 1
    while age + 1 < ring.count, newest.time.nanoseconds(since: entry(age).time) < span {
      age += 1
    }
    return (entry(age), newest)
  }

  /// The least length of a complete window.
  private func span(_ interval: UInt64) -> Int64 {
    max(CPUShareWindow.span, Int64(interval)) - Int64(Double(interval) * CPUShareWindow.tolerance)
  }

  /// Whether the window is complete. At the start it is shorter.
  func isWhole(interval: UInt64) -> Bool {
    guard let (old, new) = pair(span: span(interval)) else { return false }
    return new.time.nanoseconds(since: old.time) >= span(interval)
  }

  func percent(interval: UInt64) -> Reading<Double> {
    if let absence { return .absent(absence) }
    let span = span(interval)
    guard let (old, new) = pair(span: span) else { return .absent(.pending) }
    return .value(100 * Double(new.cpu &- min(old.cpu, new.cpu)) / elapsed(old, new))
  }

  /// The share between two samples that are still kept, in percent; `nil` if one of them is not.
  ///
  /// - Parameters:
  ///   - end: the time of the later sample.
  ///   - nanoseconds: how much earlier the other one was made.
  func percent(until end: Instant, over nanoseconds: UInt64) -> Double? {
    guard nanoseconds > 0, let new = entry(at: end),
      let old = entry(at: end.advanced(byNanoseconds: -Int64(clamping: nanoseconds))),
      new.time.nanoseconds(since: old.time) > 0
    else { return nil }
    return 100 * Double(new.cpu &- min(old.cpu, new.cpu)) / elapsed(old, new)
  }

  /// The entry at a time, which a recording may have rounded.
  private func entry(at time: Instant) -> Entry? {
    for age in 0..<ring.count
    where time.nanoseconds(since: entry(age).time).magnitude < CPUShareWindow.rounding {
      return entry(age)
    }
    return nil
  }

  /// perfhud's own share, over the same entries as far as they have it.
  func ownPercent() -> Reading<Double> {
    guard let (old, new) = pair(span: 1_000_000_000) else { return .absent(.pending) }
    return .value(100 * Double(new.own &- min(old.own, new.own)) / elapsed(old, new))
  }

  private func elapsed(_ old: Entry, _ new: Entry) -> Double {
    max(1, Double(new.time.nanoseconds(since: old.time)))
  }
}
