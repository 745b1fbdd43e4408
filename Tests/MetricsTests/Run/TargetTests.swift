import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Metrics

/// A run that goes from target to target, and keys that are not answered.
@Suite struct TargetTests {
  private func name(_ text: String) -> ProcessName {
    var name = ProcessName()
    for byte in text.utf8 { name.append(byte) }
    return name
  }

  private func change(_ name: String, pid: Int32, isMark: Bool = true) -> TargetChange {
    TargetChange(name: self.name(name), pid: pid, isMark: isMark)
  }

  /// A shell that has used 3 s, then a job that begins with 0.5 s.
  private func followed() -> MadeUpProcess {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 3)
    process.read(at: 0.5, cpu: 3.1)
    process.run.apply(.target(change("make", pid: 50), MadeUpProcess.time(0.6)))
    process.read(at: 0.7, cpu: 0.5) {
      $0.pid = 50
      $0.targetNumber = 1
    }
    return process
  }

  @Test func `the first sample of another target has no rate, the second has its own`() {
    var process = followed()
    #expect(process[.cpu] == .absent(.pending))
    #expect(process[.cpuWindow] == .absent(.pending))
    process.read(at: 1.2, cpu: 0.75)
    #expect(isClose(process[.cpu], 50))
    #expect(isClose(process[.cpuWindow], 50))
  }

  @Test func `with children from now on: all that was measured begins anew, the phase goes on`() {
    var process = MadeUpProcess()
    var phase = Event(.phase)
    phase.name = Event.Name("gallery")
    process.run.apply(.event(phase, MadeUpProcess.time(0)))
    process.read(at: 0, cpu: 3)
    process.read(at: 0.5, cpu: 3.4)
    #expect(process.run.peaks.cpu != nil)
    process.run.startAnew(includesChildren: true, at: MadeUpProcess.time(1))
    #expect(process.run.header.includesChildren)
    #expect(process.run.latest == nil && process.run.peaks.cpu == nil)
    #expect(process.run.phases.current?.visits == 1)
    #expect(process.run.phases.current?.name == phase.name)
    #expect(process.run.totals.receivedEvents == 1)
    process.read(at: 1, cpu: 90)
    #expect(process[.cpu] == .absent(.pending))
    process.read(at: 1.5, cpu: 90.25)
    #expect(isClose(process[.cpu], 50))
  }

  @Test func `the same process as another target: no rate across the change`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 3)
    process.read(at: 0.5, cpu: 3.1)
    process.run.apply(.target(change("sh", pid: 42, isMark: false), MadeUpProcess.time(0.6)))
    process.read(at: 0.7, cpu: 90)
    #expect(process[.cpu] == .absent(.pending))
    #expect(process.run.peaks.cpu.map { $0 < 100 } ?? true)
  }

  @Test func `the tick has no rate at the first sample of a process that follows another one`() {
    var process = MadeUpProcess(tickPeriod: 20_000_000)
    func tick(_ seconds: Double) {
      process.run.apply(.activity(.frame(MadeUpProcess.time(seconds), .tick, missed: 0)))
    }
    for number in 0...50 { tick(Double(number) / 50) }
    process.read(at: 1, cpu: 0)
    #expect(process[.fps]?.value == 50)
    process.read(at: 1.1, cpu: 0) { $0.hasEnded = true }
    var next = change("app", pid: 43, isMark: false)
    next.isRestart = true
    process.run.apply(.target(next, MadeUpProcess.time(4)))
    process.read(at: 4.1, cpu: 0) {
      $0.hasEnded = false
      $0.pid = 43
      $0.targetNumber = 1
    }
    #expect(process[.fps] == .absent(.pending))
  }

  @Test func `a peak outlives a change of the interval`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0)
    for number in 1...10 { process.read(at: Double(number) / 10, cpu: Double(number) / 20) }
    process.run.apply(.interval(10_000_000_000, MadeUpProcess.time(1)))
    process.read(at: 11, cpu: 0.6)
    process.read(at: 21, cpu: 0.7)
    #expect(process.run.peaks.cpu.map { ($0 * 10).rounded() / 10 } == 50)
  }

  @Test func `each job of a shell has its own peaks, and so has the shell after it`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0) { $0.anonymousBytes = .value(10) }
    process.run.apply(.target(change("make", pid: 50), MadeUpProcess.time(0.1)))
    process.read(at: 0.2, cpu: 0) { $0.anonymousBytes = .value(1000) }
    // Its leader has ended before the others.
    process.run.apply(.target(change("tee", pid: 51, isMark: false), MadeUpProcess.time(0.3)))
    #expect(process.run.peaks.memoryHigh == 1000, "the same job goes on")
    process.run.apply(.target(change("sh", pid: 42, isMark: false), MadeUpProcess.time(0.4)))
    #expect(process.run.peaks.memoryHigh == nil)
    process.read(at: 0.5, cpu: 0) { $0.anonymousBytes = .value(20) }
    process.run.apply(.target(change("ls", pid: 52), MadeUpProcess.time(0.6)))
    process.read(at: 0.7, cpu: 0) { $0.anonymousBytes = .value(5) }
    #expect(process.run.peaks.memoryHigh == 5)
    #expect(process.run.totals.peaks.memoryHigh == 1000, "the run has all of them")
  }

  @Test func `each job of a loop is a visit, as each is in the log`() throws {
    var process = MadeUpProcess()
    process.read(at: 0) { $0.anonymousBytes = .value(10 << 20) }
    for number in 0..<6 {
      let start = 1 + Double(number)
      process.run.apply(
        .target(change("cc", pid: Int32(50 + number)), MadeUpProcess.time(start)))
      process.read(at: start + 0.1) { $0.anonymousBytes = .value(10 << 20) }
      process.read(at: start + 0.6) { $0.anonymousBytes = .value(60 << 20) }
      // More of the same job.
      process.run.apply(
        .target(
          change("cc", pid: Int32(150 + number), isMark: false), MadeUpProcess.time(start + 0.7)))
      process.read(at: start + 0.8) { $0.anonymousBytes = .value(70 << 20) }
    }
    process.run.apply(.target(change("sh", pid: 42, isMark: false), MadeUpProcess.time(8)))
    let index = try #require(
      (0..<process.run.phases.count).first {
        process.run.phases[$0].name.text == "cc"
      })
    #expect(process.run.jobs.count == 6)
    #expect(process.run.phases[index].visits == 6)
  }

  @Test func `a program that was started again keeps its peaks`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0) { $0.anonymousBytes = .value(1000) }
    let again = TargetChange(name: name("web"), pid: 51, isMark: true, isRestart: true)
    process.run.apply(.target(again, MadeUpProcess.time(0.1)))
    process.read(at: 0.2, cpu: 0) { $0.anonymousBytes = .value(10) }
    #expect(process.run.peaks.memoryHigh == 1000)
  }

  @Test func `history and marks go on`() {
    var process = MadeUpProcess()
    process.run.apply(.mark(MadeUpProcess.time(0.1)))
    process.read(at: 0.2, cpu: 0) { $0.anonymousBytes = .value(1000) }
    process.run.apply(.target(change("make", pid: 50), MadeUpProcess.time(0.3)))
    process.read(at: 0.4, cpu: 0) { $0.anonymousBytes = .value(10) }
    #expect(process.run.marks == [MadeUpProcess.time(0.1)])
    let all = process.run.history.extent(
      .memory, from: MadeUpProcess.start, to: MadeUpProcess.time(1))
    #expect(all.max == 1000)
    #expect(all.min == 10)
  }

  @Test func `a job makes a mark with its name, the way back to the shell makes none`() {
    var process = followed()
    process.run.apply(.target(change("sh", pid: 42, isMark: false), MadeUpProcess.time(2)))
    #expect(process.run.jobs == [NamedMark(time: MadeUpProcess.time(0.6), name: name("make"))])
  }

  @Test func `a restart is a mark, a count and a notice, and no phase`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 3)
    process.read(at: 0.1, cpu: 3.1) { $0.hasEnded = true }
    #expect(process.run.ended != nil)
    let again = TargetChange(name: name("web"), pid: 51, isMark: true, isRestart: true)
    process.run.apply(.target(again, MadeUpProcess.time(4)))
    #expect(process.run.ended == nil && process.run.totals.restarts == 1)
    #expect(process.run.jobs.map(\.isRestart) == [true])
    #expect(process.run.noticeList.all.map(\.kind) == [.restarted])
    #expect(process.run.phases.count == 0)
  }

  @Test func `a program in the place of its wrapper is neither a restart nor a mark`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 3)
    let program = TargetChange(name: name("web"), pid: 51, isMark: true, isRestart: true)
    process.run.apply(.target(program, MadeUpProcess.time(1)))
    #expect(process.run.totals.restarts == 0 && process.run.jobs.isEmpty)
    #expect(process.run.noticeList.all.isEmpty)
    process.read(at: 1, cpu: 0.1) { ($0.pid, $0.startTicks) = (51, 99) }
    #expect(process[.cpu] == .absent(.pending), "no rate spans two processes")
  }

  @Test func `the command line follows an exec`() {
    var process = MadeUpProcess(command: "sh -c prog")
    #expect(process.run.program.command == "sh -c prog")
    let change = ProgramChange(name: name("prog"), command: "prog --fast")
    process.run.apply(.program(change, MadeUpProcess.time(1)))
    #expect(process.run.program == change)
    #expect(RunSummary(process.run, asOf: MadeUpProcess.time(2)).command == "prog --fast")
  }

  @Test func `between the end and the restart the graph has a gap, and no rate spans it`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 3) { $0.anonymousBytes = .value(500) }
    process.read(at: 0.1, cpu: 3.05)
    process.read(at: 0.2, cpu: 3.1) { $0.hasEnded = true }
    let again = TargetChange(name: name("web"), pid: 51, isMark: true, isRestart: true)
    process.run.apply(.target(again, MadeUpProcess.time(3)))
    process.read(at: 3, cpu: 0.01) {
      ($0.hasEnded, $0.pid, $0.startTicks, $0.targetNumber) = (false, 51, 99, 1)
      $0.anonymousBytes = .value(100)
    }
    #expect(process[.cpu] == .absent(.pending) && process[.cpuWindow] == .absent(.pending))
    // A stretch that the finest buckets show.
    let gap = process.run.history.extent(
      .memory, from: MadeUpProcess.time(1.5), to: MadeUpProcess.time(2.8))
    #expect(gap.isEmpty)
    process.read(at: 3.1, cpu: 0.06)
    #expect(isClose(process[.cpu], 50))
    let after = process.run.history.extent(
      .memory, from: MadeUpProcess.time(2.8), to: MadeUpProcess.time(3.1))
    #expect(after.max == 100)
  }

  @Test func `several that match at the start are reported with their number`() {
    var header = RunHeader(start: MadeUpProcess.start, wallClockOffset: 0, interval: 100_000_000)
    header.followed = "web"
    header.matches = 3
    let notice = Run(header).noticeList.all.first
    #expect(notice?.kind == .newest && notice?.rate == 3 && notice?.name.text == "web")
  }

  @Test func `70 jobs leave the last 64 marks`() {
    var process = MadeUpProcess()
    for number in 0..<70 {
      process.run.apply(.target(change("j", pid: 50), MadeUpProcess.time(Double(number))))
    }
    #expect(process.run.jobs.count == 64)
    #expect(process.run.jobs.first?.time == MadeUpProcess.time(6))
  }

  @Test func `the sum at the end is of all targets, each while it was followed`() {
    var process = followed()
    process.read(at: 1.7, cpu: 1.5)
    let summary = RunSummary(process.run, asOf: MadeUpProcess.time(2))
    #expect(abs((summary.cpuSeconds ?? 0) - 1.1) < 1e-9)
  }

  // MARK: No answer

  /// Samples every 100 ms up to `seconds`, at a share of a core.
  private func run(
    _ process: inout MadeUpProcess, from start: Double, to end: Double, share: Double,
    cpu: inout Double, state: ProcessState = .sleeping
  ) {
    var time = start
    while time <= end + 1e-9 {
      process.read(at: time) {
        $0.processCPUNanoseconds = .value(UInt64((cpu * 1e9).rounded()))
        $0.state = state
        $0.statTime = $0.time
      }
      cpu += 0.1 * share
      time += 0.1
    }
  }

  private func unansweredKey(_ process: inout MadeUpProcess) {
    process.run.apply(.unansweredKey(since: MadeUpProcess.time(1), MadeUpProcess.time(1.5)))
  }

  @Test func `a key without an answer while the program works is reported, until it writes`() {
    var process = MadeUpProcess(framesFromTerminal: true)
    var cpu = 1.0
    run(&process, from: 0, to: 1.5, share: 1, cpu: &cpu)
    #expect(process.run.unansweredSince == nil)
    unansweredKey(&process)
    #expect(process.run.unansweredSince == MadeUpProcess.time(1))
    run(&process, from: 1.6, to: 2, share: 1, cpu: &cpu)
    #expect(process.run.unansweredSince == MadeUpProcess.time(1))
    process.run.apply(.activity(.output(bytes: 1, MadeUpProcess.time(2.05))))
    #expect(process.run.unansweredSince == nil)
    run(&process, from: 2.1, to: 3, share: 1, cpu: &cpu)
    #expect(process.run.unansweredSince == nil)
  }

  @Test func `a program that sleeps has no use for the key: nothing is reported`() {
    var process = MadeUpProcess(framesFromTerminal: true)
    var cpu = 1.0
    run(&process, from: 0, to: 1.5, share: 0.05, cpu: &cpu)
    unansweredKey(&process)
    run(&process, from: 1.6, to: 3, share: 0.05, cpu: &cpu)
    #expect(process.run.unansweredSince == nil)
  }

  @Test func `what it used before the key does not count`() {
    var process = MadeUpProcess(framesFromTerminal: true)
    var cpu = 1.0
    run(&process, from: 0, to: 0.9, share: 1, cpu: &cpu)
    run(&process, from: 1, to: 1.5, share: 0, cpu: &cpu)
    unansweredKey(&process)
    #expect(process.run.unansweredSince == nil)
  }

  @Test func `a program that goes to sleep without a word has been answer enough`() {
    var process = MadeUpProcess(framesFromTerminal: true)
    var cpu = 1.0
    run(&process, from: 0, to: 1.5, share: 1, cpu: &cpu)
    unansweredKey(&process)
    #expect(process.run.unansweredSince != nil)
    run(&process, from: 1.6, to: 2.6, share: 0, cpu: &cpu)
    #expect(process.run.unansweredSince == nil)
  }

  @Test func `a program that waits for its disk all the time is reported`() {
    var process = MadeUpProcess(framesFromTerminal: true)
    var cpu = 1.0
    run(&process, from: 0, to: 1.5, share: 0, cpu: &cpu, state: .diskSleep)
    unansweredKey(&process)
    #expect(process.run.unansweredSince == MadeUpProcess.time(1))
    run(&process, from: 1.6, to: 1.6, share: 0, cpu: &cpu)
    #expect(process.run.unansweredSince == nil)
  }

  @Test func `a program that is always ready to run and gets a tenth of a core is reported`() {
    var process = MadeUpProcess(framesFromTerminal: true)
    var cpu = 1.0
    run(&process, from: 0, to: 1.5, share: 0.1, cpu: &cpu, state: .running)
    unansweredKey(&process)
    #expect(process.run.unansweredSince == MadeUpProcess.time(1))
    run(&process, from: 1.6, to: 1.6, share: 0.1, cpu: &cpu)
    #expect(process.run.unansweredSince == nil)
  }

  @Test func `work of its children is no sign: only the process itself reads keys`() {
    var process = MadeUpProcess(framesFromTerminal: true)
    var tree = 0.0
    for step in 0...20 {
      tree += 0.1
      process.read(at: Double(step) * 0.1, cpu: tree) {
        $0.processCPUNanoseconds = .value(1_000_000_000)
      }
    }
    unansweredKey(&process)
    #expect(process.run.unansweredSince == nil)
  }

  @Test func `another target ends the unansweredKey`() {
    var process = MadeUpProcess(framesFromTerminal: true)
    var cpu = 1.0
    run(&process, from: 0, to: 1.5, share: 1, cpu: &cpu)
    unansweredKey(&process)
    process.run.apply(.target(change("sh", pid: 42, isMark: false), MadeUpProcess.time(1.6)))
    #expect(process.run.unansweredSince == nil)
  }
}
