import Glibc
import HUD
import Metrics
import PerfHUDBase
import SystemPackage

/// The budgets of a run, and how to report the verdicts on them.
struct BudgetRequest: Equatable {
  /// The budgets of the settings, then those of the file.
  private(set) var list: [Budget] = []
  /// Whether a run exits with 98 if a budget is inconclusive.
  private(set) var isStrict = false
  /// The file for the verdicts as JUnit XML.
  private var junit: String?
  /// Whether to print the verdicts as annotations for GitHub Actions.
  private var annotates = false

  init() {}

  init(
    _ options: AlertOptions, _ settings: Settings, _ environment: Environment
  ) throws(UsageError) {
    guard options.budgets.count <= 1 else {
      throw UsageError("--budgets can be given once: put all budgets into one file")
    }
    list = try BudgetRequest.list(
      settings.budgets, file: settings.budgetFile,
      namedBy: SettingOrigin(of: "budgets", settings, environment))
    isStrict = options.strict
    junit = options.junit
    annotates = options.github
    try UsageError.refuseStream(junit, option: "--junit")
    let needing = [
      ("--strict", isStrict), ("--junit", junit != nil), ("--github", annotates),
    ]
    for (option, isGiven) in needing where isGiven && list.isEmpty {
      throw UsageError("\(option) has an effect only with a budget: --budget 'rss.peak <= 1GiB'")
    }
  }

  /// Budgets for recorded runs.
  ///
  /// - Throws: if there are none, or one is wrong.
  init(
    rules: [String], files: [String], isStrict: Bool, junit: String?, annotates: Bool
  ) throws(UsageError) {
    list = try BudgetRequest.list(rules: rules, files: files)
    guard !list.isEmpty else {
      throw UsageError(
        "nothing to check; give a budget: --budget 'rss.peak <= 1GiB', or --budgets FILE")
    }
    try UsageError.refuseStream(junit, option: "--junit")
    self.isStrict = isStrict
    self.junit = junit
    self.annotates = annotates
  }

  /// Reads the budgets of a subcommand: those of its options, then those of files.
  static func list(rules: [String], files: [String]) throws(UsageError) -> [Budget] {
    var list: [Budget] = []
    for rule in rules {
      do throws(RuleError) {
        list.append(try Budget(rule))
      } catch {
        throw UsageError("budget '\(SafeText.clean(rule, limit: 200))': \(error)")
      }
    }
    guard !files.isEmpty else { return try BudgetRequest.list(list, file: nil) }
    for file in files { list = try BudgetRequest.list(list, file: file) }
    return list
  }

  /// Adds the budgets of a file.
  private static func list(
    _ budgets: [Budget], file: String?, namedBy origin: SettingOrigin = .option
  ) throws(UsageError) -> [Budget] {
    var list = budgets
    if let file { list += try BudgetFile.read(file, namedBy: origin) }
    guard list.count <= Budget.capacity else {
      throw UsageError("more than \(Budget.capacity) budgets")
    }
    try setBases(&list)
    return list
  }

  /// Reads the recordings of earlier runs on which limits are based, each once.
  private static func setBases(_ list: inout [Budget]) throws(UsageError) {
    var reports: [String: BudgetReport] = [:]
    for index in list.indices {
      guard let file = list[index].base?.file else { continue }
      if reports[file] == nil {
        do throws(RunError) {
          let base = try RecordedRun.read(file, budgets: list)
          reports[file] = BudgetReport(
            base.run, asOf: base.end, end: base.command, missing: base.missing)
        } catch {
          throw UsageError("budget '\(SafeText.clean(list[index].text, limit: 200))': \(error)")
        }
      }
      guard let report = reports[file] else { continue }
      list[index].setBase(report.results[index], report.disturbance)
      guard list[index].base?.value != nil || list[index].isOptional else {
        let name = SafeText.clean(file, limit: 200)
        throw UsageError(
          "budget '\(SafeText.clean(list[index].text, limit: 200))': \(name) has no such value; "
            + "record a run that has it, or add: optional")
      }
    }
  }

  /// Creates the file for the verdicts, before anything is started.
  func prepare() throws(RunError) {
    guard let junit else { return }
    try RecordedRun.keep(junit)
    do {
      _ = try BudgetRequest.open(junit, options: .create)
    } catch {
      throw RunError(error)
    }
  }

  private static func open(
    _ path: String, options: FileDescriptor.OpenOptions = [.create, .truncate]
  ) throws(SystemError) -> Descriptor {
    try Descriptor(
      open: path, .writeOnly, options: options,
      permissions: FilePermissions(rawValue: 0o666))
  }

  /// Judges a run and prints the verdicts.
  ///
  /// - Parameter end: how the command ended, if there was one.
  /// - Returns: the exit status.
  func finish(
    _ run: Run, _ end: CommandEnd?, asOf now: Instant = .now(), language: Language
  ) -> Int32 {
    guard !list.isEmpty else { return ExitStatus.done }
    let report = BudgetReport(run, asOf: now, end: end)
    Console.put(text(report, language), on: STDERR_FILENO)
    return finish(
      [report], ifUnwritten: end == nil ? ExitStatus.failure : ExitStatus.commandFailure,
      language: language)
  }

  /// The verdicts on one run, with annotations if requested.
  func text(_ report: BudgetReport, _ language: Language) -> String {
    report.text(language) + (annotates ? report.githubText(language) : "")
  }

  /// Writes the verdicts on one or more runs as JUnit XML, if requested.
  ///
  /// - Parameter ifUnwritten: the exit status if the file cannot be written.
  /// - Returns: the exit status. A budget that fails in one run decides for all.
  func finish(
    _ reports: [BudgetReport], names: [String] = [], ifUnwritten: Int32 = ExitStatus.failure,
    language: Language
  ) -> Int32 {
    var hasWritten = true
    if let junit {
      hasWritten = write(BudgetReport.junitText(reports, names: names, language), to: junit)
    }
    if reports.contains(where: \.fails) { return ExitStatus.budgetFails }
    if isStrict, reports.contains(where: \.isUndecided) { return ExitStatus.budgetInconclusive }
    return hasWritten ? ExitStatus.done : ifUnwritten
  }

  private func write(_ text: String, to path: String) -> Bool {
    do throws(SystemError) {
      let file = try BudgetRequest.open(path)
      do throws(Errno) {
        try file.writeAll(Array(text.utf8))
      } catch {
        throw SystemError(call: "write", subject: path, code: error)
      }
      return true
    } catch {
      Console.say("\(error)")
      return false
    }
  }
}
