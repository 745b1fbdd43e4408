import ArgumentParser
import Glibc
import Metrics
import PerfHUDBase
import Recording
import Report
import Terminal

/// `perfhud compare BASE NEW`: what differs between recorded runs, and whether that is more than chance.
struct CompareCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare recordings, or two commands.",
    discussion: """
      A change is called only if it is more than chance and more than 2 %.
        perfhud compare old.phr new.phr
        perfhud compare --base old1.phr --base old2.phr --new new1.phr --new new2.phr
      """)

  @Argument(
    help: ArgumentHelp("The recordings before and after a change.", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @Option(
    help: ArgumentHelp("A recording before the change. (repeatable)", valueName: "file"),
    completion: .file())
  var base: [String] = []

  @Option(
    help: ArgumentHelp("A recording after the change. (repeatable)", valueName: "file"),
    completion: .file())
  var new: [String] = []

  @Flag(help: "End with 99 if something became worse.")
  var failOnChange = false

  @Flag(help: "End with 98 if a figure is inconclusive.")
  var strict = false

  func validate() throws {
    guard base.isEmpty && new.isEmpty ? files.count == 2 : files.isEmpty else {
      throw ValidationError(
        files.count == 2
          ? "name the recordings either as BASE NEW or with --base and --new"
          : "compare takes two recordings: perfhud compare BASE NEW; of several a side: --base FILE … --new FILE …"
      )
    }
    if files.isEmpty, base.isEmpty || new.isEmpty {
      throw ValidationError("a side has no recording: give both --base FILE and --new FILE")
    }
    guard (files + base + new).count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("standard input is one recording: name - once")
    }
  }

  func perform(_ environment: Environment) throws -> Int32 {
    let before = try (files.isEmpty ? base : [files[0]]).map(CompareCommand.read)
    let after = try (files.isEmpty ? new : [files[1]]).map(CompareCommand.read)
    let comparison = Comparison(base: before, new: after)
    let isTerminal = TTY.isTerminal(STDOUT_FILENO)
    let table = ComparisonTable(
      comparison, width: isTerminal ? CompareCommand.terminalWidth() : 80,
      hasColors: isTerminal && !environment.wantsNoColor)
    ExitStatus.put(table.text, on: STDOUT_FILENO)
    if failOnChange, comparison.isWorse { return ExitStatus.budgetFails }
    return strict && comparison.isUndecided ? ExitStatus.budgetUndecided : ExitStatus.done
  }

  static func read(_ path: String) throws(RunError) -> RunFigures {
    var reader = try RecordedRun.open(path)
    var progress = ReadingProgress(path)
    let figures = RunFigures(&reader, file: path) { progress.show($0) }
    progress.end()
    if let remark = reader.remark { ExitStatus.remark(remark) }
    return figures
  }

  /// Source: `TIOCGWINSZ` of `ioctl_tty(2)`.
  private static func terminalWidth() -> Int {
    var size = winsize()
    let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
    return isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}
