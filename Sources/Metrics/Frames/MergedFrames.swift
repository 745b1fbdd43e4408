/// Decides whether the time of a frame counts if the frame may be several: one time instead of several is too long.
///
/// It does not count, unless more than half of the last 32 frames may be several. Then the program seems to pause
/// within its own frames, so that the sign says nothing.
package struct MergedFrames: BitwiseCopyable, Sendable {
  /// A bit for each of the last 32 frames, set if it may be several; the lowest is the newest.
  private var recent: UInt32 = 0

  package init() {}

  /// Notes a frame. Call it for each.
  ///
  /// - Parameter isMerged: whether the frame may be several.
  /// - Returns: whether its time does not count.
  package mutating func leavesOut(isMerged: Bool) -> Bool {
    recent = (recent << 1) | (isMerged ? 1 : 0)
    return isMerged && recent.nonzeroBitCount * 2 <= UInt32.bitWidth
  }
}
