import PerfHUDBase
import PerfHUDEvents

extension RuleParser {
  /// Parses a `Budget`.
  mutating func parseBudget() throws(RuleError) -> Budget {
    guard scalars.count <= RuleParser.limit else {
      throw RuleError(column: RuleParser.limit, message: "the budget is too long")
    }
    let (metric, name) = try takeBudgetMetric()
    let comparison = try takeComparison()
    let units =
      if case .phase(_, .grows) = metric {
        RuleUnits.bytesPerVisit
      } else {
        RuleUnits(metric.unit, isGrowth: false)
      }
    let relative = try takeBase(units, of: name)
    if relative == nil { try checkSign(comparison) }
    let limit =
      try relative == nil ? takeLimit(units, of: name) : (value: 0, digits: "", unit: "")
    var isWarning = false
    var isOptional = false
    while true {
      skipBlanks()
      guard !isAtEnd else { break }
      let start = position
      switch takeWord({ _ in false }).lowercased() {
      case "warn": isWarning = true
      case "optional": isOptional = true
      case "for":
        throw failure("a budget is judged at the end of the run: leave out 'for'", at: start)
      default:
        position = start
        throw failure(
          "'\(rest)' does not belong to a budget; after the limit only: warn, optional", at: start)
      }
    }
    let isLetter = limit.unit.first.map { $0 == "%" || $0.isLetter } ?? false
    return Budget(
      metric, comparison, limit: limit.value, isWarning: isWarning, isOptional: isOptional,
      text: "\(name) \(comparison.rawValue) "
        + (relative?.text ?? "\(limit.digits)\(isLetter ? " " : "")\(limit.unit)"),
      base: relative?.base)
  }

  // MARK: The metric

  private mutating func takeBudgetMetric() throws(RuleError) -> (BudgetMetric, String) {
    skipBlanks()
    let start = position
    let word = takeWord { $0 == "-" || $0 == "_" }
    guard !word.isEmpty else {
      throw failure(
        "a budget begins with what it limits, such as rss.peak, cpu-time or frame.p99", at: start)
    }
    let name = RuleNames.folded(word)
    if name == "phase" || name == "action" { return try takeScoped(name) }
    let statisticStart = position + 1
    let (statistic, statisticName) = try takeStatisticWord()
    if let metric = BudgetNames.total(name) {
      guard statisticName.isEmpty else {
        throw failure("\(name) is a total: leave out '.\(statisticName)'", at: statisticStart)
      }
      return (metric, name)
    }
    if name == "io" { return try io(statisticName, at: statisticStart) }
    let full = statisticName.isEmpty ? name : "\(name).\(statisticName)"
    if name == "hitches", statisticName.isEmpty { return (.hitches, name) }
    if name == "frame" || name == "key-to-frame" {
      guard let statistic, BudgetNames.isOfTimes(statistic) else {
        throw failure(
          "\(name) has many times: write \(name).p99, \(name).p95, \(name).median, \(name).mean or "
            + "\(name).peak", at: statisticStart)
      }
      return (name == "frame" ? .frameTime(statistic) : .answerTime(statistic), full)
    }
    guard let subject = RuleNames.subject(name) else {
      throw failure("unknown '\(word)'\(hint(name, BudgetNames.all))", at: start)
    }
    if statisticName.isEmpty, case .metric(let metric) = subject, BudgetNames.isTotal(metric) {
      return metric == .cpuTime ? (.cpuTime, name) : (.sampled(subject, .peak), name)
    }
    guard !statisticName.isEmpty else {
      throw failure(
        "\(name) changes during the run: write \(name).peak, \(name).mean or \(name).p95",
        at: statisticStart)
    }
    guard let statistic, statistic != .growth else {
      let advice =
        statistic == .growth
        ? "growth is for alerts; write phase(*).grows or \(name).peak"
        : "unknown statistic '\(statisticName)'\(hint(statisticName, BudgetNames.statistics))"
      throw failure(advice, at: statisticStart)
    }
    if subject == .metric(.fps), statistic == .mean { return (.frameRate, full) }
    return (.sampled(subject, statistic), full)
  }

  /// The statistic after a point or a blank.
  ///
  /// - Returns: `nil` for a word that is not a statistic, and an empty name if there is no word.
  private mutating func takeStatisticWord() throws(RuleError) -> (Rule.Statistic?, String) {
    let hasPoint = peek == "."
    if hasPoint { position += 1 } else { skipBlanks() }
    let start = position
    let word = takeWord { $0 == "." }.lowercased()
    if word.isEmpty {
      if hasPoint { throw failure("a statistic is missing after the point", at: start) }
      return (nil, "")
    }
    return (RuleNames.statistic(word), word)
  }

  private func io(_ name: String, at start: Int) throws(RuleError) -> (BudgetMetric, String) {
    switch name {
    case "read": return (.bytesRead, "io.read")
    case "written": return (.bytesWritten, "io.written")
    default: throw failure("write io.read or io.written", at: start)
    }
  }

  /// `phase(NAME).kept`, `action(NAME).rate` and the like.
  private mutating func takeScoped(_ kind: String) throws(RuleError) -> (BudgetMetric, String) {
    let metrics =
      kind == "phase"
      ? Budget.PhaseMetric.allCases.map(\.rawValue) : Budget.ActionMetric.allCases.map(\.rawValue)
    let example = "\(kind)(NAME).\(metrics[0])"
    guard take("(") else {
      throw failure("which \(kind)? write \(example), or \(kind)(*).\(metrics[0]) for all")
    }
    let nameStart = position
    var text = ""
    while let scalar = peek, scalar != ")" {
      text.unicodeScalars.append(scalar)
      position += 1
    }
    guard take(")") else { throw failure("a ) is missing after the name", at: nameStart) }
    let name = Event.Name(text)
    guard !name.isEmpty else {
      throw failure("a name is missing: write \(example)", at: nameStart)
    }
    let scope: Budget.Scope = text == "*" ? .all : .named(name)
    guard take(".") else {
      throw failure("one of these is missing: .\(metrics.joined(separator: ", ."))")
    }
    let start = position
    let word = takeWord { _ in false }
    let full = "\(kind)(\(name.text)).\(word.lowercased())"
    if kind == "phase", let metric = Budget.PhaseMetric(rawValue: word.lowercased()) {
      return (.phase(scope, metric), full)
    }
    if kind == "action", let metric = Budget.ActionMetric(rawValue: word.lowercased()) {
      return (.action(scope, metric), full)
    }
    throw failure(
      word.isEmpty
        ? "one of these is missing: \(metrics.joined(separator: ", "))"
        : "unknown '\(word)'\(hint(word.lowercased(), metrics))", at: start)
  }
}

/// The names of values that only budgets limit; `RuleNames` has the others.
enum BudgetNames {
  /// A metric that is a single total and needs no statistic.
  static func total(_ name: String) -> BudgetMetric? {
    switch name {
    case "cpu-time": .cpuTime
    case "wall": .wall
    default: nil
    }
  }

  /// Whether a metric only ever increases.
  static func isTotal(_ metric: Metric) -> Bool {
    switch metric {
    case .cpuTime, .missedSamples, .memoryHigh, .memoryMax, .oomKills: true
    default: false
    }
  }

  /// Whether a statistic applies to times that are counted one by one.
  static func isOfTimes(_ statistic: Rule.Statistic) -> Bool {
    switch statistic {
    case .peak, .mean, .percentile: true
    case .value, .growth, .least: false
    }
  }

  static let statistics = RuleNames.statistics.filter { $0 != "growth" }

  static let all =
    ["cpu-time", "wall", "io", "frame", "phase", "action"] + RuleNames.metrics.map(\.name)
}
