import Metrics
import PerfHUDBase
import PerfHUDEvents

/// A fact: its label, its value, and whether it needs attention.
struct Fact: Equatable {
  var name: String
  var value: String
  var isWarning = false
}

/// A table of text; `isNumber` says which columns contain numbers.
struct ReportTable: Equatable {
  var title: String
  var columns: [String]
  var isNumber: [Bool]
  var rows: [[String]]
  /// The highlighted rows.
  var marked: Set<Int> = []
}

extension RunReport {
  /// The verdict, most important first: what grows, which budget fails, the peak, whether the run can be trusted.
  package var verdict: [String] {
    var sentences: [String] = []
    if budgets.fails, let text = budgetSentence { sentences.append(text) }
    let growing = summary.phases.ranking.filter { summary.phases.verdict($0).isGrowth }
    for index in growing.prefix(3) {
      sentences.append("\(ReportText.name(summary.phases[index].name)) \(verdictText(index)).")
    }
    if growing.isEmpty, summary.phases.ranking.contains(where: { isJudged($0) }) {
      let growth = summary.phases.unexplainedGrowth
      sentences.append(
        growth > 0
          ? "The process grew by \(ReportText.bytes(growth)); which phase keeps that is not known."
          : "No phase keeps memory.")
    }
    if !budgets.fails, let text = budgetSentence { sentences.append(text) }
    if run.alerts.raisedCount > 0 {
      sentences.append("\(ReportText.count(run.alerts.raisedCount, "alert")) raised.")
    }
    if let peak = summary.peakBytes {
      let phase = peakPhase.map { " in \(ReportText.name($0))" } ?? ""
      sentences.append("Peak \(summary.peakBound)\(ReportText.bytes(peak))\(phase).")
    } else if let peakResident {
      sentences.append("Peak RSS \(peakResident).")
    }
    if summary.limit.killed > 0 {
      let text = summary.limit.killedText(.english)
      sentences.append("\(text.prefix(1).uppercased())\(text.dropFirst()).")
    }
    switch summary.end?.status {
    case .exited(let code) where code != 0:
      sentences.append("The command ended with status \(code).")
    case .signaled(let number): sentences.append("The command was ended by signal \(number).")
    default: break
    }
    sentences += doubts
    return sentences.isEmpty ? ["It ran for \(ReportText.seconds(seconds))."] : sentences
  }

  /// The peak RSS that the kernel counted; samples may have missed it.
  private var peakResident: String? {
    summary.peakResident.map { ($0.isUpperBound ? "≤ " : "") + ReportText.bytes($0.bytes) }
  }

  /// The values that cannot be trusted, and why.
  private var doubts: [String] {
    var sentences: [String] = []
    let busy = timeTrust.filter(\.isWarning).map { "\($0.name) \($0.value)" }
    if !busy.isEmpty {
      let memory = summary.peakIsLowerBound ? "" : " Memory is not affected."
      sentences.append("Times and rates are uncertain: \(busy.joined(separator: ", ")).\(memory)")
    }
    if summary.peakIsLowerBound {
      sentences.append("The peak is a lower bound: memory of child processes may be missing.")
    }
    if missedSamples.isWarning {
      sentences.append("Peaks may be too low: missed samples, \(missedSamples.value).")
    }
    if summary.events.lost > 0 || summary.events.bad > 0 {
      let count = ReportText.count(summary.events.lost &+ summary.events.bad, "event")
      sentences.append("Phases and counts of actions may lack \(count).")
    }
    if damage.gaps > 0 {
      sentences.append("The recording is damaged: totals, peaks and counts may lack a part.")
    } else if damage.isCut {
      sentences.append("The recording is cut: the end of the run is not in it.")
    }
    return sentences
  }

  /// Whether only times and rates are in doubt.
  var doubtsOnlyTimes: Bool {
    timeTrust.contains(where: \.isWarning) && doubts.count == 1 && !budgets.isUndecided
  }

  private var budgetSentence: String? {
    guard !budgets.isEmpty else { return nil }
    let failing = budgets.results.filter(\.fails)
    let undecided = budgets.results.filter { $0.verdict == .inconclusive }.count
    if let first = failing.first {
      let more = failing.count > 1 ? " and \(failing.count - 1) more" : ""
      return "Budget fails: \(SafeText.clean(first.budget.source))\(more)."
    }
    return undecided > 0
      ? "No budget failed, \(undecided) inconclusive." : "No budget failed."
  }

  /// Whether something is wrong: growing memory, a budget, an alert, an exit status.
  package var hasProblem: Bool {
    if budgets.fails || run.alerts.raisedCount > 0 || summary.limit.killed > 0 { return true }
    if summary.phases.ranking.contains(where: { summary.phases.verdict($0).isGrowth }) {
      return true
    }
    switch summary.end?.status {
    case .exited(let code): return code != 0
    case .signaled: return true
    case nil: return false
    }
  }

  private func isJudged(_ index: Int) -> Bool {
    if case .unknown = summary.phases.verdict(index) { false } else { true }
  }

  func verdictText(_ index: Int) -> String {
    let verdict = summary.phases.verdict(index)
    let other = verdict.otherPhase.map { summary.phases[Int($0)].name }
    let text = SafeText.clean(verdict.text(.english, other: other).description)
    guard verdict.mayBeAllocator, !summary.phases.visits(index).reportAllocatorMemory else {
      return text
    }
    return "\(text) (\(Word.verdictAllocator.text(.english)))"
  }

  /// The facts of the run and of the machine.
  var facts: [Fact] {
    var facts = [
      Fact(name: "Command", value: title), Fact(name: "Recording", value: file),
      Fact(name: "Start", value: startText),
      Fact(name: "Duration", value: ReportText.seconds(seconds)),
    ]
    switch summary.end?.status {
    case .exited(let code):
      facts.append(Fact(name: "Exit status", value: "\(code)", isWarning: code != 0))
    case .signaled(let number):
      facts.append(Fact(name: "Ended by signal", value: "\(number)", isWarning: true))
    case nil: break
    }
    if let cpu = summary.cpuSeconds {
      let bound = summary.cpuIsLowerBound ? "≥ " : ""
      let share = summary.cpuPercent.map { ", \(ReportText.percent($0)) of one core" } ?? ""
      facts.append(Fact(name: "CPU time", value: bound + ReportText.seconds(cpu) + share))
    }
    if let peak = summary.peakBytes {
      facts.append(
        Fact(name: "Peak \(memoryName)", value: summary.peakBound + ReportText.bytes(peak)))
    }
    if let peakResident { facts.append(Fact(name: "Peak RSS, counted", value: peakResident)) }
    if summary.limit.killed > 0 {
      facts.append(
        Fact(
          name: "Memory limit", value: summary.limit.killedText(.english), isWarning: true))
    }
    if let bytes = summary.bytesRead {
      facts.append(Fact(name: "Read from storage", value: ReportText.bytes(bytes)))
    }
    if let bytes = summary.bytesWritten {
      facts.append(Fact(name: "Written to storage", value: ReportText.bytes(bytes)))
    }
    let interval = Double(run.header.interval) * 1e-6
    facts += [
      Fact(name: "Interval", value: "\(ReportText.number(interval, decimals: 0)) ms"),
      Fact(
        name: "Target",
        value: run.header.isCgroup
          ? "cgroup" : run.header.includesChildren ? "process tree" : "one process"),
      Fact(name: "Kernel", value: SafeText.clean(host.kernel, limit: 120)),
      Fact(name: "Processors", value: "\(host.processors)"),
      Fact(name: "perfhud", value: SafeText.clean(host.version, limit: 40)),
    ]
    return facts
  }

  /// Whether there are reasons not to trust the values.
  package var trustIsWarning: Bool { trust.contains(where: \.isWarning) }

  /// What disturbs times and rates but not memory.
  private var timeTrust: [Fact] {
    let found = budgets.disturbance
    let othersAreBusy = (found.othersPercent ?? 100) >= Disturbance.leastOthers
    func share(_ name: String, _ value: Double?, least: Double, counts: Bool = true) -> Fact {
      guard let value else { return Fact(name: name, value: "not known") }
      return Fact(name: name, value: ReportText.percent(value), isWarning: counts && value >= least)
    }
    return [
      share("CPU wait", found.cpuWaitPercent, least: Disturbance.leastWait, counts: othersAreBusy),
      share(
        "CPU pressure", found.cpuPressurePercent, least: Disturbance.leastPressure,
        counts: othersAreBusy),
      share("Throttled by a quota", found.throttledPercent, least: Disturbance.leastThrottled),
      share("Other programs", found.othersPercent, least: .infinity),
    ]
  }

  private var missedSamples: Fact {
    let found = budgets.disturbance
    let missed = ReportText.number(found.missedSamples, decimals: 0)
    let missedShare = found.missedPercent.map { " (\(ReportText.percent($0)))" } ?? ""
    return Fact(
      name: "Missed samples", value: missed + missedShare,
      isWarning: found.missedSamples >= Disturbance.leastMissedSamples
        && (found.missedPercent ?? 0) >= Disturbance.leastMissed)
  }

  var trust: [Fact] {
    var facts = timeTrust + [missedSamples]
    facts.append(
      Fact(name: "Lost events", value: "\(summary.events.lost)", isWarning: summary.events.lost > 0)
    )
    if summary.events.bad > 0 {
      facts.append(
        Fact(name: "Events not understood", value: "\(summary.events.bad)", isWarning: true))
    }
    facts.append(
      Fact(name: "Gaps in the file", value: "\(damage.gaps)", isWarning: damage.gaps > 0))
    facts.append(
      Fact(
        name: "End of the file",
        value: damage.isCut ? "missing: the recording was cut" : "complete",
        isWarning: damage.isCut))
    return facts
  }

  // MARK: Tables

  var phaseTable: ReportTable {
    var table = ReportTable(
      title: "Phases",
      columns: ["Phase", "Visits", "Time", "Entered last", "Peak", "Kept", "Spread", "Verdict"],
      isNumber: [false, true, true, true, true, true, true, false], rows: [])
    for index in summary.phases.ranking {
      let phase = summary.phases[index]
      let visits = summary.phases.visits(index)
      let kept = visits.filter { $0.hasSettled && !$0.isWarmUp }.compactMap(\.keptBytes)
      let letter = series.phaseNames.firstIndex(of: phase.name).map { PhaseLetter.text($0) + " " }
      let entered = visits.last?.enteredBytes
      let isLeast = summary.phases.visitsAreLowerBound(index)
      let peakBound = summary.phases.peakIsLowerBound(index) ? "≥ " : ""
      if summary.phases.verdict(index).isGrowth { table.marked.insert(table.rows.count) }
      table.rows.append([
        (letter ?? "") + ReportText.name(phase.name), "\(isLeast ? "≥ " : "")\(phase.visits)",
        (isLeast ? "about " : "")
          + ReportText.seconds(summary.phases.seconds(index, asOf: end)),
        entered.map(ReportText.bytes) ?? "–",
        phase.peakBytes.map { peakBound + ReportText.bytes($0) } ?? "–",
        phase.settledVisits > 0 ? ReportText.bytes(phase.keptBytes) : "–",
        spread(kept), verdictText(index),
      ])
    }
    return table
  }

  /// The range from the least to the greatest memory kept by a visit.
  private func spread(_ values: [Double]) -> String {
    guard values.count > 1, let least = values.min(), let most = values.max() else { return "–" }
    return "\(ReportText.bytes(least)) to \(ReportText.bytes(most))"
  }

  /// The most frequent actions.
  var actionTable: ReportTable {
    var table = ReportTable(
      title: "Actions", columns: ["Action", "Count", "Peak rate", "HIGH", "Slow frames"],
      isNumber: [false, true, true, true, true], rows: [])
    for index in run.actions.ranking.prefix(20) {
      let action = run.actions.totals(index, asOf: end)
      if action.timesHigh > 0 { table.marked.insert(table.rows.count) }
      table.rows.append([
        ReportText.name(action.name), "\(action.isExact ? "" : "≥ ")\(action.count)",
        "\(ReportText.number(action.peakRate, decimals: action.peakRate < 10 ? 1 : 0))/s",
        action.timesHigh > 0 ? "\(action.timesHigh)×" : "–", "\(action.slowFrames)",
      ])
    }
    return table
  }

  var budgetTable: ReportTable {
    var table = ReportTable(
      title: "Budgets", columns: ["Budget", "Verdict"], isNumber: [false, false], rows: [])
    for result in budgets.results {
      if result.verdict != .holds { table.marked.insert(table.rows.count) }
      table.rows.append([SafeText.clean(result.budget.source), result.text(.english)])
    }
    return table
  }

  var alertTable: ReportTable {
    var table = ReportTable(
      title: "Alerts", columns: ["Rule", "Raised", "First", "Last", "Worst value"],
      isNumber: [false, true, true, true, true], rows: [])
    for tracker in run.alerts.trackers {
      func time(_ instant: Instant?) -> String {
        instant.map { ReportText.seconds($0.seconds(since: run.header.start)) } ?? "–"
      }
      if tracker.count > 0 { table.marked.insert(table.rows.count) }
      table.rows.append([
        SafeText.clean(tracker.rule.text), "\(tracker.count)×", time(tracker.first),
        time(tracker.last),
        tracker.worst.map { "\(tracker.rule.formatted($0).trimmed)" } ?? "–",
      ])
    }
    return table
  }

  /// The tables that are not empty.
  var tables: [ReportTable] {
    [budgetTable, alertTable, phaseTable, actionTable].filter { !$0.rows.isEmpty }
  }

  /// The statistics of frame times, or of the times from keys to frames.
  ///
  /// - Parameter isBound: whether frames are missing, so that rates are too low and times too long.
  static func metrics(_ times: FrameHistogram, rates: Bool, isBound: Bool = false) -> [Fact] {
    var facts: [Fact] = []
    let (least, most) = isBound ? ("≥ ", "≤ ") : ("", "")
    func add(_ name: String, _ percent: Double) {
      if let value = times.milliseconds(percentile: percent) {
        facts.append(Fact(name: name, value: most + ReportText.milliseconds(value)))
      }
    }
    // A rate over a few frame times means nothing, as in the summary.
    let isEnough = !rates || times.timed >= RunSummary.frameTimesForRate
    if isEnough { add("p50", 50) }
    if !rates { add("p95", 95) }
    if isEnough { add("p99", 99) }
    if rates, isEnough, let low = times.onePercentLow {
      facts.append(
        Fact(name: "1 % low", value: "\(least)\(ReportText.number(low, decimals: 1)) FPS"))
    }
    if rates, isEnough, let mean = times.meanRate {
      facts.append(
        Fact(name: "Mean", value: "\(least)\(ReportText.number(mean, decimals: 1)) FPS"))
    }
    add("Longest", 100)
    facts.append(
      Fact(
        name: rates ? "Frames" : "Answers", value: "\(least)\(rates ? times.frames : times.timed)")
    )
    return facts
  }
}

/// Letters for phases in graphs and tables, which identify a phase without color.
enum PhaseLetter {
  /// A to Z, then a to z, then numbers.
  static func text(_ index: Int) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    return index < letters.count ? String(letters[index]) : "\(index + 1)"
  }
}
