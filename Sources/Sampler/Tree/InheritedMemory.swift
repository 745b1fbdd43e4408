/// The memory that a process shares by copy-on-write with the process that it was forked from.
///
/// From outside only the private memory of each is seen, and in it shared pages are counted for each that shares
/// them. So it is kept of each forked process how much of its memory is counted elsewhere.
struct InheritedMemory: BitwiseCopyable, Sendable {
  /// It was forked and has not executed a program since.
  var isForked = false
  /// The process from which all that may share memory descend: its own pid where it was not forked.
  var family: Int32 = 0
  /// Private memory that is counted with another one of the family.
  var sharedBytes: UInt64 = 0
  /// Others were forked from it and live.
  var hasForked = false
  /// Its minor faults.
  var faults: UInt64 = 0
  /// Faults and private memory when `sharedBytes` was known last.
  var knownFaults: UInt64 = 0
  var knownBytes: UInt64 = 0
  /// The number of checks whether it has executed a program; most do at once.
  var looks: UInt8 = 0
  /// Its share of private memory as the kernel counts it, in the sample in progress, and all of it then.
  var proportionalBytes: UInt64?
  var bytesThen: UInt64 = 0

  /// It has executed a program.
  mutating func leave(pid: Int32) {
    guard isForked || family == 0 else { return }
    let faults = faults
    self = InheritedMemory()
    self.faults = faults
    knownFaults = faults
    family = pid
  }

  /// How much it may have copied since: each copied page has cost a fault, and a fault that has made private
  /// memory grow has copied nothing.
  func copiedBytes(privateBytes: UInt64, pageBytes: UInt64) -> UInt64 {
    let faulted = (faults &- min(knownFaults, faults)) &* pageBytes
    let grown = privateBytes &- min(knownBytes, privateBytes)
    return faulted > grown ? faulted - grown : 0
  }

  /// From here on copies are counted.
  mutating func settle(privateBytes: UInt64) {
    knownFaults = faults
    knownBytes = privateBytes
  }
}

/// Private memory of a tree that is counted more than once.
struct SharedMemory: BitwiseCopyable, Sendable {
  var sharedBytes: UInt64 = 0
  /// How much of it may have been copied since, and is shared no longer.
  var uncertainBytes: UInt64 = 0
}

/// Processes that share memory by copy-on-write, added up.
struct ForkFamily: BitwiseCopyable, Sendable {
  var pid: Int32
  /// The process from which all descend exists; it counts in full.
  var hasHead = false
  var privateBytes: UInt64 = 0
  var mostPrivate: UInt64 = 0
  var sharedBytes: UInt64 = 0
  var mostShared: UInt64 = 0
  var copiedBytes: UInt64 = 0
  var mostResident: UInt64 = 0
  // Of a read of what each shares: private memory then, shares of it, and what is not reported.
  var readBytes: UInt64 = 0
  var proportionalBytes: UInt64 = 0
  /// The memory that forked processes share, added up, and the most of one of them.
  var overlapBytes: UInt64 = 0
  var mostOverlap: UInt64 = 0
  var isWhole = true

  init(pid: Int32) { self.pid = pid }

  /// Takes one process in.
  mutating func add(
    _ memory: InheritedMemory, privateBytes bytes: UInt64, residentBytes: UInt64,
    pageBytes: UInt64
  ) {
    let shared = memory.isForked ? memory.sharedBytes : 0
    if !memory.isForked { hasHead = true }
    privateBytes &+= bytes
    mostPrivate = max(mostPrivate, bytes)
    sharedBytes &+= shared
    mostShared = max(mostShared, shared)
    copiedBytes &+= memory.copiedBytes(privateBytes: bytes, pageBytes: pageBytes)
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

  /// The part of one forked process in the memory that is counted more than once, as the kernel counts it.
  func shared(of memory: InheritedMemory) -> UInt64 {
    guard let proportional = memory.proportionalBytes else { return memory.sharedBytes }
    let twice = readBytes &- min(proportionalBytes, readBytes)
    let own = memory.bytesThen &- min(proportional, memory.bytesThen)
    // Without its head the one that shares most counts in full, and the others share the rest.
    let rest = hasHead ? overlapBytes : overlapBytes &- min(mostOverlap, overlapBytes)
    guard rest > 0 else { return 0 }
    let part = Double(own) * Double(twice) / Double(rest)
    return part < Double(memory.bytesThen) ? UInt64(part) : memory.bytesThen
  }

  /// The memory that is counted more than once. If the head has ended, the process that shares most counts in full.
  var sharing: SharedMemory {
    let once = hasHead ? sharedBytes : sharedBytes &- min(mostShared, sharedBytes)
    // What one of them has is there, whatever the others share.
    let shared = min(once, privateBytes &- min(mostPrivate, privateBytes))
    return SharedMemory(sharedBytes: shared, uncertainBytes: min(shared, copiedBytes))
  }
}
