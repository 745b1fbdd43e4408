import PerfHUDBase
import PerfHUDEvents
import Sampler

/// Watches the memory limit: how close its use is, and what the kernel has done about it.
struct LimitWatch: BitwiseCopyable, Sendable {
  /// A notice is given when the use reaches the first share of the limit, and again only after it has fallen below the
  /// second. With a single threshold, a use that oscillates around it would give one notice after the other.
  static let nearPercent = 90.0
  static let calmPercent = 85.0

  /// Events in this run.
  private(set) var high = Reading<Double>.absent(.pending)
  private(set) var max = Reading<Double>.absent(.pending)
  private(set) var oomKills = Reading<Double>.absent(.pending)

  private var lowRateTime = Instant(nanoseconds: 0)
  private var isNear = false
  private var timesNear: UInt32 = 0
  private var nearPercent = 0.0
  /// The limit that the events are counted for.
  private var bytes: UInt64?
  private var source = MemoryLimitSource.physical
  private var before = MemoryEvents()

  var report: LimitReport {
    LimitReport(
      killed: oomKills.value ?? 0, timesNear: timesNear, nearPercent: nearPercent,
      limitBytes: bytes.map { Double($0) }, source: source)
  }

  /// Starts over for another process of the same name, whose cgroup may be another one.
  mutating func restart() {
    before = MemoryEvents()
    lowRateTime = Instant(nanoseconds: 0)
    isNear = false
  }

  mutating func update(_ sample: Sample, notices: inout NoticeList) {
    guard sample.hasEnded || sample.lowRateTime != lowRateTime else { return }
    lowRateTime = sample.lowRateTime
    if !sample.hasEnded { checkUse(sample, &notices) }
    if sample.limitSource != source || sample.limitBytes.value != bytes {
      before.high = .absent(.pending)
      before.max = .absent(.pending)
      source = sample.limitSource
      bytes = sample.limitBytes.value
    }
    let events = sample.memoryEvents
    if LimitWatch.count(before.high, events.high, into: &high) {
      give(.memoryHigh, high, sample, &notices)
    }
    if LimitWatch.count(before.max, events.max, into: &max) {
      give(.memoryMax, max, sample, &notices)
    }
    if LimitWatch.count(before.oomKills, events.oomKills, into: &oomKills) {
      give(.oomKill, oomKills, sample, &notices)
    }
    before = events
  }

  private mutating func checkUse(_ sample: Sample, _ notices: inout NoticeList) {
    guard let limit = sample.limitBytes.value, limit > 0,
      let used = sample.limitUsedBytes.value ?? sample.residentBytes.value
    else { return }
    let percent = 100 * Double(used) / Double(limit)
    if percent < LimitWatch.calmPercent { isNear = false }
    guard percent >= LimitWatch.nearPercent, !isNear else { return }
    isNear = true
    timesNear += 1
    nearPercent = percent
    var notice = Notice(
      .memoryNearLimit, Event.Name("\(sample.limitSource.word.english)"), at: sample.time)
    notice.percent = percent
    notice.bytes = Double(limit)
    notices.add(notice)
  }

  /// Adds what has happened since the previous reading.
  ///
  /// - Returns: whether anything has.
  private static func count(
    _ old: Reading<UInt64>, _ new: Reading<UInt64>, into total: inout Reading<Double>
  ) -> Bool {
    guard case .value(let now) = new else {
      if total.value == nil { total = new.map { Double($0) } }
      return false
    }
    let former = total.value ?? 0
    guard let before = old.value, now > before else {
      total = .value(former)
      return false
    }
    total = .value(former + Double(now - before))
    return true
  }

  private func give(
    _ kind: Notice.Kind, _ total: Reading<Double>, _ sample: Sample, _ notices: inout NoticeList
  ) {
    let name: StaticString =
      switch kind {
      case .memoryHigh: "memory.high"
      case .memoryMax: "memory.max"
      default: "oom_kill"
      }
    var notice = Notice(kind, Event.Name("\(name)"), at: sample.time)
    notice.rate = total.value ?? 0
    notices.add(notice)
  }
}
