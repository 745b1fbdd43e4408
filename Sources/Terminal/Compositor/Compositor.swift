import PerfHUDBase

/// Draws the HUD over a program's screen while the program's bytes pass to the terminal verbatim.
///
/// The bytes go through the screen model, which stops before a sequence that would move what the HUD covers, or that
/// leads to a state that could not be restored. The bytes before it are sent. Then the HUD is erased: what is beneath
/// is painted from the model, which equals the terminal at this byte. The sequence passes, and the HUD is painted again
/// when the output pauses. Output that only overwrites the HUD is repaired afterward. After each of these steps the
/// terminal is in the state in which the program left it: docs/TRANSPARENCY.md has the promise and its exceptions.
///
///     let count = pty.read(into: compositor.space)
///     compositor.pass(count, now: now, to: &queue)     // erases if it must
///     compositor.settle(now: now, isIdle: true, to: &queue)  // repairs, paints
///
/// It reads no clock and writes only into the queue; it allocates nothing while it runs.
package struct Compositor: ~Copyable {
  /// At most this many bytes are passed at once.
  package static let chunk = 64 << 10
  /// At most this many bytes of an unfinished string are held back. A longer one (an image) passes with the HUD erased.
  static let heldLimit = 60_000
  /// How long the end of an update is held back while nothing comes after it, in nanoseconds.
  static let heldEndLimit: Int64 = 4_000_000
  /// How long to wait for a program to end its update, in nanoseconds.
  static let openUpdateLimit: Int64 = 120_000_000
  /// Up to this many changed cells need no synchronized update.
  static let fewCells = 8

  /// What the terminal shows beneath the HUD.
  package internal(set) var screen: Screen
  /// The terminal's own size. The model is limited to `Screen.sizeLimit`, so it does not match a larger terminal.
  var size: Size
  /// Whether to draw what is beneath instead of the HUD. Everything else is done as if the HUD were drawn, so that any
  /// side effect is visible from outside.
  package let isGhost: Bool
  /// Whether the terminal has synchronized updates (`?2026`), so that the moment without the HUD is never visible.
  package var hasSynchronizedUpdates = false
  /// Whether the HUD waits for the last synchronized update if the program ends several in one `pass`, but no longer
  /// than streaming output may go uninterrupted.
  package var joinsUpdates = false
  /// Whether nothing is drawn yet although the HUD is wanted: the kind of terminal is not known, or the program has just
  /// left the alternate screen.
  package var isDelayed = false
  /// Whether the HUD stays as it is, unless the program's output erases it or it is hidden, because the link is
  /// saturated.
  package var isPaused = false
  /// Whether bytes of the HUD have been sent; the reader resets it.
  package var hasSentHUDBytes = false
  /// Whether to paint the HUD rarely in a flood on a terminal without synchronized updates: see `takeFloodRest`.
  package var pausesFloods = false

  // MARK: The HUD

  private(set) var styles: HUDStyles
  /// What the HUD should have on the terminal; empty while it is hidden.
  var wanted = WindowPicture()
  var hasChanges = false

  // MARK: The terminal

  /// What the HUD has on the terminal; empty while it is erased. A cell is clear where the terminal shows the program's
  /// cell, and unknown where the program may have overwritten a cell of the HUD.
  var painted = WindowPicture()
  /// The rows of the terminal in which half of a wide character beside the HUD has ever been blanked.
  let hasCutEdge = UncheckedBuffer<Bool>(repeating: false, count: Screen.sizeLimit)
  /// The text of a run of the HUD's cells, until it is in the queue.
  let text = UncheckedBuffer<UInt8>(zeroed: Screen.sizeLimit * 4)
  /// Whether an update of our own is open.
  var isUpdateOpen = false
  /// Whether something of ours was sent after the program's last byte.
  var hasInjected = false
  /// Whether the terminal is within a sequence, because part of one had to be sent.
  var isWithinSequence = false
  /// How often the HUD had to be erased in a state that no sequence restores. This was done with DECSC and DECRC, so
  /// the program's saved cursor was lost. The stops are there to keep it at 0.
  package internal(set) var lateErases = 0
  var pace = RepaintPace()
  var programUpdate = ProgramUpdate()
  /// When the program requested another width (DECCOLM); `nil` once the width has changed.
  var widthAskedAt: Instant?
  var resizeReflow = ResizeReflow()

  // MARK: Bytes

  /// The program's bytes that are held back, modeled and sent.
  var programBytes: ProgramBytes
  /// Passthrough needs at least this many bytes at once. Tests lower it.
  package var leastPassthrough = Pty.piece
  /// The output since the start, as long as it is useful.
  var startOutput: StartupOutput?
  var own = OwnSequences()

  /// - Parameters:
  ///   - size: the size of the terminal.
  ///   - options: what is known about the terminal.
  ///   - styles: what the style numbers in the HUD's cells stand for.
  ///   - isShared: whether the program's output has to outlive this process. If so, call `checkpoint`.
  package init(
    size: Size, options: Screen.Options, styles: [Style], isGhost: Bool = false,
    isShared: Bool = false
  ) {
    programBytes = ProgramBytes(isShared: isShared)
    screen = Screen(size, options: options)
    self.size = size
    self.styles = HUDStyles(styles)
    self.isGhost = isGhost
    startOutput = options.startsUnknown ? StartupOutput(size: screen.size) : nil
  }

  /// Whether the HUD is on the terminal.
  package var isPainted: Bool { !painted.isEmpty }
  /// Whether it should be there: `show` was called, and `hide` has not been called since.
  package var isWanted: Bool { !wanted.isEmpty }
  /// The number of bytes of the program that were passed.
  package var passedBytes: UInt64 { programBytes.passed }

  // MARK: What is wanted

  /// Puts the HUD's picture at a place, from the next `settle` on.
  ///
  /// - Parameter place: must have the grid's size, and leave the last column of the screen free, since it carries the
  ///   mark of a line that continues in the next.
  package mutating func show(_ grid: borrowing CellGrid, at place: Rect) {
    show(grid, parts: RectList(place), at: place)
  }

  /// Removes the HUD at the next `settle`.
  package mutating func hide() {
    wanted.remove()
  }

  /// Marks all cells of the HUD as unknown, so that the next `settle` sends them again: something else may have written
  /// to the terminal.
  package mutating func invalidateHUD() {
    painted.forgetAll()
    hasChanges = true
  }

  /// Changes the styles that the numbers in the HUD's cells stand for; there must be as many as before.
  package mutating func setStyles(_ styles: [Style]) {
    guard styles.count == self.styles.count else { return }
    self.styles = HUDStyles(styles)
    invalidateHUD()
  }

  /// Sets the quirks when the terminal turns out to be of another kind.
  package mutating func setQuirks(_ quirks: TerminalQuirks) {
    synchronize()
    screen.setQuirks(quirks)
  }

  /// Notes that something else was sent, such as a question.
  package mutating func noteInjection() {
    synchronize()
    hasInjected = true
  }

  // MARK: Updates

  /// Opens an update of our own, unless the program has an open one that includes what we paint.
  mutating func beginUpdate(to queue: inout OutputQueue) {
    guard hasSynchronizedUpdates, !isUpdateOpen, !screen.isUpdating else { return }
    queue.append("\u{1B}[?2026h")
    isUpdateOpen = true
    hasInjected = true
  }

  /// Ends our update. One that the program has begun meanwhile stays open.
  mutating func endUpdate(to queue: inout OutputQueue) {
    guard isUpdateOpen else { return }
    isUpdateOpen = false
    guard !screen.isUpdating else { return }
    queue.append("\u{1B}[?2026l")
    hasInjected = true
  }
}

extension Screen {
  /// Whether part of a row has unknown or protected cells.
  func hasUnknownOrProtected(_ row: Int, _ from: Int, _ to: Int) -> Bool {
    let line = lines[lineIndex(row)]
    let used = min(to, Int(line.used))
    var bits = used < to ? line.blank.raw : 0
    for column in from..<max(from, used) { bits |= cells[line.start &+ column].raw }
    return bits & (Cell.Bits.unknown | Cell.Bits.protected) != 0
  }
}
