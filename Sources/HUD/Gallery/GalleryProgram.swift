import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// A made-up drawing program for the gallery: it goes between two phases, keeps more memory with each
/// visit, draws 30 frames a second and moves a pen far too often. The same every time.
struct GalleryProgram {
  private static let mebibyte = 1_048_576.0
  private static let start = Instant(nanoseconds: 3_600_000_000_000)

  private var run: Run
  private var number = 0
  private var cpu = 0.0

  /// Nothing is known yet.
  static let beginning = GalleryProgram().run

  /// After a minute, with one of the lists that it may be asked for.
  static func running(_ kind: ProcessTableRequest.Kind) -> Run { with(kind, afterMinute.run) }

  /// The same, ended.
  static func ended(_ kind: ProcessTableRequest.Kind) -> Run {
    var program = afterMinute
    program.step { $0.hasEnded = true }
    return with(kind, program.run)
  }

  private static let afterMinute: GalleryProgram = {
    var program = GalleryProgram()
    program.pass()
    return program
  }()

  private static func with(_ kind: ProcessTableRequest.Kind, _ run: Run) -> Run {
    var run = run
    let rows = kind == .processes ? GalleryProgram.processes : GalleryProgram.threads
    let time = run.latest?.time ?? run.header.start
    run.apply(
      .processes(ProcessTable(request: ProcessTableRequest(kind), time: time, rows: rows)))
    return run
  }

  private static let processes: [ProcessRow] = [
    row(4711, 1, "paint", .running, cpu: 41.5, mebibytes: 180, threads: 9),
    row(4712, 4711, "renderer", .running, cpu: 28, mebibytes: 96, grown: 48),
    row(4713, 4711, "thumbnailer", .sleeping, cpu: 2.5, mebibytes: 21),
    row(4719, 4713, "unzip", .diskSleep, mebibytes: 3),
    row(4715, 4711, "convert", .zombie, end: .exited(0)),
    row(4720, 4711, "sh", .dead, end: .signaled(9)),
  ]

  private static let threads: [ProcessRow] = [
    row(4711, 4711, "paint", .running, cpu: 41.5), row(4714, 4711, "brush", .running, cpu: 22),
    row(4716, 4711, "saver", .sleeping), row(4717, 4711, "audio", .sleeping, cpu: 1.5),
  ]

  private static func row(
    _ pid: Int32, _ parent: Int32, _ name: String, _ state: ProcessState, cpu: Double = 0,
    mebibytes: UInt64 = 1, grown: UInt64 = 0, threads: UInt32 = 1, end: ProcessEnd = .none
  ) -> ProcessRow {
    var row = ProcessRow()
    row.pid = pid
    row.parent = parent
    row.startTicks = UInt64(pid)
    for byte in name.utf8 { row.name.append(byte) }
    row.state = state
    row.end = end
    row.intervalNanoseconds = 500_000_000
    row.cpuNanoseconds = UInt64(cpu * 5_000_000)
    row.waitNanoseconds = UInt64(cpu * 200_000)
    row.footprintBytes = mebibytes << 20
    row.firstFootprintBytes = (mebibytes - grown) << 20
    row.threads = threads
    return row
  }

  /// It belongs to another user, and there is no tick.
  static let forbidden: Run = {
    var program = GalleryProgram(tick: nil)
    for _ in 0..<20 {
      program.step { sample in
        sample.cpuNanoseconds = .absent(.permission)
        sample.anonymousBytes = .absent(.permission)
        sample.residentBytes = .absent(.permission)
        sample.pssBytes = .absent(.permission)
        sample.swapBytes = .absent(.permission)
        sample.cpuWaitNanoseconds = .absent(.permission)
        sample.readBytes = .absent(.permission)
        sample.writeBytes = .absent(.permission)
        sample.limitBytes = .absent(.unsupported)
        sample.throttledNanoseconds = .absent(.permission)
        sample.voluntarySwitches = .absent(.permission)
        sample.involuntarySwitches = .absent(.permission)
      }
    }
    return program.run
  }()

  private init(tick: UInt64? = 16_666_666) {
    var header = RunHeader(
      start: GalleryProgram.start, wallClockOffset: 1_700_000_000_000_000_000,
      interval: 100_000_000, tickPeriod: tick, command: "/usr/bin/paint harbour.png",
      name: GalleryProgram.name)
    header.alerts = ["cpu > 60%", "mem > 200MiB for 5s", "fps < 20"].compactMap { try? Rule($0) }
    run = Run(header)
  }

  private static var name: ProcessName {
    var name = ProcessName()
    for byte in "paint".utf8 { name.append(byte) }
    return name
  }

  private var now: Instant {
    GalleryProgram.start.advanced(byNanoseconds: Int64(number) * 100_000_000)
  }

  /// A minute: ten seconds in the gallery, ten on the canvas, and so on.
  private mutating func pass() {
    for tenth in 0..<600 {
      let isOnCanvas = tenth / 100 % 2 == 1
      if tenth % 100 == 0 {
        enter(isOnCanvas ? "canvas" : "gallery", isOnCanvas ? .orange : .cyan)
        if isOnCanvas { send(Event(.action), "canvas.open") }
      }
      if isOnCanvas {
        for frame in 0..<3 {
          send(Event(.frame), "", after: Int64(frame) * 33_333_333)
          for _ in 0..<4 { send(Event(.action), "pen.move") }
        }
      }
      step { _ in }
    }
  }

  private mutating func enter(_ name: String, _ color: EventColor) {
    var event = Event(.phase)
    event.color = color
    event.origin = .app
    send(event, name)
  }

  private mutating func send(_ event: Event, _ name: String, after nanoseconds: Int64 = 0) {
    var event = event
    event.name = Event.Name(name)
    run.apply(.event(event, now.advanced(byNanoseconds: nanoseconds)))
  }

  private mutating func step(_ change: (inout Sample) -> Void) {
    number += 1
    let visit = Double(number / 200)
    let isOnCanvas = (number - 1) / 100 % 2 == 1
    cpu += isOnCanvas ? 0.072 : 0.008
    let bytes = (96 + 12 * visit + (isOnCanvas ? 48 : 0)) * GalleryProgram.mebibyte
    var sample = Sample()
    sample.time = now
    sample.sequence = UInt32(number)
    sample.pid = 4711
    sample.startTicks = 1
    sample.name = GalleryProgram.name
    sample.ageNanoseconds = 754_000_000_000 + UInt64(number) * 100_000_000
    sample.state = isOnCanvas ? .running : .sleeping
    sample.cpuNanoseconds = .value(UInt64(cpu * 1e9))
    sample.cpuWaitNanoseconds = .value(UInt64(number) * 400_000)
    sample.anonymousBytes = .value(UInt64(bytes))
    sample.residentBytes = .value(UInt64(bytes + 24 * GalleryProgram.mebibyte))
    sample.swapBytes = .value(0)
    sample.pageTableBytes = .value(262_144)
    sample.pssBytes = .value(UInt64(bytes + 9 * GalleryProgram.mebibyte))
    sample.limitBytes = .value(1 << 30)
    sample.limitSource = .cgroupMax
    sample.threads = .value(9)
    sample.usableProcessors = .value(4)
    sample.minorFaults = .value(UInt64(number) * 31)
    sample.majorFaults = .value(0)
    sample.voluntarySwitches = .value(UInt64(number) * 12)
    sample.involuntarySwitches = .value(UInt64(number) * 3)
    sample.throttledNanoseconds = .value(UInt64(number) * 6_200_000)
    sample.pressure.cpuSome = .value(UInt64(number) * 1_900)
    sample.pressure.cpuFull = .value(0)
    sample.pressure.memorySome = .value(0)
    sample.pressure.memoryFull = .value(0)
    sample.pressure.ioSome = .absent(.unsupported)
    sample.pressure.ioFull = .absent(.unsupported)
    sample.pressure.isOfCgroup = true
    sample.readBytes = .value(UInt64(number) * 40_000)
    sample.writeBytes = .value(UInt64(number) * 120_000)
    sample.statTime = now
    sample.lowRateTime = now
    sample.ioTime = now
    sample.pssTime = now
    sample.ownCPUNanoseconds = UInt64(number) * 180_000
    sample.ownAnonymousBytes = 1_900_544
    change(&sample)
    run.apply(.sample(sample))
  }
}
