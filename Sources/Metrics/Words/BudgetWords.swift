import PerfHUDBase
import PerfHUDEvents

/// The words of budgets. Values replace each `#`, from left to right.
enum BudgetWord: CaseIterable {
  case label, holds, fails, warns, inconclusive, optional, noData, notSampled
  case cpuWait, cpuPressure, throttled, missed
  case bound, otherPhase, otherPhases
  case samples, frames, answers, visits
  case noPhase, noAction, replacedPhase
  case measured
  case base, noBase, baseBound, baseDisturbed

  func text(_ language: Language, _ values: String...) -> String {
    let parts = (language == .english ? texts.english : texts.japanese)
      .split(separator: "#", omittingEmptySubsequences: false)
    var text = String(parts[0])
    for (index, part) in parts.dropFirst().enumerated() {
      text += (index < values.count ? values[index] : "") + part
    }
    return text
  }

  private var texts: (english: String, japanese: String) {
    switch self {
    case .label: ("budget", "予算")
    case .holds: ("holds", "達成")
    case .fails: ("fails", "超過")
    case .warns: ("fails (only a warning)", "超過（警告のみ）")
    case .inconclusive: ("inconclusive", "判定不能")
    case .optional: ("optional", "任意")
    case .noData: ("no data", "データなし")
    case .notSampled: ("nothing was sampled", "サンプルなし")
    case .cpuWait: ("CPU wait # %", "CPU待ち # %")
    case .cpuPressure: ("CPU pressure # %", "CPUプレッシャー # %")
    case .throttled: ("CPU quota, throttled # %", "CPU制限による停止 # %")
    case .missed: ("missed samples # %", "欠けたサンプル # %")
    case .bound: ("a part of it is not known", "一部が不明")
    case .otherPhase: ("it or #", "または「#」")
    case .otherPhases: ("it or another phase", "または別のフェーズ")
    case .samples: ("# of # samples", "サンプル #／#")
    case .frames: ("# of # frames", "フレーム #／#")
    case .answers: ("# of # answers", "応答 #／#")
    case .visits: ("# of # visits after the first", "2回目以降の訪問 #／#")
    case .noPhase: ("no such phase", "該当フェーズなし")
    case .replacedPhase:
      ("name replaced, there is room for 64", "名前が置き換えられました（64 個まで）")
    case .noAction: ("no such action", "該当アクションなし")
    case .measured: ("measured #", "測定値 #")
    case .base: ("base #", "基準 #")
    case .noBase: ("the base has no such value", "基準に該当値なし")
    case .baseBound: ("a part of the base is not known", "基準の一部が不明")
    case .baseDisturbed: ("in the base: #", "基準側: #")
    }
  }
}

extension BudgetResult {
  /// The result as text: `holds: 48.38 MiB`, `inconclusive: CPU pressure 33 %, measured 1.234 s`.
  package func text(_ language: Language) -> String {
    "\(verdictText(language)): \(details(language))"
  }

  private func verdictText(_ language: Language) -> String {
    let word: BudgetWord =
      switch verdict {
      case .holds: .holds
      case .inconclusive: .inconclusive
      case .fails: budget.isWarning ? .warns : .fails
      }
    return word.text(language)
  }

  private func details(_ language: Language) -> String {
    var parts: [String] = []
    if value == nil {
      parts.append(BudgetWord.noData.text(language))
      if budget.isOptional { parts.append(BudgetWord.optional.text(language)) }
    }
    if let reason { parts.append(reason.text(language)) }
    if let value {
      var text = budget.text(of: value, bound)
      if let name { text += " (\(SafeText.clean(name.text)))" }
      if reason != nil { text = BudgetWord.measured.text(language, text) }
      if budget.base != nil {
        text += baseText(language)
      } else if verdict == .fails, let excess = excess(over: budget.limit) {
        text += ", \(excess)"
      }
      parts.append(text)
    }
    return parts.joined(separator: ", ")
  }

  /// How the value compares with that of the earlier run: `, +22 % (base 60.00 s)`.
  private func baseText(_ language: Language) -> String {
    guard let earlier = budget.base?.value else { return "" }
    let base = BudgetWord.base.text(language, budget.text(of: earlier.value, earlier.bound))
    return (excess(over: earlier.value, leastDecimals: 1).map { ", \($0)" } ?? "") + " (\(base))"
  }

  /// By how much the value exceeds another: `+22 %`.
  ///
  /// - Parameter leastDecimals: how a difference below 0.1 % is written.
  private func excess(over other: Double, leastDecimals: Int = 3) -> String? {
    guard let value, other > 0 else { return nil }
    let percent = 100 * (value / other - 1)
    guard percent.magnitude < 1000 else { return nil }
    var text = ShortText()
    let decimals = percent.magnitude < 0.1 ? leastDecimals : percent.magnitude < 10 ? 1 : 0
    text.append(percent.magnitude, decimals: decimals)
    return "\(percent < 0 ? "-" : "+")\(text) %"
  }
}

extension Budget {
  /// A value of the metric, with its unit: `≥ 48.38 MiB`.
  fileprivate func text(of value: Double, _ bound: BudgetResult.Bound) -> String {
    var text = NumberFormat.exact(value, unit: metric.unit)
    if case .phase(_, .grows) = metric { text += "/visit" }
    return switch bound {
    case .exact: text
    case .atLeast: "≥ " + text
    case .atMost: "≤ " + text
    }
  }
}

extension BudgetResult.Reason {
  /// The reason in words: `CPU pressure 33 %`.
  package func text(_ language: Language) -> String {
    switch self {
    case .disturbed(let cause, let percent): return cause.text(language, percent: percent)
    case .baseDisturbed(let cause, let percent):
      return BudgetWord.baseDisturbed.text(language, cause.text(language, percent: percent))
    case .noBase: return BudgetWord.noBase.text(language)
    case .baseBound: return BudgetWord.baseBound.text(language)
    case .bound: return BudgetWord.bound.text(language)
    case .otherPhase(let name?):
      return BudgetWord.otherPhase.text(language, SafeText.clean(name.text))
    case .otherPhase(nil): return BudgetWord.otherPhases.text(language)
    case .absent(.absentPending), .absent(.absentEnded): return BudgetWord.notSampled.text(language)
    case .absent(let word): return "\(word.text(language))"
    case .tooFew(let need, let count, let needed):
      let word: BudgetWord =
        switch need {
        case .samples: .samples
        case .frames: .frames
        case .answers: .answers
        case .visits: .visits
        }
      return word.text(language, "\(count)", "\(needed)")
    case .noPhase: return BudgetWord.noPhase.text(language)
    case .replacedPhase: return BudgetWord.replacedPhase.text(language)
    case .noAction: return BudgetWord.noAction.text(language)
    }
  }
}

extension Disturbance.Cause {
  /// The cause in words: `CPU pressure 33 %`.
  fileprivate func text(_ language: Language, percent: Double) -> String {
    var number = ShortText()
    number.append(percent, decimals: percent < 10 ? 1 : 0)
    let word: BudgetWord =
      switch self {
      case .cpuWait: .cpuWait
      case .cpuPressure: .cpuPressure
      case .throttled: .throttled
      case .missedSamples: .missed
      }
    return word.text(language, "\(number)")
  }
}

extension NumberFormat {
  /// A value with its unit, with more digits than fit on the screen: times to the millisecond, rates to a tenth.
  static func exact(_ value: Double, unit: Unit) -> String {
    func number(_ value: Double, _ decimals: Int) -> String {
      var text = ShortText()
      text.append(value, decimals: decimals)
      return text.description
    }
    return switch unit {
    case .seconds: number(value, value < 10 ? 3 : 2) + " s"
    case .framesPerSecond: number(value, 1) + " FPS"
    case .perSecond: number(value, 1) + "/s"
    case .millisecondsPerSecond: number(value, 2) + " ms/s"
    case .count: number(value, 0)
    case .percent, .bytes, .bytesPerSecond, .milliseconds:
      trimmed(value, unit: unit).description
    }
  }
}
