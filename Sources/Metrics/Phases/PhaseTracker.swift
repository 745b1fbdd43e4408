import Base
import Events

/// Phases on the time line, and the memory of each visit.
///
/// Events carry the kernel's time of when they were sent, so one may come after samples that are later
/// and before samples that are earlier. A border is therefore settled when the first later sample
/// arrives: the order of arrival does not matter as long as an event is at most 250 ms later than the
/// samples around it; beyond that a visit may have settled already, which moves its figure by the
/// readings in between.
///
/// - A new phase ends the one before. The phase that is already open is refreshed (icon, colour) and
///   not entered again. An empty name ends the phase: from then on there is none.
/// - An event that is older than the last border counts as from that border.
/// - There is room for 64 names. The next new one takes the position of the name that was entered longest
///   ago, and whose visits have settled; intervals of a name that was given up are `otherIndex`.
///
/// Fixed memory; nothing is allocated.
public struct PhaseTracker: Sendable {
  public static let nameCapacity = 64
  /// What the graph shows for a phase whose name was given up.
  public static let otherIndex = PhaseIndex(nameCapacity)
  /// How long after it was left a visit settles.
  static let settleTime: Int64 = 5_000_000_000
  /// How much later than the samples around it an event may come.
  private static let patience: Int64 = 250_000_000
  /// A process that is about to end gives memory back for this long at most, in its own code or the kernel's.
  private static let endingTime: Int64 = 500_000_000
  private static let unsettledCapacity = 20

  /// A reading at a border that comes later than this says that it is late, in nanoseconds.
  public static let borderPatience: Int64 = 2_000_000

  /// What a program reported of itself at a border.
  struct OwnReading: BitwiseCopyable, Sendable {
    var sender: Int32
    var memory: ReportedMemory
  }

  private struct Unsettled: BitwiseCopyable, Sendable {
    /// `nil`: a stretch without a phase, which is measured all the same, for the phase after it.
    var phase: PhaseIndex?
    var generation: UInt32
    var entered: Instant
    var left: Instant?
    /// Readings that have left the trail.
    var past = VisitMemory()
    var isWarmUp: Bool
    /// The process was replaced while it lasted.
    var isBroken = false
    /// The process ended: later readings do not count.
    var cutoff: Instant?
    var retained = AllocatorRetainedMemory()
    var previous: PhaseIndex?
    var following: PhaseIndex?
    var entry = Border()
    var exit = Border()
  }

  /// What is known of memory at a border.
  private struct Border: BitwiseCopyable, Sendable {
    var own: OwnReading?
    /// There is a reading of the border itself.
    var hasReading = false
    /// What moved between it and a late reading, in bytes.
    var moved = 0.0
  }

  /// Readings of memory around now.
  private(set) var trail = RecentMemory()
  var phases: [Phase]
  private var visits: [Visit]
  private(set) var intervals = PhaseIntervals()
  private var generations: UInt32 = 0
  /// Visits that are open or have not settled, oldest first; each begins where the one before ends.
  private var unsettled = BoundedList(
    capacity: unsettledCapacity,
    filler: Unsettled(
      phase: nil, generation: 0, entered: Instant(nanoseconds: 0), isWarmUp: false))
  /// What the visit before the first of these settled at.
  private var baseline: Double?
  /// What the allocator held when the program spoke of it last.
  private var retained: Double?
  private(set) var process: UInt16 = 0
  private var hasEnded = false
  /// The newest border of which no reading has come yet.
  public private(set) var unreadBorder: Instant?
  var trends = Array(repeating: SettledMemoryTrend(), count: PhaseTracker.nameCapacity)
  var attribution = KeptMemoryAttribution()
  var verdicts = InlineArray<64, Verdict>(repeating: Verdict(VisitList()))
  /// Visits have settled that the verdicts do not know yet.
  var hasNews = false
  var judged = Instant(nanoseconds: 0)
  /// In a quick succession of phases they are judged at most this often, in nanoseconds.
  static let judgePeriod: Int64 = 20_000_000
  /// How many names have a position.
  public private(set) var count = 0
  /// How many names were given up because there were too many.
  public private(set) var forgottenNames: UInt64 = 0
  /// The fingerprints of all names so far, to count them.
  private var names = DistinctNames()

  init() {
    phases = Array(repeating: Phase(), count: PhaseTracker.nameCapacity)
    let none = Visit(phase: 0, entered: Instant(nanoseconds: 0))
    visits = Array(repeating: none, count: PhaseTracker.nameCapacity * VisitList.capacity)
  }

  // MARK: Records

  /// The program is in this phase from `time` on.
  ///
  /// - Parameter level: what the target held at that moment, as the program has reported it; `nil` if it has
  ///   not, then `noteReading` brings it.
  mutating func enter(
    _ event: Event, at time: Instant, level: Double? = nil, notices: inout NoticeList
  ) {
    guard !hasEnded else { return }
    let fingerprint = event.name.fingerprint
    let open = currentIndex
    if let index = open.map(Int.init), phases[index].fingerprint == fingerprint,
      phases[index].name == event.name
    {
      phases[index].refresh(event)
      return
    }
    if event.name.isEmpty, open == nil { return }
    let border = max(time, lastBorder ?? time)
    close(at: border)
    if unsettled.isFull { settleFirst(&notices) }
    var next = Unsettled(phase: nil, generation: 0, entered: border, isWarmUp: false)
    next.retained.before = retained
    next.previous = open
    if let memory = event.memory {
      next.entry.own = OwnReading(sender: event.sender, memory: memory)
    }
    if let level {
      next.entry.hasReading = true
      addToTrail(RecentMemory.Point(time: border, bytes: level))
    }
    unreadBorder = level == nil ? border : nil
    if !event.name.isEmpty {
      let index = index(of: event.name, fingerprint: fingerprint)
      phases[index].refresh(event)
      next.phase = PhaseIndex(index)
      next.generation = phases[index].generation
      next.isWarmUp = phases[index].enter(at: border, process: process)
    }
    if unsettled.count > 0 {
      unsettled[unsettled.count - 1].exit = next.entry
      unsettled[unsettled.count - 1].following = next.phase
    }
    unsettled.append(next)
    intervals.append(
      PhaseIntervals.Border(time: border, phase: next.phase, generation: next.generation))
    settle(&notices)
  }

  /// A reading of the leading memory figure.
  mutating func add(bytes: Double, at time: Instant, notices: inout NoticeList) {
    hasEnded = false
    addToTrail(RecentMemory.Point(time: time, bytes: bytes))
    settle(&notices)
    judge(&notices)
  }

  /// A reading that was asked for because a phase began (`unreadBorder`). It counts for that border; where it
  /// is late, what moved in between may belong to either phase.
  ///
  /// - Parameter lateness: by how many nanoseconds perfhud may have seen the border too late, because the
  ///   machine was busy.
  mutating func noteReading(
    bytes: Double, at time: Instant, lateness: Int64 = 0, notices: inout NoticeList
  ) {
    guard !hasEnded else { return }
    defer {
      addToTrail(RecentMemory.Point(time: time, bytes: bytes))
      settle(&notices)
    }
    guard let border = unreadBorder, time >= border, unsettled.count > 0,
      unsettled[unsettled.count - 1].entered == border
    else { return }
    unreadBorder = nil
    let delay = time.nanoseconds(since: border) + lateness
    let last = unsettled.count - 1
    let before = trail.last(asOf: border)
    if delay > PhaseTracker.borderPatience {
      // The nearer of the two readings is the better one.
      unsettled[last].entry.moved = before.map { ($0.bytes - bytes).magnitude } ?? 0
      if let before, border.nanoseconds(since: before.time) < delay { return noteBorder(last) }
    }
    unsettled[last].entry.hasReading = true
    addToTrail(RecentMemory.Point(time: border, bytes: bytes))
    noteBorder(last)
  }

  private mutating func noteBorder(_ index: Int) {
    if index > 0 { unsettled[index - 1].exit = unsettled[index].entry }
  }

  private mutating func addToTrail(_ point: RecentMemory.Point) {
    guard let evicted = trail.add(point) else { return }
    for index in 0..<unsettled.count {
      unsettled[index].past.take(
        evicted, entered: unsettled[index].entered, left: unsettled[index].left,
        settleEnd: settleEnd(of: index))
    }
  }

  /// The program says what its allocator holds.
  mutating func noteRetained(bytes: Double, at time: Instant) {
    retained = bytes
    for index in 0..<unsettled.count
    where time > unsettled[index].entered && time <= settleEnd(of: index) {
      unsettled[index].retained.note(bytes, at: time)
    }
  }

  /// From here on another process is measured: visits cannot be compared with those before.
  mutating func replaceProcess(notices: inout NoticeList) {
    while unsettled.count > 1 { settleFirst(&notices) }
    process &+= 1
    hasEnded = false
    trail.removeAll()
    baseline = nil
    retained = nil
    unreadBorder = nil
    for index in trends.indices { trends[index] = SettledMemoryTrend() }
    if unsettled.count > 0 {
      unsettled[0].isBroken = true
      unsettled[0].past = VisitMemory()
    }
  }

  /// The process has ended, and the last phase with it; what has not settled settles as it is.
  public mutating func end(at time: Instant) {
    guard !hasEnded else { return }
    var notices = NoticeList()
    end(at: time, notices: &notices)
  }

  /// What a program gives back as it ends says nothing of what a phase keeps: the last readings do not count,
  /// and a visit without a reading after it and before these never settles.
  mutating func end(at time: Instant, notices: inout NoticeList) {
    guard !hasEnded else { return }
    unreadBorder = nil
    if let lastBorder {
      let border = max(time, lastBorder)
      close(at: border)
      intervals.append(PhaseIntervals.Border(time: border, phase: nil, generation: 0))
      let cutoff = border.advanced(byNanoseconds: -PhaseTracker.endingTime)
      for index in 0..<unsettled.count { unsettled[index].cutoff = cutoff }
    }
    while unsettled.count > 0 { settleFirst(&notices) }
    judged = Instant(nanoseconds: 0)
    judge(&notices)
    baseline = nil
    hasEnded = true
  }

  // MARK: Visits

  private mutating func close(at border: Instant) {
    guard unsettled.count > 0 else { return }
    unsettled[unsettled.count - 1].left = border
  }

  /// 5 s after the visit, or the next border, or a little before the end of the process.
  private func settleEnd(of index: Int) -> Instant {
    guard let left = unsettled[index].left else { return Instant(nanoseconds: .max) }
    var end = left.advanced(byNanoseconds: PhaseTracker.settleTime)
    if let cutoff = unsettled[index].cutoff { end = min(end, cutoff) }
    guard index + 1 < unsettled.count, let next = unsettled[index + 1].left else { return end }
    return min(end, next)
  }

  /// Settles the visits for which no reading can come any more.
  private mutating func settle(_ notices: inout NoticeList) {
    while unsettled.count > 0, unsettled[0].left != nil, let newest = trail.newest {
      let end = settleEnd(of: 0)
      let isAtBorder = unsettled.count > 1 && unsettled[1].left == end
      let due = isAtBorder ? end : end.advanced(byNanoseconds: PhaseTracker.patience)
      guard newest >= due else { return }
      settleFirst(&notices)
    }
  }

  private func memory(of index: Int) -> VisitMemory {
    let visit = unsettled[index]
    let end = settleEnd(of: index)
    var memory = visit.past
    for position in 0..<trail.count {
      memory.take(trail[position], entered: visit.entered, left: visit.left, settleEnd: end)
    }
    return memory
  }

  private mutating func settleFirst(_ notices: inout NoticeList) {
    let memory = memory(of: 0)
    let first = unsettled[0]
    let visit = visit(0, memory)
    unsettled.remove(at: 0)
    baseline = first.isBroken ? nil : memory.settled
    guard let visit, phases[Int(visit.phase)].generation == first.generation else { return }
    let index = Int(visit.phase)
    visits[index * VisitList.capacity + phases[index].nextVisit] = visit
    phases[index].add(visit)
    if visit.hasSettled, let settled = visit.settledBytes, !visit.isWarmUp {
      trends[index].add(settled)
    }
    hasNews = true
    judge(&notices)
    if visit.hasSettled, attribution.kept(index) != nil {
      notices.add(
        attributed(visit), of: phases[index], isGrowing: verdicts[index].isGrowth,
        at: trail.newest ?? first.entered)
    }
  }

  /// - Returns: `nil` for a stretch without a phase.
  private func visit(_ index: Int, _ memory: VisitMemory) -> Visit? {
    let source = unsettled[index]
    guard let phase = source.phase else { return nil }
    var visit = Visit(phase: phase, entered: source.entered)
    visit.left = source.left
    visit.process = process
    visit.isWarmUp = source.isWarmUp
    visit.enteredBytes = memory.entered
    visit.peakBytes = memory.peak
    visit.leftBytes = memory.left
    guard !source.isBroken else { return visit }
    visit.baselineBytes = memory.entered
    visit.takenBytes = memory.rise
    if let before = baseline(of: index), let entered = memory.entered {
      visit.baselineBytes = min(before, entered)
    }
    visit.previous = source.previous
    visit.following = source.following
    visit.movedAtEntry = Float(source.entry.moved)
    visit.movedAtExit = Float(source.exit.moved)
    visit.hasBorderReadings = source.entry.hasReading && source.exit.hasReading
    visit.dropBytes = Float(memory.drop)
    if source.left != nil {
      visit.releasedBytes = releasedBytes(source).map { Float($0) }
      visit.settledBytes = memory.settled
      visit.hasSettled = memory.hasReadingAfter
      visit.retainedBytes = source.retained.after(source.left)
      if let before = source.retained.before, let after = visit.retainedBytes {
        visit.heldBytes = after - before
      }
    }
    return visit
  }

  /// What the program has released in a visit: what it has faulted in and does not have.
  ///
  /// - Returns: `nil` where the program does not report its faults, or where they do not count its memory:
  ///   one fault brings many pages where transparent huge pages are in use.
  private func releasedBytes(_ visit: Unsettled) -> Double? {
    guard let entry = visit.entry.own, let exit = visit.exit.own, entry.sender == exit.sender,
      let before = entry.memory.faultedBytes, let after = exit.memory.faultedBytes, after >= before
    else { return nil }
    let taken = Double(after - before)
    let net = Double(exit.memory.anonymousBytes) - Double(entry.memory.anonymousBytes)
    return taken >= net - KeptMemoryAttribution.leastTolerance ? max(0, taken - net) : nil
  }

  private func baseline(of index: Int) -> Double? {
    if index == 0 { return baseline }
    return unsettled[index - 1].isBroken ? nil : memory(of: index - 1).settled
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
      forget(PhaseIndex(index))
    }
    generations += 1
    names.insert(fingerprint)
    phases[index] = Phase()
    phases[index].name = name
    phases[index].fingerprint = fingerprint
    phases[index].generation = generations
    return index
  }

  /// The position of a phase is another's from here on.
  private mutating func forget(_ phase: PhaseIndex) {
    trends[Int(phase)] = SettledMemoryTrend()
    verdicts[Int(phase)] = Verdict(VisitList())
    for position in visits.indices {
      if visits[position].previous == phase { visits[position].previous = nil }
      if visits[position].following == phase { visits[position].following = nil }
    }
    for position in 0..<unsettled.count {
      if unsettled[position].previous == phase { unsettled[position].previous = nil }
      if unsettled[position].following == phase { unsettled[position].following = nil }
    }
  }

  /// There are fewer unsettled visits than names, so there always is one.
  private func leastRecentlyEntered() -> Int {
    var result: Int?
    for index in 0..<count where !isUnsettled(PhaseIndex(index)) {
      if let least = result, phases[least].lastEntered <= phases[index].lastEntered { continue }
      result = index
    }
    return result ?? 0
  }

  private func isUnsettled(_ phase: PhaseIndex) -> Bool {
    for index in 0..<unsettled.count where unsettled[index].phase == phase { return true }
    return false
  }

  private var lastBorder: Instant? {
    unsettled.count > 0 ? unsettled[unsettled.count - 1].entered : nil
  }

  // MARK: What is known

  /// How many different names there have been. Exact up to `DistinctNames.capacity`; from there on a lower bound.
  public var differentNames: Int { names.count }

  /// The phase at an index below `count`.
  public subscript(index: Int) -> Phase { phases[index] }

  /// The phase of now; `nil` if there is none.
  public var currentIndex: PhaseIndex? {
    hasEnded || unsettled.count == 0 ? nil : unsettled[unsettled.count - 1].phase
  }
  public var current: Phase? { currentIndex.map { phases[Int($0)] } }

  /// The open visit with its figures so far; `leftBytes` is the newest reading.
  ///
  /// Complexity: linear in the 512 readings around now.
  public var openVisit: Visit? {
    guard unsettled.count > 0 else { return nil }
    return visit(unsettled.count - 1, memory(of: unsettled.count - 1))
  }

  /// The last visits of a phase that are over and settled, oldest first; at most 8.
  public func visits(_ index: Int) -> VisitList {
    let remembered = rememberedVisits(index)
    var list = VisitList()
    for position in 0..<remembered.count { list.append(attributed(remembered[position])) }
    return list
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

  /// What the visits of a phase say together.
  public func verdict(_ index: Int) -> Verdict { verdicts[index] }

  /// The phases, that which kept most first.
  public var ranking: Ranking { Ranking(count) { phases[$0].keptBytes } }

  /// Time in a phase, with the open visit.
  public func seconds(_ index: Int, asOf now: Instant) -> Double {
    var seconds = phases[index].secondsInPast
    for position in 0..<unsettled.count where unsettled[position].phase == PhaseIndex(index) {
      let visit = unsettled[position]
      seconds += max(0, (visit.left ?? now).seconds(since: visit.entered))
    }
    return seconds
  }
}

extension Phase {
  /// What an event of this name says; it says nothing by leaving something out.
  fileprivate mutating func refresh(_ event: Event) {
    if !event.icon.isEmpty { icon = event.icon }
    if let color = event.color { self.color = color }
    origin = event.origin
  }

  /// - Returns: whether the visit is the first of this process.
  fileprivate mutating func enter(at time: Instant, process: UInt16) -> Bool {
    visits += 1
    lastEntered = time
    defer { self.process = process }
    return self.process != process
  }

  fileprivate mutating func add(_ visit: Visit) {
    nextVisit = (nextVisit + 1) % VisitList.capacity
    rememberedVisits = min(rememberedVisits + 1, VisitList.capacity)
    secondsInPast += visit.seconds(asOf: visit.entered)
    if let peak = visit.peakBytes { peakBytes = max(peakBytes ?? peak, peak) }
    guard visit.hasSettled else { return }
    settledVisits += 1
    sumOfKeptBytes += visit.keptBytes ?? 0
    if let net = visit.netBytes {
      sumOfNetBytes += net
      netVisits += 1
    }
  }
}
