import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// Records as a program makes them: 10 samples a second, 60 frames with output, phases, actions, keys.
enum MadeUpRun {
  static func records(seconds: Int, seed: UInt64) -> [Record] {
    var numbers = SeededRandom(seed: seed)
    var records: [Record] = []
    var sample = Sample()
    sample.pid = 4242
    sample.startTicks = 77
    sample.state = .running
    for byte in "prog".utf8 { sample.name.append(byte) }
    var cpu: UInt64 = 0
    var memory: UInt64 = 50 << 20
    var faults: UInt64 = 100
    var sequence: UInt64 = 0
    for tick in 0..<seconds * 60 {
      let time = RecordingFile.start.advanced(
        byNanoseconds: Int64(tick) * 16_666_000 + Int64(numbers.pick(0...300)) * 1000)
      records.append(.activity(.output(bytes: UInt64(numbers.pick(100...4000)), time)))
      records.append(
        numbers.pick(0...20) == 0
          ? .activity(.frame(time, .tick, missed: 1)) : .activity(.updateFrame(time)))
      if numbers.pick(0...30) == 0 {
        var event = Event(numbers.flip() ? .action : .phase)
        event.name = Event.Name(numbers.flip() ? "canvas" : "gallery")
        sequence += 1
        event.sequence = sequence
        records.append(.event(event, time))
      }
      if numbers.pick(0...40) == 0 { records.append(.answer(nanoseconds: 3_000_000, time)) }
      if numbers.pick(0...900) == 0 { records.append(.mark(time)) }
      guard tick % 6 == 0 else { continue }
      cpu += UInt64(numbers.pick(0...90_000_000))
      memory = UInt64(max(1 << 20, Int(memory) + 4096 * numbers.pick(-900...1000)))
      faults += UInt64(numbers.pick(0...500))
      sample.time = time.advanced(byNanoseconds: 4321)
      sample.statTime = sample.time.advanced(byNanoseconds: Int64(numbers.pick(3000...9000)))
      sample.ageNanoseconds = sample.time.nanoseconds - 6_900_000_000_000
      sample.cpuNanoseconds = .value(cpu)
      sample.processCPUNanoseconds = .value(cpu)
      sample.systemNanoseconds = .value(cpu / 10 / 10_000_000 * 10_000_000)
      sample.residentBytes = .value(memory + (9 << 20))
      sample.anonymousBytes = .value(memory)
      sample.minorFaults = .value(faults)
      sample.majorFaults = .value(0)
      sample.threads = .value(3)
      sample.swapBytes = .value(0)
      sample.limitBytes = .value(8 << 30)
      sample.usableProcessors = .value(2)
      sample.lateNanoseconds = UInt32(numbers.pick(1000...90_000))
      if tick % 30 == 0 { sample.lowRateTime = sample.time }
      records.append(.sample(sample))
      sample.sequence += 1
    }
    return records
  }
}
