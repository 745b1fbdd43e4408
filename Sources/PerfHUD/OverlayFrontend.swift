import Base
import Glibc
import HUD
import Metrics
import SystemPackage
import Terminal

/// The HUD on top of a command: keys → pty, pty → compositor → queue → terminal.
///
/// Every key goes to the command, as it came. The terminal's answers to perfhud's own questions are
/// the only bytes that are kept from it.
struct OverlayFrontend: Frontend, ~Copyable {
  private var tty: TTY
  private var pty: Pty?
  private var compositor: Compositor
  private var pad: CursesPad
  private var hud: HUD
  private let wantedSize: HUDSize
  private let corner: Corner
  private var isHidden: Bool
  private let term: String?

  private var queue = OutputQueue()
  private var typed: TypedInput
  private var input = [UInt8](repeating: 0, count: 4096)
  private var meter = OutputMeter()
  /// How much is read at once: less as long as the terminal does not keep up.
  private var chunk = Compositor.chunk
  /// When little enough was waiting for the terminal.
  private var hadRoomAt: Instant
  /// The command has nothing more to say for now.
  private var isQuiet = true
  /// The question for the cursor that is open.
  private var cursorQuestion: CursorQuestion?
  private var cursorAttempts = 0
  private var cursorAskedAt: Instant
  /// What stands on the terminal is still to be scrolled into its history, before the command writes.
  private var isScrollingOut: Bool
  private var askedAt: Instant?
  /// The HUD does not appear before, unless the command has written more than these bytes.
  private var heldUntil: Instant?
  private var heldBytes: UInt64 = 0
  private var lastOutput: Instant?

  private var inputSlot = 0
  private var outputSlot = 0
  private var masterSlot = 0
  private var writeSlot = 0
  private var statusSlot = 0
  /// The terminal has gone.
  private(set) var hasHungUp = false
  private var isStopping = false
  /// The command has ended, and what it left behind is still to be read.
  private var isEnding = false
  /// Until then answers are waited for after the end, or whoever comes next would get them as keys.
  private var answersDue: Instant?
  /// Whether the frames of the command are counted: not where the HUD shows another process.
  private let countsFrames: Bool
  /// Frames that have ended since the last `takeRecords`.
  private var frames: [Instant] = []
  /// How the command has ended.
  private(set) var end: PtyStatus?
  private(set) var usage: ResourceUsage?

  private struct CursorQuestion {
    var number: Int
    /// How much of the command's output was in front of it.
    var passedBytes: UInt64
    var deadline: Instant
    /// The output of the command is held back until then, so that the answer is still right when it
    /// comes.
    var holdsOutputUntil: Instant?
  }

  /// With less than this waiting the command is read again.
  private static let lowWater = 4 << 10
  /// A terminal that has left more than that waiting for so long is a slow one.
  private static let slowness: Int64 = 100_000_000
  private static let cursorPatience: Int64 = 300_000_000
  /// So often the cursor is asked for again at once.
  private static let cursorAttemptLimit = 3
  /// After that a terminal that does answer questions is asked again after so many seconds.
  private static let cursorPause = 2.0
  private static let alternateEndPause: Int64 = 100_000_000
  private static let beginningPause: Int64 = 40_000_000
  /// How long an answer is waited for at the end, in seconds after the question.
  private static let answerPatience = 1.0

  /// Takes over the terminal for a command that has been started. Signals must be blocked before.
  ///
  /// - Parameter isShell: whether the user goes on where the screen is, with lines that would be lost
  ///   under the HUD.
  init(
    tty: consuming TTY, pty: consuming Pty, settings: Settings, environment: Environment,
    isGhost: Bool, isShell: Bool, countsFrames: Bool
  ) throws(CursesError) {
    let size = tty.size().cells
    let term = environment["TERM"]
    let place = Placement.place(settings.size, at: settings.corner, in: size)
    let cells = Size(rows: place?.rows ?? 0, columns: place?.columns ?? 0)
    let pad = try CursesPad(
      size: cells, term: term, colorTerm: environment["COLORTERM"],
      colors: !environment.wantsNoColor, isUTF8: environment.isUTF8 && !settings.isASCII)
    do {
      try tty.enter(restore: OverlayFrontend.crashBytes)
    } catch {
      throw .system(error)
    }
    var features = TerminalFeatures()
    var options = Screen.Options()
    options.startsUnknown = true
    options.isUTF8 = environment.usesUTF8Terminal
    options.quirks = features.quirks(term: term)
    let questions = features.questions(term: term)
    let isASCII = !pad.isUTF8
    let state = HUDState(
      language: isASCII ? .english : language(settings, environment), graphStyle: settings.graph,
      isASCII: isASCII, interval: settings.interval, family: .overlay)
    compositor = Compositor(
      size: size, options: options, styles: Theme(depth: pad.depth).styles, isGhost: isGhost)
    hud = HUD(size: cells, state: state)
    self.pad = pad
    self.tty = tty
    self.pty = .some(pty)
    self.term = term
    self.countsFrames = countsFrames
    wantedSize = settings.size
    corner = settings.corner
    isHidden = settings.isHidden
    typed = TypedInput(features: features)
    for byte in questions { queue.append(byte) }
    let now = Instant.now()
    askedAt = now
    cursorAskedAt = now
    hadRoomAt = now
    isScrollingOut = isShell && !isGhost && !settings.isHidden
    cursorQuestion = CursorQuestion(
      number: typed.expectCursor(at: now, isProbe: true), passedBytes: 0,
      deadline: now.advanced(byNanoseconds: TerminalFeatures.limit),
      holdsOutputUntil: now.advanced(byNanoseconds: OverlayFrontend.cursorPatience))
    beginHold(now: now)
  }

  /// What a crash sends: the program is gone with its terminal then, and what it has switched on
  /// would stay.
  private static let crashBytes: [UInt8] = Array(
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
  }

  // MARK: Keys

  mutating func readInput(
    _ poller: borrowing Poller, run: borrowing Run, now: Instant, into requests: inout [HUDRequest]
  ) {
    typed.note(cursorQuestions: compositor.screen.cursorQuestions)
    var passed: [UInt8] = []
    typed.resolve(now: now, into: &passed)
    if !passed.isEmpty { unsafe pty?.write(passed.span.bytes) }
    if poller.isReady(inputSlot), pty?.isInputFull != true { takeInput(now: now) }
    if poller.isReady(writeSlot) { pty?.flush() }
    takeAnswers(now: now)
    readCommand(poller, now: now)
    endHold(now: now)
    askCursor(now: now)
  }

  private mutating func takeInput(now: Instant) {
    guard let count = readTerminal() else { return }
    if count == 0 { hasHungUp = true }
    var passed: [UInt8] = []
    let bytes = input
    unsafe typed.take(bytes.span.extracting(first: count).bytes, at: now, into: &passed)
    if !passed.isEmpty { unsafe pty?.write(passed.span.bytes) }
  }

  /// The number of bytes that were typed; 0 when the terminal has gone, `nil` when there are none.
  private mutating func readTerminal() -> Int? {
    do {
      return try unsafe input.withUnsafeMutableBytes { try unsafe tty.read(into: $0) }
    } catch {
      return 0
    }
  }

  private mutating func takeAnswers(now: Instant) {
    if let askedAt {
      if typed.features.isComplete {
        compositor.hasSynchronizedUpdates = typed.features.hasSynchronizedUpdates
        compositor.setQuirks(typed.features.quirks(term: term))
        self.askedAt = nil
      } else if now.nanoseconds(since: askedAt) >= TerminalFeatures.limit {
        typed.giveUp()
        self.askedAt = nil
      }
    }
    takeCursor(now: now)
    if let due = answersDue, now >= due || !typed.isExpecting { answersDue = nil }
    askCursor(now: now)
  }

  /// Lets the HUD appear when it is known what the terminal has, and when the command has begun: many
  /// switch to the alternate screen first, and what is on the other one stays whole then.
  private mutating func endHold(now: Instant) {
    guard let heldUntil else { return }
    let hasBegun = beginning.map { now >= $0 } ?? false
    guard now >= heldUntil || (askedAt == nil && hasBegun) else { return }
    self.heldUntil = nil
    compositor.isHeld = false
    compositor.setQuirks(typed.features.quirks(term: term))
  }

  /// When the first picture of the command counts as whole; `nil` before it has begun.
  private var beginning: Instant? {
    guard compositor.passedBytes > heldBytes, let lastOutput else { return nil }
    return lastOutput.advanced(byNanoseconds: OverlayFrontend.beginningPause)
  }

  private mutating func beginHold(now: Instant) {
    compositor.isHeld = true
    heldBytes = compositor.passedBytes
    heldUntil = now.advanced(byNanoseconds: TerminalFeatures.patience)
  }

  /// A command that leaves the alternate screen mostly ends or stops at once, and the HUD would only
  /// harm what has stood on the other one before.
  private mutating func holdAfterAlternate(now: Instant) {
    guard heldUntil == nil else { return }
    compositor.isHeld = true
    heldBytes = .max
    heldUntil = now.advanced(byNanoseconds: OverlayFrontend.alternateEndPause)
  }

  private mutating func takeCursor(now: Instant) {
    if let report = typed.takeCursor(), let question = cursorQuestion,
      report.question == question.number
    {
      cursorQuestion = nil
      if question.passedBytes == compositor.passedBytes {
        // In the last column the wrap may be pending, which the answer does not tell.
        if report.place.column < compositor.screen.size.columns - 1 {
          compositor.setCursor(report.place)
          cursorAttempts = 0
        }
        if isScrollingOut { scrollOut(from: report.place, now: now) }
      }
    }
    if let until = cursorQuestion?.holdsOutputUntil, now >= until {
      cursorQuestion?.holdsOutputUntil = nil
    }
    if let question = cursorQuestion, now >= question.deadline { cursorQuestion = nil }
    if cursorQuestion?.holdsOutputUntil == nil { isScrollingOut = false }
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
    compositor.pass(bytes.count, now: now, to: &queue)
  }

  /// Asks for the cursor where it is not known and the command does not place it itself.
  private mutating func askCursor(now: Instant) {
    guard cursorQuestion == nil, end == nil, !isHidden, queue.isEmpty, !compositor.isHeld,
      !compositor.screen.isCursorKnown, compositor.screen.isAtGround, mayAskAgain(now: now)
    else { return }
    cursorAttempts += 1
    cursorAskedAt = now
    queue.append("\u{1B}[6n")
    compositor.noteInjection()
    cursorQuestion = CursorQuestion(
      number: typed.expectCursor(at: now), passedBytes: compositor.passedBytes,
      deadline: now.advanced(byNanoseconds: TerminalFeatures.limit),
      holdsOutputUntil: now.advanced(byNanoseconds: OverlayFrontend.cursorPatience))
  }

  /// The cursor is to be asked for again after a while.
  private var wantsCursor: Bool {
    cursorQuestion == nil && end == nil && !isHidden && !compositor.isHeld
      && !compositor.screen.isCursorKnown && typed.features.isComplete
      && cursorAttempts >= OverlayFrontend.cursorAttemptLimit && queue.isEmpty
      && compositor.screen.isAtGround
  }

  private func mayAskAgain(now: Instant) -> Bool {
    if cursorAttempts < OverlayFrontend.cursorAttemptLimit { return true }
    return typed.features.isComplete
      && now.seconds(since: cursorAskedAt) >= OverlayFrontend.cursorPause
  }

  // MARK: The command

  private mutating func readCommand(_ poller: borrowing Poller, now: Instant) {
    if poller.isReady(masterSlot) || pty?.isEnding == true {
      passOutput(now: now)
    } else if readsCommand {
      isQuiet = true
    }
    if poller.isReady(statusSlot) { takeStatus(now: now) }
    isEnding = pty?.isEnding ?? false
  }

  /// Whether there is room for more of the command's output.
  private var readsCommand: Bool {
    hasRoom && cursorQuestion?.holdsOutputUntil == nil
  }

  private var hasRoom: Bool { queue.count < OverlayFrontend.lowWater }

  /// Whether the terminal keeps up: else the HUD does not add to what waits.
  private func takesHUD(now: Instant) -> Bool {
    if hasRoom { return true }
    return !queue.isAboveHighWater
      && now.nanoseconds(since: hadRoomAt) < OverlayFrontend.slowness
  }

  private mutating func passOutput(now: Instant) {
    guard readsCommand else { return }
    let space = unsafe UnsafeMutableRawBufferPointer(
      rebasing: compositor.space.prefix(min(chunk, Compositor.chunk)))
    let count = unsafe pty?.read(into: space) ?? nil
    isQuiet = (count ?? 0) < space.count
    guard let count, count > 0 else { return }
    lastOutput = now
    let wasAlternate = compositor.screen.isAlternate
    compositor.pass(count, now: now, to: &queue)
    if wasAlternate != compositor.screen.isAlternate { noteScreenSwitch(now: now) }
    if meter.add(bytes: count, updateEnds: compositor.screen.updateEnds, at: now) {
      frames.append(now)
    }
    typed.note(cursorQuestions: compositor.screen.cursorQuestions)
  }

  private mutating func noteScreenSwitch(now: Instant) {
    let isAlternate = compositor.screen.isAlternate
    if !isAlternate { holdAfterAlternate(now: now) }
    // A crash leaves the alternate screen where the command is on it.
    let leave = isAlternate ? Array("\u{1B}[?1049l".utf8) : []
    try? tty.enter(restore: leave + OverlayFrontend.crashBytes)
  }

  private mutating func takeStatus(now: Instant) {
    while let status = pty?.nextStatus() ?? nil {
      switch status {
      case .stopped: isStopping = true
      case .continued: isStopping = false
      case .exited, .signaled, .lost:
        isStopping = false
        end = status
        usage = pty?.usage
        answersDue = max(askedAt ?? cursorAskedAt, cursorAskedAt)
          .advanced(bySeconds: OverlayFrontend.answerPatience)
      }
    }
  }

  mutating func takeRecords(now: Instant, into run: inout Run) {
    if let frame = meter.nextFrame(now: now) { frames.append(frame) }
    guard countsFrames else { return frames.removeAll(keepingCapacity: true) }
    let bytes = meter.takeBytes()
    if bytes > 0 { run.apply(.output(bytes: UInt64(bytes), now)) }
    for frame in frames { run.apply(.frame(frame, .terminal, missed: 0)) }
    frames.removeAll(keepingCapacity: true)
  }

  // MARK: Signals

  /// What would end or stop perfhud is meant for the command: perfhud ends when that has ended.
  mutating func take(signal: Int32, isFromKernel: Bool, now: Instant) throws(RunError) -> Bool {
    // What waits is for the terminal alone now, which may take nothing for ever.
    guard end == nil else { return signal == SIGUSR1 || signal == SIGPIPE }
    switch signal {
    case SIGINT, SIGTERM, SIGQUIT, SIGUSR2, SIGALRM, SIGXCPU: pty?.signalCommand(signal)
    case SIGTSTP: pty?.signalForeground(signal)
    case SIGUSR1: isHidden.toggle()
    case SIGPIPE: break
    default: return false
    }
    return true
  }

  mutating func resize() {
    guard let reported = tty.reportedSize() else { return }
    pty?.resize(reported)
    let size = tty.size().cells
    // A taller window gets lines back out of the history of the first screen: how many, the terminal
    // alone knows.
    let old = compositor.screen.size
    let keepsLines = typed.features.version.hasPrefix("XTerm") || size.columns == old.columns
    let isKnown = compositor.screen.isAlternate || (keepsLines && size.rows <= old.rows)
    compositor.resize(to: size, isKnown: isKnown, now: .now(), to: &queue)
    // An open question is answered, but from before.
    cursorQuestion = nil
    cursorAttempts = 0
    let place = Placement.place(wantedSize, at: corner, in: size)
    let cells = Size(rows: place?.rows ?? 0, columns: place?.columns ?? 0)
    hud.resize(to: cells)
    pad.resize(to: cells)
    if place == nil { compositor.hide() }
  }

  /// The command has been stopped: the terminal goes to whoever started perfhud, until both are
  /// continued.
  private mutating func stopWithCommand() throws(RunError) {
    isStopping = false
    cursorQuestion = nil
    isScrollingOut = false
    awaitAnswers()
    drain(until: Instant.now().advanced(bySeconds: OverlayFrontend.answerPatience))
    compositor.release(now: .now(), to: &queue)
    flushOut(patience: 0.5)
    do throws(SystemError) {
      try tty.enter(restore: [])
      try tty.suspend()
      try tty.enter(restore: OverlayFrontend.crashBytes)
    } catch {
      throw RunError(error)
    }
    forgetContinue()
    if let size = tty.reportedSize() { pty?.resize(size) }
    typed.reset()
    takeTerminalBack()
    pty?.continueForeground()
  }

  /// Waits a moment for what the terminal has been asked for, or the next to read from it would get
  /// the answers as keys.
  private mutating func awaitAnswers() {
    let deadline = Instant.now().advanced(byNanoseconds: TerminalFeatures.patience)
    flushOut(patience: 0.2)
    while typed.isExpecting, !hasHungUp {
      let left = deadline.nanoseconds(since: .now())
      if left <= 0 { return }
      var entry = pollfd(fd: tty.inputDescriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, Int32(left / 1_000_000) + 1)
      takeInput(now: .now())
    }
  }

  /// Passes on what the command has written before it was stopped.
  private mutating func drain(until deadline: Instant) {
    isQuiet = false
    while !isQuiet, !hasHungUp, Instant.now() < deadline {
      passOutput(now: .now())
      flushOut(patience: 0.2)
    }
  }

  /// The `SIGCONT` that has ended the stop says nothing new.
  private func forgetContinue() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGCONT)
    var now = timespec()
    _ = unsafe sigtimedwait(&set, nil, &now)
  }

  /// Somebody else has had the terminal.
  private mutating func takeTerminalBack() {
    compositor.forgetTerminal()
    resize()
    cursorQuestion = nil
    cursorAttempts = 0
    beginHold(now: .now())
  }

  mutating func suspend() throws(RunError) { try stopWithCommand() }

  /// perfhud alone was stopped, by `kill -STOP`, and continued. A shell that has had the terminal
  /// meanwhile may have set the modes again as they were, so that they tell nothing.
  mutating func resume() throws(RunError) {
    do {
      try tty.makeRawAgain()
    } catch {
      throw RunError(error)
    }
    takeTerminalBack()
  }

  /// Whether the command has been stopped and perfhud has to stop with it.
  var wantsStop: Bool { isStopping }

  // MARK: Pictures

  mutating func redrawAll() {
    compositor.redrawAll()
    hud.invalidateAll()
  }

  mutating func take(_ row: Row, run: borrowing Run) { hud.invalidate() }

  func deadline(now: Instant) -> Instant? {
    var due: Instant?
    func add(_ time: Instant?) {
      if let time { due = min(time, due ?? time) }
    }
    if takesHUD(now: now) {
      // Where there is no room for the HUD, its picture is never due.
      if !isHidden, place != nil { add(hud.deadline(now: now)) }
      add(compositor.deadline(now: now, isIdle: isQuiet))
    }
    add(meter.deadline)
    add(typed.deadline)
    add(cursorQuestion?.holdsOutputUntil ?? cursorQuestion?.deadline)
    add(answersDue)
    if wantsCursor { add(cursorAskedAt.advanced(bySeconds: OverlayFrontend.cursorPause)) }
    if let heldUntil { add(askedAt == nil ? min(heldUntil, beginning ?? heldUntil) : heldUntil) }
    add(askedAt?.advanced(byNanoseconds: TerminalFeatures.limit))
    if isEnding, readsCommand { add(now) }
    return due
  }

  mutating func present(
    run: borrowing Run, now: Instant, poller: inout Poller
  ) throws(RunError) {
    if takesHUD(now: now) {
      if isHidden {
        compositor.hide()
      } else if let place {
        if hud.needsDraw(now: now) {
          hud.draw(run, now: now)
          pad.present(hud.canvas.grid)
        }
        compositor.show(pad.cells, at: place)
      }
      compositor.settle(now: now, isIdle: isQuiet, to: &queue)
    }
    flush()
    if hasRoom { hadRoomAt = now }
    poller.replace(queue.isEmpty ? nil : tty.outputDescriptor, slot: outputSlot)
    poller.replace(readsCommand && end == nil ? pty?.masterDescriptor : nil, slot: masterSlot)
    poller.replace(
      pty?.hasWaitingInput == true ? pty?.masterDescriptor : nil, slot: writeSlot)
    // After the end the keys are for whoever comes next.
    let readsKeys = end == nil ? pty?.isInputFull != true : answersDue != nil
    poller.replace(readsKeys ? tty.inputDescriptor : nil, slot: inputSlot)
    poller.replace(end == nil ? pty?.statusDescriptor : nil, slot: statusSlot)
  }

  /// Where the HUD lies; `nil` where there is no room for it.
  private var place: Rect? {
    Placement.place(wantedSize, at: corner, in: compositor.screen.size)
  }

  private mutating func flush() {
    guard !queue.isEmpty else {
      chunk = min(Compositor.chunk, chunk * 2)
      return
    }
    do throws(Errno) {
      try queue.flush(to: tty.outputDescriptor, mayBlock: tty.mayBlock)
    } catch {
      hasHungUp = true
      queue.removeAll()
    }
    // A terminal that is slow is given little at once: what waits here is what Ctrl-C cannot stop.
    chunk = queue.isEmpty ? min(Compositor.chunk, chunk * 2) : max(1 << 10, chunk / 2)
  }

  /// Writes what waits, for so many seconds at most.
  private mutating func flushOut(patience: Double) {
    let deadline = Instant.now().advanced(bySeconds: patience)
    while !queue.isEmpty, !hasHungUp {
      flush()
      let left = deadline.nanoseconds(since: Instant.now())
      if queue.isEmpty || left <= 0 { return }
      var entry = pollfd(fd: tty.outputDescriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&entry, 1, Int32(left / 1_000_000) + 1)
    }
  }

  // MARK: The end

  /// The command has ended and all that it wrote is on its way, or the terminal has gone.
  var isDone: Bool {
    hasHungUp || (end != nil && !isEnding && queue.isEmpty && answersDue == nil)
  }
  var isDrained: Bool { true }
  var isFull: Bool { false }
  var showsFrames: Bool { !isHidden && hud.showsFrames }

  /// Takes the HUD away and gives the terminal back as the command has left it.
  mutating func close() {
    if hasHungUp {
      queue.removeAll()
    } else {
      compositor.release(now: .now(), to: &queue)
      if end == nil || end == .lost {
        // The command goes with its terminal, and could not undo what it has switched on.
        if compositor.screen.isAlternate { queue.append("\u{1B}[?1049l") }
        for byte in OverlayFrontend.crashBytes { queue.append(byte) }
      }
      flushOut(patience: 5)
    }
    try? tty.enter(restore: [])
    tty.leave()
    pty = nil
  }
}
