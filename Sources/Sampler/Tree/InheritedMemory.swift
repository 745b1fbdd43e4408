import Glibc
import PerfHUDBase

/// The memory that a process shares by copy-on-write with the process that it was forked from.
///
/// From outside only the private memory of each process is visible, and shared pages are part of it in every process
/// that shares them. So this records for each process how much of its memory is already counted for another one, and
/// for which.
struct InheritedMemory: BitwiseCopyable, Sendable {
  /// Whether it was forked and has not executed a program since.
  var isForked = false
  /// `StatFields.execution`; 0 if unknown.
  var execution: UInt64 = 0
  /// The same for all processes that may share memory: their execution, or if that is unknown, the pid of the process
  /// that they were forked from.
  var family: UInt64 = 0
  /// The process for which the shared memory is counted; 0 if there is none.
  var source: Int32 = 0
  /// Private memory that is already counted for the source.
  var sharedBytes: UInt64 = 0
  /// The same before it has released any of it.
  var inheritedBytes: UInt64 = 0
  /// Whether it is not known from which process it inherited, so that it may share nothing.
  var isGuess = false
  /// Whether it is the source of others, and how much one of these shares at most.
  var hasHeirs = false
  var mostShared: UInt64 = 0
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
  /// Its faults and private memory before any share of the tree was read; `nil` if it was forked later.
  private var start: (faults: UInt64, bytes: UInt64)?

  /// Resets the values because it has executed a program.
  mutating func leave(pid: Int32, execution: UInt64) {
    let faults = faults
    self = InheritedMemory()
    self.faults = faults
    knownFaults = faults
    setExecution(execution, pid: pid)
  }

  /// Sets the program that a process executes which was not forked, or not since.
  mutating func setExecution(_ execution: UInt64, pid: Int32) {
    self.execution = execution
    family = execution != 0 ? execution : UInt64(UInt32(bitPattern: pid))
  }

  /// Whether it has executed a program since the previous values.
  func hasExecuted(isForked: Bool, execution: UInt64) -> Bool {
    if self.isForked, !isForked { return true }
    return execution != 0 && self.execution != 0 && execution != self.execution
  }

  /// Takes memory as counted for another process, or for none.
  mutating func share(_ bytes: UInt64, with source: Int32) {
    sharedBytes = source != 0 ? bytes : 0
    inheritedBytes = sharedBytes
    self.source = source
  }

  /// An upper bound of the shared memory that it has copied or released since then, but that still counts as shared.
  /// Each copied page has cost a fault, but a fault that made private memory grow by one page has copied nothing.
  func changedBytes(privateBytes: UInt64, pages: FaultedPages) -> UInt64 {
    let faulted = (faults &- min(knownFaults, faults)) &* pages.bytes
    let grown = pages.mayBeHuge ? 0 : privateBytes &- min(knownBytes, privateBytes)
    let released = knownBytes &- min(privateBytes, knownBytes)
    let noLongerShared = inheritedBytes &- min(sharedBytes, inheritedBytes)
    let changed = faulted &+ released
    return changed &- min(grown &+ noLongerShared, changed)
  }

  /// Counts copies from now on.
  mutating func settle(privateBytes: UInt64) {
    knownFaults = faults
    knownBytes = privateBytes
  }

  /// Notes its values before the shares of the tree are read.
  mutating func beginShares(privateBytes: UInt64) {
    take(share: nil, privateBytes: 0)
    start = (faults, privateBytes)
  }

  /// Takes the private part of its PSS, read after its private memory; `nil` if it is not known.
  mutating func take(share: UInt64?, privateBytes: UInt64) {
    proportionalBytes = share
    bytesThen = privateBytes
  }

  /// Counts copies from the time before the first share was read: what it has copied since may still be in the shares
  /// of those that were read before it.
  mutating func settleAtShare() {
    knownFaults = start?.faults ?? 0
    knownBytes = start?.bytes ?? bytesThen
    start = nil
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
  /// How much of it may have been copied or released since, and so is no longer counted more than once.
  var uncertainBytes: UInt64 = 0
}

/// The sums over processes that share memory by copy-on-write.
struct ForkFamily: BitwiseCopyable, Sendable {
  /// `InheritedMemory.family`.
  var key: UInt64
  var privateBytes: UInt64 = 0
  var mostPrivate: UInt64 = 0
  var sharedBytes: UInt64 = 0
  /// Shared memory that no longer is in the process for which it is counted, but in its heirs.
  var keptBytes: UInt64 = 0
  var changedBytes: UInt64 = 0
  var mostResident: UInt64 = 0
  // When the shares were read: private memory at that time, and the kernel's shares of it.
  var readBytes: UInt64 = 0
  var proportionalBytes: UInt64 = 0
  /// The memory that the processes share, summed up.
  var overlapBytes: UInt64 = 0
  /// The process that shares most, and how much: in it, shared memory counts in full.
  var holder: Int32 = 0
  var mostOverlap: UInt64 = 0
  var isWhole = true

  init(key: UInt64) { self.key = key }

  /// Adds one process.
  mutating func add(
    _ memory: InheritedMemory, pid: Int32, privateBytes bytes: UInt64, residentBytes: UInt64,
    pages: FaultedPages
  ) {
    privateBytes &+= bytes
    mostPrivate = max(mostPrivate, bytes)
    sharedBytes &+= memory.sharedBytes
    let changed = memory.changedBytes(privateBytes: bytes, pages: pages)
    changedBytes &+= memory.isGuess ? max(memory.sharedBytes, changed) : changed
    mostResident = max(mostResident, residentBytes)
    guard let proportional = memory.proportionalBytes else {
      isWhole = false
      return
    }
    readBytes &+= memory.bytesThen
    proportionalBytes &+= proportional
    let overlap = memory.bytesThen &- min(proportional, memory.bytesThen)
    overlapBytes &+= overlap
    guard overlap > mostOverlap || (overlap == mostOverlap && !memory.isForked) else { return }
    mostOverlap = overlap
    holder = pid
  }

  /// Adds memory that a process no longer has, but one of its heirs.
  mutating func addKept(
    _ kept: UInt64, of memory: InheritedMemory, privateBytes: UInt64, pages: FaultedPages
  ) {
    keptBytes &+= kept
    // It is known what has become of this part of what it has copied or released.
    guard kept > 0, privateBytes > 0 else { return }
    let changed = memory.changedBytes(privateBytes: privateBytes, pages: pages)
    changedBytes &-= min(kept, changed)
  }

  /// How much of the memory that is counted more than once belongs to a process other than the holder, according to the
  /// kernel: the others share it in proportion to what each has in common with any.
  func shared(of memory: InheritedMemory) -> UInt64 {
    guard let proportional = memory.proportionalBytes else { return memory.sharedBytes }
    let twice = readBytes &- min(proportionalBytes, readBytes)
    let own = memory.bytesThen &- min(proportional, memory.bytesThen)
    let rest = overlapBytes &- min(mostOverlap, overlapBytes)
    guard rest > 0 else { return 0 }
    let part = Double(own) * Double(twice) / Double(rest)
    return part < Double(memory.bytesThen) ? UInt64(part) : memory.bytesThen
  }

  /// The memory that is counted more than once.
  var sharing: SharedMemory {
    let twice = sharedBytes &- min(keptBytes, sharedBytes)
    // The memory of a single process is all there, whatever the others share.
    let shared = min(twice, privateBytes &- min(mostPrivate, privateBytes))
    return SharedMemory(sharedBytes: shared, uncertainBytes: min(shared, changedBytes))
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
