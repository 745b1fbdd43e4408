import ArgumentParser
import CProcess
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Terminal

/// `perfhud replay FILE`: the full-screen view of a recorded run, at any of its times.
struct ReplayCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Play a recording, with its screen if it has one.",
    discussion: """
      A recording is made with: perfhud --record FILE …
      With --record-screen it has the screen of the program; V changes between the two.
      Keys: space pauses, the arrows seek, [ and ] change the speed, ? shows all.
      """)

  @Argument(
    help: ArgumentHelp("The recording.", valueName: "file"), completion: .file())
  var file: String

  @Option(help: ArgumentHelp("Play at this speed: 0.25 to 64. (default: 1)", valueName: "n"))
  var speed: String?

  @Option(help: ArgumentHelp("Start there: 83s, 1:23:45.", valueName: "time"))
  var start: String?

  @Flag(help: "Start at the end, and follow a file that is still being written.")
  var follow = false

  @Flag(help: "Start paused.")
  var paused = false

  @Option(
    help: ArgumentHelp("How graphs are drawn: braille, block or ascii.", valueName: "style"),
    completion: .list(GraphStyle.allCases.map(\.rawValue)))
  var graph: String?

  @Option(help: ArgumentHelp("The parts of the view.", valueName: "parts"))
  var layout: String?

  @Option(
    help: ArgumentHelp(
      "auto, dark, light, mono, high-contrast or colorblind.", valueName: "name"),
    completion: .list(ThemeName.allCases.map(\.rawValue)))
  var theme: String?

  @Flag(help: "Draw with ASCII characters only.")
  var ascii = false

  @Flag(inversion: .prefixedNo, help: "Use the mouse.")
  var mouse: Bool?

  @Option(
    help: ArgumentHelp("Language: en or ja. (default: of the locale)", valueName: "code"),
    completion: .list(Language.allCases.map(\.rawValue)))
  var lang: String?

  /// The given settings, as key and text.
  private var given: [(String, String)] {
    let all: [(String, String?)] = [
      ("graph", graph), ("layout", layout), ("theme", theme), ("ascii", ascii ? "true" : nil),
      ("mouse", mouse.map { $0 ? "true" : "false" }), ("lang", lang),
    ]
    return all.compactMap { key, text in text.map { (key, $0) } }
  }

  /// The speed given as an option.
  private func chosenSpeed() throws(UsageError) -> Double {
    guard let speed else { return 1 }
    let least = PlayClock.speeds.first ?? 1
    let greatest = PlayClock.speeds.last ?? 1
    guard let value = Double(speed), value >= least, value <= greatest else {
      throw UsageError("--speed '\(SafeText.clean(speed))' is not between 0.25 and 64")
    }
    return value
  }

  /// The time given as an option, in nanoseconds from the start.
  private func chosenStart() throws(UsageError) -> UInt64? {
    guard let start else { return nil }
    guard let time = ReplayState.time(start) else {
      throw UsageError("--start '\(SafeText.clean(start))' is no time; use 83s or 1:23:45")
    }
    return time
  }

  func perform(_ environment: Environment) throws -> Int32 {
    let speed = try chosenSpeed()
    let time = try chosenStart()
    let settings = try Request.settings(given, environment: environment)
    guard TTY.isTerminal(STDOUT_FILENO) else {
      let recorded = try RecordedRun.read(file, budgets: [])
      let summary = RunSummary(recorded.run, asOf: recorded.end, end: recorded.command)
      try Console.print(summary.text(language: RecordedRun.language(lang, environment)))
      return ExitStatus.done
    }
    var facts = stat()
    // A pipe can be read only once. A missing file is reported when it is opened.
    guard file != "-", unsafe stat(file, &facts) != 0 || facts.st_mode & S_IFMT == S_IFREG else {
      throw RunError("a pipe cannot be played; name a file, or print: perfhud report -")
    }
    var player: RecordingPlayer
    do throws(RecordingError) {
      player = try RecordingPlayer(path: file)
    } catch {
      throw RunError(error.description)
    }
    if let time { player.seek(to: player.start.advanced(byNanoseconds: Int64(clamping: time))) }
    var screen: ReplayScreen?
    var screenProblem: String?
    do throws(RecordingError) {
      screen = try ReplayScreen.open(file, player.header, settings)
    } catch {
      screenProblem = error.description
    }
    // This comes before curses sets handlers.
    let signals = try SignalDescriptor(LoopSignal.numbers)
    let tty = try TTY()
    let terminal: PaneTerminal
    do throws(CursesError) {
      terminal = try PaneTerminal(tty: tty, settings: settings, environment: environment)
    } catch {
      if case .system(let error) = error { throw RunError(error) }
      let term = SafeText.clean(environment["TERM"] ?? "", limit: 40)
      throw RunError("TERM=\(term) cannot show a replay; print a summary with: perfhud report FILE")
    }
    var loop = ReplayLoop(
      player: player, path: file, terminal: terminal, screen: screen, settings: settings,
      environment: environment,
      clock: PlayClock(speed: speed, isPaused: paused, now: .now()),
      follows: follow, startsAtEnd: follow && time == nil)
    if let screenProblem { loop.say(screenProblem) }
    let end = try loop.run(signals)
    let remark = loop.remark
    // Destroying the loop restores the terminal.
    _ = consume loop
    for line in [screenProblem, remark] { if let line { Console.remark(line) } }
    if case .signal(let number) = end, number != SIGINT { return Session.die(by: number) }
    return ExitStatus.done
  }
}
