import Metrics
import PerfHUDBase
import Sampler
import Testing

/// What a run keeps of lists of processes, and when its CPU values are lower bounds.
@Suite struct ProcessListTests {
  private func table(_ kind: ProcessTableRequest.Kind, at seconds: Double) -> ProcessTable {
    ProcessTable(
      request: ProcessTableRequest(kind), time: MadeUpProcess.time(seconds), rows: [ProcessRow()])
  }

  @Test func `a list takes the place of the one before, and goes with its target`() {
    var process = MadeUpProcess()
    #expect(process.run.processes == nil)
    process.run.apply(.processes(table(.processes, at: 1)))
    let before = process.run
    process.run.apply(.processes(table(.threads, at: 2)))
    #expect(process.run.processes?.request.kind == .threads)
    // A frozen picture keeps its own.
    #expect(before.processes?.request.kind == .processes)
    let change = TargetChange(name: ProcessName(), pid: 43, isMark: true)
    process.run.apply(.target(change, MadeUpProcess.time(3)))
    #expect(process.run.processes == nil)
  }

  private func threads(_ count: Int, at seconds: Double) -> ProcessTable {
    ProcessTable(
      request: ProcessTableRequest(.threads), time: MadeUpProcess.time(seconds),
      rows: [ProcessRow](repeating: ProcessRow(), count: count))
  }

  @Test(arguments: [false, true])
  func `a list in which threads were ending does not remain after the end`(isLate: Bool) {
    var process = MadeUpProcess()
    process.read(at: 0.1, cpu: 0)
    process.run.apply(.processes(threads(7, at: 0.5)))
    if !isLate { process.run.apply(.processes(threads(2, at: 1))) }
    process.read(at: 1.1) { $0.hasEnded = true }
    if isLate { process.run.apply(.processes(threads(2, at: 1))) }
    #expect(process.run.processes?.rows.count == 7)
  }

  @Test func `threads that ended long before the process do not come back`() {
    var process = MadeUpProcess()
    process.run.apply(.processes(threads(7, at: 0.5)))
    process.run.apply(.processes(threads(2, at: 1)))
    process.run.apply(.processes(threads(2, at: 1.5)))
    process.read(at: 1.6) { $0.hasEnded = true }
    #expect(process.run.processes?.rows.count == 2)
  }

  @Test func `a share is that of the time between two readings, and none of a single one`() {
    var row = ProcessRow()
    row.cpuNanosecondsBefore = 1_000_000
    row.cpuNanoseconds = 251_000_000
    #expect(row.cpuPercent == nil)
    row.intervalNanoseconds = 500_000_000
    #expect(row.cpuPercent == 50)
    row.end = .exited(0)
    #expect(row.cpuPercent == nil)
  }

  /// A run that covers a tree, or only its first process.
  private func process(isTree: Bool) -> MadeUpProcess {
    var process = MadeUpProcess()
    var header = process.run.header
    header.includesChildren = isTree
    process.run = Run(header)
    // Busy for 100 ms, then at rest.
    for number in 0...10 {
      process.read(at: Double(number) / 10, cpu: number < 4 ? 0 : 0.1)
    }
    return process
  }

  /// A list whose shares cover the time between two samples.
  private func list(from: Double, to end: Double) -> ProcessTable {
    var row = ProcessRow()
    row.intervalNanoseconds = UInt64(((end - from) * 1e9).rounded())
    return ProcessTable(
      request: ProcessTableRequest(.processes), time: MadeUpProcess.time(end), rows: [row])
  }

  @Test(arguments: [(0.3, 0.8, 20), (0.2, 0.7, 20), (0.4, 0.9, 0), (0.3, 0.4, 100)])
  func `the share of a tree covers the time of the list, whenever that comes`(
    from: Double, end: Double, percent: Double
  ) throws {
    var process = process(isTree: true)
    process.run.apply(.processes(list(from: from, to: end)))
    let share = try #require(process.run.processesCPUPercent)
    #expect(abs(share - percent) < 1e-6)
    process.run.apply(.processes(table(.threads, at: 1)))
    #expect(process.run.processesCPUPercent == nil)
  }

  @Test func `there is none without a tree, for a first list, and of samples that are not known`() {
    var alone = process(isTree: false)
    alone.run.apply(.processes(list(from: 0.3, to: 0.8)))
    #expect(alone.run.processesCPUPercent == nil)
    var tree = process(isTree: true)
    for (from, end) in [(0.8, 0.8), (-1, 0.8), (0.3, 2), (0.35, 0.8)] {
      tree.run.apply(.processes(list(from: from, to: end)))
      #expect(tree.run.processesCPUPercent == nil, "\(from) \(end)")
    }
  }

  @Test(arguments: [
    (ProcessEnd.none, ""), (.unknown, "ENDED"), (.exited(3), "exit 3"), (.signaled(9), "SIGKILL"),
    (.signaled(40), "signal 40"),
  ])
  func `how a process has ended, in words`(end: ProcessEnd, text: String) {
    #expect(end.shortText(.english).description == text)
  }

  // MARK: Lower bounds

  private func bounds(_ process: MadeUpProcess) -> [Bool] {
    [process.run.latest?.cpuTimeIsLowerBound, process.run.latest?.cpuShareIsLowerBound]
      .map { $0 ?? false }
  }

  @Test func `an end of which a part is not known: the time from then on, the share for a second`()
  {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0)
    #expect(bounds(process) == [false, false])
    process.read(at: 1, cpu: 0.1) { $0.unknownEnds = 1 }
    #expect(bounds(process) == [true, true])
    process.read(at: 1.9, cpu: 0.2)
    #expect(bounds(process) == [true, true])
    process.read(at: 2.1, cpu: 0.3)
    #expect(bounds(process) == [true, false])
    process.read(at: 3, cpu: 0.4) { $0.unknownEnds = 2 }
    #expect(bounds(process) == [true, true])
  }

  @Test func `processes without room make both a lower bound as long as there are some`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0) { $0.leftOutProcesses = 3 }
    #expect(bounds(process) == [true, true])
    process.read(at: 1, cpu: 0) { $0.leftOutProcesses = 0 }
    #expect(bounds(process) == [true, false])
  }

  @Test
  func `each metric that is added up over processes is a lower bound, with threads the switches`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0) { $0.mayMissThreads = true }
    #expect(
      process.run.latest?.lowerBounds == [.cpuWait, .voluntarySwitches, .involuntarySwitches])
    process.read(at: 1, cpu: 0) { sample in
      sample.mayMissThreads = false
      sample.unknownEnds = 1
    }
    #expect(
      process.run.latest?.lowerBounds
        == [
          .cpuTime, .cpu, .cpuWindow, .systemCPU, .minorFaults, .majorFaults, .readRate, .writeRate,
        ])
    process.read(at: 3, cpu: 0) { $0.unknownEnds = 1 }
    #expect(process.run.latest?.lowerBounds == [.cpuTime, .systemCPU])
    process.read(at: 3.6, cpu: 0) { sample in
      sample.unknownEnds = 1
      sample.countsAllProcesses = false
    }
    #expect(process.run.latest?.lowerBounds == [.cpuTime, .processes])
    process.read(at: 4, cpu: 0) { $0.leftOutProcesses = 1 }
    let all = process.run.latest?.lowerBounds ?? []
    for metric in [
      Metric.resident, .footprint, .pss, .swap, .threads, .processes, .readRate, .cpuWait,
    ] {
      #expect(all.contains(metric), "\(metric)")
    }
  }

  @Test func `the summary has the sign before the CPU time`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0)
    process.read(at: 1, cpu: 0.5)
    func line() -> Substring? {
      RunSummary(process.run, asOf: MadeUpProcess.time(1)).text(language: .english)
        .split(separator: "\n").first { $0.hasPrefix("  cpu ") }
    }
    #expect(line()?.contains("≥") == false)
    process.read(at: 1, cpu: 0.5) { $0.unknownEnds = 1 }
    #expect(line()?.contains("≥ 0.5") == true)
  }
}
