/// How many cells a program has written, and how many of them showed the same before.
public struct RedundantWrites: BitwiseCopyable, Equatable, Sendable {
  /// Cells that text was written to, each as often as that happened.
  public internal(set) var written = 0
  /// Those of them that the last picture showed alike.
  public internal(set) var unchanged = 0

  public init() {}
}

/// Compares what is written with the last picture; see `Screen+RedundantWrites`.
struct RedundantWriteCounter: ~Copyable {
  var isOn = false
  /// The last picture, each line where its cells are; empty while nothing is counted.
  var picture = UncheckedBuffer<Cell>(zeroed: 0)
  var counts = RedundantWrites()
}

/// What is watched of the program's frames, while that is wanted.
struct FrameWatch: ~Copyable {
  /// What each frame changes.
  var answers = AnswerWatch()
  var redundant = RedundantWriteCounter()
}
