import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// The HUD is killed at a random moment over programs of every kind: each goes on, what it wrote reaches the terminal
/// once and in order, and its exit status arrives. `LONG_TESTS=1` plays 1000 deaths.
@Suite(.disabled(if: Overlay.isControl)) struct SupervisedProgramTests {
  private static let rounds = 0..<(Overlay.isLong ? 250 : 5)
  private static let signals = [SIGKILL, SIGSEGV, SIGABRT, SIGTRAP, SIGSTOP]

  /// Starts a command below the HUD and lets the HUD be shown.
  private func start(_ command: [String], round: Int) throws -> Pty {
    let options = round % 3 == 0 ? ["--hidden"] : []
    let pty = try Pty(
      try Overlay.wrap(command, options: options), columns: 100, rows: 30,
      environment: try Overlay.environment(["TERM": "xterm-256color", "PS1": "ready> "]))
    try pty.read(deadline: Perfhud.deadline, until: "\u{1B}[c")
    try pty.send(SupervisorTests.answers)
    return pty
  }

  /// Kills the HUD after a random number of bytes, at most `limit`.
  ///
  /// - Parameter begin: has the program go on, which could have ended before.
  private func killHUD(
    over pty: Pty, round: Int, withinBytes limit: Int, begin: () throws -> Void = {}
  ) throws {
    var random = SeededRandom(scatteredSeed: UInt64(round))
    let signal = Self.signals[Int.random(in: 0..<Self.signals.count, using: &random)]
    let engine = try waitForProcess(SupervisorTests.engine, below: pty.pid)
    try begin()
    let count = Int.random(in: 1...limit, using: &random)
    try pty.read(deadline: Perfhud.deadline, bytes: pty.output.count + count)
    kill(pid_t(engine), signal)
  }

  private func expectRestored(_ pty: Pty) throws {
    #expect(words(of: pty.modes) == words(of: try Pty(["true"]).modes))
  }

  private func numbers(in pty: Pty) -> [Int] {
    pty.text.matches(of: #/\u{1B}\]7777;(\d+)\u{07}/#).compactMap { Int($0.output.1) }
  }

  @Test func `a hangup that a program sends to its parent does not end the program`() throws {
    let pty = try start(["sh", "-c", "kill -HUP $PPID && echo still; read x; exit 7"], round: 0)
    try pty.read(deadline: Perfhud.deadline, until: "still")
    try pty.send("\n")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(7))
    try expectRestored(pty)
  }

  @Test(arguments: rounds) func `vim goes on drawing, takes keys and saves`(round: Int) throws {
    try requireTool("vim")
    let directory = try TemporaryDirectory()
    let file = directory.file("text")
    let drawn = directory.file("drawn")
    let draw = """
      for i in range(1, 400) | call append('$', repeat(i . ' ', 10)) | exe 'normal! G'
      """
    let pty = try start(
      [
        "vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "-c", "\(draw) | redraw | endfor",
        "-c", "call writefile(['yes'], '\(drawn)')", file,
      ], round: round)
    try killHUD(over: pty, round: round, withinBytes: 24_000)
    try pty.read(deadline: Perfhud.deadline) { _ in (try? readFile(drawn, limit: 9)) != nil }
    try pty.send("Gothe end\u{1B}:wq\r")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let lines = String(decoding: try readFile(file, limit: 1 << 20), as: UTF8.self)
      .split(separator: "\n").map { $0.split(separator: " ").first.map(String.init) }
    #expect(lines == (1...400).map { "\($0)" } + ["the"])
    try expectRestored(pty)
  }

  @Test(arguments: rounds) func `a shell goes on, and so does what it runs`(round: Int) throws {
    let pty = try start(["bash", "--norc", "--noprofile", "-i"], round: round)
    let loop = #"for i in $(seq 0 2999); do printf '\033]7777;%d\007some text\n' $i; done"#
    try pty.send("\(loop); echo at the $((40 + 2))nd\n")
    try killHUD(over: pty, round: round, withinBytes: 50_000)
    try pty.read(deadline: Perfhud.deadline, until: "at the 42nd")
    try pty.send("exit 7\n")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(7))
    #expect(numbers(in: pty) == Array(0...2999))
    try expectRestored(pty)
  }

  @Test(arguments: rounds) func `make goes on, and its status arrives`(round: Int) throws {
    try requireTool("make")
    let directory = try TemporaryDirectory()
    let targets = (0..<60).map { "t\($0)" }.joined(separator: " ")
    let makefile = """
      all: \(targets)
      \t@exit 3
      t%:
      \t@while [ ! -e go ]; do sleep 0.05; done
      \t@for i in 0 1 2 3 4 5 6 7 8 9; do printf '\\033]7777;%d%d\\007built\\n' $* $$i; done
      """
    try TestFile.write(Array(makefile.utf8), to: directory.file("Makefile"))
    let pty = try start(
      ["make", "-C", directory.path, "-j2", "--no-print-directory"], round: round)
    try killHUD(over: pty, round: round, withinBytes: 8000) {
      try TestFile.write([], to: directory.file("go"))
    }
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(2))
    #expect(numbers(in: pty).sorted() == Array(0..<600))
    try expectRestored(pty)
  }

  @Test(arguments: rounds) func `nothing comes within an image`(round: Int) throws {
    let draw = #"""
      BEGIN {
        for (i = 0; i < 300; i++) {
          printf "\033[H\033Pq%d:", i
          for (j = 0; j < 400; j++) printf "~~~~~~~~-"
          printf "\033\\"
        }
        exit 4
      }
      """#
    let pty = try start(["awk", draw], round: round)
    try killHUD(over: pty, round: round, withinBytes: 900_000)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(4))
    let images = pty.text.matches(of: #/\u{1B}Pq(\d+):((?:~~~~~~~~-){400})\u{1B}\\/#)
    #expect(images.compactMap { Int($0.output.1) } == Array(0..<300))
    try expectRestored(pty)
  }
}
