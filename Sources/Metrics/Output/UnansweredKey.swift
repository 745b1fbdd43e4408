import PerfHUDBase
import Sampler

/// Whether a key waits for a program that is too busy to answer it; pure.
///
/// A missing answer alone is no problem: a key may have no meaning to the program. So it counts only while the
/// process that leads the target works (half of a core over the last half second, all since the key), or
/// is never found asleep: it waits for a disk, or runs and waits for its turn on a busy machine. One
/// that sleeps has seen the key, or does not want it.
struct UnansweredKey: Sendable {
  /// Share of a core from which a process is busy, in percent.
  static let busyPercent = 50.0
  /// Share of a core from which one that is never found asleep works, on a machine that leaves it no
  /// more; in percent.
  static let starvedPercent = 5.0
  /// The window of the share, in nanoseconds.
  static let span: Int64 = 500_000_000
  /// The shortest window of the share, in nanoseconds.
  static let leastSpan: Int64 = 300_000_000
  private static let capacity = 32

  private struct Entry: BitwiseCopyable, Sendable {
    var time = Instant(nanoseconds: 0)
    var cpu: UInt64 = 0
  }

  /// When the key was typed that has not been answered.
  private var since: Instant?
  private var isBusy = false
  private var entries = InlineArray<32, Entry>(repeating: Entry())
  private var ring = RingIndex<32>()
  /// The first of the readings in a row that found it awake: running, ready to run, or waiting for a
  /// disk.
  private var awakeSince: Instant?
  private var state = ProcessState.unknown
  private var statTime = Instant(nanoseconds: 0)

  var unansweredSince: Instant? { isBusy ? since : nil }

  mutating func begin(since time: Instant) {
    since = time
    update()
  }

  mutating func end() {
    since = nil
    isBusy = false
  }

  mutating func add(_ sample: Sample) {
    guard let cpu = sample.processCPUNanoseconds.value, !sample.hasEnded else {
      ring.removeAll()
      isBusy = false
      return
    }
    // Another process, or one that started anew.
    if ring.count > 0, cpu < entry(0).cpu { ring.removeAll() }
    entries[ring.advance()] = Entry(time: sample.time, cpu: cpu)
    state = sample.state
    let isAwake = state == .diskSleep || state == .running
    awakeSince = isAwake ? awakeSince ?? sample.statTime : nil
    statTime = sample.statTime
    update()
  }

  private func entry(_ age: Int) -> Entry { entries[ring.slot(age: age)] }

  private mutating func update() {
    guard let since, ring.count > 0 else {
      isBusy = false
      return
    }
    let share = percent(since: since) ?? 0
    let isAwake = isAwake(since: since)
    isBusy =
      share >= UnansweredKey.busyPercent || (isAwake && share >= UnansweredKey.starvedPercent)
      || (isAwake && state == .diskSleep)
  }

  /// The share of a core over the last half second, but not from before the key; `nil` while the
  /// readings do not reach back far enough.
  private func percent(since: Instant) -> Double? {
    let newest = entry(0)
    var age = 0
    while age + 1 < ring.count, entry(age + 1).time >= since,
      newest.time.nanoseconds(since: entry(age).time) < UnansweredKey.span
    {
      age += 1
    }
    let oldest = entry(age)
    let elapsed = newest.time.nanoseconds(since: oldest.time)
    guard elapsed >= UnansweredKey.leastSpan else { return nil }
    return 100 * Double(newest.cpu - oldest.cpu) / Double(elapsed)
  }

  /// Whether every reading since the key has found it awake, and they reach over some time.
  private func isAwake(since: Instant) -> Bool {
    guard let awakeSince else { return false }
    return statTime.nanoseconds(since: max(awakeSince, since)) >= UnansweredKey.leastSpan
  }
}
