import ArgumentParser
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording

/// `perfhud check FILE… --budget RULE`: judges recorded runs again without running anything.
struct CheckCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check recordings against budgets.",
    discussion: """
      Exits with status 99 if a budget fails in one of them, as a run with
      --budget does, and with 98 if --strict is given and a recording is cut or
      damaged. Then no upper limit of a total or of
      a peak holds for certain.
        perfhud check run.phr --budget 'rss.peak <= 500MiB'
      """)

  @Argument(
    help: ArgumentHelp("Recordings; - is standard input.", valueName: "file"), completion: .file())
  var files: [String]

  @Option(help: ArgumentHelp("A limit, such as 'cpu-time <= 60s'. (repeatable)", valueName: "rule"))
  var budget: [String] = []

  @Option(
    help: ArgumentHelp("Read budgets from a file.", valueName: "file"), completion: .file())
  var budgets: [String] = []

  @Flag(help: "Exit with status 98 if a budget is inconclusive.")
  var strict = false

  @Option(
    help: ArgumentHelp("Write the verdicts as JUnit XML.", valueName: "file"), completion: .file())
  var junit: String?

  @Flag(help: "Print annotations of GitHub Actions too.")
  var github = false

  @Option(
    help: ArgumentHelp("Language: en or ja. (default: of the locale)", valueName: "code"),
    completion: .list(Language.allCases.map(\.rawValue)))
  var lang: String?

  func validate() throws {
    try RecordedRun.check(language: lang)
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("standard input can be read only once; name files")
    }
  }

  func perform(_ environment: Environment) throws -> Int32 {
    let language = RecordedRun.language(lang, environment)
    let request = try BudgetRequest(
      rules: budget, files: budgets, isStrict: strict, junit: junit, annotates: github)
    try request.prepare()
    var isWhole = true
    var reports: [BudgetReport] = []
    for file in files {
      let ended = try RecordedRun.read(file, budgets: request.list)
      isWhole = isWhole && ended.isWhole
      let report = BudgetReport(
        ended.run, asOf: ended.end, end: ended.command, missing: ended.missing)
      if files.count > 1 {
        try Console.print("\(SafeText.clean(file, limit: 200)):\n")
      }
      try Console.print(request.text(report, language))
      reports.append(report)
    }
    let status = request.finish(reports, names: files, language: language)
    // The missing part may be the one that exceeds a limit.
    return strict && !isWhole && status == ExitStatus.done ? ExitStatus.budgetInconclusive : status
  }
}
