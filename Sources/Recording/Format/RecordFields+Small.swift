import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The fields of records with a time and at most a few values. Each kind uses some of these members.
struct SmallRecord {
  var time = Instant(nanoseconds: 0)
  var number: UInt64 = 0
  var name = ProcessName()
  var pid: Int32 = 0
  var isMark = false
  var isRestart = false
  var command = ""
  var listener = EventListener.here
  var machine = MachineLoad()

  mutating func visit(_ visitor: inout some FieldVisitor, _ kind: RecordKind) {
    visitor.field("time", as: .time, &time)
    switch kind {
    case .answer: visitor.field("duration", unit: "ns", &number)
    case .loadingGroup: visitor.field("group", &pid)
    case .unansweredKey: visitor.field("since", unit: "ns", &number)
    case .interval: visitor.field("interval", unit: "ns", &number)
    case .clock: visitor.field("offset", unit: "ns", &number)
    case .eventsLost, .eventsBad: visitor.field("count", &number)
    case .listener: visitor.field("listener", &listener)
    case .target:
      visitor.field("name", &name)
      visitor.field("pid", &pid)
      visitor.field("mark", &isMark)
      visitor.field("restart", &isRestart)
    case .program:
      visitor.field("name", &name)
      visitor.field("command", &command)
    case .machine:
      visitor.value("busy", unit: "ns", &machine.busyNanoseconds)
      visitor.absence("busy.absent", &machine.busyNanoseconds)
      visitor.value("cpuPressure", unit: "µs", &machine.cpuPressureMicroseconds)
      visitor.absence("cpuPressure.absent", &machine.cpuPressureMicroseconds)
    default: break
    }
  }
}

/// How and when a run ended, for its summary.
package struct RecordingEnd: Equatable, Sendable {
  /// When the run was over.
  package var time: Instant
  /// The end of the command that perfhud started.
  package var command: CommandEnd?

  package init(time: Instant, command: CommandEnd? = nil) {
    self.time = time
    self.command = command
  }

  mutating func visit(_ visitor: inout some FieldVisitor) {
    visitor.field("time", as: .time, &time)
    var hasCommand = command != nil
    visitor.field("hasCommand", &hasCommand)
    var end = command ?? CommandEnd(status: nil)
    // 0: unknown, 1: exited, 2: signaled.
    var way: UInt8 = 0
    var code: Int32 = 0
    switch end.status {
    case .exited(let status): (way, code) = (1, status)
    case .signaled(let signal): (way, code) = (2, signal)
    case nil: break
    }
    visitor.field("status", unit: "enum", &way)
    visitor.field("status.code", &code)
    end.status = way == 1 ? .exited(code) : way == 2 ? .signaled(code) : nil
    RecordingEnd.visit(&visitor, "user", "hasUser", "ns", &end.userNanoseconds)
    RecordingEnd.visit(&visitor, "system", "hasSystem", "ns", &end.systemNanoseconds)
    RecordingEnd.visit(&visitor, "maxResident", "hasMaxResident", "B", &end.maxResidentBytes)
    visitor.field("maxResident.isBound", &end.maxResidentIsBound)
    RecordingEnd.visit(&visitor, "read", "hasRead", "B", &end.readBytes)
    RecordingEnd.visit(&visitor, "written", "hasWritten", "B", &end.writtenBytes)
    command = hasCommand ? end : nil
  }

  private static func visit(
    _ visitor: inout some FieldVisitor, _ name: StaticString, _ flag: StaticString,
    _ unit: StaticString, _ value: inout UInt64?
  ) {
    var has = value != nil
    var number = value ?? 0
    visitor.field(flag, &has)
    visitor.field(name, unit: unit, &number)
    value = has ? number : nil
  }
}
