import PerfHUDBase
import PerfHUDEvents

/// Phases on the time line, and the memory of each visit.
///
/// Events carry the time at which they were sent, so an event may arrive after a sample with a later time, or before
/// one with an earlier time. A border is therefore settled when the first later sample arrives. The order of arrival
/// does not matter as long as an event arrives at most 250 ms after the samples around it. After that a visit may have
/// settled already, and its value is off by the readings in between.
///
/// - A new phase ends the previous one. If the phase is already open, it is refreshed (icon, color) and not entered
///   again. An empty name ends the phase without beginning another.
/// - An event that is older than the last border counts as if it came at that border.
/// - There is room for 64 names. The next new name replaces the one that was entered longest ago and whose visits have
///   settled; intervals of a replaced name become `otherIndex`. If it is entered again, its visits, their time and their
///   peak count from before; what it kept begins anew.
///
/// Fixed memory; nothing is allocated but once, when the first name is replaced.
package struct PhaseTracker: Sendable {
  package static let nameCapacity = 64
  /// The index that the graph shows for a phase whose name was replaced.
  package static let otherIndex = PhaseIndex(nameCapacity)
  /// A reading for a border that comes later than this, in nanoseconds, is marked as late.
  package static let borderPatience: Int64 = 2_000_000
  /// If phases follow quickly, verdicts are computed at most this often, in nanoseconds.
  static let judgePeriod: Int64 = 100_000_000

  var phases: [Phase]
  private var visits: [Visit]
  private(set) var intervals = PhaseIntervals()
  private var generations: UInt32 = 0
  /// The visits that are open or have not settled, with the recent readings.
  private(set) var unsettled = UnsettledVisits()
  private(set) var process: UInt16 = 0
  private var hasEnded = false
  /// A peak that readings have missed, until it is known which phases it may belong to; see `settleMissedPeak`.
  var missedPeak: MissedPeak?
  /// The greatest possible peak, unseen by all readings, of the time without a phase, in bytes.
  var possiblePeakOfNone = 0.0
  /// Whether events were lost, which may have begun phases.
  private(set) var hasLostEvents = false
  var trends = Array(repeating: SettledMemoryTrend(), count: PhaseTracker.nameCapacity)
  var attribution = KeptMemoryAttribution()
  /// The same without what the allocator holds; `nil` until the program has reported that for all its phases.
  var ownAttribution: KeptMemoryAttribution?
  private(set) var growth = ProcessGrowth()
  var verdicts = InlineArray<64, Verdict>(repeating: Verdict(VisitList()))
  /// Whether visits have settled that the verdicts do not include yet.
  var hasNews = false
  var judged = Instant(nanoseconds: 0)
  /// Whether a verdict was withdrawn because memory was released after the visits.
  var hasWithdrawn = false
  /// The newest phase, when it began, and the phase before it; `nil` for the time without one.
  private(set) var newest: (phase: PhaseIndex?, began: Instant, previous: PhaseIndex?) = (
    nil, Instant(nanoseconds: 0), nil
  )
  /// The number of names.
  package private(set) var count = 0
  /// The colors that phases have asked for, a bit each (`EventColor`).
  package private(set) var requestedColors: UInt16 = 0
  /// The number of names that were replaced because there were too many.
  package private(set) var forgottenNames: UInt64 = 0
  /// All visits that are over, each with the generation of its name; `nil` unless a comparison needs them.
  private var pastVisits: [(generation: UInt32, visit: Visit)]?
  /// The greatest number of visits that are kept.
  private static let pastVisitCapacity = 65_536
  /// The fingerprints of all names so far, to count them.
  private var names = DistinctNames()
  private let anchor = Anchor()

  init() {
    phases = Array(repeating: Phase(), count: PhaseTracker.nameCapacity)
    let none = Visit(phase: 0, entered: Instant(nanoseconds: 0))
    visits = Array(repeating: none, count: PhaseTracker.nameCapacity * VisitList.capacity)
  }

  // MARK: Records

  /// Begins a phase.
  ///
  /// - Parameter level: the target's memory at that moment as reported by the program; `nil` if it has not reported it.
  ///   Then `noteReading` adds it.
  /// - Parameter moved: how much memory that `level` does not include may have changed meanwhile, in bytes.
  mutating func enter(
    _ event: Event, at time: Instant, level: Double? = nil, moved: Double = 0,
    notices: inout NoticeList
  ) {
    guard !hasEnded else { return }
    let fingerprint = event.name.fingerprint
    let open = currentIndex
    if let index = open.map(Int.init), phases[index].fingerprint == fingerprint,
      phases[index].name == event.name
    {
      refresh(index, event)
      return
    }
    if event.name.isEmpty, open == nil { return }
    let border = max(time, unsettled.lastBorder ?? time)
    unsettled.close(at: border)
    if unsettled.isFull { settleFirst(&notices) }
    var next = UnsettledVisit(entered: border)
    next.previous = open
    next.entry.moved = moved
    if !event.name.isEmpty {
      let index = index(of: event.name, fingerprint: fingerprint)
      refresh(index, event)
      next.phase = PhaseIndex(index)
      next.generation = phases[index].generation
      next.isWarmUp = phases[index].enter(at: border, process: process)
      next.between = phases[index].visitedSince
      for other in 0..<count where other != index {
        phases[other].visitedSince |= 1 &<< UInt64(index)
      }
      phases[index].visitedSince = 0
    }
    unsettled.begin(next, event, level: level)
    newest = (next.phase, border, open)
    intervals.append(
      PhaseIntervals.Border(time: border, phase: next.phase, generation: next.generation))
    settle(&notices)
  }

  /// When the newest phase began, or the time before all of them.
  var lastBorder: Instant { unsettled.lastBorder ?? Instant(nanoseconds: 0) }

  /// Keeps all visits from now on, at most 65 536, and not only the last ones of each phase.
  mutating func keepEveryVisit() { if pastVisits == nil { pastVisits = [] } }

  /// Adds a reading of the leading memory metric.
  mutating func add(bytes: Double, at time: Instant, notices: inout NoticeList) {
    hasEnded = false
    unsettled.add(RecentMemory.Point(time: time, bytes: bytes))
    settle(&notices)
    settleMissedPeak(asOf: time)
    if mayShowRelease(at: time) { hasNews = true }
    judge(&notices)
  }

  mutating func noteMovement(after time: Instant, bytes: Double) {
    unsettled.noteMovement(after: time, bytes: bytes)
  }

  /// Lowers the readings of borders after a moment, which included memory that is gone.
  mutating func lowerReadings(after time: Instant, by bytes: Double) {
    unsettled.lowerReadings(after: time, by: bytes)
  }

  /// Notes that a phase may have begun at `border`, which is decided later. The next reading is kept for it.
  mutating func expect(border: Instant) {
    if !hasEnded { unsettled.expect(border: border) }
  }

  /// Adds a reading that was requested because a phase began or may have begun (`borderToRead`). It counts for that
  /// border. If it is late, a change in between may belong to either phase.
  ///
  /// - Parameter lateness: how many nanoseconds too late perfhud may have noticed the border, because the machine was
  ///   busy.
  mutating func noteReading(
    bytes: Double, at time: Instant, lateness: Int64 = 0, notices: inout NoticeList
  ) {
    guard !hasEnded else { return }
    unsettled.addBorderReading(RecentMemory.Point(time: time, bytes: bytes), lateness: lateness)
    settle(&notices)
  }

  /// Notes how many bytes the program's allocator holds, as reported by the program.
  mutating func noteRetained(bytes: Double, at time: Instant) {
    unsettled.noteRetained(bytes: bytes, at: time)
  }

  /// Notes that events were lost.
  mutating func noteLoss() { hasLostEvents = true }

  /// Starts over for another process: its visits cannot be compared with earlier ones.
  mutating func replaceProcess(notices: inout NoticeList) {
    while unsettled.count > 1 { settleFirst(&notices) }
    process &+= 1
    hasEnded = false
    for index in trends.indices { trends[index] = SettledMemoryTrend() }
    unsettled.replaceProcess()
  }

  /// Ends the last phase with the process; all visits settle.
  package mutating func end(at time: Instant) {
    guard !hasEnded else { return }
    var notices = NoticeList()
    end(at: time, notices: &notices)
  }

  /// Ends the last phase. Memory that a program releases while it ends says nothing about what a phase keeps, so the
  /// last readings do not count. A visit with no reading between its end and these never settles.
  mutating func end(at time: Instant, notices: inout NoticeList) {
    guard !hasEnded else { return }
    if let border = unsettled.end(at: time) {
      intervals.append(PhaseIntervals.Border(time: border, phase: nil, generation: 0))
    }
    while unsettled.count > 0 { settleFirst(&notices) }
    settleMissedPeak()
    judged = Instant(nanoseconds: 0)
    judge(&notices)
    unsettled.forgetBaseline()
    hasEnded = true
  }

  // MARK: Visits

  /// Settles the visits for which no more readings can come.
  private mutating func settle(_ notices: inout NoticeList) {
    while unsettled.isFirstDue { settleFirst(&notices) }
  }

  private mutating func settleFirst(_ notices: inout NoticeList) {
    let (first, visit) = unsettled.removeFirst(process: process)
    guard let visit, phases[Int(visit.phase)].generation == first.generation else { return }
    let index = Int(visit.phase)
    visits[index * VisitList.capacity + phases[index].nextVisit] = visit
    phases[index].add(visit)
    growth.add(visit)
    if let count = pastVisits?.count, count < PhaseTracker.pastVisitCapacity {
      pastVisits?.append((first.generation, visit))
    }
    if visit.hasSettled, let settled = visit.settledBytes, !visit.isWarmUp {
      trends[index].add(settled)
    }
    hasNews = true
    judge(&notices)
    if visit.hasSettled, attribution.kept(index) != nil {
      notices.add(
        attributed(visit), of: phases[index], isGrowing: verdicts[index].isGrowth,
        at: unsettled.recentMemory.newest ?? first.entered)
    }
  }

  // MARK: Names

  private mutating func index(of name: Event.Name, fingerprint: UInt64) -> Int {
    for index in 0..<count
    where phases[index].fingerprint == fingerprint && phases[index].name == name {
      return index
    }
    var index = count
    if count < PhaseTracker.nameCapacity {
      count += 1
    } else {
      index = leastRecentlyEntered()
      forgottenNames += 1
      names.keep(phases[index])
      forget(PhaseIndex(index))
    }
    generations += 1
    let isCounted = names.insert(fingerprint)
    phases[index] = Phase()
    phases[index].name = name
    phases[index].fingerprint = fingerprint
    if let before = names.takeReplaced(fingerprint) { phases[index].restore(before) }
    phases[index].mayHaveEarlierVisits = !isCounted
    phases[index].generation = generations
    return index
  }

  private mutating func refresh(_ index: Int, _ event: Event) {
    phases[index].refresh(event)
    if let color = event.color { requestedColors |= 1 &<< UInt16(color.rawValue) }
  }

  /// Removes everything that refers to a phase, before another phase takes its index.
  private mutating func forget(_ phase: PhaseIndex) {
    trends[Int(phase)] = SettledMemoryTrend()
    verdicts[Int(phase)] = Verdict(VisitList())
    for position in visits.indices {
      if visits[position].previous == phase { visits[position].previous = nil }
      if visits[position].following == phase { visits[position].following = nil }
      visits[position].between &= ~(1 &<< UInt64(phase))
    }
    for index in 0..<count {
      phases[index].visitedSince &= ~(1 &<< UInt64(phase))
      phases[index].growsAfter &= ~(1 &<< UInt64(phase))
    }
    for index in 0..<count where phases[index].warmUp?.previous == phase {
      phases[index].warmUp?.previous = nil
    }
    unsettled.forget(phase)
  }

  /// There are fewer unsettled visits than names, so there is always one.
  private func leastRecentlyEntered() -> Int {
    var result: Int?
    for index in 0..<count where !unsettled.contains(PhaseIndex(index)) {
      if let least = result, phases[least].lastEntered <= phases[index].lastEntered { continue }
      result = index
    }
    return result ?? 0
  }

  // MARK: Results

  /// The border at which memory is to be read now; `nil` if there is none.
  var borderToRead: Instant? { unsettled.borderToRead }

  /// The number of different names so far. Exact up to `DistinctNames.capacity`; from there on a lower bound.
  package var differentNames: Int { names.count }

  /// What is known of a phase whose name was replaced and that was not entered again; `nil` otherwise.
  func replaced(_ name: Event.Name) -> ReplacedPhase? { names.replaced(name.fingerprint) }

  /// What is known of all phases whose names were replaced and that were not entered again.
  var allReplaced: [ReplacedPhase] { names.allReplaced }

  /// When the newest phase began; `nil` if there was none, or if it has ended and no other has begun since.
  package var newestBegin: Instant? {
    guard intervals.count > 0, intervals[intervals.count - 1].phase != nil else { return nil }
    return intervals[intervals.count - 1].time
  }

  /// The phase at an index below `count`.
  package subscript(index: Int) -> Phase { phases[index] }

  /// The current phase; `nil` if there is none.
  package var currentIndex: PhaseIndex? {
    hasEnded ? nil : unsettled.lastPhase
  }
  package var current: Phase? { currentIndex.map { phases[Int($0)] } }

  /// The open visit with its values so far; `leftBytes` is the newest reading.
  ///
  /// Complexity: linear in the 512 readings around now.
  package var openVisit: Visit? { unsettled.openVisit(process: process) }

  /// The last visits to a phase that have ended and settled, oldest first; at most 8.
  package func visits(_ index: Int) -> VisitList {
    let remembered = rememberedVisits(index)
    var list = VisitList()
    for position in 0..<remembered.count { list.append(attributed(remembered[position])) }
    return list
  }

  /// All visits that are over, oldest first, to names that are still known; empty without `keepEveryVisit`.
  package var everyVisit: [Visit] {
    (pastVisits ?? []).filter { phases[Int($0.visit.phase)].generation == $0.generation }
      .map { attributed($0.visit) }
  }

  func rememberedVisits(_ index: Int) -> VisitList {
    var list = VisitList()
    let phase = phases[index]
    for number in 0..<phase.rememberedVisits {
      let age = phase.rememberedVisits - number
      let position = (phase.nextVisit - age + VisitList.capacity) % VisitList.capacity
      list.append(visits[index * VisitList.capacity + position])
    }
    return list
  }

  /// The verdict on a phase. Visits that have ended but not settled do not count as still needed.
  package func verdict(_ index: Int) -> Verdict {
    switch verdicts[index] {
    case .unknown(let needed):
      .unknown(visitsNeeded: max(0, needed - unsettled.settling(PhaseIndex(index))))
    case .steady, .released:
      mayHideGrowth(index) ? .hidden(behind: nil) : verdicts[index]
    default: verdicts[index]
    }
  }

  /// The phases, in descending order of what they kept.
  package var ranking: Ranking { Ranking(count) { phases[$0].keptBytes } }
}

extension Phase {
  /// Updates icon, color and origin; whatever the event leaves out stays.
  fileprivate mutating func refresh(_ event: Event) {
    if !event.icon.isEmpty { icon = event.icon }
    if let color = event.color { self.color = color }
    origin = event.origin
  }

  /// Counts what was known before its name was replaced.
  fileprivate mutating func restore(_ before: ReplacedPhase) {
    visits = before.visits
    peakBytes = before.peakBytes
    possiblePeakBytes = before.possiblePeakBytes
    secondsInPast = before.secondsInPast
  }

  /// - Returns: whether the visit is the first of this process.
  fileprivate mutating func enter(at time: Instant, process: UInt16) -> Bool {
    visits += 1
    lastEntered = time
    guard self.process != process else { return false }
    self.process = process
    warmUp = nil
    return true
  }

  fileprivate mutating func add(_ visit: Visit) {
    nextVisit = (nextVisit + 1) % VisitList.capacity
    rememberedVisits = min(rememberedVisits + 1, VisitList.capacity)
    secondsInPast += visit.seconds(asOf: visit.entered)
    if let peak = visit.peakBytes { peakBytes = max(peakBytes ?? peak, peak) }
    guard visit.hasSettled else { return }
    if visit.isWarmUp, visit.process == process, let net = visit.netBytes {
      warmUp = WarmUp(
        entered: visit.entered, netBytes: net, freedBytes: visit.freedBytes,
        previous: visit.previous)
    }
    settledVisits += 1
    sumOfKeptBytes += visit.keptBytes ?? 0
    if let net = visit.netBytes {
      sumOfNetBytes += net
      netVisits += 1
    }
  }
}
