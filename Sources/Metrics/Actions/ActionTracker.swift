import PerfHUDBase
import PerfHUDEvents

/// The totals of one action as of a moment.
package struct ActionTotal: BitwiseCopyable, Sendable {
  package var name = Event.Name()
  /// How often it happened.
  package var count: UInt64 = 0
  /// Whether `count` is exact. Otherwise it is a lower bound (`≥`), because events were lost or the table had no room
  /// for the name at first.
  package var isExact = true
  /// Events a second, over the last 2 s.
  package var rate = 0.0
  package var isHigh = false
  /// The greatest rate, over 2 s or over a burst of at least 0.5 s.
  package var peakRate = 0.0
  package var timesHigh: UInt32 = 0
  /// By how much the leading memory metric of the process changed in a run of it: the mean of the runs during which no
  /// other action ran. `nil` without such a run, since the change cannot be attributed then.
  package var bytesPerRun: Double?
  /// Slow frames while it ran.
  package var slowFrames: UInt64 = 0
  package var last = Instant(nanoseconds: 0)
}

/// Actions by name, with rates.
///
/// There is room for 128 names. The next new one takes the place of the name with the least count, and
/// starts with that as its rank (the space-saving scheme: Metwally, Agrawal, El Abbadi, 2005), so that
/// a name with more than 1/128 of all actions is never absent for long. Once a name has been replaced, the counts of
/// names that come later are lower bounds.
///
/// An action runs from its first event until 1 s has passed without another. Slow frames are those of the whole process
/// in that time, whatever else ran; memory is attributed only if no other action ran meanwhile.
///
/// Fixed memory; nothing is allocated.
package struct ActionTracker: Sendable {
  package static let nameCapacity = 128
  /// An action ends after this time without an event, in nanoseconds.
  static let runGap: Int64 = 1_000_000_000

  private struct Action: BitwiseCopyable, Sendable {
    var name = Event.Name()
    var fingerprint: UInt64 = 0
    var count: UInt64 = 0
    /// An upper bound of the number of its events before it entered the table.
    var before: UInt64 = 0
    var rate = HighRate()
    var timesNoticed: UInt32 = 0
    var last = Instant(nanoseconds: 0)
    /// NaN if it is unknown, or if another action has run meanwhile.
    var memoryAtStart = Double.nan
    var slowAtStart: UInt64 = 0
    /// The sum over the runs in which it ran alone, and below their number.
    var memoryBytes = 0.0
    var slowFrames: UInt64 = 0
    var runsAlone: UInt32 = 0
    var seconds = ActionSeconds()
    var isExact = true
    var isRunning = false

    /// The space-saving rank.
    var rank: UInt64 { count &+ before }
  }

  /// An action is HIGH above this number of times a second.
  package let threshold: Double
  private var actions: [Action]
  private var window = ActionRateWindow()
  private var lastIndex = 0
  package private(set) var log = ActionLog()
  /// The number of names in the table.
  package private(set) var count = 0
  /// All actions.
  package private(set) var total: UInt64 = 0
  /// The number of actions whose names were replaced.
  package private(set) var folded: UInt64 = 0
  /// The number of times a name was replaced.
  package private(set) var forgottenNames: UInt64 = 0
  /// When events were last lost. From then on every count is a lower bound, since it is unknown which events were lost.
  private var lostAt: Instant?

  init(threshold: Double) {
    self.threshold = threshold
    actions = Array(repeating: Action(), count: ActionTracker.nameCapacity)
  }

  /// Adds an event. One that is reported late, since its sender found the queue full and then went silent, counts when
  /// it happened; it starts no run, since what ran meanwhile is not changed by it.
  ///
  /// - Parameters:
  ///   - arrival: when it was received.
  ///   - trail: readings of memory around now.
  ///   - slowFrames: slow frames so far.
  mutating func add(
    _ event: Event, at arrival: Instant, trail: borrowing RecentMemory, slowFrames: UInt64
  ) {
    let isLate = event.number >= 1
    let delay = isLate ? UInt64(min(event.number, Double(UInt32.max))) * 1_000_000 : 0
    let time = Instant(nanoseconds: arrival.nanoseconds - min(delay, arrival.nanoseconds))
    total += UInt64(event.count)
    window.add(event.count, at: time)
    log.add(event, at: time)
    let index = entryIndex(of: event.name)
    if !isLate { run(index, at: time, trail, slowFrames) }
    actions[index].count += UInt64(event.count)
    actions[index].last = max(actions[index].last, time)
    if isLate {
      actions[index].rate.addLate(event.count, at: time, asOf: arrival, threshold: threshold)
    } else {
      actions[index].rate.add(event.count, at: time, threshold: threshold)
    }
    actions[index].seconds.add(event.count, at: time, threshold: threshold)
  }

  /// Starts a run of an action, unless one goes on.
  private mutating func run(
    _ index: Int, at time: Instant, _ trail: borrowing RecentMemory, _ slowFrames: UInt64
  ) {
    if actions[index].isRunning,
      time.nanoseconds(since: actions[index].last) >= ActionTracker.runGap
    {
      stop(index, trail, slowFrames)
    }
    guard !actions[index].isRunning else { return }
    let isAlone = endOrMark(at: time, trail, slowFrames)
    actions[index].isRunning = true
    actions[index].memoryAtStart = isAlone ? trail.bytes(asOf: time) ?? .nan : .nan
    actions[index].slowAtStart = slowFrames
  }

  /// Before an action starts: ends the actions that are over, and marks those that go on as not alone.
  ///
  /// - Returns: whether none goes on.
  private mutating func endOrMark(
    at time: Instant, _ trail: borrowing RecentMemory, _ slowFrames: UInt64
  ) -> Bool {
    var isAlone = true
    for index in 0..<count where actions[index].isRunning {
      if time.nanoseconds(since: actions[index].last) >= ActionTracker.runGap {
        stop(index, trail, slowFrames)
      } else {
        actions[index].memoryAtStart = .nan
        isAlone = false
      }
    }
    return isAlone
  }

  /// Notes that events have been lost.
  mutating func noteLoss(at time: Instant) { lostAt = max(time, lostAt ?? time) }

  /// Whether events that were lost may be missing from the rate at a moment.
  func isRateLowerBound(asOf now: Instant) -> Bool {
    guard let lostAt else { return false }
    return now.nanoseconds(since: lostAt) <= Int64(ActionRateWindow.seconds) * 1_000_000_000
  }

  /// Advances the time to that of a sample.
  mutating func advance(
    to time: Instant, trail: borrowing RecentMemory, slowFrames: UInt64, notices: inout NoticeList
  ) {
    for index in 0..<count {
      let isRunning = actions[index].isRunning
      if isRunning { actions[index].rate.advance(to: time, threshold: threshold) }
      if actions[index].rate.timesHigh > actions[index].timesNoticed {
        actions[index].timesNoticed = actions[index].rate.timesHigh
        giveNotice(index, at: time, &notices)
      }
      if isRunning, time.nanoseconds(since: actions[index].last) >= ActionTracker.runGap {
        stop(index, trail, slowFrames)
      }
    }
  }

  /// Notes that another process is measured: its memory cannot be compared with the memory at the start of an action.
  mutating func replaceProcess() {
    for index in 0..<count { actions[index].memoryAtStart = .nan }
  }

  private func giveNotice(_ index: Int, at time: Instant, _ notices: inout NoticeList) {
    var notice = Notice(.actionHigh, actions[index].name, at: time)
    var rate = actions[index].rate
    let current = rate.rate(asOf: time)
    // The 2 s of the rate are not yet full of the burst. One that was reported late is over.
    notice.rate = current > threshold ? max(current, rate.burstRate(asOf: time) ?? 0) : rate.peak
    notice.limit = threshold
    notices.add(notice)
  }

  private mutating func stop(
    _ index: Int, _ trail: borrowing RecentMemory, _ slowFrames: UInt64
  ) {
    let end = actions[index].last.advanced(byNanoseconds: ActionTracker.runGap)
    let start = actions[index].memoryAtStart
    if !start.isNaN, let now = trail.bytes(asOf: end) {
      actions[index].memoryBytes += now - start
      actions[index].runsAlone += 1
    }
    actions[index].slowFrames += slowFrames &- min(slowFrames, actions[index].slowAtStart)
    actions[index].isRunning = false
  }

  private mutating func entryIndex(of name: Event.Name) -> Int {
    let fingerprint = name.fingerprint
    if lastIndex < count, actions[lastIndex].fingerprint == fingerprint,
      actions[lastIndex].name == name
    {
      return lastIndex
    }
    for index in 0..<count
    where actions[index].fingerprint == fingerprint && actions[index].name == name {
      lastIndex = index
      return index
    }
    var index = count
    var before: UInt64 = 0
    if count < ActionTracker.nameCapacity {
      count += 1
    } else {
      index = leastRanked()
      before = actions[index].rank
      folded += actions[index].count
      forgottenNames += 1
    }
    actions[index] = Action()
    actions[index].name = name
    actions[index].fingerprint = fingerprint
    actions[index].before = before
    actions[index].isExact = forgottenNames == 0
    lastIndex = index
    return index
  }

  private func leastRanked() -> Int {
    var result = 0
    for index in 1..<count where actions[index].rank < actions[result].rank { result = index }
    return result
  }

  /// The action at an index below `count`, as of a moment.
  package func totals(_ index: Int, asOf now: Instant) -> ActionTotal {
    let action = actions[index]
    var rate = action.rate
    rate.advance(to: now, threshold: threshold)
    var total = ActionTotal()
    total.name = action.name
    total.count = action.count
    total.isExact = action.isExact && lostAt == nil
    total.rate = rate.rate(asOf: now)
    total.isHigh = rate.isHigh
    total.peakRate = rate.peak
    total.timesHigh = rate.timesHigh
    if action.runsAlone > 0 { total.bytesPerRun = action.memoryBytes / Double(action.runsAlone) }
    total.slowFrames = action.slowFrames
    total.last = action.last
    return total
  }

  /// The number of whole seconds that `second(_:age:asOf:)` knows.
  package static let keptSeconds = ActionSeconds.capacity

  /// How often an action happened in a second.
  ///
  /// - Parameters:
  ///   - index: below `count`.
  ///   - age: 0 for the current second, 1 for the last whole one; none beyond `keptSeconds`.
  package func second(_ index: Int, age: Int, asOf now: Instant) -> ActionSecond {
    actions[index].seconds.second(age: age, asOf: now)
  }

  /// The name of the action at an index below `count`.
  package func name(_ index: Int) -> Event.Name { actions[index].name }

  /// The actions, most frequent first.
  package var ranking: Ranking { Ranking(count) { Double(actions[$0].count) } }

  /// The rate of all actions a second, over the last 2 s.
  package func rate(asOf now: Instant) -> Double {
    var window = window
    return window.rate(asOf: now)
  }

  /// The index of a name; `nil` if it is not in the table.
  package func index(of name: Event.Name) -> Int? {
    let fingerprint = name.fingerprint
    for index in 0..<count
    where actions[index].fingerprint == fingerprint && actions[index].name == name {
      return index
    }
    return nil
  }
}
