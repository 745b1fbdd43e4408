import Glibc

/// The numbers that the kernel has given to processes and threads of our own pid namespace.
enum PIDAllocation {
  /// The maximum number of pids that are checked.
  private static let limit: Int32 = 64

  /// Whether one of the numbers given between two samples may be gone: a process or thread that began and ended in
  /// between had it. Also true where the numbers have begun again, or where there are too many of them.
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

  /// One of another user exists too (`EPERM`).
  static func exists(_ number: Int32) -> Bool { kill(number, 0) == 0 || errno == EPERM }
}
