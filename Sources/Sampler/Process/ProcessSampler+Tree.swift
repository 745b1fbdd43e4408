import Glibc
import PerfHUDBase

/// The descendants of the process.
extension ProcessSampler {
  /// Reads the descendants. If there are many, stat is read on a budget: a process that runs only now and then is read
  /// less than twice a second, unless it is on the screen.
  ///
  /// - Returns: whether one has vanished.
  mutating func readTree(readsStat: Bool) -> Bool {
    guard readsStat, tree?.isLarge == true, list.request == nil else {
      return tree?.read(readsStat: readsStat) == true
    }
    let before = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
    let hasVanished = tree?.read(readsStat: true) == true
    let cost = (readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &- before
    let capped = min(cost, 1 << 40)
    let pause = PSSReader.costFactor &* capped
    due.stat = max(due.stat, Instant(nanoseconds: latest.time.nanoseconds &+ pause))
    due.reaped = Instant(
      nanoseconds: latest.time.nanoseconds &+ ProcessSampler.newProcessCostFactor &* capped)
    return hasVanished
  }

  /// Adds up the process and its descendants.
  mutating func combine(hasReadStat: Bool) {
    if let own = latest.cpuNanoseconds.value { tree?.root.own = own }
    guard let totals = tree?.end(hasReadStat: hasReadStat, now: latest.time) else { return }
    takeWaits()
    combined.update(
      latest, totals, leftOut: tree?.leftOut ?? 0, pageBytes: units.pageBytes,
      hasReadStat: hasReadStat, reporter: reporter.flatMap { tree?.memory(of: $0) })
  }

  /// Takes the waits of the descendants once all of them were read for the same interval as those of the process.
  private mutating func takeWaits() {
    guard let begin = lowRateBegin, !latest.hasEnded, tree?.lowRateCursor == nil else { return }
    lowRateBegin = nil
    // The threads of the process may be read less often, because there are many.
    guard combined.wantsWaits(of: latest), let taken = tree?.takeWaits(time: begin) else { return }
    combined.takeWaits(of: latest, taken)
  }

  /// Reads the low-rate values of the descendants, on a budget like that of PSS: with many processes less than once a
  /// second, and only some in each sample.
  mutating func readLowRateValuesOfTree() {
    let before = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
    tree?.readLowRateValues()
    lowRateCost &+= (readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &- before
    let pause = max(
      ProcessSampler.lowRateInterval, PSSReader.costFactor &* min(lowRateCost, 1 << 40))
    due.lowRate = Instant(nanoseconds: latest.time.nanoseconds &+ pause)
    due.io = max(due.io, due.lowRate)
  }

  /// Reads how much memory forked processes share, on the budget of PSS.
  mutating func readSharing() {
    guard pss.policy == .onBudget || pss.policy == .onBudgetAnySize, !latest.hasEnded else {
      return
    }
    let now = latest.time
    let isFirst = pss.canAfford(now: now) && tree?.wantsSharing(now: now) == true
    guard isFirst || tree?.isReadingSharing == true else { return }
    let before = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
    tree?.readSharing(now: now, isFirst: isFirst)
    pss.spend((readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &- before, now: now)
  }

  mutating func readPSSOfTree() {
    let before = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
    combined.pssOfDescendants = tree?.readPSS(
      rootShare: pss.privateBytes, now: latest.time)
    pss.charge((readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &- before)
  }
}
