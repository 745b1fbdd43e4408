import PerfHUDBase

/// Limits that an earlier run sets: `cpu-time <= +5% of base.phr`.
extension Budget {
  /// The earlier run, and what may be added to its value.
  package struct Base: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
      /// Of the earlier value.
      case percent(Double)
      /// In the unit of the metric.
      case amount(Double)
    }

    /// The recording of the earlier run.
    package let file: String
    package let change: Change
    /// `nil` before the recording has been read, or if the recording has no value.
    package internal(set) var value: BaseValue?

    func limit(for value: Double) -> Double {
      switch change {
      case .percent(let percent): value + value.magnitude * (percent / 100)
      case .amount(let amount): value + amount
      }
    }
  }

  /// The value of the earlier run, and how certain it is.
  package struct BaseValue: Equatable, Sendable {
    package let value: Double
    package let bound: BudgetResult.Bound
    /// As in `BudgetResult`.
    let most: Double?
    let disturbance: Disturbance
  }

  /// Takes the limit from the earlier run.
  ///
  /// - Parameters:
  ///   - result: the result of this budget for the earlier run. Its verdict is ignored.
  ///   - disturbance: the disturbance of the earlier run.
  package mutating func setBase(_ result: BudgetResult, _ disturbance: Disturbance) {
    guard let base, let value = result.value else { return }
    self.base?.value = BaseValue(
      value: value, bound: result.bound, most: result.most, disturbance: disturbance)
    limit = base.limit(for: value)
  }

  /// Why the earlier run cannot decide: its true value may be one that reverses the verdict.
  ///
  /// - Parameter value: the value of this run.
  func baseReason(for value: Double) -> BudgetResult.Reason? {
    guard let base, let earlier = base.value else { return nil }
    let isKept = comparison.holds(value, limit)
    func isTurned(by other: Double) -> Bool {
      comparison.holds(value, base.limit(for: other)) != isKept
    }
    switch earlier.bound {
    case .exact: if let most = earlier.most, isTurned(by: most) { return .baseBound }
    case .atLeast: if isTurned(by: .greatestFiniteMagnitude) { return .baseBound }
    case .atMost: if isTurned(by: 0) { return .baseBound }
    }
    guard let worst = earlier.disturbance.worst else { return nil }
    let share = 1 - earlier.disturbance.lostShare
    let effect = metric.disturbance
    let isDisturbed =
      effect.contains(.raises) && isTurned(by: earlier.value * share)
      || effect.contains(.lowers) && isTurned(by: earlier.value / share)
    return isDisturbed ? .baseDisturbed(worst.cause, percent: worst.percent) : nil
  }
}

extension RuleParser {
  /// Parses a limit that an earlier run sets: `+5% of base.phr`, `-10 MiB of "my base.phr"`.
  ///
  /// - Returns: `nil` if the limit has no sign; nothing has been taken then.
  mutating func takeBase(
    _ units: RuleUnits, of name: String
  ) throws(RuleError) -> (base: Budget.Base, text: String)? {
    skipBlanks()
    guard let sign = peek, sign == "+" || sign == "-" else { return nil }
    position += 1
    let factor = sign == "-" ? -1.0 : 1.0
    let start = position
    let change: Budget.Base.Change
    let amount: String
    if let percent = takePercent() {
      guard factor * percent.value > -100 else {
        throw failure("a limit that is 100 % less or more is none", at: start)
      }
      change = .percent(factor * percent.value)
      amount = "\(percent.digits) %"
    } else {
      let limit = try takeLimit(units, of: name)
      change = .amount(factor * limit.value)
      amount = limit.unit.isEmpty ? limit.digits : "\(limit.digits) \(limit.unit)"
    }
    skipBlanks()
    let wordStart = position
    guard takeWord({ _ in false }).lowercased() == "of" else {
      throw failure("of which run? write +5% of base.phr, with a recording", at: wordStart)
    }
    let file = try takeFile()
    let isQuoted = file.contains { $0 == " " || $0 == "\t" }
    return (
      Budget.Base(file: file, change: change),
      "\(sign)\(amount) of \(isQuoted ? "\"\(file)\"" : file)"
    )
  }

  /// Throws an error that names the correct form if the limit of an earlier run lacks its sign: `5% of base.phr`.
  /// Consumes nothing.
  mutating func checkSign(_ comparison: Rule.Comparison) throws(RuleError) {
    skipBlanks()
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[min(position, scalars.count)...])
    text = SafeText.clean(text, limit: 80)
    let words = text.split { $0 == " " || $0 == "\t" }
    guard let first = text.first, ("0"..."9").contains(first),
      let of = words.firstIndex(where: { $0.lowercased() == "of" }), of <= 2
    else { return }
    var form = (comparison.isUpward ? "-" : "+") + text
    let start = position
    // 105 % of a run is 5 % more than it.
    if let percent = takePercent()?.value, (50...1000).contains(percent),
      percent.rounded() == percent
    {
      let file = words[(of + 1)...].joined(separator: " ")
      form = "\(percent < 100 ? "-" : "+")\(Int((percent - 100).magnitude))% of \(file)"
    }
    position = start
    throw failure("a limit that an earlier run sets is a change from it: write \(form)", at: start)
  }

  private mutating func takePercent() -> (value: Double, digits: String)? {
    let start = position
    let digits = takeWord { $0 == "." }
    skipBlanks()
    guard let value = Double(digits), value.isFinite, digits.utf8.count <= 18, take("%") else {
      position = start
      return nil
    }
    return (value, digits)
  }

  /// The name of a file: up to a blank, or in quotation marks.
  private mutating func takeFile() throws(RuleError) -> String {
    skipBlanks()
    let start = position
    let isQuoted = take("\"")
    var file = ""
    while let scalar = peek, isQuoted ? scalar != "\"" : scalar != " " && scalar != "\t" {
      file.unicodeScalars.append(scalar)
      position += 1
    }
    if isQuoted, !take("\"") { throw failure("a quotation mark is missing", at: start) }
    guard !file.isEmpty, file != "-" else {
      throw failure("a recording is missing after 'of', such as base.phr", at: start)
    }
    guard SafeText.clean(file) == file else {
      throw failure("the name of the recording has characters that are not printed", at: start)
    }
    return file
  }
}
