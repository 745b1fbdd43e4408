import Metrics
import PerfHUDBase

/// Derives something from the records of a recording in addition to their run.
package protocol RecordCollector {
  var run: Run { get }
  /// The time of the latest record.
  var last: Instant { get }

  /// Reads up to the next record that `take` needs. Applies frames and output before it to the run.
  ///
  /// - Returns: whether there is one.
  mutating func next(_ found: inout NextRecord, from reader: inout RecordingReader) -> Bool
  /// Applies a record.
  mutating func take(_ found: NextRecord)
}

extension RecordCollector {
  /// Takes all records up to the end of a recording.
  ///
  /// - Parameter progress: called with the recorded time so far, in seconds, about every thousand records.
  package mutating func takeAll(
    from reader: inout RecordingReader, progress: (Double) -> Void = { _ in }
  ) {
    var count = 0
    var found = NextRecord()
    while next(&found, from: &reader) {
      take(found)
      count += 1
      if count % 1024 == 0 { progress(last.seconds(since: run.header.start)) }
    }
  }
}

/// Collects only the run of a recording.
package struct RunCollector: RecordCollector {
  package private(set) var run: Run
  package private(set) var last: Instant

  /// - Parameter keepsVisits: see `Run.keepVisits`.
  package init(_ header: RunHeader, keepsVisits: Bool = false) {
    run = Run(header)
    last = header.start
    if keepsVisits { run.keepVisits() }
  }

  package mutating func next(_ found: inout NextRecord, from reader: inout RecordingReader) -> Bool
  {
    reader.next(&found, foldingActivityInto: &run, last: &last)
  }

  package mutating func take(_ found: NextRecord) {
    if found.isSample {
      last = max(last, found.sample.time)
      run.apply(sample: found.sample)
    } else if let record = found.other {
      last = max(last, record.time)
      run.apply(record)
    }
  }

  /// The values of the newest sample. It is `mutating` because otherwise the whole run would be copied.
  package mutating func newestRow() -> Row? { run.latest }
}
