import CLinux
import Glibc
import PerfHUDBase

/// How long the members have waited for a processor.
extension ProcessTree {
  /// Reads how long a member has waited. Costs one file for each thread, about 8 µs.
  ///
  /// Source: field 2 of `/proc/PID/schedstat`, which is that of the main thread, and of
  /// `/proc/PID/task/TID/schedstat`.
  ///
  /// - Returns: the number of files.
  @discardableResult
  mutating func readWait(_ index: Int) -> Int {
    let pid = members[index].pid
    guard members[index].threads <= TreeWaits.mostThreads else {
      members[index].wait.forget()
      waits.noteMissing()
      return 0
    }
    var sum: UInt64 = 0
    var threads: UInt64 = 0
    var files = 1
    if members[index].threads <= 1 {
      if let fields = readFile(of: pid, "/schedstat", as: SchedstatFields.self) {
        (sum, threads) = (fields.waitNanoseconds, ProcessTree.checksum(of: pid))
      }
    } else {
      (sum, threads, files) = readWaitOfThreads(of: pid)
    }
    // A process that has not yet run has only zeros; one that is gone is noticed by the next sample.
    guard threads != 0 else {
      members[index].wait.hasRun = false
      if members[index].account.own > 0 { waits.noteMissing() }
      return files
    }
    let found = members[index].wait.take(sum, threads: threads)
    waits.add(found.increase)
    if !found.isWhole { waits.noteMissing() }
    return files
  }

  /// The sum over the threads, a checksum of their numbers, and the number of files.
  private func readWaitOfThreads(of pid: Int32) -> (UInt64, UInt64, Int) {
    var sum: UInt64 = 0
    var threads: UInt64 = 0
    var files = 1
    let raw = openFile(pid, "/task")
    guard raw >= 0 else { return (0, 0, files) }
    let task = Descriptor(owning: raw)
    while files <= 2 * Int(TreeWaits.mostThreads) {
      let length = unsafe perfhud_getdents64(task.raw, listing.baseAddress!, listing.count)
      guard length > 0 else { break }
      var entries = DirectoryEntries()
      while let entry = unsafe entries.nextNumber(
        in: UnsafeRawBufferPointer(rebasing: listing[..<Int(length)]).bytes)
      {
        files += 1
        if let fields = unsafe NumberedFiles.read(
          entry.number, "/schedstat", in: task.raw, into: buffer, as: SchedstatFields.self)
        {
          sum &+= fields.waitNanoseconds
          threads &+= ProcessTree.checksum(of: entry.number)
        }
      }
    }
    return (sum, threads, files)
  }

  /// Spreads the number of a thread over 64 bits, so that sums of different threads differ.
  private static func checksum(of thread: Int32) -> UInt64 {
    var bits = UInt64(UInt32(bitPattern: thread)) &* 0x9E37_79B9_7F4A_7C15
    bits ^= bits >> 29
    return bits &* 0xBF58_476D_1CE4_E5B9 | 1
  }

  /// Takes the sum of the waits; call it when all members that have run were read.
  ///
  /// - Parameter time: when these reads began.
  mutating func takeWaits(time: Instant) -> TreeWaits.Taken {
    let isKnown = usesClock && discovery.lastPid > 0
    return waits.take(lastPid: isKnown ? discovery.lastPid : nil, time: time)
  }
}
