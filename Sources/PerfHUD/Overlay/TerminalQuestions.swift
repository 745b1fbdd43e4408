import PerfHUDBase
import Terminal

/// Asks the terminal for its features and its cursor position. Until these are known, the HUD stays away.
struct TerminalQuestions {
  private let term: String?
  /// When the questions of the start were sent; `nil` once they are answered or given up.
  private var probedAt: Instant?
  private var query: CursorPositionQuery
  /// The cursor's position at the start, until all other answers of the start have arrived.
  private var startCursor: Point?
  /// Whether the rows above the cursor must still be scrolled into the history before the command writes.
  private var isScrollingOut: Bool
  private var delay: StartupDelay
  /// Until when to wait for answers after the command's end.
  private var lastAnswersUntil: Instant?

  /// How long after the question to wait for an answer at the end, in seconds.
  static let patience = 3.0

  /// Begins with the questions of the start, which were just sent.
  init(term: String?, scrollsOut: Bool, router: inout InputRouter, now: Instant) {
    self.term = term
    isScrollingOut = scrollsOut
    probedAt = now
    query = CursorPositionQuery(number: router.expectCursor(at: now, isProbe: true), now: now)
    delay = StartupDelay(passedBytes: 0, now: now)
  }

  var holdsOutput: Bool { query.holdsOutput }
  var awaitsLastAnswers: Bool { lastAnswersUntil != nil }

  /// The latest time at which an answer to a sent question can still be expected.
  var lastAnswerDue: Instant {
    max(probedAt ?? query.askedAt, query.askedAt).advanced(bySeconds: TerminalQuestions.patience)
  }

  mutating func awaitLastAnswers(until time: Instant) { lastAnswersUntil = time }

  /// After tmux has reported a size, it delays further sizes for this long, in nanoseconds. Its screen already has
  /// them, so nothing may be written until then.
  ///
  /// Source: tmux 3.3a, `server_client_check_pane_resize` in server-client.c.
  private static let tmuxRest: Int64 = 270_000_000

  /// Notes that the terminal's size has changed: the answer to an open question is outdated.
  mutating func noteResize(_ compositor: borrowing Compositor, now: Instant) {
    let rests = compositor.hasPendingMove && compositor.screen.delaysSizes
    query.startOver(after: rests ? now.advanced(byNanoseconds: TerminalQuestions.tmuxRest) : nil)
  }

  /// Starts over, since another process has had the terminal.
  mutating func startOver(_ compositor: inout Compositor, now: Instant) {
    query.startOver()
    delay = StartupDelay(passedBytes: compositor.passedBytes, now: now)
    compositor.isDelayed = true
  }

  /// Forgets the open question, since the command was stopped.
  mutating func cancel() {
    query.cancel()
    isScrollingOut = false
  }

  mutating func noteAlternateEnd(now: Instant) { delay.noteAlternateEnd(now: now) }

  /// Takes the answers that have arrived, and gives up on late ones.
  mutating func takeAnswers(
    _ router: inout InputRouter, _ compositor: inout Compositor, _ output: inout TerminalOutput,
    _ tty: borrowing TTY, now: Instant
  ) {
    takeFeatures(&router, &compositor, now: now)
    takeCursor(&router, &compositor, &output, tty, now: now)
    placeStart(&router, &compositor)
    if let due = lastAnswersUntil, now >= due || !router.isExpecting { lastAnswersUntil = nil }
  }

  private mutating func takeFeatures(
    _ router: inout InputRouter, _ compositor: inout Compositor, now: Instant
  ) {
    guard let probedAt else { return }
    let features = router.features
    if features.isComplete {
      compositor.hasSynchronizedUpdates = features.hasSynchronizedUpdates
      compositor.setQuirks(features.quirks)
      self.probedAt = nil
      developerLog(
        "developer-log: \(features.version), synchronized updates \(features.hasSynchronizedUpdates)"
      )
    } else if now.nanoseconds(since: probedAt) >= TerminalFeatures.limit {
      router.giveUp()
      self.probedAt = nil
    }
  }

  private mutating func takeCursor(
    _ router: inout InputRouter, _ compositor: inout Compositor, _ output: inout TerminalOutput,
    _ tty: borrowing TTY, now: Instant
  ) {
    if let report = router.takeCursor() {
      switch query.answer(report, passedBytes: compositor.passedBytes) {
      case .current(let place):
        let isExact = TerminalQuestions.isWrapExcluded(at: place, compositor.screen.size)
        // Until the kind of terminal is known, output may leave unknown cells.
        if isExact, compositor.passedBytes == 0 { startCursor = place }
        // If its size has already changed again, a signal is on its way.
        let isLate = compositor.hasPendingMove && tty.size().cells != compositor.screen.size
        if !isLate, compositor.hasPendingMove || isExact {
          compositor.setCursor(place, now: now, to: &output.queue)
          query.succeed()
        }
        if isScrollingOut { scrollOut(from: place, &compositor, &output, tty, now: now) }
      case .start(let place):
        if TerminalQuestions.isWrapExcluded(at: place, compositor.screen.size) {
          startCursor = place
        }
      case nil: break
      }
    }
    query.expire(now: now)
    if !query.holdsOutput { isScrollingOut = false }
  }

  /// Whether a wrap cannot be pending at a position. In the last column it may be, which the answer does not show.
  private static func isWrapExcluded(at place: Point, _ size: Size) -> Bool {
    place.column < size.columns - 1
  }

  /// Once the kind of terminal is known, follows the output since the start from the cursor's position then.
  private mutating func placeStart(_ router: inout InputRouter, _ compositor: inout Compositor) {
    if router.lacksCursorReports { query.stop() }
    guard probedAt == nil, compositor.canPlaceStart, let place = startCursor else { return }
    startCursor = nil
    compositor.placeStart(place)
    query.succeed()
    router.note(cursorQuestions: compositor.screen.cursorQuestions)
  }

  /// Scrolls the rows above the cursor into the history, so that the HUD covers none of them, and the shell begins on
  /// an empty screen.
  private mutating func scrollOut(
    from cursor: Point, _ compositor: inout Compositor, _ output: inout TerminalOutput,
    _ tty: borrowing TTY, now: Instant
  ) {
    isScrollingOut = false
    let size = compositor.screen.size
    guard tty.reportedSize()?.cells == size, cursor.row < size.rows else { return }
    let lines = cursor.row + (cursor.column > 0 ? 1 : 0)
    guard lines > 0 else { return }
    // As if the shell had written it, so that the screen model follows.
    let feeds = String(repeating: "\n", count: lines)
    let bytes = Array("\u{1B}[\(size.rows);1H\(feeds)\u{1B}[H".utf8)
    guard bytes.count <= Compositor.chunk else { return }
    unsafe compositor.space.copyBytes(from: bytes)
    compositor.pass(bytes.count, now: now, to: &output.queue)
    // This was not drawn by the shell.
    _ = compositor.takeDrawing()
    _ = compositor.takeRedraw()
  }

  // MARK: The next question

  /// Asks for the cursor if its position is unknown and the command does not place it.
  mutating func askCursor(
    _ router: inout InputRouter, _ compositor: inout Compositor, _ output: inout TerminalOutput,
    now: Instant
  ) {
    let hasAnswered = router.features.isComplete
    guard let due = nextQuestion(compositor, output, hasAnswered: hasAnswered, now: now), due <= now
    else { return }
    output.queue.append("\u{1B}[6n")
    compositor.noteInjection()
    query.ask(
      number: router.expectCursor(at: now), passedBytes: compositor.passedBytes, now: now)
  }

  /// When to ask for the cursor; `nil` while there is nothing to ask.
  ///
  /// - Parameter hasAnswered: whether the terminal has answered other questions.
  func nextQuestion(
    _ compositor: borrowing Compositor, _ output: borrowing TerminalOutput, hasAnswered: Bool,
    now: Instant
  ) -> Instant? {
    // Also while the HUD is hidden: later it could not be shown over what was written meanwhile.
    guard output.queue.isEmpty, !compositor.screen.isCursorKnown,
      compositor.screen.isAtGround
    else { return nil }
    return query.nextQuestion(now: now, answers: hasAnswered)
  }

  // MARK: How long the HUD keeps away

  /// Lets the HUD appear once it has stayed away for long enough.
  mutating func endDelay(
    _ router: InputRouter, _ compositor: inout Compositor, lastOutput: Instant?, now: Instant
  ) {
    guard let end = delayEnd(compositor.passedBytes, lastOutput), now >= end else { return }
    delay.finish()
    compositor.isDelayed = false
    compositor.setQuirks(router.features.quirks)
  }

  private func delayEnd(_ passedBytes: UInt64, _ lastOutput: Instant?) -> Instant? {
    delay.end(isProbed: probedAt == nil, passedBytes: passedBytes, lastOutput: lastOutput)
  }

  /// When an answer is too late, or the HUD has stayed away for long enough.
  func deadline(passedBytes: UInt64, lastOutput: Instant?) -> Instant? {
    let probe = probedAt?.advanced(byNanoseconds: TerminalFeatures.limit)
    let answers = earliest(earliest(query.deadline, lastAnswersUntil), probe)
    return earliest(answers, delayEnd(passedBytes, lastOutput))
  }
}
