import Metrics
import PerfHUDBase

/// A comparison as a file: Markdown for a comment, CSV and JSON for scripts.
package struct ComparisonDocument {
  private let comparison: Comparison

  package init(_ comparison: Comparison) { self.comparison = comparison }

  /// Source: GitHub Flavored Markdown, 4.10 (tables).
  package var markdown: String {
    var lines = ["**\(ReportText.markdown(comparison.verdict))**", ""]
    for note in comparison.notes { lines += [ReportText.markdown(note), ""] }
    for subject in comparison.subjects where !subject.rows.isEmpty {
      lines += ["## \(ReportText.markdown(subject.heading))", ""]
      lines += ["| | base | new | difference | | 95 % interval | p | |"]
      lines += ["| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"]
      for row in subject.rows {
        let cells = [
          row.metric.label, row.baseText ?? "–", row.newText ?? "–",
          row.difference.map { row.metric.differenceText($0.difference) } ?? "–",
          row.percentText, row.intervalText, row.probabilityText, row.longVerdictText,
        ]
        lines.append("| " + cells.map(ReportText.markdown).joined(separator: " | ") + " |")
      }
      lines.append("")
    }
    return lines.dropLast().joined(separator: "\n") + "\n"
  }

  /// One line for each metric. Source: RFC 4180, with LF as the line end.
  package var csv: String {
    var text =
      "phase,metric,unit,value_of,base_count,new_count,base_median,new_median,difference,"
      + "interval_least,interval_greatest,p,p_adjusted,verdict\n"
    for (subject, row) in allRows {
      let cells = [
        ReportText.csv(subject.phase.map(ReportText.name) ?? ""), row.metric.rawValue,
        row.metric.unitName, row.unit.rawValue, "\(row.counts.base)", "\(row.counts.new)",
      ]
      let numbers = numbers(row).map { $0 ?? "" }
      text += (cells + numbers + [ReportText.csv(row.word)]).joined(separator: ",") + "\n"
    }
    return text
  }

  /// A JSON object. Source: RFC 8259.
  package var json: String {
    let names = [
      "base_median", "new_median", "difference", "interval_least", "interval_greatest", "p",
      "p_adjusted",
    ]
    let rows = allRows.map { subject, row in
      var fields = [
        "\"phase\":\(subject.phase.map { ReportText.json(ReportText.name($0)) } ?? "null")",
        "\"metric\":\(ReportText.json(row.metric.rawValue))",
        "\"unit\":\(ReportText.json(row.metric.unitName))",
        "\"value_of\":\(ReportText.json(row.unit.rawValue))",
        "\"base_count\":\(row.counts.base)", "\"new_count\":\(row.counts.new)",
      ]
      fields += zip(names, numbers(row)).map { "\"\($0)\":\($1 ?? "null")" }
      fields.append("\"verdict\":\(ReportText.json(row.word))")
      if case .inconclusive(let reason) = row.verdict {
        fields.append("\"reason\":\(ReportText.json(reason))")
      }
      return "    {\(fields.joined(separator: ","))}"
    }
    return """
      {
        "verdict": \(ReportText.json(comparison.verdict)),
        "worse": \(comparison.isWorse),
        "base_runs": \(comparison.runs.base),
        "new_runs": \(comparison.runs.new),
        "metrics_judged": \(comparison.familySize),
        "notes": [\(comparison.notes.map(ReportText.json).joined(separator: ", "))],
        "metrics": [
      \(rows.joined(separator: ",\n"))
        ]
      }

      """
  }

  private var allRows: [(ComparedSubject, ComparedRow)] {
    comparison.subjects.flatMap { subject in subject.rows.map { (subject, $0) } }
  }

  /// Medians, difference, interval and probabilities; `nil` if unknown.
  private func numbers(_ row: ComparedRow) -> [String?] {
    let difference = row.difference
    let hasInterval = min(row.counts.base, row.counts.new) > 1
    let values = [
      difference?.base, difference?.new, difference?.difference,
      hasInterval ? difference?.least : nil, hasInterval ? difference?.greatest : nil,
    ].map { $0.map { number($0, row.metric) } }
    let probabilities = [hasInterval ? row.probability : nil, row.adjusted]
    return values + probabilities.map { $0.map { "\($0)" } }
  }

  private func number(_ value: Double, _ metric: ComparedMetric) -> String {
    let decimals =
      switch metric.unitName {
      case "seconds": 6
      case "bytes", "count": 0
      default: 3
      }
    return ReportText.number(value, decimals: decimals)
  }
}

extension ComparedRow {
  /// The verdict as one word for a file.
  fileprivate var word: String {
    switch verdict {
    case .more: "more"
    case .less: "less"
    case .same: "same"
    case .needs(let count): "needs \(count) more"
    case .inconclusive: "inconclusive"
    case .none: ""
    }
  }

  /// The verdict and its reason.
  fileprivate var longVerdictText: String {
    if case .inconclusive(let reason) = verdict { return "inconclusive: \(reason)" }
    return verdictText
  }
}
