import PerfHUDBase

/// Finds the frames of a program in its output.
///
/// While the program uses synchronized updates, each of them is a frame and nothing else is. Otherwise a burst of
/// output followed by silence is a frame. The silence is 4 ms, or half the pause between bursts if these come more
/// often than every 8 ms. It reads no clock: the times come with the bytes, and `deadline` is when `endBurst` may end a
/// burst without further output.
///
/// Complexity: constant for each piece of output.
package struct FrameMeter: Sendable {
  /// The silence that ends a burst, in nanoseconds.
  package static let silence: Int64 = 4_000_000
  /// The least silence that can end a burst: the writes of one frame are closer together.
  package static let leastSilence: Int64 = 1_000_000
  /// A pause within a burst that might also be one between two frames.
  static let ambiguousPause: Int64 = 1_500_000
  /// For this long after a synchronized update a burst counts as part of a frame.
  static let updateMemory: Int64 = 1_000_000_000
  /// How long to wait for the end of an open synchronized update.
  static let openUpdateLimit: Int64 = 5_000_000_000
  /// A burst without an end becomes a frame after this time, and may be many.
  static let burstLimit: Int64 = 1_000_000_000
  /// Bursts further apart than this say nothing about the pause between two frames.
  private static let pauseMemory: Int64 = 250_000_000
  /// Redraws further apart than this are screens that a program clears now and then.
  private static let redrawMemory: Int64 = 10_000_000_000
  /// After such a pause a burst that draws over what is there is one frame, however long the pauses within it.
  private static let slowRedraw: Int64 = 100_000_000

  /// The end of a frame.
  package struct Frame: BitwiseCopyable, Equatable, Sendable {
    package var time: Instant
    /// Whether the program drew, instead of only printing lines.
    package var isDrawn: Bool
    /// Whether it may be several frames.
    package var isMerged: Bool
    /// Whether it was a synchronized update.
    package var isUpdate: Bool
    /// Whether it is one of several that draw over the same rows of the primary screen: see `Screen.takeRedraw`.
    package var isRedraw: Bool

    package init(
      time: Instant, isDrawn: Bool = true, isMerged: Bool = false, isUpdate: Bool = false,
      isRedraw: Bool = false
    ) {
      self.time = time
      self.isDrawn = isDrawn
      self.isMerged = isMerged
      self.isUpdate = isUpdate
      self.isRedraw = isRedraw
    }
  }

  /// A piece of output, and the state in which it left the screen.
  package struct Piece: BitwiseCopyable, Sendable {
    package var bytes: Int
    /// The number of synchronized updates that have ended since the start.
    package var updateEnds: Int
    package var isUpdating: Bool
    /// Whether it is more than lines of text: see `Screen.takeDrawing`.
    package var isDrawing: Bool
    /// Whether it draws over earlier rows: see `Screen.takeRedraw`.
    package var isRedraw: Bool
    /// Whether it ends within a character or sequence.
    package var isUnfinished: Bool

    package init(
      bytes: Int, updateEnds: Int = 0, isUpdating: Bool = false, isDrawing: Bool = true,
      isRedraw: Bool = false, isUnfinished: Bool = false
    ) {
      self.bytes = bytes
      self.updateEnds = updateEnds
      self.isUpdating = isUpdating
      self.isDrawing = isDrawing
      self.isRedraw = isRedraw
      self.isUnfinished = isUnfinished
    }
  }

  private struct Burst: BitwiseCopyable {
    var start: Instant
    var end: Instant
    var isDrawn: Bool
    var isRedraw: Bool
    var isMerged = false
    var isUnfinished: Bool
    /// The start of the silence: the output was not read before.
    var quietFrom: Instant
  }

  private var burst: Burst?
  private var updateEnds = 0
  private var updateOpenedAt: Instant?
  private var lastUpdate: Instant?
  private var lastRedraw: Instant?
  private var lastOutput: Instant?
  /// When the program was last given a key.
  private var lastKey: Instant?
  /// The longest pauses between two pieces, in the current and in the previous quarter of a second.
  private var pauses: (now: Int64, before: Int64) = (0, 0)
  private var pausesSince = Instant(nanoseconds: 0)
  /// The usual time between two synchronized updates, in nanoseconds; 0 if unknown.
  private var period: Int64 = 0
  private var frames: [Frame] = []
  /// The number of bytes that `takeBytes` has not returned yet.
  private var bytes = 0

  package init() {}

  /// Whether the last output was part of a drawn frame.
  package private(set) var isDrawing = false

  /// When a burst ends if nothing more comes.
  package var deadline: Instant? {
    guard let burst, !burst.isUnfinished else { return nil }
    return burst.quietFrom.advanced(byNanoseconds: silence)
  }

  /// The silence that currently ends a burst, in nanoseconds.
  private var silence: Int64 {
    // The longest pause is known only after a whole quarter of a second.
    guard pauses.before > 0 else { return FrameMeter.silence }
    let longest = max(pauses.now, pauses.before)
    return min(FrameMeter.silence, max(FrameMeter.leastSilence, longest / 2))
  }

  /// Ends the burst if it was followed by silence.
  ///
  /// - Parameter wait: how long perfhud waited for a processor since the last output, in nanoseconds. This does not
  ///   count as silence of the program.
  /// - Returns: whether a burst ended.
  package mutating func endBurst(now: Instant, wait: Int64 = 0) -> Bool {
    guard let burst, !burst.isUnfinished else { return false }
    guard now.nanoseconds(since: burst.quietFrom) - wait >= silence else { return false }
    finish(burst, at: burst.end)
    return true
  }

  /// Notes that the output was not read until now, so that this does not count as silence.
  package mutating func hold(at now: Instant) { burst?.quietFrom = now }

  /// Notes output that has just been read. Call `endBurst` before.
  ///
  /// - Parameter wait: as for `endBurst`.
  package mutating func add(_ piece: Piece, at now: Instant, wait: Int64 = 0) {
    bytes += piece.bytes
    isDrawing = piece.isDrawing || piece.isUpdating || piece.updateEnds != updateEnds
    let pause = lastOutput.map { now.nanoseconds(since: $0) } ?? 0
    let wait = max(0, min(wait, pause, sinceKey(at: now)))
    let unread = burst.map { $0.quietFrom.nanoseconds(since: $0.end) } ?? 0
    // It came at the earliest when perfhud should have woken up.
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
      // The output before it is part of the update.
      burst = nil
    } else if !isBesideUpdates(now) {
      addToBurst(piece, at: time, readAt: now, pause: pause)
    }
  }

  /// Notes a key that the program was given. Output that is read later did not come before it, however long perfhud
  /// waited for a processor. Otherwise a quick answer would seem to precede its key.
  package mutating func noteKey(at now: Instant) { lastKey = now }

  /// The time since the last key, in nanoseconds. Output that is read together with the key may have come before it.
  private func sinceKey(at now: Instant) -> Int64 {
    guard let lastKey, lastKey < now else { return .max }
    return now.nanoseconds(since: lastKey)
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

  /// Whether the program uses synchronized updates, so that output outside them is not a frame.
  private func isBesideUpdates(_ now: Instant) -> Bool {
    guard let lastUpdate else { return false }
    return now.nanoseconds(since: lastUpdate) < FrameMeter.updateMemory
  }

  /// Adds several updates that were read at once. They have come one by one since the last read, at the usual distance.
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

  /// - Parameter time: when it came, which may be earlier than when it was read.
  private mutating func addToBurst(
    _ piece: Piece, at time: Instant, readAt now: Instant, pause: Int64
  ) {
    guard var burst else {
      self.burst = Burst(
        start: time, end: time, isDrawn: piece.isDrawing, isRedraw: piece.isRedraw,
        isUnfinished: piece.isUnfinished, quietFrom: now)
      return
    }
    if pause >= FrameMeter.ambiguousPause { burst.isMerged = true }
    burst.end = time
    burst.isDrawn = burst.isDrawn || piece.isDrawing
    burst.isRedraw = burst.isRedraw || piece.isRedraw
    burst.isUnfinished = piece.isUnfinished
    burst.quietFrom = now
    self.burst = burst
    if now.nanoseconds(since: burst.start) >= FrameMeter.burstLimit {
      self.burst?.isMerged = true
      if let burst = self.burst { finish(burst, at: now) }
    }
  }

  private mutating func finish(_ burst: Burst, at time: Instant) {
    frames.append(
      Frame(
        time: time, isDrawn: burst.isDrawn, isMerged: burst.isMerged, isRedraw: isRedraw(burst)))
    if burst.isRedraw { lastRedraw = burst.end }
    self.burst = nil
  }

  private func isRedraw(_ burst: Burst) -> Bool {
    guard burst.isRedraw, let lastRedraw else { return false }
    let pause = burst.start.nanoseconds(since: lastRedraw)
    return pause <= FrameMeter.redrawMemory && (!burst.isMerged || pause >= FrameMeter.slowRedraw)
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

  /// The number of bytes that have come since the last call.
  package mutating func takeBytes() -> Int {
    defer { bytes = 0 }
    return bytes
  }
}
