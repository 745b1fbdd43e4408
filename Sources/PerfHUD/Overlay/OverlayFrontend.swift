import CProcess
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Sampler
import SystemPackage
import Terminal

/// The HUD over a command: keys → pty, pty → compositor → queue → terminal.
///
/// Every key reaches the command unchanged, except the prefix key and the keys after it. Apart from these, only the
/// terminal's answers to perfhud's own questions are kept from the command.
///
/// Connects its parts: the terminal's input (`TerminalInput`), the command (`CommandPty`), the command's activity
/// (`ProgramActivity`) and the windows (`OverlayHUD`).
struct OverlayFrontend: Frontend, ~Copyable {
  var tty: TTY
  var compositor: Compositor
  var output: TerminalOutput
  var input: TerminalInput
  var command: CommandPty
  var activity: ProgramActivity
  var view: OverlayHUD
  var recorded: RecordedOutput
  /// The rows that are written to a file while the HUD is drawn.
  private var rows: RowOutput
  private var inputSlot = 0
  private var outputSlot = 0
  private var supervisorSlot = 0
  /// Whether another job has the terminal. Then the command's output passes, and nothing else is written.
  var isInBackground = false
  /// Whether the terminal has gone.
  private(set) var hasHungUp = false
  /// Whether the command should rest once the terminal has taken everything.
  var needsRest = false
  /// Whether the command's last line is unfinished, so that later messages must begin a new line.
  private(set) var leavesLineOpen = false

  /// How often to check whether this job is in the foreground again, in nanoseconds.
  private static let backgroundPeriod: Int64 = 200_000_000
  /// After this time without output the command counts as resting; nanoseconds.
  static let restingTime: Int64 = 30_000_000

  /// Takes over the terminal for a command that was started. Signals must be blocked before.
  ///
  /// - Parameters:
  ///   - isShell: whether the user continues on the present screen, whose rows would be lost under the HUD.
  ///   - followsJobs: whether the command is a shell whose foreground job is shown.
  ///   - countsFrames: whether the command is what the HUD shows.
  ///   - rows: where to write rows while the HUD is drawn.
  ///   - screen: records the screen of the command.
  init(
    terminal: consuming OverlayTerminal, pty: consuming Pty, settings: Settings,
    environment: Environment, isGhost: Bool, isShell: Bool, followsJobs: Bool, countsFrames: Bool,
    rows: consuming RowOutput, screen: ScreenRecorder?
  ) {
    recorded = RecordedOutput(screen)
    var tty = terminal.tty
    let pad = terminal.pad
    // Raw mode is already in effect: this only replaces the bytes, which cannot fail.
    try? tty.enter(restore: OverlayFrontend.crashBytes)
    let term = environment["TERM"]
    var features = TerminalFeatures()
    var options = Screen.Options()
    options.startsUnknown = true
    options.isUTF8 = environment.usesUTF8Terminal
    options.quirks = features.quirks
    let questions = features.questions(term: term)
    compositor = Compositor(
      size: tty.size().cells, options: options,
      styles: Theme(
        depth: pad.depth, name: settings.theme, background: environment.background
      ).styles,
      isGhost: isGhost, isShared: true)
    // A HUD that is not visible gets no keys.
    let prefixKey = isGhost ? nil : settings.prefixKey
    let now = Instant.now()
    view = OverlayHUD(
      pad: pad, settings: settings, environment: environment, prefixKey: prefixKey,
      isShell: followsJobs, now: now)
    view.isTooLarge = tty.reportedSize()?.isTooLarge == true
    self.tty = tty
    activity = ProgramActivity(
      isCounted: countsFrames, settings: settings,
      shell: followsJobs ? pty.commandProcess : nil)
    command = CommandPty(pty)
    self.rows = rows
    output = TerminalOutput(now: now)
    if perfhud_may_restart() != 0 { compositor.keepModelCurrent() }
    let tookOver = compositor.takeOver(to: &output.queue)
    if tookOver { view.noteRestart(now: now) }
    compositor.checkpoint(output.queue)
    output.queue.append(questions)
    input = TerminalInput(
      features: features, prefixKey: prefixKey, term: term,
      scrollsOut: isShell && !isGhost && !settings.isHidden && !tookOver, now: now)
    compositor.isDelayed = true
    compositor.joinsUpdates = true
    compositor.pausesFloods = true
  }

  /// The bytes that undo the modes of a program that loses its terminal. DECSTBM moves the cursor home, so DECSC and
  /// DECRC are around it. A terminal that does not know modifyOtherKeys may take it for a rendition, so SGR follows it.
  static let endBytes: [UInt8] = Array(
    ("\u{1B}]8;;\u{1B}\\\u{1B}[?2026l" + TerminalReset.inputModes
      + "\u{1B}[0m\u{1B}(B\u{0F}\u{1B}7\u{1B}[?69l\u{1B}[r\u{1B}8\u{1B}[4l\u{1B}[?7h\u{1B}[?1l\u{1B}>"
      + "\u{1B}[0 q\u{1B}[?25h").utf8)

  /// Leaves the alternate screen, which has its own keyboard protocol of kitty.
  static let leaveAlternate: [UInt8] = Array("\u{1B}[<99u\u{1B}[?1049l".utf8)

  /// The same for a crash, when it is unknown whether the program has set DECOM, whose end moves the cursor home too.
  static let crashBytes: [UInt8] = endBytes + Array("\u{1B}[?6l".utf8)

  mutating func register(with poller: inout Poller) {
    inputSlot = poller.add(tty.inputDescriptor)
    outputSlot = poller.add(tty.outputDescriptor, events: Int32(POLLOUT))
    poller.replace(nil, slot: outputSlot)
    supervisorSlot = poller.add(perfhud_supervisor_socket())
    command.register(with: &poller)
    rows.register(with: &poller)
  }

  // MARK: Keys

  mutating func readInput(
    _ poller: borrowing Poller, run: inout LiveRun, now: Instant, into requests: inout LoopRequests
  ) {
    if poller.isReady(supervisorSlot) {
      while case let signal = perfhud_next_passed_signal(), signal != 0 {
        requests.signals.append(signal)
      }
    }
    input.note(cursorQuestions: compositor.screen.cursorQuestions)
    command.write(input.resolve(now: now))
    input.hasRichKeyboard = compositor.screen.hasRichKeyboard
    serveKeys(run: run.value, into: &requests.hud)
    if poller.isReady(inputSlot), !command.isInputFull, !isInBackground {
      takeInput(now: now, run: run.value, into: &requests.hud)
    }
    command.flushInput(poller)
    input.takeAnswers(&compositor, &output, tty, now: now)
    if let color = input.background { view.note(background: color, &compositor) }
    readCommand(poller, now: now)
    if !isInBackground { input.endDelay(&compositor, lastOutput: command.lastOutput, now: now) }
    askCursor(now: now)
    activity.takeRecords(
      &compositor, isSilent: isSilent, lastOutput: command.lastOutput, hasEnded: command.end != nil,
      countsCells: view.showsUnchangedCells,
      foreground: compositor.hasOwnLines ? command.foregroundGroup : nil, now: now, into: &run)
    if let loading = run.value.reports.loading, loading.speaker.group == 0 {
      activity.claimLoading(command.foregroundGroup, now: now, in: &run)
    }
    if command.end == nil, activity.isLookDue(now: now) {
      lookForJob(now: now, into: &requests)
    }
    requests.stops = command.isStopped
  }

  /// Reads the input, and divides it between the command and the HUD.
  private mutating func takeInput(
    now: Instant, run: borrowing Run, into requests: inout [HUDRequest]
  ) {
    guard var piece = input.read(from: tty, isReady: true) else { return }
    if piece.isEnd { hasHungUp = true }
    while input.takeNext(&piece, focus: view.focus, now: now) {
      serveKeys(run: run, into: &requests)
    }
    pass(piece, now: now)
  }

  /// Reads the input, if there is any. Discards keys for the HUD.
  mutating func takeInputOfCommand(now: Instant) {
    guard var piece = input.read(from: tty, isReady: false) else { return }
    if piece.isEnd { hasHungUp = true }
    while input.takeNext(&piece, focus: view.focus, now: now) { _ = input.takeHUDEvents() }
    pass(piece, now: now)
  }

  /// Hands over the bytes for the command first: whatever else a key needs, it does not wait for that.
  private mutating func pass(_ piece: TerminalInput.Piece, now: Instant) {
    command.write(piece.passed)
    if input.hasKeys(piece) {
      activity.noteKeys(&compositor, now: now)
      view.noteKeys()
      command.cutRest(now: now)
    }
  }

  private mutating func serveKeys(run: borrowing Run, into requests: inout [HUDRequest]) {
    let (keys, mouse) = input.takeHUDEvents()
    guard input.hasHUDFocus || view.hasKeys || !keys.isEmpty else { return }
    view.serve(keys, &compositor, run: run, into: &requests)
    if input.hasHUDFocus {
      view.serve(mouse, run: run)
    } else {
      endFocus()
    }
  }

  /// Moves the focus back to the command.
  mutating func endFocus() {
    input.endHUDFocus()
    view.endFocus()
  }

  mutating func askCursor(now: Instant) {
    if command.end == nil, !isInBackground { input.askCursor(&compositor, &output, now: now) }
  }

  // MARK: Signals

  /// Passes signals that would end or stop perfhud to the command: perfhud ends when the command has ended.
  mutating func take(signal: Int32, isFromKernel: Bool, now: Instant) throws(RunError) -> Bool {
    // Waiting output is now only for the terminal, which may never take it.
    guard command.end == nil else { return signal == SIGUSR1 || signal == SIGPIPE }
    switch signal {
    case SIGINT, SIGTERM, SIGQUIT, SIGUSR2, SIGALRM, SIGXCPU: command.signalCommand(signal)
    case SIGTSTP: command.signalForeground(signal)
    case SIGUSR1:
      view.toggle()
      if view.isHidden { input.endHUDFocus() }
    case SIGPIPE: break
    default: return false
    }
    return true
  }

  mutating func resize() {
    guard let reported = tty.reportedSize() else { return }
    recorded.resize(to: reported, now: .now())
    let size = tty.size().cells
    // The model has had a smaller screen than the terminal, so the terminal's content is unknown.
    let isUnknown = view.isTooLarge || reported.isTooLarge
    if isUnknown { compositor.forgetTerminal(to: &output.queue) }
    view.isTooLarge = reported.isTooLarge
    let reflow = isUnknown ? .unknown : reflow(to: size, now: .now())
    compositor.resize(to: size, reflow: reflow, now: .now(), to: &output.queue)
    input.noteResize(compositor, now: .now())
    if view.place(in: compositor.screen.size) == nil { compositor.hide() }
    // Ask before the command draws for the new size.
    askCursor(now: .now())
    command.resize(reported)
  }

  // MARK: The picture

  mutating func redrawAll() {
    compositor.invalidateHUD()
    view.redrawAll()
  }

  mutating func noteEvents() { view.noteEvents() }

  mutating func take(_ row: Row, run: borrowing Run) {
    rows.take(row, run: run)
    activity.note(row, memory: run.header.memory.metric)
    view.noteRow(run: run)
  }

  /// Whether the HUD may move out of the cursor's way.
  var isCalm: Bool { command.isQuiet && !input.hasHUDFocus && !compositor.hasModelLag }

  func deadline(now: Instant) -> Instant? {
    let hasEnded = command.end != nil
    var due =
      isInBackground
      ? now.advanced(byNanoseconds: OverlayFrontend.backgroundPeriod)
      : input.deadline(
        compositor, output, lastOutput: command.lastOutput, isEnded: hasEnded, now: now)
    due = earliest(due, activity.deadline(isSilent: isSilent, hasEnded: hasEnded))
    due = earliest(due, command.restEnd)
    due = earliest(due, eraseDeadline)
    if output.takesHUD(now: now), !isInBackground {
      let picture =
        compositor.isPaused
        ? input.updateDeadline
        : view.deadline(in: compositor.screen.size, isCalm: isCalm, now: now)
      due = earliest(due, picture)
      due = earliest(due, compositor.deadline(now: now, isIdle: command.isQuiet))
    }
    return command.isEnding && readsCommand ? earliest(due, now) : due
  }

  mutating func present(
    run: borrowing Run, now: Instant, poller: inout Poller
  ) throws(RunError) {
    if isInBackground { try returnToForeground() }
    view.ring(&compositor, &output)
    view.setUnwatched(isUnwatched)
    // Only this shows whether the cursor must be asked for.
    if command.isQuiet, let last = command.lastOutput,
      now.nanoseconds(since: last) > OverlayFrontend.restingTime
    {
      compositor.synchronize()
    }
    if output.takesHUD(now: now), !isInBackground { showHUD(run: run, now: now) }
    recorded.fillGap(&compositor, &output, now: now)
    flush(now: now)
    restInFlood(now: now)
    perfhud_show_life()
    if command.isQuiet, output.queue.isEmpty { checkpointErase(now: now) }
    rows.present(run: run, now: now, poller: &poller)
    poller.replace(output.queue.isEmpty ? nil : tty.outputDescriptor, slot: outputSlot)
    command.watch(&poller, readsOutput: readsCommand)
    // After the command's end, keys are for the next reader of the terminal.
    let isOpen = command.end == nil ? !command.isInputFull : input.awaitsLastAnswers
    let readsKeys = isOpen && !isInBackground
    poller.replace(readsKeys ? tty.inputDescriptor : nil, slot: inputSlot)
  }

  /// Whether the HUD is hidden, or the terminal has lost the focus, which it reports only if the command has requested
  /// that. Never while rows are written.
  var isUnwatched: Bool {
    guard !rows.isOpen else { return false }
    return view.isHidden || (!input.hasFocus && compositor.screen.modes.contains(.focusReports))
  }

  mutating func noteAlerts(_ lines: [String], rings: Bool) {
    view.noteEvents()
    if rings { view.ringBell(compositor) }
  }

  var showsMessages: Bool { true }

  mutating func noteLast(_ result: LastRecording) { view.note(result) }

  // MARK: Writing

  mutating func flush(now: Instant) {
    compositor.checkpoint(output.queue)
    do throws(Errno) {
      try output.flush(to: tty, now: now)
    } catch {
      loseTerminal()
    }
  }

  /// Writes waiting bytes, for at most this time in seconds.
  mutating func flushOut(patience: Double) {
    guard !hasHungUp else { return }
    compositor.checkpoint(output.queue)
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

  /// Whether the command has ended and all of its output has been sent, or the terminal has gone.
  var isDone: Bool {
    let isOut = !command.isEnding && output.queue.isEmpty && !input.awaitsLastAnswers
    return hasHungUp || (command.end != nil && isOut)
  }
  var showsFrames: Bool { rows.isOpen || view.showsFrames }
  var showsEachFrame: Bool { view.showsEachFrame }
  var wantedTable: ProcessTableRequest? { view.wantedTable }
  /// How the command ended.
  var end: PtyStatus? { command.end }
  /// The signal that ended the command, if a key sent it.
  var endingKeySignal: Int32? { command.endingKeySignal }
  var usage: ResourceUsage? { command.usage }
  /// The problem with the rows; `nil` if every row was written.
  var rowProblem: String? { rows.problem }

  mutating func flushLast() { rows.flushLast() }

  /// Removes the HUD, and leaves the terminal in the state in which the command has left it.
  mutating func close() {
    if hasHungUp {
      output.queue.removeAll()
    } else {
      compositor.release(now: .now(), to: &output.queue)
      leavesLineOpen = compositor.screen.isCursorKnown && compositor.screen.cursor.column > 0
      if command.end == nil || command.end == .lost {
        // The command loses its terminal, and cannot undo what it has set.
        if compositor.screen.isAlternate { output.queue.append(OverlayFrontend.leaveAlternate) }
        let hasOrigin = compositor.screen.modes.contains(.origin)
        output.queue.append(
          hasOrigin ? OverlayFrontend.crashBytes : OverlayFrontend.endBytes)
      }
      flushOut(patience: 5)
    }
    if tty.isEntered {
      try? tty.enter(restore: [])
      tty.leave()
    }
    command.close()
  }
}
