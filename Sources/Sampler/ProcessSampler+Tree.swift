import Base
import Glibc

/// The descendants of the process.
extension ProcessSampler {
  /// Adds the process and its descendants.
  mutating func combine(hasReadStat: Bool) {
    if let own = latest.cpuNanoseconds.value { tree?.root.own = own }
    guard let totals = tree?.end(hasReadStat: hasReadStat, now: latest.time) else { return }
    combined.update(
      latest, totals, leftOut: tree?.leftOut ?? 0, pageBytes: units.pageBytes,
      hasReadStat: hasReadStat)
  }

  /// On a budget, as that of PSS: with many processes more rarely than once a second, and some in each
  /// reading.
  mutating func readSlowFiguresOfTree() {
    let before = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
    tree?.readSlowFigures()
    slowCost &+= (readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &- before
    let pause = max(ProcessSampler.slowInterval, PSSReader.costFactor &* min(slowCost, 1 << 40))
    slowDue = Instant(nanoseconds: latest.time.nanoseconds &+ pause)
    ioDue = max(ioDue, slowDue)
  }

  mutating func readPSSOfTree() {
    let before = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
    combined.pssOfDescendants = tree?.readPSS()
    pss.charge((readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &- before)
  }
}
