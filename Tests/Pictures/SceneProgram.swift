import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// A made-up program with a time of its own: it makes the records from which a scene is drawn. The same in every run.
///
/// No value comes from a function of the C library, so that other machines compute the same.
struct SceneProgram: Sendable {
  /// What the program does at a time.
  struct Moment {
    /// Busy processors.
    var cpu = 0.0
    /// Private memory.
    var mebibytes = 1.0
    /// Memory of files and shared memory, beside it.
    var fileMebibytes = 12.0
    /// Bytes a second.
    var reads = 0.0
    var writes = 0.0
    /// The share of the time that its threads wait for a processor.
    var waits = 0.0
    var threads: UInt32 = 1
    var processes: UInt32 = 1
  }

  /// What stays the same.
  struct Facts {
    var name = "make"
    var command = "make"
    var pid: Int32 = 4711
    var processors = 4.0
    /// Seconds for which it had been there when perfhud began.
    var age = 0.0
    var limitMebibytes: Double?
    var isOverlay = false
    var includesChildren = false
    var rules: [String] = []
  }

  static let start = Instant(nanoseconds: 86_400_000_000_000)
  static let mebibyte = 1_048_576.0
  private static let step: Int64 = 100_000_000

  private(set) var run: Run
  let facts: Facts
  /// Tenths of a second since the start.
  private(set) var tenths = 0
  private let moment: @Sendable (Double) -> Moment
  private var cpu = 0.0
  private var wait = 0.0
  private var reads = 0.0
  private var writes = 0.0

  init(_ facts: Facts, moment: @escaping @Sendable (Double) -> Moment) {
    self.facts = facts
    self.moment = moment
    var header = RunHeader(
      start: SceneProgram.start, wallClockOffset: 1_700_000_000_000_000_000, secondsFromUTC: 0,
      interval: 100_000_000, tickPeriod: facts.isOverlay ? nil : 16_666_666,
      command: facts.command, name: SceneProgram.processName(facts.name),
      framesFromTerminal: facts.isOverlay, includesChildren: facts.includesChildren)
    header.alerts = facts.rules.compactMap { try? Rule($0) }
    run = Run(header)
  }

  static func processName(_ text: String) -> ProcessName {
    var name = ProcessName()
    for byte in text.utf8 { name.append(byte) }
    return name
  }

  static func time(_ seconds: Double) -> Instant {
    start.advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
  }

  var seconds: Double { Double(tenths) / 10 }
  var now: Instant { SceneProgram.start.advanced(byNanoseconds: Int64(tenths) * SceneProgram.step) }

  // MARK: Records

  mutating func apply(_ record: Record) { run.apply(record) }

  mutating func enter(_ name: String, icon: String, _ color: EventColor) {
    var event = Event(.phase)
    event.name = Event.Name(name)
    event.icon = Event.Icon(icon)
    event.color = color
    event.origin = .app
    apply(.event(event, now))
  }

  mutating func act(_ name: String, after milliseconds: Int64 = 0) {
    var event = Event(.action)
    event.name = Event.Name(name)
    apply(.event(event, now.advanced(byNanoseconds: milliseconds * 1_000_000)))
  }

  /// Reports this number of frames within the next 100 ms, evenly but for some milliseconds.
  mutating func drawFrames(_ count: Int) {
    for frame in 0..<count {
      let jitter = Int64(noise(frame) * 1_500_000)
      let event = Event(.frame)
      apply(
        .event(
          event,
          now.advanced(byNanoseconds: Int64(frame) * SceneProgram.step / Int64(count) + jitter)))
    }
  }

  /// From 0 to 1, another one for each time and number.
  func noise(_ number: Int) -> Double { SceneProgram.noise(tenths * 64 + number) }

  /// From 0 to 1. Source: the mixing function of SplitMix64.
  static func noise(_ number: Int) -> Double {
    var bits = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return Double((bits ^ bits >> 31) >> 11) / 9_007_199_254_740_992
  }

  /// Lets 100 ms pass, with the ticks and the sample of that time.
  mutating func pass() {
    if let period = run.header.tickPeriod {
      let from = (now.nanoseconds - SceneProgram.start.nanoseconds) / period
      let to =
        (now.nanoseconds - SceneProgram.start.nanoseconds + UInt64(SceneProgram.step)) / period
      for tick in from..<to {
        let time = SceneProgram.start.advanced(byNanoseconds: Int64((tick + 1) * period))
        apply(.activity(.frame(time, .tick, missed: 0)))
      }
    }
    let moment = moment(seconds)
    tenths += 1
    cpu += moment.cpu / 10
    wait += moment.waits / 10
    reads += moment.reads / 10
    writes += moment.writes / 10
    var sample = Sample()
    fill(&sample, moment)
    apply(.sample(sample))
  }

  private func fill(_ sample: inout Sample, _ moment: Moment) {
    let bytes = (moment.mebibytes * SceneProgram.mebibyte / 4096).rounded() * 4096
    sample.time = now
    sample.sequence = UInt32(tenths)
    sample.pid = facts.pid
    sample.startTicks = 99
    sample.name = SceneProgram.processName(facts.name)
    sample.ageNanoseconds = UInt64(facts.age * 1e9) + UInt64(tenths) * 100_000_000
    sample.state = moment.cpu > 0.3 ? .running : .sleeping
    sample.cpuNanoseconds = .value(UInt64(cpu * 1e9))
    sample.systemNanoseconds = .value(UInt64(cpu * 12) * 10_000_000)
    sample.cpuWaitNanoseconds = .value(UInt64(wait * 1e9))
    sample.anonymousBytes = .value(UInt64(bytes))
    sample.residentBytes = .value(UInt64(bytes + moment.fileMebibytes * SceneProgram.mebibyte))
    sample.pssBytes = .value(UInt64(bytes + moment.fileMebibytes * SceneProgram.mebibyte / 2))
    sample.swapBytes = .value(0)
    sample.sharedMemoryBytes = .value(3 << 20)
    sample.pageTableBytes = .value(UInt64(bytes / 300 / 4096) * 4096)
    sample.limitBytes = .value(
      UInt64((facts.limitMebibytes ?? 16_384) * SceneProgram.mebibyte))
    sample.limitSource = facts.limitMebibytes == nil ? .physical : .cgroupMax
    sample.threads = .value(moment.threads)
    sample.processes = moment.processes
    sample.usableProcessors = .value(facts.processors)
    sample.minorFaults = .value(UInt64(cpu * 900))
    sample.majorFaults = .value(0)
    sample.voluntarySwitches = .value(UInt64(tenths) * 24)
    sample.involuntarySwitches = .value(UInt64(wait * 100))
    sample.throttledNanoseconds = .value(0)
    sample.readBytes = .value(UInt64(reads))
    sample.writeBytes = .value(UInt64(writes))
    sample.pressure.cpuSome = .value(UInt64(wait * 0.2e6))
    sample.pressure.cpuFull = .value(0)
    sample.pressure.memorySome = .value(0)
    sample.pressure.memoryFull = .value(0)
    sample.pressure.ioSome = .value(0)
    sample.pressure.ioFull = .value(0)
    for time in [
      \Sample.statTime, \Sample.lowRateTime, \Sample.threadTime, \Sample.ioTime, \Sample.pssTime,
    ] {
      sample[keyPath: time] = now
    }
    sample.ownCPUNanoseconds = UInt64(tenths) * 180_000
    sample.ownAnonymousBytes = 1_900_544
  }
}

/// A value between points in time, on straight lines.
struct Curve: Sendable {
  private let points: [(time: Double, value: Double)]

  init(_ points: (Double, Double)...) { self.points = points.map { (time: $0.0, value: $0.1) } }

  func at(_ time: Double) -> Double {
    guard let first = points.first, time > first.time else { return points.first?.value ?? 0 }
    for (a, b) in zip(points, points.dropFirst()) where time <= b.time {
      return a.value + (b.value - a.value) * (time - a.time) / (b.time - a.time)
    }
    return points.last?.value ?? 0
  }
}
