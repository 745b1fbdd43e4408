import PerfHUDBase
import PerfHUDEvents

/// A visit that is open, or whose memory may still change.
struct UnsettledVisit: BitwiseCopyable, Sendable {
  /// `nil` for the time without a phase before another one. It is measured too, for the sake of the phase after it.
  var phase: PhaseIndex?
  var generation: UInt32 = 0
  var entered: Instant
  var left: Instant?
  /// Its readings from before those in `RecentMemory`.
  var past = VisitMemory()
  var isWarmUp = false
  /// Whether the process was replaced during the visit.
  var isBroken = false
  /// When the process ended: later readings do not count.
  var cutoff: Instant?
  var retained = AllocatorRetainedMemory()
  var previous: PhaseIndex?
  var between: UInt64 = 0
  var following: PhaseIndex?
  var entry = Border()
  var exit = Border()

  init(entered: Instant) { self.entered = entered }

  /// What is known of memory at a border.
  struct Border: BitwiseCopyable, Sendable {
    var own: OwnReading?
    /// Whether there is a reading for the border itself.
    var hasReading = false
    /// How much memory changed between the border and a late reading, in bytes.
    var moved = 0.0
  }

  /// What a program reported about itself at a border.
  struct OwnReading: BitwiseCopyable, Sendable {
    var sender: Int32
    var memory: ReportedMemory
  }

  /// The bytes that the program has released in the visit: those that it has faulted in and no longer has.
  ///
  /// - Returns: `nil` if the program does not report its faults, or if faults do not measure its memory: with
  ///   transparent huge pages one fault brings in many pages.
  fileprivate var releasedBytes: Double? {
    guard let first = entry.own, let last = exit.own, first.sender == last.sender,
      let before = first.memory.faultedBytes, let after = last.memory.faultedBytes, after >= before
    else { return nil }
    let taken = Double(after - before)
    let net = Double(last.memory.anonymousBytes) - Double(first.memory.anonymousBytes)
    return taken >= net - KeptMemoryAttribution.leastTolerance ? max(0, taken - net) : nil
  }
}

/// The visits that are open or have not settled, oldest first, and the recent memory readings.
///
/// Each visit begins where the previous one ends. Fixed memory; nothing is allocated.
struct UnsettledVisits: Sendable {
  /// How long after its end a visit settles, in nanoseconds.
  static let settleTime: Int64 = 5_000_000_000
  /// How much later than the samples around it an event may arrive, in nanoseconds.
  private static let patience: Int64 = 250_000_000
  /// A process that is about to end releases memory for at most this long, in nanoseconds, in its own code or in the
  /// kernel.
  private static let endingTime: Int64 = 500_000_000
  private static let capacity = 20

  private var visits = BoundedList(
    capacity: capacity, filler: UnsettledVisit(entered: Instant(nanoseconds: 0)))
  /// The recent memory readings.
  private(set) var recentMemory = RecentMemory()
  /// The memory level at which the visit before the first of these settled, in bytes.
  private var baseline: Double?
  /// The last reported number of bytes that the allocator holds.
  private var retained: Double?
  /// When the process ended: later readings do not count. `nil` while it runs.
  private(set) var cutoff: Instant?
  /// The newest border without a reading.
  private var unreadBorder: Instant?
  /// A moment at which a phase may have begun, without a reading.
  private var pendingBorder: Instant?
  /// The reading at such a moment.
  private var pendingReading: BorderReading?

  /// A reading for a border, made from outside the process.
  private struct BorderReading: BitwiseCopyable, Sendable {
    var border: Instant
    var point: RecentMemory.Point
    /// How much later than the border perfhud may have noticed it, in nanoseconds.
    var lateness: Int64
  }

  /// The border at which memory is to be read now; `nil` if there is none.
  var borderToRead: Instant? { pendingBorder ?? unreadBorder }

  var count: Int { visits.count }
  var isFull: Bool { visits.isFull }
  /// The phase of the last visit.
  var lastPhase: PhaseIndex? { count > 0 ? visits[count - 1].phase : nil }
  var lastBorder: Instant? { count > 0 ? visits[count - 1].entered : nil }

  func contains(_ phase: PhaseIndex) -> Bool {
    for index in 0..<count where visits[index].phase == phase { return true }
    return false
  }

  /// The number of visits to a phase that have ended and will count once they have settled.
  func settling(_ phase: PhaseIndex) -> Int {
    guard let newest = recentMemory.newest else { return 0 }
    var result = 0
    for index in 0..<count where visits[index].phase == phase {
      let visit = visits[index]
      let isReadable = !visit.isBroken && visit.cutoff == nil
      if visit.left != nil, isReadable, newest >= visit.entered { result += 1 }
    }
    return result
  }

  /// Time in a phase, in seconds.
  func seconds(_ phase: PhaseIndex, asOf now: Instant) -> Double {
    var seconds = 0.0
    for index in 0..<count where visits[index].phase == phase {
      seconds += max(0, (visits[index].left ?? now).seconds(since: visits[index].entered))
    }
    return seconds
  }

  // MARK: Borders

  /// Ends the last visit.
  mutating func close(at border: Instant) {
    guard count > 0 else { return }
    visits[count - 1].left = border
  }

  /// Begins a visit, which must have room.
  ///
  /// - Parameters:
  ///   - event: The event that begins it.
  ///   - level: The target's memory at that moment, in bytes; `nil` if unknown.
  mutating func begin(_ visit: UnsettledVisit, _ event: Event, level: Double?) {
    var visit = visit
    visit.retained.before = retained
    if let memory = event.memory {
      visit.entry.own = UnsettledVisit.OwnReading(sender: event.sender, memory: memory)
    }
    if let level {
      visit.entry.hasReading = true
      add(RecentMemory.Point(time: visit.entered, bytes: level))
    }
    unreadBorder = level == nil ? visit.entered : nil
    pendingBorder = nil
    if count > 0 {
      visits[count - 1].exit = visit.entry
      visits[count - 1].following = visit.phase
    }
    visits.append(visit)
    if let reading = pendingReading.take(), reading.border == visit.entered, level == nil {
      take(reading)
    }
  }

  /// Keeps the next reading for a phase that may have begun at `border`.
  mutating func expect(border: Instant) { pendingBorder = border }

  /// Marks the last visits as those of another process.
  mutating func replaceProcess() {
    recentMemory.removeAll()
    baseline = nil
    cutoff = nil
    retained = nil
    unreadBorder = nil
    pendingBorder = nil
    if count > 0 {
      visits[0].isBroken = true
      visits[0].past = VisitMemory()
    }
  }

  /// Ends the last visit together with its process. The last readings before the end do not count.
  ///
  /// - Returns: the border; `nil` if there is no visit.
  mutating func end(at time: Instant) -> Instant? {
    unreadBorder = nil
    pendingBorder = nil
    guard let lastBorder else { return nil }
    let border = max(time, lastBorder)
    close(at: border)
    let cutoff = border.advanced(byNanoseconds: -UnsettledVisits.endingTime)
    self.cutoff = cutoff
    for index in 0..<count { visits[index].cutoff = cutoff }
    return border
  }

  mutating func forgetBaseline() { baseline = nil }

  /// Removes a phase whose index is used for another one.
  mutating func forget(_ phase: PhaseIndex) {
    for index in 0..<count {
      if visits[index].previous == phase { visits[index].previous = nil }
      visits[index].between &= ~(1 &<< UInt64(phase))
      if visits[index].following == phase { visits[index].following = nil }
    }
  }

  // MARK: Readings

  mutating func add(_ point: RecentMemory.Point) {
    guard let evicted = recentMemory.add(point) else { return }
    for index in 0..<count {
      visits[index].past.take(
        evicted, entered: visits[index].entered, left: visits[index].left,
        settleEnd: settleEnd(of: index))
    }
  }

  /// Adds a reading that was made for `borderToRead`. If it is late, a change in between may belong to either phase.
  ///
  /// - Parameter lateness: How much later than the border perfhud may have noticed it, in nanoseconds.
  mutating func addBorderReading(_ point: RecentMemory.Point, lateness: Int64) {
    defer { add(point) }
    if let border = pendingBorder, point.time >= border {
      pendingBorder = nil
      pendingReading = BorderReading(border: border, point: point, lateness: lateness)
    }
    if let border = unreadBorder, point.time >= border {
      take(BorderReading(border: border, point: point, lateness: lateness))
    }
  }

  /// Uses a reading for the border of the last visit.
  private mutating func take(_ reading: BorderReading) {
    let last = count - 1
    guard last >= 0, visits[last].entered == reading.border else { return }
    unreadBorder = nil
    var delay = reading.point.time.nanoseconds(since: reading.border)
    delay.addClamped(reading.lateness)
    let before = recentMemory.last(asOf: reading.border)
    if delay > PhaseTracker.borderPatience {
      // Of the two readings, the nearer one is better.
      visits[last].entry.moved = before.map { ($0.bytes - reading.point.bytes).magnitude } ?? 0
      if let before, reading.border.nanoseconds(since: before.time) < delay {
        return shareBorder(last)
      }
    }
    visits[last].entry.hasReading = true
    add(RecentMemory.Point(time: reading.border, bytes: reading.point.bytes))
    shareBorder(last)
  }

  /// Gives the previous visit the same border.
  private mutating func shareBorder(_ index: Int) {
    if index > 0 { visits[index - 1].exit = visits[index].entry }
  }

  /// Notes that memory which the borders after a moment do not include has changed by this much.
  mutating func noteMovement(after time: Instant, bytes: Double) {
    for index in 0..<count where visits[index].entered > time {
      visits[index].entry.moved = max(visits[index].entry.moved, bytes)
      shareBorder(index)
    }
  }

  mutating func lowerReadings(after time: Instant, by bytes: Double) {
    recentMemory.lower(after: time, by: bytes)
  }

  mutating func noteRetained(bytes: Double, at time: Instant) {
    retained = bytes
    for index in 0..<count where time > visits[index].entered && time <= settleEnd(of: index) {
      visits[index].retained.note(bytes, at: time, left: visits[index].left)
    }
  }

  // MARK: Settling

  /// When a visit settles: 5 s after it, at the next border, or a little before the end of the process.
  private func settleEnd(of index: Int) -> Instant {
    guard let left = visits[index].left else { return Instant(nanoseconds: .max) }
    var end = left.advanced(byNanoseconds: UnsettledVisits.settleTime)
    if let cutoff = visits[index].cutoff { end = min(end, cutoff) }
    guard index + 1 < count, let next = visits[index + 1].left else { return end }
    return min(end, next)
  }

  /// Whether no more readings can come for the first visit.
  var isFirstDue: Bool {
    guard count > 0, visits[0].left != nil, let newest = recentMemory.newest else { return false }
    let end = settleEnd(of: 0)
    let isAtBorder = count > 1 && visits[1].left == end
    return newest >= (isAtBorder ? end : end.advanced(byNanoseconds: UnsettledVisits.patience))
  }

  /// Removes the first visit; there must be one.
  ///
  /// - Returns: the visit and what it settled as; `nil` for the time without a phase.
  mutating func removeFirst(process: UInt16) -> (UnsettledVisit, Visit?) {
    let memory = memory(of: 0)
    let first = visits[0]
    let visit = visit(0, memory, process: process)
    visits.remove(at: 0)
    baseline = first.isBroken ? nil : memory.settled
    return (first, visit)
  }

  /// The open visit so far; `nil` if there is none.
  ///
  /// Complexity: linear in the 512 readings around now.
  func openVisit(process: UInt16) -> Visit? {
    count > 0 ? visit(count - 1, memory(of: count - 1), process: process) : nil
  }

  /// The greatest reading within the visits to a phase, in bytes; `nil` without one.
  func peakBytes(of phase: PhaseIndex) -> Double? {
    var peak: Double?
    for index in 0..<count where visits[index].phase == phase {
      guard let bytes = memory(of: index).peak else { continue }
      peak = max(peak ?? bytes, bytes)
    }
    return peak
  }

  private func memory(of index: Int) -> VisitMemory {
    let visit = visits[index]
    let end = settleEnd(of: index)
    var memory = visit.past
    for position in 0..<recentMemory.count {
      memory.take(
        recentMemory[position], entered: visit.entered, left: visit.left, settleEnd: end)
    }
    return memory
  }

  private func baseline(of index: Int) -> Double? {
    if index == 0 { return baseline }
    return visits[index - 1].isBroken ? nil : memory(of: index - 1).settled
  }

  private func visit(_ index: Int, _ memory: VisitMemory, process: UInt16) -> Visit? {
    let source = visits[index]
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
    visit.between = source.between
    visit.following = source.following
    visit.movedAtEntry = Float(source.entry.moved)
    visit.movedAtExit = Float(source.exit.moved)
    visit.hasBorderReadings = source.entry.hasReading && source.exit.hasReading
    visit.dropBytes = Float(memory.drop)
    if source.left != nil {
      visit.releasedBytes = source.releasedBytes.map { Float($0) }
      visit.settledBytes = memory.settled
      visit.hasSettled = memory.hasReadingAfter
      visit.retainedBytes = source.retained.atEnd(source.left)
      if let before = source.retained.before, let after = visit.retainedBytes {
        visit.heldBytes = after - before
      }
    }
    return visit
  }
}
