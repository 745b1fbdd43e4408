import HUD
import PerfHUDBase
import Terminal

/// The input from an overlay's terminal: keys for the command and the HUD, and answers to perfhud.
struct TerminalInput {
  private var router: InputRouter
  private var questions: TerminalQuestions
  private var pace: HUDUpdatePace
  private var buffer = [UInt8](repeating: 0, count: 4096)

  /// The bytes of one read, on their way to the command and the HUD.
  struct Piece {
    fileprivate let bytes: [UInt8]
    fileprivate let count: Int
    fileprivate var index = 0
    fileprivate let keysBefore: Int
    /// The bytes for the command.
    fileprivate(set) var passed: [UInt8] = []

    /// Whether the terminal has gone.
    var isEnd: Bool { count == 0 }
  }

  /// - Parameters:
  ///   - features: the features whose questions have just been sent to the terminal.
  ///   - scrollsOut: whether to scroll the rows above the cursor into the history first.
  init(
    features: TerminalFeatures, prefixKey: PrefixKey?, term: String?, scrollsOut: Bool, now: Instant
  ) {
    router = InputRouter(features: features, prefixKey: prefixKey)
    pace = HUDUpdatePace(number: 0, now: now)
    questions = TerminalQuestions(term: term, scrollsOut: scrollsOut, router: &router, now: now)
  }

  // MARK: Keys

  /// Whether keys go to the HUD.
  var hasHUDFocus: Bool { router.hasHUDFocus }

  /// Whether the terminal has the focus, as far as it was reported.
  var hasFocus: Bool { router.hasFocus }

  /// Whether the command has requested a keyboard that sends keys as sequences.
  var hasRichKeyboard: Bool {
    get { router.hasRichKeyboard }
    set { router.hasRichKeyboard = newValue }
  }

  /// Moves the focus back to the command.
  mutating func endHUDFocus() { router.endHUDFocus() }

  /// Whether only the next key is for the HUD.
  var awaitsOneKey: Bool { router.awaitsOneKey }

  /// The keys and mouse events for the HUD since the last call.
  mutating func takeHUDEvents() -> (keys: [Key], mouse: [MouseEvent]) {
    (router.takeKeys(), router.takeMouse())
  }

  /// Sets the windows of the HUD that the mouse can reach.
  ///
  /// - Parameter pixels: the size of a cell if the mouse is reported in pixels.
  mutating func setWindows(_ windows: RectList, pixels: Size? = nil) {
    router.setWindows(windows, pixels: pixels)
  }

  /// Reads the available bytes.
  ///
  /// - Returns: `nil` when there are none.
  mutating func read(from tty: borrowing TTY, isReady: Bool) -> Piece? {
    guard let count = readBytes(tty, isReady) else { return nil }
    return Piece(bytes: buffer, count: count, keysBefore: router.passedKeys)
  }

  /// The number of bytes read; 0 when the terminal has gone, `nil` when there are none.
  private mutating func readBytes(_ tty: borrowing TTY, _ isReady: Bool) -> Int? {
    do {
      return try unsafe buffer.withUnsafeMutableBytes {
        try unsafe tty.read(into: $0, isReady: isReady)
      }
    } catch {
      return 0
    }
  }

  /// Takes the next bytes up to a key for the HUD. Handle that key first, since later keys may be for the command
  /// again.
  ///
  /// - Parameter focus: where in the HUD its keys go.
  /// - Returns: whether anything was taken.
  mutating func takeNext(_ piece: inout Piece, focus: KeyFocus, now: Instant) -> Bool {
    guard piece.index < piece.count else { return false }
    router.follow(focus)
    let bytes = piece.bytes
    let rest = bytes.span.extracting(piece.index..<piece.count)
    piece.index += unsafe router.take(rest.bytes, at: now, into: &piece.passed)
    return true
  }

  /// Whether a taken piece contains keys for the command.
  func hasKeys(_ piece: Piece) -> Bool { router.passedKeys > piece.keysBefore }

  /// The bytes for the command that waited for the clock.
  mutating func resolve(now: Instant) -> [UInt8] {
    var passed: [UInt8] = []
    router.resolve(now: now, into: &passed)
    return passed
  }

  // MARK: Answers

  /// Whether an answer to perfhud is still to come.
  var isExpecting: Bool { router.isExpecting }

  /// Whether the command's output waits for an answer.
  var holdsOutput: Bool { questions.holdsOutput }

  /// Whether to wait for answers after the command's end.
  var awaitsLastAnswers: Bool { questions.awaitsLastAnswers }

  /// The latest time at which an answer to a sent question can still be expected.
  var lastAnswerDue: Instant {
    let due = questions.lastAnswerDue
    guard let asked = pace.askedAt else { return due }
    return max(due, asked.advanced(bySeconds: TerminalQuestions.patience))
  }

  /// Whether the terminal is an xterm, which does not wrap its lines again when its width changes.
  var isXterm: Bool { router.features.version.hasPrefix("XTerm") }

  /// The terminal's background color in 24 bits, if it has reported one.
  var background: UInt32? { router.features.background }

  /// Notes how often the command has asked for the cursor.
  mutating func note(cursorQuestions count: Int) { router.note(cursorQuestions: count) }

  /// Takes the answers that have arrived, and gives up on late ones.
  mutating func takeAnswers(
    _ compositor: inout Compositor, _ output: inout TerminalOutput, _ tty: borrowing TTY,
    now: Instant
  ) {
    questions.takeAnswers(&router, &compositor, &output, tty, now: now)
    pace.noteAnswers(now: now) { router.isDone(question: $0) }
    if output.isSlow(now: now) { pace.noteSlowTerminal() }
  }

  // MARK: A slow link

  /// Whether an update of the HUD may be sent: see `HUDUpdatePace`.
  func allowsUpdate(now: Instant) -> Bool {
    pace.allowsUpdate(now: now, isAwaited: router.hasHUDFocus)
  }

  /// When an update that is not allowed now may be sent, if nothing arrives.
  var updateDeadline: Instant { pace.deadline }

  /// Asks the terminal after the HUD was painted, if the link is slow.
  mutating func askBehindUpdate(
    _ compositor: inout Compositor, _ output: inout TerminalOutput, now: Instant
  ) {
    guard compositor.hasSentHUDBytes, pace.wantsQuestion, compositor.screen.isAtGround else {
      return
    }
    compositor.hasSentHUDBytes = false
    output.queue.append("\u{1B}[6n")
    compositor.noteInjection()
    pace.ask(number: router.expectCursor(at: now), now: now)
  }

  /// Lets the HUD appear once it has stayed away for long enough.
  mutating func endDelay(_ compositor: inout Compositor, lastOutput: Instant?, now: Instant) {
    questions.endDelay(router, &compositor, lastOutput: lastOutput, now: now)
  }

  /// Asks for the cursor if its position is unknown and the command does not place it.
  mutating func askCursor(
    _ compositor: inout Compositor, _ output: inout TerminalOutput, now: Instant
  ) {
    questions.askCursor(&router, &compositor, &output, now: now)
  }

  /// Notes that the command has left the alternate screen.
  mutating func noteAlternateEnd(now: Instant) { questions.noteAlternateEnd(now: now) }

  /// The command has ended: the next reader of the terminal must not get the answers as keys.
  mutating func awaitLastAnswers() { questions.awaitLastAnswers(until: lastAnswerDue) }

  /// Notes that the terminal's size has changed.
  mutating func noteResize(_ compositor: borrowing Compositor, now: Instant) {
    questions.noteResize(compositor, now: now)
  }

  /// Notes that the command was stopped, so the cursor need not be known any more.
  mutating func noteStop() { questions.cancel() }

  /// Forgets everything pending, since another process has had the terminal.
  mutating func reset() {
    router.reset()
    pace.reset()
  }

  /// Starts over, since another process has had the terminal.
  mutating func startOver(_ compositor: inout Compositor, now: Instant) {
    questions.startOver(&compositor, now: now)
  }

  /// When there is something to do if nothing comes.
  ///
  /// - Parameter isEnded: whether the command has ended.
  func deadline(
    _ compositor: borrowing Compositor, _ output: borrowing TerminalOutput, lastOutput: Instant?,
    isEnded: Bool, now: Instant
  ) -> Instant? {
    let hasAnswered = router.features.isComplete
    let question =
      isEnded
      ? nil : questions.nextQuestion(compositor, output, hasAnswered: hasAnswered, now: now)
    let due = questions.deadline(passedBytes: compositor.passedBytes, lastOutput: lastOutput)
    return earliest(earliest(router.deadline, question), due)
  }
}
