import PerfHUDBase
import Testing

@testable import PerfHUD

/// Group, group of the shell and time → whom the HUD shows. The shell is group 10.
@Suite struct ForegroundFollowerTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  private func time(_ milliseconds: Int64) -> Instant {
    start.advanced(byNanoseconds: milliseconds * 1_000_000)
  }

  /// Looks at group after group, from `milliseconds` on every 100 ms.
  private func follow(
    _ groups: [Int32?], from milliseconds: Int64 = 0, _ follower: inout ForegroundFollower
  ) -> [Int32] {
    var followed: [Int32] = []
    for (index, group) in groups.enumerated() {
      _ = follower.look(group, now: time(milliseconds + 100 * Int64(index)))
      followed.append(follower.followed)
    }
    return followed
  }

  @Test func `a job is followed once it has had the terminal for 200 ms`() {
    var follower = ForegroundFollower(shell: 10)
    #expect(follow([10, 20, 20, 20], &follower) == [10, 10, 10, 20])
  }

  @Test func `the change says since when the job has had the terminal, and makes a mark`() {
    var follower = ForegroundFollower(shell: 10)
    _ = follow([10, 20, 20], &follower)
    #expect(
      follower.look(20, now: time(300))
        == .init(group: 20, since: time(100), isMark: true, isShell: false))
    #expect(follower.look(20, now: time(400)) == nil)
  }

  @Test func `the way back to the shell makes no mark`() {
    var follower = ForegroundFollower(shell: 10)
    _ = follow([20, 20, 20, 10, 10], &follower)
    #expect(
      follower.look(10, now: time(500))
        == .init(group: 10, since: time(300), isMark: false, isShell: true))
  }

  @Test func `jobs of 100 ms, one after the other, never take the title`() {
    var follower = ForegroundFollower(shell: 10)
    let groups: [Int32] = [20, 10, 21, 10, 22, 23, 24, 10]
    #expect(follow(groups, &follower).allSatisfy { $0 == 10 })
  }

  @Test func `from one job to the next the shell in between is left out`() {
    var follower = ForegroundFollower(shell: 10)
    #expect(
      follow([20, 20, 20, 10, 21, 21, 21], &follower) == [10, 10, 20, 20, 20, 20, 21])
  }

  @Test func `without a foreground group nothing changes`() {
    var follower = ForegroundFollower(shell: 10)
    #expect(follow([20, 20, 20, nil, nil, nil], &follower).last == 20)
  }

  @Test func `the prefixKey's end with the terminal still at its group: the same group anew`() {
    var follower = ForegroundFollower(shell: 10)
    _ = follow([20, 20, 20], &follower)
    follower.noteSample(hasEnded: false)
    follower.noteSample(hasEnded: true)
    #expect(
      follower.look(20, now: time(300))
        == .init(group: 20, since: time(300), isMark: false, isShell: false))
    follower.noteSample(hasEnded: false)
    #expect(follower.look(20, now: time(400)) == nil)
  }

  @Test func `a group with nobody in it that keeps the terminal gives way to the shell`() {
    var follower = ForegroundFollower(shell: 10)
    _ = follow([20, 20, 20], &follower)
    follower.noteSample(hasEnded: true)
    #expect(follower.look(20, now: time(300))?.group == 20)
    follower.noteSample(hasEnded: true)
    #expect(follow([20, 20, 20], from: 400, &follower) == [20, 20, 10])
  }

  @Test func `a second end of a job that lived in between is a first one`() {
    var follower = ForegroundFollower(shell: 10)
    _ = follow([20, 20, 20], &follower)
    follower.noteSample(hasEnded: true)
    #expect(follower.look(20, now: time(300))?.group == 20)
    follower.noteSample(hasEnded: false)
    follower.noteSample(hasEnded: true)
    #expect(follower.look(20, now: time(400))?.group == 20)
  }

  @Test func `the terminal is asked ten times a second at most`() {
    var follower = ForegroundFollower(shell: 10)
    #expect(follower.isLookDue(now: time(0)))
    _ = follower.look(10, now: time(0))
    #expect(!follower.isLookDue(now: time(99)))
    #expect(follower.isLookDue(now: time(100)))
  }

  @Test func `at rest nothing is due; after keys or output one look is`() {
    var follower = ForegroundFollower(shell: 10)
    _ = follower.look(10, now: time(0))
    #expect(follower.deadline == nil)
    follower.noteActivity()
    #expect(follower.deadline == time(100))
    _ = follower.look(10, now: time(100))
    #expect(follower.deadline == nil)
  }

  @Test func `while a job is on its way to the title looks are due`() {
    var follower = ForegroundFollower(shell: 10)
    _ = follower.look(20, now: time(0))
    #expect(follower.deadline == time(100))
    _ = follow([20, 20], from: 100, &follower)
    #expect(follower.followed == 20)
    #expect(follower.deadline == nil)
  }
}
