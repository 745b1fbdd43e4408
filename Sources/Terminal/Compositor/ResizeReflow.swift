/// What is left to do after a change of the terminal's size, and what is known of the lines above the screen since then.
///
/// It cannot be copied, because it is large.
struct ResizeReflow: ~Copyable {
  /// A window that has become taller.
  struct PendingMove {
    /// Where the cursor and the HUD were before.
    var cursor: Point
    var paintedFrame: Rect
  }

  /// A change of size that must be redone once the cursor's position is known.
  struct PendingReflow {
    var before: ResizedLines
    var size: Size
  }

  /// Set while the terminal's cursor has not shown yet by how many rows its lines have moved.
  private var pendingMove: PendingMove?
  /// Set after a change of size until the terminal has reported its cursor.
  private var pendingReflow: PendingReflow?
  /// What the terminal has after a change of size, until the screen is painted.
  private(set) var unpainted: ResizedLines?
  /// The lines above the screen, as the terminal had them after the last change of size.
  private(set) var terminalPast: TerminalPast?
  /// Whether pieces of the HUD may be anywhere in unknown lines above the screen.
  private(set) var isPastScattered = false
  /// Whether the whole screen has to be painted.
  private(set) var needsRepaint = false

  /// Whether a report of the cursor's position is expected.
  var awaitsCursor: Bool { pendingMove != nil || pendingReflow != nil }
  var hasPendingReflow: Bool { pendingReflow != nil }
  /// Whether the cursor's row in the terminal is not known.
  var isCursorDoubtful: Bool { unpainted?.terminal.isCursorDoubtful == true }

  mutating func awaitCursor(_ move: PendingMove) { pendingMove = move }

  mutating func awaitCursor(_ reflow: PendingReflow) { pendingReflow = reflow }

  mutating func takePendingMove() -> PendingMove? { pendingMove.take() }

  /// Ends the wait for the cursor's position.
  ///
  /// - Returns: the change of size, and the lines that the terminal is expected to have after it.
  mutating func takePendingReflow() -> (pending: PendingReflow, expected: ReflowGrid)? {
    guard let pending = pendingReflow, let expected = unpainted?.terminal else { return nil }
    pendingReflow = nil
    return (pending, expected)
  }

  /// Notes what the terminal has, which is to be painted.
  mutating func note(_ lines: ResizedLines) { unpainted = lines }

  mutating func forgetUnpainted() { unpainted = nil }

  mutating func requestRepaint() { needsRepaint = true }

  /// Notes that the whole screen is painted now.
  ///
  /// - Returns: what the terminal has.
  mutating func takeUnpainted() -> ResizedLines? {
    needsRepaint = false
    return unpainted.take()
  }

  /// Notes that the size changes in a way that nobody follows, so that there is nothing to paint.
  mutating func cancelRepaint() {
    needsRepaint = false
    unpainted = nil
  }

  /// Notes what the terminal has above the screen.
  mutating func note(past: TerminalPast?) { terminalPast = past }

  mutating func noteScattered(_ isScattered: Bool) {
    isPastScattered = isPastScattered || isScattered
  }

  /// Forgets what is left to do, because another process has used the terminal.
  mutating func cancel() {
    pendingMove = nil
    pendingReflow = nil
    cancelRepaint()
  }
}
