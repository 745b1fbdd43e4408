import PerfHUDBase

/// How long the descendants have waited for a processor, and which reads of that are due.
///
/// Each member that has run is read with the low-rate values. In between, samples read those that run and are young: of
/// a process that ends soon, little is missing then. The number of these reads is limited to 0.1 % of the time.
struct TreeWaits: BitwiseCopyable, Sendable {
  /// The maximum number of files in one sample between two reads of the low-rate values.
  static let mostReads = 64
  /// With more threads than this, a descendant is left out.
  static let mostThreads: UInt32 = 64
  /// A process of this age may lack what it waited for since the last read of all: it is a small part of its life.
  private static let youth: UInt64 = 5_000_000_000
  /// The pause for each file that was read: 128 files a second, about 1 ms.
  private static let pause: UInt64 = 8_000_000

  /// The sum of all increases that were seen; it never falls.
  private(set) var nanoseconds: UInt64 = 0
  /// Whether something is missing since the sum was last taken.
  private(set) var mayMiss = false
  /// How many files this sample may still read.
  private(set) var left = 0
  /// A process that began before this, in nanoseconds since boot, is not young.
  private var youngFrom: UInt64 = 0
  private var due = Instant(nanoseconds: 0)
  /// The last pid that the kernel had assigned when the sum was last taken.
  private var lastPid: Int32?

  /// Begins a sample.
  ///
  /// - Parameter sinceBoot: the same time as `now`, as the start of a process is counted.
  mutating func begin(now: Instant, sinceBoot: UInt64) {
    let isDue = now.nanoseconds &+ ProcessSampler.cadenceSlack >= due.nanoseconds
    left = isDue ? TreeWaits.mostReads : 0
    youngFrom = sinceBoot - min(sinceBoot, TreeWaits.youth)
  }

  /// Whether a process is read between two reads of all.
  ///
  /// - Parameter start: when it began, in nanoseconds since boot.
  func reads(_ start: UInt64) -> Bool { left > 0 && start >= youngFrom }

  /// Notes that files were read.
  mutating func spend(_ files: Int, now: Instant) {
    left = max(0, left - files)
    let from = max(due.nanoseconds, now.nanoseconds)
    due = Instant(nanoseconds: from &+ UInt64(files) &* TreeWaits.pause)
  }

  mutating func add(_ increase: UInt64) { nanoseconds &+= increase }

  mutating func noteMissing() { mayMiss = true }

  /// Takes the sum and whether it is a lower bound, and begins the next interval.
  ///
  /// - Parameter last: the last pid that the kernel has assigned; `nil` if that is not known. A process that began and
  ///   ended since the previous call had one of the pids in between.
  mutating func take(
    lastPid last: Int32?, time: Instant, exists: (Int32) -> Bool = PIDAllocation.exists
  ) -> Taken {
    var isLowerBound = mayMiss || last == nil
    if let last, let lastPid, PIDAllocation.areGone(after: lastPid, through: last, exists: exists) {
      isLowerBound = true
    }
    lastPid = last
    mayMiss = false
    return Taken(nanoseconds: nanoseconds, isLowerBound: isLowerBound, time: time)
  }

  struct Taken: BitwiseCopyable, Sendable {
    var nanoseconds: UInt64
    var isLowerBound: Bool
    /// When the reads began.
    var time: Instant
  }
}

/// How long a descendant had waited when it was last read.
struct MemberWait: BitwiseCopyable, Sendable {
  /// The sum over its living threads.
  private(set) var nanoseconds: UInt64 = 0
  /// A checksum of the numbers of these threads.
  private var threads: UInt64 = 0
  /// Whether there is a value to compare the next one with. For a process that has just begun it is 0.
  private(set) var isKnown = false
  /// Whether it has run since it was read: a process that has not run has not been given a processor either, and only
  /// then does the kernel add to its wait.
  var hasRun = true

  /// Notes that the process has begun since the tree was last searched, so that all of its wait counts.
  mutating func noteBirth() { isKnown = true }

  /// Leaves out what it waits for until the next read.
  mutating func forget() {
    isKnown = false
    hasRun = false
  }

  /// Takes a value that was read.
  ///
  /// - Returns: by how much it has increased, and whether that is all. When a thread has ended, the increase may be 0.
  mutating func take(_ sum: UInt64, threads found: UInt64) -> (increase: UInt64, isWhole: Bool) {
    let hasOthers = threads != 0 && found != threads
    let result = isKnown && sum >= nanoseconds ? sum &- nanoseconds : 0
    let isWhole = isKnown && sum >= nanoseconds && !hasOthers
    nanoseconds = sum
    threads = found
    isKnown = true
    hasRun = false
    return (result, isWhole)
  }
}
