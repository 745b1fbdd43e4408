import Metrics
import PerfHUDBase
import Sampler

/// The values on the screen. They change only twice a second, so that they can be read.
package struct ShownValues: Sendable {
  /// From this CPU share on, in percent of one core, a process is active.
  static let busyPercent = 5.0
  /// How long it is active after that, in nanoseconds.
  private static let busyPeriod: Int64 = 2_000_000_000
  /// For this long, in nanoseconds, a small change of perfhud's own cost is not shown.
  private static let ownPeriod: Int64 = 10_000_000_000
  /// For this long, in nanoseconds, children that are not counted stay in the title after they have ended: a build has
  /// some of them now and then.
  private static let childrenPeriod: Int64 = 5_000_000_000

  /// A list of the processes of a tree, which is on the screen with the values.
  struct List: Equatable, Sendable {
    let time: Instant
    /// The CPU share of the tree over the time that the rows cover, in percent of one core; `nil` if it is not known.
    let cpuPercent: Double?
  }

  /// `nil` before the first sample.
  package var row: Row?
  /// What the target waits for, shown in the edge of an overlay; `nil` if it waits for nothing.
  private(set) var wait: Metric?
  /// The name of the target, made harmless; updated only when it changes.
  private(set) var name = ""
  /// What may hold the target back, over the last minute.
  private(set) var reasons = ReasonHistory()
  /// The last PSS that was read, in bytes, and when; `nil` before the first one.
  private(set) var lastPSS: (bytes: Double, time: Instant)?
  /// When the current values began to be due.
  private var time: Instant?
  /// The state of the target: active if it has used a part of a core in the last two seconds, even if it slept whenever
  /// it was sampled, and also if only its children have. Otherwise the state of the process itself.
  private(set) var state = ProcessState.unknown.word
  /// The peaks with the current values, so that a peak is not newer than the value beside it.
  private(set) var peaks = Peaks()
  /// When it last used that.
  private var busyTime: Instant?
  /// The list with which the current values were taken.
  private(set) var list: List?
  /// When the cost of perfhud itself changed.
  private var ownCostTime: Instant?
  /// When there last were children that are not counted.
  private var childrenTime: Instant?

  /// Takes new values, if the former ones have been shown long enough or are those of another state.
  ///
  /// With a list of a tree they change with that list, and the CPU share is that over the same time as the shares of
  /// its rows, so that these add up to it.
  ///
  /// - Parameters:
  ///   - rates: the rates that are shown in place of those of the row.
  ///   - period: how long values stay, in nanoseconds.
  ///   - peaks: the peaks of the run so far.
  ///   - list: the list on the screen; `nil` if none of a tree is shown.
  /// - Returns: whether the values have changed.
  mutating func update(
    to latest: Row, rates: RecentRates = RecentRates(), period: Int64, peaks: Peaks = Peaks(),
    list: List? = nil
  ) -> Bool {
    let hasNewList = list != nil && list != self.list
    // Lists come as often as values change, a little earlier or later.
    let longest = list == nil ? period : 3 * period
    let isDue =
      hasNewList || time.map { latest.time.nanoseconds(since: $0) >= longest } ?? true
    let isFirst = row.map { $0.isProvisional || $0[.cpuWindow].value == nil } ?? true
    let hasChanged =
      row?.hasEnded != latest.hasEnded || row?.isZombie != latest.isZombie
      || row?.pid != latest.pid
    guard isDue || isFirst || hasChanged else { return false }
    if row?.name != latest.name || name.isEmpty { name = latest.name.text }
    var new = latest
    rates.smooth(&new)
    keepOwnCost(in: &new)
    keepChildren(in: &new)
    if let percent = list?.cpuPercent, new[.cpuWindow].value != nil {
      new[.cpuWindow] = .value(percent)
    }
    self.list = list
    updateState(new)
    wait = Bottlenecks.wait(in: new, after: wait)
    if new.pid != row?.pid {
      reasons.removeAll()
      lastPSS = nil
    }
    if let bytes = new[.pss].value, new.pssAgeSeconds > 0,
      bytes > new[.resident].value ?? .infinity
    {
      // Memory has gone since it was read.
      new[.pss] = .absent(.outdated)
    }
    if let bytes = new[.pss].value {
      let age = Int64(min(new.pssAgeSeconds, 4e9) * 1e9)
      lastPSS = (bytes, new.time.advanced(byNanoseconds: -age))
    }
    reasons.add(new)
    row = new
    self.peaks = peaks
    guard list == nil else {
      time = latest.time
      return true
    }
    // Periods begin at whole multiples of the target's age, so that the seconds in the title change evenly.
    let age = (latest.ageSeconds * 1e9).truncatingRemainder(dividingBy: Double(period))
    time = latest.time.advanced(byNanoseconds: -Int64(age))
    return true
  }

  private mutating func updateState(_ new: Row) {
    if new.pid != row?.pid { busyTime = nil }
    if new[.cpuWindow].value ?? 0 >= ShownValues.busyPercent { busyTime = new.time }
    let isBusy =
      busyTime.map { new.time.nanoseconds(since: $0) < ShownValues.busyPeriod } ?? false
    state = isBusy ? new.state.wordWhileBusy : new.state.word
  }

  /// Keeps the displayed cost of perfhud as long as it stays about the same.
  private mutating func keepOwnCost(in new: inout Row) {
    if let before = row?.ownCPUPercent.value, let now = new.ownCPUPercent.value,
      let ownCostTime, new.time.nanoseconds(since: ownCostTime) < ShownValues.ownPeriod,
      abs(now - before) < 0.1 + 0.1 * before
    {
      new.ownCPUPercent = .value(before)
    } else {
      ownCostTime = new.time
    }
  }

  /// Keeps the number of children that are not counted for some seconds.
  private mutating func keepChildren(in new: inout Row) {
    if new.uncountedChildren > 0 {
      childrenTime = new.time
    } else if let row, row.pid == new.pid, let childrenTime,
      new.time.nanoseconds(since: childrenTime) < ShownValues.childrenPeriod
    {
      new.uncountedChildren = row.uncountedChildren
    }
  }

  /// Makes new values due.
  mutating func expire() { time = nil }

  /// Forgets all values but the name.
  mutating func forget() {
    row = nil
    wait = nil
    lastPSS = nil
    reasons.removeAll()
    time = nil
    list = nil
    busyTime = nil
    ownCostTime = nil
    childrenTime = nil
  }
}

extension ProcessState {
  /// Whether a process alternates between this state and others while all is well.
  var isUsual: Bool {
    switch self {
    case .running, .sleeping, .idle, .diskSleep: true
    default: false
    }
  }

  /// The word for a process that has used a core a moment ago. It may sleep at each sample, or be found running by
  /// chance.
  var wordWhileBusy: Word {
    switch self {
    case .running, .sleeping, .idle: .stateActive
    default: word
    }
  }
}
