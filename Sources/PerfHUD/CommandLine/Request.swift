import HUD
import Metrics
import PerfHUDBase
import Recording

/// What the user has requested: the mode, the settings and the limits of the run.
struct Request: Equatable {
  var mode: LaunchMode
  var settings: Settings
  /// Nanoseconds after which the run ends; never set with a command.
  var duration: UInt64?
  var explains: Bool
  /// The requested recording of the run, if any.
  var recording: RecordingRequest?
  /// The requested file for Prometheus, if any.
  var prometheus: String?
  /// The requested file for the OpenTelemetry Collector, if any.
  var otlp: String?
  /// The limits that the run has to keep, and how to report the verdicts.
  var budgets = BudgetRequest()

  /// Checks the command line and combines it with the environment and the configuration file.
  ///
  /// - Parameter words: the command, and a process named only by its number.
  init(
    _ arguments: CommandLineArguments, _ words: ArgumentList, context: LaunchContext
  ) throws(UsageError) {
    let arguments = try Request.takeNumber(words.number, into: arguments)
    settings = try Request.settings(arguments, words.command, context)
    explains = arguments.explain
    budgets = try BudgetRequest(arguments.alerts, settings, context.environment)
    duration = try arguments.sampling.duration.map { text throws(UsageError) in
      guard let value = DurationText.nanoseconds(text), value > 0 else {
        throw UsageError(
          "duration '\(SafeText.clean(text, limit: 40))' is not a time such as 30s or 5m")
      }
      return value
    }
    mode = try Request.mode(arguments, words.command, context)
    recording = try Request.recording(arguments, mode)
    if let path = arguments.output.prometheus {
      guard path.hasSuffix(".prom") else {
        throw UsageError("--prometheus needs a file that ends in .prom: collectors read no other")
      }
      prometheus = path
    }
    otlp = arguments.output.otlp
    if otlp?.isEmpty == true { throw UsageError("--otlp needs the name of a file") }
    try UsageError.refuseStream(otlp, option: "--otlp")
    try refuseRowlessRun()
  }

  /// Refuses batch output that would have no row and leave nothing else.
  private func refuseRowlessRun() throws(UsageError) {
    guard case .batch = mode, let duration, duration < settings.interval, recording == nil,
      otlp == nil, prometheus == nil, budgets.list.isEmpty
    else { return }
    let interval = DurationText.text(settings.interval)
    throw UsageError(
      "--duration is shorter than an interval (\(interval)): no row would be printed; choose a shorter --interval"
    )
  }

  /// Whether child processes are counted too. By default they are for a command, which often only starts the programs
  /// that do the work, but not for a named process.
  var countsChildren: Bool { settings.tree ?? (mode.command != nil && mode.selection == nil) }

  /// Whether the HUD shows the foreground job of the user's shell: not if the whole tree was requested.
  var followsJobs: Bool {
    guard case .overlay(let overlay) = mode else { return false }
    return overlay.isShell && overlay.selection == nil && settings.tree != true
  }

  /// The rows to write to a file while the HUD is drawn, if requested.
  var rowsBesideHUD: LaunchMode.BatchOptions? {
    if case .overlay(let overlay) = mode { overlay.rows } else { nil }
  }

  /// Whether the command runs below another perfhud.
  var isNested: Bool {
    if case .direct(let direct) = mode, case .nested = direct.reason { true } else { false }
  }

  /// Whether to print a summary of the command's resource usage at the end.
  ///
  /// By default not: if another process was measured; for a shell, which nobody runs in order to measure it; after
  /// batch output, which a program may read; or below another perfhud, which prints its own.
  var showsSummary: Bool {
    switch mode {
    case .attach, .pick, .batch, .nothing: false
    case .overlay(let overlay): settings.summary ?? (!overlay.isShell && overlay.selection == nil)
    case .direct(let direct):
      switch direct.reason {
      case .batch, .nested: settings.summary ?? false
      case .noTerminal, .background, .noKeys, .noSequences, .noScreen: settings.summary ?? true
      }
    }
  }

  /// The same request without a HUD over the command, with a summary if there would have been one.
  func running(_ direct: LaunchMode.Direct) -> Request {
    var request = self
    request.settings.summary = showsSummary
    request.mode = .direct(direct)
    return request
  }

  /// The same request without a summary.
  var judgingOnly: Request {
    var request = self
    request.settings.summary = false
    return request
  }

  /// A line that explains why there is no HUD, unless that is obvious.
  func notice(context: LaunchContext) -> String? {
    let outer = "perfhud \(context.outer ?? "") draws on this terminal already"
    switch mode {
    case .nothing: return outer + "; a second HUD with: perfhud --nested"
    case .direct(let direct):
      switch direct.reason {
      case .nested: return outer + ": the command runs without a second HUD (--nested draws one)"
      case .noKeys:
        return "no terminal to read keys from: the command runs without a HUD"
      case .noSequences(let term):
        return "TERM=\(term) cannot place the cursor: the command runs without a HUD"
      case .batch, .noTerminal, .background, .noScreen: return nil
      }
    case .attach, .pick, .batch, .overlay: return nil
    }
  }
}

// MARK: - The mode

extension Request {
  private static func mode(
    _ arguments: CommandLineArguments, _ command: [[UInt8]]?, _ context: LaunchContext
  ) throws(UsageError) -> LaunchMode {
    let selection = try selection(arguments)
    let lines = try batchOptions(arguments, hasCommand: command != nil)
    if let command, command.isEmpty {
      throw UsageError("no command after --; run one with: perfhud COMMAND")
    }
    if arguments.target.pick {
      try checkPick(arguments, command, lines: lines, context)
      return .pick
    }
    guard let selection, !arguments.target.overlay else {
      return try commandMode(arguments, command, selection, lines: lines, context)
    }
    guard command == nil else {
      let (option, value) = selection.words
      throw UsageError(
        "\(option) cannot be combined with a command; to show \(value) over it: "
          + "perfhud \(option) \(value) --overlay COMMAND")
    }
    try rejectOverlayOptions(arguments)
    guard let lines else {
      return context.isTerminal
        ? .attach(selection) : .batch(selection, LaunchMode.BatchOptions())
    }
    return .batch(selection, lines)
  }

  /// The mode if a command or the shell is run.
  private static func commandMode(
    _ arguments: CommandLineArguments, _ command: [[UInt8]]?, _ selection: LaunchMode.Selection?,
    lines: LaunchMode.BatchOptions?, _ context: LaunchContext
  ) throws(UsageError) -> LaunchMode {
    let reason = directReason(arguments, context)
    let rows = rowsBesideHUD(arguments, lines)
    if let lines, rows == nil || (reason != nil && command != nil) {
      return try .direct(
        commandLines(arguments, command, selection, lines, isFallback: rows != nil))
    }
    if command == nil, !context.isTerminal {
      guard !arguments.target.overlay else {
        throw UsageError("--overlay needs a terminal on standard output; run it in one")
      }
      throw noTarget
    }
    try rejectEnds(arguments)
    guard let command else {
      switch reason {
      case .nested: return .nothing
      case .background:
        throw UsageError("a shell needs the foreground of its terminal; start perfhud without &")
      case .noKeys:
        throw UsageError("no terminal to read keys from; put one on the standard input")
      case .noSequences(let term):
        throw UsageError("TERM=\(term) cannot place the cursor, so that there is no HUD; set TERM")
      case .batch, .noTerminal, .noScreen, nil:
        return .overlay(
          LaunchMode.Overlay(
            command: [Array(context.shell.utf8)], isShell: true, selection: selection,
            isGhost: arguments.display.ghost, rows: rows))
      }
    }
    if let reason {
      return .direct(LaunchMode.Direct(command: command, selection: selection, reason: reason))
    }
    return .overlay(
      LaunchMode.Overlay(
        command: command, selection: selection, isGhost: arguments.display.ghost, rows: rows))
  }

  /// Why a command would run without a HUD; `nil` if one can be drawn.
  private static func directReason(
    _ arguments: CommandLineArguments, _ context: LaunchContext
  ) -> LaunchMode.DirectReason? {
    if !context.isTerminal { return .noTerminal }
    if let outer = context.outer, !arguments.display.nested { return .nested(below: outer) }
    if !context.isForeground { return .background }
    if !context.hasKeys { return .noKeys }
    return context.dumbTerminal.map { .noSequences(term: $0) }
  }

  /// The rows to write to a file while the HUD is drawn. A file leaves the terminal free for the HUD, unless `--batch`
  /// requests no HUD.
  private static func rowsBesideHUD(
    _ arguments: CommandLineArguments, _ lines: LaunchMode.BatchOptions?
  ) -> LaunchMode.BatchOptions? {
    guard let lines, lines.path != nil, !arguments.output.batch, lines.samples == nil else {
      return nil
    }
    return lines
  }

  /// Batch output about a command instead of a HUD.
  ///
  /// - Parameter isFallback: whether the rows go to a file, and there would be a HUD too if there were a terminal.
  private static func commandLines(
    _ arguments: CommandLineArguments, _ command: [[UInt8]]?, _ selection: LaunchMode.Selection?,
    _ lines: LaunchMode.BatchOptions, isFallback: Bool
  ) throws(UsageError) -> LaunchMode.Direct {
    let asking = arguments.batchOption ?? "--batch"
    let hint =
      arguments.output.batch
      ? "leave out one of them" : "for both, write the rows to a file with: --output FILE"
    if arguments.target.overlay, !isFallback {
      throw UsageError("--overlay draws and \(asking) prints rows; \(hint)")
    }
    guard let command else { throw noTarget }
    try rejectEnds(arguments)
    for option in arguments.hudOptions where !isFallback {
      throw UsageError("\(option) draws and \(asking) prints rows; \(hint)")
    }
    return LaunchMode.Direct(command: command, selection: selection, reason: .batch(lines))
  }

  private static var noTarget: UsageError {
    UsageError(
      "no process and no command given; attach with: perfhud N (find it with: "
        + "pgrep -a NAME), or run a command with: perfhud COMMAND")
  }

  /// Refuses options that would end perfhud before the command, since this would take away the command's terminal.
  private static func rejectEnds(_ arguments: CommandLineArguments) throws(UsageError) {
    let options = [
      ("--duration", arguments.sampling.duration != nil),
      ("--samples", arguments.output.samples != nil),
    ]
    for (option, isGiven) in options where isGiven {
      throw UsageError(
        "\(option) cannot end a command; give it a time with: perfhud timeout 30s COMMAND")
    }
    if arguments.target.exitWithTarget {
      throw UsageError(
        "--exit-with-target has an effect only with --pid; perfhud ends when the command has ended")
    }
  }
}

// MARK: - Single options

extension Request {
  /// Takes a lone number as the value of `--pid`.
  private static func takeNumber(
    _ number: String?, into arguments: CommandLineArguments
  ) throws(UsageError) -> CommandLineArguments {
    guard let number else { return arguments }
    guard arguments.target.pid == nil else {
      throw UsageError(
        "both --pid and the process \(SafeText.clean(number, limit: 40)) are given, but one target is shown"
      )
    }
    var arguments = arguments
    arguments.target.pid = number
    return arguments
  }

  /// What to show, if it was named.
  private static func selection(
    _ arguments: CommandLineArguments
  ) throws(UsageError) -> LaunchMode.Selection? {
    let named = [
      ("--pid", arguments.target.pid != nil), ("--name", arguments.target.name != nil),
      ("--cgroup", arguments.target.cgroup != nil), ("--pick", arguments.target.pick),
    ].filter(\.1).map(\.0)
    guard named.count <= 1 else {
      throw UsageError("\(named[0]) and \(named[1]) exclude each other: one target is shown")
    }
    guard !arguments.target.wait || arguments.target.name != nil else {
      throw UsageError("--wait has an effect only with --name: perfhud --name NAME --wait")
    }
    if let pid = try pid(arguments) { return .pid(pid) }
    if let cgroup = arguments.target.cgroup {
      guard !cgroup.isEmpty else {
        throw UsageError("--cgroup needs a path or a unit; list candidates with: systemd-cgls")
      }
      guard arguments.target.tree == nil else {
        throw UsageError(
          "\(arguments.target.tree == true ? "--tree" : "--no-tree") has no effect with --cgroup: a cgroup is "
            + "always counted as a whole")
      }
      return .cgroup(cgroup)
    }
    guard let name = arguments.target.name else { return nil }
    guard !name.isEmpty else {
      throw UsageError("--name needs a name or a regular expression; list names with: ps -e")
    }
    do {
      _ = try LinePattern(name)
    } catch {
      throw UsageError(
        "name '\(SafeText.clean(name, limit: 40))' is not a regular expression: \(error)")
    }
    return .name(name, waits: arguments.target.wait)
  }

  private static func pid(_ arguments: CommandLineArguments) throws(UsageError) -> Int32? {
    guard let text = arguments.target.pid else { return nil }
    guard let pid = Int32(text), pid > 0 else {
      throw UsageError(
        "pid '\(SafeText.clean(text, limit: 40))' is not a positive number; "
          + "find it with: pgrep -a NAME")
    }
    return pid
  }

  /// - Returns: `nil` if batch output was not requested.
  private static func batchOptions(
    _ arguments: CommandLineArguments, hasCommand: Bool
  ) throws(UsageError) -> LaunchMode.BatchOptions? {
    var options = LaunchMode.BatchOptions()
    let path = arguments.output.output
    // Beside a command, rows without a file go to standard error.
    if hasCommand { try UsageError.refuseStream(path, option: "--output") }
    options.path = path == "-" ? nil : path
    if let text = arguments.output.format {
      guard let format = LineFormat(rawValue: text) else {
        throw UsageError(
          "format '\(SafeText.clean(text, limit: 40))' is none of: text, csv, jsonl")
      }
      options.format = format
    } else if let path, let format = LineFormat(path: path) {
      options.format = format
    }
    if let text = arguments.output.samples {
      guard let count = Int(text), count > 0 else {
        throw UsageError(
          "samples '\(SafeText.clean(text, limit: 40))' is not a positive whole number")
      }
      options.samples = count
    }
    return arguments.batchOption == nil ? nil : options
  }

  /// The settings. The command line overrides the environment, which overrides the file, which overrides the defaults.
  private static func settings(
    _ arguments: CommandLineArguments, _ command: [[UInt8]]?, _ context: LaunchContext
  ) throws(UsageError) -> Settings {
    try settings(arguments.settings, environment: context.environment) {
      ProgramName.names(arguments, command, context)
    }
  }
}

extension LaunchMode.Selection {
  /// The option and its value, made harmless.
  var words: (option: String, value: String) {
    switch self {
    case .pid(let pid): ("--pid", "\(pid)")
    case .name(let name, _): ("--name", SafeText.clean(name, limit: 80))
    case .cgroup(let name): ("--cgroup", SafeText.clean(name, limit: 200))
    }
  }
}
