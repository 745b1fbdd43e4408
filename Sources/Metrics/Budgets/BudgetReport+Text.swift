import PerfHUDBase

/// The results as text for people, as JUnit XML and as GitHub annotations.
extension BudgetReport {
  /// One line for each budget, with its line end; the verdicts form a column:
  ///
  ///     budget  rss.peak <= 500 MiB  holds: 48.38 MiB
  ///     budget  cpu-time <= 1 s      inconclusive: CPU pressure 33 %, measured 1.234 s
  package func text(_ language: Language) -> String {
    let label = BudgetWord.label.text(language)
    let width = min(40, results.map { $0.budget.text.unicodeScalars.count }.max() ?? 0)
    return results.map { result in
      let rule = result.budget.text
      let gap = max(0, width - rule.unicodeScalars.count)
      return
        "\(label)  \(rule)\(String(repeating: " ", count: gap))  \(result.text(language))\n"
    }.joined()
  }

  /// Annotations of GitHub Actions: a line for each budget that fails or is inconclusive.
  ///
  /// Source: "Workflow commands for GitHub Actions", `error` and `warning`.
  package func githubText(_ language: Language) -> String {
    results.filter { $0.verdict != .holds }.map { result in
      var properties = ""
      if let place = result.budget.place {
        properties = "file=\(BudgetReport.property(place.file)),line=\(place.line),"
      }
      properties += "title=\(BudgetReport.property("Budget " + result.budget.text))"
      let kind = result.fails ? "error" : "warning"
      return "::\(kind) \(properties)::\(BudgetReport.data(result.text(language)))\n"
    }.joined()
  }

  private static func data(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "%": "%25"
      case "\r": "%0D"
      case "\n": "%0A"
      default: String(scalar)
      }
    }.joined()
  }

  private static func property(_ text: String) -> String {
    data(text).unicodeScalars.map { scalar in
      switch scalar {
      case ":": "%3A"
      case ",": "%2C"
      default: String(scalar)
      }
    }.joined()
  }

  /// JUnit XML: a suite for each run, a case for each budget. An inconclusive budget is skipped; a warning passes and
  /// says so.
  ///
  /// Source: the schema `junit-10.xsd` of Jenkins' xUnit plugin.
  ///
  /// - Parameter names: the file name of each run, which distinguishes the suites; empty for a run without a file.
  package static func junitText(
    _ reports: [BudgetReport], names: [String] = [], _ language: Language
  ) -> String {
    let tests = reports.reduce(0) { $0 + $1.results.count }
    let failures = reports.reduce(0) { $0 + $1.failures }
    let seconds = seconds(reports.reduce(0) { $0 + $1.wallSeconds })
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="perfhud" tests="\(tests)" failures="\(failures)" errors="0" time="\(seconds)">

      """
        + reports.indices.map { index in
          reports[index].suite(names.indices.contains(index) ? names[index] : nil, language)
        }.joined() + "</testsuites>\n"
  }

  private var failures: Int { results.count(where: \.fails) }

  private static func seconds(_ value: Double) -> ShortText {
    var text = ShortText()
    text.append(value, decimals: 3)
    return text
  }

  private func suite(_ file: String?, _ language: Language) -> String {
    let skipped = results.count { $0.verdict == .inconclusive }
    let time = BudgetReport.seconds(wallSeconds)
    let file = file.map { " (\(SafeText.clean($0, limit: 200)))" } ?? ""
    let name = BudgetReport.xml("perfhud: " + SafeText.clean(command, limit: 200) + file)
    var text = """
        <testsuite name="\(name)" tests="\(results.count)" failures="\(failures)" errors="0" \
      skipped="\(skipped)" time="\(time)">

      """
    for result in results {
      let message = BudgetReport.xml(result.text(language))
      text +=
        "    <testcase classname=\"perfhud.budget\" name=\"\(BudgetReport.xml(result.budget.text))\" time=\"0\">"
      switch result.verdict {
      case .holds: text += "<system-out>\(message)</system-out>"
      case .inconclusive: text += "<skipped message=\"\(message)\"/>"
      case .fails where result.fails:
        text += "<failure type=\"budget\" message=\"\(message)\">\(message)</failure>"
      case .fails: text += "<system-out>\(message)</system-out>"
      }
      text += "</testcase>\n"
    }
    return text + "  </testsuite>\n"
  }

  /// A text in a form that XML 1.0 accepts. Control characters were replaced before (`SafeText`).
  private static func xml(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&apos;"
      case "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
      default: scalar.value < 0x20 ? " " : String(scalar)
      }
    }.joined()
  }
}
