import ArgumentParser
import HUD
import Metrics
import Recording

// The options of perfhud in groups, as in the help. The help has at most 60 lines, so rarely used options are hidden
// there; the manual lists them all. A new option also needs a row in words.c of CProcess.

/// What is shown, and how it is selected.
struct TargetOptions: ParsableArguments {
  @Option(
    name: [.customShort("p", allowingJoined: true), .long],
    help: ArgumentHelp("Show this process; the same as: perfhud N", valueName: "N"),
    completion: .custom(ProcessCompletion.pids))
  var pid: String?

  @Option(
    help: ArgumentHelp(
      "Show a process by name, and follow it across restarts.", valueName: "pattern"),
    completion: .custom(ProcessCompletion.names))
  var name: String?

  @Flag(help: ArgumentHelp("With --name: wait for such a process.", visibility: .hidden))
  var wait = false

  @Option(
    help: ArgumentHelp("Show a cgroup or a systemd unit.", valueName: "path|unit"),
    completion: .directory)
  var cgroup: String?

  @Flag(help: "Choose the process from a list.")
  var pick = false

  @Flag(
    help: ArgumentHelp(
      "Show the target in a HUD over a command or shell.", visibility: .hidden))
  var overlay = false

  @Flag(
    name: [.customShort("t"), .long], inversion: .prefixedNo,
    help: "Count child processes. (default: only of a command)")
  var tree: Bool?

  @Flag(help: ArgumentHelp("With a target: end when it has ended.", visibility: .hidden))
  var exitWithTarget = false
}

/// How the HUD looks.
struct DisplayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "line, small, medium, large or 40x10. (default: medium)", valueName: "size"),
    completion: .list(["line", "small", "medium", "large"]))
  var size: String?

  @Option(
    help: ArgumentHelp(
      "top-right, top-left, bottom-right or bottom-left.", valueName: "corner"),
    completion: .list(Corner.allCases.map(\.rawValue)))
  var corner: String?

  @Option(
    help: ArgumentHelp(
      "The key before the HUD's own keys. (default: f12)", valueName: "key"))
  var prefix: String?

  /// The option's name in earlier versions.
  @Option(help: ArgumentHelp("The same as --prefix.", valueName: "key", visibility: .private))
  var leader: String?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp("Move the HUD out of the cursor's way.", visibility: .hidden))
  var stepAside: Bool?

  @Flag(help: ArgumentHelp("Start with the HUD hidden.", visibility: .hidden))
  var hidden = false

  @Option(
    help: ArgumentHelp(
      "Over a shell: show the HUD once a job has run for this time.", valueName: "time",
      visibility: .hidden))
  var autoShow: String?

  @Flag(
    name: .customLong("restart-hud"),
    help: ArgumentHelp("Start the HUD again after it died.", visibility: .hidden))
  var restartHUD = false

  @Flag(help: ArgumentHelp("Draw a HUD also below another perfhud.", visibility: .hidden))
  var nested = false

  @Flag(
    help: ArgumentHelp(
      "Do all that the HUD needs, but draw what is beneath it: for tests.", visibility: .hidden))
  var ghost = false

  @Option(
    help: ArgumentHelp(
      "How graphs are drawn: braille, block or ascii.", valueName: "style", visibility: .hidden),
    completion: .list(GraphStyle.allCases.map(\.rawValue)))
  var graph: String?

  @Option(
    help: ArgumentHelp(
      "The parts of the full-screen view.", valueName: "parts", visibility: .hidden))
  var layout: String?

  @Option(
    help: ArgumentHelp(
      "auto, dark, light, mono, high-contrast or colorblind.", valueName: "name",
      visibility: .hidden),
    completion: .list(ThemeName.allCases.map(\.rawValue)))
  var theme: String?

  @Flag(help: ArgumentHelp("Draw with ASCII characters only.", visibility: .hidden))
  var ascii = false

  @Flag(help: ArgumentHelp("Draw without colors, as with NO_COLOR.", visibility: .hidden))
  var noColor = false

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp("Use the mouse in the full-screen view.", visibility: .hidden))
  var mouse: Bool?

  @Option(
    help: ArgumentHelp("Language: en or ja.", valueName: "code", visibility: .hidden),
    completion: .list(Language.allCases.map(\.rawValue)))
  var lang: String?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp("Print a summary of the command at its end.", visibility: .hidden))
  var summary: Bool?
}

/// What is measured, how often and for how long.
struct SamplingOptions: ParsableArguments {
  @Option(
    name: [.customShort("d", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Time between samples: 0.5, 100ms, 2s. (default: 100ms)", valueName: "time"))
  var interval: String?

  @Option(
    help: ArgumentHelp("footprint, rss or pss. (default: footprint)", valueName: "metric"),
    completion: .list(MemoryMetric.allCases.map(\.rawValue)))
  var memory: String?

  @Option(
    help: ArgumentHelp(
      "With --pid: ticks of its own timer per second; 0 is off.", valueName: "hz",
      visibility: .hidden))
  var tick: String?

  @Option(help: ArgumentHelp("With a target: end after this time: 30s, 5m.", valueName: "time"))
  var duration: String?
}

/// Rows instead of a HUD, or in addition to it.
struct OutputOptions: ParsableArguments {
  @Flag(
    name: [.customShort("b"), .long], help: "Print one row per sample instead of drawing.")
  var batch = false

  @Option(
    name: [.customShort("f", allowingJoined: true), .long],
    help: ArgumentHelp(
      "text, csv or jsonl. (default: by the file's name)", valueName: "format"),
    completion: .list(LineFormat.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write the rows to a file.", valueName: "file"), completion: .file())
  var output: String?

  @Option(
    name: [.customShort("n", allowingJoined: true), .long],
    help: ArgumentHelp("With a target: end after k rows.", valueName: "k"))
  var samples: String?

  @Option(
    help: ArgumentHelp("Record the run, for replay, report and compare.", valueName: "file"),
    completion: .file())
  var record: String?

  @Flag(help: ArgumentHelp("Record the arguments of commands too.", visibility: .hidden))
  var recordCommand = false

  @Option(
    help: ArgumentHelp(
      "Keep the recording below this size: 64MiB.", valueName: "size", visibility: .hidden))
  var recordLimit: String?

  @Option(
    help: ArgumentHelp(
      "Keep this time in memory, and record it at an alert, a key or SIGUSR2.",
      valueName: "time", visibility: .hidden))
  var recordLast: String?

  @Flag(
    help: ArgumentHelp("Record the screen of the command too, in FILE.cast.", visibility: .hidden))
  var recordScreen = false

  @Option(
    help: ArgumentHelp(
      "Keep metrics in a file for node_exporter.", valueName: "file", visibility: .hidden),
    completion: .file())
  var prometheus: String?

  @Option(
    help: ArgumentHelp(
      "Append metrics to a file for the OpenTelemetry Collector.", valueName: "file",
      visibility: .hidden),
    completion: .file())
  var otlp: String?
}

/// Rules, limits, and what they do.
struct AlertOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A rule, such as 'cpu > 90% for 10s'; repeatable.", valueName: "rule"))
  var alert: [String] = []

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp("Ring the bell at an alert.", visibility: .hidden))
  var alertBell: Bool?

  @Option(
    help: ArgumentHelp(
      "Run this in a shell at an alert.", valueName: "cmd", visibility: .hidden))
  var alertCommand: String?

  @Option(
    help: ArgumentHelp("Exit with 99 unless it holds: 'rss.peak <= 1GiB'.", valueName: "rule"))
  var budget: [String] = []

  @Option(
    help: ArgumentHelp("Read budgets from a file.", valueName: "file", visibility: .hidden),
    completion: .file())
  var budgets: [String] = []

  @Flag(help: ArgumentHelp("Exit with status 98 if a budget is inconclusive.", visibility: .hidden))
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Write the budgets as JUnit XML.", valueName: "file", visibility: .hidden),
    completion: .file())
  var junit: String?

  @Flag(help: ArgumentHelp("Annotate a run of GitHub Actions.", visibility: .hidden))
  var github = false
}

/// Phases, and the events that begin them.
struct PhaseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "app, title, shell, pattern or none.", valueName: "source", visibility: .hidden),
    completion: .list(PhaseChoice.allCases.map(\.rawValue)))
  var phaseFrom: String?

  @Option(
    help: ArgumentHelp(
      "A line of --events that matches begins a phase.", valueName: "regex", visibility: .hidden))
  var phasePattern: String?

  @Option(
    help: ArgumentHelp(
      "The rate above which an action is HIGH.", valueName: "rate", visibility: .hidden))
  var actionHigh: String?

  @Option(
    help: ArgumentHelp("Read events from lines appended to a file.", valueName: "file"),
    completion: .file())
  var events: String?

  @Flag(help: ArgumentHelp("Receive no events of programs.", visibility: .hidden))
  var noEvents = false

  @Flag(help: ArgumentHelp("Drop events in the output of the command.", visibility: .hidden))
  var noOscEvents = false
}
