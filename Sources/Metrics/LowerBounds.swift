import Base
import Sampler

/// Whether the CPU figures of a tree are lower bounds. Pure.
///
/// The time is one from the first end on of which a part is not known. A share is one as long as such an end
/// may lie in its window: 1 s.
struct LowerBounds: BitwiseCopyable, Sendable {
  private static let window: Int64 = 1_000_000_000

  private(set) var ofTime = false
  private(set) var ofShare = false
  private var unknownEnds: UInt32 = 0
  private var last: Instant?

  mutating func update(_ sample: Sample) {
    if sample.unknownEnds != unknownEnds {
      unknownEnds = sample.unknownEnds
      last = sample.time
    }
    let isRecent = last.map { sample.time.nanoseconds(since: $0) < LowerBounds.window } ?? false
    ofTime = ofTime || unknownEnds > 0 || sample.leftOutProcesses > 0
    ofShare = isRecent || sample.leftOutProcesses > 0
  }
}
