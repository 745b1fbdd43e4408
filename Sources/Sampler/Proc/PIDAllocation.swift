import Glibc

/// The numbers that the kernel has given to processes and threads of our own pid namespace.
enum PIDAllocation {
  /// The maximum number of pids that are checked.
  private static let limit: Int32 = 64

  /// Whether a process or thread may have begun and ended between two samples: one of the numbers given in between no
  /// longer exists. Also true if the numbers have wrapped around, or if there are too many to check.
  ///
  /// Source: kill(2) with signal 0.
  static func areGone(
    after former: Int32, through last: Int32, exists: (Int32) -> Bool = PIDAllocation.exists
  ) -> Bool {
    guard last != former else { return false }
    guard last > former, last &- former > 0, last &- former <= limit else { return true }
    var number = former
    while number < last {
      number += 1
      if !exists(number) { return true }
    }
    return false
  }

  /// Whether a process or thread has the number. `EPERM` means that it belongs to another user.
  static func exists(_ number: Int32) -> Bool { kill(number, 0) == 0 || errno == EPERM }
}
