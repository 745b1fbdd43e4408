import PerfHUDBase
import Testing

@testable import PerfHUD

@Suite struct VisibilityTests {
  private static func at(_ seconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000).advanced(bySeconds: seconds)
  }

  /// A shell at its prompt, with the start long ago.
  private var shell = {
    var shell = Visibility(isHidden: false, delay: 2_000_000_000, now: at(-60))
    shell.update(now: at(-1))
    return shell
  }()

  private mutating func isShown(at seconds: Double) -> Bool {
    shell.update(now: Self.at(seconds))
    return shell.isShown
  }

  @Test mutating func `the HUD shows itself for a long job, and goes some seconds after its end`() {
    #expect(!isShown(at: 0) && shell.deadline == nil)
    shell.noteJob(since: Self.at(1))
    #expect(shell.deadline == Self.at(3))
    #expect(!isShown(at: 2.9) && isShown(at: 3))
    #expect(shell.deadline == nil && isShown(at: 100))
    shell.notePrompt(now: Self.at(100))
    #expect(shell.deadline == Self.at(105))
    #expect(isShown(at: 104.9) && !isShown(at: 105))
    #expect(shell.deadline == nil && !isShown(at: 1000))
  }

  @Test mutating func `at the start it is there for some seconds, or until the first key`() {
    shell = Visibility(isHidden: false, delay: 2_000_000_000, now: Self.at(0))
    #expect(isShown(at: 0) && shell.deadline == Self.at(5))
    #expect(isShown(at: 4.9) && !isShown(at: 5) && shell.deadline == nil)
    shell = Visibility(isHidden: false, delay: 2_000_000_000, now: Self.at(10))
    shell.noteKeys()
    #expect(!isShown(at: 10.1))
  }

  @Test mutating func `a short job never shows it`() {
    shell.noteJob(since: Self.at(0))
    #expect(!isShown(at: 1.5))
    shell.notePrompt(now: Self.at(1.5))
    #expect(shell.deadline == nil && !isShown(at: 10))
  }

  @Test mutating func `a key at the prompt hides it at once, keys of a job do not`() {
    shell.noteJob(since: Self.at(0))
    #expect(isShown(at: 2))
    shell.noteKeys()
    #expect(isShown(at: 3))
    shell.notePrompt(now: Self.at(4))
    shell.noteKeys()
    #expect(!isShown(at: 4.1))
  }

  @Test mutating func `the next job goes on with it`() {
    shell.noteJob(since: Self.at(0))
    #expect(isShown(at: 2))
    shell.notePrompt(now: Self.at(4))
    shell.noteJob(since: Self.at(5))
    #expect(isShown(at: 6) && isShown(at: 60))
  }

  @Test mutating func `what the user chooses counts until it would have changed`() {
    shell.choose(true)
    #expect(isShown(at: 0))
    shell.noteJob(since: Self.at(1))
    #expect(isShown(at: 2) && isShown(at: 3))
    shell.notePrompt(now: Self.at(4))
    #expect(!isShown(at: 20))
    shell.noteJob(since: Self.at(21))
    #expect(isShown(at: 24))
    shell.choose(false)
    #expect(!isShown(at: 25))
    shell.notePrompt(now: Self.at(26))
    #expect(!isShown(at: 27) && !isShown(at: 40))
    shell.noteJob(since: Self.at(41))
    #expect(isShown(at: 44))
  }

  @Test(arguments: [(false, nil), (true, nil), (true, 2_000_000_000)] as [(Bool, Int64?)])
  func `without a shell, or hidden from the start, only the user changes it`(
    isHidden: Bool, delay: Int64?
  ) {
    var fixed = Visibility(isHidden: isHidden, delay: delay, now: Self.at(-60))
    fixed.noteJob(since: Self.at(0))
    fixed.update(now: Self.at(10))
    #expect(fixed.isShown == !isHidden && fixed.deadline == nil)
    fixed.choose(isHidden)
    fixed.notePrompt(now: Self.at(11))
    fixed.update(now: Self.at(100))
    #expect(fixed.isShown == isHidden)
  }
}
