import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// However a command below the HUD ends, its status comes out and the terminal is as it was.
@Suite struct OverlayEndTests {
  /// The modes of a terminal that nobody has changed.
  private let untouched: [UInt32]

  init() throws {
    let pty = try Pty(["true"])
    _ = try pty.wait(deadline: Perfhud.deadline)
    untouched = words(of: pty.modes)
  }

  @Test func `in a narrower window, lines are not wrapped where the HUD was`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("clear; \"$perfhud\" -- sh -c 'clear; seq 40; read x'\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.contains("40") }
    try tmux.sendText("\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.last { !$0.isEmpty } == "ready>" }
    try tmux.resize(columns: 50, rows: 24)
    try waitUntil("the size") { () throws(ToolError) in try tmux.value("window_width") == "50" }
    let lines = try tmux.captureHistory()
    let first = try #require(lines.firstIndex(of: "20"))
    #expect(Array(lines[first...].prefix(21)) == (20...40).map { "\($0)" })
  }

  @Test func `in a narrower window, a wrapped line under a full-screen program is wrapped as bare`()
    throws
  {
    let tmux = try Overlay.shell()
    let command = "clear; seq -s \" \" 60; read x; less /etc/passwd"
    try tmux.sendText("clear; \"$perfhud\" -- sh -c '\(command)'\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.shows("59 60") }
    try tmux.sendText("\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.shows("root:") }
    try tmux.resize(columns: 60, rows: 24)
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.shows("CPU") && rows.shows("root:") && rows.allSatisfy { $0.count <= 60 }
    }
    try tmux.sendText("q")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.shows("59 60") && rows.last { !$0.isEmpty } == "ready>"
    }
    let lines = try tmux.captureHistory()
    let first = try #require(lines.firstIndex { $0.hasPrefix("1 2 3 ") })
    // 170 characters, and the empty line that was typed.
    #expect(lines[first + 2].hasSuffix("59 60") && lines[first + 3].isEmpty)
    #expect(!lines[first + 4].isEmpty)
  }

  /// When nano switches back to the other screen, it has already emptied its own, so the HUD is not shown then.
  @Test(arguments: [("less", "q"), ("nano", "\u{18}")])
  func `a program on the whole screen leaves nothing in the history after a wider window`(
    program: String, quit: String
  ) throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("clear; echo mine; \"$perfhud\" -- \(program) /etc/passwd\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.shows("CPU") && $0.shows("root:") }
    try tmux.resize(columns: 150, rows: 24)
    try tmux.waitFor(deadline: Perfhud.deadline) { $0.contains { $0.count > 120 } }
    try tmux.sendText(quit)
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("root:") && $0.contains("mine") }
    #expect(try !tmux.captureHistory().contains { $0.contains("root:") || $0.hasSuffix(" mine") })
  }

  @Test(arguments: [0, 1, 7, 126, 127, 255])
  func `the status is the command's`(status: Int) throws {
    let pty = try Overlay.pty("sh", "-c", "exit \(status)")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(status))
    #expect(words(of: pty.modes) == untouched)
  }

  @Test(arguments: [SIGHUP, SIGINT, SIGKILL, SIGSEGV, SIGPIPE, SIGTERM])
  func `a command that a signal ends`(number: Int32) throws {
    let pty = try Overlay.pty("sh", "-c", "kill -\(number) $$; sleep 1000")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .signal(Int(number)))
    #expect(words(of: pty.modes) == untouched)
  }

  @Test func `the summary erases what a killed program has left in its rows`() throws {
    let pty = try Overlay.pty("sh", "-c", "kill -9 $$", options: ["--summary"])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .signal(Int(SIGKILL)))
    #expect(pty.text.contains("\u{1B}[Kperfhud: sh"), "\(quote(pty.output))")
    #expect(pty.text.contains("\u{1B}[K  signal"), "\(quote(pty.output))")
  }

  @Test(arguments: [("", "status 0"), ("kill -9 $$", "status 137"), ("kill $$", "status 143")])
  func `what the shell finds after`(command: String, status: String) throws {
    let pty = try Overlay.script("\"$perfhud\" -- sh -c '\(command)'; echo status $?")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(pty.text.contains(status), "\(quote(pty.output))")
  }

  /// perfhud waits for three seconds for the answers of such a terminal.
  @Test func `the wait for a terminal that does not answer is not the command's time`() throws {
    let pty = try Overlay.script(
      """
      before=$(date +%s%N); "$perfhud" -- sleep 0.2
      after=$(date +%s%N); echo took $((after - before)) ns
      """)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let words = pty.text.split { " \r\n".contains($0) }
    let wall = try #require(words.drop { $0 != "wall" }.dropFirst().first.flatMap { Double($0) })
    let took = try #require(words.drop { $0 != "took" }.dropFirst().first.flatMap { Double($0) })
    #expect(took * 1e-9 - wall > 0.5 && wall >= 0.2, "\(quote(pty.output))")
  }

  @Test func `a command that is not there: 127 and one line`() throws {
    let pty = try Overlay.pty("/nonexistent/program")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(127))
    #expect(words(of: pty.modes) == untouched)
    #expect(pty.text.contains("/nonexistent/program"))
  }

  @Test func `a command that cannot be executed: 126 and one line`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("text")
    try TestFile.write(Array("not a program\n".utf8), to: file)
    let pty = try Overlay.pty(file)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(126))
    #expect(words(of: pty.modes) == untouched)
    #expect(pty.text.contains(file))
  }

  /// A command in raw mode that has written its first word; a shell with a child, or one process.
  private func running(isShell: Bool = true) throws -> (pty: Pty, pids: [Int]) {
    let rest = isShell ? "sleep 1000; sleep 1000" : "exec sleep 1000"
    let pty = try Overlay.pty("sh", "-c", "stty raw -echo; echo begun; \(rest)")
    try pty.read(deadline: Perfhud.deadline, until: "begun")
    _ = try waitForProcess("sleep", below: pty.pid)
    let pids = ProcessTable.tree(pty.pid).map(\.pid)
    return (pty, pids)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT])
  func `signal to perfhud: the terminal is restored and nothing is left`(number: Int32) throws {
    // All but the hang-up go to the command alone, as they do bare: a shell would wait for its child.
    let (pty, pids) = try running(isShell: number == SIGHUP)
    pty.signal(number)
    if Overlay.isControl { pty.signal(SIGKILL) }
    let end = try pty.wait(deadline: Perfhud.deadline)
    if !Overlay.isControl { #expect(end == .signal(Int(number))) }
    if !Overlay.isControl {
      #expect(words(of: pty.modes) == untouched)
      try waitForEnd(of: pids)
    }
    for pid in pids where ProcessEntry.isAlive(pid) { kill(pid_t(pid), SIGKILL) }
  }

  @Test(arguments: [SIGSEGV, SIGABRT])
  func `a crash of perfhud restores the terminal and takes the command along`(number: Int32) throws
  {
    let (pty, pids) = try running()
    pty.signal(number)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .signal(Int(number)))
    if !Overlay.isControl {
      #expect(words(of: pty.modes) == untouched)
      try waitForEnd(of: pids)
    }
    for pid in pids where ProcessEntry.isAlive(pid) { kill(pid_t(pid), SIGKILL) }
  }

  @Test func `kill -9 of perfhud: the command has its hang-up and nothing is left`() throws {
    let (pty, pids) = try running()
    pty.signal(SIGKILL)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .signal(9))
    if !Overlay.isControl { try waitForEnd(of: pids) }
    for pid in pids where ProcessEntry.isAlive(pid) { kill(pid_t(pid), SIGKILL) }
  }

  @Test(arguments: [false, true])
  func `a terminal that goes away ends perfhud and the command, while it floods`(
    floods: Bool
  ) throws {
    let command = floods ? "yes" : "sleep"
    let terminal = try Overlay.manual(
      "sh", "-c", floods ? "echo begun; exec yes" : "echo begun; exec sleep 1000")
    var seen: [UInt8] = []
    try waitUntil(deadline: Perfhud.deadline, "the first word") {
      seen += terminal.take()
      return String(decoding: seen, as: UTF8.self).contains("begun")
    }
    _ = try waitForProcess(command, below: terminal.pid)
    let pids = ProcessTable.tree(terminal.pid).map(\.pid)
    terminal.hangUp()
    try waitUntil(deadline: Perfhud.deadline, "the end") { terminal.status != nil }
    try waitForEnd(of: pids)
  }
}
