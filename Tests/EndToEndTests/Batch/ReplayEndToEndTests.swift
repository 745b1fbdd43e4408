import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// `perfhud replay`, as a user runs it.
@Suite struct ReplayEndToEndTests {
  /// A recording of three seconds of a sleeping process.
  private static func record(_ directory: TemporaryDirectory) throws -> String {
    let file = directory.file("run.phr")
    let output = try Perfhud.run(
      "--record", file, "--batch", "-o", "/dev/null", "--interval", "100ms", "--", "sleep", "3")
    #expect(output.status == .exit(0), "\(output.stderr)")
    return file
  }

  @Test func `a recording is played, paused, sought, resized and quit`() throws {
    let directory = try TemporaryDirectory()
    let file = try ReplayEndToEndTests.record(directory)
    let tmux = try Perfhud.tmux("replay", file, "--paused")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.last?.contains("0:00/0:0") == true }
    try tmux.sendKeys(":", "2", "Enter")
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.last?.contains("0:02/0:0") == true && $0.bytes("MEM") != nil
    }
    #expect(screen.title.contains("sleep"))
    #expect(screen.last?.contains("PAUSED") == true)
    try tmux.sendKeys("Home")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.last?.contains("0:00/0:0") == true }
    try tmux.sendKeys("+")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("not in a replay") }
    try tmux.sendKeys("]", "]", "]", "Space")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.last?.contains("8× end") == true }
    try tmux.resize(columns: 20, rows: 3)
    try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.count == 3 && $0[0].hasPrefix("CPU") && $0[1].hasPrefix("MEM") && $0[2].contains("0:0")
    }
    try tmux.sendKeys("q")
    #expect(try tmux.waitForEnd() == .exit(0))
  }

  @Test func `a file that was cut is played to its end, and that is said`() throws {
    let directory = try TemporaryDirectory()
    let bytes = try readFile(try ReplayEndToEndTests.record(directory))
    let cut = directory.file("cut.phr")
    try TestFile.write(Array(bytes.prefix(bytes.count - 100)), to: cut)
    let tmux = try Perfhud.tmux("replay", cut, "--paused", "--lang", "en")
    try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.shows("it was cut off; all before that was read")
    }
    try tmux.sendKeys("End")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.bytes("MEM") != nil }
  }

  @Test func `without a terminal the summary is printed, and a foreign file is one line`() throws {
    let directory = try TemporaryDirectory()
    let file = try ReplayEndToEndTests.record(directory)
    let replay = try Perfhud.run("replay", file)
    #expect(replay.stdout == (try Perfhud.run("report", file)).stdout)
    let foreign = try Perfhud.run("replay", "/etc/passwd")
    #expect(foreign.status == .exit(1))
    #expect(foreign.stderr == "perfhud: /etc/passwd is not a perfhud recording\n")
    let wrong = try Perfhud.run("replay", file, "--start", "soon")
    #expect(wrong.status == .exit(64) && wrong.stderr.contains("use 83s or 1:23:45"))
  }
}
