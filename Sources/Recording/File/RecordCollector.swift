import Metrics
import PerfHUDBase

/// Derives something from the records of a recording in addition to their run.
package protocol RecordCollector {
  var run: Run { get }
  /// The time of the latest record.
  var last: Instant { get }

  /// Applies frames and output.
  mutating func take(_ activities: Span<Activity>)
  /// Applies any other record.
  mutating func take(_ found: borrowing NextRecord)
}

extension RecordCollector {
  /// Takes all records up to the end of a recording.
  ///
  /// - Parameter progress: called now and then with the recorded time so far, in seconds.
  package mutating func takeAll(
    from reader: inout RecordingReader, progress: (Double) -> Void = { _ in }
  ) {
    let start = reader.header.run.start
    reader.readAhead { batch in
      batch.pass(to: &self)
      progress(last.seconds(since: start))
    }
  }
}

/// Collects only the run of a recording, without what `Run.leaveOutRecentValues` leaves out.
package struct RunCollector: RecordCollector {
  package private(set) var run: Run
  package private(set) var last: Instant

  /// - Parameter keepsVisits: see `Run.keepVisits`.
  package init(_ header: RunHeader, keepsVisits: Bool = false) {
    run = Run(header)
    run.leaveOutRecentValues()
    last = header.start
    if keepsVisits { run.keepVisits() }
  }

  package mutating func take(_ activities: Span<Activity>) {
    for index in activities.indices {
      let activity = activities[index]
      last = max(last, activity.time)
      run.apply(activity: activity)
    }
  }

  package mutating func take(_ found: borrowing NextRecord) {
    if found.isSample {
      last = max(last, found.sample.time)
      run.apply(sample: found.sample)
    } else if let record = found.record {
      last = max(last, record.time)
      run.apply(record)
    }
  }

  /// The values of the newest sample. It is `mutating` because otherwise the whole run would be copied.
  package mutating func newestRow() -> Row? { run.latest }
}
