import PerfHUDBase

/// Finds the frames of a program in its output.
///
/// A synchronized update is a frame, and nothing else is while the program draws with them. Otherwise a
/// burst that ends with silence is one. The silence is 4 ms, or half the pause between bursts where these
/// follow one another faster than every 8 ms. It reads no clock: the times come with the bytes, and
/// `deadline` is when `endBurst` may end a burst although nothing came.
///
/// Complexity: constant for each piece of output.
package struct FrameMeter: Sendable {
  /// UnansweredKey that ends a burst, in nanoseconds.
  package static let silence: Int64 = 4_000_000
  /// The least silence that can end a burst: writes of one frame are closer to one another.
  package static let leastSilence: Int64 = 1_000_000
  /// A pause within a burst that may as well have been one between two frames.
  static let ambiguousPause: Int64 = 1_500_000
  /// Beside synchronized updates no more recent than that, a burst is part of a frame.
  static let updateMemory: Int64 = 1_000_000_000
  /// A synchronized update that is open for longer is no longer waited for.
  static let openUpdateLimit: Int64 = 5_000_000_000
  /// A burst without an end is a frame after that time, and may be many.
  static let burstLimit: Int64 = 1_000_000_000
  /// Bursts further apart say nothing about the pause between two frames.
  private static let pauseMemory: Int64 = 250_000_000

  /// The end of a frame.
  package struct Frame: BitwiseCopyable, Equatable, Sendable {
    package var time: Instant
    /// The program drew, instead of only printing lines.
    package var isDrawn: Bool
    /// Several frames may have become this one.
    package var isMerged: Bool
    /// It was a synchronized update.
    package var isUpdate: Bool

    package init(
      time: Instant, isDrawn: Bool = true, isMerged: Bool = false, isUpdate: Bool = false
    ) {
      self.time = time
      self.isDrawn = isDrawn
      self.isMerged = isMerged
      self.isUpdate = isUpdate
    }
  }

  /// A piece of output, and how it left the screen.
  package struct Piece: BitwiseCopyable, Sendable {
    package var bytes: Int
    /// The number of synchronized updates that have ended since the start.
    package var updateEnds: Int
    package var isUpdating: Bool
    /// It has more than lines of text: see `Screen.takeDrawing`.
    package var isDrawing: Bool
    /// It ends within a character or sequence.
    package var isUnfinished: Bool

    package init(
      bytes: Int, updateEnds: Int = 0, isUpdating: Bool = false, isDrawing: Bool = true,
      isUnfinished: Bool = false
    ) {
      self.bytes = bytes
      self.updateEnds = updateEnds
      self.isUpdating = isUpdating
      self.isDrawing = isDrawing
      self.isUnfinished = isUnfinished
    }
  }

  private struct Burst: BitwiseCopyable {
    var start: Instant
    var end: Instant
    var isDrawn: Bool
    var isMerged = false
    var isUnfinished: Bool
    /// UnansweredKey is counted from then on: the output was not read before.
    var quietFrom: Instant
  }

  private var burst: Burst?
  private var updateEnds = 0
  private var updateOpenedAt: Instant?
  private var lastUpdate: Instant?
  private var lastOutput: Instant?
  /// The longest pauses between two pieces, in the present and in the previous quarter of a second.
  private var pauses: (now: Int64, before: Int64) = (0, 0)
  private var pausesSince = Instant(nanoseconds: 0)
  /// The usual time between two synchronized updates, in nanoseconds; 0 if unknown.
  private var period: Int64 = 0
  private var frames: [Frame] = []
  /// Bytes that no `takeBytes` has fetched yet.
  private var bytes = 0

  package init() {}

  /// Whether the last output was part of a frame that is drawn.
  package private(set) var isDrawing = false

  /// When a burst will have ended if nothing more comes.
  package var deadline: Instant? {
    guard let burst, !burst.isUnfinished else { return nil }
    return burst.quietFrom.advanced(byNanoseconds: silence)
  }

  /// The silence that ends a burst now, in nanoseconds.
  private var silence: Int64 {
    // A whole quarter of a second is needed to know the longest pause.
    guard pauses.before > 0 else { return FrameMeter.silence }
    let longest = max(pauses.now, pauses.before)
    return min(FrameMeter.silence, max(FrameMeter.leastSilence, longest / 2))
  }

  /// Ends the burst if there was silence after it.
  ///
  /// - Parameter wait: nanoseconds for which perfhud waited for a processor since the last output: that
  ///   was no silence of the program.
  /// - Returns: whether a burst ended.
  package mutating func endBurst(now: Instant, wait: Int64 = 0) -> Bool {
    guard let burst, !burst.isUnfinished else { return false }
    guard now.nanoseconds(since: burst.quietFrom) - wait >= silence else { return false }
    finish(burst, at: burst.end)
    return true
  }

  /// The output was not read up to now: what looked like silence was none.
  package mutating func hold(at now: Instant) { burst?.quietFrom = now }

  /// Takes note of output that has just been read. Call `endBurst` before.
  ///
  /// - Parameter wait: as for `endBurst`.
  package mutating func add(_ piece: Piece, at now: Instant, wait: Int64 = 0) {
    bytes += piece.bytes
    isDrawing = piece.isDrawing || piece.isUpdating || piece.updateEnds != updateEnds
    let pause = lastOutput.map { now.nanoseconds(since: $0) } ?? 0
    let wait = max(0, min(wait, pause))
    let unread = burst.map { $0.quietFrom.nanoseconds(since: $0.end) } ?? 0
    // It came when perfhud should have woken up, at the earliest.
    let time = now.advanced(byNanoseconds: -wait)
    notePause(pause - max(wait, unread), at: now)
    lastOutput = now
    let ends = piece.updateEnds - updateEnds
    updateEnds = piece.updateEnds
    noteOpenUpdate(piece, hasEnds: ends > 0, at: now)
    if ends > 0 {
      addUpdates(ends, at: time, pause: pause - wait)
      burst = nil
    } else if updateOpenedAt != nil {
      // What came before is part of the update.
      burst = nil
    } else if !isBesideUpdates(now) {
      addToBurst(piece, at: time, readAt: now, pause: pause)
    }
  }

  private mutating func noteOpenUpdate(_ piece: Piece, hasEnds: Bool, at now: Instant) {
    guard piece.isUpdating else {
      updateOpenedAt = nil
      return
    }
    if hasEnds || updateOpenedAt == nil { updateOpenedAt = now }
    if let opened = updateOpenedAt, now.nanoseconds(since: opened) > FrameMeter.openUpdateLimit {
      updateOpenedAt = nil
      lastUpdate = nil
    }
  }

  /// Whether the program draws with synchronized updates, so that output beside them is no frame.
  private func isBesideUpdates(_ now: Instant) -> Bool {
    guard let lastUpdate else { return false }
    return now.nanoseconds(since: lastUpdate) < FrameMeter.updateMemory
  }

  /// Several updates that were read at once have come one by one, as far apart as usual, since the last read.
  private mutating func addUpdates(_ count: Int, at time: Instant, pause: Int64) {
    let gap = lastUpdate.map { time.nanoseconds(since: $0) } ?? 0
    if count == 1, gap > 0, gap < FrameMeter.pauseMemory {
      period += period == 0 ? gap : (gap - period) / 8
    }
    let step = max(0, min(period, min(pause, gap) / Int64(count)))
    for later in (0..<Int64(count)).reversed() {
      let end = time.advanced(byNanoseconds: -later * step)
      frames.append(Frame(time: end, isUpdate: true))
    }
    lastUpdate = time
  }

  /// - Parameter time: when it came, which is no later than when it was read.
  private mutating func addToBurst(
    _ piece: Piece, at time: Instant, readAt now: Instant, pause: Int64
  ) {
    guard var burst else {
      self.burst = Burst(
        start: time, end: time, isDrawn: piece.isDrawing, isUnfinished: piece.isUnfinished,
        quietFrom: now)
      return
    }
    if pause >= FrameMeter.ambiguousPause { burst.isMerged = true }
    burst.end = time
    burst.isDrawn = burst.isDrawn || piece.isDrawing
    burst.isUnfinished = piece.isUnfinished
    burst.quietFrom = now
    self.burst = burst
    if now.nanoseconds(since: burst.start) >= FrameMeter.burstLimit {
      self.burst?.isMerged = true
      if let burst = self.burst { finish(burst, at: now) }
    }
  }

  private mutating func finish(_ burst: Burst, at time: Instant) {
    frames.append(Frame(time: time, isDrawn: burst.isDrawn, isMerged: burst.isMerged))
    self.burst = nil
  }

  private mutating func notePause(_ pause: Int64, at now: Instant) {
    let age = now.nanoseconds(since: pausesSince)
    if age >= FrameMeter.pauseMemory {
      pauses = (0, age < 2 * FrameMeter.pauseMemory ? pauses.now : 0)
      pausesSince = now
    }
    guard pause >= FrameMeter.leastSilence, pause < FrameMeter.pauseMemory else { return }
    pauses.now = max(pauses.now, pause)
  }

  /// Hands over the frames that have ended since the last call, oldest first.
  package mutating func takeFrames(_ body: (Frame) -> Void) {
    for frame in frames { body(frame) }
    frames.removeAll(keepingCapacity: true)
  }

  /// How many bytes have come since the last call.
  package mutating func takeBytes() -> Int {
    defer { bytes = 0 }
    return bytes
  }
}
