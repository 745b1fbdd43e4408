// What the parser returns for no words. `perfhud vim` starts without the parser, which takes several milliseconds for
// some 50 options in groups. A test compares the two.

extension CommandLineArguments {
  /// The same as `parse([])`.
  static var empty: CommandLineArguments {
    var arguments = CommandLineArguments()
    arguments.target = .empty
    arguments.display = .empty
    arguments.sampling = .empty
    arguments.output = .empty
    arguments.alerts = .empty
    arguments.phases = .empty
    arguments.config = nil
    arguments.explain = false
    arguments.version = false
    arguments.reset = false
    arguments.dumpTables = false
    return arguments
  }
}

extension TargetOptions {
  fileprivate static var empty: TargetOptions {
    var options = TargetOptions()
    options.pid = nil
    options.name = nil
    options.wait = false
    options.cgroup = nil
    options.pick = false
    options.overlay = false
    options.tree = nil
    options.exitWithTarget = false
    return options
  }
}

extension DisplayOptions {
  fileprivate static var empty: DisplayOptions {
    var options = DisplayOptions()
    options.size = nil
    options.corner = nil
    options.prefix = nil
    options.leader = nil
    options.stepAside = nil
    options.hidden = false
    options.autoShow = nil
    options.nested = false
    options.ghost = false
    options.restartHUD = false
    options.graph = nil
    options.layout = nil
    options.theme = nil
    options.ascii = false
    options.noColor = false
    options.mouse = nil
    options.lang = nil
    options.summary = nil
    return options
  }
}

extension SamplingOptions {
  fileprivate static var empty: SamplingOptions {
    var options = SamplingOptions()
    options.interval = nil
    options.memory = nil
    options.tick = nil
    options.duration = nil
    return options
  }
}

extension OutputOptions {
  fileprivate static var empty: OutputOptions {
    var options = OutputOptions()
    options.batch = false
    options.format = nil
    options.output = nil
    options.samples = nil
    options.record = nil
    options.recordCommand = false
    options.recordLimit = nil
    options.recordLast = nil
    options.recordScreen = false
    options.prometheus = nil
    options.otlp = nil
    return options
  }
}

extension AlertOptions {
  fileprivate static var empty: AlertOptions {
    var options = AlertOptions()
    options.alert = []
    options.alertBell = nil
    options.alertCommand = nil
    options.budget = []
    options.budgets = []
    options.strict = false
    options.junit = nil
    options.github = false
    return options
  }
}

extension PhaseOptions {
  fileprivate static var empty: PhaseOptions {
    var options = PhaseOptions()
    options.phaseFrom = nil
    options.phasePattern = nil
    options.actionHigh = nil
    options.events = nil
    options.noEvents = false
    options.noOscEvents = false
    return options
  }
}
