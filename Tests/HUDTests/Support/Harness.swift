import CMallocCount
import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

/// A made-up process: memory climbs a hill and keeps some of it, CPU goes in waves, the tick is served
/// but for a block of 100 ms now and then. The same in every run of the tests.
struct MadeUpProcess: Sendable {
  static let start = Instant(nanoseconds: 5_000_000_000_000)
  private static let mebibyte = 1_048_576.0

  private(set) var run: Run
  private(set) var seconds = 0.0
  private var cpu = 0.0
  private var missedTicks = 0
  private var lastTick = 0
  /// Changes every sample before the run takes it in.
  var change: @Sendable (inout Sample) -> Void = { _ in }

  init(
    memory: MemoryMetric = .footprint, tick: Bool = true, isKernelThread: Bool = false,
    command: String = "/usr/bin/demo --scene canvas --brushes 12", follows: String? = nil,
    cgroup: String? = nil
  ) {
    // 08:34:56 on the clock of a user in Tokyo.
    var header = RunHeader(
      start: MadeUpProcess.start, wallClockOffset: 1_700_004_896_000_000_000 - 5_000_000_000_000,
      secondsFromUTC: 32_400, interval: 100_000_000, memory: memory,
      tickPeriod: tick ? 16_666_666 : nil, command: cgroup ?? command,
      name: processName("demo"), isKernelThread: isKernelThread)
    header.followed = follows
    header.isCgroup = cgroup != nil
    run = Run(header)
  }

  /// Lets time pass without a sample.
  mutating func skip(seconds duration: Double) { seconds += duration }

  /// The same process, in a run with another header.
  init(header: RunHeader) { run = Run(header) }

  var now: Instant { MadeUpProcess.time(seconds) }

  static func time(_ seconds: Double) -> Instant {
    start.advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
  }

  /// Lets 100 ms pass: six ticks and a sample.
  mutating func step() {
    let number = Int((seconds * 10).rounded()) + 1
    let next = Double(number) / 10
    tick(until: next)
    seconds = next
    cpu += share(at: seconds) / 10
    var sample = Sample()
    fill(&sample, number: number)
    change(&sample)
    run.apply(.sample(sample))
  }

  mutating func pass(seconds duration: Double) {
    for _ in 0..<Int((duration * 10).rounded()) { step() }
  }

  mutating func apply(_ record: Record) { run.apply(record) }

  /// Applies the memory mappings of the process as of now.
  ///
  /// - Parameter rows: the greatest process, if they are of a tree.
  mutating func apply(mappings: MappingTable, rows: [ProcessRow] = []) {
    run.apply(
      .processes(
        ProcessTable(
          request: ProcessTableRequest(.mappings), time: now, rows: rows, mappings: mappings)))
  }

  /// Processors that are busy: a wave between 0.1 and 0.9 with a burst of 1.5.
  private func share(at time: Double) -> Double {
    let phase = (time / 40).truncatingRemainder(dividingBy: 1)
    let wave = 0.1 + 0.8 * (phase < 0.5 ? 2 * phase : 2 - 2 * phase)
    return (150..<153).contains(time) ? 1.5 : wave
  }

  /// MiB of private memory: up from 120 to 300 and back to 160.
  private func memory(at time: Double) -> Double {
    switch time {
    case ..<60: 120 + time / 10
    case ..<90: 126 + (time - 60) * 5.8
    case ..<120: 300
    case ..<135: 300 - (time - 120) * 9.3
    default: 160.5
    }
  }

  /// Ticks fall between the samples.
  private static func tickTime(_ number: Int) -> Double { Double(number) / 60 + 0.005 }

  /// Whether every third tick is missed.
  var isLate = false

  private mutating func tick(until time: Double) {
    guard run.header.tickPeriod != nil else { return }
    while MadeUpProcess.tickTime(lastTick + 1) <= time {
      lastTick += 1
      // A block of 100 ms every 20 seconds: five ticks are missed.
      if (lastTick % 1200 >= 600 && lastTick % 1200 < 605) || (isLate && lastTick % 3 == 0) {
        missedTicks += 1
        continue
      }
      run.apply(
        .activity(
          .frame(
            MadeUpProcess.time(MadeUpProcess.tickTime(lastTick)), .tick, missed: UInt32(missedTicks)
          )))
      missedTicks = 0
    }
  }

  private func fill(_ sample: inout Sample, number: Int) {
    let bytes = (memory(at: seconds) * MadeUpProcess.mebibyte).rounded()
    let second = (number / 5) * 5
    sample.time = now
    sample.sequence = UInt32(number)
    sample.pid = 4242
    sample.startTicks = 99
    sample.name = processName("demo")
    sample.ageNanoseconds = 7_385_000_000_000 + UInt64(number) * 100_000_000
    sample.state = share(at: seconds) > 0.5 ? .running : .sleeping
    sample.cpuNanoseconds = .value(UInt64(cpu * 1e9))
    sample.cpuWaitNanoseconds = .value(UInt64(second) * 2_300_000)
    sample.residentBytes = .value(UInt64(bytes + 21 * MadeUpProcess.mebibyte))
    sample.anonymousBytes = .value(UInt64(bytes))
    sample.sharedMemoryBytes = .value(2 << 20)
    sample.swapBytes = .value(0)
    sample.pageTableBytes = .value(573_440)
    sample.pssBytes = .value(UInt64(bytes + 9 * MadeUpProcess.mebibyte))
    sample.limitBytes = .value(2 << 30)
    sample.limitSource = .cgroupMax
    sample.threads = .value(12)
    sample.usableProcessors = .value(4)
    sample.minorFaults = .value(UInt64(second) * 31)
    sample.majorFaults = .value(0)
    sample.readBytes = .value(UInt64(second) * 41_000)
    sample.writeBytes = .value(UInt64(second) * 1_700_000)
    sample.statTime = MadeUpProcess.time(Double(second) / 10)
    sample.lowRateTime = sample.statTime
    sample.threadTime = sample.statTime
    sample.ioTime = sample.statTime
    sample.pssTime = sample.statTime
    sample.ownCPUNanoseconds = UInt64(number) * 180_000
    sample.ownAnonymousBytes = 1_900_544
  }
}

/// Three minutes of it, with a mark in the middle.
let threeMinutes: MadeUpProcess = {
  var process = MadeUpProcess()
  process.pass(seconds: 120)
  process.apply(.mark(process.now))
  process.pass(seconds: 60)
  return process
}()

/// What is on a screen of the size.
func screen(
  _ columns: Int, _ rows: Int, _ run: Run, state: HUDState = HUDState(),
  keys: [Key] = []
) -> HUD {
  var hud = HUD(size: Size(rows: rows, columns: columns), state: state)
  for key in keys { _ = hud.handle(key, run: run) }
  hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
  return hud
}

extension HUD {
  /// The screen as lines without trailing blanks.
  var text: String { lines.joined(separator: "\n") }

  var lines: [String] { (0..<picture.size.rows).map { picture.text(row: $0) } }

  /// The screen as lines without the frames of lists and panels.
  var rows: [String] {
    lines.map { line in
      var line = line[...]
      if let first = line.first, "│┃".contains(first) { line = line.dropFirst() }
      if let last = line.last, "│┃".contains(last) { line = line.dropLast() }
      while line.last == " " { line = line.dropLast() }
      return String(line)
    }
  }

  /// The screen as lines with their blanks.
  var wholeLines: [String] {
    (0..<picture.size.rows).map { row in
      var line = ""
      for column in 0..<picture.size.columns where !picture[row, column].isContinuation {
        let scalar = Unicode.Scalar(picture[row, column].scalarValue) ?? "?"
        line.unicodeScalars.append(scalar)
      }
      return line
    }
  }

  /// The role of each cell, as a letter.
  var roles: String {
    let letters = Array("-dtlf cmFTanMe12CYP3456789AB".unicodeScalars).filter { $0 != " " }
    return (0..<picture.size.rows).map { row in
      var text = ""
      for column in 0..<picture.size.columns {
        // In reverse video there is a block, whatever the role.
        let role = Role(picture[row, column].style)
        text.unicodeScalars.append(role.map { letters[Int($0.rawValue)] } ?? "█")
      }
      return text
    }.joined(separator: "\n")
  }
}

/// The name as the kernel keeps it.
func processName(_ text: String) -> ProcessName {
  var name = ProcessName()
  for byte in text.utf8 { name.append(byte) }
  return name
}

/// Tells whether a row of a screen has a value that is cut from its unit.
struct SteadyColumnsCheck {
  // A literal is parsed wherever it is, each time.
  private let digits = /[0-9]+\.[0-9]+/
  private let unit =
    /( ?%| ([KMGTP]iB|B)(\/s)?| [KMGTP]\/s| ms(\/s)?| ?\/s|s\b|[kKMG]\b|B\b| FPS| [KMGTP]?i?B\/frame)/
  private let cutUnit = /(\b[KMGT]i|\bFP|[0-9] m)( |$)|[0-9] (ms?\/?|[KMGT]i?)[…~]/

  func isCut(_ line: String) -> Bool {
    for number in line.matches(of: digits) {
      let before = line[..<number.range.lowerBound].last
      // Part of a name, or of a time.
      if before?.isLetter == true || before == "." || before == "/" || before == ":" { continue }
      if line[number.range.upperBound...].prefixMatch(of: unit) == nil { return true }
    }
    return line.firstMatch(of: cutUnit) != nil
  }
}
