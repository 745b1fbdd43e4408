import HUD
import PerfHUDBase
import PerfHUDEvents
import Testing

@testable import PerfHUD

/// Phases of a program, found in its output.
@Suite struct PhaseDetectorTests {
  /// A detector with a screen whose signals are set by hand.
  private struct Stage {
    var detector: PhaseDetector
    var view = PhaseDetector.View()
    var now = Instant(nanoseconds: 1_000_000_000)
    var title = ""
    var command = ""

    init(_ choice: PhaseChoice? = nil) { detector = PhaseDetector(choice: choice) }

    mutating func look(after milliseconds: Int64 = 1000) -> String? {
      now = now.advanced(byNanoseconds: milliseconds * 1_000_000)
      let begins = detector.look(
        at: view, now: now, title: { title }, command: { InlineText<256>(command) })
      if begins.isEmpty { return nil }
      return begins.map { "\($0.source.name): \($0.name.text)" }.joined(separator: ", ")
    }

    /// Commands that begin within one piece of output, the last of which may run on.
    mutating func run(_ texts: String..., isRunning: Bool) -> String? {
      command = texts.last ?? ""
      view.shellMarks += 4 * texts.count - (isRunning ? 2 : 0)
      view.commandsStarted += texts.count
      view.isCommandRunning = isRunning
      return look()
    }

    mutating func setTitle(_ text: String, after milliseconds: Int64 = 1000) -> String? {
      title = text
      view.titleChanges += 1
      return look(after: milliseconds)
    }

    mutating func start(_ text: String) -> String? {
      command = text
      view.shellMarks += 1
      view.commandsStarted += 1
      view.isCommandRunning = true
      return look()
    }

    mutating func finish() -> String? {
      view.shellMarks += 1
      view.isCommandRunning = false
      return look()
    }
  }

  @Test func `a program whose title and marks name nothing has no phase`() {
    var stage = Stage()
    #expect(stage.look() == nil)
    #expect(stage.setTitle("⠋ 3%") == nil)
    #expect(stage.detector.source == nil)
  }

  @Test func `marks of the shell win over its titles`() {
    var stage = Stage()
    #expect(stage.setTitle("~/src") == "title: ~/src")
    #expect(stage.start("make test -j2") == "shell: make test")
    #expect(stage.setTitle("make") == nil)
    #expect(stage.finish() == "shell: prompt")
    #expect(stage.start("vim a.txt") == "shell: vim")
  }

  @Test func `a command that begins and ends within one piece of output has a visit`() {
    var stage = Stage()
    #expect(stage.run("cd /tmp", isRunning: false) == "shell: cd, shell: prompt")
    #expect(stage.run("cd /tmp", isRunning: false) == "shell: cd, shell: prompt")
    #expect(stage.run("true", "git log", isRunning: false) == "shell: git log, shell: prompt")
    #expect(stage.start("make") == "shell: make")
    #expect(stage.run("make", isRunning: true) == "shell: prompt, shell: make")
    #expect(stage.run("true", isRunning: false) == "shell: prompt, shell: true, shell: prompt")
  }

  @Test func `of titles within one piece of output the last counts`() {
    var stage = Stage()
    #expect(stage.setTitle("a") == "title: a")
    stage.view.titleChanges += 4
    #expect(stage.setTitle("c") == "title: c")
    stage.view.titleChanges += 1
    #expect(stage.setTitle("c") == nil, "it is back where it was")
  }

  @Test func `titles in quick succession begin one phase, the last`() {
    var stage = Stage()
    #expect(stage.setTitle("a") == "title: a")
    #expect(stage.setTitle("b", after: 50) == nil)
    #expect(stage.setTitle("c", after: 50) == nil)
    let due = stage.detector.deadline
    #expect(due == Instant(nanoseconds: 2_250_000_000))
    #expect(stage.detector.resolve(now: Instant(nanoseconds: 2_200_000_000)) == nil)
    #expect(stage.detector.waiting?.since == Instant(nanoseconds: 2_100_000_000))
    let begin = stage.detector.resolve(now: Instant(nanoseconds: 2_250_000_000))
    #expect(begin?.name.text == "c")
    #expect(begin?.time == Instant(nanoseconds: 2_100_000_000), "when the title came")
    #expect(stage.detector.deadline == nil)
  }

  @Test func `a title that is back before its time is up begins nothing`() {
    var stage = Stage()
    _ = stage.setTitle("a")
    _ = stage.setTitle("b", after: 50)
    #expect(stage.setTitle("a", after: 50) == nil)
    #expect(stage.detector.deadline == nil)
  }

  @Test func `a spinner and a percentage in a title are no phases`() {
    var stage = Stage()
    #expect(stage.setTitle("⠋ building 3%") == "title: building")
    #expect(stage.setTitle("⠙ building 74%") == nil)
    #expect(stage.setTitle("⠙ page 2") == "title: page 2")
  }

  @Test func `the user's choice alone counts`() {
    var stage = Stage(.title)
    #expect(stage.start("make") == nil)
    #expect(stage.setTitle("a") == "title: a")
    var none = Stage(PhaseChoice.none)
    #expect(none.setTitle("a") == nil)
  }

  @Test(arguments: [
    ("make test", "make test"), ("/usr/bin/vim -u NONE x", "vim"), ("A=1 B=2 ls -l", "ls"),
    ("sudo -E apt update", "apt update"), ("python3 x.py", "python3"), ("", ""),
    ("time cargo build --release", "cargo build"), ("cat 7", "cat"), ("X=1", ""),
  ])
  func `a command is named by its program and subcommand`(command: String, name: String) {
    #expect(PhaseDetector.name(ofCommand: command).text == name)
  }
}
