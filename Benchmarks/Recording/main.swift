// Makes a long recording, and measures how fast it is read and folded: `make bench-recording`.
//
//   bench-recording make FILE [HOURS]
//   bench-recording fold FILE [ROUNDS]
//   bench-recording write FILE
//
// The made-up program is sampled ten times a second and draws 60 frames a second under the overlay; it enters phases,
// reports actions and answers keys. The same hours give the same bytes. `fold` prints the least CPU time of its rounds:
// to decode all records, and to decode and fold them into a run, as `perfhud report` does, and how long that took.
// `write` writes an hour, and prints what a record costs and how often memory was allocated in the second half of it.

import CMallocCount
import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording
import Sampler

extension SeededRandom {
  mutating func pick(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }
}

let start = Instant(nanoseconds: 7_000_000_000_000)

func fail(_ message: String) -> Never {
  let line = Array("bench-recording: \(message)\n".utf8)
  _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  exit(1)
}

/// CPU time of this process, in seconds.
func cpuSeconds() -> Double { Double(readClock(CLOCK_PROCESS_CPUTIME_ID) ?? 0) * 1e-9 }

/// Takes what the made-up program does, as the loop of perfhud does.
struct Recorder: ~Copyable {
  var writer: RecordingWriter
  var records = 0

  mutating func add(_ record: consuming Record) {
    let record = record.rounded()
    writer.writeIfDue(now: record.time)
    writer.add(record)
    records += 1
  }

  mutating func add(activity: Activity) {
    let activity = activity.rounded()
    writer.writeIfDue(now: activity.time)
    writer.add(activity: activity)
    records += 1
  }
}

/// The made-up program.
struct Program {
  var numbers = SeededRandom(seed: 7)
  var sample = Sample()
  var cpu: UInt64 = 0
  var memory = 50 << 20
  var faults: UInt64 = 100
  var sequence: UInt64 = 0

  init() {
    sample.pid = 4242
    sample.startTicks = 77
    sample.state = .running
    for byte in "prog".utf8 { sample.name.append(byte) }
  }

  /// What happens in one sixtieth of a second.
  mutating func step(_ tick: Int, _ recorder: inout Recorder) {
    let time = start.advanced(
      byNanoseconds: Int64(tick) * 16_666_000 + Int64(numbers.pick(0...300)) * 1000)
    recorder.add(activity: .output(bytes: UInt64(numbers.pick(100...4000)), time))
    recorder.add(
      activity: numbers.pick(0...600) == 0 ? .mergedFrame(time) : .updateFrame(time))
    if numbers.pick(0...300) == 0 { report(at: time, &recorder) }
    if numbers.pick(0...400) == 0 { recorder.add(.answer(nanoseconds: 3_000_000, time)) }
    if tick % 6 == 0 { recorder.add(.sample(nextSample(time, isLowRate: tick % 30 == 0))) }
  }

  private mutating func report(at time: Instant, _ recorder: inout Recorder) {
    var event = Event(numbers.pick(0...9) == 0 ? .phase : .action)
    event.name = Event.Name(["canvas", "gallery", "export", "start"][numbers.pick(0...3)])
    sequence += 1
    event.sequence = sequence
    recorder.add(.event(event, time))
  }

  private mutating func nextSample(_ time: Instant, isLowRate: Bool) -> Sample {
    cpu += UInt64(numbers.pick(0...90_000_000))
    memory = max(1 << 20, min(1 << 30, memory + 4096 * numbers.pick(-950...950)))
    faults += UInt64(numbers.pick(0...500))
    sample.time = time.advanced(byNanoseconds: 4321)
    sample.statTime = sample.time.advanced(byNanoseconds: Int64(numbers.pick(3000...9000)))
    sample.ageNanoseconds = sample.time.nanoseconds - 6_900_000_000_000
    sample.cpuNanoseconds = .value(cpu)
    sample.processCPUNanoseconds = .value(cpu)
    sample.residentBytes = .value(UInt64(memory + (9 << 20)))
    sample.anonymousBytes = .value(UInt64(memory))
    sample.minorFaults = .value(faults)
    sample.majorFaults = .value(0)
    sample.threads = .value(3)
    sample.swapBytes = .value(0)
    sample.limitBytes = .value(8 << 30)
    sample.usableProcessors = .value(2)
    sample.lateNanoseconds = UInt32(numbers.pick(1000...90_000))
    if isLowRate { sample.lowRateTime = sample.time }
    defer { sample.sequence += 1 }
    return sample
  }
}

func writer(_ path: String) throws -> RecordingWriter {
  var header = RunHeader(
    start: start, wallClockOffset: 1_700_000_000_000_000_000, secondsFromUTC: 3600,
    interval: 100_000_000, tickPeriod: nil, command: "prog")
  for byte in "prog".utf8 { header.name.append(byte) }
  header.framesFromTerminal = true
  return RecordingWriter(
    output: try RecordingWriter.open(path: path), name: path, header: header,
    host: HostFacts(kernel: "Linux 6", processors: 2, pageBytes: 4096, version: "0.2.0"),
    keepsCommand: true)
}

func make(_ path: String, hours: Double) throws {
  var recorder = Recorder(writer: try writer(path))
  var program = Program()
  for tick in 0..<Int(hours * 3600 * 60) { program.step(tick, &recorder) }
  recorder.writer.finish(nil)
  if let problem = recorder.writer.takeProblem() { fail(problem) }
}

func measureWriter(_ path: String) throws {
  var recorder = Recorder(writer: try writer(path))
  var program = Program()
  let ticks = 3600 * 60
  var (begin, before) = (0.0, UInt64(0))
  for tick in 0..<ticks {
    if tick == ticks / 2 {
      (begin, before, recorder.records) = (cpuSeconds(), perfhud_malloc_count(), 0)
    }
    program.step(tick, &recorder)
  }
  let nanoseconds = Int((cpuSeconds() - begin) * 1e9) / recorder.records
  print(
    "\(recorder.records) records: \(nanoseconds) ns each, \(perfhud_malloc_count() - before) allocations"
  )
  recorder.writer.finish(nil)
}

func fold(_ path: String, rounds: Int) throws {
  var decoded = Double.infinity
  var folded = Double.infinity
  var elapsed = Double.infinity
  var records = 0
  for _ in 0..<rounds {
    var reader = try RecordingReader(path: path)
    var begin = cpuSeconds()
    records = 0
    while reader.next() != nil { records += 1 }
    decoded = min(decoded, cpuSeconds() - begin)
    var second = try RecordingReader(path: path)
    var collector = RunCollector(second.header.run)
    begin = cpuSeconds()
    let beginning = Instant.now()
    collector.takeAll(from: &second)
    elapsed = min(elapsed, Instant.now().seconds(since: beginning))
    folded = min(folded, cpuSeconds() - begin)
  }
  func milliseconds(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded())) ms" }
  print(
    "\(records) records: decode \(milliseconds(decoded)), decode and fold \(milliseconds(folded)), "
      + "which took \(milliseconds(elapsed))")
}

let arguments = CommandLine.arguments
do {
  switch (arguments.count, arguments.count > 1 ? arguments[1] : "") {
  case (3...4, "make"):
    try make(arguments[2], hours: arguments.count > 3 ? Double(arguments[3]) ?? 24 : 24)
  case (3...4, "fold"):
    try fold(arguments[2], rounds: arguments.count > 3 ? max(1, Int(arguments[3]) ?? 3) : 3)
  case (3, "write"): try measureWriter(arguments[2])
  default: fail("usage: bench-recording make FILE [HOURS] | fold FILE [ROUNDS] | write FILE")
  }
} catch {
  fail("\(error)")
}
