import CProcess
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Sampler
import Terminal

/// Runs perfhud in one of its modes, from attaching to the end.
enum Session {
  /// - Returns: the exit status; does not return when a signal ended the run.
  static func run(_ request: Request, environment: Environment) throws -> Int32 {
    let start = Instant.now()
    if request.explains { return try explain(request, environment: environment) }
    try request.budgets.prepare()
    switch request.mode {
    case .nothing: return ExitStatus.done
    case .overlay(let overlay):
      return try runOverlay(overlay, request, start: start, environment: environment)
    case .direct(let direct):
      return try runDirect(direct, request, start: start, environment: environment)
    case .batch(let selection, let options):
      try MissingMeans.check(startsCommand: false)
      let (header, sampler) = try attach(to: selection, request, start: start)
      let ended = try runBatch(options, header, sampler, request)
      return status(ended, header, sampler, request, environment)
    case .attach(let selection):
      try MissingMeans.check(startsCommand: false)
      let choice = try targetChoice(selection, request)
      if choice.isOffered { return try runPicker(choice, request, environment: environment) }
      let (header, sampler) = try attach(to: choice, request, start: start)
      let ended = try runAttach(request, header, sampler, environment: environment)
      return status(ended, header, sampler, request, environment)
    case .pick:
      try MissingMeans.check(startsCommand: false)
      return try runPicker(nil, request, environment: environment)
    }
  }

  /// Looks for what was named, and makes a first reading of it.
  static func attach(
    to selection: LaunchMode.Selection, _ request: Request, start: Instant
  ) throws -> (RunHeader, SamplerThread) {
    try attach(to: targetChoice(selection, request), request, start: start)
  }

  /// Makes a first reading of what was found.
  static func attach(
    to choice: TargetChoice, _ request: Request, start: Instant
  ) throws -> (RunHeader, SamplerThread) {
    var header = runHeader(request, start: start)
    header.take(choice)
    let sampler = try makeSampler(choice, request)
    header.take(sampler.facts)
    return (header, sampler)
  }

  /// Samples a command that was just started.
  ///
  /// - Parameters:
  ///   - shell: the process group of the shell whose foreground job is followed.
  ///   - orphans: adopts descendants whose parents have ended.
  static func attach(
    to pid: Int32, _ request: Request, start: Instant, shell: Int32? = nil,
    orphans: OrphanReaper? = nil
  ) throws -> (RunHeader, SamplerThread) {
    var options = samplerOptions(request)
    options.orphans = orphans
    options.group = shell.map { ProcessGroup($0, includesOtherGroups: false) }
    let sampler = try SamplerThread(
      pid: pid, options: options, isRetargeted: shell != nil, root: "/proc")
    // When perfhud ends, the thread ends with it: a hanging read must not delay the end.
    _ = unsafe Unmanaged.passRetained(sampler)
    var header = runHeader(request, start: start)
    header.take(sampler.facts)
    return (header, sampler)
  }

  /// Looks for what was named to be shown.
  static func targetChoice(
    _ selection: LaunchMode.Selection, _ request: Request
  ) throws -> TargetChoice {
    let several: TargetChoice.Several =
      switch request.mode {
      case .attach, .pick: .offer
      case .overlay: .takeNewest
      case .batch, .direct, .nothing: .refuse
      }
    return try TargetChoice(
      selection, several: several, joinsDescendants: request.countsChildren,
      follows: !request.settings.exitsWithTarget)
  }

  /// Samples what was named.
  private static func makeSampler(
    _ choice: TargetChoice, _ request: Request
  ) throws -> SamplerThread {
    var options = samplerOptions(request)
    options.watchesZombie = true
    let sampler: SamplerThread
    if let cgroup = choice.cgroup {
      sampler = try SamplerThread(
        cgroup: cgroup, isFollowed: choice.followed != nil, options: options)
    } else if let finder = choice.finder.take() {
      sampler = try SamplerThread(pid: choice.pid, followedBy: finder, options: options)
    } else {
      sampler = try SamplerThread(pid: choice.pid ?? 0, options: options)
    }
    // When perfhud ends, the thread ends with it.
    _ = unsafe Unmanaged.passRetained(sampler)
    return sampler
  }

  /// Receives the events of what is shown.
  static func eventReceiver(
    _ facts: ProcessFacts, _ request: Request, isInteractive: Bool
  ) -> EventReceiver {
    let pid = facts.target.pid
    return pid > 0
      ? EventReceiver(process: pid, settings: request.settings, isInteractive: isInteractive)
      : EventReceiver(settings: request.settings)
  }

  /// Reports how a run without a command has ended, and judges its budgets.
  static func status(
    _ ended: (end: LoopOutcome, run: Run), _ header: RunHeader, _ sampler: SamplerThread,
    _ request: Request, _ environment: Environment
  ) -> Int32 {
    if case .targetEnded = ended.end {
      Console.say(lastWords(header, sampler.facts, ended.run.latest))
    }
    let language = request.settings.language(in: environment)
    let status = request.budgets.finish(ended.run, nil, language: language)
    if case .signal(let number) = ended.end, number != SIGINT { return die(by: number) }
    return status
  }

  /// If no HUD shows it, reports once that a PID may refer to another process in this /proc.
  static func remarkNamespace(_ header: RunHeader, _ sampler: SamplerThread) {
    guard !header.isCgroup, !ProcMount.showsOurNamespace(root: "/proc") else { return }
    let pid = sampler.facts.target.pid
    Console.remark(
      "/proc is of another pid namespace: the values are those of process \(pid) there, which may be another one; "
        + "mount the /proc of this namespace to be sure")
  }

  /// How the target ended.
  ///
  /// - Parameter latest: the last row, which has the latest name: the process may have executed another program.
  static func lastWords(
    _ header: RunHeader, _ facts: ProcessFacts, _ latest: Row?
  ) -> String {
    if header.isCgroup { return "cgroup \(header.command) was removed" }
    let target = facts.target
    guard target.pid > 0 else { return "the process '\(header.command)' has ended" }
    let name = latest.flatMap { $0.pid == target.pid && $0.name.count > 0 ? $0.name : nil }
    var text = "process \(target.pid) (\((name ?? facts.name).text)) has ended"
    if let end = latest?.processEnd, latest?.pid == target.pid, end != .none, end != .unknown {
      text += ": \(end.shortText(.english))"
    }
    let now = try? ProcessFacts(pid: target.pid)
    let isZombie = now?.target == target && now?.state == .zombie
    return isZombie ? text + "; its parent has not reaped it" : text
  }

  private static func runBatch(
    _ options: LaunchMode.BatchOptions, _ header: RunHeader, _ sampler: SamplerThread,
    _ request: Request, events: consuming EventReceiver? = nil
  ) throws -> (end: LoopOutcome, run: Run) {
    let duration = request.duration
    remarkNamespace(header, sampler)
    try RecordedRun.keep(options.path)
    let recording = try openRecording(request)
    let metrics = try metricsFiles(request)
    let output = try BatchFrontend.open(path: options.path)
    let signals = try SignalDescriptor(LoopSignal.numbers)
    // As many rows as intervals fit into the duration: the last row must not race against its end.
    let fitting = duration.flatMap { $0 < header.interval ? nil : Int($0 / header.interval) }
    let samples = [options.samples, fitting].compactMap(\.self).min()
    let grace = fitting == nil ? 0 : min(header.interval, 100_000_000)
    let end = duration.map { header.start.advanced(byNanoseconds: Int64($0 + grace)) }
    let frontend = BatchFrontend(
      output: output, name: options.path ?? "standard output", format: options.format,
      header: header, samples: samples)
    let events = events ?? eventReceiver(sampler.facts, request, isInteractive: false)
    let gathered = Int(BatchFrontend.patience / header.interval)
    let gathers =
      frontend.isStored && samples == nil && request.settings.alerts.isEmpty && gathered > 1
    if gathers { sampler.gather(gathered) }
    try sampler.start()
    var loop = try MainLoop(
      run: Run(header), recorder: recorder(request, recording, header),
      metrics: metrics, frontend: frontend,
      sampler: sampler, signals: signals, end: end,
      targetEnd: TargetEnd(header, request.settings, otherwise: .endsRun),
      gathered: gathers ? gathered : 1, events: events, alerts: AlertAction(request.settings))
    let outcome = try loop.run()
    try loop.close()
    if let problem = loop.finishRecording() { Console.remark(problem) }
    return (outcome, loop.live.value)
  }

  /// Shows the sampled target in this terminal.
  ///
  /// - Parameter jobs: what to follow; `nil` stays with what was named.
  static func runAttach(
    _ request: Request, _ header: RunHeader, _ sampler: SamplerThread,
    jobs: TerminalJobs? = nil, environment: Environment
  ) throws -> (end: LoopOutcome, run: Run) {
    // This comes before the thread starts and before curses sets handlers.
    let signals = try SignalDescriptor(LoopSignal.numbers)
    let tty = try TTY()
    let events = eventReceiver(sampler.facts, request, isInteractive: true)
    let terminal: PaneTerminal
    do throws(CursesError) {
      // The first interval begins before the terminal is set up.
      terminal = try PaneTerminal(
        tty: tty, settings: request.settings, environment: environment)
    } catch {
      switch error {
      case .system(let error): throw RunError(error)
      case .failed(let term):
        throw RunError("ncurses cannot draw on TERM=\(term); print rows with --batch")
      case .noCursorAddressing(let term):
        Console.remark("TERM=\(term) cannot place the cursor: printing rows instead")
        // A second one would find the socket already taken by the first.
        return try runBatch(
          LaunchMode.BatchOptions(), header, sampler, request, events: events)
      }
    }
    return try runAttach(
      request, header, sampler, terminal, signals, events: events, jobs: jobs,
      environment: environment)
  }

  /// Shows a process in a terminal that is already taken over.
  static func runAttach(
    _ request: Request, _ header: RunHeader, _ sampler: SamplerThread,
    _ terminal: consuming PaneTerminal, _ signals: consuming SignalDescriptor,
    events: consuming EventReceiver, jobs: TerminalJobs? = nil, environment: Environment
  ) throws -> (end: LoopOutcome, run: Run) {
    let end = request.duration.map { header.start.advanced(byNanoseconds: Int64($0)) }
    let recording = try openRecording(request)
    let metrics = try metricsFiles(request)
    // What is written to a file has one kind of values, and budgets judge one kind.
    let isFixed =
      jobs != nil || header.isCgroup || header.isKernelThread || !header.budgets.isEmpty
      || recording != nil || !metrics.isEmpty
    let frontend = AttachFrontend(
      terminal: terminal, settings: request.settings, environment: environment, jobs: jobs,
      mayCountChildren: !isFixed)
    try sampler.start()
    var loop = try MainLoop(
      run: Run(header), recorder: recorder(request, recording, header),
      metrics: metrics, frontend: frontend,
      sampler: sampler, signals: signals, end: end,
      targetEnd: TargetEnd(
        header, request.settings,
        otherwise: request.settings.exitsWithTarget ? .endsRun : .keepsLastValues),
      events: events, alerts: AlertAction(request.settings))
    let outcome = try loop.run()
    try loop.close()
    let problem = loop.finishRecording()
    let run = loop.live.value
    // Destroying the loop restores the terminal.
    _ = consume loop
    if let problem { Console.remark(problem) }
    return (outcome, run)
  }

  static func samplerOptions(_ request: Request) -> SamplerOptions {
    let isLines =
      switch request.mode {
      case .batch: true
      case .direct(let direct): if case .batch = direct.reason { true } else { false }
      case .attach, .pick, .overlay, .nothing: false
      }
    return SamplerOptions(
      intervalNanoseconds: request.settings.interval,
      statEverySample: isLines || request.rowsBesideHUD != nil,
      provisionalFirst: !isLines,
      pss: request.settings.memory == .pss ? .onBudgetAnySize : .onBudget,
      includesChildren: request.countsChildren)
  }

  static func runHeader(
    _ request: Request, start: Instant
  ) -> RunHeader {
    let isCommandShown = request.mode.command != nil && request.mode.selection == nil
    let tick = isCommandShown ? 0 : request.settings.tick
    let isOverlay =
      if case .overlay(let overlay) = request.mode { overlay.selection == nil } else { false }
    var header = RunHeader(
      start: start, wallClockOffset: wallClockOffset(), secondsFromUTC: secondsFromUTC(),
      interval: request.settings.interval, memory: request.settings.memory,
      tickPeriod: tick == 0 ? nil : 1_000_000_000 / UInt64(tick),
      command: isCommandShown ? request.mode.command.map { ShellWords.joined($0) } ?? "" : "",
      framesFromTerminal: isOverlay,
      includesChildren: request.countsChildren)
    if isCommandShown, let program = request.mode.command?.first {
      let name = program.split(separator: UInt8(ascii: "/")).last ?? []
      header.startedProgram = SafeText.clean(String(decoding: name, as: UTF8.self), limit: 64)
    }
    header.highRate = request.settings.highRate
    header.alerts = request.settings.alerts
    header.budgets = request.budgets.list
    header.phaseOrigins = request.settings.phaseChoice?.origins
    return header
  }

  /// The user's clock minus UTC. Source: `localtime_r(3)`, tm_gmtoff.
  private static func secondsFromUTC() -> Int {
    var now = time(nil)
    var parts = unsafe tm()
    guard unsafe localtime_r(&now, &parts) != nil else { return 0 }
    return unsafe parts.tm_gmtoff
  }

  /// Dies by the signal, so that the parent of perfhud sees what ended it.
  static func die(by number: Int32) -> Int32 {
    perfhud_set_end(0, number)
    signal(number, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    raise(number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    return 128 + number
  }
}

extension RunHeader {
  /// Adopts what was named.
  mutating func take(_ choice: TargetChoice) {
    followed = choice.followed
    matches = choice.matches
    isCgroup = choice.cgroup != nil
    if isCgroup { includesChildren = false }
  }

  /// Adopts the facts about the target. The command line of a command is already known.
  mutating func take(_ facts: ProcessFacts) {
    if command.isEmpty { command = facts.commandLine }
    name = facts.name
    isKernelThread = facts.isKernelThread
  }
}
