import PerfHUDBase

/// The time from a key to the frame that answers it.
///
/// If the program draws nothing by itself, the next frame is the answer. During an animation, the answer is a frame
/// that differs from it. `AnswerFinder` finds it; if it cannot, the key is counted as unclear. It reads no clock.
package struct AnswerMeter: Sendable {
  /// A key that was not answered for this long has no answer, in nanoseconds.
  package static let limit: Int64 = 5_000_000_000
  /// If more frames than this come without a key, they belong to an animation.
  static let framesOfAnswer = 3
  /// The pauses of an animation are at most this long, in nanoseconds, and at most three times the usual pause plus a
  /// margin.
  static let animationPause: Int64 = 1_100_000_000
  private static let pauseMargin: Int64 = 20_000_000
  /// Frames later than this after the last key have nothing to do with it.
  private static let settlingTime: Int64 = 1_000_000_000
  /// Until how long after a key to learn which cells the animation changes.
  private static let learningTime: Int64 = 3_000_000_000

  /// The oldest key that no frame has answered.
  private var key: Instant?
  private var isTrial = false
  private var lastKey: Instant?
  private var lastFrame: Instant?
  private var framesSinceKey = 0
  private var isAnimating = false
  /// The usual time between two frames without a key between them, in nanoseconds; 0 if unknown.
  private var gap: Int64 = 0
  /// The times of the frames since the key.
  private var times: [Instant] = []
  /// The number of them that have been judged.
  private var judgedFrames = 0
  private var answers: [Int64] = []
  private var unclear = 0

  package init() {}

  /// Notes a key that the program was given.
  package mutating func noteKey(at now: Instant, _ compositor: inout Compositor) {
    lastKey = now
    framesSinceKey = 0
    if isTrial {
      let judgement = compositor.judgeTrial(isLast: true)
      if judgement == .pending, !isOver(now) {
        // A single frame may have been the last of an animation, or the answer.
        guard times.count == 1, !animates(now) else { return }
        key = nil
        isTrial = false
      } else {
        finishTrial(judgement.atLast)
      }
      compositor.endTrial()
    }
    // Further keys before the answer are answered together with the first.
    guard key == nil || isOver(now) else { return }
    key = now
    isTrial = animates(now)
    guard isTrial else { return compositor.stopComparingFrames() }
    times.removeAll(keepingCapacity: true)
    judgedFrames = 0
    compositor.beginTrial()
  }

  /// Forgets the key, since the program was stopped and does not answer it.
  package mutating func forgetKey(_ compositor: inout Compositor) {
    if isTrial { compositor.endTrial() }
    key = nil
    isTrial = false
  }

  private func isOver(_ now: Instant) -> Bool {
    guard let key else { return true }
    return now.nanoseconds(since: key) >= AnswerMeter.limit
  }

  private func animates(_ now: Instant) -> Bool {
    guard isAnimating, let lastFrame else { return false }
    return now.nanoseconds(since: lastFrame) < longestPause
  }

  /// A longer pause means that there is no animation.
  private var longestPause: Int64 {
    guard isAnimating, gap > 0 else { return AnswerMeter.animationPause }
    return min(AnswerMeter.animationPause, 3 * gap + AnswerMeter.pauseMargin)
  }

  /// Notes the end of a frame. Call `judge` after it.
  package mutating func noteFrame(at time: Instant) {
    let pause = lastFrame.map { time.nanoseconds(since: $0) } ?? .max
    if pause >= longestPause {
      isAnimating = false
      framesSinceKey = 0
      gap = 0
    } else if framesSinceKey > 0 {
      gap += gap == 0 ? pause : (pause - gap) / 4
    }
    lastFrame = lastFrame.map { max($0, time) } ?? time
    framesSinceKey += 1
    if framesSinceKey > AnswerMeter.framesOfAnswer { isAnimating = true }
    guard let key else { return }
    if isTrial {
      times.append(time)
    } else if time >= key {
      let nanoseconds = time.nanoseconds(since: key)
      if nanoseconds < AnswerMeter.limit { answers.append(nanoseconds) }
      self.key = nil
    }
  }

  /// Checks whether the frames since the key have answered it, and follows the animation for a while.
  package mutating func judge(at now: Instant, _ compositor: inout Compositor) {
    if isTrial { judgeTrial(at: now, &compositor) }
    guard !isTrial, let lastKey else { return }
    let age = now.nanoseconds(since: lastKey)
    if age >= AnswerMeter.learningTime {
      compositor.stopComparingFrames()
      self.lastKey = nil
    } else {
      compositor.learnAnimation(age >= AnswerMeter.settlingTime)
    }
  }

  private mutating func judgeTrial(at now: Instant, _ compositor: inout Compositor) {
    let pause = times.last.map { now.nanoseconds(since: $0) } ?? 0
    let isLast = isOver(now) || pause >= AnswerMeter.animationPause
    guard isLast || times.count != judgedFrames else { return }
    judgedFrames = times.count
    var judgement = compositor.judgeTrial(isLast: isLast)
    if isLast, judgement == .pending {
      // It is the only frame since the key, and none came after it.
      judgement = times.count == 1 && !isOver(now) ? .answer(0) : .unclear
    }
    guard judgement != .pending else { return }
    finishTrial(judgement)
    compositor.endTrial()
  }

  private mutating func finishTrial(_ judgement: AnswerFinder.Judgement) {
    switch judgement {
    case .pending: return
    case .answer(let frame):
      if let key, frame < times.count {
        let nanoseconds = times[frame].nanoseconds(since: key)
        if nanoseconds >= 0, nanoseconds < AnswerMeter.limit { answers.append(nanoseconds) }
      }
    case .unclear: unclear += 1
    }
    key = nil
    isTrial = false
  }

  /// Hands over each time from a key to its answer since the last call, in nanoseconds; `nil` if it is unclear which
  /// frame was the answer.
  package mutating func take(_ body: (Int64?) -> Void) {
    for answer in answers { body(answer) }
    answers.removeAll(keepingCapacity: true)
    for _ in 0..<unclear { body(nil) }
    unclear = 0
  }
}

extension AnswerFinder.Judgement {
  /// The final judgment, when no more frames are waited for.
  var atLast: AnswerFinder.Judgement { self == .pending ? .unclear : self }
}
