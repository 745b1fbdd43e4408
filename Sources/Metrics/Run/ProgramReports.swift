import PerfHUDBase
import PerfHUDEvents

/// What the program has reported, besides phases, actions and frames.
package struct ProgramReports: Sendable {
  package internal(set) var values = ValueTable()
  /// What the program is loading.
  package internal(set) var loading: Loading?
  /// Whether the program has sent an event.
  package internal(set) var hasEvents = false
  /// The process that reports phases together with its memory; 0 without one.
  package internal(set) var sender: Int32 = 0
  var toasts = ToastQueue()
  /// When the last cover began; `nil` before the first.
  private var coverSince: Instant?

  /// Applies a loading message of the program. A cover that begins too soon after the previous one becomes a line.
  mutating func load(_ event: Event, at time: Instant) {
    let progress = event.number.isFinite ? max(0, min(1, event.number)) : nil
    let wasCover = loading?.coversScreen == true
    var isCover = event.coversScreen
    if isCover, !wasCover {
      if let coverSince, time.nanoseconds(since: coverSince) < Loading.coverPause {
        isCover = false
      } else {
        coverSince = time
      }
    }
    loading = Loading(
      text: event.name, progress: progress, coversScreen: isCover,
      since: loading?.since ?? time, updated: time, speaker: event.speaker)
  }
}

/// The leading source of phases.
package struct PhaseSource: BitwiseCopyable, Sendable {
  /// The rank of the source (`EventOrigin.rank`); 0 before the first phase.
  private var rank = 0
  /// The number of phases that the user's marks have begun.
  private var marks = 0

  package init() {}

  /// Whether phases from a source count: if sources were chosen, only these; otherwise only the source with the highest
  /// rank among those that have reported a phase.
  package mutating func leads(_ origin: EventOrigin, chosen: Set<EventOrigin>?) -> Bool {
    if let chosen {
      guard origin == .key ? !chosen.isEmpty : chosen.contains(origin) else { return false }
    }
    guard origin.rank >= rank else { return false }
    rank = origin.rank
    return true
  }

  /// Resets the rank, because another target has reported nothing yet.
  package mutating func changeTarget() { rank = 0 }

  /// The phase that begins with a mark of the user.
  package mutating func phaseOfMark() -> Event {
    marks += 1
    var event = Event(.phase)
    event.origin = .key
    event.name.append("mark ")
    event.name.append(decimal: marks)
    return event
  }
}

/// What the sampler should read because a phase has begun. A separate value, so that reading it copies nothing else.
package struct MemoryRequest: BitwiseCopyable, Equatable, Sendable {
  /// The border at which memory is to be read now; `nil` if there is none.
  package var border: Instant?
  /// The process that reports phases; 0 if there is none.
  package var sender: Int32 = 0
}
