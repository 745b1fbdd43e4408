import PerfHUDBase
import Sampler

/// Whether a key waits for a program that is too busy to answer it; pure.
///
/// A missing answer alone is no problem: the key may mean nothing to the program. So it counts only while the target's
/// leading process is busy (half of a core over the last half second, all of it after the key), or is never found
/// asleep: it waits for a disk, or for a processor on a busy machine. A process that sleeps has seen the key, or does
/// not want it.
struct UnansweredKey: Sendable {
  /// From this share of a core on a process is busy, in percent.
  static let busyPercent = 50.0
  /// On a machine too busy to give it more, a process that is never found asleep counts as working from this share of a
  /// core on, in percent.
  static let starvedPercent = 5.0
  /// The window of the share, in nanoseconds.
  static let span: Int64 = 500_000_000
  /// The shortest window of the share, in nanoseconds.
  static let leastSpan: Int64 = 300_000_000

  private struct Entry: BitwiseCopyable, Sendable {
    var time = Instant(nanoseconds: 0)
    var cpu: UInt64 = 0
  }

  /// When the key that has not been answered was typed.
  private var since: Instant?
  private var isBusy = false
  private var entries = InlineArray<32, Entry>(repeating: Entry())
  private var ring = RingIndex<32>()
  /// The first of the latest readings that, without interruption, found it awake: running, ready to run, or waiting for
  /// a disk.
  private var awakeSince: Instant?
  private var state = ProcessState.unknown
  private var statTime = Instant(nanoseconds: 0)
  private let anchor = Anchor()

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
    // This is another process, or one that has been restarted.
    if ring.count > 0, cpu < entry(0).cpu { ring.removeAll() }
    entries[ring.advance()] = Entry(time: sample.time, cpu: cpu)
    state = sample.state
    let isAwake = state == .diskSleep || state == .running
    awakeSince = isAwake ? awakeSince ?? sample.statTime : nil
    statTime = sample.statTime
    update()
  }

  // A span, because a subscript into a stored inline array would copy all of it.
  private func entry(_ age: Int) -> Entry { entries.span[ring.slot(age: age)] }

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

  /// The share of a core over the last half second, but not from before the key; `nil` while the readings cover too
  /// little time.
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

  /// Whether every reading since the key has found it awake, and they cover enough time.
  private func isAwake(since: Instant) -> Bool {
    guard let awakeSince else { return false }
    return statTime.nanoseconds(since: max(awakeSince, since)) >= UnansweredKey.leastSpan
  }
}
