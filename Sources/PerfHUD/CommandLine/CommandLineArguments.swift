import ArgumentParser
import HUD
import Metrics
import PerfHUDBase
import Recording

/// The command line, up to the `--` before a command. Values are texts here:
/// `Settings.set` and `Request` check them, so that command line, environment and configuration file
/// obey one table.
struct CommandLineArguments: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perfhud",
    abstract: "CPU, memory and frame rate of a program, over it or beside it.",
    usage: """
      perfhud [options] -- command [argument ...]
      perfhud [options]
      perfhud --pid N [options]
      perfhud --name PATTERN [--wait] [options]
      perfhud --cgroup PATH|UNIT [options]
      perfhud --reset
      perfhud emit <event> ...
      perfhud config print|path|edit
      perfhud widgets
      """,
    discussion: """
      With a command: runs it in this terminal, with a HUD drawn over it. Without one: runs your shell so.

      With --pid, --name or --cgroup: shows that process or cgroup in this terminal or tmux pane, \
      or with --overlay over a command or your shell. With --batch, or where standard output is \
      no terminal, prints one row a sample. Press ? in the full-screen view for its keys.

      Exit status: that of the command, or 125 if perfhud failed, 126 if the command cannot be \
      executed, 127 if it was not found. Without a command: 0 done, 1 an error while running. \
      64 a mistake on the command line.
      Manual: man perfhud.
      """,
    version: Version.text,
    subcommands: [EmitCommand.self, ConfigCommand.self, WidgetsCommand.self])

  @Option(help: ArgumentHelp("The process to show.", valueName: "N"))
  var pid: String?

  @Option(
    help: ArgumentHelp(
      "The newest process of this name, or with a command line that matches this regular expression; "
        + "followed when it is started again.",
      valueName: "pattern"))
  var name: String?

  @Flag(help: "With --name: wait until there is such a process.")
  var wait = false

  @Option(
    help: ArgumentHelp(
      "A cgroup, by its path below /sys/fs/cgroup, or a systemd unit.", valueName: "path|unit"),
    completion: .directory)
  var cgroup: String?

  @Flag(help: "With a target: over a command or your shell.")
  var overlay = false

  @Flag(
    inversion: .prefixedNo,
    help: "Count children too. (default: those of a command, not those of --pid and --name)")
  var tree: Bool?

  @Flag(help: "With a target: end when it has ended; --name does not follow it then.")
  var exitWithTarget = false

  @Option(
    help: ArgumentHelp(
      "The HUD's corner: top-right, top-left, bottom-right or bottom-left. (default: top-right)",
      valueName: "corner"),
    completion: .list(Corner.allCases.map(\.rawValue)))
  var corner: String?

  @Option(
    help: ArgumentHelp(
      "The HUD's size: line, small, medium, large, or columns and rows such as 40x10. (default: medium)",
      valueName: "size"),
    completion: .list(["line", "small", "medium", "large"]))
  var size: String?

  @Option(
    name: [.customLong("prefix"), .customLong("leader")],
    help: ArgumentHelp(
      "The prefix key, for the HUD's keys: f1 to f12, ctrl-x, alt-x, or none. (default: f12)",
      valueName: "key"))
  var prefix: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Move the HUD out of the cursor's way. (default: yes)")
  var stepAside: Bool?

  @Flag(help: "Begin with the HUD hidden; the prefix key or SIGUSR1 shows it.")
  var hidden = false

  @Flag(help: "Draw a HUD also below another perfhud.")
  var nested = false

  @Flag(
    help: ArgumentHelp(
      "Do all that the HUD needs, but draw what is beneath it: for tests.", visibility: .hidden))
  var ghost = false

  @Option(
    help: ArgumentHelp(
      "Time between samples: 100ms, 0.5, 2s; in steps of 20 ms. (default: 100ms)",
      valueName: "time"))
  var interval: String?

  @Option(
    help: ArgumentHelp(
      "Rate of perfhud's own tick; 0 is off. (default: 60)", valueName: "hz"))
  var tick: String?

  @Option(
    help: ArgumentHelp(
      "The memory metric of gauge and graph: footprint, rss or pss. (default: footprint)",
      valueName: "metric"),
    completion: .list(MemoryMetric.allCases.map(\.rawValue)))
  var memory: String?

  @Option(
    help: ArgumentHelp(
      "How graphs are drawn: braille, block or ascii. (default: braille)", valueName: "style"),
    completion: .list(GraphStyle.allCases.map(\.rawValue)))
  var graph: String?

  @Option(
    help: ArgumentHelp(
      "With --pid: what the overview shows, such as memory-graph,processes,why-slow.",
      valueName: "parts"))
  var layout: String?

  @Flag(help: "Draw with nothing but ASCII.")
  var ascii = false

  @Flag(
    inversion: .prefixedNo,
    help: "With --pid: take clicks and the wheel; Shift selects text all the same. (default: yes)")
  var mouse: Bool?

  @Option(
    help: ArgumentHelp("Language: en or ja. (default: of the locale)", valueName: "code"),
    completion: .list(Language.allCases.map(\.rawValue)))
  var lang: String?

  @Option(
    help: ArgumentHelp(
      "Colors: auto (as the background is), dark, light, mono, high-contrast or colorblind. (default: auto)",
      valueName: "name"),
    completion: .list(ThemeName.allCases.map(\.rawValue)))
  var theme: String?

  @Option(
    help: ArgumentHelp(
      "Raise an alert while a rule holds, such as 'cpu > 90% for 10s'; repeatable, none: no rule.",
      valueName: "rule"))
  var alert: [String] = []

  @Flag(inversion: .prefixedNo, help: "Ring the bell at an alert. (default: no)")
  var alertBell: Bool?

  @Option(
    help: ArgumentHelp(
      "Run this in a shell at an alert, with PERFHUD_ALERT_RULE, _VALUE, _TARGET and _PID.",
      valueName: "command"))
  var alertCommand: String?

  @Option(
    help: ArgumentHelp(
      "Where phases come from: app, title, screen, shell, pattern or none. (default: the best source there is)",
      valueName: "source"),
    completion: .list(PhaseChoice.allCases.map(\.rawValue)))
  var phaseFrom: String?

  @Option(
    help: ArgumentHelp(
      "A line of the file of --events that matches this regular expression begins a phase.",
      valueName: "regex"))
  var phasePattern: String?

  @Option(
    help: ArgumentHelp(
      "The rate above which an action is HIGH, such as 30/s. (default: 30/s)", valueName: "rate"))
  var actionHigh: String?

  @Flag(help: "Batch output: print rows instead of drawing; with a command, on standard error.")
  var batch = false

  @Option(
    help: ArgumentHelp("Form of the rows: text, csv or jsonl. (default: text)", valueName: "form"),
    completion: .list(LineFormat.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    help: ArgumentHelp("Write the rows to a file.", valueName: "file"), completion: .file())
  var output: String?

  @Option(help: ArgumentHelp("With a target: end after k rows.", valueName: "k"))
  var samples: String?

  @Option(help: ArgumentHelp("With a target: end after this time: 30s, 5m.", valueName: "time"))
  var duration: String?

  @Flag(
    inversion: .prefixedNo,
    help:
      "Print a summary of the command at its end. (default: yes, but not of a shell or in batch mode)"
  )
  var summary: Bool?

  @Option(
    help: ArgumentHelp(
      "Take events from lines that are appended to a file.", valueName: "file"),
    completion: .file())
  var events: String?

  @Flag(help: "Receive no events of programs, from whatever source.")
  var noEvents = false

  @Flag(help: "Drop events in the output of the command (OSC 7337).")
  var noOscEvents = false

  @Flag(help: "Say what would be done, from which sources, and end.")
  var explain = false

  @Flag(help: "Repair a terminal that a program has left in disorder, and end.")
  var reset = false

  @Argument(help: .hidden)
  var words: [String] = []
}

extension CommandLineArguments {
  /// The settings of the command line, as key and text.
  var settings: [(String, String)] {
    func flag(_ value: Bool?) -> String? { value.map { $0 ? "true" : "false" } }
    let given: [(String, String?)] = [
      ("interval", interval), ("tick", tick), ("memory", memory), ("graph", graph),
      ("layout", layout),
      ("ascii", ascii ? "true" : nil), ("mouse", flag(mouse)),
      ("lang", lang), ("corner", corner), ("size", size),
      ("prefix", prefix), ("step-aside", flag(stepAside)),
      ("hidden", hidden ? "true" : nil), ("tree", flag(tree)),
      ("phase-from", phaseFrom), ("phase-pattern", phasePattern),
      ("action-high", actionHigh), ("summary", flag(summary)),
      ("exit-with-target", exitWithTarget ? "true" : nil),
      ("events", events), ("no-events", noEvents ? "true" : nil),
      ("no-osc-events", noOscEvents ? "true" : nil), ("theme", theme),
      ("alert-bell", flag(alertBell)),
      ("alert-command", alertCommand),
    ]
    return given.compactMap { key, text in text.map { (key, $0) } } + alert.map { ("alert", $0) }
  }

  /// The options that were given and are for the HUD over a command.
  var hudOptions: [String] {
    let given = [
      ("--corner", corner != nil), ("--size", size != nil),
      ("--prefix", prefix != nil), ("--step-aside", stepAside != nil),
      ("--hidden", hidden),
      ("--nested", nested), ("--ghost", ghost),
    ]
    return given.filter(\.1).map(\.0)
  }

  /// The option that was given and asks for batch output.
  var batchOption: String? {
    let given = [
      ("--batch", batch), ("--format", format != nil), ("--output", output != nil),
      ("--samples", samples != nil),
    ]
    return given.first(where: \.1)?.0
  }
}

/// The version of perfhud.
enum Version {
  static let text = "0.2.0"
}
