import ArgumentParser
import PerfHUDBase

/// perfhud's own part of the command line. Values stay text here: `Settings.set` and `Request` check them, so that
/// command line, environment and configuration file follow the same table.
struct CommandLineArguments: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perfhud",
    abstract: "CPU, memory and frame rate of a program, in a HUD drawn over it.",
    usage: """
      perfhud [options] [command [argument ...] | pid]
      perfhud <subcommand>
      """,
    discussion: """
        perfhud vim notes.md    vim under a HUD; press F12 and then ? for its keys
        perfhud make -j8        a build with its child processes, and a summary
        perfhud 4242            the full-screen view of a running process
        perfhud                 your shell; the HUD shows the foreground job
        perfhud -d 1s -f jsonl -o run.jsonl ./server    a row a second to a file
        man perfhud             the manual, with all options
      """,
    subcommands: [
      EmitCommand.self, ConfigCommand.self, WidgetsCommand.self, ResetCommand.self,
      TmuxCommand.self, ReplayCommand.self, ReportCommand.self, ExportCommand.self,
      CheckCommand.self, CompareCommand.self,
    ])

  @OptionGroup(title: "Target") var target: TargetOptions
  @OptionGroup(title: "Display") var display: DisplayOptions
  @OptionGroup(title: "Sampling") var sampling: SamplingOptions
  @OptionGroup(title: "Batch output") var output: OutputOptions
  @OptionGroup(title: "Alerts and budgets") var alerts: AlertOptions
  @OptionGroup(title: "Phases") var phases: PhaseOptions

  @Option(
    name: [.customShort("C", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Read this configuration file.", valueName: "file", visibility: .hidden),
    completion: .file())
  var config: String?

  @Flag(help: "Print what would be measured and how, and end.")
  var explain = false

  @Flag(name: [.customShort("V"), .long], help: "Print the version.")
  var version = false

  /// The subcommand as an option, as in earlier versions.
  @Flag(help: ArgumentHelp("The same as: perfhud reset", visibility: .private))
  var reset = false

  /// For scripts/check-docs.sh.
  @Flag(help: ArgumentHelp("Print the tables that documents repeat.", visibility: .private))
  var dumpTables = false
}

extension CommandLineArguments {
  /// The settings given on the command line, as key and text.
  var settings: [(String, String)] {
    func flag(_ value: Bool?) -> String? { value.map { $0 ? "true" : "false" } }
    func flag(_ value: Bool) -> String? { value ? "true" : nil }
    let given: [(String, String?)] = [
      ("interval", sampling.interval), ("tick", sampling.tick), ("memory", sampling.memory),
      ("graph", display.graph), ("layout", display.layout), ("ascii", flag(display.ascii)),
      ("mouse", flag(display.mouse)), ("lang", display.lang), ("corner", display.corner),
      ("size", display.size), ("prefix", display.leader), ("prefix", display.prefix),
      ("step-aside", flag(display.stepAside)), ("hidden", flag(display.hidden)),
      ("auto-show", display.autoShow), ("restart-hud", flag(display.restartHUD)),
      ("tree", flag(target.tree)),
      ("phase-from", phases.phaseFrom), ("phase-pattern", phases.phasePattern),
      ("action-high", phases.actionHigh), ("summary", flag(display.summary)),
      ("exit-with-target", flag(target.exitWithTarget)), ("events", phases.events),
      ("no-events", flag(phases.noEvents)), ("no-osc-events", flag(phases.noOscEvents)),
      ("theme", display.theme), ("alert-bell", flag(alerts.alertBell)),
      ("alert-command", alerts.alertCommand), ("budgets", alerts.budgets.last),
    ]
    return given.compactMap { key, text in text.map { (key, $0) } }
      + alerts.alert.map { ("alert", $0) } + alerts.budget.map { ("budget", $0) }
  }

  /// The given options that only affect a HUD over a command.
  var hudOptions: [String] {
    let given = [
      ("--corner", display.corner != nil), ("--size", display.size != nil),
      ("--prefix", display.prefix != nil || display.leader != nil),
      ("--step-aside", display.stepAside == true),
      ("--no-step-aside", display.stepAside == false),
      ("--hidden", display.hidden), ("--auto-show", display.autoShow != nil),
      ("--restart-hud", display.restartHUD),
      ("--nested", display.nested), ("--ghost", display.ghost),
    ]
    return given.filter(\.1).map(\.0)
  }

  /// The given option that requests batch output.
  var batchOption: String? {
    let given = [
      ("--batch", output.batch), ("--format", output.format != nil),
      ("--output", output.output != nil), ("--samples", output.samples != nil),
    ]
    return given.first(where: \.1)?.0
  }
}

/// The command line of a subcommand. Its options are its own, even if perfhud has some of the same name.
struct SubcommandLine: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perfhud", subcommands: CommandLineArguments.configuration.subcommands)

  /// If the word after `help`, or after a subcommand with subcommands of its own, is unknown, suggests what was meant.
  ///
  /// - Parameter program: the advice if a program of that name was meant.
  static func checkNested(
    _ words: [String], advice program: @autoclosure () -> String = ""
  ) throws(UsageError) {
    let words = words.first == "help" ? Array(words.dropFirst()) : words
    if let word = words.first, !word.hasPrefix("-"),
      !configuration.subcommands.contains(where: { $0._commandName == word })
    {
      throw UsageError(
        "there is no subcommand '\(SafeText.clean(word, limit: 40))'; see: perfhud --help")
    }
    guard words.count > 1, let word = words.dropFirst().first, !word.hasPrefix("-"), word != "help",
      let command = configuration.subcommands.first(where: { $0._commandName == words[0] })
    else { return }
    let nested = command.configuration.subcommands
    guard !nested.isEmpty, !nested.contains(where: { $0._commandName == word }) else { return }
    let names = nested.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
    let nearest = NearestName.of(word, among: names)
    let advice =
      nearest.map { "did you mean: perfhud \(words[0]) \($0)" }
      ?? "it has: \(names.joined(separator: ", "))"
    throw UsageError(
      "\(words[0]) has no '\(SafeText.clean(word, limit: 40))'; \(advice)\(program())")
  }
}

/// A subcommand of perfhud.
protocol Subcommand: ParsableCommand {
  /// - Returns: the exit status.
  func perform(_ environment: Environment) throws -> Int32
}
