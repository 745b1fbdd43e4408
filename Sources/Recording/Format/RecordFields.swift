import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

// The fields of each kind of record, in the order of the file. Add new fields at the end of their kind.

extension Sample {
  mutating func visit(_ visitor: inout some FieldVisitor) {
    // Fields that change with each sample come first, so that the marks of changed fields take few bits.
    visitor.field("time", as: .time, &time)
    visitor.field("sequence", as: .steady, &sequence)
    visitor.field("age", unit: "ns", as: .clock, &ageNanoseconds)
    visitor.field("statTime", as: .clock, &statTime)
    visitor.field("late", unit: "ns", as: .late, &lateNanoseconds)
    visitor.field("ownCPU", unit: "ns", &ownCPUNanoseconds)
    visitor.value("cpu", unit: "ns", &cpuNanoseconds)
    visitor.value("processCPU", unit: "ns", as: .twin, &processCPUNanoseconds)
    visitor.value("anonymous", unit: "B", &anonymousBytes)
    visitor.value("resident", unit: "B", as: .beside, &residentBytes)
    visitor.field("reporter.resident", unit: "B", as: .twin, &reporter.residentBytes)
    visitor.field("reporter.anonymous", unit: "B", as: .beside, &reporter.anonymousBytes)
    visitor.value("minorFaults", &minorFaults)
    visitor.field("lowRateTime", as: .held, &lowRateTime)
    visitor.field("threadTime", as: .twin, &threadTime)
    visitor.field("ioTime", as: .twin, &ioTime)
    visitor.value("cpuWait", unit: "ns", &cpuWaitNanoseconds)
    visitor.value("voluntarySwitches", &voluntarySwitches)
    visitor.value("involuntarySwitches", &involuntarySwitches)
    visitor.value("readBytes", unit: "B", &readBytes)
    visitor.value("writeBytes", unit: "B", &writeBytes)
    visitor.field("state", &state)
    visitor.field("ownAnonymous", unit: "B", &ownAnonymousBytes)
    visitor.field("pssTime", &pssTime)
    visitPressure(&visitor)
    visitor.value("pss", unit: "B", &pssBytes)
    visitor.value("cgroupMemory", unit: "B", &cgroupMemoryBytes)
    visitor.value("limitUsed", unit: "B", &limitUsedBytes)
    visitor.value("throttled", unit: "ns", &throttledNanoseconds)
    visitor.value("threads", &threads)
    visitor.field("processes", &processes)
    visitor.field("missed", &missed)
    visitor.value("pageTables", unit: "B", &pageTableBytes)
    visitor.value("swap", unit: "B", &swapBytes)
    visitor.value("sharedMemory", unit: "B", &sharedMemoryBytes)
    visitor.value("majorFaults", &majorFaults)
    visitRare(&visitor)
    visitAbsences(&visitor)
    visitor.field("peakResident", unit: "B", &peakResidentBytes)
    visitor.value("system", unit: "ns", &systemNanoseconds)
    visitor.absence("system.absent", &systemNanoseconds)
    visitor.field("uncountedChildren", &uncountedChildren)
    visitor.field("processEnd", &processEnd.code)
  }

  private mutating func visitPressure(_ visitor: inout some FieldVisitor) {
    visitor.value("pressure.cpu.some", unit: "ns", &pressure.cpuSome)
    visitor.value("pressure.cpu.full", unit: "ns", &pressure.cpuFull)
    visitor.value("pressure.memory.some", unit: "ns", &pressure.memorySome)
    visitor.value("pressure.memory.full", unit: "ns", &pressure.memoryFull)
    visitor.value("pressure.io.some", unit: "ns", &pressure.ioSome)
    visitor.value("pressure.io.full", unit: "ns", &pressure.ioFull)
    visitor.field("pressure.ofCgroup", &pressure.isOfCgroup)
  }

  /// Fields that seldom change.
  private mutating func visitRare(_ visitor: inout some FieldVisitor) {
    visitor.field("pid", &pid)
    visitor.field("targetNumber", &targetNumber)
    visitor.field("startTicks", &startTicks)
    visitor.field("name", &name)
    visitor.field("ended", &hasEnded)
    visitor.field("cpuSource", &cpuSource)
    visitor.field("provisional", &isProvisional)
    visitor.field("reporter.pid", &reporter.pid)
    visitor.field("sharedPrivate", unit: "B", &sharedPrivateBytes)
    visitor.field("uncertainShared", unit: "B", &uncertainSharedBytes)
    visitor.value("limit", unit: "B", &limitBytes)
    visitor.field("limitSource", &limitSource)
    visitor.field("countsAllProcesses", &countsAllProcesses)
    visitor.field("leftOutProcesses", &leftOutProcesses)
    visitor.field("unknownEnds", &unknownEnds)
    visitor.value("usableProcessors", &usableProcessors)
    visitor.field("mayMissThreads", &mayMissThreads)
    visitor.value("memoryEvents.high", &memoryEvents.high)
    visitor.value("memoryEvents.max", &memoryEvents.max)
    visitor.value("memoryEvents.oomKills", &memoryEvents.oomKills)
  }

  /// The reasons why values are missing.
  private mutating func visitAbsences(_ visitor: inout some FieldVisitor) {
    visitor.absence("cpu.absent", &cpuNanoseconds)
    visitor.absence("processCPU.absent", &processCPUNanoseconds)
    visitor.absence("anonymous.absent", &anonymousBytes)
    visitor.absence("resident.absent", &residentBytes)
    visitor.absence("minorFaults.absent", &minorFaults)
    visitor.absence("cpuWait.absent", &cpuWaitNanoseconds)
    visitor.absence("voluntarySwitches.absent", &voluntarySwitches)
    visitor.absence("involuntarySwitches.absent", &involuntarySwitches)
    visitor.absence("readBytes.absent", &readBytes)
    visitor.absence("writeBytes.absent", &writeBytes)
    visitor.absence("pressure.cpu.some.absent", &pressure.cpuSome)
    visitor.absence("pressure.cpu.full.absent", &pressure.cpuFull)
    visitor.absence("pressure.memory.some.absent", &pressure.memorySome)
    visitor.absence("pressure.memory.full.absent", &pressure.memoryFull)
    visitor.absence("pressure.io.some.absent", &pressure.ioSome)
    visitor.absence("pressure.io.full.absent", &pressure.ioFull)
    visitor.absence("pss.absent", &pssBytes)
    visitor.absence("cgroupMemory.absent", &cgroupMemoryBytes)
    visitor.absence("limitUsed.absent", &limitUsedBytes)
    visitor.absence("throttled.absent", &throttledNanoseconds)
    visitor.absence("threads.absent", &threads)
    visitor.absence("pageTables.absent", &pageTableBytes)
    visitor.absence("swap.absent", &swapBytes)
    visitor.absence("sharedMemory.absent", &sharedMemoryBytes)
    visitor.absence("majorFaults.absent", &majorFaults)
    visitor.absence("limit.absent", &limitBytes)
    visitor.absence("usableProcessors.absent", &usableProcessors)
    visitor.absence("memoryEvents.high.absent", &memoryEvents.high)
    visitor.absence("memoryEvents.max.absent", &memoryEvents.max)
    visitor.absence("memoryEvents.oomKills.absent", &memoryEvents.oomKills)
  }
}

extension MemorySample {
  mutating func visit(_ visitor: inout some FieldVisitor) {
    visitor.field("time", as: .time, &time)
    visitor.field("targetNumber", &targetNumber)
    visitor.field("resident", unit: "B", &residentBytes)
    visitor.field("anonymous", unit: "B", &anonymousBytes)
    visitor.field("borderLateness", unit: "ns", &borderLateness)
  }
}

/// An event with its time.
struct TimedEvent {
  var time = Instant(nanoseconds: 0)
  var event = Event(.frame)

  mutating func visit(_ visitor: inout some FieldVisitor) {
    visitor.field("time", as: .time, &time)
    visitor.field("kind", &event.kind)
    var sequence = event.sequence ?? 0
    var hasSequence = event.sequence != nil
    visitor.field("sequence", as: .steady, &sequence)
    visitor.field("hasSequence", &hasSequence)
    event.sequence = hasSequence ? sequence : nil
    visitor.field("number", &event.number)
    visitor.field("count", &event.count)
    visitor.field("name", &event.name)
    visitor.field("detail", &event.detail)
    visitor.field("origin", &event.origin)
    visitor.field("icon", &event.icon)
    visitor.field("unit", &event.unit)
    var color = event.color.map { $0.rawValue &+ 1 } ?? 0
    visitor.field("color", unit: "enum", &color)
    event.color = color == 0 ? nil : EventColor(rawValue: color &- 1)
    visitor.field("coversScreen", &event.coversScreen)
    var memory = event.memory ?? ReportedMemory(residentBytes: 0, anonymousBytes: 0)
    var hasMemory = event.memory != nil
    var faulted = memory.faultedBytes ?? 0
    var hasFaulted = memory.faultedBytes != nil
    visitor.field("hasMemory", &hasMemory)
    visitor.field("memory.resident", unit: "B", &memory.residentBytes)
    visitor.field("memory.anonymous", unit: "B", &memory.anonymousBytes)
    visitor.field("memory.hasFaulted", &hasFaulted)
    visitor.field("memory.faulted", unit: "B", &faulted)
    memory.faultedBytes = hasFaulted ? faulted : nil
    event.memory = hasMemory ? memory : nil
    visitor.field("sender", &event.sender)
    visitor.field("group", &event.group)
  }
}

extension ProcessEnd {
  /// The end as a number: 0 if there is none, 1 if it is unknown, 2 × 256 + the status, or 3 × 256 + the signal.
  fileprivate var code: UInt16 {
    get {
      switch self {
      case .none: 0
      case .unknown: 1
      case .exited(let status): 0x200 | UInt16(status)
      case .signaled(let number): 0x300 | UInt16(number)
      }
    }
    set {
      let value = UInt8(truncatingIfNeeded: newValue)
      switch newValue >> 8 {
      case 2: self = .exited(value)
      case 3: self = .signaled(value)
      default: self = newValue == 1 ? .unknown : .none
      }
    }
  }
}
