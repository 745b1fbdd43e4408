import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

// The fields of each kind of record, in the order of the file. A new field goes to the end of its kind.

extension Sample {
  mutating func visit(_ visitor: inout some FieldVisitor) {
    // What changes with each sample comes first, so that the marks of changed fields take few bytes.
    visitor.field("time", as: .time, &time)
    visitor.field("sequence", as: .steady, &sequence)
    visitor.field("age", unit: "ns", as: .clock, &ageNanoseconds)
    visitor.field("statTime", as: .clock, &statTime)
    visitor.field("late", unit: "ns", as: .late, &lateNanoseconds)
    visitor.field("ownCPU", unit: "ns", &ownCPUNanoseconds)
    visitor.field("cpu", absence: "cpu.absent", unit: "ns", &cpuNanoseconds)
    visitor.field("processCPU", absence: "processCPU.absent", unit: "ns", &processCPUNanoseconds)
    visitor.field("lowRateTime", &lowRateTime)
    visitor.field("threadTime", as: .beside, &threadTime)
    visitor.field("ioTime", as: .beside, &ioTime)
    visitor.field("pssTime", &pssTime)
    visitor.field("resident", absence: "resident.absent", unit: "B", &residentBytes)
    visitor.field("anonymous", absence: "anonymous.absent", unit: "B", &anonymousBytes)
    visitor.field("reporter.resident", unit: "B", &reporter.residentBytes)
    visitor.field("reporter.anonymous", unit: "B", &reporter.anonymousBytes)
    visitor.field("minorFaults", absence: "minorFaults.absent", unit: "1", &minorFaults)
    visitor.field("cpuWait", absence: "cpuWait.absent", unit: "ns", &cpuWaitNanoseconds)
    visitor.field(
      "voluntarySwitches", absence: "voluntarySwitches.absent", unit: "1", &voluntarySwitches)
    visitor.field(
      "involuntarySwitches", absence: "involuntarySwitches.absent", unit: "1",
      &involuntarySwitches)
    visitor.field("readBytes", absence: "readBytes.absent", unit: "B", &readBytes)
    visitor.field("writeBytes", absence: "writeBytes.absent", unit: "B", &writeBytes)
    visitor.field("state", &state)
    visitor.field("ownAnonymous", unit: "B", &ownAnonymousBytes)
    visitPressure(&visitor)
    visitor.field("pss", absence: "pss.absent", unit: "B", &pssBytes)
    visitor.field(
      "cgroupMemory", absence: "cgroupMemory.absent", unit: "B", &cgroupMemoryBytes)
    visitor.field("limitUsed", absence: "limitUsed.absent", unit: "B", &limitUsedBytes)
    visitor.field("throttled", absence: "throttled.absent", unit: "ns", &throttledNanoseconds)
    visitor.field("threads", absence: "threads.absent", unit: "1", &threads)
    visitor.field("processes", &processes)
    visitor.field("missed", &missed)
    visitor.field("pageTables", absence: "pageTables.absent", unit: "B", &pageTableBytes)
    visitor.field("swap", absence: "swap.absent", unit: "B", &swapBytes)
    visitor.field("sharedMemory", absence: "sharedMemory.absent", unit: "B", &sharedMemoryBytes)
    visitor.field("majorFaults", absence: "majorFaults.absent", unit: "1", &majorFaults)
    visitRare(&visitor)
  }

  private mutating func visitPressure(_ visitor: inout some FieldVisitor) {
    visitor.field(
      "pressure.cpu.some", absence: "pressure.cpu.some.absent", unit: "ns", &pressure.cpuSome)
    visitor.field(
      "pressure.cpu.full", absence: "pressure.cpu.full.absent", unit: "ns", &pressure.cpuFull)
    visitor.field(
      "pressure.memory.some", absence: "pressure.memory.some.absent", unit: "ns",
      &pressure.memorySome)
    visitor.field(
      "pressure.memory.full", absence: "pressure.memory.full.absent", unit: "ns",
      &pressure.memoryFull)
    visitor.field(
      "pressure.io.some", absence: "pressure.io.some.absent", unit: "ns", &pressure.ioSome)
    visitor.field(
      "pressure.io.full", absence: "pressure.io.full.absent", unit: "ns", &pressure.ioFull)
    visitor.field("pressure.ofCgroup", &pressure.isOfCgroup)
  }

  /// What seldom changes.
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
    visitor.field("limit", absence: "limit.absent", unit: "B", &limitBytes)
    visitor.field("limitSource", &limitSource)
    visitor.field("countsAllProcesses", &countsAllProcesses)
    visitor.field("leftOutProcesses", &leftOutProcesses)
    visitor.field("unknownEnds", &unknownEnds)
    visitor.field("usableProcessors", absence: "usableProcessors.absent", &usableProcessors)
    visitor.field("mayMissThreads", &mayMissThreads)
    visitor.field(
      "memoryEvents.high", absence: "memoryEvents.high.absent", unit: "1", &memoryEvents.high)
    visitor.field(
      "memoryEvents.max", absence: "memoryEvents.max.absent", unit: "1", &memoryEvents.max)
    visitor.field(
      "memoryEvents.oomKills", absence: "memoryEvents.oomKills.absent", unit: "1",
      &memoryEvents.oomKills)
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
