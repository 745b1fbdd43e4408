import PerfHUDBase
import Sampler

/// Determines which process group the HUD shows under a shell: the one that has the terminal. Pure.
///
/// A change counts once it has lasted 200 ms, two samples of the default interval. A shorter job has no values of its
/// own, and the prompts between the commands of a list would make the title flicker. Until then the last values stay.
struct ForegroundFollower: Equatable {
  /// How long a group must have the terminal before it is followed, in nanoseconds.
  static let settleTime: Int64 = 200_000_000
  /// How often the terminal is asked at most, in nanoseconds.
  static let lookPeriod: Int64 = 100_000_000

  /// A change to another group.
  struct Change: Equatable {
    var group: Int32
    /// When the group was first seen to have the terminal.
    var since: Instant
    /// Whether it is a job that has come to the foreground: neither the shell, nor another process of the same job.
    var isMark: Bool
    /// Whether it is the shell itself. Its descendants in other groups are its jobs.
    var isShell: Bool

    /// What to sample.
    var processGroup: ProcessGroup { ProcessGroup(group, includesOtherGroups: !isShell) }
  }

  /// The shell's group, which has the terminal while no job is running.
  let shell: Int32
  private(set) var followed: Int32
  /// The group that has the terminal instead of the followed one.
  private var candidate: Int32?
  private var candidateSince = Instant(nanoseconds: 0)
  private var lastLook: Instant?
  /// Whether there were keys or output since the last look.
  private var isStale = true
  /// Whether the sampled process has ended, and no other process of its group has been sampled yet.
  private var hasEnded = false
  /// Whether the group has also ended after its second chance.
  private var isGone = false

  init(shell: Int32) {
    self.shell = shell
    followed = shell
  }

  /// Notes keys or output: another group may soon have the terminal.
  mutating func noteActivity() { isStale = true }

  /// Notes that a process of the followed group was sampled.
  ///
  /// - Parameter hasEnded: whether the process that represents the group has ended.
  mutating func noteSample(hasEnded: Bool) {
    guard hasEnded else {
      self.hasEnded = false
      isGone = false
      return
    }
    isGone = self.hasEnded
    self.hasEnded = true
    isStale = true
  }

  /// Whether the terminal may be asked again.
  func isLookDue(now: Instant) -> Bool {
    lastLook.map { now.nanoseconds(since: $0) >= ForegroundFollower.lookPeriod } ?? true
  }

  /// When to look although nothing happens; `nil` if there is no need.
  var deadline: Instant? {
    guard isStale || candidate != nil, let lastLook else { return nil }
    return lastLook.advanced(byNanoseconds: ForegroundFollower.lookPeriod)
  }

  /// Takes the group that the terminal reports.
  ///
  /// - Parameter group: the terminal's foreground group; `nil` if there is none.
  mutating func look(_ group: Int32?, now: Instant) -> Change? {
    lastLook = now
    isStale = false
    // An empty group keeps the terminal until its shell has noticed.
    let group = isGone && group == followed ? shell : group ?? followed
    guard group != followed else {
      candidate = nil
      // The leader may end before the others, as in a pipeline.
      guard hasEnded, !isGone, group != shell else { return nil }
      return Change(group: group, since: now, isMark: false, isShell: false)
    }
    if candidate != group {
      candidate = group
      candidateSince = now
    }
    guard now.nanoseconds(since: candidateSince) >= ForegroundFollower.settleTime else {
      return nil
    }
    candidate = nil
    followed = group
    hasEnded = false
    isGone = false
    return Change(
      group: group, since: candidateSince, isMark: group != shell, isShell: group == shell)
  }
}
