import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// A made-up program for the gallery. It is the same every time.
struct GalleryProgram {
  enum Kind {
    /// It alternates between two phases, keeps more memory with each visit, draws 30 frames a second and moves a pen
    /// far too often.
    case phases
    /// The same without phases.
    case app
    /// A command with several processes that draws nothing.
    case command
  }

  private let kind: Kind
  private static let mebibyte = 1_048_576.0
  private static let start = Instant(nanoseconds: 3_600_000_000_000)

  private var run: Run
  private var number = 0
  private var cpu = 0.0

  /// A run about which nothing is known yet.
  static func beginning(_ kind: Kind = .phases) -> Run { GalleryProgram(kind).run }

  /// A run after one minute, with the requested list.
  static func running(_ table: ProcessTableRequest.Kind, _ kind: Kind = .phases) -> Run {
    with(table, afterMinute(kind).run)
  }

  /// The same after its end.
  static func ended(_ table: ProcessTableRequest.Kind, _ kind: Kind = .phases) -> Run {
    var program = afterMinute(kind)
    program.step { $0.hasEnded = true }
    return with(table, program.run)
  }

  private static func afterMinute(_ kind: Kind) -> GalleryProgram {
    switch kind {
    case .phases: phases
    case .app: app
    case .command: command
    }
  }

  private static let phases = passed(.phases)
  private static let app = passed(.app)
  private static let command = passed(.command)

  private static func passed(_ kind: Kind) -> GalleryProgram {
    var program = GalleryProgram(kind)
    program.pass()
    return program
  }

  private static func with(_ kind: ProcessTableRequest.Kind, _ run: Run) -> Run {
    var run = run
    let rows = kind == .processes ? GalleryProgram.processes : GalleryProgram.threads
    let time = run.latest?.time ?? run.header.start
    run.apply(
      .processes(
        ProcessTable(
          request: ProcessTableRequest(kind), time: time, rows: rows,
          commandLines: kind == .processes ? commandLines : [],
          details: kind == .processes ? details : nil)))
    return run
  }

  private static var details: ProcessDetails {
    var details = ProcessDetails()
    details.userName = "ada"
    details.parent = 4200
    for byte in "fish".utf8 { details.parentName.append(byte) }
    details.nice = 0
    details.openFiles = 31
    details.openFilesLimit = 1024
    details.processors = "0-7"
    details.directory = "/home/ada/pictures"
    details.program = "/usr/bin/paint"
    details.cgroup = "/user.slice/user-1000.slice/app.slice/paint.scope"
    return details
  }

  private static let processes: [ProcessRow] = [
    row(4711, 1, "paint", .running, cpu: 41.5, mebibytes: 180, threads: 9),
    row(4712, 4711, "renderer", .running, cpu: 28, mebibytes: 96, grown: 48),
    row(4713, 4711, "thumbnailer", .sleeping, cpu: 2.5, mebibytes: 21),
    row(4719, 4713, "unzip", .diskSleep, mebibytes: 3),
    row(4715, 4711, "convert", .zombie, end: .exited(0)),
    row(4720, 4711, "sh", .dead, end: .signaled(9)),
  ]

  private static let commandLines = [
    "/usr/bin/paint harbour.png", "/usr/lib/paint/renderer --threads 4", "thumbnailer harbour.png",
    "unzip -q brushes.zip", "", "",
  ].map { ProcessArguments($0) }

  /// The processes to choose from.
  static let candidates = [
    candidate(1, "root", "init", "/sbin/init", cpu: 0, mebibytes: 5),
    candidate(4711, "kai", "paint", "/usr/bin/paint harbour.png", cpu: 41.5, mebibytes: 180),
    candidate(4720, "kai", "sh", "/bin/sh /usr/bin/repaint", cpu: 0, mebibytes: 1),
    candidate(812, "mail", "夜の港", "夜の港 --窓", cpu: nil, mebibytes: nil),
  ]

  private static func candidate(
    _ pid: Int32, _ user: String, _ name: String, _ line: String, cpu: Double?, mebibytes: UInt64?
  ) -> PickerRow {
    var candidateName = ProcessName()
    for byte in name.utf8 { candidateName.append(byte) }
    return PickerRow(
      ProcessCandidate(
        target: Target(pid: pid, startTicks: UInt64(pid)), user: 1000, name: candidateName,
        commandLine: line, cpuNanoseconds: UInt64(pid) * 1_000_000_000, cpuPercent: cpu,
        memoryBytes: mebibytes.map { $0 << 20 }), user: user)
  }

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

  /// A program that belongs to another user, without a tick.
  static func forbidden(_ kind: Kind = .phases) -> Run {
    var program = GalleryProgram(kind, tick: nil)
    for _ in 0..<20 {
      program.step { sample in
        sample.cpuNanoseconds = .absent(.permission)
        sample.anonymousBytes = .absent(.permission)
        sample.residentBytes = .absent(.permission)
        sample.pssBytes = .absent(.permission)
        sample.swapBytes = .absent(.permission)
        sample.sharedMemoryBytes = .absent(.permission)
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
  }

  private init(_ kind: Kind, tick: UInt64? = 16_666_666) {
    self.kind = kind
    let isCommand = kind == .command
    var header = RunHeader(
      start: GalleryProgram.start, wallClockOffset: 1_700_000_000_000_000_000,
      interval: 100_000_000, tickPeriod: isCommand ? nil : tick,
      command: isCommand ? "make -j2" : "/usr/bin/paint harbour.png",
      name: GalleryProgram.name(kind), framesFromTerminal: isCommand, includesChildren: isCommand)
    header.alerts = ["cpu > 60%", "mem > 200MiB for 5s", "fps < 20"].compactMap { try? Rule($0) }
    if isCommand { header.alerts = [] }
    run = Run(header)
  }

  private static func name(_ kind: Kind) -> ProcessName {
    var name = ProcessName()
    for byte in (kind == .command ? "make" : "paint").utf8 { name.append(byte) }
    return name
  }

  private var now: Instant {
    GalleryProgram.start.advanced(byNanoseconds: Int64(number) * 100_000_000)
  }

  /// Lets one minute pass: ten seconds in the gallery, ten on the canvas, and so on.
  private mutating func pass() {
    for tenth in 0..<600 {
      let isOnCanvas = tenth / 100 % 2 == 1
      if tenth % 100 == 0, kind == .phases {
        enter(isOnCanvas ? "canvas" : "gallery", isOnCanvas ? .orange : .cyan)
        if isOnCanvas { send(Event(.action), "canvas.open") }
      }
      if isOnCanvas, kind != .command {
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
    let command = 0.17 + 0.002 * Double(number % 12)
    cpu += kind == .command ? command : isOnCanvas ? 0.072 : 0.008
    let bytes = (96 + 12 * visit + (isOnCanvas ? 48 : 0)) * GalleryProgram.mebibyte
    var sample = Sample()
    sample.time = now
    sample.sequence = UInt32(number)
    sample.pid = 4711
    sample.startTicks = 1
    sample.name = GalleryProgram.name(kind)
    if kind == .command { sample.processes = 6 }
    sample.ageNanoseconds = 754_000_000_000 + UInt64(number) * 100_000_000
    sample.state = isOnCanvas ? .running : .sleeping
    sample.cpuNanoseconds = .value(UInt64(cpu * 1e9))
    sample.systemNanoseconds = .value(UInt64(cpu * 25) * 10_000_000)
    sample.cpuWaitNanoseconds = .value(UInt64(number) * 400_000)
    sample.anonymousBytes = .value(UInt64(bytes))
    sample.residentBytes = .value(UInt64(bytes + 24 * GalleryProgram.mebibyte))
    sample.swapBytes = .value(0)
    sample.sharedMemoryBytes = .value(3 << 20)
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
