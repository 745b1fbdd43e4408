import ArgumentParser
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Report
import Terminal

/// `perfhud compare BASE NEW`: how recorded runs differ, and whether the difference is more than chance.
struct CompareCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare recordings, or two commands.",
    usage: """
      perfhud compare [options] base new
      perfhud compare [options] --base file ... --new file ...
      perfhud compare [options] -- command [argument ...] --- command [argument ...]
      """,
    discussion: """
      A change is reported only if it exceeds chance and is large enough to matter.
        perfhud compare old.phr new.phr
        perfhud compare --runs 10 -- ./old --fast --- ./new --fast
      """)

  /// Two recordings; or after `--` two commands, which are read from the raw command line.
  @Argument(
    help: ArgumentHelp(
      "Recordings before and after a change, or after -- two commands with --- between them.",
      valueName: "file"),
    completion: .file())
  var words: [String] = []

  @Option(
    help: ArgumentHelp("A recording before the change. (repeatable)", valueName: "file"),
    completion: .file())
  var base: [String] = []

  @Option(
    help: ArgumentHelp("A recording after the change. (repeatable)", valueName: "file"),
    completion: .file())
  var new: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run each command this often, in turns. (default: \(InterleavedRuns.usualRuns))",
      valueName: "number"))
  var runs: Int?

  @Option(
    help: ArgumentHelp("Keep the recordings of the runs in a folder.", valueName: "folder"),
    completion: .directory)
  var keep: String?

  @Flag(help: "Show what the commands print.")
  var showOutput = false

  @Flag(help: "Continue if a command exits with a nonzero status.")
  var ignoreFailure = false

  @Option(
    name: [.customShort("d", allowingJoined: true), .long],
    help: ArgumentHelp("Time between two samples of a run, such as 20ms.", valueName: "time"))
  var interval: String?

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Write the comparison: \(ComparisonForm.list), by the name.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    name: [.customShort("f", allowingJoined: true), .long],
    help: ArgumentHelp("The format, if the file name does not imply it.", valueName: "format"),
    completion: .list(ComparisonForm.allCases.map(\.rawValue)))
  var format: String?

  @Flag(help: "End with 99 if something became worse.")
  var failOnChange = false

  @Flag(help: "Exit with status 98 if a metric is inconclusive, or none can be judged.")
  var strict = false

  private var hasCommands: Bool { words.contains("---") }

  func validate() throws {
    if let format, ComparisonForm(rawValue: format) == nil {
      throw ValidationError("format '\(format)' is none of: \(ComparisonForm.list)")
    }
    _ = try form
    if hasCommands { try validateCommands() } else { try validateFiles() }
  }

  private func validateFiles() throws {
    let given = [
      ("--runs", runs != nil), ("--keep", keep != nil), ("--show-output", showOutput),
      ("--ignore-failure", ignoreFailure), ("--interval", interval != nil),
    ]
    if let option = given.first(where: \.1)?.0 {
      throw ValidationError(
        "\(option) needs two commands: perfhud compare --runs 10 -- ./old --- ./new")
    }
    guard base.isEmpty, new.isEmpty else {
      guard words.isEmpty else {
        throw ValidationError("name recordings either as BASE NEW or with --base and --new")
      }
      guard !base.isEmpty, !new.isEmpty else {
        throw ValidationError("a side has no recording: give both --base FILE and --new FILE")
      }
      return try validateInput(base + new)
    }
    guard words.count == 2 else {
      throw ValidationError(
        words.count > 2
          ? "two recordings are compared; for several on each side give --base FILE and --new FILE, each repeatable"
          : "compare needs two recordings or two commands: perfhud compare BASE NEW, or perfhud compare -- OLD --- NEW"
      )
    }
    try validateInput(words)
  }

  private func validateInput(_ files: [String]) throws {
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("standard input is one recording: name - once")
    }
  }

  private func validateCommands() throws {
    guard base.isEmpty, new.isEmpty else {
      throw ValidationError("compare takes either recordings or commands")
    }
    if let runs, !(1...InterleavedRuns.mostRuns).contains(runs) {
      throw ValidationError("runs '\(runs)' is not a number from 1 to \(InterleavedRuns.mostRuns)")
    }
    let parts = words.split(separator: "---", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
      throw ValidationError(
        "exactly two commands are needed, with --- between them: perfhud compare -- ./old --- ./new"
      )
    }
  }

  private var form: ComparisonForm? {
    get throws {
      if let form = format.flatMap(ComparisonForm.init(rawValue:)) { return form }
      return try output.map { try ComparisonForm(output: $0) }
    }
  }

  func perform(_ environment: Environment) throws -> Int32 {
    try RecordedRun.keep(output)
    guard hasCommands else {
      let sides = words.isEmpty ? (base, new) : ([words[0]], [words[1]])
      return try compare(sides.0, sides.1, environment)
    }
    let bytes = ArgumentList.currentWords().drop { !$0.elementsEqual("--".utf8) }.dropFirst()
    let commands = bytes.split(maxSplits: 1) { $0.elementsEqual("---".utf8) }
    guard commands.count == 2, bytes.count == words.count else {
      throw UsageError("compare takes either recordings or commands after --")
    }
    var plan = InterleavedRuns.Plan(base: Array(commands[0]), new: Array(commands[1]))
    plan.runs = runs ?? InterleavedRuns.usualRuns
    plan.folder = keep
    plan.showsOutput = showOutput
    plan.ignoresFailure = ignoreFailure
    plan.interval = interval
    var stoppedBy: Int32?
    let status = try run(plan, environment, &stoppedBy)
    // The folder of the recordings has been removed.
    return stoppedBy.map { Session.die(by: $0) } ?? status
  }

  private func run(
    _ plan: InterleavedRuns.Plan, _ environment: Environment, _ stoppedBy: inout Int32?
  ) throws -> Int32 {
    var runs = try InterleavedRuns(plan)
    let paths = try runs.run()
    stoppedBy = runs.stoppedBy
    return stoppedBy == nil ? try compare(paths.base, paths.new, environment) : ExitStatus.failure
  }

  private func compare(
    _ before: [String], _ after: [String], _ environment: Environment
  ) throws -> Int32 {
    let comparison = Comparison(
      base: try before.map(CompareCommand.read), new: try after.map(CompareCommand.read))
    if let form = try form {
      try ReportCommand.write(form.text(comparison), to: output)
    }
    if try form == nil || output.map({ $0 != "-" }) == true {
      let isTerminal = TTY.isTerminal(STDOUT_FILENO)
      let table = ComparisonTable(
        comparison, width: isTerminal ? CompareCommand.terminalWidth() : 80,
        hasColors: isTerminal && !environment.wantsNoColor)
      try Console.print(table.text)
    }
    if failOnChange, comparison.isWorse { return ExitStatus.budgetFails }
    return strict && comparison.isUndecided ? ExitStatus.budgetInconclusive : ExitStatus.done
  }

  private static func read(_ path: String) throws(RunError) -> RunMetrics {
    var reader = try RecordedRun.open(path)
    var progress = ReadingProgress(path)
    let metrics = RunMetrics(&reader, file: path) { progress.show($0) }
    progress.end()
    if let remark = reader.remark { Console.remark(remark) }
    return metrics
  }

  /// Source: `TIOCGWINSZ` of `ioctl_tty(2)`.
  private static func terminalWidth() -> Int {
    var size = winsize()
    let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
    return isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}

/// The formats that `perfhud compare -o FILE` writes.
enum ComparisonForm: String, CaseIterable {
  case md, csv, json

  static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// Determines the format by the file name.
  ///
  /// - Throws: if the name does not match any of them.
  init(output: String) throws {
    let suffix = output.split(separator: "/").last?.split(separator: ".").dropFirst().last
    guard let form = suffix.flatMap({ ComparisonForm(rawValue: $0.lowercased()) }) else {
      throw ValidationError(
        "'\(output)' has no known ending; add --format with one of: \(ComparisonForm.list)"
      )
    }
    self = form
  }

  func text(_ comparison: Comparison) -> String {
    switch self {
    case .md: ComparisonDocument(comparison).markdown
    case .csv: ComparisonDocument(comparison).csv
    case .json: ComparisonDocument(comparison).json
    }
  }
}
