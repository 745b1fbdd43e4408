import Metrics
import PerfHUDBase

extension Record {
  /// When it happened.
  package var time: Instant {
    switch self {
    case .sample(let sample): sample.time
    case .memory(let memory): memory.time
    case .processes(let table): table.time
    case .activity(let activity): activity.time
    case .phasePending(let time), .answer(_, let time), .unclearAnswer(let time),
      .event(_, let time), .loadingEnded(let time),
      .loadingGroup(_, let time), .unansweredKey(_, let time), .target(_, let time),
      .program(_, let time), .mark(let time), .peaksReset(let time), .interval(_, let time),
      .resumed(let time), .clock(_, let time), .eventsLost(_, let time),
      .listener(_, let time), .eventsBad(_, let time), .machine(_, let time):
      time
    }
  }
}
