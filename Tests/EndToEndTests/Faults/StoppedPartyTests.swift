import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Each of the processes is stopped in a flood and continued: nothing is lost, and the status arrives.
@Suite(.disabled(if: Overlay.isControl), .waiting) struct StoppedPartyTests {
  /// More than what perfhud and the terminal hold: the flood has not ended when it is stopped.
  private static let count = 250_000
  private static let flood =
    #"awk 'BEGIN { for (i = 0; i < \#(count); i++) printf "\033]7777;%d\007line\n", i }'; exit 42"#

  @Test(arguments: ["perfhud", "perfhud-hud", "perfhud-holder", "awk"])
  func `stopped for a moment in a flood`(name: String) throws {
    let pty = try Overlay.pty("sh", "-c", Self.flood)
    try pty.read(deadline: Perfhud.deadline) { $0.count > 20_000 }
    let pid = pid_t(
      name == "perfhud" ? pty.pid : try waitForProcess(name, below: pty.pid))
    kill(pid, SIGSTOP)
    try waitUntil(deadline: Perfhud.deadline, "the stop") {
      ["T", "t"].contains(ProcessEntry(Int(pid))?.state)
    }
    let taken = pty.output.count
    kill(pid, SIGCONT)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(42))
    #expect(pty.output.count > taken)
    let text = pty.text
    let numbers = text.components(of: "\u{1B}]7777;")
    #expect(numbers == Self.count, "\(numbers)")
    #expect(text.contains("\u{1B}]7777;\(Self.count - 1)\u{07}"))
    #expect(words(of: pty.modes) == words(of: try Pty(["true"]).modes))
  }

  /// A HUD that is continued last may have been replaced by then: the program keeps running without it.
  @Test(arguments: 0..<(Overlay.isLong ? 200 : 8))
  func `all stopped in a flood, and continued in any order`(round: Int) throws {
    var random = SeededRandom(scatteredSeed: UInt64(round))
    let pty = try Overlay.pty("sh", "-c", Self.flood)
    try pty.read(deadline: Perfhud.deadline) { $0.count > 20_000 }
    let below = try ["perfhud-hud", "perfhud-holder", "awk"].map {
      try waitForProcess($0, below: pty.pid)
    }
    let parties = [pty.pid] + below
    for pid in parties.shuffled(using: &random) {
      kill(pid_t(pid), SIGSTOP)
      try waitUntil(deadline: Perfhud.deadline, "the stop") {
        // One that has been replaced has gone.
        ProcessEntry(pid).map { ["T", "t"].contains($0.state) } ?? true
      }
    }
    for pid in parties.shuffled(using: &random) { kill(pid_t(pid), SIGCONT) }
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(42))
    let text = pty.text
    #expect(text.components(of: "\u{1B}]7777;") == Self.count)
    #expect(text.contains("\u{1B}]7777;\(Self.count - 1)\u{07}"))
    #expect(words(of: pty.modes) == words(of: try Pty(["true"]).modes))
  }

  @Test func `Ctrl-S holds a flood up, Ctrl-Q lets it go on, and nothing is lost`() throws {
    let terminal = try Overlay.manual("sh", "-c", Self.flood, options: ["--hidden"])
    let writer = try waitForProcess("awk", below: terminal.pid)
    var output: [UInt8] = []
    try waitUntil(deadline: Perfhud.deadline, "output") {
      output += terminal.take()
      return output.count > 20_000
    }
    #expect(terminal.type([0x13]) == 1)
    // Nothing comes any more, and the command waits: it has not ended.
    var since = Instant.now()
    try waitUntil(deadline: Perfhud.deadline, "a flood that is held up") {
      let more = terminal.takeAll()
      output += more
      if !more.isEmpty || ProcessEntry(writer)?.state != "S" { since = .now() }
      return Instant.now().seconds(since: since) > 0.3
    }
    #expect(terminal.status == nil && ProcessEntry.isAlive(writer))
    #expect(terminal.type([0x11]) == 1)
    try waitUntil(deadline: Perfhud.deadline, "the end") {
      output += terminal.takeAll()
      return terminal.status != nil
    }
    output += terminal.takeAll()
    #expect(terminal.status == .exit(42))
    #expect(String(decoding: output, as: UTF8.self).components(of: "\u{1B}]7777;") == Self.count)
  }
}
