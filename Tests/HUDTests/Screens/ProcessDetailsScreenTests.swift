import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

/// Facts about a process that is alone in its list.
@Suite struct ProcessDetailsScreenTests {
  private static var details: ProcessDetails {
    var details = ProcessDetails()
    details.user = 1000
    details.userName = "ada"
    details.parent = 4200
    details.parentName = processName("fish")
    details.nice = 5
    details.openFiles = 12
    details.openFilesLimit = 1024
    details.processors = "0-3,8"
    details.directory = "/home/ada/painting/with/a/directory/whose/name/is/much/longer/than/rows"
    details.program = "/usr/local/bin/demo"
    details.cgroup = "/user.slice/user-1000.slice/user@1000.service/app.slice/demo.scope"
    return details
  }

  private static func run(
    _ details: ProcessDetails? = details, age: Double? = nil
  ) -> Run {
    var process = MadeUpProcess()
    process.pass(seconds: 30)
    var row = ProcessRow()
    row.pid = 4242
    row.parent = 4200
    row.name = processName("demo")
    row.state = .sleeping
    row.footprintBytes = 18 << 20
    if let age { process.apply(.sample(sample(of: process, age: age))) }
    let table = ProcessTable(
      request: ProcessTableRequest(.processes), time: process.now, rows: [row])
    process.apply(.processes(details.map(table.adding) ?? table))
    return process.run
  }

  private static func sample(of process: MadeUpProcess, age: Double) -> Sample {
    var sample = Sample()
    sample.pid = 4242
    sample.time = process.now.advanced(bySeconds: 0.1)
    sample.name = processName("demo")
    sample.ageNanoseconds = UInt64(age * 1e9)
    return sample
  }

  private func lines(
    _ run: Run, _ columns: Int = 80, _ rows: Int = 24, state: HUDState = HUDState()
  ) -> [String] {
    // The first picture learns of the table, the second one has a place for what it says.
    var hud = screen(columns, rows, run, state: state, keys: [.character("3")])
    hud.invalidateAll()
    hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
    return hud.lines
  }

  @Test(arguments: Language.allCases, [(120, 40), (80, 24), (44, 15)])
  func `below the row of a single process is what is known of it`(
    language: Language, size: (columns: Int, rows: Int)
  ) {
    let state = HUDState(language: language)
    let text = lines(ProcessDetailsScreenTests.run(), size.columns, size.rows, state: state)
      .joined(separator: "\n")
    expectGolden(
      text, file: "Golden/ProcessDetails/\(size.columns)x\(size.rows)-\(language.rawValue).txt")
  }

  @Test func `the overview has them below few threads, until the process reads or writes`() {
    func overview(writes: UInt64, threads: UInt32 = 2) -> HUD {
      var process = MadeUpProcess()
      process.change = {
        $0.threads = .value(threads)
        $0.readBytes = .value(7)
        $0.writeBytes = .value(writes * UInt64($0.sequence))
      }
      process.pass(seconds: 30)
      let table = ProcessTable(
        request: ProcessTableRequest(.threads), time: process.now,
        rows: (0..<threads).map {
          var row = ProcessRow()
          row.pid = 4242 + Int32($0)
          return row
        })
      process.apply(.processes(table.adding(ProcessDetailsScreenTests.details)))
      return screen(120, 40, process.run)
    }
    let hud = overview(writes: 0)
    #expect(hud.text.contains("─ process ─") && !hud.text.contains("─ DISK "), "\(hud.text)")
    #expect(hud.text.contains("open files 12 of 1024") && hud.showsProcessDetails)
    let writer = overview(writes: 1000)
    #expect(!writer.text.contains("─ process ─") && writer.text.contains("─ DISK "))
    #expect(!writer.showsProcessDetails && !overview(writes: 0, threads: 9).showsProcessDetails)
  }

  @Test func `what another user's process hides is a dash`() {
    var details = ProcessDetails()
    details.userName = "root"
    details.parent = 1
    details.parentName = processName("init")
    let text = lines(ProcessDetailsScreenTests.run(details)).joined(separator: "\n")
    for label in ["nice      ", "open files", "program   ", "directory ", "cgroup    "] {
      #expect(text.contains("\(label) –"), "\(label)")
    }
  }

  @Test func `a program that was replaced since the start says so`() {
    var details = ProcessDetailsScreenTests.details
    #expect(!lines(ProcessDetailsScreenTests.run(details)).contains { $0.contains("replaced") })
    details.isProgramDeleted = true
    let line = lines(ProcessDetailsScreenTests.run(details)).first { $0.contains("replaced") }
    #expect(line?.contains("deleted or replaced since  /usr/local/bin/demo") == true)
  }

  @Test func `a start a day ago has its date`() throws {
    let run = ProcessDetailsScreenTests.run(age: 2.5 * 86_400)
    let line = try #require(lines(run).first { $0.contains("started") })
    #expect(line.contains(#/started +\d{4}-\d\d-\d\d \d\d:\d\d /#), "\(line)")
  }

  @Test func `several processes have no such facts, and neither has a table without them`() {
    #expect(!lines(ProcessDetailsScreenTests.run(nil)).contains { $0.contains("directory") })
  }
}
