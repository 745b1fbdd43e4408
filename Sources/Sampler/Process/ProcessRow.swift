import PerfHUDBase

/// How a process has ended.
public enum ProcessEnd: BitwiseCopyable, Sendable, Equatable {
  /// It lives.
  case none
  /// It has ended; only the process that has waited for it knows how.
  case unknown
  case exited(UInt8)
  case signaled(UInt8)

  /// - Parameter waitStatus: the status that `wait4(2)` reports.
  init(_ waitStatus: Int32) {
    let signal = UInt8(truncatingIfNeeded: waitStatus & 0x7F)
    self = signal == 0 ? .exited(UInt8(truncatingIfNeeded: waitStatus >> 8)) : .signaled(signal)
  }
}

/// A process or a thread in a `ProcessTable`, with two samples of each counter.
public struct ProcessRow: BitwiseCopyable, Sendable {
  /// Of a thread its own number.
  public var pid: Int32 = 0
  /// Of a thread the process.
  public var parent: Int32 = 0
  /// Start in clock ticks since boot: with the pid it identifies the process.
  public var startTicks: UInt64 = 0
  /// As the kernel keeps it: make it harmless before it reaches a terminal.
  public var name = ProcessName()
  public var state = ProcessState.unknown
  public var end = ProcessEnd.none
  /// When it was found to have ended.
  public var endTime = Instant(nanoseconds: 0)
  /// CPU time at this sample and at the one before, in nanoseconds.
  public var cpuNanoseconds: UInt64 = 0
  public var cpuNanosecondsBefore: UInt64 = 0
  /// Time that a thread was ready to run and waited for a processor, in the same way.
  public var waitNanoseconds: UInt64 = 0
  public var waitNanosecondsBefore: UInt64 = 0
  /// Between the two samples; 0 if there has been only one.
  public var intervalNanoseconds: UInt64 = 0
  /// Private anonymous memory, swap and page tables, in bytes; 0 of a thread.
  public var footprintBytes: UInt64 = 0
  /// The same when perfhud first saw the process.
  public var firstFootprintBytes: UInt64 = 0
  public var threads: UInt32 = 1

  public init() {}

  /// Its share of one processor between the two samples, in percent; `nil` if it is not known.
  public var cpuPercent: Double? { share(cpuNanoseconds, cpuNanosecondsBefore) }
  /// The share of the time that it waited for a processor, in percent.
  public var waitPercent: Double? { share(waitNanoseconds, waitNanosecondsBefore) }
  /// By how much its footprint has grown since it was first seen.
  public var growthBytes: Double { Double(footprintBytes) - Double(firstFootprintBytes) }
  public var hasEnded: Bool { end != .none }
  /// Whether it is a child that has ended and was waited for: it counts in `ProcessTable.ended`.
  public var isFolded: Bool { hasEnded && state == .dead && parent != 0 }

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

/// The processes of a tree that have ended while its list was shown, as they were last seen.
public struct EndedProcesses: BitwiseCopyable, Sendable {
  public var count: UInt32 = 0
  /// The CPU time of all of them, in nanoseconds.
  public var cpuNanoseconds: UInt64 = 0
  /// The greatest footprint of one of them, in bytes.
  public var greatestBytes: UInt64 = 0
  /// The one that ended last.
  public var lastName = ProcessName()
  public var lastEnd = ProcessEnd.none
  private var lastTime = Instant(nanoseconds: 0)

  public init() {}

  /// The sum of these rows.
  init(_ rows: [ProcessRow]) {
    for row in rows where row.isFolded { add(row) }
  }

  mutating func add(_ row: ProcessRow) {
    count = count.addingReportingOverflow(1).partialValue
    cpuNanoseconds = cpuNanoseconds.addingReportingOverflow(row.cpuNanoseconds).partialValue
    greatestBytes = max(greatestBytes, row.footprintBytes)
    guard row.endTime >= lastTime else { return }
    lastTime = row.endTime
    lastName = row.name
    lastEnd = row.end
  }
}

/// The order of a list of processes.
public enum ProcessOrder: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case cpu
  case memory
  case growth
}

/// Which list is shown.
public struct ProcessTableRequest: Sendable, BitwiseCopyable, Equatable {
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// The process and its descendants.
    case processes
    /// The threads of the process.
    case threads
    /// What the process has mapped, grouped by name.
    case mappings
  }

  public var kind: Kind
  /// Which rows are kept if there are too many for a table.
  public var order: ProcessOrder

  public init(_ kind: Kind, by order: ProcessOrder = .cpu) {
    self.kind = kind
    self.order = order
  }
}

/// The processes of a tree, or the threads or mappings of a process, at one moment. It never changes, so that copies of a
/// run share it.
///
/// It has the `capacity` rows with the greatest keys, then those that ended recently, and the number of the
/// others: about 130 kB with the command lines.
public final class ProcessTable: Sendable {
  public static let capacity = 256
  /// The maximum number of ended rows.
  public static let endedCapacity = 48
  /// How long an ended row is kept, in nanoseconds.
  public static let endedLifetime: Int64 = 10_000_000_000

  public let request: ProcessTableRequest
  public let time: Instant
  public let rows: [ProcessRow]
  /// The number of living ones that are not in the rows.
  public let others: Int
  /// Those that have ended since the list is shown.
  public let ended: EndedProcesses
  /// The command line of each row; as many as rows, or none.
  public let commandLines: [ProcessArguments]
  /// Of a list of mappings these, and no rows.
  public let mappings: MappingTable

  public init(
    request: ProcessTableRequest, time: Instant, rows: [ProcessRow], others: Int = 0,
    ended: EndedProcesses? = nil, commandLines: [ProcessArguments] = [],
    mappings: MappingTable = MappingTable()
  ) {
    self.request = request
    self.time = time
    self.rows = rows
    self.others = others
    self.ended = ended ?? EndedProcesses(rows)
    self.commandLines = commandLines.count == rows.count ? commandLines : []
    self.mappings = mappings
  }
}
