import CProcess
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Sampler
import SystemPackage
import Terminal

/// Runs that start a command: under the HUD, or directly.
extension Session {
  /// The environment variables for the command, by which a perfhud below it knows that a HUD exists.
  ///
  /// - Parameter shows: whether something else is shown, whose socket is not for the command.
  private static func variables(
    _ events: borrowing EventReceiver, shows: Bool
  ) -> [String: String] {
    var found = ["PERFHUD": "\(perfhud_front_process())"]
    if !shows, let path = events.socketPath { found["PERFHUD_SOCKET"] = path }
    return found
  }

  /// Makes this process adopt the command's orphans if they are counted with it: not if single jobs of a shell are
  /// shown.
  private static func takeOrphans(_ request: Request, isCommandShown: Bool) -> OrphanReaper? {
    isCommandShown && request.countsChildren && !request.followsJobs ? OrphanReaper() : nil
  }

  /// Receives the events of the command, or of what is shown instead.
  private static func eventReceiver(
    _ named: SamplerThread?, _ request: Request, isInteractive: Bool
  ) -> EventReceiver {
    guard let named else { return EventReceiver(process: nil, settings: request.settings) }
    return eventReceiver(named.facts, request, isInteractive: isInteractive)
  }

  // MARK: Under the HUD

  static func runOverlay(
    _ overlay: LaunchMode.Overlay, _ request: Request, start: Instant, environment: Environment
  ) throws -> Int32 {
    try MissingMeans.check(startsCommand: true)
    let isTakingOver = perfhud_is_taking_over() != 0
    // A mistyped name must not empty the files of the last run.
    if !isTakingOver { try CommandSearch.check(overlay.command) }
    let mask = Pty.signalMask()
    try RecordedRun.keep(overlay.rows?.path)
    // A FIFO waits for its reader here.
    let rowOutput = try overlay.rows.map { try BatchFrontend.open(path: $0.path) }
    var signals = try MissingMeans.signals(LoopSignal.numbers)
    let settings = request.settings
    if settings.restartsHUD { allowRestart() }
    if !request.budgets.list.isEmpty {
      perfhud_expect_budgets(
        request.budgets.isStrict ? ExitStatus.budgetInconclusive : ExitStatus.done)
    }
    let terminal: OverlayTerminal
    do throws(RunError) {
      terminal = try OverlayTerminal(settings: settings, environment: environment)
    } catch {
      perfhud_abandon_split()
      Console.say("\(error): the command runs without a HUD")
      let direct = LaunchMode.Direct(
        command: overlay.command, selection: overlay.selection, reason: .noScreen)
      return try runDirect(
        direct, request.running(direct), start: start, environment: environment, mask: mask)
    }
    let recording = try openRecording(request)
    let screenFile = try request.recording?.openScreen()
    let metrics = try metricsFiles(request)
    // This comes before anything is started. Without a supervisor the command has less protection.
    if perfhud_supervise() == 0 {
      terminal.tty.handOver()
      signals.isPassedOn = true
    }
    // This comes before the command starts, which may report events immediately.
    let named = try overlay.selection.map { try attach(to: $0, request, start: start) }
    let events = eventReceiver(named?.1, request, isInteractive: true)
    // Orphans of a command that was taken over go to the supervisor, above this process.
    let orphans = isTakingOver ? nil : takeOrphans(request, isCommandShown: named == nil)
    let pty =
      isTakingOver
      ? Pty(adopting: ())
      : try Pty(
        command: overlay.command, modes: terminal.modes,
        size: terminal.tty.reportedSize() ?? TerminalSize(rows: 0, columns: 0),
        environment: variables(events, shows: named != nil), mask: mask)
    // If SIGCHLD is ignored, children do not become zombies. The command already has its own handling.
    if orphans != nil { signal(SIGCHLD, SIG_DFL) }
    let holder = pty.holderProcess
    if !TTY.isTerminal(STDIN_FILENO) { detachInput() }
    let process = pty.commandProcess
    let (header, sampler) = try giveUpOnError(metrics) {
      try named
        ?? attach(
          to: process, request, start: start, shell: request.followsJobs ? process : nil,
          orphans: orphans)
    }
    let size = terminal.tty.reportedSize() ?? TerminalSize(rows: 24, columns: 80)
    let screen = request.recording?.screenRecorder(screenFile, header, size, environment)
    let frontend = OverlayFrontend(
      terminal: terminal, pty: pty, settings: settings, environment: environment,
      isGhost: overlay.isGhost, isShell: overlay.isShell,
      followsJobs: request.followsJobs, countsFrames: named == nil,
      rows: rowFile(overlay.rows, rowOutput, header), screen: screen)
    try giveUpOnError(metrics) { try sampler.start() }
    var loop = try MainLoop(
      run: Run(header), recorder: recorder(request, recording, header, screen: screen),
      metrics: metrics, frontend: frontend,
      sampler: sampler, signals: signals, end: nil,
      targetEnd: TargetEnd(header, settings, otherwise: .keepsLastValues), events: events,
      orphans: orphans.map { ($0, holder) },
      alerts: AlertAction(request.settings, orphans: orphans))
    perfhud_took_over()
    let outcome = try giveUpOnError(metrics) { try loop.run() }
    try loop.close()
    return end(of: &loop, outcome, request, environment)
  }

  /// Ends the recording, prints the remaining messages, and returns the exit status.
  private static func end(
    of loop: inout MainLoop<OverlayFrontend>, _ outcome: LoopOutcome, _ request: Request,
    _ environment: Environment
  ) -> Int32 {
    // perfhud's own waiting after the end, such as for answers of the terminal, does not count as the command's time.
    let over = loop.frontend.command.endedAt ?? .now()
    let end = loop.frontend.end
    let commandEnd = commandEnd(end, loop.frontend.usage, ofOrphans: loop.orphanBytes)
    let recordingProblem = loop.finishRecording(at: over, commandEnd)
    if case .signal(let number) = outcome, end == nil { return die(by: number) }
    // When a terminal goes away, some send the signal only to the shell.
    if end == nil, loop.frontend.hasHungUp { return die(by: SIGHUP) }
    let problems = [loop.frontend.rowProblem, recordingProblem].compactMap(\.self)
    if loop.frontend.leavesLineOpen,
      request.showsSummary || !problems.isEmpty || !request.budgets.list.isEmpty,
      TTY.isTerminal(STDERR_FILENO)
    {
      Console.put("\n", on: STDERR_FILENO)
    }
    for problem in problems { Console.remark(problem) }
    let isKilled = if case .signaled? = end { true } else { false }
    let judged = put(
      loop.live.value, over, commandEnd, request, environment,
      erasesRows: isKilled && TTY.isTerminal(STDERR_FILENO))
    if let number = loop.frontend.endingKeySignal { passOnKey(number) }
    return status(of: end, budgets: judged)
  }

  private static func allowRestart() {
    perfhud_allow_restart()
    guard perfhud_may_restart() == 0 else { return }
    Console.remark(
      "restart-hud has no effect here: if the HUD dies, the program keeps running without it; see: man perfhud"
    )
  }

  /// Does what is required to show a started command. If it fails, this process ends and the command continues without
  /// a HUD. Without a supervisor, the command is hung up when perfhud ends.
  ///
  /// - Parameter metrics: files that must not remain without a writer.
  private static func giveUpOnError<Result>(
    _ metrics: [any MetricsOutput], _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      for file in metrics { file.remove() }
      unsafe perfhud_end_engine(SafeText.clean("\(error)", limit: Int(PERFHUD_JOURNAL_REASON) - 1))
      throw error
    }
  }

  /// Sends a key's signal to the process group, as the terminal would have if it were not raw: to the script that
  /// started perfhud, and to the other processes of the pipeline. This process still blocks the signal.
  ///
  /// Source: `kill(2)` with process 0, `tcgetpgrp(3)`.
  private static func passOnKey(_ number: Int32) {
    if tcgetpgrp(STDOUT_FILENO) == getpgrp() { kill(0, number) }
  }

  /// Where to write rows while the HUD is drawn.
  private static func rowFile(
    _ options: LaunchMode.BatchOptions?, _ output: consuming Descriptor?, _ header: RunHeader
  ) -> RowOutput {
    guard let options, let output = output.take() else { return RowOutput(nil) }
    return RowOutput(
      BatchFrontend(
        output: output, name: options.path ?? "", format: options.format, header: header,
        samples: nil, hasCommand: false), name: SafeText.clean(options.path ?? ""))
  }

  /// Closes perfhud's descriptor of a pipe on standard input, which is the command's: the pipe's writer must notice
  /// when the command closes it.
  private static func detachInput() {
    let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    dup2(descriptor, STDIN_FILENO)
    close(descriptor)
  }

  // MARK: Directly

  static func runDirect(
    _ direct: LaunchMode.Direct, _ request: Request, start: Instant, environment: Environment,
    mask: sigset_t = Pty.signalMask()
  ) throws -> Int32 {
    try MissingMeans.check(startsCommand: true)
    // A mistyped name must not empty the files of the last run.
    try CommandSearch.check(direct.command)
    var options: LaunchMode.BatchOptions?
    if case .batch(let batch) = direct.reason { options = batch }
    try RecordedRun.keep(options?.path)
    // A FIFO waits for its reader here.
    let output = try BatchFrontend.open(path: options?.path, standard: STDERR_FILENO)
    if request.recording?.keepsScreen == true {
      Console.remark("the screen is not recorded, since there is no HUD over the command")
    }
    let recording = try openRecording(request)
    let metrics = try metricsFiles(request)
    let signals = try MissingMeans.signals(LoopSignal.numbers)
    // Below a nested perfhud, the outer one receives the command's events.
    let named = try direct.selection.map { try attach(to: $0, request, start: start) }
    let events =
      request.isNested
      ? EventReceiver() : eventReceiver(named?.1, request, isInteractive: false)
    let orphans = takeOrphans(request, isCommandShown: named == nil)
    let command = try DirectCommand(
      command: direct.command,
      environment: request.isNested ? [:] : variables(events, shows: named != nil),
      mask: mask)
    let process = command.processID
    let header: RunHeader
    let sampler: SamplerThread
    do {
      (header, sampler) =
        try named ?? attach(to: process, request, start: start, orphans: orphans)
      try sampler.start()
    } catch {
      Console.remark("\(error): the command keeps running without perfhud")
      let end = UnmeasuredCommand.wait(for: command, signals).end
      let run = Run(runHeader(request, start: start))
      let judged = put(run, .now(), commandEnd(end, nil), request.judgingOnly, environment)
      return status(of: end, budgets: judged)
    }
    if options != nil || request.showsSummary { remarkNamespace(header, sampler) }
    let rows = BatchFrontend(
      output: output, name: options?.path ?? "standard error", format: options?.format ?? .text,
      header: header, samples: options == nil ? 0 : nil, hasCommand: true)
    let frontend = DirectFrontend(
      command: command, rows: rows, isCommandSampled: named == nil)
    var loop = try MainLoop(
      run: Run(header), recorder: recorder(request, recording, header),
      metrics: metrics, frontend: frontend,
      sampler: sampler, signals: signals, end: nil,
      targetEnd: TargetEnd(header, request.settings, otherwise: .keepsLastValues), events: events,
      orphans: orphans.map { ($0, process) },
      alerts: AlertAction(request.settings, orphans: orphans))
    _ = try loop.run()
    try loop.close()
    let over = Instant.now()
    let end = loop.frontend.end
    let commandEnd = commandEnd(end, loop.frontend.usage, ofOrphans: loop.orphanBytes)
    if let problem = loop.finishRecording(at: over, commandEnd) { Console.remark(problem) }
    let judged = put(loop.live.value, over, commandEnd, request, environment)
    return status(of: end, budgets: judged)
  }

  // MARK: The end

  /// - Parameter ofOrphans: the greatest resident memory of an orphan, for which the command has not waited.
  private static func commandEnd(
    _ end: PtyStatus?, _ usage: ResourceUsage?, ofOrphans: UInt64 = 0
  ) -> CommandEnd {
    let status: CommandEnd.Status? =
      switch end {
      case .exited(let code): .exited(code)
      case .signaled(let number, _): .signaled(number)
      default: nil
      }
    return CommandEnd(
      status: status, userNanoseconds: usage?.userNanoseconds,
      systemNanoseconds: usage?.systemNanoseconds,
      maxResidentBytes: usage.map { max($0.maxResidentBytes, ofOrphans) },
      maxResidentIsBound: usage.map { $0.maxResidentIsBound && $0.maxResidentBytes > ofOrphans }
        ?? false, readBytes: usage?.readBytes, writtenBytes: usage?.writtenBytes)
  }

  /// Prints the summary and the verdicts on the budgets.
  ///
  /// - Parameters:
  ///   - over: when the run was over.
  ///   - erasesRows: whether the rows of the terminal may contain something.
  /// - Returns: the exit status that the budgets require.
  private static func put(
    _ run: Run, _ over: Instant, _ end: CommandEnd, _ request: Request, _ environment: Environment,
    erasesRows: Bool = false
  ) -> Int32 {
    let language = request.settings.language(in: environment)
    if request.showsSummary {
      let summary = RunSummary(run, asOf: over, end: end)
      let text = summary.text(language: language)
      Console.put(erasesRows ? erasingRows(text) : text, on: STDERR_FILENO)
    }
    return request.budgets.finish(run, end, asOf: over, language: language)
  }

  /// Makes each line erase its row: a program that was killed leaves its screen behind.
  private static func erasingRows(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "\u{1B}[K\($0)" }.joined(separator: "\n")
  }

  /// The command's status, or death by the same signal without a core dump of perfhud.
  ///
  /// - Parameter budgets: the status required by the budgets if the command has succeeded.
  private static func status(of end: PtyStatus?, budgets: Int32) -> Int32 {
    switch end {
    case .exited(0): return budgets
    case .exited(let code): return code
    case .signaled(let number, _):
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      return die(by: number)
    default:
      Console.say("the command was lost: the process that watched over it was killed")
      return ExitStatus.commandFailure
    }
  }
}
