import ArgumentParser
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Report

/// `perfhud report FILE…`: the summary of recorded runs, or a page about them.
struct ReportCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Summarize recordings, or write a page about them.",
    discussion: "A recording is made with: perfhud --record FILE …")

  @Argument(
    help: ArgumentHelp("Recordings; - is standard input.", valueName: "file"),
    completion: .file())
  var files: [String]

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Write a report: \(ReportForm.list), by the name.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    name: [.customShort("f", allowingJoined: true), .long],
    help: ArgumentHelp("The format, if the file name does not imply it.", valueName: "format"),
    completion: .list(ReportForm.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    help: ArgumentHelp(
      "Check the runs against a budget: 'rss.peak <= 1GiB'; repeatable.", valueName: "rule"))
  var budget: [String] = []

  @Option(
    help: ArgumentHelp("Read budgets from a file.", valueName: "file"), completion: .file())
  var budgets: [String] = []

  @Option(
    help: ArgumentHelp(
      "Language of the summary: en or ja. (default: of the locale)", valueName: "code"),
    completion: .list(Language.allCases.map(\.rawValue)))
  var lang: String?

  func validate() throws {
    try RecordedRun.check(language: lang)
    if let format, ReportForm(rawValue: format) == nil {
      throw ValidationError("format '\(format)' is none of: \(ReportForm.list)")
    }
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("standard input is one recording: name - once")
    }
    _ = try form
  }

  /// The format of the report; `nil` for the summary.
  private var form: ReportForm? {
    get throws {
      if let form = format.flatMap(ReportForm.init(rawValue:)) { return form }
      return try output.map { try ReportForm(output: $0) }
    }
  }

  func perform(_ environment: Environment) throws -> Int32 {
    let language = RecordedRun.language(lang, environment)
    try RecordedRun.keep(output)
    let rules = try BudgetRequest.list(rules: budget, files: budgets)
    var reports: [RunReport] = []
    for file in files {
      var reader = try RecordedRun.open(file)
      var progress = ReadingProgress(file)
      let report = RunReport(&reader, file: name(of: file), budgets: rules) { progress.show($0) }
      progress.end()
      if let remark = reader.remark { Console.remark(remark) }
      reports.append(report)
    }
    guard let form = try form else {
      for report in reports {
        try Console.print(report.summary.text(language: language))
        if !rules.isEmpty { try Console.print(report.budgets.text(language)) }
      }
      return ExitStatus.done
    }
    try ReportCommand.write(form.text(reports), to: output)
    return ExitStatus.done
  }

  /// The name of a recording without its folders.
  private func name(of file: String) -> String {
    file == "-" ? "standard input" : file.split(separator: "/").last.map(String.init) ?? file
  }

  static func write(_ text: String, to output: String?) throws(RunError) {
    guard let output, output != "-" else { return try Console.print(text) }
    do throws(SystemError) {
      try AtomicFile.write(Array(text.utf8), to: output)
    } catch {
      throw RunError(error)
    }
  }
}

/// Shows on standard error how much of a long recording has been read, if standard error is a terminal.
struct ReadingProgress {
  private let name: String
  private let isTerminal: Bool
  private var next = Instant.now().advanced(byNanoseconds: 500_000_000)
  private var isShown = false

  init(_ path: String) {
    name = SafeText.clean(path, limit: 60)
    isTerminal = isatty(STDERR_FILENO) == 1
  }

  /// - Parameter seconds: the recorded time that was read.
  mutating func show(_ seconds: Double) {
    guard isTerminal, Instant.now() >= next else { return }
    next = Instant.now().advanced(byNanoseconds: 200_000_000)
    isShown = true
    let time = "\(NumberFormat.duration(seconds: seconds))"
    Console.put("\r\u{1B}[Kperfhud: reading \(name): \(time)", on: STDERR_FILENO)
  }

  /// Clears the line.
  func end() { if isShown { Console.put("\r\u{1B}[K", on: STDERR_FILENO) } }
}

/// A recorded run, given as an argument of a subcommand.
struct RecordedRun {
  let run: Run
  /// When the run ended: the time of the last record if its end was not recorded.
  let end: Instant
  /// How the run's command ended; `nil` if there was none or this is unknown.
  let command: CommandEnd?
  /// Whether nothing of it is missing.
  let isWhole: Bool
  /// What damage has taken from it. A part that was not to be kept does not count.
  let missing: MissingPart

  /// Reads a whole recording. Reports what could not be read in one line.
  ///
  /// - Parameter budgets: limits for which the run keeps statistics.
  static func read(_ path: String, budgets: [Budget]) throws(RunError) -> RecordedRun {
    var reader = try open(path)
    var progress = ReadingProgress(path)
    var header = reader.header.run
    header.budgets = budgets
    var collector = RunCollector(header)
    collector.takeAll(from: &reader) { progress.show($0) }
    progress.end()
    if let remark = reader.remark { Console.remark(remark) }
    return RecordedRun(
      run: collector.run, end: reader.end?.time ?? collector.last, command: reader.end?.command,
      isWhole: reader.isWhole && reader.header.began == nil,
      missing: reader.damage.missingPart(reader.end))
  }

  /// - Throws: if an option names an unknown language.
  static func check(language: String?) throws {
    guard let language, Language(rawValue: language) == nil else { return }
    let names = Language.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("lang '\(language)' is none of: \(names)")
  }

  /// The language of an option, or else of the locale.
  static func language(_ option: String?, _ environment: Environment) -> Language {
    option.flatMap(Language.init(rawValue:)) ?? Language(locale: environment.locale)
  }

  /// - Throws: if an output file is a recording: if the output name was forgotten, it would be destroyed.
  static func keep(_ path: String?) throws(RunError) {
    guard let path, path != "-" else { return }
    // The recorded screen of a recording lies beside it.
    let owner =
      path.hasSuffix(ScreenFile.suffix) && ScreenFile.isThere(path)
      ? String(path.dropLast(ScreenFile.suffix.utf8.count)) : path
    guard RecordingReader.isRecording(owner) else { return }
    throw RunError(
      "\(SafeText.clean(path, limit: 200)) is a recording and is not overwritten: name another file"
    )
  }

  static func open(_ path: String) throws(RunError) -> RecordingReader {
    do throws(RecordingError) {
      guard path == "-" else { return try RecordingReader(path: path) }
      return try RecordingReader(input: try standardInput(), name: "standard input")
    } catch {
      throw RunError(error.description)
    }
  }

  private static func standardInput() throws(RecordingError) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(duplicating: STDIN_FILENO, subject: "standard input")
    } catch {
      throw RecordingError(error.description)
    }
  }
}
