import Base
import Events
import Glibc
import HUD
import Metrics
import Sampler
import SystemPackage
import Terminal

/// The HUD on top of a command: keys → pty, pty → compositor → queue → terminal.
///
/// Every key goes to the command, as it came, but for the leader and those behind it. Beside these the
/// terminal's answers to perfhud's own questions are the only bytes that are kept from it.
struct OverlayFrontend: Frontend, ~Copyable {
  var tty: TTY
  var pty: Pty?
  var compositor: Compositor
  var pad: CursesPad
  var hud: HUD
  var wantedSize: HUDSize
  var keeper: CursorAvoidance
  var stepsAside: Bool
  var theme: ThemeName
  let environment: Environment
  /// The bell is to ring as soon as nothing of the command is cut by it.
  var isBellDue = false
  var isHidden: Bool
  /// The leader shows a hidden HUD; without another key it is hidden again.
  var isShownForKeys = false
  /// Until then the HUD says which key gives the keys to it.
  var hintUntil: Instant?
  private let prefixKey: PrefixKey?

  var output: TerminalOutput
  var typed: InputRouter
  var input = [UInt8](repeating: 0, count: 4096)
  var meter = OutputMeter()
  var answers = AnswerMeter()
  var processorWait = ProcessorWait()
  /// The command has nothing more to say for now.
  var isQuiet = true
  /// Until then it is not read, so that more of its stream comes together.
  var rest: Instant?
  var inquiry: CursorPositionQuery
  /// Where the cursor was at the start, until all other answers of the start have come with it.
  var startCursor: Point?
  /// What stands on the terminal is still to be scrolled into its history, before the command writes.
  var isScrollingOut: Bool
  var askedAt: Instant?
  var hold: StartupDelay
  var lastOutput: Instant?
  /// Own sequences that were not kept, as far as the run knows of them.
  var toldLostSequences = 0

  private(set) var inputSlot = 0
  private(set) var outputSlot = 0
  private(set) var masterSlot = 0
  private(set) var writeSlot = 0
  private(set) var statusSlot = 0
  /// The terminal has gone.
  var hasHungUp = false
  var isStopping = false
  /// The command has ended, and what it left behind is still to be read.
  var isEnding = false
  /// Until then answers are waited for after the end, or whoever comes next would get them as keys.
  var answersDue: Instant?
  /// Whom the HUD shows under a shell; `nil` where it shows one command or process.
  var follower: ForegroundFollower?
  /// The first key since the last output.
  var silentKey: Instant?
  var isSilenceTold = false
  var isShownUnanswered = false
  /// Whether the frames of the command are counted: not where the HUD shows another process.
  let countsFrames: Bool
  /// Frames that have ended since the last `takeRecords`.
  var frames: [OutputMeter.Frame] = []
  var phases: PhaseDetector
  /// Phases that have begun since the last `takeRecords`.
  var newPhases: [(event: Event, time: Instant)] = []
  /// The rows that are written to a file beside the HUD.
  var rows: RowOutput
  /// How the command has ended.
  var end: PtyStatus?
  var usage: ResourceUsage?
  /// The command's last line has no end: what comes next needs one of its own.
  private(set) var leavesLineOpen = false

  private static let hintSeconds = 15.0
  private static let reflowPause: Int64 = 50_000_000
  /// How long an answer is waited for at the end, in seconds after the question.
  static let answerPatience = 3.0

  /// Takes over the terminal for a command that has been started. Signals must be blocked before.
  ///
  /// - Parameters:
  ///   - isShell: whether the user goes on where the screen is, with lines that would be lost under the HUD.
  ///   - followsJobs: whether the command is a shell whose foreground job is shown.
  ///   - rows: where rows go beside the HUD.
  init(
    terminal: consuming OverlayTerminal, pty: consuming Pty, settings: Settings,
    environment: Environment, isGhost: Bool, isShell: Bool, followsJobs: Bool, countsFrames: Bool,
    rows: consuming RowOutput
  ) {
    var tty = terminal.tty
    let pad = terminal.pad
    let size = tty.size().cells
    let term = environment["TERM"]
    let cells = pad.cells.size
    // It is in force already: only the bytes are new, and to replace them cannot fail.
    try? tty.enter(restore: OverlayFrontend.crashBytes)
    var features = TerminalFeatures()
    var options = Screen.Options()
    options.startsUnknown = true
    options.isUTF8 = environment.usesUTF8Terminal
    options.quirks = features.quirks
    let questions = features.questions(term: term)
    let isASCII = !pad.isUTF8
    var state = HUDState(
      language: isASCII ? .english : language(settings, environment), graphStyle: settings.graph,
      isASCII: isASCII, interval: settings.interval, family: .overlay)
    // What cannot be seen is given no keys.
    let prefixKey = isGhost ? nil : settings.prefixKey
    state.prefixKey = prefixKey?.description ?? ""
    compositor = Compositor(
      size: size, options: options,
      styles: Theme(depth: pad.depth, name: settings.theme).styles,
      isGhost: isGhost)
    hud = HUD(size: cells, state: state)
    hud.begin(with: settings)
    theme = settings.theme
    self.environment = environment
    self.pad = pad
    self.tty = tty
    if followsJobs { follower = ForegroundFollower(shell: pty.commandProcess) }
    self.pty = .some(pty)
    self.countsFrames = countsFrames
    self.rows = rows
    phases = PhaseDetector(choice: settings.phaseChoice)
    wantedSize = settings.size
    keeper = CursorAvoidance(wish: settings.corner)
    stepsAside = settings.stepsAside
    isHidden = settings.isHidden
    self.prefixKey = prefixKey
    typed = InputRouter(features: features, prefixKey: prefixKey)
    let now = Instant.now()
    output = TerminalOutput(now: now)
    for byte in questions { output.queue.append(byte) }
    askedAt = now
    isScrollingOut = isShell && !isGhost && !settings.isHidden
    inquiry = CursorPositionQuery(number: typed.expectCursor(at: now, isProbe: true), now: now)
    hold = StartupDelay(passedBytes: 0, now: now)
    compositor.isHeld = true
    compositor.joinsUpdates = true
    if let prefixKey {
      hud.prefixKeyHint = prefixKey.description
      hintUntil = now.advanced(bySeconds: OverlayFrontend.hintSeconds)
    }
  }

  /// What a crash sends: the program is gone with its terminal then, and what it has switched on
  /// would stay.
  static let crashBytes: [UInt8] = Array(
    ("\u{1B}]8;;\u{1B}\\\u{1B}[?2026l\u{1B}[0m\u{1B}(B\u{0F}\u{1B}[r\u{1B}[?6l\u{1B}[4l\u{1B}[?7h"
      + "\u{1B}[?1000;1002;1003;1006l\u{1B}[?1004l\u{1B}[?2004l\u{1B}[?1l\u{1B}>\u{1B}[?25h").utf8)

  mutating func register(with poller: inout Poller) {
    inputSlot = poller.add(tty.inputDescriptor)
    outputSlot = poller.add(tty.outputDescriptor, events: Int32(POLLOUT))
    poller.replace(nil, slot: outputSlot)
    masterSlot = poller.add(pty?.masterDescriptor ?? -1)
    writeSlot = poller.add(pty?.masterDescriptor ?? -1, events: Int32(POLLOUT))
    poller.replace(nil, slot: writeSlot)
    statusSlot = poller.add(pty?.statusDescriptor ?? -1)
    rows.register(with: &poller)
  }

  // MARK: Keys

  mutating func readInput(
    _ poller: borrowing Poller, run: borrowing Run, now: Instant, into requests: inout [HUDRequest]
  ) {
    typed.note(cursorQuestions: compositor.screen.cursorQuestions)
    resolveInput(now: now)
    typed.hasRichKeyboard = compositor.screen.hasRichKeyboard
    serveKeys(run: run, into: &requests)
    if poller.isReady(inputSlot), pty?.isInputFull != true {
      takeInput(now: now, run: run, into: &requests)
    }
    if poller.isReady(writeSlot) { pty?.flush() }
    takeAnswers(now: now)
    readCommand(poller, now: now)
    endHold(now: now)
    askCursor(now: now)
  }

  private mutating func takeAnswers(now: Instant) {
    if let askedAt {
      if typed.features.isComplete {
        compositor.hasSynchronizedUpdates = typed.features.hasSynchronizedUpdates
        compositor.setQuirks(typed.features.quirks)
        self.askedAt = nil
        developerLog(
          "developer-log: \(typed.features.version), synchronized updates "
            + "\(typed.features.hasSynchronizedUpdates)")
      } else if now.nanoseconds(since: askedAt) >= TerminalFeatures.limit {
        typed.giveUp()
        self.askedAt = nil
      }
    }
    takeCursor(now: now)
    placeStart()
    if let due = answersDue, now >= due || !typed.isExpecting { answersDue = nil }
  }

  /// Lets the HUD appear when it has been kept away for long enough.
  private mutating func endHold(now: Instant) {
    guard let end = holdEnd, now >= end else { return }
    hold.finish()
    compositor.isHeld = false
    compositor.setQuirks(typed.features.quirks)
  }

  var holdEnd: Instant? {
    hold.end(
      isProbed: askedAt == nil, passedBytes: compositor.passedBytes, lastOutput: lastOutput)
  }

  private mutating func takeCursor(now: Instant) {
    if let report = typed.takeCursor() {
      switch inquiry.answer(report, passedBytes: compositor.passedBytes) {
      case .current(let place):
        if compositor.hasPendingMove || isWrapExcluded(at: place) {
          compositor.setCursor(place, now: now, to: &output.queue)
          inquiry.succeed()
        }
        if isScrollingOut { scrollOut(from: place, now: now) }
      case .start(let place): if isWrapExcluded(at: place) { startCursor = place }
      case nil: break
      }
    }
    inquiry.expire(now: now)
    if !inquiry.holdsOutput { isScrollingOut = false }
  }

  /// In the last column the wrap may be pending, which the answer does not say.
  private func isWrapExcluded(at place: Point) -> Bool {
    place.column < compositor.screen.size.columns - 1
  }

  /// Follows the output since the start from where the cursor was, once it is known what kind of terminal it is.
  private mutating func placeStart() {
    if typed.lacksCursorReports { inquiry.stop() }
    guard askedAt == nil, compositor.canPlaceStart else { return }
    if let place = startCursor {
      startCursor = nil
      compositor.placeStart(place)
      inquiry.succeed()
      typed.note(cursorQuestions: compositor.screen.cursorQuestions)
    }
  }

  /// Scrolls what stands on the terminal into its history, so that the HUD covers none of it and the
  /// shell begins on a clear screen.
  private mutating func scrollOut(from cursor: Point, now: Instant) {
    isScrollingOut = false
    let size = compositor.screen.size
    guard tty.reportedSize()?.cells == size, cursor.row < size.rows else { return }
    let lines = cursor.row + (cursor.column > 0 ? 1 : 0)
    guard lines > 0 else { return }
    // As if the shell had written it, so that the shadow follows.
    let feeds = String(repeating: "\n", count: lines)
    let bytes = Array("\u{1B}[\(size.rows);1H\(feeds)\u{1B}[H".utf8)
    guard bytes.count <= Compositor.chunk else { return }
    unsafe compositor.space.copyBytes(from: bytes)
    compositor.pass(bytes.count, now: now, to: &output.queue)
    // It was not the shell that has drawn.
    _ = compositor.takeDrawing()
  }

  /// Asks for the cursor where it is not known and the command does not place it itself.
  mutating func askCursor(now: Instant) {
    guard let due = nextQuestion(now: now), due <= now else { return }
    output.queue.append("\u{1B}[6n")
    compositor.noteInjection()
    inquiry.ask(
      number: typed.expectCursor(at: now), passedBytes: compositor.passedBytes, now: now)
  }

  func nextQuestion(now: Instant) -> Instant? {
    // While the HUD is hidden too: it could not be shown later over what was written meanwhile.
    guard end == nil, output.queue.isEmpty, !compositor.screen.isCursorKnown,
      compositor.screen.isAtGround
    else { return nil }
    return inquiry.nextQuestion(now: now, answers: typed.features.isComplete)
  }

  // MARK: Signals

  /// What would end or stop perfhud is meant for the command: perfhud ends when that has ended.
  mutating func take(signal: Int32, isFromKernel: Bool, now: Instant) throws(RunError) -> Bool {
    // What waits is for the terminal alone now, which may take nothing for ever.
    guard end == nil else { return signal == SIGUSR1 || signal == SIGPIPE }
    switch signal {
    case SIGINT, SIGTERM, SIGQUIT, SIGUSR2, SIGALRM, SIGXCPU: pty?.signalCommand(signal)
    case SIGTSTP: pty?.signalForeground(signal)
    case SIGUSR1:
      isHidden.toggle()
      if isHidden { typed.endLeading() }
    case SIGPIPE: break
    default: return false
    }
    return true
  }

  mutating func resize() {
    guard let reported = tty.reportedSize() else { return }
    pty?.resize(reported)
    let size = tty.size().cells
    compositor.resize(
      to: size, reflow: reflow(to: size, now: .now()), now: .now(), to: &output.queue)
    // An open question is answered, but from before.
    inquiry.startOver()
    if place == nil { compositor.hide() }
  }

  /// What the terminal has done with its lines for the new size.
  private func reflow(to size: Size, now: Instant) -> Compositor.Reflow {
    let old = compositor.screen.size
    if compositor.screen.isAlternate { return .known }
    // Else it may wrap its lines anew.
    guard size.columns == old.columns || typed.features.version.hasPrefix("XTerm") else {
      return .unknown
    }
    if size.rows == old.rows { return .known }
    // Where the rows go depends on the cursor, and what came last may have reached the terminal after
    // it had changed.
    if let lastOutput, now.nanoseconds(since: lastOutput) < OverlayFrontend.reflowPause {
      return .unknown
    }
    return size.rows > old.rows ? .mayMoveDown : .known
  }

  /// Whether the command has been stopped and perfhud has to stop with it.
  var wantsStop: Bool { isStopping }

  // MARK: Writing

  mutating func flush(now: Instant) {
    do throws(Errno) {
      try output.flush(to: tty, now: now)
    } catch {
      loseTerminal()
    }
  }

  /// Writes what waits, for so many seconds at most.
  mutating func flushOut(patience: Double) {
    guard !hasHungUp else { return }
    do throws(Errno) {
      try output.flush(to: tty, patience: patience)
    } catch {
      loseTerminal()
    }
  }

  private mutating func loseTerminal() {
    hasHungUp = true
    output.queue.removeAll()
  }

  // MARK: The end

  /// The command has ended and all that it wrote is on its way, or the terminal has gone.
  var isDone: Bool {
    hasHungUp || (end != nil && !isEnding && output.queue.isEmpty && answersDue == nil)
  }
  var isDrained: Bool { true }
  var isFull: Bool { false }
  var showsFrames: Bool { rows.isOpen || (!isHidden && hud.showsFrames) }
  var wantedTable: ProcessTableRequest? { isHidden ? nil : hud.wantedTable }

  mutating func flushLast() { rows.flushLast() }

  /// Takes the HUD away and gives the terminal back as the command has left it.
  mutating func close() {
    if hasHungUp {
      output.queue.removeAll()
    } else {
      compositor.release(now: .now(), to: &output.queue)
      leavesLineOpen = compositor.screen.isCursorKnown && compositor.screen.cursor.column > 0
      if end == nil || end == .lost {
        // The command goes with its terminal, and could not undo what it has switched on.
        if compositor.screen.isAlternate { output.queue.append("\u{1B}[?1049l") }
        for byte in OverlayFrontend.crashBytes { output.queue.append(byte) }
      }
      flushOut(patience: 5)
    }
    try? tty.enter(restore: [])
    tty.leave()
    pty = nil
  }
}
