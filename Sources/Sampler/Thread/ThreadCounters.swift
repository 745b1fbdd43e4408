import CLinux
import Glibc
import PerfHUDBase

/// Counters that the kernel keeps for each thread separately, summed over the threads of a process. When a thread ends,
/// its counts stay in the sum, except those since its last read.
///
/// Two files are opened for each thread except the main thread, whose values the sampler already has; some 25 µs for
/// each thread. The sampler does this on a budget. A sample allocates nothing.
///
/// Source: field 2 of `/proc/PID/task/TID/schedstat`; `voluntary_ctxt_switches` and
/// `nonvoluntary_ctxt_switches` of `/proc/PID/task/TID/status`.
@safe struct ThreadCounters: ~Copyable, @unchecked Sendable {
  /// With more threads than this nothing is read: the samples would be too rare to be useful.
  static let capacity = 256

  struct Counts: BitwiseCopyable, Sendable, Equatable {
    var waitNanoseconds: UInt64 = 0
    var voluntarySwitches: UInt64 = 0
    var involuntarySwitches: UInt64 = 0

    mutating func add(_ other: Counts) {
      waitNanoseconds &+= other.waitNanoseconds
      voluntarySwitches &+= other.voluntarySwitches
      involuntarySwitches &+= other.involuntarySwitches
    }

    /// Whether these can be later counts of the same thread.
    func follows(_ former: Counts) -> Bool {
      waitNanoseconds >= former.waitNanoseconds && voluntarySwitches >= former.voluntarySwitches
        && involuntarySwitches >= former.involuntarySwitches
    }
  }

  struct Entry: BitwiseCopyable, Sendable {
    var thread: Int32
    var counts: Counts
  }

  private var entries: [Entry] = []
  private var next: [Entry] = []
  private var ended = Counts()
  /// Whether threads may have ended since the previous sample, so that part of their counts is missing.
  private(set) var mayMissThreads = false
  /// The last number that the kernel had given to a process or thread at the previous sample.
  private var lastNumber: Int32?
  // Owned by this value alone, hence the unchecked Sendable.
  private let buffer: UnsafeMutableRawBufferPointer
  private let listing: UnsafeMutableRawBufferPointer

  init() {
    entries.reserveCapacity(ThreadCounters.capacity)
    next.reserveCapacity(ThreadCounters.capacity)
    unsafe buffer = .allocate(byteCount: 4096, alignment: 8)
    unsafe listing = .allocate(byteCount: 8192, alignment: 8)
  }

  deinit {
    unsafe buffer.deallocate()
    unsafe listing.deallocate()
  }

  /// The counts of all threads except one, living and ended.
  ///
  /// - Parameters:
  ///   - main: the thread that is left out.
  ///   - threads: how many there are, the main thread among them.
  /// - Returns: `nil` if there are too many.
  mutating func read(
    otherThan main: Int32, threads: UInt32, directory: borrowing ProcDirectory
  ) -> Counts? {
    guard Int(threads) <= ThreadCounters.capacity else { return nil }
    begin()
    if threads > 1 { readThreads(otherThan: main, directory) }
    return takeNext()
  }

  /// Begins a sample.
  mutating func begin() {
    next.removeAll(keepingCapacity: true)
    mayMissThreads = false
  }

  /// Notes the last number that the kernel has assigned to a process or thread; call it after `read`.
  ///
  /// A thread that began and ended since the previous sample is in no listing, but it had one of the numbers assigned
  /// since then. If all of these still exist, there was no such thread.
  ///
  /// - Parameter last: `nil` if /proc shows the numbers of another namespace; then every sample may miss some threads.
  mutating func note(lastNumber last: Int32?, exists: (Int32) -> Bool = PIDAllocation.exists) {
    defer { lastNumber = last }
    guard let last else {
      mayMissThreads = true
      return
    }
    guard let former = lastNumber else { return }
    if PIDAllocation.areGone(after: former, through: last, exists: exists) { mayMissThreads = true }
  }

  private mutating func readThreads(otherThan main: Int32, _ directory: borrowing ProcDirectory) {
    guard let task = directory.tasks() else { return }
    while true {
      // The buffer is allocated, so its base address is not nil.
      let length = unsafe perfhud_getdents64(task.raw, listing.baseAddress!, listing.count)
      guard length > 0 else { return }
      var list = DirectoryEntries()
      while let entry = unsafe list.nextNumber(
        in: UnsafeRawBufferPointer(rebasing: listing[..<Int(length)]).bytes)
      {
        guard entry.number != main, next.count < ThreadCounters.capacity else { continue }
        var counts = Counts()
        if let fields = unsafe NumberedFiles.read(
          entry.number, "/schedstat", in: task.raw, into: buffer, as: SchedstatFields.self)
        {
          counts.waitNanoseconds = fields.waitNanoseconds
        }
        if let fields = unsafe NumberedFiles.read(
          entry.number, "/status", in: task.raw, into: buffer, as: StatusFields.self)
        {
          counts.voluntarySwitches = fields.voluntarySwitches ?? 0
          counts.involuntarySwitches = fields.involuntarySwitches ?? 0
        }
        next.append(Entry(thread: entry.number, counts: counts))
      }
    }
  }

  /// Adds the counts of ended threads to the kept sum, and returns it with the counts of the living ones.
  private mutating func takeNext() -> Counts {
    var total = Counts()
    for index in next.indices {
      for former in entries.indices where entries[former].thread == next[index].thread {
        // The number was reused, or the thread could no longer be read.
        if !next[index].counts.follows(entries[former].counts) {
          mayMissThreads = true
          ended.add(entries[former].counts)
        }
      }
      total.add(next[index].counts)
    }
    for former in entries.indices {
      let thread = entries[former].thread
      if !next.contains(where: { $0.thread == thread }) {
        ended.add(entries[former].counts)
        mayMissThreads = true
      }
    }
    swap(&entries, &next)
    total.add(ended)
    return total
  }
}
