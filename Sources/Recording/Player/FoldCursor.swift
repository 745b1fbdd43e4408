import Metrics
import PerfHUDBase
import Sampler

/// The state of a run at one place of a recording.
package struct FoldedRun: Sendable {
  package internal(set) var run: Run
  /// The latest time of the records so far. Never goes back, although records may be slightly out of order.
  package internal(set) var clock: Instant
  /// `clock` at the newest sample; `nil` before the first one.
  var sampleClock: Instant?
  /// The cost of folding the records so far; 1 for a record that is not a sample.
  var cost = 0

  init(_ header: RunHeader) {
    run = Run(header)
    clock = header.start
  }

  mutating func apply(_ record: borrowing Record, clock: Instant) {
    self.clock = clock
    cost += 1
    run.apply(record)
  }

  mutating func apply(_ sample: Sample, clock: Instant) {
    self.clock = clock
    cost += 1 + FoldedRun.sampleCost
    sampleClock = clock
    run.apply(sample: sample)
  }

  mutating func apply(_ activity: Activity, clock: Instant) {
    self.clock = clock
    cost += 1
    run.apply(activity: activity)
  }

  /// The cost of a sample, relative to a frame.
  private static let sampleCost = 8
}

/// What was last folded.
enum FoldedRecord {
  case activity(Activity)
  case sample
  case record(Record)
}

/// Folds the records of a file one by one.
struct FoldCursor: ~Copyable {
  private(set) var reader: RecordingReader
  private(set) var state: FoldedRun
  /// The next record, if it has already been read: as a small value, or else as a whole.
  private var heldActivity: Activity?
  private var held = NextRecord()
  private var heldMark: RecordingBookmark?

  init(_ reader: consuming RecordingReader) {
    state = FoldedRun(reader.header.run)
    self.reader = reader
  }

  /// A copy of the state before the next record, if that is the first one of its block.
  ///
  /// Call `nextClock` first.
  var snapshot: Snapshot? { heldMark.map { Snapshot(state: state, mark: $0) } }
  /// Whether `snapshot` is available.
  var isAtBlock: Bool { heldMark != nil }

  /// Whether the next record has already been read.
  private var isHeld: Bool { heldActivity != nil || held.isThere }

  /// The clock after the next record; `nil` at the end of the file.
  mutating func nextClock() -> Instant? {
    if !isHeld {
      let begun = reader.begunBlocks
      heldActivity = reader.next(&held)
      heldMark = isHeld && reader.begunBlocks != begun ? reader.bookmark : nil
    }
    // A time that no run reaches comes from a damaged or forged file.
    let latest = reader.header.run.start.advanced(byNanoseconds: FoldCursor.longestRun)
    guard let time = heldActivity?.time ?? held.time else { return nil }
    return max(state.clock, min(time, latest))
  }

  /// Applies the next record.
  ///
  /// - Returns: the record; `nil` at the end of the file.
  @discardableResult
  mutating func applyNext() -> FoldedRecord? {
    guard let clock = nextClock() else { return nil }
    heldMark = nil
    if let activity = heldActivity.take() {
      state.apply(activity, clock: clock)
      return .activity(activity)
    }
    defer { held.clear() }
    if held.isSample {
      state.apply(held.sample, clock: clock)
      return .sample
    }
    guard let record = held.other else { return nil }
    state.apply(record, clock: clock)
    return .record(record)
  }

  /// Applies all records up to a time: the same as applying them one by one, but faster. Does not count their cost.
  mutating func fold(to time: Instant) {
    while let clock = nextClock(), clock <= time {
      applyNext()
      if !isHeld {
        heldActivity = reader.next(
          &held, foldingInto: &state.run, last: &state.clock, until: time)
      }
    }
  }

  /// Goes to another place in the file.
  mutating func resume(_ snapshot: Snapshot) {
    heldActivity = nil
    held.clear()
    heldMark = nil
    guard reader.resume(at: snapshot.mark) else { return }
    state = snapshot.state
  }

  /// Ten years, in nanoseconds.
  static let longestRun: Int64 = 315_360_000_000_000_000

  /// See `RecordingReader.continueAtEnd`.
  mutating func continueAtEnd() -> Bool { reader.continueAtEnd() }
}
