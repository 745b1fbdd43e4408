import Metrics
import PerfHUDBase
import PerfHUDEvents

/// A comparison in words.
extension Comparison {
  private static let listedChanges = 3

  /// The verdict as a sentence: `canvas keeps 10.00 MiB more a visit; no other change found.`
  package var verdict: String {
    let compared = subjects.flatMap(\.rows).filter { $0.metric.isLeading && $0.difference != nil }
    let changes = changes
    guard !compared.isEmpty else { return "No metric has values on both sides." }
    guard compared.contains(where: { $0.adjusted != nil }) else {
      return needText(compared)
    }
    let open = openText(compared)
    guard !changes.isEmpty else {
      guard !open.isEmpty else { return "No change found." }
      let isAnyJudged = compared.contains { $0.verdict == .same }
      return "\(open)\(isAnyJudged ? "; no change found in the others" : "")."
    }
    var parts = changes.prefix(Comparison.listedChanges).map { $0.row.text(of: $0.subject) }
    let more = changes.count - parts.count
    if more > 0 { parts.append("\(more) more \(more == 1 ? "metric" : "metrics") changed") }
    let list = parts.joined(separator: "; ")
    let rest = open.isEmpty ? "no other change found" : open
    let sentence = "\(more > 0 && open.isEmpty ? list : list + "; " + rest)."
    // The name of a phase is not capitalized.
    return sentence.hasPrefix("the run ") ? "T\(sentence.dropFirst())" : sentence
  }

  /// What was not judged; empty if everything was:
  /// `3 metrics are inconclusive (CPU pressure 33 % in the base); 4 of 11 metrics have too few visits`.
  ///
  /// That the whole run has too few runs is not worth a word where its phases have enough visits.
  private func openText(_ rows: [ComparedRow]) -> String {
    var parts: [String] = []
    let undecided = rows.filter(\.isUndecided)
    if case .inconclusive(let reason)? = undecided.first?.verdict {
      let count = undecided.count
      parts.append("\(count) \(count == 1 ? "metric is" : "metrics are") inconclusive (\(reason))")
    }
    let ofPhases = subjects.filter { $0.phase != nil }.flatMap(\.rows)
    let lacking = ofPhases.filter(\.needsMore)
    if let unit = lacking.first?.unit {
      let count = lacking.count
      parts.append(
        "\(count) of \(rows.count) metrics \(count == 1 ? "has" : "have") too few \(unit.rawValue)s"
      )
    }
    return parts.joined(separator: "; ")
  }

  /// `Not enough runs: each side needs 4 more.`
  private func needText(_ rows: [ComparedRow]) -> String {
    func least(_ unit: ComparedUnit) -> Int? {
      rows.compactMap { row in
        if case .needs(let count) = row.verdict, row.unit == unit { count } else { nil }
      }.min()
    }
    if let visits = least(.visit) {
      return "Not enough visits: each side needs \(visits) more of a phase."
    }
    return "Not enough runs: each side needs \(least(.run) ?? Comparison.leastRuns) more."
  }

  /// The lines below the verdict that describe what was compared.
  package var notes: [String] {
    var notes = remarks
    func list(_ text: String, _ names: [String]) {
      if !names.isEmpty { notes.append("\(text): \(names.joined(separator: ", ")).") }
    }
    list(
      "Only in the base", subjects.filter { $0.counts.base > 0 && $0.isOnlyIn(.base) }.map(\.name))
    list("Only in the new", subjects.filter { $0.counts.new > 0 && $0.isOnlyIn(.new) }.map(\.name))
    return notes
  }
}

extension ComparedSubject {
  enum Side { case base, new }

  /// Whether a phase was visited only on one side.
  func isOnlyIn(_ side: Side) -> Bool {
    phase != nil && (side == .base ? counts.new : counts.base) == 0
  }

  /// `canvas (8 and 9 visits after the first)`.
  var heading: String {
    let both = counts.base == counts.new ? "" : "\(counts.base) and "
    let text = both + ReportText.count(UInt64(counts.new), unit.rawValue)
    let isSingle = phase == nil && max(counts.base, counts.new) == 1
    return "\(phase == nil ? "The run" : name) (\(text)\(isSingle ? "" : " after the first"))"
  }
}

extension ComparedRow {
  /// `canvas keeps 10.00 MiB more a visit`.
  func text(of subject: ComparedSubject) -> String {
    guard let difference else { return "" }
    let amount = metric.text(difference.difference.magnitude)
    let share = percent.map { $0.magnitude }
    let percent = share.map {
      $0 < 1000 ? " (\(ReportText.number($0, decimals: $0 < 10 ? 1 : 0)) %)" : ""
    }
    let isMore = difference.difference > 0
    let (verb, more, less) =
      switch metric {
      case .time: ("takes", "longer", "less time")
      case .cpuTime: ("uses", "more CPU time", "less CPU time")
      case .kept: ("keeps", "more", "less")
      case .taken: ("takes", "more memory", "less memory")
      default: ("has", "more at its peak", "less at its peak")
      }
    let name = subject.phase == nil ? "the run" : subject.name
    let each = subject.phase == nil ? "" : " a visit"
    let shown = metric == .kept ? "" : percent ?? ""
    return "\(name) \(verb) \(amount)\(shown) \(isMore ? more : less)\(each)"
  }

  /// The median of each side, with `≥` if values of the side are lower bounds.
  var baseText: String? {
    difference.map { (areBounds.base ? "≥ " : "") + metric.text($0.base) }
  }
  var newText: String? {
    difference.map { (areBounds.new ? "≥ " : "") + metric.text($0.new) }
  }

  /// The verdict for narrow places; with a sign, so that it does not depend on color.
  var verdictText: String {
    switch verdict {
    case .more: "+ more"
    case .less: "- less"
    case .same: "~"
    case .needs(let count): "needs \(count) more \(unit.rawValue)\(count == 1 ? "" : "s")"
    case .inconclusive: "inconclusive"
    case .none: ""
    }
  }

  var shortVerdictText: String {
    switch verdict {
    case .needs(let count): "\(count) more"
    case .inconclusive: "uncertain"
    default: verdictText
    }
  }

  /// The interval of the difference: `-0.12 to +0.40 ms`.
  var intervalText: String {
    guard let difference, counts.base > 1, counts.new > 1 else { return "" }
    let least = metric.differenceText(difference.least).split(separator: " ")
    let greatest = metric.differenceText(difference.greatest)
    let isSameUnit = least.count == 2 && greatest.split(separator: " ").last == least.last
    return "\(isSameUnit ? String(least[0]) : least.joined(separator: " ")) to \(greatest)"
  }

  var percentText: String {
    guard let percent, percent.magnitude < 10_000 else { return "" }
    let number = ReportText.number(percent.magnitude, decimals: percent.magnitude < 100 ? 1 : 0)
    return "\(percent < 0 ? "-" : "+")\(number) %"
  }

  /// `0.0009`, `<0.0001`.
  static func probabilityText(_ value: Double) -> String {
    if value < 0.0001 { return "<0.0001" }
    return ReportText.number(value, decimals: value < 0.001 ? 4 : value < 0.1 ? 3 : 2)
  }

  /// The adjusted probability, or else the metric's own, in parentheses.
  var probabilityText: String {
    guard counts.base > 1, counts.new > 1 else { return "" }
    return adjusted.map(ComparedRow.probabilityText)
      ?? "(\(ComparedRow.probabilityText(probability)))"
  }
}
