import Glibc
import TestSupport
import Testing

/// Ctrl-C and Ctrl-\ reach the script that has started perfhud, as they would without perfhud.
@Suite struct SignalKeyTests {
  private static let loop = """
    for i in 1 2 3; do "$perfhud" --no-summary -- sh -c 'echo up$0; exec sleep 600' $i; done; echo af""ter
    """

  /// bash goes on after SIGQUIT, without perfhud too.
  @Test(arguments: [("sh", SIGINT), ("bash", SIGINT), ("sh", SIGQUIT)])
  func `a key that ends the command ends the loop of a script`(shell: String, number: Int32) throws
  {
    let pty = try Pty([shell, "-c", SignalKeyTests.loop], environment: try Overlay.environment())
    try pty.read(deadline: Perfhud.deadline, until: "up1")
    try pty.send([number == SIGINT ? 0x03 : 0x1C])
    let status = try pty.wait(deadline: Perfhud.deadline)
    #expect(status == .signal(Int(number)), "\(quote(pty.output))")
    #expect(!pty.text.contains("up2") && !pty.text.contains("after"), "\(quote(pty.output))")
  }

  @Test(arguments: ["sh", "bash"])
  func `a signal from elsewhere ends the command alone`(shell: String) throws {
    let script = """
      for i in 1 2; do "$perfhud" --no-summary -- sh -c 'kill -INT $$; sleep 600'; done; echo af""ter $?
      """
    let pty = try Pty([shell, "-c", script], environment: try Overlay.environment())
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0), "\(quote(pty.output))")
    #expect(pty.text.contains("after 130"), "\(quote(pty.output))")
  }

  @Test func `a program that has a use for Ctrl-C goes on, and so does the script`() throws {
    let pty = try Overlay.script(
      """
      "$perfhud" --no-summary -- bash -c 'trap "echo caught" INT; echo up; read line; exit 5'; echo af""ter $?
      """)
    try pty.read(deadline: Perfhud.deadline, until: "up")
    try pty.send([0x03])
    try pty.read(deadline: Perfhud.deadline, until: "caught")
    try pty.send("line\r")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0), "\(quote(pty.output))")
    #expect(pty.text.contains("after 5"), "\(quote(pty.output))")
  }

  @Test func `an interactive shell finds 130 and goes on`() throws {
    let tmux = try Overlay.shell()
    try tmux.sendText(
      "\"$perfhud\" --no-summary -- sh -c 'echo u\"\"p; exec sleep 600'; echo status $?\n")
    try tmux.waitFor("up", deadline: Perfhud.deadline)
    try tmux.sendKeys("C-c")
    try tmux.waitForPrompt()
    try tmux.sendText("echo typed $?\n")
    try tmux.waitFor("typed 130", deadline: Perfhud.deadline)
  }
}
