/// The frames of the program: when one ends, which cells it changes, and what of it was there before.
extension Compositor {
  /// The number of the program's synchronized updates that have ended, with one whose end is held back.
  package var updateEnds: Int { screen.updateEnds &+ (endHeldAt == nil ? 0 : 1) }

  /// Whether a synchronized update of the program is open, and its end has not come.
  package var isProgramUpdating: Bool { screen.isUpdating && endHeldAt == nil }

  /// See `Screen.takeDrawing`. What the model has not taken yet are lines of text.
  package mutating func takeDrawing() -> Bool { screen.takeDrawing() }

  /// A frame of the program has ended by silence; one that ends with its synchronized update is seen by the
  /// screen.
  package mutating func noteFrameEnd() {
    if screen.frames.answers.isOn { synchronize() }
    screen.noteFrameEnd()
  }

  /// Begins to look for the frame that answers a key: see `AnswerWatch`.
  package mutating func beginTrial() {
    synchronize()
    screen.beginTrial(hasFrame: endHeldAt != nil)
  }

  /// What the frames since the key say, if it is being looked for its answer.
  ///
  /// - Parameter isLast: no more frames can be waited for.
  package mutating func judgeTrial(isLast: Bool) -> AnswerWatch.Judgement {
    screen.frames.answers.judge(isLast: isLast)
  }

  /// Ends looking for an answer. Frames from now on say which cells the animation changes.
  package mutating func endTrial() { screen.frames.answers.endTrial() }

  /// Frames are no longer compared.
  package mutating func stopWatch() { screen.frames.answers.stop() }

  /// Cells that frames change from now on, or not any more, belong to the animation.
  package mutating func learnAnimation(_ isOn: Bool) { screen.frames.answers.learns = isOn }

  /// Counts what the program writes although it was there, or stops doing so: see `takeRewrites`.
  package mutating func countRedundantWrites(_ isOn: Bool) {
    if isOn { synchronize() }
    screen.countRedundantWrites(isOn)
  }

  /// The cells that were written since the last call, and how many of them the frame before showed alike.
  package mutating func takeRewrites() -> RedundantWrites {
    defer { screen.frames.redundant.counts = RedundantWrites() }
    return screen.frames.redundant.counts
  }
}
