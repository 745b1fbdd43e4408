import Metrics
import PerfHUDBase

/// A report as Markdown, for a comment or a log. Source: GitHub Flavored Markdown, 4.10 (tables) and 2.4 (escapes).
package struct MarkdownReport {
  private let reports: [RunReport]

  package init(_ reports: [RunReport]) { self.reports = reports }

  package var text: String { reports.map(section).joined(separator: "\n") }

  private func section(_ report: RunReport) -> String {
    var lines = ["# \(escaped(report.title))", ""]
    lines += ["**\(escaped(report.verdict.joined(separator: " ")))**", ""]
    for table in report.tables { lines += self.lines(of: table) }
    if let times = report.frameTimes {
      lines += self.lines(
        of: "Frame times",
        RunReport.metrics(times, rates: true, isBound: report.summary.framesAreLowerBound))
    }
    if report.answers.timed > 0 {
      lines += self.lines(of: "Key to frame", RunReport.metrics(report.answers, rates: false))
    }
    lines += self.lines(of: "Reliability of the values", report.trust)
    lines += self.lines(of: "The run", report.facts)
    return lines.dropLast().joined(separator: "\n") + "\n"
  }

  private func lines(of title: String, _ facts: [Fact]) -> [String] {
    let rows = facts.map { [$0.name, $0.isWarning ? "\($0.value) (look here)" : $0.value] }
    return lines(
      of: ReportTable(title: title, columns: ["", ""], isNumber: [false, false], rows: rows))
  }

  private func lines(of table: ReportTable) -> [String] {
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    return ["## \(table.title)", "", line(table.columns)]
      + [line(table.isNumber.map { $0 ? "---:" : "---" })]
      + table.rows.map { line($0.map(escaped)) } + [""]
  }

  private func escaped(_ text: String) -> String { ReportText.markdown(text) }
}
