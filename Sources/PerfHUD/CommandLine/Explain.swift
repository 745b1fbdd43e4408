import Glibc
import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal

extension Session {
  /// Prints the mode, the sources that would be used, what cannot be read and why, and what the
  /// terminal has. Makes one reading, so that permissions are tried and not guessed; of perfhud itself
  /// where the process to be measured has not been started.
  static func explain(_ request: Request, environment: Environment) throws -> Int32 {
    var text = ""
    func line(_ label: String, _ value: String) {
      text += label + String(repeating: " ", count: max(1, 14 - label.count)) + value + "\n"
    }
    if request.mode == .nothing {
      try Console.print("mode          \(request.mode.explanation)\n")
      return ExitStatus.done
    }
    let choice = try request.mode.selection.map { selection in
      try targetChoice(selection, request)
    }
    let sample: Sample
    let facts: ProcessFacts
    if let cgroup = choice?.cgroup {
      var sampler = try CgroupSampler(cgroup)
      sample = sampler.sample()
      facts = try ProcessFacts(pid: getpid())
    } else {
      var sampler = try ProcessSampler(
        pid: choice?.pid ?? getpid(), options: samplerOptions(request), root: "/proc")
      sample = sampler.sample()
      facts = sampler.facts
    }
    line("mode", request.mode.explanation)
    if let choice { explain(choice, request, facts, sample, line) }
    if let command = request.mode.command {
      line("command", ShellWords.joined(command))
    } else if choice?.pid != nil {
      line("command", facts.commandLine)
    }
    if choice == nil {
      line(
        "measured",
        (request.mode == .pick
          ? "the process that is chosen"
          : request.followsJobs ? "the job that has the terminal" : "the command")
          + "; sources tried on perfhud itself")
    }
    line(
      "children",
      choice?.cgroup != nil
        ? "counted by the cgroup" : request.countsChildren ? "counted" : "not counted")
    let settings = request.settings
    if case .overlay(let overlay) = request.mode {
      line("hud", settings.placement + (overlay.isGhost ? ", drawn as what is beneath it" : ""))
      if overlay.selection == nil { line("frames", "from what the command writes to the terminal") }
      let input = TTY.isTerminal(STDIN_FILENO) ? "standard input" : "/dev/tty"
      let prefixKey = settings.prefixKey.map { ", but for \($0.label) and the key after it" } ?? ""
      line("keys", "\(input), all for the command\(prefixKey)")
    }
    if request.mode.command != nil {
      line("summary", request.showsSummary ? "on standard error at the end" : "none")
    }
    line("interval", "\(settings.interval / 1_000_000) ms")
    line("tick", settings.tick == 0 ? "off" : "\(settings.tick) Hz")
    line(
      "cpu",
      sample.cpuSource.explanation)
    line("memory", "\(settings.memory.rawValue) in gauge and graph")
    for (name, source) in sources(of: sample, isCgroup: choice?.cgroup != nil) {
      line(name, source)
    }
    let term = environment["TERM"].map { SafeText.clean($0, limit: 40) } ?? "not set"
    line(
      "terminal",
      "TERM \(term), \(environment.isUTF8 ? "UTF-8" : "ASCII")"
        + (environment.wantsNoColor ? ", NO_COLOR" : ""))
    line("colors", colors(settings, environment))
    switch request.mode {
    case .overlay:
      line(
        "features",
        "synchronized updates, side margins and the terminal's name: asked for at the start")
      line(
        "pace",
        request.rowsBesideHUD != nil
          ? "all samples, since they are written to a file"
          : "half of the samples and pictures while hidden, or without the focus where the command "
            + "asks for it")
    case .attach, .pick:
      line("pace", "half of the samples and pictures while the terminal has no focus")
    case .batch, .direct, .nothing: break
    }
    for (label, value) in alertLines(settings) { line(label, value) }
    for (index, budget) in request.budgets.list.enumerated() {
      line(index == 0 ? "budgets" : "", budget.source)
    }
    line("events", EventReceiver.explanation(request))
    line("phases", phases(settings))
    line("actions", "HIGH above \(settings.text(of: "action-high") ?? "")")
    line("language", settings.language(in: environment).rawValue)
    for (label, value) in settingLines(settings, environment) { line(label, value) }
    try Console.print(text)
    return ExitStatus.done
  }

  /// What was named, what was found, and what becomes of it.
  private static func explain(
    _ choice: TargetChoice, _ request: Request, _ facts: ProcessFacts, _ sample: Sample,
    _ line: (String, String) -> Void
  ) {
    let follows = "followed when it is started again"
    switch request.mode.selection {
    case .name(let pattern, _):
      let name = SafeText.clean(pattern, limit: 80)
      line(
        "name",
        "'\(name)'"
          + (choice.isOffered
            ? ": one of \(choice.matches) from a list; here the newest"
            : choice.matches > 1 ? ", the newest of \(choice.matches)" : ""))
      if choice.pid == nil {
        line("process", "none yet: it is waited for; sources tried on perfhud itself")
      }
      line("restarts", request.settings.exitsWithTarget ? "not followed" : follows)
    case .cgroup:
      line("cgroup", choice.cgroup.map { SafeText.clean($0.path) } ?? "")
      line("processes", "\(sample.processes)")
      line("restarts", request.settings.exitsWithTarget ? "not followed" : follows)
    case .pid, nil: break
    }
    if choice.pid != nil {
      line("process", "\(sample.pid) \(facts.name.text) (\(sample.state.word.english))")
    }
  }

  /// The rules, and what is done beside showing an alert.
  private static func alertLines(_ settings: Settings) -> [(String, String)] {
    guard !settings.alerts.isEmpty else { return [] }
    var lines = settings.alerts.enumerated().map {
      ($0.offset == 0 ? "alerts" : "", $0.element.text)
    }
    if settings.alertBell { lines.append(("", "with the bell")) }
    if let command = settings.alertCommand {
      lines.append(("", "runs: \(SafeText.clean(command, limit: 60))"))
    }
    return lines
  }

  /// What may begin a phase.
  private static func phases(_ settings: Settings) -> String {
    guard settings.phaseChoice != PhaseChoice.none else { return "none" }
    let choice = settings.phaseChoice.flatMap { _ in settings.text(of: "phase-from") }
    let pattern = settings.phasePattern.map { ", pattern \(SafeText.clean($0, limit: 60))" } ?? ""
    return "from \(choice ?? "the best source there is")\(pattern)"
  }

  /// How many colors there are, and the theme that uses them.
  private static func colors(_ settings: Settings, _ environment: Environment) -> String {
    var count = "none"
    do {
      let pad = try CursesPad(
        size: Size(rows: 1, columns: 1), term: environment["TERM"],
        colorTerm: environment["COLORTERM"], colors: !environment.wantsNoColor,
        isUTF8: environment.isUTF8)
      if pad.depth != .none { count = "\(pad.depth.rawValue)" }
    } catch {
      count = "none: \(error)"
    }
    let why = environment.wantsNoColor ? " (NO_COLOR)" : ""
    return "\(count)\(why), theme \(settings.theme.rawValue)"
  }

  /// The file of settings, and the settings that do not have their default, with their sources.
  private static func settingLines(
    _ settings: Settings, _ environment: Environment
  ) -> [(String, String)] {
    var file = "no file: HOME is not set"
    if let path = ConfigFile.path(environment: environment) {
      let isThere = unsafe access(path, R_OK) == 0
      let reason = unsafe String(cString: strerror(errno))
      file = SafeText.clean(path) + (isThere ? "" : " (\(reason))")
    }
    var lines = [("settings", file)]
    for key in Settings.keys where settings.source(of: key) != .standard {
      let value = SafeText.clean(settings.text(of: key) ?? "", limit: 80)
      lines.append(("", "\(key) = \(value)  (\(ConfigCommand.source(of: key, settings)))"))
    }
    return lines
  }

  /// The name and source of each metric of memory and load, or why it is not available.
  private static func sources(of sample: Sample, isCgroup: Bool) -> [(String, String)] {
    // The kernel keeps the sums of a cgroup itself, in other files than those of a process.
    func source(_ metric: Metric, ofCgroup text: StaticString) -> StaticString {
      isCgroup ? text : metric.source
    }
    let metrics: [(String, StaticString, Reading<UInt64>)] = [
      (
        "rss",
        source(
          .resident,
          ofCgroup: "memory.stat anon and file_mapped (v1 total_rss and total_mapped_file)"),
        sample.residentBytes
      ),
      (
        "footprint",
        source(
          .footprint,
          ofCgroup:
            "memory.stat anon and pagetables, memory.swap.current (v1 total_rss and total_swap)"),
        sample.anonymousBytes
      ),
      (
        "swap", source(.swap, ofCgroup: "memory.swap.current (v1 memory.stat total_swap)"),
        sample.swapBytes
      ),
      ("pss", Metric.pss.source, sample.pssBytes),
      ("limit", Metric.memoryLimit.source, sample.limitBytes),
      ("cpu wait", Metric.cpuWait.source, sample.cpuWaitNanoseconds),
      (
        "io",
        source(.readRate, ofCgroup: "io.stat (v1 blkio.throttle.io_service_bytes_recursive)"),
        sample.readBytes
      ),
      ("switches", Metric.voluntarySwitches.source, sample.voluntarySwitches),
      ("throttling", Metric.throttled.source, sample.throttledNanoseconds),
      ("pressure", Metric.cpuPressure.source, sample.pressure.cpuSome),
      ("cgroup memory", Metric.cgroupMemory.source, sample.cgroupMemoryBytes),
      ("memory events", Metric.oomKills.source, sample.memoryEvents.oomKills),
    ]
    return metrics.map { name, source, reading in
      switch reading {
      case .value: (name, "\(source)")
      case .absent(let reason): (name, "none: \(reason.word.english) (\(source))")
      }
    }
  }
}

extension LaunchMode {
  /// The mode in one line.
  fileprivate var explanation: String {
    switch self {
    case .attach: "attach: the HUD fills this terminal"
    case .pick: "pick: a list of processes, then the HUD fills this terminal"
    case .batch(_, let options):
      "batch: \(options.format.rawValue) to \(LaunchMode.place(options, "standard output"))"
    case .overlay(let overlay):
      (overlay.selection == nil
        ? "overlay: the HUD is drawn over the command"
        : "overlay: the HUD of what was named is drawn over the command")
        + (overlay.rows.map { ", with \($0.format.rawValue) rows to \(LaunchMode.place($0, ""))" }
          ?? "")
    case .direct(let direct): "direct: \(direct.reason.explanation)"
    case .nothing: "none: another perfhud draws on this terminal already, and no command is given"
    }
  }

  fileprivate static func place(_ options: BatchOptions, _ standard: String) -> String {
    options.path.map { SafeText.clean($0) } ?? standard
  }
}

extension LaunchMode.DirectReason {
  fileprivate var explanation: String {
    switch self {
    case .batch(let options):
      "the command runs without a HUD, with \(options.format.rawValue) rows to "
        + LaunchMode.place(options, "standard error")
    case .noTerminal: "the command runs without a HUD, because standard output is not a terminal"
    case .nested: "the command runs without a HUD, as another perfhud draws on this terminal"
    case .background: "the command runs without a HUD, as the terminal belongs to another job"
    case .noKeys: "the command runs without a HUD, because there is no terminal to read keys from"
    case .noSequences(let term):
      "the command runs without a HUD, as TERM=\(term) cannot place the cursor"
    case .noScreen: "the command runs without a HUD, as there is nothing to draw it with"
    }
  }
}

extension Settings {
  /// Size and corner of the HUD over a command.
  fileprivate var placement: String {
    let name =
      switch size {
      case .line: "line"
      case .small: "small"
      case .medium: "medium"
      case .large: "large"
      case .cells(let size): "\(size.columns)x\(size.rows)"
      }
    return "\(name), \(corner.rawValue)\(isHidden ? ", hidden at the start" : "")"
  }
}

extension CPUSource {
  fileprivate var explanation: String {
    switch self {
    case .processClock: "process CPU clock"
    case .stat: "/proc/PID/stat, in clock ticks: /proc shows another pid namespace"
    case .cgroup: "the cgroup's own account: cpu.stat, v1 cpuacct.usage"
    }
  }
}
