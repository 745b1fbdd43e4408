import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

/// How a command line is shown in little room: what tells programs apart survives.
@Suite struct CommandLineTextTests {
  private static let script = "/home/user/projects/render/tools/worker.py --option"

  /// What the title row shows of the command line of a process with the name `demo`.
  private func title(
    _ command: String, columns: Int, rows: Int = 24, isASCII: Bool = false, cgroup: String? = nil
  ) -> String {
    var process = MadeUpProcess(command: SafeText.clean(command), cgroup: cgroup)
    process.pass(seconds: 2)
    let hud = screen(columns, rows, process.run, state: HUDState(isASCII: isASCII))
    // Between the name and the pid.
    let line = hud.lines[2].dropFirst(4)
    let pid = columns >= 60 ? " pid 4242" : " 4242"
    var text = line[..<(line.firstRange(of: pid)?.lowerBound ?? line.endIndex)]
    if text.first == " " { text.removeFirst() }
    if text.last == " " { text.removeLast() }
    return String(text)
  }

  @Test func `the program is left out where its name is shown already`() {
    #expect(title("/opt/tools/1.2/bin/demo --scene canvas", columns: 80) == "--scene canvas")
    #expect(title("'/opt/My Tools/demo' --scene canvas", columns: 80) == "--scene canvas")
    #expect(title("/opt/tools/bin/other --scene canvas", columns: 80) == "other --scene canvas")
    #expect(title("/opt/tools/bin/demo", columns: 80).isEmpty)
    #expect(title("demo: worker /a/b", columns: 80) == "demo: worker /a/b")
  }

  @Test func `directories of arguments go from the front, before the end is cut`() {
    let line = "/usr/bin/demo \(CommandLineTextTests.script)"
    #expect(title(line, columns: 100) == CommandLineTextTests.script)
    #expect(title(line, columns: 86) == "…/user/projects/render/tools/worker.py --option")
    #expect(title(line, columns: 68) == "…/tools/worker.py --option")
    #expect(title(line, columns: 54) == "…/worker.py --option")
    #expect(title(line, columns: 46) == "…/worker.py -…")
    #expect(title(line, columns: 68, isASCII: true) == ".../tools/worker.py --option")
  }

  @Test func `only paths are shortened`() {
    let line = "demo --config=/a/long/way/to/c.ini http://host/a/b/c s/a/b/"
    #expect(title(line, columns: 78) == "--config=…/c.ini http://host/a/b/c s/a/b/")
    #expect(title("demo /usr/lib/x:/usr/share/lib/y/ end", columns: 44) == "…/x:…/y/ end")
  }

  @Test func `white space and control characters become one blank`() {
    let line = "/usr/bin/demo -c '\nimport time\n\t\u{1B}[31mx\u{7F} =\r\n  1\n'"
    #expect(title(line, columns: 100) == "-c ' import time [31mx = 1 '")
  }

  @Test func `of a cgroup the end of its path survives`() {
    let path = "/system.slice/system-render.slice/farm.slice/worker-with-long-name.service"
    #expect(
      title("", columns: 80, cgroup: path).hasSuffix("…/farm.slice/worker-with-long-name.service"))
  }

  @Test func `in the list of processes the name of a script survives`() {
    var process = MadeUpProcess()
    process.pass(seconds: 2)
    var row = ProcessRow()
    row.pid = 4242
    row.startTicks = 99
    row.name = processName("python3")
    row.state = .sleeping
    let arguments = "python3 \(CommandLineTextTests.script)\n --level\t3"
    process.apply(
      .processes(
        ProcessTable(
          request: ProcessTableRequest(.processes), time: process.now, rows: [row],
          commandLines: [ProcessArguments(arguments)])))
    func list(_ columns: Int) -> String {
      screen(columns, 24, process.run, keys: [.character("t")]).lines
        .first { $0.contains("python3") } ?? ""
    }
    #expect(list(90).contains("python3 …/tools/worker.py --option --level 3"))
    #expect(list(160).contains("python3 \(CommandLineTextTests.script) --level 3"))
  }
}
