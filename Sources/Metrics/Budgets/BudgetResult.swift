import PerfHUDBase
import PerfHUDEvents

/// What a run says of a budget.
package struct BudgetResult: Sendable {
  package enum Verdict: String, Sendable {
    case holds, fails
    /// It cannot be told: the machine was disturbed, or a part of the value is not known.
    case inconclusive
  }

  /// What is known of a value beside the measured one.
  package enum Bound: Sendable {
    case exact
    /// The value is at least, or at most, the measured one.
    case atLeast, atMost
  }

  /// Why there is no value, or why it does not decide.
  package enum Reason: Sendable {
    case disturbed(Disturbance.Cause, percent: Double)
    /// A part of the value is not known.
    case bound
    /// Another phase may keep the memory; `nil`: one of several.
    case otherPhase(Event.Name?)
    /// The metric was not available.
    case absent(Word)
    /// What is needed, and what there was.
    case tooFew(Need, count: Int, needed: Int)
    case noPhase, noAction
  }

  /// What a figure is made from.
  package enum Need: Sendable {
    case samples, frames, answers
    /// Visits to a phase after the first one.
    case visits
  }

  package let budget: Budget
  package let verdict: Verdict
  /// In the unit of the figure; `nil` without data.
  package let value: Double?
  package let bound: Bound
  /// The phase or action whose value it is, where the budget is for all.
  package let name: Event.Name?
  package let reason: Reason?

  /// Whether it decides about the exit status.
  package var fails: Bool { verdict == .fails && !budget.isWarning }
  package var isUndecided: Bool { verdict == .inconclusive && !budget.isWarning }
}

/// What was measured for a budget.
struct BudgetFinding {
  var value: Double?
  var bound = BudgetResult.Bound.exact
  var name: Event.Name?
  /// Why there is no value, or why it is not certain whose it is.
  var reason: BudgetResult.Reason?

  static func none(_ reason: BudgetResult.Reason) -> BudgetFinding {
    BudgetFinding(value: nil, reason: reason)
  }
}

extension Budget {
  /// A value that is only a lower bound keeps an upper limit up to this share of it. Beyond, what is not known may
  /// be what is too much.
  package static let certainShare = 0.5

  /// Decides. Pure.
  ///
  /// - Without a value it fails, unless the budget is optional.
  /// - A value that was disturbed in the direction in which it misses is inconclusive. So is one that keeps the
  ///   limit, but might not have kept it undisturbed: a rate that a busy machine has held down.
  /// - A lower bound decides only what it can: see `certainShare`.
  func judge(_ finding: BudgetFinding, _ disturbance: Disturbance) -> BudgetResult {
    func result(
      _ verdict: BudgetResult.Verdict, _ reason: BudgetResult.Reason? = nil
    ) -> BudgetResult {
      BudgetResult(
        budget: self, verdict: verdict, value: finding.value, bound: finding.bound,
        name: finding.name, reason: reason)
    }
    guard let value = finding.value else {
      return result(isOptional ? .holds : .fails, finding.reason)
    }
    let isKept = comparison.holds(value, limit)
    let isUpper = !comparison.isUpward
    switch (finding.bound, isUpper, isKept) {
    // The true value is greater: it misses an upper limit, or keeps a lower one, even more.
    case (.atLeast, true, true):
      guard comparison.holds(value, limit * Budget.certainShare) else {
        return result(.inconclusive, .bound)
      }
    case (.atLeast, false, false): return result(.inconclusive, .bound)
    case (.atMost, true, false), (.atMost, false, true): return result(.inconclusive, .bound)
    default: break
    }
    if !isKept, let reason = finding.reason { return result(.inconclusive, reason) }
    guard let worst = disturbance.worst else { return result(isKept ? .holds : .fails) }
    let effect = figure.disturbance
    let isDisturbed: Bool
    if !isKept {
      isDisturbed = effect.contains(isUpper ? .raises : .lowers)
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
    return result(isKept ? .holds : .fails)
  }
}
