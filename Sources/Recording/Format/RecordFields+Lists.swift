import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The head of a list of processes, threads or mappings. It is followed by `rows` process rows and `groups` mappings.
struct ListHead {
  var time = Instant(nanoseconds: 0)
  var kind = ProcessTableRequest.Kind.processes
  var order = ProcessOrder.cpu
  var others = 0
  var rows = 0
  var hasCommandLines = false
  var ended = EndedProcesses()
  var groups = 0
  var mappingTime = Instant(nanoseconds: 0)
  var isPartial = false
  /// 0, or one more than the reason's raw value.
  var absence: UInt8 = 0

  init() {}

  init(_ table: ProcessTable) {
    time = table.time
    kind = table.request.kind
    order = table.request.order
    others = table.others
    rows = table.rows.count
    ended = table.ended
    groups = table.mappings.groups.count
    mappingTime = table.mappings.time
    isPartial = table.mappings.isPartial
    absence = table.mappings.absence.map { $0.rawValue &+ 1 } ?? 0
  }

  mutating func visit(_ visitor: inout some FieldVisitor) {
    visitor.field("time", as: .time, &time)
    visitor.field("list", &kind)
    visitor.field("order", &order)
    visitor.field("others", &others)
    visitor.field("rows", &rows)
    visitor.field("hasCommandLines", &hasCommandLines)
    visitor.field("ended.count", &ended.count)
    visitor.field("ended.cpu", unit: "ns", &ended.cpuNanoseconds)
    visitor.field("ended.greatest", unit: "B", &ended.greatestBytes)
    visitor.field("ended.lastName", &ended.lastName)
    ended.lastEnd.visit(&visitor, "ended.lastEnd", "ended.lastEnd.code")
    visitor.field("mappings", &groups)
    visitor.field("mappings.time", &mappingTime)
    visitor.field("mappings.partial", &isPartial)
    visitor.field("mappings.absent", unit: "enum", &absence)
    visitor.field("ended.countIsBound", &ended.isCountLowerBound)
    visitor.field("ended.cpuIsBound", &ended.isCPULowerBound)
  }
}

extension ProcessEnd {
  /// 0: alive, 1: unknown, 2: exited, 3: signaled; and the status or the signal.
  mutating func visit(
    _ visitor: inout some FieldVisitor, _ name: StaticString, _ codeName: StaticString
  ) {
    var way: UInt8
    var code: UInt8 = 0
    switch self {
    case .none: way = 0
    case .unknown: way = 1
    case .exited(let status): (way, code) = (2, status)
    case .signaled(let signal): (way, code) = (3, signal)
    }
    visitor.field(name, unit: "enum", &way)
    visitor.field(codeName, &code)
    switch way {
    case 0: self = .none
    case 2: self = .exited(code)
    case 3: self = .signaled(code)
    default: self = .unknown
    }
  }
}

/// A row of a list with its command line.
struct ListRow {
  var row = ProcessRow()
  var commandLine = ProcessArguments()

  mutating func visit(_ visitor: inout some FieldVisitor) {
    visitor.field("pid", &row.pid)
    visitor.field("parent", &row.parent)
    visitor.field("startTicks", &row.startTicks)
    visitor.field("cpu", unit: "ns", &row.cpuNanoseconds)
    visitor.field("cpuBefore", unit: "ns", &row.cpuNanosecondsBefore)
    visitor.field("wait", unit: "ns", &row.waitNanoseconds)
    visitor.field("waitBefore", unit: "ns", &row.waitNanosecondsBefore)
    visitor.field("interval", unit: "ns", &row.intervalNanoseconds)
    visitor.field("footprint", unit: "B", &row.footprintBytes)
    visitor.field("firstFootprint", unit: "B", &row.firstFootprintBytes)
    visitor.field("threads", &row.threads)
    visitor.field("state", &row.state)
    visitor.field("name", &row.name)
    visitor.field("endTime", &row.endTime)
    row.end.visit(&visitor, "end", "end.code")
    visitor.field("commandLine", &commandLine)
  }
}

extension MappingGroup {
  mutating func visit(_ visitor: inout some FieldVisitor) {
    visitor.field("name", &name)
    visitor.field("count", &count)
    visitor.field("size", unit: "B", &sizeBytes)
    visitor.field("resident", unit: "B", &residentBytes)
    visitor.field("pss", unit: "B", &pssBytes)
    visitor.field("private", unit: "B", &privateBytes)
    visitor.field("swap", unit: "B", &swapBytes)
  }
}
