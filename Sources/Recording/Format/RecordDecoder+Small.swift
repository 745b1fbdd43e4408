import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

extension RecordDecoder {
  /// The record of a kind with a time and at most a few values.
  ///
  /// - Returns: `nil` for other kinds.
  mutating func smallRecord(_ kind: RecordKind) -> Record? {
    var small = SmallRecord()
    small.visit(&self, kind)
    let time = small.time
    switch kind {
    case .phasePending: return .phasePending(time)
    case .answer: return .answer(nanoseconds: Int64(clamping: small.number), time)
    case .unclearAnswer: return .unclearAnswer(time)
    case .loadingEnded: return .loadingEnded(time)
    case .loadingGroup: return .loadingGroup(small.pid, time)
    case .unansweredKey:
      return .unansweredKey(since: Instant(nanoseconds: small.number), time)
    case .target:
      let change = TargetChange(
        name: small.name, pid: small.pid, isMark: small.isMark, isRestart: small.isRestart)
      return .target(change, time)
    case .program:
      return .program(ProgramChange(name: small.name, command: small.command), time)
    case .mark: return .mark(time)
    case .peaksReset: return .peaksReset(time)
    case .interval: return .interval(RecordingHeader.clamped(interval: small.number), time)
    case .resumed: return .resumed(time)
    case .clock: return .clock(offset: small.number, time)
    case .eventsLost: return .eventsLost(UInt32(clamping: small.number), time)
    case .listener: return .listener(small.listener, time)
    case .eventsBad: return .eventsBad(UInt32(clamping: small.number), time)
    case .machine: return .machine(small.machine, time)
    case .sample, .memory, .processes, .processRow, .mapping, .activity, .event, .end: return nil
    }
  }
}
