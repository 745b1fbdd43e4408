/// How many cells a program has written, and how many of them showed the same before.
public struct RedundantWrites: BitwiseCopyable, Equatable, Sendable {
  /// Cells that text was written to, each as often as that happened.
  public internal(set) var written = 0
  /// Those of them that the last picture showed alike.
  public internal(set) var unchanged = 0

  public init() {}
}
