import Base
import Events
import Metrics
import Sampler
import Terminal

// What the window of the list shows: the log, the phases, the actions; processes: Processes.swift.

/// What the window of the list shows.
public enum ListPage: CaseIterable, Sendable {
  /// What has happened: actions, marks, jobs, what perfhud has found.
  case log
  case phases
  case actions
  /// The time of each of the last frames, as a graph.
  case frames
  /// The target and its descendants.
  case processes
  case threads
  /// What holds the program back.
  case slow
  /// The rules that are watched and what has become of them.
  case alerts

  var title: Word {
    switch self {
    case .log: .log
    case .phases: .phases
    case .actions: .actionsTitle
    case .frames: .frames
    case .processes: .processes
    case .threads: .threads
    case .slow: .whySlow
    case .alerts: .alerts
    }
  }
}

/// The rows of a page.
struct PageRows {
  private let run: Run
  let state: HUDState
  let scene: Scene
  let columns: Int
  private let now: Instant
  private let entries: [LogEntry]
  private let phases: Ranking
  private let actions: Ranking
  let listing: ProcessListing
  private let slow: SlowReasons?

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
    let kind: ProcessTableRequest.Kind? =
      state.page == .processes ? .processes : state.page == .threads ? .threads : nil
    let table = run.processes.flatMap { $0.request.kind == kind ? $0 : nil }
    listing = ProcessListing(
      table, by: state.page == .processes ? state.processOrder : .cpu, isTree: state.isProcessTree)
    slow = state.page == .slow ? state.shown.map { SlowReasons($0) } : nil
  }

  private static func entries(of run: Run) -> [LogEntry] {
    var entries = run.marks.map { LogEntry(time: $0, kind: .mark) }
    for (index, job) in run.jobs.enumerated() {
      entries.append(LogEntry(time: job.time, kind: .job(index)))
    }
    // Of what happened at the same time the first that was told comes first.
    for age in (0..<run.actions.log.count).reversed() {
      entries.append(LogEntry(time: run.actions.log[age].first, kind: .action(age)))
    }
    for (index, notice) in run.noticeList.all.enumerated() where notice.kind != .restarted {
      entries.append(LogEntry(time: notice.time, kind: .notice(index)))
    }
    if let ended = run.ended { entries.append(LogEntry(time: ended, kind: .ended)) }
    return entries.sorted { $0.time < $1.time }
  }

  var count: Int {
    switch state.page {
    case .log: entries.count
    case .phases: phases.count
    // What the program says of itself in figures stands below what it does.
    case .actions: actions.count + run.values.all.count
    case .frames: 0
    case .processes, .threads: listing.count
    case .slow: slow.map { $0.reasons.count + 1 } ?? 0
    case .alerts: run.alerts.trackers.count
    }
  }

  /// A row as the list shows it.
  func pieces(_ row: Int) -> [TextPiece] {
    guard row >= 0, row < count else { return [] }
    switch state.page {
    case .log: return logPieces(entries[row])
    case .phases: return phasePieces(phases[row])
    case .actions:
      guard row >= actions.count else {
        return actionPieces(run.actions.totals(actions[row], asOf: now))
      }
      return valuePieces(run.values.all[row - actions.count])
    case .frames: return []
    case .processes, .threads: return listingPieces(row)
    case .slow: return slow.map { slowPieces(row, $0, scene, columns: columns) } ?? []
    case .alerts:
      return AlertRow(run, columns: columns, isASCII: state.isASCII, state.language).pieces(row)
    }
  }

  // MARK: The log

  private func logPieces(_ entry: LogEntry) -> [TextPiece] {
    let time = TextPiece("\(clockTime(of: entry.time, run).trimmedText) ", .dim)
    switch entry.kind {
    case .mark: return [time, TextPiece("\(Word.logMark.text(state.language))", .mark)]
    case .ended: return [time, TextPiece("\(Word.ended.text(state.language))", .notice)]
    case .job(let index):
      let job = run.jobs[index]
      let again = job.isRestart ? " \(Word.restarted.text(state.language))" : ""
      return [time, TextPiece(job.name.text + again, .mark)]
    case .notice(let index): return [time] + noticePieces(run.noticeList.all[index], behind: time)
    case .action(let age): return [time] + actionEntry(run.actions.log[age])
    }
  }

  /// A name is cut before a figure is.
  private func noticePieces(_ notice: Notice, behind time: TextPiece) -> [TextPiece] {
    let room = columns - Canvas.columns(of: time.text)
    let whole = notice.text(state.language) + notice.times(isASCII: state.isASCII)
    guard Canvas.columns(of: whole) > room else { return [TextPiece(whole, .alert)] }
    let short = notice.finding(state.language, isShort: true)
    guard !notice.name.isEmpty else { return [TextPiece(short, .alert)] }
    let name = min(
      Canvas.columns(of: notice.name.text), max(4, room - Canvas.columns(of: short) - 2))
    return [TextPiece("\(padded(notice.name.text, name)): \(short)", .alert)]
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

  /// From so many columns on a page has all its figures.
  static let wideColumns = 72
  /// Columns of the longest verdict, so that what stands behind it is in one column.
  private var verdictColumns: Int {
    Canvas.columns(of: Verdict.grows(bytesPerVisit: 1_048_576).text(state.language).description)
  }

  private func phasePieces(_ index: Int) -> [TextPiece] {
    let phase = run.phases[index]
    let place = PhaseIndex(index)
    let role = scene.phaseRole(place)
    let verdict = run.phases.verdict(index)
    let isWide = columns >= PageRows.wideColumns
    // Where there is little room it is what the shortest form of a verdict leaves.
    let name = isWide ? (columns < 96 ? 14 : 20) : max(6, min(16, columns - 24))
    var pieces = [TextPiece("\(scene.phaseGlyph(place)) ", role)]
    pieces.append(TextPiece(padded(phase.name.text, name), role))
    // What the visits have come to says more than how many there were.
    if columns >= 30 { pieces.append(TextPiece(" \(right("\(phase.visits)", 3))\(times)")) }
    if isWide {
      let seconds = run.phases.seconds(index, asOf: now)
      pieces.append(
        TextPiece(right("\(NumberFormat.duration(seconds: seconds).trimmedText)", 7), .dim))
      let peak = phase.peakBytes.map { NumberFormat.bytes($0).trimmedText } ?? "-"
      pieces.append(TextPiece(" \(Word.peak.text(state.language)) ", .dim))
      pieces.append(TextPiece(right(peak, NumberFormat.bytesWidth)))
    }
    let gap = columns >= 48 ? "  " : " "
    let said = shortened(verdict, room: columns - width(of: pieces) - gap.count)
    pieces.append(TextPiece(gap + said, isGrowing(verdict) ? .alert : .text))
    guard isWide else { return pieces }
    let padding = String(
      repeating: " ", count: max(0, verdictColumns - Canvas.columns(of: said)))
    if !append([TextPiece("\(padding)  \(phase.origin.name)", .dim)], to: &pieces) {
      append([TextPiece("  \(phase.origin.name)", .dim)], to: &pieces)
    }
    if verdict.mayBeAllocator, !run.phases.visits(index).tellAllocator {
      append([TextPiece("  (\(Word.verdictAllocator.text(state.language)))", .dim)], to: &pieces)
    }
    return pieces
  }

  /// The longest form of a verdict that fits: a figure without its unit says nothing.
  private func shortened(_ verdict: Verdict, room: Int) -> String {
    let long = verdict.text(state.language).description
    if Canvas.columns(of: long) <= room { return long }
    let short = verdict.shortText(state.language).description
    if Canvas.columns(of: short) <= room { return short }
    if case .grows(let bytes) = verdict { return "+\(NumberFormat.bytes(bytes).trimmedText)" }
    return short
  }

  private func isGrowing(_ verdict: Verdict) -> Bool {
    if case .grows = verdict { return true }
    return false
  }

  // MARK: Actions

  private func actionPieces(_ total: ActionTotal) -> [TextPiece] {
    let isWide = columns >= PageRows.wideColumns
    let name = columns >= 100 ? 20 : columns >= 48 ? 15 : max(6, min(15, columns - 21))
    var pieces = [TextPiece(padded(total.name.text, name), .label)]
    let count = (total.isExact ? "" : state.isASCII ? ">" : "≥") + "\(total.count)"
    pieces.append(TextPiece(" \(right(count, 7))"))
    pieces.append(TextPiece(" \(right(perSecond(total.rate), 7))", total.isHigh ? .alert : .text))
    let isHigh = total.isHigh ? high : String(repeating: " ", count: high.utf8.count)
    if total.isHigh || columns >= 52 { append([TextPiece(" \(isHigh)", .alert)], to: &pieces) }
    append(
      [
        TextPiece("  \(Word.peak.text(state.language)) ", .dim),
        TextPiece(right(perSecond(total.peakRate), 7)),
      ], to: &pieces)
    guard isWide else { return pieces }
    // What did not happen leaves its place empty, so that each figure has a column.
    let change = abs(total.memoryBytes) >= Verdict.leastNoise ? signed(total.memoryBytes) : ""
    append(
      [
        TextPiece(change.isEmpty ? "      " : "  MEM ", .dim),
        TextPiece(right(change, NumberFormat.bytesWidth + 1)),
      ], to: &pieces)
    let often = total.timesHigh > 0 ? "\(high) \(right("\(total.timesHigh)", 3))\(times)" : ""
    append([TextPiece("  \(padded(often, 9))", .dim)], to: &pieces)
    if total.slowFrames > 0 {
      append(
        [
          TextPiece("  \(Word.slowFrames.text(state.language)) ", .dim),
          TextPiece("\(total.slowFrames)"),
        ], to: &pieces)
    }
    return pieces
  }

  /// A figure of the program's own: the last one, and between what it was.
  private func valuePieces(_ value: ProgramValue) -> [TextPiece] {
    let name = columns >= 100 ? 20 : columns >= 48 ? 15 : max(6, min(15, columns - 21))
    let unit = value.unit.isEmpty ? "" : " \(value.unit.text)"
    var pieces = [TextPiece(padded(value.name.text, name), .label)]
    append([TextPiece(" \(right(figure(value.last), 9))\(unit)")], to: &pieces)
    for (word, extreme) in [(Word.least, value.least), (.greatest, value.greatest)] {
      append(
        [
          TextPiece("  \(word.text(state.language)) ", .dim),
          TextPiece("\(figure(extreme))\(unit)"),
        ], to: &pieces)
    }
    return pieces
  }

  private func figure(_ value: Double) -> String {
    var text = ShortText()
    text.append(value, decimals: value.magnitude < 1000 ? 2 : 0)
    return "\(text)"
  }

  func signed(_ bytes: Double) -> String {
    (bytes < 0 ? "-" : "+") + NumberFormat.bytes(abs(bytes)).trimmedText
  }

  // MARK: Columns

  func width(of pieces: [TextPiece]) -> Int {
    pieces.reduce(0) { $0 + Canvas.columns(of: $1.text) }
  }

  /// Appends what belongs together if all of it fits.
  @discardableResult
  func append(_ more: [TextPiece], to pieces: inout [TextPiece]) -> Bool {
    guard width(of: pieces) + width(of: more) <= columns else { return false }
    pieces += more
    return true
  }

  /// Cut or filled up to so many columns.
  func padded(_ text: String, _ width: Int) -> String {
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

  func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - Canvas.columns(of: text))) + text
  }
}

extension Notice {
  /// What was found, in a sentence.
  func text(_ language: Language) -> String {
    name.isEmpty
      ? finding(language, isShort: false) : "\(name.text): \(finding(language, isShort: false))"
  }

  /// The same without the name.
  func finding(_ language: Language, isShort: Bool) -> String {
    switch kind {
    case .phaseKept:
      let kept = Verdict.kept(bytes: bytes).text(language)
      var share = ShortText()
      share.append(percent, decimals: 0)
      return isShort ? "\(kept)" : "\(kept) (\(share) %)"
    case .phaseGrows:
      let verdict = Verdict.grows(bytesPerVisit: bytes)
      return "\(isShort ? verdict.shortText(language) : verdict.text(language))"
    case .actionHigh:
      var rate = ShortText()
      rate.append(self.rate, decimals: 0)
      return "\(Word.actionHigh.text(language)) \(rate)/s"
    case .unheard: return hearing.word.map { "\($0.text(language))" } ?? ""
    case .memoryNearLimit: return figure(.noticeNearLimit, percent, language)
    case .memoryHigh: return figure(.noticeMemoryHigh, rate, language)
    case .memoryMax: return figure(.noticeMemoryMax, rate, language)
    case .oomKill: return figure(.noticeOOMKill, rate, language)
    case .restarted: return "\(Word.restarted.text(language))"
    case .newest: return figure(.noticeNewest, rate, language)
    case .alert: return "\(self.figure)"
    }
  }

  /// A sentence with a figure in the place of its `#`.
  private func figure(_ word: Word, _ value: Double, _ language: Language) -> String {
    var number = ShortText()
    number.append(value, decimals: 0)
    return "\(word.text(language))".split(separator: "#", omittingEmptySubsequences: false)
      .joined(separator: "\(number)")
  }

  /// How often an alert was raised, if more than once.
  func times(isASCII: Bool) -> String {
    kind == .alert && count > 1 ? " \(isASCII ? "x" : "×")\(count)" : ""
  }
}
