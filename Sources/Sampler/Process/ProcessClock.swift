import CLinux
import Glibc
import PerfHUDBase

/// Reports the end of a whole process, if the kernel supports it. Source: `pidfd_open(2)`.
struct ExitNotice: ~Copyable, Sendable {
  /// Readable once the process has ended; `nil` if there is none.
  let descriptor: Int32?

  /// - Parameter pid: `nil` makes a notice without a descriptor.
  init(pid: Int32?) {
    let raw = pid.map { perfhud_pidfd_open($0) } ?? -1
    descriptor = raw >= 0 ? raw : nil
  }

  deinit { if let descriptor { close(descriptor) } }

  /// Whether the process has ended; `nil` if unknown.
  var hasHappened: Bool? {
    guard let descriptor else { return nil }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe perfhud_ppoll(&entry, 1, 0) > 0
  }
}

/// The units in which the kernel counts. Source: `sysconf(_SC_PAGESIZE)`, `sysconf(_SC_CLK_TCK)`.
struct KernelUnits: Sendable {
  let pageBytes = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
  let tickNanoseconds = 1_000_000_000 / UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
}

/// The CPU clock of a process by its number. Source: `clock_getcpuclockid(3)`, `clock_gettime(2)`.
enum ProcessClock {
  /// The clock's number, if the clock runs and agrees with utime + stime of the held stat.
  static func verified(pid: Int32, stat: borrowing ProcFile, units: KernelUnits) -> clockid_t? {
    let clock = clockid_t(~pid << 3 | 2)
    guard let before = (try? stat.read(as: StatFields.self)) ?? nil,
      let value = readClock(clock),
      let after = (try? stat.read(as: StatFields.self)) ?? nil
    else { return nil }
    let isSame = agrees(
      clock: value, before: (before.userTicks &+ before.systemTicks) &* units.tickNanoseconds,
      after: (after.userTicks &+ after.systemTicks) &* units.tickNanoseconds,
      tick: units.tickNanoseconds)
    return isSame ? clock : nil
  }

  /// Whether the clock can belong to the process whose times were read before and after it.
  ///
  /// utime and stime are each truncated to whole ticks. A further tolerance of a tenth and 100 ms is for kernels that
  /// count the two in different ways, and for threads that run between the reads.
  static func agrees(clock: UInt64, before: UInt64, after: UInt64, tick: UInt64) -> Bool {
    clock &+ 2 &* tick &+ 5_000_000 >= before - before / 10
      && clock <= after &+ after / 10 &+ 2 &* tick &+ 100_000_000
  }
}
