import PerfHUDBase

/// The processes of a tree that have ended since its list was opened.
public struct EndedProcesses: BitwiseCopyable, Sendable {
  /// The number of those that a sample has seen.
  public var count: UInt32 = 0
  /// Whether others may have begun and ended between two samples.
  public var isCountLowerBound = false
  /// The CPU time of all of them, including those that no sample has seen, in nanoseconds.
  public var cpuNanoseconds: UInt64 = 0
  /// Whether part of it is unknown, since no process of the tree waited for one of them.
  public var isCPULowerBound = false
  /// The greatest footprint among those that were seen, in bytes.
  public var greatestBytes: UInt64 = 0
  /// The name of the one that ended last; empty if none was seen.
  public var lastName = ProcessName()
  public var lastEnd = ProcessEnd.none
  private var lastTime = Instant(nanoseconds: 0)

  public init() {}

  /// Adds up these rows.
  init(_ rows: [ProcessRow]) {
    for row in rows where row.isInEndedTotals { add(row) }
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
    /// The threads of the process; of a tree those of all its processes.
    case threads
    /// What the process has mapped, grouped by name; of a tree what its greatest process has, which has the only row.
    case mappings
  }

  public var kind: Kind
  /// Which rows are kept if not all of them fit into the table.
  public var order: ProcessOrder

  public init(_ kind: Kind, by order: ProcessOrder = .cpu) {
    self.kind = kind
    self.order = order
  }
}

/// The processes of a tree, or the threads or mappings of a process, at one moment. It never changes, so copies of a
/// run can share it.
///
/// It has the `capacity` rows with the greatest keys, then processes that ended recently, and the number of rows that
/// did not fit: about 130 kB with the command lines.
public final class ProcessTable: Sendable {
  public static let capacity = 256
  /// The maximum number of ended rows.
  public static let endedCapacity = 48
  /// How long an ended row is kept, in nanoseconds.
  public static let endedLifetime: Int64 = 10_000_000_000

  public let request: ProcessTableRequest
  public let time: Instant
  public let rows: [ProcessRow]
  /// The number of living processes or threads without a row.
  public let others: Int
  /// The processes that have ended since the list was opened.
  public let ended: EndedProcesses
  /// The command line of each row; as many as rows, or none.
  public let commandLines: [ProcessArguments]
  /// The mappings, if the list is one of mappings. Then it has no rows, but that of the process in a tree.
  public let mappings: MappingTable
  /// Facts about the watched process, if they were read.
  public let details: ProcessDetails?

  public init(
    request: ProcessTableRequest, time: Instant, rows: [ProcessRow], others: Int = 0,
    ended: EndedProcesses? = nil, commandLines: [ProcessArguments] = [],
    mappings: MappingTable = MappingTable(), details: ProcessDetails? = nil
  ) {
    self.request = request
    self.time = time
    self.rows = rows
    self.others = others
    self.ended = ended ?? EndedProcesses(rows)
    self.commandLines = commandLines.count == rows.count ? commandLines : []
    self.mappings = mappings
    self.details = details
  }

  /// The same table with facts about the watched process.
  public func adding(_ details: ProcessDetails) -> ProcessTable {
    ProcessTable(
      request: request, time: time, rows: rows, others: others, ended: ended,
      commandLines: commandLines, mappings: mappings, details: details)
  }
}
