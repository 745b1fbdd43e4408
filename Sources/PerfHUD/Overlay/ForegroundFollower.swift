import PerfHUDBase
import Sampler

/// Which process group the HUD shows under a shell: the one that has the terminal; pure.
///
/// A change counts once it has lasted 200 ms, two samples of the default interval: a shorter job has no values
/// of its own, and the prompts between the commands of a list would make the title flicker. Until then the last
/// values stay.
struct ForegroundFollower: Equatable {
  /// How long a group must have the terminal before it is followed, in nanoseconds.
  static let settleTime: Int64 = 200_000_000
  /// The terminal is asked at most this often; nanoseconds.
  static let lookPeriod: Int64 = 100_000_000

  /// Another group is to be followed.
  struct Change: Equatable {
    var group: Int32
    /// Since when it has had the terminal, as far as was seen.
    var since: Instant
    /// Whether it is a job that came to the foreground, and not the shell, or more of the same job.
    var isMark: Bool
    /// Whether it is the shell itself, whose descendants in other groups are its jobs.
    var isShell: Bool

    /// What to sample.
    var processGroup: ProcessGroup { ProcessGroup(group, includesOtherGroups: !isShell) }
  }

  /// The group of the shell: it has the terminal while no job runs.
  let shell: Int32
  private(set) var followed: Int32
  /// The group that has the terminal instead of the one that is followed.
  private var candidate: Int32?
  private var candidateSince = Instant(nanoseconds: 0)
  private var lastLook: Instant?
  /// Something has passed since the last look.
  private var isStale = true
  /// Who was sampled has ended, and nobody else of its group has been sampled yet.
  private var hasEnded = false
  /// The group has had its second chance.
  private var isGone = false

  init(shell: Int32) {
    self.shell = shell
    followed = shell
  }

  /// Keys or output have passed: somebody else may have the terminal soon.
  mutating func noteActivity() { isStale = true }

  /// A process of the group that is followed was sampled.
  ///
  /// - Parameter hasEnded: whether the one that stood for the group has ended.
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

  /// When to look although nothing happens; `nil` if what happens is enough.
  var deadline: Instant? {
    guard isStale || candidate != nil, let lastLook else { return nil }
    return lastLook.advanced(byNanoseconds: ForegroundFollower.lookPeriod)
  }

  /// Takes the group that the terminal reports.
  ///
  /// - Parameter group: the group in its foreground; `nil` if there is none.
  mutating func look(_ group: Int32?, now: Instant) -> Change? {
    lastLook = now
    isStale = false
    // A group without anybody in it keeps the terminal until its shell has noticed.
    let group = isGone && group == followed ? shell : group ?? followed
    guard group != followed else {
      candidate = nil
      // Its leader has ended before the others, as that of a pipeline does.
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
