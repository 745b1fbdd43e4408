import Metrics
import PerfHUDBase
import Sampler

extension Record {
  /// The same record with its times rounded down to whole microseconds, as in recordings. A recorded run gets these
  /// times too, so it equals the run that results from the recording. The order of records stays the same.
  package func rounded() -> Record {
    switch self {
    case .activity(let activity): .activity(activity.rounded())
    case .sample(let sample): .sample(sample.withWholeTimes())
    case .memory(let memory): .memory(memory.withWholeTime())
    case .event(let event, let time): .event(event, time.whole)
    case .phasePending(let time): .phasePending(time.whole)
    case .answer(let nanoseconds, let time): .answer(nanoseconds: nanoseconds, time.whole)
    case .unclearAnswer(let time): .unclearAnswer(time.whole)
    case .loadingEnded(let time): .loadingEnded(time.whole)
    case .loadingGroup(let group, let time): .loadingGroup(group, time.whole)
    case .unansweredKey(let since, let time): .unansweredKey(since: since.whole, time.whole)
    case .target(let change, let time): .target(change, time.whole)
    case .program(let change, let time): .program(change, time.whole)
    case .mark(let time): .mark(time.whole)
    case .peaksReset(let time): .peaksReset(time.whole)
    case .interval(let nanoseconds, let time): .interval(nanoseconds, time.whole)
    case .resumed(let time): .resumed(time.whole)
    case .machine(let load, let time): .machine(load, time.whole)
    case .clock(let offset, let time): .clock(offset: offset, time.whole)
    case .eventsLost(let count, let time): .eventsLost(count, time.whole)
    case .listener(let listener, let time): .listener(listener, time.whole)
    case .eventsBad(let count, let time): .eventsBad(count, time.whole)
    // The times of its rows are not compared with anything else.
    case .processes(let table): .processes(table)
    }
  }
}

extension Activity {
  /// The same activity with its time in whole microseconds, as in `Record.rounded`.
  package func rounded() -> Activity {
    switch self {
    case .frame(let time, let source, let missed): .frame(time.whole, source, missed: missed)
    case .mergedFrame(let time): .mergedFrame(time.whole)
    case .updateFrame(let time): .updateFrame(time.whole)
    case .output(let bytes, let time): .output(bytes: bytes, time.whole)
    case .cells(let written, let unchanged, let time):
      .cells(written: written, unchanged: unchanged, time.whole)
    }
  }
}

extension Instant {
  fileprivate var whole: Instant { wholeMicroseconds }
}

extension Sample {
  fileprivate func withWholeTimes() -> Sample {
    var sample = self
    sample.time = time.whole
    sample.statTime = statTime.whole
    sample.lowRateTime = lowRateTime.whole
    sample.threadTime = threadTime.whole
    sample.ioTime = ioTime.whole
    sample.pssTime = pssTime.whole
    sample.ageNanoseconds = ageNanoseconds / 1000 * 1000
    sample.lateNanoseconds = lateNanoseconds / 1000 * 1000
    return sample
  }
}

extension MemorySample {
  fileprivate func withWholeTime() -> MemorySample {
    var memory = self
    memory.time = time.whole
    return memory
  }
}
