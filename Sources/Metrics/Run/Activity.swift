import PerfHUDBase

/// Something that happens often: a frame, or output of the program under the overlay. Much smaller than a `Record`,
/// which has room for a sample, so a recording of days is folded without copying that room.
package enum Activity: BitwiseCopyable, Sendable {
  /// A frame ended at this time. `missed` frames were due since the previous one but did not happen.
  case frame(Instant, FrameSource, missed: UInt32)
  /// A frame of the program under the overlay ended at this time. It may be several frames that were too close together
  /// to be distinguished.
  case mergedFrame(Instant)
  /// A frame of the program under the overlay, a synchronized update or one of several redraws of the same rows, ended
  /// at this time.
  case updateFrame(Instant)
  /// The program under the overlay has written this many bytes since the previous record of this kind.
  case output(bytes: UInt64, Instant)
  /// The program under the overlay has written to `written` cells since the previous record of this kind; `unchanged`
  /// of them showed the same in the previous frame.
  case cells(written: UInt64, unchanged: UInt64, Instant)

  /// When it happened.
  package var time: Instant {
    switch self {
    case .frame(let time, _, _), .mergedFrame(let time), .updateFrame(let time),
      .output(_, let time), .cells(_, _, let time):
      time
    }
  }
}
