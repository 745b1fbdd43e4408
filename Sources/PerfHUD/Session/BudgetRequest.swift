import Glibc
import HUD
import Metrics
import PerfHUDBase
import SystemPackage

/// The budgets of a run, and what is made of the verdicts on them.
struct BudgetRequest: Equatable {
  /// Those of the settings, then those of the file.
  private(set) var list: [Budget] = []
  /// Whether a run ends with 98 if a budget is inconclusive.
  private var isStrict = false
  /// Where the verdicts go as JUnit XML.
  private var junit: String?
  /// Whether the verdicts are printed as annotations of GitHub Actions.
  private var annotates = false

  init() {}

  init(_ options: AlertOptions, _ settings: Settings) throws(UsageError) {
    list = settings.budgets
    if let path = settings.budgetFile { list += try BudgetFile.read(path) }
    guard list.count <= Budget.capacity else {
      throw UsageError("more than \(Budget.capacity) budgets")
    }
    isStrict = options.strict
    junit = options.junit
    annotates = options.github
    let needing = [
      ("--strict", isStrict), ("--junit", junit != nil), ("--github", annotates),
    ]
    for (option, isGiven) in needing where isGiven && list.isEmpty {
      throw UsageError("\(option) has an effect only with a budget: --budget 'rss.peak <= 1GiB'")
    }
  }

  /// Makes the file for the verdicts, before anything is started.
  func prepare() throws(RunError) {
    guard let junit else { return }
    do {
      _ = try BudgetRequest.open(junit)
    } catch {
      throw RunError(error)
    }
  }

  private static func open(_ path: String) throws(SystemError) -> Descriptor {
    try Descriptor(
      open: path, .writeOnly, options: [.create, .truncate],
      permissions: FilePermissions(rawValue: 0o666))
  }

  /// Judges a run and prints the verdicts.
  ///
  /// - Parameter end: of the command, if there was one.
  /// - Returns: the exit status.
  func finish(
    _ run: Run, _ end: CommandEnd?, asOf now: Instant = .now(), language: Language
  ) -> Int32 {
    guard !list.isEmpty else { return ExitStatus.done }
    let report = BudgetReport(run, asOf: now, end: end)
    var text = report.text(language)
    if annotates { text += report.githubText(language) }
    ExitStatus.put(text, on: STDERR_FILENO)
    var hasWritten = true
    if let junit { hasWritten = write(report.junitText(language), to: junit) }
    if report.fails { return ExitStatus.budgetFails }
    if isStrict, report.isUndecided { return ExitStatus.budgetUndecided }
    return hasWritten ? ExitStatus.done : ExitStatus.failure
  }

  private func write(_ text: String, to path: String) -> Bool {
    do throws(SystemError) {
      let file = try BudgetRequest.open(path)
      let bytes = Array(text.utf8)
      do {
        try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll($0) }
      } catch {
        throw SystemError(call: "write", subject: path, code: error as? Errno ?? .ioError)
      }
      return true
    } catch {
      ExitStatus.say("\(error)")
      return false
    }
  }
}
