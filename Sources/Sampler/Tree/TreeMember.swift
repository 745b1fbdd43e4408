import PerfHUDBase

/// A descendant as the tree keeps it.
struct TreeMember: BitwiseCopyable {
  var pid: Int32
  var parent: Int32
  /// Its statm, held open; -1 if there were too many descriptors.
  var statm: Int32
  var startTicks: UInt64
  var account = CPUAccount()
  var residentPages: UInt64 = 0
  var anonymousPages: UInt64 = 0
  var sharedMemoryBytes: UInt64 = 0
  var swapBytes: UInt64 = 0
  var pageTableBytes: UInt64 = 0
  var minorFaults: UInt64 = 0
  var majorFaults: UInt64 = 0
  /// The time in the kernel of its own threads and of descendants that it has waited for.
  var systemNanoseconds: UInt64 = 0
  var storage = StorageAccount()
  var threads: UInt32 = 0
  /// Whether its clock has advanced since its stat was read; nothing else in stat changes by itself.
  var hasRun = true
  /// Whether it has run since its low-rate values were read.
  var hasRunSinceLowRate = true
  /// The size of its address space in pages; 0 once it has none, as a zombie.
  var sizePages: UInt64?
  /// When its memory was read.
  var memoryTime = Instant(nanoseconds: 0)
  /// Private memory that it may share with the process that it was forked from.
  var inherited = InheritedMemory()
  /// Whether its parent has ended: the parent of a process changes only then.
  var isOrphan = false
  var isZombie = false
  var hasVanished = false
  /// Whether it was in the tree's cgroup at the last check.
  var isInCgroup = false
  /// Whether it ignores `SIGCHLD`, so that its children are not waited for; `nil` until that is read.
  var ignoresChildren: Bool?
  var wait = MemberWait()

  /// Whether it has memory; true until that is read.
  var hasMemory: Bool { sizePages != 0 }

  /// Private memory, resident and in swap.
  func privateBytes(pageBytes: UInt64) -> UInt64 { anonymousPages &* pageBytes &+ swapBytes }

  // MARK: For the list of processes

  var name = ProcessName()
  var state = ProcessState.unknown
  /// How it has ended, as far as its zombie shows that.
  var end = ProcessEnd.none
  /// Its footprint when it was first read.
  var firstBytes: UInt64?
  /// Its footprint when it was last read before it began to end: a zombie has none.
  var lastBytes: UInt64 = 0
  /// Its CPU time in the previous list.
  var listedNanoseconds: UInt64 = 0

  init(pid: Int32, parent: Int32, statm: Int32, startTicks: UInt64) {
    self.pid = pid
    self.parent = parent
    self.statm = statm
    self.startTicks = startTicks
  }

  /// Private anonymous memory, swap and page tables.
  func footprint(pageBytes: UInt64) -> UInt64 {
    anonymousPages &* pageBytes &+ swapBytes &+ pageTableBytes
  }
}

extension ProcessTree.Totals {
  mutating func add(_ member: borrowing TreeMember) {
    minorFaults &+= member.minorFaults
    majorFaults &+= member.majorFaults
    systemNanoseconds &+= member.systemNanoseconds
    storage &+= member.storage.total
    if member.isZombie { return }
    processes += 1
    threads &+= member.threads
    residentPages &+= member.residentPages
    anonymousPages &+= member.anonymousPages
    sharedMemoryBytes &+= member.sharedMemoryBytes
    swapBytes &+= member.swapBytes
    pageTableBytes &+= member.pageTableBytes
  }
}
