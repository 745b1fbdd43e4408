import CProcess
import PerfHUDBase

/// Lays the HUD over a program's screen while the program's bytes pass to the terminal verbatim.
///
/// The bytes go through the screen model, which stops before a sequence that would move what the HUD covers, or that
/// leads to a state that could not be restored. The bytes before it are sent. Then the HUD is erased: what is beneath
/// is painted from the model, which equals the terminal at this byte. The sequence passes, and the HUD is painted
/// again when the output pauses.
/// What only overwrites the HUD is repaired afterwards. After each of these the terminal is in the
/// state in which the program left it: docs/TRANSPARENCY.md has the promise and its exceptions.
///
///     let count = pty.read(into: compositor.space)
///     compositor.pass(count, now: now, to: &queue)     // erases if it must
///     compositor.settle(now: now, isIdle: true, to: &queue)  // repairs, paints
///
/// It reads no clock and writes nowhere but into the queue; nothing is allocated while it runs.
package struct Compositor: ~Copyable {
  /// At most this many bytes are passed at once.
  package static let chunk = 64 << 10
  /// At most this many bytes of an unfinished string are held back. A longer one (an image) passes with the HUD erased.
  static let heldLimit = 60_000
  /// Streaming output is interrupted for the HUD this often, in nanoseconds.
  static let streamPeriod: Int64 = 8_000_000
  /// The same where the terminal shows nothing in between, since the HUD is erased within an update.
  static let updatePeriod: Int64 = 16_000_000
  /// The end of an update is held back for at most this long while nothing comes after it.
  static let heldEndLimit: Int64 = 4_000_000
  /// A program that keeps its update open for longer is no longer waited for.
  static let openUpdateLimit: Int64 = 120_000_000

  /// What the terminal shows beneath the HUD.
  package internal(set) var screen: Screen
  /// The terminal's own size. The model is clamped to `Screen.sizeLimit`, and does not equal a larger terminal.
  var size: Size
  /// Draws what is beneath instead of the HUD: everything is done as if it were drawn, so that
  /// whatever changes by that can be seen from outside.
  package let isGhost: Bool
  /// Whether the terminal has synchronized updates (`?2026`): then the moment without the HUD is never seen.
  package var hasSynchronizedUpdates = false
  /// Where a program ends several synchronized updates in one `pass`, the HUD waits for the last of them,
  /// but for no longer than streaming output is left alone.
  package var joinsUpdates = false
  /// Nothing is drawn meanwhile: what the terminal is has still to be found out.
  package var isHeld = false
  /// The HUD stays as it is, unless the program's output erases it or it is to be hidden: the link has no room for it.
  package var isPaused = false
  /// Bytes of the HUD have gone out; set it back once that was noted.
  package var hasPainted = false
  /// In a flood on a terminal without synchronized updates the HUD is painted seldom: see `takeFloodRest`.
  package var pausesFloods = false
  var flood = FloodPace()

  // MARK: The HUD

  /// The styles of the numbers in the HUD's cells.
  private(set) var styles: [Style]
  /// The SGR for each of them.
  private(set) var renditions: [[UInt8]]
  /// All windows in one picture; clear where there is none.
  var wanted = CellGrid(Size(rows: 0, columns: 0))
  /// The rectangle around all windows; `nil` while they are hidden.
  var place: Rect?
  /// The places that the windows are to have.
  var wantedParts = RectList()
  var hasChanges = false

  // MARK: The terminal

  /// What the terminal shows of the HUD: clear where the program's cell is, unknown where the program
  /// may have written over a cell of the HUD.
  var shown = CellGrid(Size(rows: 0, columns: 0))
  /// The rectangle around the HUD on the terminal; empty while it is erased.
  var drawn = Rect(row: 0, column: 0, rows: 0, columns: 0)
  /// Where its windows are on the terminal.
  var drawnParts = RectList()
  /// The rows of the terminal in which half of a wide character beside the HUD has ever been blanked.
  let hasCutEdge = UncheckedBuffer<Bool>(repeating: false, count: Screen.sizeLimit)
  /// The text of a run of the HUD's cells, until it is in the queue.
  let text = UncheckedBuffer<UInt8>(zeroed: Screen.sizeLimit * 4)
  /// An update of our own is open.
  var isUpdateOpen = false
  /// Something of ours went out since the program's last byte.
  var hasInjected = false
  /// The terminal is within a sequence: part of it had to be sent.
  var isWithinSequence = false
  /// How often the HUD had to be erased in a state that no sequence restores: by DECSC and DECRC, so
  /// that the program's saved cursor was lost. The stops are there to keep it at 0.
  package internal(set) var lateErases = 0
  var erasedAt = Instant(nanoseconds: 0)
  var paintedAt = Instant(nanoseconds: 0)
  var updateOpenedAt: Instant?
  /// How many updates of the program had ended when that was noted.
  var notedUpdateEnds = 0
  /// What is held back begins with the end of an update, which waits for a later one: when it came to that
  /// last.
  var endHeldAt: Instant?
  /// When the program has asked for another width (DECCOLM), which has not come yet.
  var widthAskedAt: Instant?

  /// The window has become taller, and by how many rows the terminal has moved its lines is still to be
  /// learned from its cursor.
  var move: PendingMove?

  struct PendingMove {
    /// Where the cursor and the HUD were before.
    var cursor: Point
    var drawn: Rect
  }

  // MARK: Bytes

  let buffer: UncheckedBuffer<UInt8>
  /// Whether the buffer is the supervisor's too, which has to be told what is in it.
  let isShared: Bool
  /// Bytes at the start of the buffer that are still wanted.
  var held = 0
  /// The number of them that are modelled.
  var modelled = 0
  /// The number of them that were sent to the terminal. Greater than `modelled` during passthrough; otherwise 0.
  var sent = 0
  /// With fewer bytes at once there is no passthrough. Tests lower it.
  package var leastPassthrough = Pty.piece
  /// What was passed since the start, while it is of use.
  var startOutput: StartupOutput?
  /// Counts every byte of the program that was passed.
  package internal(set) var passedBytes: UInt64 = 0
  /// Own sequences of the program (OSC 7337) that were taken out.
  package internal(set) var ownSequences = 0
  /// What they said, a line each, until it is taken. What one `pass` can bring has room.
  let ownLines = UncheckedBuffer<UInt8>(zeroed: Compositor.chunk)
  var ownCount = 0
  /// Own sequences that were not kept: too long, or not taken in time.
  package internal(set) var lostOwnSequences = 0

  /// - Parameters:
  ///   - size: that of the terminal.
  ///   - options: what is known of the terminal.
  ///   - styles: what the numbers in the HUD's cells mean.
  ///   - isShared: whether the program's output has to outlive this process. Then call `checkpoint`.
  package init(
    size: Size, options: Screen.Options, styles: [Style], isGhost: Bool = false,
    isShared: Bool = false
  ) {
    let room =
      max(Compositor.heldLimit, Compositor.passthroughLimit + Compositor.chunk) + Compositor.chunk
    if isShared, let shared = unsafe perfhud_journal_buffer() {
      buffer = unsafe UncheckedBuffer(sharing: shared, count: room)
      self.isShared = true
    } else {
      buffer = UncheckedBuffer(zeroed: room)
      self.isShared = false
    }
    screen = Screen(size, options: options)
    self.size = size
    self.styles = styles.isEmpty ? [.plain] : styles
    renditions = OutputQueue.renditions(of: self.styles)
    self.isGhost = isGhost
    startOutput = options.startsUnknown ? StartupOutput(size: screen.size) : nil
  }

  /// Whether the HUD is on the terminal.
  package var isDrawn: Bool { !drawn.isEmpty }
  /// Whether it is wanted there: `show` was called, and no `hide` since.
  package var isShown: Bool { place != nil }

  // MARK: What is wanted

  /// Puts the HUD's picture at a place, from the next `settle` on.
  ///
  /// - Parameter place: must be of the grid's size, and leave the last column of the screen free,
  ///   since that carries the mark of a line that goes on in the next.
  package mutating func show(_ grid: borrowing CellGrid, at place: Rect) {
    show(grid, parts: RectList(place), at: place)
  }

  /// Takes the HUD away at the next `settle`.
  package mutating func hide() {
    place = nil
  }

  /// Draws everything again at the next `settle`: something else may have written.
  package mutating func redrawAll() {
    for row in 0..<shown.size.rows { forgetShown(row, 0, shown.size.columns) }
    hasChanges = true
  }

  /// The numbers in the HUD's cells mean other styles from now on, as many as before.
  package mutating func setStyles(_ styles: [Style]) {
    guard styles.count == self.styles.count else { return }
    self.styles = styles
    renditions = OutputQueue.renditions(of: styles)
    redrawAll()
  }

  /// The terminal has turned out to be of another kind.
  package mutating func setQuirks(_ quirks: TerminalQuirks) {
    synchronize()
    screen.setQuirks(quirks)
  }

  /// Something else went out, such as a question.
  package mutating func noteInjection() {
    synchronize()
    hasInjected = true
  }

  // MARK: Updates

  /// Opens an update of our own, unless the program has one open that covers us.
  mutating func beginUpdate(to queue: inout OutputQueue) {
    guard hasSynchronizedUpdates, !isUpdateOpen, !screen.isUpdating else { return }
    queue.append("\u{1B}[?2026h")
    isUpdateOpen = true
    hasInjected = true
  }

  /// Ends it; one that the program has begun meanwhile stays open.
  mutating func endUpdate(to queue: inout OutputQueue) {
    guard isUpdateOpen else { return }
    isUpdateOpen = false
    guard !screen.isUpdating else { return }
    queue.append("\u{1B}[?2026l")
    hasInjected = true
  }
}

extension Screen {
  /// Whether a part of a row has unknown or protected cells.
  func hasUnknownOrProtected(_ row: Int, _ from: Int, _ to: Int) -> Bool {
    let line = lines[lineIndex(row)]
    let used = min(to, Int(line.used))
    var bits = used < to ? line.blank.raw : 0
    for column in from..<max(from, used) { bits |= cells[line.start &+ column].raw }
    return bits & (Cell.Bits.unknown | Cell.Bits.protected) != 0
  }
}
