import Glibc
import PerfHUDBase

/// The memory that a process shares by copy-on-write with the process that it was forked from.
///
/// From outside only the private memory of each process is visible, and shared pages are part of it in every process
/// that shares them. So this records for each forked process how much of its memory is already counted elsewhere.
struct InheritedMemory: BitwiseCopyable, Sendable {
  /// Whether it was forked and has not executed a program since.
  var isForked = false
  /// The common ancestor of all processes that may share memory; its own pid if it was not forked.
  var family: Int32 = 0
  /// Private memory that is already counted for another process of the family.
  var sharedBytes: UInt64 = 0
  /// Whether processes forked from it are alive.
  var hasForked = false
  /// Its minor faults.
  var faults: UInt64 = 0
  /// Faults and private memory when `sharedBytes` was last known.
  var knownFaults: UInt64 = 0
  var knownBytes: UInt64 = 0
  /// How often it was checked whether it has executed a program; most do at once.
  var execChecks: UInt8 = 0
  /// Its share of private memory as counted by the kernel, and its total private memory and faults just before that.
  private(set) var proportionalBytes: UInt64?
  private(set) var bytesThen: UInt64 = 0
  private var faultsThen: UInt64 = 0

  /// Resets the values because it has executed a program.
  mutating func leave(pid: Int32) {
    guard isForked || family == 0 else { return }
    let faults = faults
    self = InheritedMemory()
    self.faults = faults
    knownFaults = faults
    family = pid
  }

  /// An upper bound of what it has copied since then: each copied page has cost a fault, but a fault that made private
  /// memory grow by one page has copied nothing.
  func copiedBytes(privateBytes: UInt64, pages: FaultedPages) -> UInt64 {
    let faulted = (faults &- min(knownFaults, faults)) &* pages.bytes
    guard !pages.mayBeHuge else { return faulted }
    let grown = privateBytes &- min(knownBytes, privateBytes)
    return faulted > grown ? faulted - grown : 0
  }

  /// Counts copies from now on.
  mutating func settle(privateBytes: UInt64) {
    knownFaults = faults
    knownBytes = privateBytes
  }

  /// Takes the private part of its PSS, read after its faults and its private memory; `nil` if it is not known.
  mutating func take(share: UInt64?, privateBytes: UInt64) {
    proportionalBytes = share
    bytesThen = privateBytes
    faultsThen = faults
  }

  /// Counts copies from the time when its share was read. It may have run since, until the last share was read.
  mutating func settleAtShare() {
    knownFaults = faultsThen
    knownBytes = bytesThen
  }
}

/// What one minor fault can add to private memory, or copy.
struct FaultedPages: BitwiseCopyable, Sendable {
  /// The size of a page. A copy is always of one page, even within a huge page.
  var bytes: UInt64
  /// Whether one fault may add a whole huge page. Then growth does not tell how many faults have copied nothing.
  var mayBeHuge = false

  /// Source: `/sys/kernel/mm/transparent_hugepage/enabled`, where the brackets are around `always`.
  static func ofKernel(pageBytes: UInt64) -> FaultedPages {
    let file = unsafe open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return FaultedPages(bytes: pageBytes) }
    defer { close(file) }
    var first: UInt8 = 0
    let count = unsafe read(file, &first, 1)
    return FaultedPages(bytes: pageBytes, mayBeHuge: count == 1 && first == UInt8(ascii: "["))
  }
}

/// Private memory of a tree that is counted more than once.
struct SharedMemory: BitwiseCopyable, Sendable {
  var sharedBytes: UInt64 = 0
  /// How much of it may have been copied since, and so is no longer shared.
  var uncertainBytes: UInt64 = 0
}

/// The sums over processes that share memory by copy-on-write.
struct ForkFamily: BitwiseCopyable, Sendable {
  var pid: Int32
  /// Whether the common ancestor exists; all its memory counts.
  var hasHead = false
  var privateBytes: UInt64 = 0
  var mostPrivate: UInt64 = 0
  var sharedBytes: UInt64 = 0
  var mostShared: UInt64 = 0
  var copiedBytes: UInt64 = 0
  var mostResident: UInt64 = 0
  // When the shares were read: private memory at that time, and the kernel's shares of it.
  var readBytes: UInt64 = 0
  var proportionalBytes: UInt64 = 0
  /// The memory that forked processes share, summed up, and the greatest value of a single process.
  var overlapBytes: UInt64 = 0
  var mostOverlap: UInt64 = 0
  var isWhole = true

  init(pid: Int32) { self.pid = pid }

  /// Adds one process.
  mutating func add(
    _ memory: InheritedMemory, privateBytes bytes: UInt64, residentBytes: UInt64,
    pages: FaultedPages
  ) {
    let shared = memory.isForked ? memory.sharedBytes : 0
    if !memory.isForked { hasHead = true }
    privateBytes &+= bytes
    mostPrivate = max(mostPrivate, bytes)
    sharedBytes &+= shared
    mostShared = max(mostShared, shared)
    copiedBytes &+= memory.copiedBytes(privateBytes: bytes, pages: pages)
    mostResident = max(mostResident, residentBytes)
    guard let proportional = memory.proportionalBytes else {
      isWhole = false
      return
    }
    readBytes &+= memory.bytesThen
    proportionalBytes &+= proportional
    let overlap = memory.bytesThen &- min(proportional, memory.bytesThen)
    guard memory.isForked else { return }
    overlapBytes &+= overlap
    mostOverlap = max(mostOverlap, overlap)
  }

  /// How much of the memory that is counted more than once belongs to a forked process, according to the kernel.
  func shared(of memory: InheritedMemory) -> UInt64 {
    guard let proportional = memory.proportionalBytes else { return memory.sharedBytes }
    let twice = readBytes &- min(proportionalBytes, readBytes)
    let own = memory.bytesThen &- min(proportional, memory.bytesThen)
    // Without the head, the process that shares most counts in full, and the others share the rest.
    let rest = hasHead ? overlapBytes : overlapBytes &- min(mostOverlap, overlapBytes)
    guard rest > 0 else { return 0 }
    let part = Double(own) * Double(twice) / Double(rest)
    return part < Double(memory.bytesThen) ? UInt64(part) : memory.bytesThen
  }

  /// The memory that is counted more than once. If the head has ended, the process that shares most counts in full.
  var sharing: SharedMemory {
    let once = hasHead ? sharedBytes : sharedBytes &- min(mostShared, sharedBytes)
    // The memory of a single process is all there, whatever the others share.
    let shared = min(once, privateBytes &- min(mostPrivate, privateBytes))
    return SharedMemory(sharedBytes: shared, uncertainBytes: min(shared, copiedBytes))
  }
}

/// The memory of the root of a tree.
struct RootMemory: BitwiseCopyable, Sendable {
  var inherited = InheritedMemory()
  var privateBytes: UInt64 = 0
  var residentBytes: UInt64 = 0

  mutating func settle() { inherited.settle(privateBytes: privateBytes) }
}

/// The reads of the kernel's shares of forked processes, a few processes a sample.
struct ShareReads: BitwiseCopyable, Sendable {
  /// The pause before the next read of an unchanged tree, in nanoseconds.
  private static let pause: Int64 = 5_000_000_000

  /// The member that is read next, -1 for the root; `nil` while none is read.
  private(set) var cursor: Int?
  /// Whether shares may not be read, or this kernel does not report them.
  var isDenied = false
  /// When all shares were last read.
  private var time = Instant(nanoseconds: 0)

  /// Whether a new read may begin.
  func isDue(now: Instant) -> Bool {
    !isDenied && cursor == nil
      && (now.nanoseconds(since: time) >= ShareReads.pause || time.nanoseconds == 0)
  }

  mutating func begin() { cursor = -1 }
  mutating func advance() { cursor = cursor.map { $0 + 1 } }
  mutating func cancel() { cursor = nil }
  /// All shares are as new as this time.
  mutating func end(at now: Instant) {
    cursor = nil
    time = now
  }
}
