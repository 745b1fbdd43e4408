/// Frames of the program: when a frame ends, which cells it changes, and what was already there before.
extension Compositor {
  /// The number of the program's synchronized updates that have ended, including one whose end is held back.
  package var updateEnds: Int { screen.updateEnds &+ (programUpdate.isEndHeld ? 1 : 0) }

  /// Whether the program has a synchronized update open, whose end has not come.
  package var isProgramUpdating: Bool { screen.isUpdating && !programUpdate.isEndHeld }

  /// See `Screen.takeDrawing`. Output that is not modeled yet consists of lines of text.
  package mutating func takeDrawing() -> Bool { screen.takeDrawing() }

  /// See `Screen.takeRedraw`.
  package mutating func takeRedraw() -> Bool { screen.takeRedraw() }

  /// Notes that a frame of the program has ended by silence. The screen itself notices the end of a synchronized
  /// update.
  package mutating func noteFrameEnd() {
    if screen.frames.answers.isOn { synchronize() }
    screen.noteFrameEnd()
  }

  /// Starts looking for the frame that answers a key: see `AnswerFinder`.
  package mutating func beginTrial() {
    synchronize()
    screen.beginTrial(hasFrame: programUpdate.isEndHeld)
  }

  /// Judges the frames since the key, if its answer is being looked for.
  ///
  /// - Parameter isLast: whether no more frames can be waited for.
  package mutating func judgeTrial(isLast: Bool) -> AnswerFinder.Judgement {
    screen.frames.answers.judge(isLast: isLast)
  }

  /// Stops looking for an answer. Frames from now on show which cells the animation changes.
  package mutating func endTrial() { screen.frames.answers.endTrial() }

  /// Stops comparing frames.
  package mutating func stopComparingFrames() { screen.frames.answers.stop() }

  /// Sets whether cells that frames change from now on belong to the animation.
  package mutating func learnAnimation(_ isOn: Bool) { screen.frames.answers.learns = isOn }

  /// Starts or stops counting what the program writes although it was already there: see `takeRedundantWrites`.
  package mutating func countRedundantWrites(_ isOn: Bool) {
    if isOn { synchronize() }
    screen.countRedundantWrites(isOn)
  }

  /// The number of cells written since the last call, and how many of them looked the same in the previous frame.
  package mutating func takeRedundantWrites() -> RedundantWrites {
    defer { screen.frames.redundant.counts = RedundantWrites() }
    return screen.frames.redundant.counts
  }
}
