import PerfHUDBase
import Recording
import Terminal

/// Passes the command's output to the recording of its screen, if there is one.
struct RecordedOutput {
  private let recorder: ScreenRecorder?
  private var hasBegun = false

  init(_ recorder: ScreenRecorder?) { self.recorder = recorder }

  /// Takes output before the compositor passes it.
  ///
  /// - Parameter count: the number of bytes in the compositor's space.
  mutating func take(_ count: Int, _ compositor: borrowing Compositor, now: Instant) {
    guard let recorder else { return }
    if !hasBegun { begin(recorder, compositor, now: now) }
    unsafe recorder.add(UnsafeRawBufferPointer(rebasing: compositor.space[..<count]), at: now)
  }

  /// Begins the recording where the cursor is, not at the top of an empty screen.
  private mutating func begin(
    _ recorder: ScreenRecorder, _ compositor: borrowing Compositor, now: Instant
  ) {
    hasBegun = true
    let cursor = compositor.screen.cursor
    guard compositor.screen.isCursorKnown, cursor != Point(row: 0, column: 0) else { return }
    recorder.add(picture: Array("\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H".utf8), at: now)
  }

  /// Records a change of the terminal's size.
  func resize(to size: TerminalSize, now: Instant) {
    recorder?.add(columns: size.columns, rows: size.rows, at: now)
  }

  /// Records what the screen shows, once there is room again after too much output.
  func fillGap(_ compositor: inout Compositor, _ output: inout TerminalOutput, now: Instant) {
    guard let recorder, recorder.needsPicture,
      let picture = compositor.picture(scratch: &output.scratch)
    else { return }
    recorder.add(picture: picture, at: now)
  }
}
