import PerfHUDBase
import PerfHUDEvents

/// What the program has reported, besides phases, actions and frames.
public struct ProgramReports: Sendable {
  public internal(set) var values = ValueTable()
  /// What the program is loading.
  public internal(set) var loading: Loading?
  /// Whether the program has sent an event.
  public internal(set) var hasEvents = false
  /// The process that reports phases with its memory; 0 without one.
  public internal(set) var sender: Int32 = 0
  var toasts = ToastQueue()
}

/// The leading source of phases.
struct PhaseSource: BitwiseCopyable, Sendable {
  /// The rank of the source (`EventOrigin.rank`); 0 before the first phase.
  var rank = 0
  /// The number of phases that marks of the user have begun.
  var marks = 0
}
