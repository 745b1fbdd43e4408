import PerfHUDBase

/// How a process has ended.
public enum ProcessEnd: BitwiseCopyable, Sendable, Equatable {
  /// It has not ended.
  case none
  /// It has ended; only the process that has waited for it knows how.
  case unknown
  case exited(UInt8)
  case signaled(UInt8)

  /// - Parameter waitStatus: the status that `wait4(2)` reports.
  public init(_ waitStatus: Int32) {
    let signal = UInt8(truncatingIfNeeded: waitStatus & 0x7F)
    self = signal == 0 ? .exited(UInt8(truncatingIfNeeded: waitStatus >> 8)) : .signaled(signal)
  }
}

/// A process or a thread in a `ProcessTable`, with two samples of each counter.
public struct ProcessRow: BitwiseCopyable, Sendable {
  /// The pid; of a thread its own number.
  public var pid: Int32 = 0
  /// The parent; of a thread its process.
  public var parent: Int32 = 0
  /// Whether its parent has ended, so that another process has become its parent.
  public var isOrphan = false
  /// Start time in clock ticks since boot. Together with the pid it identifies the process.
  public var startTicks: UInt64 = 0
  /// As the kernel keeps it: not yet safe for a terminal.
  public var name = ProcessName()
  public var state = ProcessState.unknown
  public var end = ProcessEnd.none
  /// When perfhud noticed its end.
  public var endTime = Instant(nanoseconds: 0)
  /// CPU time at this sample and at the previous one, in nanoseconds.
  public var cpuNanoseconds: UInt64 = 0
  public var cpuNanosecondsBefore: UInt64 = 0
  /// The time for which a thread was ready to run but waited for a processor, at this sample and at the previous one.
  public var waitNanoseconds: UInt64 = 0
  public var waitNanosecondsBefore: UInt64 = 0
  /// The time between the two samples; 0 if there has been only one.
  public var intervalNanoseconds: UInt64 = 0
  /// Private anonymous memory, swap and page tables, in bytes; 0 of a thread.
  public var footprintBytes: UInt64 = 0
  /// Its footprint when perfhud first saw the process.
  public var firstFootprintBytes: UInt64 = 0
  public var threads: UInt32 = 1

  public init() {}

  /// Its share of one processor between the two samples, in percent; `nil` if unknown.
  public var cpuPercent: Double? { share(cpuNanoseconds, cpuNanosecondsBefore) }
  /// The share of the time for which it waited for a processor, in percent.
  public var waitPercent: Double? { share(waitNanoseconds, waitNanosecondsBefore) }
  /// By how much its footprint has grown since it was first seen.
  public var growthBytes: Double { Double(footprintBytes) - Double(firstFootprintBytes) }
  public var hasEnded: Bool { end != .none }
  /// Whether it is a child that has ended and was waited for, and so is part of `ProcessTable.ended`.
  public var isInEndedTotals: Bool { hasEnded && state == .dead && parent != 0 }

  private func share(_ now: UInt64, _ before: UInt64) -> Double? {
    guard intervalNanoseconds > 0, !hasEnded else { return nil }
    return 100 * Double(now &- min(before, now)) / Double(intervalNanoseconds)
  }

  /// The key by which rows are sorted, greatest first.
  public func key(_ order: ProcessOrder) -> Double {
    switch order {
    case .cpu: cpuPercent ?? 0
    case .memory: Double(footprintBytes)
    case .growth: growthBytes
    }
  }
}
