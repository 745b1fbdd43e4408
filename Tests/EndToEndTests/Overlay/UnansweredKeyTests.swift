import PerfHUDBase
import TestSupport
import Testing

/// What the HUD says of keys that get no answer.
@Suite struct UnansweredKeyTests {
  /// A program that takes keys one by one, without echo; what it does then is up to `answer`.
  private func start(_ answer: String) throws -> Tmux {
    let tmux = try Tmux(
      columns: 80, rows: 24,
      command: try Overlay.wrap([
        "perl", "-e",
        """
        $| = 1; system 'stty raw -echo'; print "\\e[2J\\e[24;1Hready";
        sub work { my $end = (times)[0] + $_[0]; $n++ while (times)[0] < $end }
        while (sysread STDIN, $key, 1) { \(answer) }
        """,
      ]), environment: try Overlay.environment())
    try tmux.waitFor("ready", deadline: Perfhud.deadline)
    // It has been sampled twice.
    try tmux.waitFor("/s", deadline: Perfhud.deadline)
    return tmux
  }

  @Test func `a key that costs work: no answer, until it has come`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("done")
    let tmux = try start("1 until -e '\(file)'; print 'done'")
    #expect(!(try tmux.capture().shows("no answer")))
    try tmux.sendText("a")
    let rows = try tmux.waitFor("no answer", deadline: Perfhud.deadline)
    #expect(!rows.shows("done"))
    try TestFile.write([], to: file)
    try tmux.waitFor("done", deadline: Perfhud.deadline)
    try tmux.waitFor(deadline: Perfhud.deadline) { !$0.shows("no answer") }
  }

  @Test func `in Japanese too`() throws {
    let tmux = try Tmux(
      columns: 80, rows: 24,
      command: try Overlay.wrap(
        [
          "perl", "-e",
          "system 'stty raw -echo'; print STDOUT 'ready'; sysread STDIN, $key, 1; "
            + "$n++ while (times)[0] < 60",
        ], options: ["--lang", "ja"]),
      environment: try Overlay.environment())
    try tmux.waitFor("/s", deadline: Perfhud.deadline)
    try tmux.sendText("a")
    try tmux.waitFor("応答なし", deadline: Perfhud.deadline)
  }

  /// Presses a key that gets nothing back, and looks for four times as long as it takes to be shown.
  private func isShownUnanswered(_ tmux: Tmux) throws -> Bool {
    try tmux.sendText("a")
    let pressed = Instant.now()
    var isShownUnanswered = false
    try waitUntil(deadline: Perfhud.deadline, "the time until it is shown") {
      () throws(ToolError) in
      isShownUnanswered = try tmux.capture().shows("no answer") || isShownUnanswered
      return isShownUnanswered || Instant.now().seconds(since: pressed) > 2
    }
    return isShownUnanswered
  }

  @Test func `a program that ignores the key, asleep, is not shown as unanswered`() throws {
    let tmux = try start("")
    #expect(!(try isShownUnanswered(tmux)))
  }

  @Test func `a program that ignores the key while its child works is not shown as unanswered`()
    throws
  {
    let tmux = try start("if (!$child) { unless ($child = fork) { work(4); exit } }")
    #expect(!(try isShownUnanswered(tmux)))
  }

  @Test func `keys at a shell whose command only sleeps are not shown as unanswered`() throws {
    let tmux = try Tmux(
      columns: 80, rows: 24, command: try Overlay.wrap(["bash", "--norc", "-i"]),
      environment: try Overlay.environment())
    try tmux.waitFor("ready>", deadline: Perfhud.deadline)
    try tmux.sendText("stty -echo; sleep 1000\n")
    _ = try tmux.waitForProcess("sleep")
    #expect(!(try isShownUnanswered(tmux)))
  }
}
