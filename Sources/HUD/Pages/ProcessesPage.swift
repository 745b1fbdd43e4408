import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The pages of the list that show processes and threads.

/// Columns that a name has at least.
private let leastName = 4

extension PageRows {
  func writeListing(_ row: Int, to line: inout ListRow) {
    guard let listing, let table = listing.table, row < listing.entries.count else {
      line.append("+ ", .dim)
      line.append(number: context.order.listing.others, .dim)
      line.append(" ", .dim)
      line.append(Word.others.text(language), .dim)
      return
    }
    let entry = listing.entries[row]
    let row = table.rows[entry.index]
    if table.request.kind == .threads {
      writeThread(row, to: &line)
    } else {
      writeProcess(row, depth: entry.depth, to: &line)
    }
  }

  private func writeProcess(_ row: ProcessRow, depth: Int, to line: inout ListRow) {
    let isWide = columns >= PageRows.wideColumns
    let isNarrow = columns < 48
    // Both values, or the share alone where that leaves no room for a name.
    let hasMemory = columns >= 18 + leastName
    let valueColumns = !hasMemory ? 8 : isNarrow ? 18 : isWide ? 48 : 37
    let room = max(leastName, min(48, columns - valueColumns))
    let role: Role = row.hasEnded ? .dim : .label
    let start = line.mark
    // Values have precedence over the indent.
    line.blanks(2 * min(depth, room / 4), role)
    line.append(row.name, role)
    line.fit(since: start, room, role, ellipsis: ellipsis)
    if !isNarrow {
      line.append(" ", .dim)
      line.right(number: Int(row.pid), 7, .dim)
    }
    if row.hasEnded { return writeEnd(of: row, to: &line) }
    if isWide { writeState(of: row, to: &line) }
    writePercent(row.cpuPercent, to: &line)
    guard hasMemory else { return }
    line.append(" ")
    line.append(NumberFormat.bytes(Double(row.footprintBytes)))
    guard !isNarrow else { return }
    let hasGrown = abs(row.growthBytes) >= Verdict.leastNoise
    line.append(" ", .dim)
    line.right(
      hasGrown ? signed(row.growthBytes) : ShortText(), NumberFormat.bytesWidth + 1, .dim)
    guard isWide, row.threads > 1 else { return }
    let threads = line.mark
    line.append(" ")
    line.right(number: Int(row.threads), 4)
    line.append(" ")
    line.append(Word.threads.text(language), .dim)
    line.keep(since: threads, within: columns)
  }

  private func writeEnd(of row: ProcessRow, to line: inout ListRow) {
    let end = row.end.shortText(language)
    let start = line.mark
    if row.state == .zombie {
      line.append(" ", .dim)
      line.append(row.state.word.text(language), .dim)
      line.append(" ", .dim)
      line.append(end, .dim)
      if line.columns <= columns { return }
      line.cut(to: start)
    }
    line.append(" ", .dim)
    line.append(end, .dim)
  }

  private func writeThread(_ row: ProcessRow, to line: inout ListRow) {
    let isWide = columns >= PageRows.wideColumns
    let wait = Word.wait.text(language)
    let valueColumns = 16 + (isWide ? 11 : 0) + (columns < 48 ? 0 : 10 + Canvas.width(wait))
    let start = line.mark
    line.append(row.name, .label)
    let hasPid = columns >= valueColumns + leastName
    let room = max(leastName, min(32, columns - (hasPid ? valueColumns : valueColumns - 8)))
    line.fit(since: start, room, .label, ellipsis: ellipsis)
    if hasPid {
      line.append(" ", .dim)
      line.right(number: Int(row.pid), 7, .dim)
    }
    if isWide { writeState(of: row, to: &line) }
    writePercent(row.cpuPercent, to: &line)
    let end = line.mark
    line.append("  ", .dim)
    line.append(wait, .dim)
    writePercent(row.waitPercent, to: &line)
    line.keep(since: end, within: columns)
  }

  private func writeState(of row: ProcessRow, to line: inout ListRow) {
    line.append(" ", .dim)
    let start = line.mark
    line.append(row.state.word.text(language), .dim)
    line.fit(since: start, 10, .dim, ellipsis: ellipsis)
  }

  private func writePercent(_ value: Double?, to line: inout ListRow) {
    line.append(" ")
    if let value {
      line.append(NumberFormat.percent(value / context.cpuScale))
    } else {
      line.blanks(NumberFormat.percentWidth - 1)
      line.append(context.glyph("…", "-"))
    }
  }
}
