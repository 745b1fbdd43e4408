import Metrics
import PerfHUDBase

/// The columns of the graphs as CSV, one per line. Source: RFC 4180, with LF as the line end.
package struct CSVReport {
  private let reports: [RunReport]

  package init(_ reports: [RunReport]) { self.reports = reports }

  package var text: String {
    var text =
      "recording,seconds,phase,memory_least_bytes,memory_greatest_bytes,cpu_mean_percent,"
      + "cpu_greatest_percent,fps_greatest\n"
    for report in reports {
      let series = report.series
      for (index, column) in series.columns.enumerated() {
        func number(_ value: Double?, _ decimals: Int) -> String {
          value.map { ReportText.number($0, decimals: decimals) } ?? ""
        }
        let cells = [
          quoted(report.file), number(Double(index) * series.secondsPerColumn, 3),
          quoted(column.phase.map { ReportText.name(series.phaseNames[$0]) } ?? ""),
          number(column.leastBytes, 0), number(column.greatestBytes, 0),
          number(column.meanCPU, 2), number(column.greatestCPU, 2),
          number(column.framesPerSecond, 2),
        ]
        text += cells.joined(separator: ",") + "\n"
      }
    }
    return text
  }

  private func quoted(_ text: String) -> String { ReportText.csv(text) }
}
