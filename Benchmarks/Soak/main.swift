// Feeds a run with days of samples, as fast as it goes: `make soak` calls it.
//
//   bench-soak [DAYS]
//
// A made-up process is sampled ten times a second for 30 days. Its load and its memory change, it reports phases and
// actions, and it is restarted once a day. After each day the memory of this program is read, the CPU time of the day,
// and how far the figures of the run are from sums in whole numbers. Prints a table. The status is 1 if the memory or
// the time grows, or a figure drifts.

import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

let interval: UInt64 = 100_000_000
/// The buckets of the history that a day's average is made of are this many samples long: 102.4 s.
let bucket = 1024
/// A little more than 24 hours, and whole buckets.
let samplesPerDay = 844 * bucket
/// The last part of a day that is compared, in samples.
let window = 800 * bucket

func cpuSeconds() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Resident memory of this process in KiB.
func residentKiB() -> Int {
  guard var sampler = try? ProcessSampler(pid: getpid()) else { return 0 }
  return Int(sampler.sample().residentBytes.value ?? 0) >> 10
}

func padded(_ value: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - value.utf8.count)) + value
}

func scientific(_ value: Double) -> String {
  if value == 0 { return "0" }
  var exponent = 0
  var rest = value
  while rest < 1 { (rest, exponent) = (rest * 10, exponent - 1) }
  return "\((rest * 10).rounded() / 10)e\(exponent)"
}

/// The made-up process, and what is true of it.
struct Process {
  var sample = Sample()
  var random: UInt64 = 0x9E37_79B9_7F4A_7C15
  /// CPU time of the current one, and of all of them since the start, in milliseconds.
  var cpuMilliseconds = 0
  var allCPUMilliseconds = 0
  /// CPU in ms of each of the last samples, and memory in pages, with their sums.
  var cpu = [UInt8](repeating: 0, count: window)
  var pages = [UInt32](repeating: 0, count: window)
  var cpuSum = 0
  var pageSum = 0
  var mostPages = 0
  var events = 0

  mutating func next() -> Int {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(random >> 33)
  }

  /// The next sample, the `number`-th from 1 on.
  mutating func advance(_ number: Int) {
    // Quiet, steady and busy hours.
    let hour = number / 36_000
    let used = hour % 3 == 0 ? next() % 4 : hour % 3 == 1 ? 40 : next() % 101
    let memory = 20_000 + (number / 50) % 4_000 + (hour % 5) * 10_000
    let slot = number % window
    cpuSum += used - Int(cpu[slot])
    pageSum += memory - Int(pages[slot])
    cpu[slot] = UInt8(used)
    pages[slot] = UInt32(memory)
    mostPages = max(mostPages, memory)
    cpuMilliseconds += used
    allCPUMilliseconds += used
    sample.cpuNanoseconds = .value(UInt64(cpuMilliseconds) * 1_000_000)
    sample.residentBytes = .value(UInt64(memory + 500) * 4096)
    sample.anonymousBytes = .value(UInt64(memory) * 4096)
    sample.swapBytes = .value(0)
    sample.threads = .value(UInt32(1 + hour % 7))
  }
}

let days = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 30
let start = Instant(nanoseconds: 1_000_000_000_000)
var header = RunHeader(
  start: start, wallClockOffset: 1_700_000_000_000_000_000, interval: interval, command: "soak")
if let rule = try? Rule("cpu > 90% for 10s") { header.alerts = [rule] }
var run = Run(header)
var process = Process()
process.sample.pid = 1
process.sample.state = .running

@MainActor func time(_ number: Int) -> Instant {
  start.advanced(byNanoseconds: Int64(number) * Int64(interval))
}

/// A report of the program.
@MainActor func report(_ kind: Event.Kind, _ name: String, _ number: Int) {
  var event = Event(kind)
  event.name = Event.Name(name)
  event.origin = .app
  run.apply(.event(event, time(number)))
  process.events += 1
}

struct Day {
  var resident: Int
  var seconds: Double
  var cpuError: Double
  var memoryError: Double
  var cpuTimeError: Double
  var isExact: Bool
}

func relative(_ value: Double, _ exact: Double) -> Double {
  exact == 0 ? abs(value) : abs(value - exact) / abs(exact)
}

/// Compares the run with what is true.
@MainActor func compare(_ number: Int, seconds: Double) -> Day {
  let from = time(number - window)
  let to = time(number)
  let cpu = Double(run.history.extent(.cpu, from: from, to: to).mean)
  let memory = Double(run.history.extent(.memory, from: from, to: to).mean)
  let own =
    (run.totals.earlierTargetsCPUSeconds ?? 0) + (run.latest?[.cpuTime].value ?? 0)
    - (run.totals.targetStartCPUSeconds ?? 0)
  // The first sample of each process is where its count begins.
  return Day(
    resident: residentKiB(), seconds: seconds,
    // A sample of 100 ms: milliseconds are percent.
    cpuError: relative(cpu, Double(process.cpuSum) / Double(window)),
    memoryError: relative(memory, Double(process.pageSum) / Double(window) * 4096),
    cpuTimeError: relative(own, Double(process.allCPUMilliseconds) / 1000),
    isExact: run.totals.receivedEvents == UInt64(process.events)
      && run.totals.peaks.memoryHigh == Double(process.mostPages) * 4096
      && run.totals.restarts == number / samplesPerDay - 1)
}

print("simulated: 10 samples a second, with phases, actions, a rule and a restart a day")
print("  day  resident KiB  CPU s a day  error: CPU   memory  CPU time  counts, peak")
var table: [Day] = []
for day in 0..<max(days, 3) {
  let before = cpuSeconds()
  if day > 0 {
    var last = process.sample
    last.hasEnded = true
    last.state = .dead
    run.apply(.sample(last))
    process.sample.pid += 1
    process.sample.startTicks += 1
    process.sample.targetNumber += 1
    // A new process has used nothing yet; what it uses up to its first sample is not the run's.
    process.cpuMilliseconds = 0
    let change = TargetChange(
      name: ProcessName(), pid: process.sample.pid, isMark: true, isRestart: true)
    run.apply(.target(change, time(day * samplesPerDay)))
  }
  for step in 1...samplesPerDay {
    let number = day * samplesPerDay + step
    process.advance(number)
    if step == 1 { process.allCPUMilliseconds -= process.cpuMilliseconds }
    if number % 3000 == 0 { report(.phase, "phase \(number / 3000 % 7)", number) }
    if number % 7 == 0 { report(.action, "action \(number % 23)", number) }
    process.sample.time = time(number)
    process.sample.sequence &+= 1
    run.apply(.sample(process.sample))
  }
  let result = compare((day + 1) * samplesPerDay, seconds: cpuSeconds() - before)
  table.append(result)
  let row = [
    padded("\(day + 1)", 5), padded("\(result.resident)", 14),
    padded("\((result.seconds * 100).rounded() / 100)", 13),
    padded(scientific(result.cpuError), 12),
    padded(scientific(result.memoryError), 9), padded(scientific(result.cpuTimeError), 10),
    padded(result.isExact ? "exact" : "WRONG", 14),
  ]
  print(row.joined())
}

var problems: [String] = []
// The first day fills the history.
let later = table.dropFirst()
let grown = (later.last?.resident ?? 0) - (later.first?.resident ?? 0)
if grown > 256 { problems.append("the memory has grown by \(grown) KiB") }
let half = later.count / 2
let early = later.prefix(half).map(\.seconds).min() ?? 0
let late = later.suffix(half).map(\.seconds).min() ?? 0
if late > 1.3 * early { problems.append("a day takes \(late) s of CPU, and took \(early) s") }
if table.contains(where: { !$0.isExact }) { problems.append("counts or peaks are wrong") }
if table.contains(where: { max($0.cpuError, $0.memoryError) > 1e-5 }) {
  problems.append("averages of the history drift")
}
if table.contains(where: { $0.cpuTimeError > 1e-9 }) { problems.append("CPU time drifts") }
for problem in problems { print("NOT FLAT: \(problem)") }
exit(problems.isEmpty ? 0 : 1)
