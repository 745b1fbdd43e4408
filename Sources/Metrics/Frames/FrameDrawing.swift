import PerfHUDBase
import Sampler

/// Decides whether a program draws frames, so that its frame rate says more about it than what it reads and
/// writes.
///
/// A compiler that rewrites a progress line draws now and then, too. So it requires frames that the program reports,
/// several synchronized updates or redraws of the same rows, keys that it answers with frames, or a steady rate. Once a
/// program draws frames, it counts as drawing until the target changes, so that the HUD does not switch back and forth.
struct FrameDrawing: Sendable {
  private static let leastUpdates = 3
  private static let leastAnswers = 2
  private static let leastFrames = 4
  /// More frames a second than a progress line draws, and how long this must last, in nanoseconds.
  private static let steadyRate = 15
  private static let steadyTime: Int64 = 2_000_000_000

  private(set) var drawsFrames = false
  private var updates = 0
  private var frames = 0
  private var answers = 0
  private var steadySince: Instant?

  /// - Parameter isUpdate: Whether the frame was a synchronized update, or drew over earlier rows.
  mutating func addFrame(_ source: FrameSource, isUpdate: Bool) {
    switch source {
    case .tick: return
    case .app: drawsFrames = true
    case .terminal:
      frames = min(frames + 1, FrameDrawing.leastFrames)
      if isUpdate { updates += 1 }
      if updates >= FrameDrawing.leastUpdates { drawsFrames = true }
    }
  }

  /// Notes that the program has answered a key.
  mutating func addAnswer() {
    answers = min(answers + 1, FrameDrawing.leastAnswers)
  }

  mutating func update(_ summary: FrameStatistics.Summary, _ source: FrameSource, at time: Instant)
  {
    guard source == .terminal, !drawsFrames else { return }
    if frames >= FrameDrawing.leastFrames, answers >= FrameDrawing.leastAnswers {
      drawsFrames = true
    }
    guard !summary.isIdle, summary.framesInLastSecond >= FrameDrawing.steadyRate else {
      steadySince = nil
      return
    }
    let since = steadySince ?? time
    steadySince = since
    if time.nanoseconds(since: since) >= FrameDrawing.steadyTime { drawsFrames = true }
  }
}
