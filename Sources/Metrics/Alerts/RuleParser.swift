import PerfHUDBase

/// Parses a `Rule` or a `Budget` from left to right.
struct RuleParser {
  let scalars: [Unicode.Scalar]
  var position = 0

  /// No meaningful rule is longer.
  static let limit = 200

  init(_ source: String) { scalars = Array(source.unicodeScalars.prefix(RuleParser.limit + 1)) }

  mutating func parse() throws(RuleError) -> Rule {
    guard scalars.count <= RuleParser.limit else {
      throw RuleError(column: RuleParser.limit, message: "the rule is too long")
    }
    let (subject, name) = try takeMetric()
    let (statistic, statisticName) = try takeStatistic()
    let comparison = try takeComparison()
    let limit = try takeLimit(
      RuleUnits(subject.unit, isGrowth: statistic == .growth),
      of: statistic == .growth ? "the growth of \(name)" : name)
    let duration = try takeDuration(statistic, statisticName)
    skipBlanks()
    guard isAtEnd else {
      throw failure("'\(rest)' does not belong to a rule; it ends with: for 10s")
    }
    var text = name
    if !statisticName.isEmpty { text += ".\(statisticName)" }
    text += " \(comparison.rawValue) \(limit.digits)\(limit.unit)"
    if let duration { text += " for \(DurationText.text(duration))" }
    let standard = statistic == .growth ? Rule.growthWindow : 0
    return Rule(
      subject: subject, statistic: statistic, comparison: comparison, threshold: limit.value,
      duration: duration ?? standard, text: text)
  }

  // MARK: The parts

  private mutating func takeMetric() throws(RuleError) -> (Rule.Subject, String) {
    skipBlanks()
    let start = position
    let word = takeWord { $0 == "-" || $0 == "_" }
    guard !word.isEmpty else {
      throw failure("a rule begins with a metric, such as cpu, mem or fps", at: start)
    }
    let name = RuleNames.folded(word)
    if let subject = RuleNames.subject(name) { return (subject, name) }
    throw failure(
      "unknown metric '\(word)'\(hint(name, RuleNames.metrics.map(\.name)))", at: start)
  }

  private mutating func takeStatistic() throws(RuleError) -> (Rule.Statistic, String) {
    let hasPoint = peek == "."
    if hasPoint { position += 1 } else { skipBlanks() }
    let start = position
    let word = takeWord { $0 == "." }
    guard !word.isEmpty else {
      if hasPoint { throw failure("a statistic is missing after the point", at: start) }
      return (.value, "")
    }
    let name = word.lowercased()
    if let statistic = RuleNames.statistic(name) { return (statistic, name) }
    let isNumber = name.first.map { ("0"..."9").contains($0) } ?? false
    if !isNumber, hasPoint || peek != nil || RuleNames.isNear(name) {
      throw failure("unknown statistic '\(word)'\(hint(name, RuleNames.statistics))", at: start)
    }
    throw failure("a comparison is missing: one of > >= < <=", at: start)
  }

  mutating func takeComparison() throws(RuleError) -> Rule.Comparison {
    skipBlanks()
    for comparison in Rule.Comparison.allCases where take(comparison.rawValue) {
      return comparison
    }
    throw failure(
      isAtEnd
        ? "a comparison is missing: one of > >= < <="
        : "'\(rest)' is no comparison: one of > >= < <=")
  }

  /// Words that may follow a number but are not units.
  private static let words = ["for", "of", "warn", "optional"]

  /// Takes a number with its unit.
  ///
  /// - Parameter what: what is counted in these units, for an error.
  /// - Returns: the value in the unit of the metric, and how it was written.
  mutating func takeLimit(
    _ units: RuleUnits, of what: String
  ) throws(RuleError) -> (value: Double, digits: String, unit: String) {
    skipBlanks()
    let start = position
    var digits = ""
    while let scalar = peek, ("0"..."9").contains(scalar) || scalar == "." {
      digits.unicodeScalars.append(scalar)
      position += 1
    }
    guard let number = Double(digits), digits.utf8.count <= 18 else {
      throw failure(
        isAtEnd ? "a number is missing" : "'\(digits + rest)' is no number", at: start)
    }
    let afterNumber = position
    skipBlanks()
    let unitStart = position
    let unit = takeWord { $0 == "/" || $0 == "%" }
    if RuleParser.words.contains(unit.lowercased()) {
      position = afterNumber
      return (try scaled(number, "", units, what, at: afterNumber), digits, "")
    }
    return (try scaled(number, unit, units, what, at: unitStart), digits, unit)
  }

  private func scaled(
    _ number: Double, _ unit: String, _ units: RuleUnits, _ what: String, at start: Int
  ) throws(RuleError) -> Double {
    if let scale = units.scale(of: unit) { return number * scale }
    if unit.isEmpty, number == 0 { return 0 }
    throw failure(
      unit.isEmpty
        ? "the number needs a unit: \(what) is counted in \(units.names)"
        : "'\(unit)' is no unit of \(what), which is counted in \(units.names)", at: start)
  }

  private mutating func takeDuration(
    _ statistic: Rule.Statistic, _ name: String
  ) throws(RuleError) -> UInt64? {
    skipBlanks()
    let start = position
    let word = takeWord { _ in false }
    guard !word.isEmpty else { return nil }
    guard word.lowercased() == "for" else {
      position = start
      throw failure("'\(rest)' does not belong to a rule; it ends with: for 10s", at: start)
    }
    guard statistic == .value || statistic == .growth else {
      throw failure("\(name) is taken over the whole run: leave out 'for'", at: start)
    }
    skipBlanks()
    let timeStart = position
    let time = takeWord { $0 == "." }
    guard let duration = DurationText.nanoseconds(time), duration >= 1_000_000,
      duration <= 86_400_000_000_000
    else {
      throw failure(
        time.isEmpty
          ? "a time is missing after 'for', such as 10s"
          : "'\(time)' is not a time from 1ms to 24h, such as 10s", at: timeStart)
    }
    // Rounded down to the millisecond, as it is displayed.
    return duration / 1_000_000 * 1_000_000
  }

  // MARK: Characters

  var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }
  var isAtEnd: Bool { position >= scalars.count }

  /// The text that has not been parsed yet, for an error.
  var rest: String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[min(position, scalars.count)...])
    return SafeText.clean(text, limit: 20)
  }

  mutating func skipBlanks() {
    while peek == " " || peek == "\t" { position += 1 }
  }

  /// Takes letters and digits, and whatever else `other` accepts.
  mutating func takeWord(_ other: (Unicode.Scalar) -> Bool) -> String {
    var word = ""
    while let scalar = peek, scalar.isASCII,
      scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || other(scalar)
    {
      word.unicodeScalars.append(scalar)
      position += 1
    }
    return word
  }

  mutating func take(_ text: String) -> Bool {
    let wanted = Array(text.unicodeScalars)
    guard scalars[min(position, scalars.count)...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  func hint(_ name: String, _ names: [String]) -> String {
    NearestName.of(name, among: names).map { "; did you mean \($0)?" }
      ?? "; known: \(names.joined(separator: ", "))"
  }

  func failure(_ message: String, at start: Int? = nil) -> RuleError {
    RuleError(column: (start ?? position) + 1, message: message)
  }
}

/// The names of metrics and statistics in rules.
enum RuleNames {
  /// The short names of metrics, as in `Metric.definition`. Rules accept the keys of jsonl and csv too.
  static let metrics: [(name: String, subject: Rule.Subject)] =
    [("mem", .leadingMemory)]
    + Metric.allCases.compactMap { metric in
      metric.definition.ruleName.map { ("\($0)", .metric(metric)) }
    }

  static let statistics = ["growth", "peak", "min", "mean", "median", "p95", "p99"]

  /// Lower case, with hyphens.
  static func folded(_ word: String) -> String {
    String(word.lowercased().map { $0 == "_" ? "-" : $0 })
  }

  static func subject(_ name: String) -> Rule.Subject? {
    if name == "memory" { return .leadingMemory }
    if let found = metrics.first(where: { $0.name == name }) { return found.subject }
    return Metric.allCases.first { folded("\($0.key)") == name }.map { .metric($0) }
  }

  static func statistic(_ name: String) -> Rule.Statistic? {
    switch name {
    case "growth": .growth
    case "peak", "max": .peak
    case "min": .least
    case "mean", "avg": .mean
    case "median": .percentile(50)
    default:
      if name.first == "p", let percent = Double(name.dropFirst()), percent > 0, percent < 100 {
        .percentile(percent)
      } else {
        nil
      }
    }
  }

  /// Whether the user may have meant a statistic.
  static func isNear(_ name: String) -> Bool { NearestName.of(name, among: statistics) != nil }
}

/// The units that a threshold may have.
package struct RuleUnits {
  private let units: [(name: String, scale: Double)]

  private static let bytes: [(name: String, scale: Double)] = [
    ("B", 1), ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
    ("TiB", 1_099_511_627_776), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12),
  ]

  init(_ unit: Unit, isGrowth: Bool) {
    let plain: [(name: String, scale: Double)] =
      switch unit {
      case .percent: [("%", 1)]
      case .bytes: RuleUnits.bytes
      case .count: [("", 1)]
      case .perSecond: [("", 1), ("/s", 1)]
      case .bytesPerSecond: RuleUnits.bytes.map { ($0.name + "/s", $0.scale) }
      case .framesPerSecond: [("", 1), ("fps", 1), ("/s", 1)]
      case .milliseconds: [("ms", 1), ("us", 1e-3), ("s", 1e3)]
      case .millisecondsPerSecond: [("ms/s", 1)]
      case .seconds: [("s", 1), ("ms", 1e-3), ("m", 60), ("h", 3600), ("us", 1e-6)]
      }
    guard isGrowth else {
      // A share is always in percent, so the sign may be left out.
      units = unit == .percent ? plain + [("", 1)] : plain
      return
    }
    units = plain.flatMap { entry in
      [("/s", 1.0), ("/min", 1.0 / 60), ("/h", 1.0 / 3600)].map {
        (entry.name + $0.0, entry.scale * $0.1)
      }
    }
  }

  /// Bytes, or bytes a visit.
  static let bytesPerVisit = RuleUnits(
    bytes.map { ($0.name + "/visit", $0.scale) } + bytes)

  private init(_ units: [(name: String, scale: Double)]) { self.units = units }

  /// A number of bytes, as rules have it: `64MiB`, `1.5 GB`.
  ///
  /// - Returns: `nil` if the text is not a number of bytes, or is more than an exbibyte.
  package static func bytes(_ text: String) -> UInt64? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard let value = Double(digits), let scale = RuleUnits(bytes).scale(of: String(unit)),
      value * scale <= 1_152_921_504_606_846_976
    else { return nil }
    return UInt64(value * scale)
  }

  /// The factor from the named unit to the unit of the metric; case does not matter.
  func scale(of name: String) -> Double? {
    if let exact = units.first(where: { $0.name == name }) { return exact.scale }
    return units.first { $0.name.lowercased() == name.lowercased() }?.scale
  }

  /// The usual unit names, for an error.
  var names: String {
    let names = units.map(\.name).filter { !$0.isEmpty }
    return names.isEmpty ? "whole numbers" : names.prefix(4).joined(separator: ", ")
  }
}
