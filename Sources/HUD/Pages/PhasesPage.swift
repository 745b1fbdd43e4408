import Metrics
import PerfHUDBase
import PerfHUDEvents

// The page of phases: visits, time, memory and verdicts.

extension PageRows {
  func writePhase(_ index: Int, to line: inout ListRow) {
    let phase = context.run.phases[index]
    let phaseIndex = PhaseIndex(index)
    let role = context.phaseRole(phaseIndex)
    let verdict = context.run.phases.verdict(index)
    let isWide = columns >= PageRows.wideColumns
    // In a narrow list the name gets what the peak and the shortest form of a verdict leave.
    let hasPeak = columns >= PageRows.phasePeakColumns
    let name = phaseNameColumns
    line.append(context.phaseGlyph(phaseIndex), role)
    line.append(" ", role)
    write(phase.name, name, role, to: &line)
    // The verdict is more important than the number of visits.
    if columns >= 30 {
      var visits = ShortText()
      visits.append(decimal: Int(phase.visits))
      let isBound = context.run.phases.visitsAreLowerBound(index)
      write(visits, isWide ? 3 : 2, isLowerBound: isBound, to: &line)
      line.append(times)
    }
    let peak = context.run.phases.peakBytes(index)
    let peakIsBound = context.run.phases.peakIsLowerBound(index)
    if hasPeak, !isWide {
      write(
        peak.map { NumberFormat.compactBytes($0) } ?? ShortText("-"), peakWidth,
        isLowerBound: peakIsBound, to: &line)
    }
    if isWide {
      let seconds = context.run.phases.seconds(index, asOf: now)
      line.right(NumberFormat.duration(seconds: seconds).trimmed, 7, .dim)
      write(
        peak.map { NumberFormat.bytes($0) } ?? ShortText("-"), PageRows.widePeakWidth,
        isLowerBound: peakIsBound, to: &line)
    }
    let gap = columns >= 48 ? 2 : 1
    let said = shortened(verdict, room: columns - line.columns - gap)
    let saidRole: Role = verdict.isGrowth ? .alert : .text
    line.blanks(gap, saidRole)
    line.append(said, saidRole)
    guard isWide else { return }
    writeOrigin(index, verdict, padding: verdictColumns - Canvas.width(said), to: &line)
  }

  /// Appends a blank and a value. The sign of a lower bound takes the place of a blank.
  private func write(
    _ value: ShortText, _ width: Int, isLowerBound: Bool, to line: inout ListRow
  ) {
    guard isLowerBound else {
      line.append(" ")
      return line.right(value, width)
    }
    var text = ShortText(context.atLeastText)
    text.append(value.trimmed)
    line.right(text, width + 1)
  }

  /// The least columns of a row with the peak.
  static let phasePeakColumns = 30
  /// Columns of a peak in its shortest form: `48.3M`; where there is room, with one for the sign of a lower bound.
  private var peakWidth: Int { columns >= 46 ? 6 : 5 }

  private static let widePeakWidth = NumberFormat.bytesWidth + 2

  private var phaseNameColumns: Int {
    if columns >= PageRows.wideColumns { return columns < 96 ? 14 : 20 }
    // Without a peak and visits, only the short form of a verdict follows.
    guard columns >= PageRows.phasePeakColumns else {
      return min(max(6, columns - 15), max(4, longestName))
    }
    return max(6, min(16, columns - 26))
  }

  /// The columns of the longest name of a phase.
  static func longestPhaseName(_ run: Run) -> Int {
    var longest = 0
    var index = 0
    while index < run.phases.count {
      longest = max(longest, Canvas.width(run.phases[index].name))
      index += 1
    }
    return longest
  }

  /// Appends the column headings, in a narrow row without those that have no room.
  func writePhaseHeads(to line: inout ListRow) {
    let name = phaseNameColumns
    line.blanks(2)
    guard columns >= PageRows.wideColumns else { return writeNarrowPhaseHeads(name, to: &line) }
    let start = line.mark
    line.append(TableWord.phase.text(language), .title)
    line.fit(since: start, name - 1, .title, ellipsis: ellipsis)
    line.right(ShortText(TableWord.visits.text(language)), 6, .title)
    line.right(ShortText(TableWord.timeInPhase.text(language)), 7, .title)
    line.right(ShortText(Word.peak.text(language)), 1 + PageRows.widePeakWidth, .title)
    line.blanks(2)
    let verdict = line.mark
    line.append(TableWord.verdict.text(language), .title)
    line.blanks(verdictColumns - line.columns(since: verdict) + 2)
    let source = line.mark
    line.append(TableWord.source.text(language), .title)
    line.keep(since: source, within: columns)
  }

  private func writeNarrowPhaseHeads(_ name: Int, to line: inout ListRow) {
    let word = TableWord.phase.text(language)
    // The headings of short names would touch.
    if Canvas.width(word) < name - 2 {
      line.append(word, .title)
      line.blanks(name - 2 - Canvas.width(word))
    } else {
      line.blanks(name - 2)
    }
    line.right(ShortText(TableWord.visits.text(language)), 6, .title)
    line.right(ShortText(Word.peak.text(language)), 1 + peakWidth, .title)
    let verdict = line.mark
    line.blanks(columns >= 48 ? 2 : 1)
    line.append(TableWord.verdict.text(language), .title)
    line.keep(since: verdict, within: columns)
  }

  /// Columns of the longest verdict, so that texts after it are aligned.
  private var verdictColumns: Int {
    max(
      Canvas.width(Verdict.keeps(bytesPerVisit: 1_048_576).text(language)),
      Canvas.width(Verdict.unknown(visitsNeeded: 3).text(language)))
  }

  /// Writes the source of a phase, and the possible cause of its verdict.
  private func writeOrigin(
    _ index: Int, _ verdict: Verdict, padding: Int, to line: inout ListRow
  ) {
    let start = line.mark
    line.blanks(padding + 2, .dim)
    line.append(context.run.phases[index].origin.name, .dim)
    if !line.keep(since: start, within: columns) {
      line.append("  ", .dim)
      line.append(context.run.phases[index].origin.name, .dim)
      line.keep(since: start, within: columns)
    }
    guard verdict.mayBeAllocator, !context.run.phases.visits(index).reportAllocatorMemory else {
      return
    }
    let end = line.mark
    line.append("  (", .dim)
    line.append(Word.verdictAllocator.text(language), .dim)
    line.append(")", .dim)
    line.keep(since: end, within: columns)
  }

  /// The longest form of a verdict that fits, including the unit of its value.
  private func shortened(_ verdict: Verdict, room: Int) -> ShortText {
    let other = verdict.otherPhase.map { context.run.phases[Int($0)].name }
    let long = verdict.text(language, other: other)
    if Canvas.width(long) <= room { return long }
    let short = verdict.shortText(language)
    return Canvas.width(short) > room ? verdict.shortestText(language) : short
  }
}
