import Base
import Events
import Metrics
import Sampler
import Terminal

// What the window of the list shows: the log, the phases, the actions; the other pages have a file each.

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
struct PageRows: ListRows {
  let page: ListPage
  let scene: Scene
  let columns: Int
  private let now: Instant
  private let phases: Ranking
  private let actions: Ranking
  private let slow: SlowReasons?

  var language: Language { scene.language }

  /// - Parameter columns: those of a row.
  init(_ page: ListPage, _ scene: Scene, columns: Int) {
    self.page = page
    self.scene = scene
    self.columns = columns
    now = scene.run.latest?.time ?? scene.run.header.start
    phases = scene.run.phases.ranking
    actions = scene.run.actions.ranking
    slow = page == .slow ? scene.row.map { SlowReasons($0) } : nil
  }

  /// Processes or threads, whichever of them the page shows.
  var listing: ProcessListing? {
    let kind: ProcessTableRequest.Kind = page == .processes ? .processes : .threads
    return scene.order.listing.table?.request.kind == kind ? scene.order.listing : nil
  }

  var count: Int {
    switch page {
    case .log: scene.order.entries.count
    case .phases: phases.count
    // What the program says of itself in figures stands below what it does.
    case .actions: actions.count + scene.run.values.all.count
    case .frames: 0
    case .processes, .threads: listing?.count ?? 0
    case .slow: slow.map { $0.reasons.count + 1 } ?? 0
    case .alerts: scene.run.alerts.trackers.count
    }
  }

  /// A row as the list shows it.
  func write(_ row: Int, to line: inout ListRow) {
    guard row >= 0, row < count else { return }
    switch page {
    case .log: writeLog(scene.order.entries[row], to: &line)
    case .phases: writePhase(phases[row], to: &line)
    case .actions:
      if row < actions.count {
        write(scene.run.actions.totals(actions[row], asOf: now), to: &line)
      } else {
        write(scene.run.values.all[row - actions.count], to: &line)
      }
    case .frames: break
    case .processes, .threads: writeListing(row, to: &line)
    case .slow: if let slow { writeSlow(row, slow, to: &line) }
    case .alerts: writeAlert(row, to: &line)
    }
  }

  // MARK: The log

  private func writeLog(_ entry: LogEntry, to line: inout ListRow) {
    line.append(clockTime(of: entry.time, scene.run), .dim)
    line.append(" ", .dim)
    switch entry.kind {
    case .mark: line.append(Word.logMark.text(language), .mark)
    case .ended: line.append(Word.ended.text(language), .notice)
    case .job(let index):
      let job = scene.run.jobs[index]
      line.append(job.name, .mark)
      guard job.isRestart else { return }
      line.append(" ", .mark)
      line.append(Word.restarted.text(language), .mark)
    case .notice(let index): write(scene.run.noticeList.all[index], to: &line)
    case .action(let age): write(scene.run.actions.log[age], to: &line)
    }
  }

  /// A name is cut before a figure is.
  private func write(_ notice: Notice, to line: inout ListRow) {
    let start = line.mark
    if !notice.name.isEmpty {
      line.append(notice.name, .alert)
      line.append(": ", .alert)
    }
    line.append(notice.finding(language, isShort: false), .alert)
    if let times = notice.times {
      line.append(scene.state.isASCII ? " x" : " ×", .alert)
      line.append(number: times, .alert)
    }
    guard line.columns > columns else { return }
    line.cut(to: start)
    let short = notice.finding(language, isShort: true)
    if !notice.name.isEmpty {
      let room = columns - line.columns - Canvas.width(short) - 2
      write(notice.name, min(Canvas.width(notice.name), max(4, room)), .alert, to: &line)
      line.append(": ", .alert)
    }
    line.append(short, .alert)
  }

  private func write(_ entry: ActionLog.Entry, to line: inout ListRow) {
    line.append(entry.name, .label)
    if entry.count > 1 {
      line.append(" ")
      line.append(times)
      line.append(number: Int(clamping: entry.count))
    }
    if let index = scene.run.actions.index(of: entry.name) {
      let total = scene.run.actions.totals(index, asOf: now)
      if total.isHigh, now.nanoseconds(since: entry.last) < 1_000_000_000 {
        line.append(" ", .alert)
        line.append(Word.actionHigh.text(language), .alert)
        line.append(" ", .alert)
        line.append(perSecond(total.rate), .alert)
      }
    }
    guard !entry.detail.isEmpty else { return }
    line.append(" ", .dim)
    line.append(entry.detail, .dim)
  }

  private var times: StaticString { scene.state.isASCII ? "x" : "×" }

  private func perSecond(_ rate: Double) -> ShortText {
    var text = ShortText()
    text.append(rate, decimals: rate < 10 ? 1 : 0)
    text.append("/s")
    return text
  }

  // MARK: Phases

  /// From so many columns on a page has all its figures.
  static let wideColumns = 72

  private func writePhase(_ index: Int, to line: inout ListRow) {
    let phase = scene.run.phases[index]
    let place = PhaseIndex(index)
    let role = scene.phaseRole(place)
    let verdict = scene.run.phases.verdict(index)
    let isWide = columns >= PageRows.wideColumns
    // Where there is little room it is what the shortest form of a verdict leaves.
    let name = isWide ? (columns < 96 ? 14 : 20) : max(6, min(16, columns - 24))
    line.append(scene.phaseGlyph(place), role)
    line.append(" ", role)
    write(phase.name, name, role, to: &line)
    // What the visits have come to says more than how many there were.
    if columns >= 30 {
      line.append(" ")
      line.right(number: Int(phase.visits), 3)
      line.append(times)
    }
    if isWide {
      let seconds = scene.run.phases.seconds(index, asOf: now)
      line.right(NumberFormat.duration(seconds: seconds).trimmed, 7, .dim)
      line.append(" ", .dim)
      line.append(Word.peak.text(language), .dim)
      line.append(" ", .dim)
      let peak = phase.peakBytes.map { NumberFormat.bytes($0) } ?? ShortText("-")
      line.right(peak, NumberFormat.bytesWidth)
    }
    let gap = columns >= 48 ? 2 : 1
    let said = shortened(verdict, room: columns - line.columns - gap)
    let saidRole: Role = verdict.isGrowing ? .alert : .text
    line.blanks(gap, saidRole)
    line.append(said, saidRole)
    guard isWide else { return }
    writeOrigin(index, verdict, padding: verdictColumns - Canvas.width(said), to: &line)
  }

  /// Columns of the longest verdict, so that what stands behind it is in one column.
  private var verdictColumns: Int {
    Canvas.width(Verdict.grows(bytesPerVisit: 1_048_576).text(language))
  }

  /// Who has told of a phase, and what may be the cause of its verdict.
  private func writeOrigin(
    _ index: Int, _ verdict: Verdict, padding: Int, to line: inout ListRow
  ) {
    let start = line.mark
    line.blanks(padding + 2, .dim)
    line.append(scene.run.phases[index].origin.name, .dim)
    if !line.keep(since: start, within: columns) {
      line.append("  ", .dim)
      line.append(scene.run.phases[index].origin.name, .dim)
      line.keep(since: start, within: columns)
    }
    guard verdict.mayBeAllocator, !scene.run.phases.visits(index).tellAllocator else { return }
    let end = line.mark
    line.append("  (", .dim)
    line.append(Word.verdictAllocator.text(language), .dim)
    line.append(")", .dim)
    line.keep(since: end, within: columns)
  }

  /// The longest form of a verdict that fits: a figure without its unit says nothing.
  private func shortened(_ verdict: Verdict, room: Int) -> ShortText {
    let long = verdict.text(language)
    if Canvas.width(long) <= room { return long }
    let short = verdict.shortText(language)
    guard Canvas.width(short) > room, case .grows(let bytes) = verdict else { return short }
    var figure = ShortText("+")
    figure.append(NumberFormat.bytes(bytes).trimmed)
    return figure
  }

  // MARK: Actions

  /// Columns of a name beside figures.
  private var nameColumns: Int {
    columns >= 100 ? 20 : columns >= 48 ? 15 : max(6, min(15, columns - 21))
  }

  private func write(_ total: ActionTotal, to line: inout ListRow) {
    write(total.name, nameColumns, .label, to: &line)
    var count = ShortText(total.isExact ? "" : scene.state.isASCII ? ">" : "≥")
    count.append(decimal: total.count)
    line.append(" ")
    line.right(count, 7)
    line.append(" ", total.isHigh ? .alert : .text)
    line.right(perSecond(total.rate), 7, total.isHigh ? .alert : .text)
    let high = Word.actionHigh.text(language)
    var start = line.mark
    if total.isHigh || columns >= 52 {
      line.append(" ", .alert)
      let word = line.mark
      if total.isHigh { line.append(high, .alert) }
      line.fit(since: word, Canvas.width(high), .alert, ellipsis: ellipsis)
      line.keep(since: start, within: columns)
    }
    start = line.mark
    line.append("  ", .dim)
    line.append(Word.peak.text(language), .dim)
    line.append(" ", .dim)
    line.right(perSecond(total.peakRate), 7)
    line.keep(since: start, within: columns)
    if columns >= PageRows.wideColumns { writeEffects(total, to: &line) }
  }

  /// What did not happen leaves its place empty, so that each figure has a column.
  private func writeEffects(_ total: ActionTotal, to line: inout ListRow) {
    var start = line.mark
    let hasChange = abs(total.memoryBytes) >= Verdict.leastNoise
    line.append(hasChange ? "  MEM " : "      ", .dim)
    line.right(
      hasChange ? signed(total.memoryBytes) : ShortText(), NumberFormat.bytesWidth + 1)
    line.keep(since: start, within: columns)
    start = line.mark
    line.append("  ", .dim)
    let often = line.mark
    if total.timesHigh > 0 {
      line.append(Word.actionHigh.text(language), .dim)
      line.append(" ", .dim)
      line.right(number: Int(total.timesHigh), 3, .dim)
      line.append(times, .dim)
    }
    line.fit(since: often, 9, .dim, ellipsis: ellipsis)
    line.keep(since: start, within: columns)
    guard total.slowFrames > 0 else { return }
    start = line.mark
    line.append("  ", .dim)
    line.append(Word.slowFrames.text(language), .dim)
    line.append(" ", .dim)
    line.append(number: Int(clamping: total.slowFrames))
    line.keep(since: start, within: columns)
  }

  /// A figure of the program's own: the last one, and between what it was.
  private func write(_ value: ProgramValue, to line: inout ListRow) {
    write(value.name, nameColumns, .label, to: &line)
    let start = line.mark
    line.append(" ")
    line.right(figure(value.last), 9)
    write(unit: value, to: &line)
    line.keep(since: start, within: columns)
    write(.least, value.least, of: value, to: &line)
    write(.greatest, value.greatest, of: value, to: &line)
  }

  private func write(
    _ word: Word, _ extreme: Double, of value: ProgramValue, to line: inout ListRow
  ) {
    let start = line.mark
    line.append("  ", .dim)
    line.append(word.text(language), .dim)
    line.append(" ", .dim)
    line.append(figure(extreme))
    write(unit: value, to: &line)
    line.keep(since: start, within: columns)
  }

  private func write(unit value: ProgramValue, to line: inout ListRow) {
    guard !value.unit.isEmpty else { return }
    line.append(" ")
    line.append(value.unit)
  }

  private func figure(_ value: Double) -> ShortText {
    var text = ShortText()
    text.append(value, decimals: value.magnitude < 1000 ? 2 : 0)
    return text
  }

  func signed(_ bytes: Double) -> ShortText {
    var text = ShortText(bytes < 0 ? "-" : "+")
    text.append(NumberFormat.bytes(abs(bytes)).trimmed)
    return text
  }

  // MARK: Columns

  var ellipsis: Unicode.Scalar { scene.glyph("…", "~") }

  /// A text cut or filled up to so many columns.
  func write<let capacity: Int>(
    _ text: InlineText<capacity>, _ width: Int, _ role: Role, to line: inout ListRow
  ) {
    let start = line.mark
    line.append(text, role)
    line.fit(since: start, width, role, ellipsis: ellipsis)
  }
}

extension Verdict {
  /// Each visit leaves more behind.
  var isGrowing: Bool {
    if case .grows = self { return true }
    return false
  }
}

extension Notice {
  /// A sentence of the finding; the longest of all, in Japanese, has some 100 bytes.
  typealias Sentence = InlineText<192>

  /// What was found, in a sentence.
  func text(_ language: Language) -> String {
    let finding = finding(language, isShort: false)
    return name.isEmpty ? finding.text : "\(name.text): \(finding.text)"
  }

  /// The same without the name.
  func finding(_ language: Language, isShort: Bool) -> Sentence {
    var text = Sentence()
    switch kind {
    case .phaseKept:
      text.append(Verdict.kept(bytes: bytes).text(language))
      guard !isShort else { break }
      text.append(" (")
      text.append(percent, decimals: 0)
      text.append(" %)")
    case .phaseGrows:
      let verdict = Verdict.grows(bytesPerVisit: bytes)
      text.append(isShort ? verdict.shortText(language) : verdict.text(language))
    case .actionHigh:
      text.append(Word.actionHigh.text(language))
      text.append(" ")
      text.append(rate, decimals: 0)
      text.append("/s")
    case .unheard: if let word = hearing.word { text.append(word.text(language)) }
    case .memoryNearLimit: text.append(.noticeNearLimit, percent, language)
    case .memoryHigh: text.append(.noticeMemoryHigh, rate, language)
    case .memoryMax: text.append(.noticeMemoryMax, rate, language)
    case .oomKill: text.append(.noticeOOMKill, rate, language)
    case .restarted: text.append(Word.restarted.text(language))
    case .newest: text.append(.noticeNewest, rate, language)
    case .alert: for index in 0..<figure.count { text.append(figure[index]) }
    }
    return text
  }

  /// How often an alert was raised, if more than once.
  var times: Int? { kind == .alert && count > 1 ? Int(count) : nil }
}

extension InlineText {
  /// The words with a figure in the place of their `#`.
  fileprivate mutating func append(_ word: Word, _ value: Double, _ language: Language) {
    let text = word.text(language)
    for index in 0..<text.utf8CodeUnitCount {
      let byte = unsafe text.utf8Start[index]
      if byte == UInt8(ascii: "#") {
        append(value, decimals: 0)
      } else {
        append(byte)
      }
    }
  }
}

extension ShortText {
  /// The text without the blanks in front that keep a figure's width.
  var trimmed: ShortText {
    var text = ShortText()
    for index in 0..<count where text.count > 0 || self[index] != 0x20 { text.append(self[index]) }
    return text
  }
}
