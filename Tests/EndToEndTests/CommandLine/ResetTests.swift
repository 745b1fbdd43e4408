import Glibc
import TestSupport
import Testing

/// `perfhud reset` after a program that has left its terminal in disorder.
@Suite struct ResetTests {
  @Test func `a raw terminal gets the modes of a shell again`() throws {
    let pty = try Pty(
      ["sh", "-c", "stty raw -echo; printf ready; \"$perfhud\" reset; echo \"status $?\""],
      environment: Perfhud.environment(["perfhud": try Perfhud.path()]))
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    // In raw mode the line would end without the carriage return.
    #expect(pty.text.hasSuffix("status 0\r\n"))
    let modes = pty.modes
    for flag in [ICANON, ECHO, ISIG, IEXTEN] {
      #expect(modes.c_lflag & tcflag_t(flag) != 0, "\(flag)")
    }
    #expect(modes.c_iflag & tcflag_t(ICRNL) != 0 && modes.c_oflag & tcflag_t(OPOST) != 0)
    #expect(pty.text.contains("\u{1B}[?2026l") && pty.text.contains("\u{1B}[?1049l"))
  }

  @Test func `a screen in disorder can be used again, and its text stays`() throws {
    let disorder =
      "\\033[?1049h\\033[?1000h\\033[?25l\\033[31;44m\\033(0\\033[5;9r\\033[?6h\\033[4h"
    let script = """
      echo before; printf '\(disorder)'; stty raw -echo; "$perfhud" reset; printf 'lqk after'
      read line; echo "got $line"; exec sleep 100
      """
    let tmux = try Tmux(
      columns: 60, rows: 12, command: ["sh", "-c", script],
      environment: Perfhud.environment(["perfhud": try Perfhud.path()]))
    try tmux.waitFor("lqk after", deadline: Perfhud.deadline)
    try tmux.sendKeys("xy", "Enter")
    try tmux.waitFor("got xy", deadline: Perfhud.deadline)
    #expect(try tmux.captureHistory().contains("before"))
  }

  @Test func `it takes no other option`() throws {
    let output = try Perfhud.run("--reset", "--ascii")
    #expect(output.status == .exit(64))
    #expect(output.stderr.contains("--reset takes no other option"))
    let words = try Perfhud.run("reset", "--ascii")
    #expect(words.status == .exit(64) && words.stderr.contains("perfhud reset --help"))
  }

  @Test func `without a terminal it says how to name one`() throws {
    let output = try Tool.run(
      ["setsid", "-w", try Perfhud.path(), "reset"], environment: Perfhud.environment(),
      timeout: Perfhud.deadline)
    #expect(output.status == .exit(1))
    #expect(output.stderr.contains("perfhud reset > /dev/pts/N"))
  }

  @Test(arguments: ["reset", "--reset"])
  func `a dumb terminal gets no sequences`(word: String) throws {
    let pty = try Perfhud.pty(word, environment: ["TERM": "dumb"])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    #expect(pty.output.isEmpty)
  }
}
