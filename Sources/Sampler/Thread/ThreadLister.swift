import CLinux
import Glibc
import PerfHUDBase

/// Reads the threads of a process, or of a tree, for the list. If there are many, each sample reads some of them.
///
/// A thread costs about 9 µs, or 20 if it has run. A sample stops when it has cost `budget`, and the next one continues
/// from there. So with thousands of threads the values come from different times. A sample allocates nothing.
///
/// Source: `/proc/PID/task/TID/schedstat` and `stat`.
@safe struct ThreadLister: ~Copyable, @unchecked Sendable {
  /// The maximum number of threads.
  static let capacity = 4096
  /// CPU time of a sample, in nanoseconds: 0.4 % of a core at two samples a second.
  static let budget: UInt64 = 2_000_000

  private struct Entry: BitwiseCopyable {
    var row = ProcessRow()
    var time = Instant(nanoseconds: 0)
    var round: UInt32 = 0
  }

  private let task: Descriptor
  private let proc: Descriptor
  private let pid: Int32
  private let units: KernelUnits
  // Owned by this value alone, hence the unchecked Sendable.
  private let buffer: UnsafeMutableRawBufferPointer
  private let listing: UnsafeMutableRawBufferPointer
  private var entries: [Entry] = []
  /// The descendants in this round, and how many of these have been listed; -1 before the process itself has.
  private var descendants: [Int32] = []
  private var position = -1
  /// Where the listing of a process continues, and which entry probably comes next there.
  private var offset: off_t = 0
  private var hint = 0
  private var round: UInt32 = 1

  /// - Parameter root: where /proc is mounted.
  /// - Returns: `nil` if the threads cannot be listed.
  init?(pid: Int32, units: KernelUnits, root: String) {
    let all = unsafe open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let raw = all >= 0 ? NumberedFiles.open(pid, "/task", in: all) : -1
    guard raw >= 0 else {
      if all >= 0 { close(all) }
      return nil
    }
    proc = Descriptor(owning: all)
    task = Descriptor(owning: raw)
    self.pid = pid
    self.units = units
    unsafe buffer = .allocate(byteCount: StatFields.capacity, alignment: 8)
    unsafe listing = .allocate(byteCount: 4096, alignment: 8)
    entries.reserveCapacity(ThreadLister.capacity)
  }

  deinit {
    unsafe buffer.deallocate()
    unsafe listing.deallocate()
  }

  /// Reads as many threads as the budget allows, and puts all known ones into the table.
  ///
  /// - Parameters:
  ///   - total: the number of threads of the process and of its descendants.
  ///   - members: the descendants, if the list is of a tree.
  mutating func read(into table: inout ProcessTableBuffer, total: Int, members: [Int32]) {
    readProcesses(members, end: (readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &+ ThreadLister.budget)
    for index in entries.indices { table.add(entries[index].row) }
    table.others = max(table.others, total - table.count)
  }

  /// Continues the round until it ends or the budget is used up.
  private mutating func readProcesses(_ members: [Int32], end: UInt64) {
    if position < 0, offset == 0 {
      descendants.removeAll(keepingCapacity: true)
      descendants.append(contentsOf: members)
    }
    while position < descendants.count {
      if position < 0 {
        guard readThreads(of: pid, in: task.raw, end: end) else { return }
      } else {
        // One that has ended since has no threads.
        let raw = NumberedFiles.open(descendants[position], "/task", in: proc.raw)
        if raw >= 0 {
          let directory = Descriptor(owning: raw)
          guard readThreads(of: descendants[position], in: directory.raw, end: end) else { return }
        }
      }
      position += 1
      offset = 0
      if readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0 >= end, position < descendants.count { return }
    }
    endRound()
  }

  /// Reads the threads of a process.
  ///
  /// - Parameter directory: its `task`.
  /// - Returns: whether all of them were read; otherwise the budget is used up.
  private mutating func readThreads(of process: Int32, in directory: Int32, end: UInt64) -> Bool {
    lseek(directory, offset, SEEK_SET)
    var count = 0
    while true {
      let length = unsafe perfhud_getdents64(directory, listing.baseAddress!, listing.count)
      guard length > 0 else { return true }
      var list = DirectoryEntries()
      while true {
        let next = unsafe list.nextNumber(
          in: UnsafeRawBufferPointer(rebasing: listing[..<Int(length)]).bytes)
        guard let next else { break }
        readThread(next.number, of: process, in: directory)
        offset = off_t(next.next)
        count += 1
        if count % 8 == 0, readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0 >= end { return false }
      }
    }
  }

  /// Ends a round, in which every thread has been listed. Threads missing from two rounds have ended.
  private mutating func endRound() {
    var kept = 0
    for index in entries.indices where round &- entries[index].round < 2 {
      entries[kept] = entries[index]
      kept += 1
    }
    entries.removeLast(entries.count - kept)
    round &+= 1
    position = -1
    offset = 0
    hint = 0
  }

  private mutating func readThread(_ thread: Int32, of process: Int32, in directory: Int32) {
    let schedstat = readFile(thread, "/schedstat", in: directory, as: SchedstatFields.self)
    let known = index(of: thread)
    guard known != nil || entries.count < ThreadLister.capacity else { return }
    let before = known.map { entries[$0] }
    let hasRun = schedstat?.runNanoseconds != before?.row.cpuNanoseconds
    var entry = before ?? Entry()
    let wasRunning = entry.row.state == .running
    if before == nil || hasRun || wasRunning || schedstat == nil {
      guard let stat = readFile(thread, "/stat", in: directory, as: StatFields.self) else { return }
      // A descendant that only waits to be waited for has no threads.
      if process != pid, stat.hasEnded { return }
      // The number was reused.
      if before != nil, stat.startTicks != entry.row.startTicks { entry = Entry() }
      entry.row.name = stat.name
      entry.row.state = stat.state
      entry.row.startTicks = stat.startTicks
      if schedstat == nil {
        entry.row.cpuNanosecondsBefore = entry.row.cpuNanoseconds
        entry.row.cpuNanoseconds =
          (stat.userTicks &+ stat.systemTicks) &* units.tickNanoseconds
      }
    }
    entry.row.pid = thread
    entry.row.parent = process
    if let schedstat {
      entry.row.cpuNanosecondsBefore = entry.row.cpuNanoseconds
      entry.row.waitNanosecondsBefore = entry.row.waitNanoseconds
      entry.row.cpuNanoseconds = schedstat.runNanoseconds
      entry.row.waitNanoseconds = schedstat.waitNanoseconds
    }
    let now = Instant.now()
    let isFirst = entry.time.nanoseconds == 0
    entry.row.intervalNanoseconds = isFirst ? 0 : UInt64(now.nanoseconds(since: entry.time))
    entry.time = now
    entry.round = round
    if let known { entries[known] = entry } else { entries.append(entry) }
  }

  /// Threads are usually listed in the same order as before.
  private mutating func index(of thread: Int32) -> Int? {
    if hint < entries.count, entries[hint].row.pid == thread {
      hint += 1
      return hint - 1
    }
    for index in entries.indices where entries[index].row.pid == thread {
      hint = index + 1
      return index
    }
    return nil
  }

  private func readFile<Fields: ProcFields>(
    _ thread: Int32, _ name: StaticString, in directory: Int32, as fields: Fields.Type
  ) -> Fields? {
    unsafe NumberedFiles.read(thread, name, in: directory, into: buffer, as: fields)
  }
}
