import Base
import Events
import Metrics
import Terminal

// What the window of the list shows: the log, the phases, the actions.

/// What the window of the list shows.
public enum ListPage: CaseIterable, Sendable {
  /// What has happened: actions, marks, jobs, what perfhud has found.
  case log
  case phases
  case actions
  /// The time of each of the last frames, as a graph.
  case frames

  var title: Word {
    switch self {
    case .log: .log
    case .phases: .phases
    case .actions: .actionsTitle
    case .frames: .frames
    }
  }
}

/// The rows of a page.
struct PageRows {
  private let run: Run
  private let state: HUDState
  private let scene: Scene
  private let columns: Int
  private let now: Instant
  private let entries: [LogEntry]
  private let phases: Ranking
  private let actions: Ranking

  private enum Kind {
    case mark, ended
    case job(Int)
    /// How many actions ago.
    case action(Int)
    case notice(Int)
  }

  private struct LogEntry {
    var time: Instant
    var kind: Kind
  }

  /// - Parameter columns: those of a row.
  init(_ run: Run, _ state: HUDState, columns: Int) {
    self.run = run
    self.state = state
    scene = Scene(run: run, row: state.shown, state: state)
    self.columns = columns
    now = run.latest?.time ?? run.header.start
    entries = state.page == .log ? PageRows.entries(of: run) : []
    phases = run.phases.ranking
    actions = run.actions.ranking
  }

  private static func entries(of run: Run) -> [LogEntry] {
    var entries = run.marks.map { LogEntry(time: $0, kind: .mark) }
    for (index, job) in run.jobs.enumerated() {
      entries.append(LogEntry(time: job.time, kind: .job(index)))
    }
    for age in 0..<run.actions.log.count {
      entries.append(LogEntry(time: run.actions.log[age].first, kind: .action(age)))
    }
    for (index, notice) in run.noticeList.all.enumerated() {
      entries.append(LogEntry(time: notice.time, kind: .notice(index)))
    }
    if let ended = run.ended { entries.append(LogEntry(time: ended, kind: .ended)) }
    return entries.sorted { $0.time < $1.time }
  }

  var count: Int {
    switch state.page {
    case .log: entries.count
    case .phases: phases.count
    case .actions: actions.count
    case .frames: 0
    }
  }

  /// A row as the list shows it.
  func pieces(_ row: Int) -> [TextPiece] {
    guard row >= 0, row < count else { return [] }
    switch state.page {
    case .log: return logPieces(entries[row])
    case .phases: return phasePieces(phases[row])
    case .actions: return actionPieces(run.actions.totals(actions[row], asOf: now))
    case .frames: return []
    }
  }

  // MARK: The log

  private func logPieces(_ entry: LogEntry) -> [TextPiece] {
    let time = TextPiece("\(clockTime(of: entry.time, run).trimmedText) ", .dim)
    switch entry.kind {
    case .mark: return [time, TextPiece("\(Word.logMark.text(state.language))", .mark)]
    case .ended: return [time, TextPiece("\(Word.ended.text(state.language))", .notice)]
    case .job(let index): return [time, TextPiece(run.jobs[index].name.text, .mark)]
    case .notice(let index):
      return [time, TextPiece(run.noticeList.all[index].text(state.language), .alert)]
    case .action(let age): return [time] + actionEntry(run.actions.log[age])
    }
  }

  private func actionEntry(_ entry: ActionLog.Entry) -> [TextPiece] {
    var pieces = [TextPiece(entry.name.text, .label)]
    if entry.count > 1 { pieces.append(TextPiece(" \(times)\(entry.count)")) }
    if let index = run.actions.index(of: entry.name) {
      let total = run.actions.totals(index, asOf: now)
      if total.isHigh, now.nanoseconds(since: entry.last) < 1_000_000_000 {
        pieces.append(TextPiece(" \(high) \(perSecond(total.rate))", .alert))
      }
    }
    if !entry.detail.isEmpty { pieces.append(TextPiece(" \(entry.detail.text)", .dim)) }
    return pieces
  }

  private var times: String { state.isASCII ? "x" : "×" }
  private var high: String { "\(Word.actionHigh.text(state.language))" }

  private func perSecond(_ rate: Double) -> String {
    var text = ShortText()
    text.append(rate, decimals: rate < 10 ? 1 : 0)
    return "\(text)/s"
  }

  // MARK: Phases

  private func phasePieces(_ index: Int) -> [TextPiece] {
    let phase = run.phases[index]
    let place = PhaseIndex(index)
    let role = scene.phaseRole(place)
    let verdict = run.phases.verdict(index)
    var pieces = [TextPiece("\(scene.phaseGlyph(place)) ", role)]
    let isWide = columns >= 72
    let name = columns >= 48 ? 16 : 10
    pieces.append(TextPiece(padded(phase.name.text, name), role))
    pieces.append(TextPiece(" \(right("\(phase.visits)", 3))\(times)"))
    if isWide {
      let seconds = run.phases.seconds(index, asOf: now)
      pieces.append(
        TextPiece(right("\(NumberFormat.duration(seconds: seconds).trimmedText)", 8), .dim))
      if let peak = phase.peakBytes {
        pieces.append(TextPiece("  \(Word.peak.text(state.language)) ", .dim))
        pieces.append(TextPiece(right(NumberFormat.bytes(peak).trimmedText, 9)))
      }
    }
    pieces.append(
      TextPiece("  \(verdict.text(state.language))", isGrowing(verdict) ? .alert : .text))
    if isWide, verdict.mayBeAllocator {
      pieces.append(TextPiece(" (\(Word.verdictAllocator.text(state.language)))", .dim))
    }
    if isWide || state.isLogFocused {
      pieces.append(TextPiece("  \(phase.origin.name)", .dim))
    }
    return pieces
  }

  private func isGrowing(_ verdict: Verdict) -> Bool {
    if case .grows = verdict { return true }
    return false
  }

  // MARK: Actions

  private func actionPieces(_ total: ActionTotal) -> [TextPiece] {
    let name = columns >= 48 ? 20 : 12
    var pieces = [TextPiece(padded(total.name.text, name), .label)]
    let count = (total.isExact ? "" : state.isASCII ? ">" : "≥") + "\(total.count)"
    pieces.append(TextPiece(" \(right(count, 7))"))
    pieces.append(TextPiece(" \(right(perSecond(total.rate), 7))", total.isHigh ? .alert : .text))
    if total.isHigh { pieces.append(TextPiece(" \(high)", .alert)) }
    guard columns >= 60 else { return pieces }
    pieces.append(TextPiece("  \(Word.peak.text(state.language)) ", .dim))
    pieces.append(TextPiece(right(perSecond(total.peakRate), 7)))
    if total.timesHigh > 0 {
      pieces.append(TextPiece("  \(high) \(total.timesHigh)\(times)", .dim))
    }
    if abs(total.memoryBytes) >= Verdict.leastNoise {
      let sign = total.memoryBytes < 0 ? "-" : "+"
      pieces.append(TextPiece("  MEM ", .dim))
      pieces.append(TextPiece(sign + NumberFormat.bytes(abs(total.memoryBytes)).trimmedText))
    }
    if total.slowFrames > 0 {
      pieces.append(TextPiece("  \(Word.slowFrames.text(state.language)) ", .dim))
      pieces.append(TextPiece("\(total.slowFrames)"))
    }
    return pieces
  }

  // MARK: Columns

  /// Cut or filled up to so many columns.
  private func padded(_ text: String, _ width: Int) -> String {
    var result = ""
    var used = 0
    let isCut = Canvas.columns(of: text) > width
    for scalar in text.unicodeScalars {
      let columns = CharacterWidth.of(scalar)
      if used + columns > width - (isCut ? 1 : 0) { break }
      result.unicodeScalars.append(scalar)
      used += columns
    }
    if isCut {
      result += state.isASCII ? "~" : "…"
      used += 1
    }
    return result + String(repeating: " ", count: max(0, width - used))
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }
}

extension Notice {
  /// What was found, in a sentence.
  func text(_ language: Language) -> String {
    let name = self.name.text
    switch kind {
    case .phaseKept:
      let kept = Verdict.kept(bytes: bytes).text(language)
      var share = ShortText()
      share.append(percent, decimals: 0)
      return "\(name): \(kept) (\(share) %)"
    case .phaseGrows: return "\(name): \(Verdict.grows(bytesPerVisit: bytes).text(language))"
    case .actionHigh:
      var rate = ShortText()
      rate.append(self.rate, decimals: 0)
      return "\(name): \(Word.actionHigh.text(language)) \(rate)/s"
    }
  }
}
