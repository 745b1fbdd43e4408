import Glibc
import PerfHUDBase

/// When the proportional set size is read. Each read stalls the target and costs about 12 µs/MB.
public enum PSSPolicy: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  /// Never, not even when asked.
  case off
  /// Only when asked, whatever it costs.
  case onDemand
  /// By itself on the budget while the target is small, and when asked.
  case onBudget
  /// By itself on the budget, large targets too: for a user who chose PSS as the leading value.
  case onBudgetAnySize
}

/// Reads smaps_rollup of one process and keeps within a budget of 0.2 % of the time.
///
/// The kernel walks all pages of the target for it and holds up its mmap and munmap meanwhile, about
/// 12 ms per GB. After a read that took the time `c` the next one is made no sooner than after
/// `max(5 s, 500 · c)`, and if the target has not run since, after 30 s: only what others do with shared
/// pages can have changed it. Once the resident memory has changed so much that the value says nothing any more
/// (`agrees`), it is read after `max(1 s, 500 · c)`. Source: `Pss` of `/proc/PID/smaps_rollup`.
struct PSSReader: ~Copyable, Sendable {
  /// A target with more resident memory is not read unasked: the walk would take over 4 ms.
  static let largestUnasked: UInt64 = 300 << 20
  /// 1 / 0.2 %.
  static let costFactor: UInt64 = 500
  static let shortestPause: UInt64 = 5_000_000_000
  static let pauseOfOutdated: Int64 = 1_000_000_000
  /// The share, and the number of bytes, by which resident memory may change before a value is outdated.
  static let toleratedPart: UInt64 = 16
  static let toleratedBytes: UInt64 = 256 << 10
  static let pauseAtRest: Int64 = 30_000_000_000

  var policy: PSSPolicy
  /// The last value, or the reason why there is none.
  private(set) var reading = Reading<UInt64>.absent(.notRequested)
  /// The part of private memory in the last value; `nil` where it is not known.
  private(set) var privateBytes: UInt64?
  /// When the last value was read.
  private(set) var time = Instant(nanoseconds: 0)

  private var file: OptionalFile
  /// Where the file is, below the directory of the process.
  private var name = "smaps_rollup"
  private var isRequested = false
  /// The value answers a request: it stays although the target is too large to be read unasked.
  private var answersRequest = false
  private var notBefore = Instant(nanoseconds: 0)
  /// When another walk keeps within the budget.
  private var affordableAt = Instant(nanoseconds: 0)
  /// The last value says nothing about now.
  var isOutdated = false

  init(directory: borrowing ProcDirectory, policy: PSSPolicy) {
    self.policy = policy
    file = OptionalFile("smaps_rollup", in: directory, capacity: 2048)
  }

  /// Reads from another thread's file from now on: that of an ended main thread shows nothing.
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
  /// The proportional share is never more than the resident memory, and where that has changed, so has the
  /// share, by an unknown amount.
  static func agrees(_ pss: UInt64, residentThen: UInt64, residentNow: UInt64) -> Bool {
    let change = max(residentThen, residentNow) - min(residentThen, residentNow)
    return pss <= residentNow && change <= max(residentThen / toleratedPart, toleratedBytes)
  }

  /// Whether a walk of processes keeps within the budget.
  func canAfford(now: Instant) -> Bool { now >= affordableAt }

  /// Counts CPU time of a walk that was made for something else than PSS.
  mutating func spend(_ cost: UInt64, now: Instant) {
    let pause = PSSReader.costFactor &* min(cost, 1 << 40)
    affordableAt = Instant(nanoseconds: max(now, affordableAt).nanoseconds &+ pause)
    notBefore = max(notBefore, affordableAt)
  }

  /// When the next read may be made after one at `time` that took `cost` nanoseconds of CPU time.
  static func nextTime(after time: Instant, cost: UInt64) -> Instant {
    let pause = max(shortestPause, costFactor &* min(cost, 1 << 40))
    return Instant(nanoseconds: time.nanoseconds &+ pause)
  }

  /// Reads if that is due or was requested.
  ///
  /// The file shows the memory that the process had when it was opened: after an exec a held one says
  /// that the process has ended, and it is opened anew.
  ///
  /// - Parameter hasRun: whether the target has used CPU time since the last read.
  /// - Returns: whether one was made.
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
      affordableAt = now.advanced(
        byNanoseconds: Int64(PSSReader.costFactor &* min(cost, 1 << 40)))
      isOutdated = false
      answersRequest = isRequested
      isRequested = false
      // A process on its way out shows nothing any more; what was read before is the better value.
      if case .absent(.ended) = found, reading.value != nil { return false }
      reading = found.map { $0.pssBytes }
      privateBytes = found.value?.pssPrivateBytes
      time = now
      return true
    }
    return false
  }

  /// Adds CPU time that belongs to the last read.
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
  /// Its part of private memory, resident and in swap, in bytes; `nil` before Linux 5.4.
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
