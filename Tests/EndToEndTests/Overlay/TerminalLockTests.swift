import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Several perfhuds on one terminal: one draws, and it alone restores the modes.
@Suite struct TerminalLockTests {
  private static let refusal = "another perfhud draws on"

  @Test
  func `of four at once one draws, the others run their commands, and the modes are restored`()
    throws
  {
    let directory = try TemporaryDirectory()
    let pty = try Overlay.script(
      """
      cd \(directory.path); before=$(stty -g)
      seq 4 | xargs -P4 -n1 "$perfhud" --no-summary -- \
        sh -c 'touch $1; until [ $(ls | wc -l) = 4 ]; do sleep 0.02; done' x
      echo status $?; [ "$before" = "$(stty -g)" ] && echo un""touched
      """)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0), "\(quote(pty.output))")
    #expect(pty.text.contains("status 0") && pty.text.contains("untouched"), "\(quote(pty.output))")
    #expect(pty.text.components(of: TerminalLockTests.refusal) == 3, "\(quote(pty.output))")
  }

  @Test func `a second full-screen view is an error, and the first one stays`() throws {
    let load = try Load()
    let directory = try TemporaryDirectory()
    let pty = try Overlay.script(
      """
      cd \(directory.path); before=$(stty -g)
      "$perfhud" --pid \(load.pid) 2> first & "$perfhud" --pid \(load.pid) 2> second; wait
      [ "$before" = "$(stty -g)" ] && echo un""touched; cat first second
      """)
    try pty.read(deadline: Perfhud.deadline, until: "iB")
    // The other one would draw after a `q` that came before it had looked.
    try waitUntil(deadline: Perfhud.deadline, "the refusal of the other one") {
      ["first", "second"].contains { name in
        let text = (try? readFile(directory.file(name))).map { String(decoding: $0, as: UTF8.self) }
        return text?.contains(TerminalLockTests.refusal) ?? false
      }
    }
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0), "\(quote(pty.output))")
    #expect(pty.text.contains("untouched"), "\(quote(pty.output))")
    #expect(pty.text.components(of: TerminalLockTests.refusal) == 1, "\(quote(pty.output))")
  }

  @Test func `a stopped one leaves the terminal to the next, and has it again after fg`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText("\"$perfhud\" --no-summary -- sh -c 'echo fi\"\"rst; exec sleep 600'\n")
    try tmux.waitFor("first", deadline: Perfhud.deadline)
    try tmux.stopJob()
    try tmux.sendText("\"$perfhud\" --no-summary -- sh -c 'echo second'; echo status $?\n")
    try tmux.waitFor("status 0", deadline: Perfhud.deadline)
    #expect(try !tmux.capture().shows(TerminalLockTests.refusal))
    try tmux.sendText("clear; fg\n")
    try tmux.waitFor("MEM", deadline: Perfhud.deadline)
    try tmux.sendKeys("C-c")
    try tmux.waitForPrompt()
    try tmux.sendText("stty -a | grep -o -- '-\\?icanon\\|-\\?echo '; echo typed $((6 * 7))\n")
    try tmux.waitFor("typed 42", deadline: Perfhud.deadline)
    let words = try tmux.capture()
    #expect(words.contains("icanon") && words.contains("echo"), "\(words)")
  }
}
