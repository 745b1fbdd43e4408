import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

extension SeededRandom {
  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func flip() -> Bool { next() & 1 == 1 }

  /// A number of any magnitude.
  mutating func any() -> UInt64 { next() >> UInt64(pick(0...63)) }

  mutating func reading() -> Reading<UInt64> {
    pick(0...3) == 0
      ? .absent(Absence(rawValue: UInt8(pick(0...10))) ?? .pending) : .value(any())
  }

  mutating func name() -> ProcessName {
    var name = ProcessName()
    for _ in 0..<pick(0...15) { name.append(UInt8(pick(1...255))) }
    return name
  }
}

/// Records of every kind, with values of every size. Times go forward in whole microseconds.
struct RandomRecords {
  var numbers: SeededRandom
  var time = Instant(nanoseconds: 7_000_000_000_000)
  private var sample = Sample()
  private var event = Event(.frame)

  init(seed: UInt64) { numbers = SeededRandom(seed: seed) }

  static let kinds = 25

  mutating func next() -> Record { next(kind: numbers.pick(0...RandomRecords.kinds - 1)) }

  mutating func next(kind: Int) -> Record {
    time = time.advanced(byNanoseconds: Int64(numbers.pick(0...40_000)) * 1000)
    let small = UInt32(truncatingIfNeeded: numbers.any())
    switch kind {
    case 0, 1: return .sample(nextSample(changesAll: kind == 0))
    case 2: return .memory(memory())
    case 3: return .phasePending(time)
    case 4: return .processes(table())
    case 5: return .activity(.frame(time, .tick, missed: 0))
    case 6:
      return .activity(
        .frame(time, FrameSource(rawValue: UInt8(numbers.pick(0...2))) ?? .tick, missed: small))
    case 7: return .activity(.mergedFrame(time))
    case 8: return .activity(.updateFrame(time))
    case 9: return .activity(.output(bytes: numbers.any(), time))
    case 10: return .activity(.cells(written: numbers.any(), unchanged: numbers.any(), time))
    case 11: return .answer(nanoseconds: Int64(clamping: numbers.any()), time)
    case 12: return .unclearAnswer(time)
    case 13: return .event(anyEvent(), time)
    case 14: return .event(frameEvent(), time)
    case 15:
      return numbers.flip() ? .loadingEnded(time) : .loadingGroup(Int32(bitPattern: small), time)
    case 16: return .unansweredKey(since: Instant(nanoseconds: numbers.any()), time)
    case 17:
      return .target(
        TargetChange(
          name: numbers.name(), pid: Int32(bitPattern: small), isMark: numbers.flip(),
          isRestart: numbers.flip()), time)
    case 18:
      return .program(ProgramChange(name: numbers.name(), command: "made -j\(small) 画"), time)
    case 19: return numbers.flip() ? .mark(time) : .peaksReset(time)
    case 20: return .interval(max(1_000_000, min(numbers.any(), 1 << 50)), time)
    case 21: return .resumed(time)
    case 22: return .clock(offset: numbers.any(), time)
    case 23: return .eventsLost(small, time)
    default:
      return numbers.flip()
        ? .eventsBad(small, time)
        : .listener(EventListener(rawValue: UInt8(numbers.pick(0...3))) ?? .here, time)
    }
  }

  private mutating func memory() -> MemorySample {
    var memory = MemorySample()
    memory.time = time
    memory.targetNumber = UInt32(numbers.pick(0...9))
    memory.residentBytes = numbers.any()
    memory.anonymousBytes = numbers.any()
    memory.borderLateness = Int64(bitPattern: numbers.any())
    return memory
  }

  private mutating func nextSample(changesAll: Bool) -> Sample {
    sample.time = time
    sample.sequence &+= numbers.pick(0...9) == 0 ? 7 : 1
    sample.ageNanoseconds = time.nanoseconds &- 5_000_000 &+ UInt64(numbers.pick(0...400))
    sample.statTime = time.advanced(byNanoseconds: Int64(numbers.pick(0...900)))
    sample.cpuNanoseconds = numbers.reading()
    sample.lateNanoseconds = UInt32(numbers.pick(0...80_000))
    guard changesAll else { return sample }
    sample.pid = Int32(numbers.pick(-1...100_000))
    sample.targetNumber = UInt32(truncatingIfNeeded: numbers.any())
    sample.startTicks = numbers.any()
    sample.name = numbers.name()
    sample.state = numbers.flip() ? .running : .zombie
    (sample.hasEnded, sample.isProvisional) = (numbers.flip(), numbers.flip())
    sample.cpuSource = CPUSource(rawValue: UInt8(numbers.pick(0...2))) ?? .stat
    sample.processCPUNanoseconds = numbers.reading()
    sample.systemNanoseconds = numbers.reading()
    sample.processEnd = numbers.flip() ? .signaled(UInt8(numbers.pick(0...64))) : .none
    sample.uncountedChildren = UInt32(truncatingIfNeeded: numbers.any())
    sample.cpuWaitNanoseconds = numbers.reading()
    sample.residentBytes = numbers.reading()
    sample.anonymousBytes = numbers.reading()
    sample.reporter = ProcessMemory(
      pid: Int32(numbers.pick(0...9)), residentBytes: numbers.any(), anonymousBytes: numbers.any())
    sample.peakResidentBytes = numbers.any()
    sample.sharedMemoryBytes = numbers.reading()
    sample.swapBytes = numbers.reading()
    sample.pageTableBytes = numbers.reading()
    (sample.sharedPrivateBytes, sample.uncertainSharedBytes) = (numbers.any(), numbers.any())
    (sample.pssBytes, sample.limitBytes) = (numbers.reading(), numbers.reading())
    sample.limitSource = MemoryLimitSource(rawValue: UInt8(numbers.pick(0...3))) ?? .physical
    sample.threads = numbers.reading().map { UInt32(truncatingIfNeeded: $0) }
    sample.processes = UInt32(numbers.pick(0...900))
    sample.countsAllProcesses = numbers.flip()
    sample.leftOutProcesses = UInt32(numbers.pick(0...9))
    sample.unknownEnds = UInt32(numbers.pick(0...9))
    sample.usableProcessors = numbers.reading().map { Double($0) / 3 }
    (sample.minorFaults, sample.majorFaults) = (numbers.reading(), numbers.reading())
    (sample.readBytes, sample.writeBytes) = (numbers.reading(), numbers.reading())
    sample.voluntarySwitches = numbers.reading()
    sample.involuntarySwitches = numbers.reading()
    sample.mayMissThreads = numbers.flip()
    sample.throttledNanoseconds = numbers.reading()
    sample.cgroupMemoryBytes = numbers.reading()
    sample.limitUsedBytes = numbers.reading()
    sample.memoryEvents.high = numbers.reading()
    sample.memoryEvents.max = numbers.reading()
    sample.memoryEvents.oomKills = numbers.reading()
    sample.pressure.cpuSome = numbers.reading()
    sample.pressure.cpuFull = numbers.reading()
    sample.pressure.memorySome = numbers.reading()
    sample.pressure.memoryFull = numbers.reading()
    sample.pressure.ioSome = numbers.reading()
    sample.pressure.ioFull = numbers.reading()
    sample.pressure.isOfCgroup = numbers.flip()
    (sample.lowRateTime, sample.threadTime) = (time, Instant(nanoseconds: numbers.any()))
    (sample.ioTime, sample.pssTime) = (time, Instant(nanoseconds: numbers.any()))
    sample.missed = UInt32(numbers.pick(0...9))
    (sample.ownCPUNanoseconds, sample.ownAnonymousBytes) = (numbers.any(), numbers.any())
    return sample
  }

  private mutating func frameEvent() -> Event {
    if numbers.pick(0...4) == 0 { event.number = Double(numbers.pick(1...90)) / 4 }
    event.sequence = numbers.pick(0...5) == 0 ? nil : (event.sequence ?? 0) + 1
    return event
  }

  private mutating func anyEvent() -> Event {
    var event = Event(Event.Kind.allCases[numbers.pick(0...Event.Kind.allCases.count - 1)])
    if event.kind == .frame { event = Event(.phase) }
    event.origin = EventOrigin(rawValue: UInt8(numbers.pick(0...5))) ?? .app
    event.name = Event.Name("canvas \(numbers.pick(0...99))")
    event.detail = Event.Detail(numbers.flip() ? "" : "détail 画 \(numbers.pick(0...9))")
    event.icon = Event.Icon(numbers.flip() ? "🎨" : "")
    event.unit = Event.Unit(numbers.flip() ? "ms" : "")
    event.color = numbers.flip() ? EventColor.allCases[numbers.pick(0...8)] : nil
    event.coversScreen = numbers.flip()
    event.count = UInt32(numbers.pick(1...100))
    event.number = numbers.flip() ? .nan : Double(numbers.any())
    event.sequence = numbers.flip() ? numbers.any() : nil
    event.memory =
      numbers.flip()
      ? ReportedMemory(
        residentBytes: numbers.any(), anonymousBytes: numbers.any(),
        faultedBytes: numbers.flip() ? numbers.any() : nil) : nil
    event.sender = Int32(numbers.pick(0...90_000))
    event.group = Int32(numbers.pick(-1...90_000))
    return event
  }

  private mutating func table() -> ProcessTable {
    let count = numbers.pick(0...12)
    var rows: [ProcessRow] = []
    for number in 0..<count {
      var row = ProcessRow()
      row.pid = Int32(1000 + number)
      row.parent = Int32(numbers.pick(0...2000))
      row.startTicks = numbers.any()
      row.name = numbers.name()
      row.state = numbers.flip() ? .sleeping : .dead
      switch numbers.pick(0...3) {
      case 0: row.end = .exited(UInt8(numbers.pick(0...255)))
      case 1: row.end = .signaled(UInt8(numbers.pick(1...64)))
      case 2: row.end = .unknown
      default: row.end = .none
      }
      row.endTime = Instant(nanoseconds: numbers.any())
      (row.cpuNanoseconds, row.cpuNanosecondsBefore) = (numbers.any(), numbers.any())
      (row.waitNanoseconds, row.waitNanosecondsBefore) = (numbers.any(), numbers.any())
      (row.intervalNanoseconds, row.footprintBytes) = (numbers.any(), numbers.any())
      row.firstFootprintBytes = numbers.any()
      row.threads = UInt32(numbers.pick(1...70))
      rows.append(row)
    }
    var mappings = MappingTable()
    for number in 0..<numbers.pick(0...6) {
      var group = MappingGroup()
      group.name = MappingName("/lib/lib\(number).so")
      group.count = UInt32(numbers.pick(1...9))
      (group.sizeBytes, group.residentBytes) = (numbers.any(), numbers.any())
      (group.pssBytes, group.privateBytes) = (numbers.any(), numbers.any())
      mappings.groups.append(group)
    }
    mappings.others.swapBytes = numbers.any()
    mappings.isPartial = numbers.flip()
    mappings.time = time
    mappings.absence = numbers.flip() ? .tooCostly : nil
    return ProcessTable(
      request: ProcessTableRequest(numbers.flip() ? .threads : .processes, by: .memory),
      time: time, rows: rows, others: numbers.pick(0...99),
      commandLines: numbers.flip()
        ? rows.map { ProcessArguments("prog --number \($0.pid)") } : [],
      mappings: mappings)
  }
}
