import ArgumentParser
import Base
import HUD
import Metrics
import Recording

/// The command line as it is typed. Values are texts here: `Settings.set` and `Request` check them, so
/// that command line, environment and configuration file obey one table.
struct CommandLineArguments: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perfhud",
    abstract: "CPU, memory and frame rate of one process, at a glance.",
    usage: "perfhud --pid N [options]",
    discussion: """
      Shows the process in this terminal or tmux pane; with --batch, or where standard output is no \
      terminal, prints one line a sample. Press ? in the HUD for its keys.

      Exit status: 0 done, 1 an error while running, 64 a mistake on the command line.
      Manual: man perfhud.
      """,
    version: Version.text)

  @Option(help: ArgumentHelp("The process to show.", valueName: "N"))
  var pid: String?

  @Flag(help: "End when the process has ended.")
  var exitWithTarget = false

  @Option(
    help: ArgumentHelp(
      "Time between samples: 100ms, 0.5, 2s; in steps of 20 ms. (default: 100ms)",
      valueName: "time"))
  var interval: String?

  @Option(
    help: ArgumentHelp(
      "Rate of the tick that the frame rate is made from; 0 is off. (default: 60)",
      valueName: "hz"))
  var tick: String?

  @Option(
    help: ArgumentHelp(
      "The memory figure that leads: footprint, rss or pss. (default: footprint)",
      valueName: "figure"),
    completion: .list(MemoryMetric.allCases.map(\.rawValue)))
  var memory: String?

  @Option(
    help: ArgumentHelp(
      "How graphs are drawn: braille, block or ascii. (default: braille)", valueName: "style"),
    completion: .list(GraphStyle.allCases.map(\.rawValue)))
  var graph: String?

  @Flag(help: "Draw with nothing but ASCII.")
  var ascii = false

  @Option(
    help: ArgumentHelp("Language: en or ja. (default: of the locale)", valueName: "code"),
    completion: .list(Language.allCases.map(\.rawValue)))
  var lang: String?

  @Flag(help: "Print lines instead of drawing.")
  var batch = false

  @Option(
    help: ArgumentHelp("Form of the lines: text, csv or jsonl. (default: text)", valueName: "form"),
    completion: .list(LineFormat.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    help: ArgumentHelp("Write the lines to a file.", valueName: "file"), completion: .file())
  var output: String?

  @Option(help: ArgumentHelp("End after so many lines.", valueName: "k"))
  var samples: String?

  @Option(help: ArgumentHelp("End after this time: 30s, 5m.", valueName: "time"))
  var duration: String?

  @Flag(help: "Say what would be done, from which sources, and end.")
  var explain = false

  @Argument(help: .hidden)
  var word: String?

  @Argument(parsing: .postTerminator, help: .hidden)
  var command: [String] = []
}

extension CommandLineArguments {
  /// The settings that were typed, as key and text.
  var settings: [(String, String)] {
    let typed: [(String, String?)] = [
      ("interval", interval), ("tick", tick), ("memory", memory), ("graph", graph),
      ("ascii", ascii ? "true" : nil), ("lang", lang),
      ("exit-with-target", exitWithTarget ? "true" : nil),
    ]
    return typed.compactMap { key, text in text.map { (key, $0) } }
  }
}

/// The version of perfhud.
enum Version {
  static let text = "0.1.0"
}
