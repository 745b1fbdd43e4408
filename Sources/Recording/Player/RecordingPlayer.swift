import Metrics
import PerfHUDBase

/// The state of a recorded run at any of its times.
///
/// The file is folded twice, by the same `Run.apply`. The first fold goes once from start to end, in pieces between
/// which keys are handled (`index`), and leaves snapshots and markers. The second is at the position, and starts from
/// the snapshot before it. It reads no clock.
package struct RecordingPlayer: ~Copyable {
  /// The facts about the recording itself.
  package let header: RecordingHeader
  /// The time that is shown; at least the start, at most `end`.
  package private(set) var position: Instant
  /// The last known time of the file. It increases while a file is followed, and while one without an index is read.
  package private(set) var end: Instant
  /// Whether the whole file has been folded once.
  package private(set) var isIndexed = false
  /// The destination of a seek that waits until the file has been folded up to there.
  package private(set) var target: Instant?
  private var current: FoldCursor
  private var front: FoldCursor
  private var snapshots: Snapshots
  private var markers = Markers()

  /// - Parameter path: a file, since a pipe cannot be read twice.
  package init(path: String) throws(RecordingError) {
    let reader = try RecordingReader(path: path)
    let other = try RecordingReader(path: path)
    let last = try RecordingReader.index(path: path).entries.last
    self.init(reader, other, last: last.map { Instant(nanoseconds: $0.time) })
  }

  /// - Parameters:
  ///   - first: a reader of the file.
  ///   - second: another one, with a file offset of its own.
  ///   - last: the last known time of the file.
  init(
    _ first: consuming RecordingReader, _ second: consuming RecordingReader, last: Instant?,
    snapshots: Int = 256, stride: Int = 1024
  ) {
    header = first.header
    let start = header.run.start
    position = start
    // A time that no run reaches comes from a forged file.
    end =
      last.map { $0.seconds(since: start) < RecordingPlayer.longest ? max($0, start) : start }
      ?? start
    let mark = first.bookmark
    current = FoldCursor(first)
    front = FoldCursor(second)
    self.snapshots = Snapshots(capacity: snapshots, stride: stride)
    self.snapshots.add(Snapshot(state: front.state, mark: mark))
  }

  /// Ten years, in seconds.
  private static let longest = 315_360_000.0

  /// The run at the position.
  package var run: Run { current.state.run }
  /// The start of the recording.
  package var start: Instant { header.run.start }
  /// The time up to which the file has been folded once.
  package var read: Instant { isIndexed ? end : min(front.state.clock, end) }
  /// One line about what could not be read so far; `nil` if everything was.
  package var remark: String? { front.reader.remark }
  /// The number of damaged places found so far.
  package var gaps: Int { front.reader.damage.gaps }

  // MARK: The first fold

  /// Continues the first fold. Then completes a seek that has waited for these records.
  ///
  /// - Parameter count: the maximum number of records.
  /// - Returns: whether the position has changed.
  package mutating func index(_ count: Int) -> Bool {
    var left = count
    while left > 0, !isIndexed {
      left -= 1
      guard front.nextClock() != nil else {
        isIndexed = true
        let latest = start.advanced(byNanoseconds: FoldCursor.longestRun)
        end = max(front.state.clock, min(front.reader.end?.time ?? front.state.clock, latest))
        break
      }
      if front.isAtBlock, snapshots.isDue(cost: front.state.cost), let snapshot = front.snapshot {
        snapshots.add(snapshot)
      }
      switch front.applyNext() {
      case .activity(let activity): markers.note(activity, front.state)
      case .sample: markers.noteSample(front.state)
      case .record(let record): markers.note(record, front.state)
      case nil: break
      }
    }
    end = max(end, front.state.clock)
    guard let target, isIndexed || front.state.clock >= target else { return false }
    fold(to: min(target, end))
    return true
  }

  /// Checks whether a file that is still being written has grown.
  ///
  /// - Returns: whether it may still grow.
  package mutating func follow() -> Bool {
    guard isIndexed else { return true }
    guard front.continueAtEnd() else { return false }
    isIndexed = false
    return true
  }

  /// Whether the recording continues in another file of the same name, because its writer keeps it below a limit.
  package var isReplaced: Bool { front.reader.isReplaced }

  // MARK: The position

  /// Goes to a time, forward or backward. If the file has not been folded up to there, `index` completes the seek: see
  /// `target`.
  package mutating func seek(to time: Instant) {
    // Until everything is read, the end is only that of the index, which omits blocks.
    let time = max(start, isIndexed ? min(time, end) : time)
    guard isIndexed || time <= front.state.clock else {
      target = time
      return
    }
    fold(to: time)
  }

  /// Advances to a later time, up to the end of the file.
  package mutating func advance(to time: Instant) {
    target = nil
    fold(to: max(position, min(time, end)))
  }

  /// Folds from the nearest state before a time up to that time.
  private mutating func fold(to time: Instant) {
    target = nil
    if let snapshot = snapshots.last(notAfter: time),
      current.state.clock > time || snapshot.state.clock > current.state.clock
    {
      current.resume(snapshot)
    }
    position = time
    current.fold(to: time)
    // A cursor that has reached the end of a file that was still being written checks again.
    guard current.nextClock() == nil, current.state.clock < min(time, front.state.clock) else {
      return
    }
    _ = current.continueAtEnd()
    current.fold(to: time)
  }

  /// Goes to the next sample, or with -1 to the previous one.
  ///
  /// - Returns: whether there is one.
  package mutating func step(_ direction: Int) -> Bool {
    target = nil
    guard direction > 0 else {
      guard let sample = current.state.sampleClock else { return false }
      seek(to: sample.advanced(byNanoseconds: -1))
      guard let previous = current.state.sampleClock else { return true }
      // Only frames and events change between two samples.
      seek(to: previous)
      return true
    }
    let before = current.state.sampleClock
    // A followed file may have grown since its end was reached here.
    if current.nextClock() == nil, current.state.clock < front.state.clock {
      _ = current.continueAtEnd()
    }
    while let next = current.nextClock() {
      current.applyNext()
      guard let sample = current.state.sampleClock, sample != before else { continue }
      end = max(end, next)
      // Folds all records of that moment, so that the position alone determines what is shown.
      fold(to: next)
      return true
    }
    fold(to: position)
    return false
  }

  /// The next place of a kind, or with -1 the previous one; `nil` if there is none in the folded part.
  package func marker(_ kind: MarkerKind, _ direction: Int) -> Instant? {
    direction > 0
      ? markers[kind].next(after: position) : markers[kind].previous(before: position)
  }

  /// When phases begin, oldest first.
  package var phases: [Instant] { markers[.phase].times }
}
