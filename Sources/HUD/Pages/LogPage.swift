import Metrics
import PerfHUDBase
import Terminal

// The rows of the log: what has happened, and when.

extension PageRows {
  func writeLog(_ entry: LogEntry, to line: inout ListRow) {
    line.append(clockTime(of: entry.time, context.run), .dim)
    line.append(" ", .dim)
    switch entry.kind {
    case .mark: line.append(Word.logMark.text(language), .mark)
    case .ended: line.append(Word.ended.text(language), .notice)
    case .job(let index):
      let job = context.run.jobs[index]
      line.append(job.name, .mark)
      guard job.isRestart else { return }
      line.append(" ", .mark)
      line.append(Word.restarted.text(language), .mark)
    case .notice(let index): write(context.run.noticeList.all[index], to: &line)
    case .action(let age): write(context.run.actions.log[age], to: &line)
    }
  }

  /// A name is cut, never a value.
  private func write(_ notice: Notice, to line: inout ListRow) {
    let start = line.mark
    let role: Role = notice.kind == .alertEnded ? .text : .alert
    if !notice.name.isEmpty {
      line.append(notice.name, role)
      line.append(": ", role)
    }
    line.append(notice.finding(language, isShort: false), role)
    if let times = notice.times {
      line.append(context.state.isASCII ? " x" : " ×", .alert)
      line.append(number: times, .alert)
    }
    guard line.columns > columns else { return }
    line.cut(to: start)
    let short = notice.finding(language, isShort: true)
    if !notice.name.isEmpty {
      let room = columns - line.columns - Canvas.width(short) - 2
      write(notice.name, min(Canvas.width(notice.name), max(4, room)), role, to: &line)
      line.append(": ", role)
    }
    line.append(short, role)
  }

  /// Appends an action: its name, how often it came, for how long, and its newest detail. A wide log has columns.
  private func write(_ entry: ActionLog.Entry, to line: inout ListRow) {
    let isWide = columns >= PageRows.wideColumns
    let start = line.mark
    line.append(entry.name, .label)
    if isWide {
      let name = ActionColumns(columns, longest: longestName).name
      line.fit(since: start, name, .label, ellipsis: ellipsis)
    }
    var count = ShortText()
    if entry.count > 1 {
      count.append(times)
      count.append(decimal: UInt64(entry.count))
    }
    if isWide {
      line.right(count, 7)
      var span = ShortText()
      if entry.count > 1, entry.last > entry.first {
        span = NumberFormat.elapsed(seconds: entry.last.seconds(since: entry.first), isFinal: true)
      }
      line.right(span, 8, .dim)
      line.append(" ")
    } else if count.count > 0 {
      line.append(" ")
      line.append(count)
    }
    guard !entry.detail.isEmpty else { return }
    line.append(" ", .dim)
    line.append(entry.detail, .dim)
  }
}

extension Notice {
  /// The text of a notice. The longest one, in Japanese, has some 100 bytes.
  typealias Sentence = InlineText<192>

  /// The notice as a sentence, in its short form if the long one has more than a number of columns.
  func text(_ language: Language, columns: Int) -> String {
    let label = name.isEmpty ? 0 : Canvas.width(name) + 2
    var finding = finding(language, isShort: false)
    if label + Canvas.width(finding) > columns {
      finding = self.finding(language, isShort: true)
    }
    return name.isEmpty ? finding.text : "\(name.text): \(finding.text)"
  }

  /// The same without the name.
  func finding(_ language: Language, isShort: Bool) -> Sentence {
    var text = Sentence()
    switch kind {
    case .phaseKept:
      text.append(Verdict.keptText(bytes, language))
      guard !isShort else { break }
      text.append(" (")
      text.append(percent, decimals: 0)
      text.append(" %)")
    case .phaseGrows:
      guard let verdict else { break }
      text.append(isShort ? verdict.shortText(language) : verdict.text(language, other: other))
    case .actionHigh:
      text.append(Word.actionHigh.text(language))
      text.append(" ")
      let high = HighRateText(rate, above: limit)
      text.append(high.rate)
      guard !isShort else { break }
      text.append(" ")
      text.append(high.limit)
    case .eventsElsewhere: if let word = listener.word { text.append(word.text(language)) }
    case .memoryNearLimit: text.append(.noticeNearLimit, percent, language)
    case .memoryHigh: text.append(.noticeMemoryHigh, rate, language)
    case .memoryMax: text.append(.noticeMemoryMax, rate, language)
    case .oomKill: text.append(.noticeOOMKill, rate, language)
    case .restarted: text.append(Word.restarted.text(language))
    case .newest: text.append(.noticeNewest, rate, language)
    case .alert: for index in 0..<valueText.count { text.append(valueText[index]) }
    case .alertEnded:
      text.append(
        .alertEnded, NumberFormat.elapsed(seconds: seconds, isFinal: true), language)
    }
    return text
  }

  /// How often an alert was raised, if more than once.
  var times: Int? { kind == .alert && count > 1 ? Int(count) : nil }
}

extension InlineText {
  /// Appends a word with a value in place of its `#`.
  fileprivate mutating func append(_ word: Word, _ value: Double, _ language: Language) {
    var text = ShortText()
    text.append(value, decimals: 0)
    append(word, text, language)
  }

  /// Appends a word with a text in place of its `#`.
  fileprivate mutating func append(_ word: Word, _ value: ShortText, _ language: Language) {
    let text = word.text(language)
    for index in 0..<text.utf8CodeUnitCount {
      let byte = unsafe text.utf8Start[index]
      if byte == UInt8(ascii: "#") {
        for position in 0..<value.count { append(value[position]) }
      } else {
        append(byte)
      }
    }
  }
}
