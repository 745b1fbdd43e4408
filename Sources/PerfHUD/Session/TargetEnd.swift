import HUD
import Metrics

/// What happens to a run when its target ends.
enum TargetEnd: Equatable {
  /// The run ends too.
  case endsRun
  /// The run goes on with the last values: the full-screen view still shows them, or a command is still running.
  case keepsLastValues
  /// The sampler continues with another target as soon as there is one.
  case continuesWithNext

  /// - Parameter otherwise: what happens if no other target follows.
  init(_ header: borrowing RunHeader, _ settings: Settings, otherwise: TargetEnd) {
    let isFollowed = header.followed != nil && !settings.exitsWithTarget
    self = isFollowed ? .continuesWithNext : otherwise
  }
}
