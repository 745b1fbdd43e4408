import PerfHUDBase
import Sampler

/// Something that happens often: a frame, or output of the program under the overlay. Much smaller than a `Record`,
/// which has room for a sample, so a recording of days is folded without copying that room.
package enum Activity: BitwiseCopyable, Sendable {
  /// As `Record.frame`.
  case frame(Instant, FrameSource, missed: UInt32)
  /// As `Record.mergedFrame`.
  case mergedFrame(Instant)
  /// As `Record.updateFrame`.
  case updateFrame(Instant)
  /// As `Record.output`.
  case output(bytes: UInt64, Instant)
  /// As `Record.cells`.
  case cells(written: UInt64, unchanged: UInt64, Instant)

  /// When it happened.
  package var time: Instant {
    switch self {
    case .frame(let time, _, _), .mergedFrame(let time), .updateFrame(let time),
      .output(_, let time), .cells(_, _, let time):
      time
    }
  }

  /// The same as a record.
  package var record: Record {
    switch self {
    case .frame(let time, let source, let missed): .frame(time, source, missed: missed)
    case .mergedFrame(let time): .mergedFrame(time)
    case .updateFrame(let time): .updateFrame(time)
    case .output(let bytes, let time): .output(bytes: bytes, time)
    case .cells(let written, let unchanged, let time):
      .cells(written: written, unchanged: unchanged, time)
    }
  }
}

extension Record {
  /// The same as an `Activity`; `nil` if it is something that does not happen often.
  package var activity: Activity? {
    switch self {
    case .frame(let time, let source, let missed): .frame(time, source, missed: missed)
    case .mergedFrame(let time): .mergedFrame(time)
    case .updateFrame(let time): .updateFrame(time)
    case .output(let bytes, let time): .output(bytes: bytes, time)
    case .cells(let written, let unchanged, let time):
      .cells(written: written, unchanged: unchanged, time)
    default: nil
    }
  }
}
