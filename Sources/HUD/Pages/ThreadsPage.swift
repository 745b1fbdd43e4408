import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The page of the list that shows threads: name, share of a core as a number and a bar, and wait for a core.

/// The columns that fit in the list of threads. The name gets the rest up to a limit, the bar everything beyond that.
private struct ThreadColumns {
  static let tidWidth = 7
  static let stateWidth = 10
  private static let leastName = 4
  private static let mostName = 20
  private static let leastBar = 6

  let name: Int
  /// Columns of a share; in a narrow list those of its shortest form.
  let percent: Int
  let hasTid: Bool
  let hasState: Bool
  let hasWait: Bool
  let isShort: Bool
  let bar: Int

  /// - Parameter columns: the columns of a row.
  init(_ columns: Int) {
    isShort = columns < 30
    percent = isShort ? 5 : NumberFormat.percentWidth
    let percent = percent + 1
    var rest = columns - ThreadColumns.leastName - percent
    func take(_ width: Int) -> Bool {
      guard rest >= width else { return false }
      rest -= width
      return true
    }
    // Names get some room before the thread numbers get any.
    hasWait = take(percent)
    hasTid = columns >= 40 && take(ThreadColumns.tidWidth + 1)
    hasState = columns >= PageRows.wideColumns && take(ThreadColumns.stateWidth + 1)
    let extra = min(rest, ThreadColumns.mostName - ThreadColumns.leastName)
    name = ThreadColumns.leastName + max(0, extra)
    rest -= extra
    bar = rest > ThreadColumns.leastBar ? min(rest - 1, 40) : 0
  }
}

extension PageRows {
  /// Appends the column headings.
  func writeThreadHeads(to line: inout ListRow) {
    let shown = ThreadColumns(columns)
    head(.columnName, shown.name, isRight: false, to: &line)
    if shown.hasTid { head(.columnTid, ThreadColumns.tidWidth, to: &line) }
    if shown.hasState { head(.columnState, ThreadColumns.stateWidth, isRight: false, to: &line) }
    line.right(Word.cpu, shown.percent, language)
    if shown.bar > 0 { line.blanks(shown.bar + 1) }
    guard shown.hasWait else { return }
    line.append(" ")
    line.right(Word.columnWait, shown.percent, language)
  }

  func writeThread(_ row: ProcessRow, to line: inout ListRow) {
    let shown = ThreadColumns(columns)
    let start = line.mark
    line.append(row.name, .label)
    line.fit(since: start, shown.name, .label, ellipsis: ellipsis)
    line.append(" ", .dim)
    if shown.hasTid {
      line.right(number: Int(row.pid), ThreadColumns.tidWidth, .dim)
      line.append(" ", .dim)
    }
    if shown.hasState {
      writeState(of: row, to: &line)
      line.append(" ", .dim)
    }
    writeShare(row.cpuPercent, .text, shown, to: &line)
    if shown.bar > 0 {
      line.append(" ")
      writeBar((row.cpuPercent ?? 0) / 100, columns: shown.bar, to: &line)
    }
    guard shown.hasWait else { return }
    line.append(" ", .dim)
    let isFelt = row.waitPercent ?? 0 >= Bottlenecks.feltPercent
    writeShare(row.waitPercent, isFelt ? .alert : .dim, shown, to: &line)
  }

  private func writeShare(
    _ value: Double?, _ role: Role, _ shown: ThreadColumns, to line: inout ListRow
  ) {
    guard shown.isShort, let value else {
      line.blanks(shown.percent - NumberFormat.percentWidth, role)
      if shown.isShort {
        line.blanks(shown.percent - 1, role)
        return line.append(context.glyph("…", "-"), role)
      }
      return writePercent(value, role, to: &line)
    }
    line.right(NumberFormat.compactPercent(value / context.cpuScale), shown.percent, role)
  }

  /// Appends a bar in eighths of a cell, on a track.
  private func writeBar(_ share: Double, columns: Int, to line: inout ListRow) {
    let eighths = Int((min(1, max(0, share)) * Double(columns * 8)).rounded())
    let isASCII = context.state.isASCII
    let whole = isASCII ? (eighths + 4) / 8 : eighths / 8
    for _ in 0..<whole { line.append(context.glyph("█", "#"), .cpu) }
    var position = whole
    if !isASCII, eighths % 8 > 0, position < columns {
      line.append(Unicode.Scalar(UInt32(0x2590 - eighths % 8)) ?? "▏", .cpu)
      position += 1
    }
    for _ in position..<max(position, columns) { line.append(context.glyph("·", "."), .track) }
  }
}

extension ListRow {
  /// Appends a column heading, right-aligned.
  fileprivate mutating func right(_ word: Word, _ width: Int, _ language: Language) {
    let text = word.text(language)
    blanks(width - Canvas.width(text))
    append(text, .title)
  }
}
