import PerfHUDBase

/// The CPU time of descendants that a process has waited for.
public enum WaitedTime {
  /// User and system time together, in nanoseconds; `nil` if it cannot be read. The kernel reports it in whole clock
  /// ticks.
  ///
  /// Source: fields 16 and 17 of `/proc/PID/stat`.
  public static func nanoseconds(of pid: Int32, root: String = "/proc") -> UInt64? {
    guard let stat = StatFields(path: "\(root)/\(pid)/stat") else { return nil }
    let ticks = stat.childrenUserTicks.addingReportingOverflow(stat.childrenSystemTicks)
    let time = ticks.partialValue.multipliedReportingOverflow(by: KernelUnits().tickNanoseconds)
    return ticks.overflow || time.overflow ? nil : time.partialValue
  }
}
