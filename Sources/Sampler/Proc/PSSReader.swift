import Glibc
import PerfHUDBase

/// When the proportional set size is read. Each read stalls the target and costs about 12 µs/MB.
public enum PSSPolicy: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  /// Never, not even on request.
  case off
  /// Only on request, whatever it costs.
  case onDemand
  /// Automatically within the budget while the target is small, and on request.
  case onBudget
  /// Automatically within the budget, large targets too: for a user who chose PSS as the main memory value.
  case onBudgetAnySize
}

/// Reads smaps_rollup of one process and keeps within a budget of 0.2 % of the time.
///
/// For each read the kernel walks all pages of the target and delays its mmap and munmap meanwhile, about 12 ms per GB.
/// After a read that took the time `c` the next one waits for `max(5 s, 500 · c)`. If the target has not run since, it
/// waits for 30 s, since only other processes that share pages can have changed the value. Once the resident memory has
/// changed so much that the value is outdated (`agrees`), it is read after `max(1 s, 500 · c)`. Source: `Pss` of
/// `/proc/PID/smaps_rollup`.
struct PSSReader: ~Copyable, Sendable {
  /// A target with more resident memory is read only on request: the walk would take about 4 ms or more.
  static let largestUnasked: UInt64 = 300 << 20
  /// 1 / 0.2 %.
  static let costFactor: UInt64 = 500
  static let shortestPause: UInt64 = 5_000_000_000
  static let pauseOfOutdated: Int64 = 1_000_000_000
  /// Resident memory may change by this fraction (1 / `toleratedPart`) or number of bytes before the value is outdated.
  static let toleratedPart: UInt64 = 16
  static let toleratedBytes: UInt64 = 256 << 10
  static let pauseAtRest: Int64 = 30_000_000_000

  var policy: PSSPolicy
  /// The last value, or the reason why there is none.
  private(set) var reading = Reading<UInt64>.absent(.notRequested)
  /// The private part of the last value; `nil` if unknown.
  private(set) var privateBytes: UInt64?
  /// When the last value was read.
  private(set) var time = Instant(nanoseconds: 0)

  private var file: OptionalFile
  /// Where the file is, below the directory of the process.
  private var name = "smaps_rollup"
  private var isRequested = false
  /// Whether the value answers a request. It then stays, although the target is too large for an automatic read.
  private var answersRequest = false
  private var notBefore = Instant(nanoseconds: 0)
  /// A walk before this time would exceed the budget.
  private var affordableAt = Instant(nanoseconds: 0)
  /// Whether memory has changed too much since the last value.
  var isOutdated = false

  init(directory: borrowing ProcDirectory, policy: PSSPolicy) {
    self.policy = policy
    file = OptionalFile("smaps_rollup", in: directory, capacity: 2048)
  }

  /// Reads the file of another thread from now on, because the file of an ended main thread is empty.
  mutating func reopen(_ name: String, in directory: borrowing ProcDirectory) {
    self.name = name
    file = OptionalFile(name, in: directory, capacity: 2048)
  }

  /// Requests one read at the next `update`, whatever it costs.
  mutating func request() { isRequested = true }

  enum Decision: Equatable { case read, keep, tooCostly }

  /// The next action; pure.
  static func decide(
    policy: PSSPolicy, isRequested: Bool, residentBytes: UInt64, isDue: Bool
  ) -> Decision {
    switch policy {
    case .off: return .keep
    case _ where isRequested: return .read
    case .onDemand: return .keep
    case .onBudget where residentBytes > largestUnasked: return .tooCostly
    case .onBudget, .onBudgetAnySize: return isDue ? .read : .keep
    }
  }

  /// Whether a value can still be right; pure.
  ///
  /// The proportional share is at most the resident memory. If that has changed, the share has changed too, by an
  /// unknown amount.
  static func agrees(_ pss: UInt64, residentThen: UInt64, residentNow: UInt64) -> Bool {
    let change = max(residentThen, residentNow) - min(residentThen, residentNow)
    return pss <= residentNow && change <= max(residentThen / toleratedPart, toleratedBytes)
  }

  /// Whether another walk of pages is within the budget.
  func canAfford(now: Instant) -> Bool { now >= affordableAt }

  /// Charges CPU time of a walk that did not read PSS.
  mutating func spend(_ cost: UInt64, now: Instant) {
    let pause = PSSReader.costFactor &* min(cost, 1 << 40)
    affordableAt = Instant(nanoseconds: max(now, affordableAt).nanoseconds &+ pause)
    notBefore = max(notBefore, affordableAt)
  }

  /// When the next read may be made after one at `time` that took `cost` nanoseconds of CPU time.
  ///
  /// - Parameter least: the shortest pause, in nanoseconds.
  static func nextTime(
    after time: Instant, cost: UInt64, least: UInt64 = shortestPause
  ) -> Instant {
    let pause = max(least, costFactor &* min(cost, 1 << 40))
    return Instant(nanoseconds: time.nanoseconds &+ pause)
  }

  /// Reads PSS if a read is due or was requested.
  ///
  /// An open file refers to the memory that the process had when the file was opened. After an exec it therefore
  /// reports that the process has ended, and is opened again.
  ///
  /// - Parameter hasRun: whether the target has used CPU time since the last read.
  /// - Returns: whether a read was made.
  @discardableResult
  mutating func update(
    now: Instant, residentBytes: UInt64, hasRun: Bool = true, directory: borrowing ProcDirectory
  ) -> Bool {
    let age = now.nanoseconds(since: time)
    let isDue =
      isOutdated
      ? now >= affordableAt && age >= PSSReader.pauseOfOutdated
      : now >= notBefore && (hasRun || age >= PSSReader.pauseAtRest)
    switch PSSReader.decide(
      policy: policy, isRequested: isRequested, residentBytes: residentBytes,
      isDue: isDue)
    {
    case .keep: break
    case .tooCostly: if !answersRequest { reading = .absent(.tooCostly) }
    case .read:
      let before = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
      var found = file.read(as: SmapsRollupFields.self)
      if case .absent(.ended) = found {
        reopen(name, in: directory)
        found = file.read(as: SmapsRollupFields.self)
      }
      let cost = (readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &- before
      notBefore = PSSReader.nextTime(after: now, cost: cost)
      affordableAt = PSSReader.nextTime(after: now, cost: cost, least: 0)
      isOutdated = false
      answersRequest = isRequested
      isRequested = false
      // A process that is about to end shows nothing any more; keep the value read before.
      if case .absent(.ended) = found, reading.value != nil { return false }
      reading = found.map { $0.pssBytes }
      privateBytes = found.value?.pssPrivateBytes
      time = now
      return true
    }
    return false
  }

  /// Adds CPU time to the cost of the last read.
  mutating func charge(_ cost: UInt64) {
    let pause = PSSReader.costFactor &* min(cost, 1 << 40)
    notBefore = Instant(nanoseconds: notBefore.nanoseconds &+ pause)
    affordableAt = Instant(nanoseconds: affordableAt.nanoseconds &+ pause)
  }
}

/// `/proc/PID/smaps_rollup`.
struct SmapsRollupFields: ProcFields {
  /// The proportional set size, in bytes.
  var pssBytes: UInt64
  /// The private part of it, resident and in swap, in bytes; `nil` before Linux 5.4.
  var pssPrivateBytes: UInt64?

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    var pss: UInt64?
    var anonymous: UInt64?
    var swap: UInt64 = 0
    while !cursor.isAtEnd(of: bytes) {
      if cursor.take("Pss:", in: bytes) {
        pss = cursor.nextKibibytes(in: bytes)
      } else if cursor.take("Pss_Anon:", in: bytes) {
        anonymous = cursor.nextKibibytes(in: bytes)
      } else if cursor.take("SwapPss:", in: bytes) {
        swap = cursor.nextKibibytes(in: bytes) ?? 0
      }
      cursor.skipLine(in: bytes)
    }
    guard let pss else { return nil }
    pssBytes = pss
    pssPrivateBytes = anonymous.map { $0 &+ swap }
  }
}
