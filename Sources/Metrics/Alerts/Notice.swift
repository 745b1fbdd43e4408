import PerfHUDBase
import PerfHUDEvents

/// Something that perfhud itself has found out and shows as a toast: values, not sentences.
package struct Notice: BitwiseCopyable, Sendable, Equatable {
  package enum Kind: UInt8, BitwiseCopyable, Sendable, CaseIterable {
    /// A finished visit to phase `name` kept `bytes`, `percent` of what it took.
    case phaseKept
    /// The verdict on phase `name` has become `keeps` or `either`, with `bytes` for each visit.
    case phaseGrows
    /// Action `name` has become HIGH, at `rate` a second, which is above `limit`.
    case actionHigh
    /// This perfhud does not receive the events of the program; `listener` has the reason.
    case eventsElsewhere
    /// `percent` of the memory limit `name` is in use.
    case memoryNearLimit
    /// The cgroup of the limit went over memory.high and was slowed down, `rate` times in this run.
    case memoryHigh
    /// It was about to go over memory.max, `rate` times in this run.
    case memoryMax
    /// The kernel has killed processes of the cgroup because memory ran out, `rate` in this run.
    case oomKill
    /// The target `name` was started again.
    case restarted
    /// Several processes match the pattern `name`: `rate` of them. The newest is shown.
    case newest
    /// The rule with the number `rule` holds; `name` is its text and `value` is the value that raised it.
    case alert
    /// The alert of the rule with the number `rule` has ended after `seconds`. Shown only in the log, not as a toast.
    case alertEnded
  }

  /// Increases with each notice; a repeated notice keeps its id.
  package var id: UInt32 = 0
  package var kind: Kind
  /// When it was last given.
  package var time: Instant
  package var name: Event.Name
  package var phase: PhaseIndex?
  /// For `phaseGrows`, the verdict on the phase, and the name of the other phase if it has one.
  package var verdict: Verdict?
  package var other: Event.Name?
  package var bytes = 0.0
  package var percent = 0.0
  package var rate = 0.0
  /// For `actionHigh`, the rate above which an action is HIGH.
  package var limit = 0.0
  package var seconds = 0.0
  package var listener = EventListener.here
  /// For an alert, the index of its rule in `Run.alerts`.
  package var rule: UInt8 = 0
  package var valueText = InlineText<24>()
  /// How often it was given while it was shown; at least 1.
  package var count: UInt32 = 1

  init(_ kind: Kind, _ name: Event.Name, at time: Instant) {
    self.kind = kind
    self.name = name
    self.time = time
  }
}

extension Notice {
  /// Whether a later notice about the same growth names a phase that is likelier its cause.
  package func isSuperseded(by later: Notice) -> Bool {
    guard kind == .phaseGrows, later.kind == .phaseGrows, later.time >= time, later.bytes > bytes,
      let phase, let verdict, let other = later.phase, let others = later.verdict, phase != other
    else { return false }
    return verdict.isInDoubt(as: phase, with: others, other)
  }
}

/// The last 32 notices. An alert that has ended takes two of them.
package struct NoticeList: Sendable {
  static let capacity = 32
  /// How long a notice is shown, in nanoseconds.
  package static let lifetime: Int64 = 8_000_000_000
  /// A visit deserves a notice if it kept more than this number of bytes, and more than this share of what it took.
  package static let keptBytes = 8.0 * 1_048_576
  package static let keptPercent = 20.0

  private var notices = BoundedList(
    capacity: capacity, filler: Notice(.phaseKept, Event.Name(), at: Instant(nanoseconds: 0)))
  private var ids: UInt32 = 0

  /// All remembered notices, oldest first.
  package var all: BoundedList<Notice> { notices }

  /// Those of the last 8 s, oldest first.
  package func shown(asOf now: Instant) -> Slice<BoundedList<Notice>> {
    var first = 0
    while first < notices.count,
      now.nanoseconds(since: notices[first].time) >= NoticeList.lifetime
    {
      first += 1
    }
    return Slice(base: notices, bounds: first..<notices.count)
  }

  mutating func add(_ notice: Notice) {
    var notice = notice
    if let former = former(of: notice) {
      notice.count = max(notice.count, notices[former].count + 1)
      notice.id = notices[former].id
      notices.remove(at: former)
    } else {
      ids += 1
      notice.id = ids
      if notices.isFull { notices.remove(at: 0) }
    }
    // Keep the order of time, in which notices disappear.
    var position = notices.count
    while position > 0, notices[position - 1].time > notice.time { position -= 1 }
    notices.insert(notice, at: position)
  }

  /// The same notice, if it is still shown.
  private func former(of notice: Notice) -> Int? {
    for index in 0..<notices.count
    where notices[index].kind == notice.kind && notices[index].name == notice.name
      && notice.time.nanoseconds(since: notices[index].time) < NoticeList.lifetime
    {
      return index
    }
    return nil
  }

  /// Adds a notice about a settled visit that kept much memory, unless its phase is already known to keep memory.
  mutating func add(_ visit: Visit, of phase: Phase, isGrowing: Bool, at time: Instant) {
    // Memory that the allocator holds is not the program's.
    guard !isGrowing, !visit.isWarmUp, let kept = visit.ownKeptBytes ?? visit.keptBytes,
      let taken = visit.takenBytes, taken > 0
    else { return }
    var notice = Notice(.phaseKept, phase.name, at: time)
    notice.phase = visit.phase
    notice.bytes = kept
    notice.percent = 100 * kept / taken
    guard kept > NoticeList.keptBytes, notice.percent > NoticeList.keptPercent else { return }
    add(notice)
  }

  /// Adds a notice that a phase, or either it or another one, is now known to keep memory at each visit.
  mutating func add(
    _ growth: Verdict, of phase: Phase, _ index: PhaseIndex, or other: Event.Name?, at time: Instant
  ) {
    var notice = Notice(.phaseGrows, phase.name, at: time)
    notice.phase = index
    notice.verdict = growth
    notice.bytes = growth.bytesPerVisit ?? 0
    notice.other = other
    add(notice)
  }
}
