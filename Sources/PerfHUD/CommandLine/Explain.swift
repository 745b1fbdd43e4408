import Glibc
import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal

extension Session {
  /// Prints the mode, the sources that would be used, what cannot be read and why, and the terminal's features. Makes
  /// one reading, so that permissions are tested instead of guessed. If the process to be measured has not been
  /// started, the reading is of perfhud itself.
  static func explain(_ request: Request, environment: Environment) throws -> Int32 {
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
    var explanation = Explanation(request, environment)
    explanation.addTarget(choice, facts, sample)
    explanation.addHUD()
    explanation.addSources(of: sample, isCgroup: choice?.cgroup != nil)
    explanation.addTerminal()
    explanation.addRules()
    explanation.addSettings()
    try Console.print(explanation.text)
    return ExitStatus.done
  }
}

/// The text of `--explain`: one label and value on each line.
private struct Explanation {
  private(set) var text = ""
  private let request: Request
  private let environment: Environment
  private var settings: Settings { request.settings }

  init(_ request: Request, _ environment: Environment) {
    self.request = request
    self.environment = environment
    add("mode", request.mode.explanation)
  }

  private mutating func add(_ label: String, _ value: String) {
    text += label + String(repeating: " ", count: max(1, 14 - label.count)) + value + "\n"
  }

  mutating func addTarget(_ choice: TargetChoice?, _ facts: ProcessFacts, _ sample: Sample) {
    if let choice { addChoice(choice, facts, sample) }
    if let command = request.mode.command {
      add("command", ShellWords.joined(command))
    } else if choice?.pid != nil {
      add("command", facts.commandLine)
    }
    if choice == nil {
      add(
        "measured",
        (request.mode == .pick
          ? "the process that is chosen"
          : request.followsJobs ? "the job that has the terminal" : "the command")
          + "; sources tried on perfhud itself")
    }
    add(
      "children",
      choice?.cgroup != nil
        ? "counted by the cgroup" : request.countsChildren ? "counted" : "not counted")
  }

  /// Adds what was named, what was found, and what will happen with it.
  private mutating func addChoice(
    _ choice: TargetChoice, _ facts: ProcessFacts, _ sample: Sample
  ) {
    let restarts =
      settings.exitsWithTarget ? "not followed" : "followed when it is started again"
    switch request.mode.selection {
    case .name(let pattern, _):
      let name = SafeText.clean(pattern, limit: 80)
      add(
        "name",
        "'\(name)'"
          + (choice.isOffered
            ? ": one of \(choice.matches) from a list; here the newest"
            : choice.matches > 1 ? ", the newest of \(choice.matches)" : ""))
      if choice.pid == nil {
        add("process", "none yet: it is waited for; sources tried on perfhud itself")
      }
      add("restarts", restarts)
    case .cgroup:
      add("cgroup", choice.cgroup.map { SafeText.clean($0.path) } ?? "")
      add("processes", "\(sample.processes)")
      add("restarts", restarts)
    case .pid, nil: break
    }
    if choice.pid != nil {
      add("process", "\(sample.pid) \(facts.name.text) (\(sample.state.word.english))")
    }
  }

  mutating func addHUD() {
    if case .overlay(let overlay) = request.mode {
      add("hud", settings.placement + (overlay.isGhost ? ", drawn as what is beneath it" : ""))
      if overlay.selection == nil { add("frames", "from what the command writes to the terminal") }
      let input = TTY.isTerminal(STDIN_FILENO) ? "standard input" : "/dev/tty"
      let prefixKey = settings.prefixKey.map { ", but for \($0.label) and the key after it" } ?? ""
      add("keys", "\(input), all for the command\(prefixKey)")
    }
    if request.mode.command != nil {
      add("summary", request.showsSummary ? "on standard error at the end" : "none")
    }
  }

  mutating func addTerminal() {
    let term = environment["TERM"].map { SafeText.clean($0, limit: 40) } ?? "not set"
    add(
      "terminal",
      "TERM \(term), \(environment.isUTF8 ? "UTF-8" : "ASCII")"
        + (environment.wantsNoColor ? ", NO_COLOR" : ""))
    add("colors", colors)
    switch request.mode {
    case .overlay:
      add(
        "features",
        "synchronized updates, side margins and the terminal's name: asked for at the start")
      add(
        "pace",
        request.rowsBesideHUD != nil
          ? "all samples, since they are written to a file"
          : "half of the samples and pictures while hidden, or without the focus where the command "
            + "asks for it")
    case .attach, .pick:
      add("pace", "half of the samples and pictures while the terminal has no focus")
    case .batch, .direct, .nothing: break
    }
  }

  /// Adds alerts and the actions besides showing them, budgets, events and phases.
  mutating func addRules() {
    for (index, rule) in settings.alerts.enumerated() { add(index == 0 ? "alerts" : "", rule.text) }
    if !settings.alerts.isEmpty {
      if settings.alertBell { add("", "with the bell") }
      if let command = settings.alertCommand {
        add("", "runs: \(SafeText.clean(command, limit: 60))")
      }
    }
    for (index, budget) in request.budgets.list.enumerated() {
      add(index == 0 ? "budgets" : "", budget.source)
    }
    add("events", EventReceiver.explanation(request))
    add("phases", phases)
    add("actions", "HIGH above \(settings.text(of: "action-high") ?? "")")
  }

  /// The sources that may begin a phase.
  private var phases: String {
    guard settings.phaseChoice != PhaseChoice.none else { return "none" }
    let choice = settings.phaseChoice.flatMap { _ in settings.text(of: "phase-from") }
    let pattern = settings.phasePattern.map { ", pattern \(SafeText.clean($0, limit: 60))" } ?? ""
    return "from \(choice ?? "the best source there is")\(pattern)"
  }

  /// The number of colors, and the theme that uses them.
  private var colors: String {
    var count = "none"
    var why = environment.wantsNoColor ? " (NO_COLOR)" : ""
    do {
      let pad = try CursesPad(
        size: Size(rows: 1, columns: 1), term: environment["TERM"],
        directColors: environment.directColors, colors: !environment.wantsNoColor,
        isUTF8: environment.isUTF8)
      if pad.depth != .none { count = "\(pad.depth.rawValue)" }
      if pad.depth == .direct, let source = environment.directColors {
        why = " (\(source.variable))"
      }
    } catch {
      count = "none: \(error)"
    }
    return "\(count)\(why), theme \(settings.theme.rawValue)"
  }

  /// Adds the settings file, and the settings that differ from their defaults, with their sources.
  mutating func addSettings() {
    add("language", settings.language(in: environment).rawValue)
    var file = "no file: HOME is not set"
    if let path = ConfigFile.path(environment: environment) {
      let isThere = unsafe access(path, R_OK) == 0
      let reason = unsafe String(cString: strerror(errno))
      file = SafeText.clean(path) + (isThere ? "" : " (\(reason))")
    }
    add("settings", file)
    for key in Settings.keys where settings.source(of: key) != .standard {
      let value = SafeText.clean(settings.text(of: key) ?? "", limit: 80)
      add("", "\(key) = \(value)  (\(ConfigCommand.source(of: key, settings)))")
    }
  }

  /// Adds what is read and how often: the source of each metric, or why it is not available.
  mutating func addSources(of sample: Sample, isCgroup: Bool) {
    add("interval", "\(settings.interval / 1_000_000) ms")
    add("tick", settings.tick == 0 ? "off" : "\(settings.tick) Hz")
    add("cpu", sample.cpuSource.explanation)
    add("memory", "\(settings.memory.rawValue) in gauge and graph")
    // The kernel keeps the sums of a cgroup itself, in files other than those of a process.
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
      (
        "system", source(.systemCPU, ofCgroup: "cpu.stat system_usec (v1: not read)"),
        sample.systemNanoseconds
      ),
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
    for (name, source, reading) in metrics {
      switch reading {
      case .value: add(name, "\(source)")
      case .absent(let reason): add(name, "none: \(reason.word.english) (\(source))")
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
    "\(size), \(corner.rawValue)\(isHidden ? ", hidden at the start" : "")"
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
