import PerfHUDBase
import PerfHUDEvents

/// The result of a budget for a run.
package struct BudgetResult: Sendable {
  package enum Verdict: String, Sendable {
    case holds, fails
    /// No decision is possible: the machine was disturbed, or part of the value is unknown.
    case inconclusive
  }

  /// Whether the measured value is exact or a bound.
  package enum Bound: Sendable {
    case exact
    /// The true value is at least, or at most, the measured one.
    case atLeast, atMost
  }

  /// Why there is no value, or why the value cannot decide.
  package enum Reason: Sendable {
    case disturbed(Disturbance.Cause, percent: Double)
    /// Part of the value is unknown.
    case bound
    /// Another phase may keep the memory; `nil` if it is one of several.
    case otherPhase(Event.Name?)
    /// The metric was not available.
    case absent(Word)
    /// How many are needed, and how many there were.
    case tooFew(Need, count: Int, needed: Int)
    case noPhase, noAction
    /// The name of the phase was replaced because there were too many.
    case replacedPhase
    /// The earlier run has no value, or not all of it is known, or its machine was disturbed.
    case noBase, baseBound
    case baseDisturbed(Disturbance.Cause, percent: Double)
  }

  /// What a value is computed from.
  package enum Need: Sendable {
    case samples, frames, answers
    /// Visits to a phase after the first one.
    case visits
  }

  package let budget: Budget
  package let verdict: Verdict
  /// In the unit of the metric; `nil` without data.
  package let value: Double?
  package let bound: Bound
  /// The greatest possible true value; `nil` if unknown, or if `bound` says all.
  let most: Double?
  /// The phase or action with this value, if the budget is for all of them.
  package let name: Event.Name?
  package let reason: Reason?

  /// Whether it affects the exit status.
  package var fails: Bool { verdict == .fails && !budget.isWarning }
  package var isUndecided: Bool { verdict == .inconclusive && !budget.isWarning }
}

/// What was measured for a budget.
struct BudgetFinding {
  var value: Double?
  var bound = BudgetResult.Bound.exact
  var name: Event.Name?
  /// The greatest possible true value of a lower bound, or of a value that passes as exact except near its limit; `nil`
  /// if unknown.
  var most: Double?
  /// Why there is no value, or why it may belong to another phase.
  var reason: BudgetResult.Reason?

  static func none(_ reason: BudgetResult.Reason) -> BudgetFinding {
    BudgetFinding(value: nil, reason: reason)
  }
}

extension Budget {
  /// A lower bound passes an upper limit only if it is at most this share of the limit. Above that, the unknown part of
  /// the value could exceed the limit.
  package static let certainShare = 0.5

  /// Judges the finding. Pure.
  ///
  /// - Without a value it fails, unless the budget is optional.
  /// - A value that misses the limit is inconclusive if the disturbance pushed it in that direction. A wall time is
  ///   inconclusive only if the disturbance can explain all of the excess, given the most that the program can have
  ///   waited, if that is known.
  /// - A value that keeps the limit is inconclusive if it might have missed it undisturbed, such as a rate that a busy
  ///   machine held down.
  /// - A lower bound decides only what it can: see `certainShare`.
  /// - An exact value with a greatest possible value decides nothing if the limit is between the two.
  /// - A limit set by an earlier run decides nothing if that run's true value could reverse the verdict.
  func judge(_ finding: BudgetFinding, _ disturbance: Disturbance) -> BudgetResult {
    func result(
      _ verdict: BudgetResult.Verdict, _ reason: BudgetResult.Reason? = nil,
      bound: BudgetResult.Bound? = nil
    ) -> BudgetResult {
      BudgetResult(
        budget: self, verdict: verdict, value: finding.value, bound: bound ?? finding.bound,
        most: finding.most, name: finding.name, reason: reason)
    }
    guard let value = finding.value else {
      return result(isOptional ? .holds : .fails, finding.reason)
    }
    if base != nil, base?.value == nil { return result(isOptional ? .holds : .fails, .noBase) }
    let isKept = comparison.holds(value, limit)
    let isUpper = !comparison.isUpward
    switch (finding.bound, isUpper, isKept) {
    // The true value is greater, so it misses an upper limit, or keeps a lower limit, all the more.
    case (.atLeast, true, true):
      let isCertain =
        finding.most.map { comparison.holds($0, limit) }
        ?? comparison.holds(value, limit * Budget.certainShare)
      guard isCertain else { return result(.inconclusive, finding.reason ?? .bound) }
    case (.atLeast, false, false): return result(.inconclusive, .bound)
    case (.exact, true, true), (.exact, false, false):
      if let most = finding.most, comparison.holds(most, limit) != isKept {
        return result(.inconclusive, .bound, bound: .atLeast)
      }
    case (.atMost, true, false), (.atMost, false, true): return result(.inconclusive, .bound)
    default: break
    }
    if !isKept, let reason = finding.reason { return result(.inconclusive, reason) }
    func certain(_ isKept: Bool) -> BudgetResult {
      if let reason = baseReason(for: value) { return result(.inconclusive, reason) }
      return result(isKept ? .holds : .fails)
    }
    guard let worst = disturbance.worst else { return certain(isKept) }
    let effect = metric.disturbance
    let isDisturbed: Bool
    if !isKept {
      let mayHold =
        metric != .wall || !isUpper || comparison.holds(disturbance.least(of: value), limit)
      isDisturbed = effect.contains(isUpper ? .raises : .lowers) && mayHold
    } else {
      let share = 1 - disturbance.lostShare
      isDisturbed =
        isUpper
        ? effect.contains(.lowers) && !comparison.holds(value / share, limit)
        : effect.contains(.raises) && !comparison.holds(value * share, limit)
    }
    if isDisturbed {
      return result(.inconclusive, .disturbed(worst.cause, percent: worst.percent))
    }
    return certain(isKept)
  }
}
