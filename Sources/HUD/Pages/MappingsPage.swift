import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The page of the list that shows mappings: a row for each file, the one with the greatest PSS first.

/// The columns that fit in the list of mappings; the name gets the rest.
private struct MappingColumns {
  static let valueWidth = 7
  static let countWidth = 5

  let hasRSS: Bool
  let hasPrivate: Bool
  let hasSwap: Bool
  let hasSize: Bool
  let hasCount: Bool

  /// - Parameters:
  ///   - columns: the columns of a row.
  ///   - isBrief: whether the list has no column headings, so that only the values that its title names are clear.
  init(_ columns: Int, isBrief: Bool) {
    let columns = isBrief ? 0 : columns
    hasPrivate = columns >= 34
    hasRSS = columns >= 44
    hasCount = columns >= 56
    hasSwap = columns >= 72
    hasSize = columns >= 80
  }
}

extension PageRows {
  /// The mappings; `nil` until they have been read.
  var mappings: MappingTable? {
    guard let table = context.order.listing.table, table.request.kind == .mappings else {
      return nil
    }
    return table.mappings
  }

  /// The number of rows, including one for the mappings that have no row of their own.
  var mappingCount: Int {
    guard let mappings else { return 0 }
    return mappings.groups.count + (mappings.others.count > 0 ? 1 : 0)
  }

  /// Appends the column headings.
  func writeMappingHeads(to line: inout ListRow) {
    let shown = MappingColumns(columns, isBrief: isBrief)
    let width = MappingColumns.valueWidth
    // The rows are sorted by the first column.
    head(.pss, width, to: &line)
    if shown.hasRSS { head(.rss, width, to: &line) }
    if shown.hasPrivate { head(.columnPrivate, width, to: &line) }
    if shown.hasSwap { head(.swap, width + 1, to: &line) }
    if shown.hasSize { head(.columnSize, width, to: &line) }
    if shown.hasCount { head(.columnCount, MappingColumns.countWidth, to: &line) }
    line.append(Word.columnMapped.text(language), .title)
  }

  func writeMapping(_ row: Int, to line: inout ListRow) {
    guard let mappings, row < mappingCount else { return }
    let isOthers = row >= mappings.groups.count
    let group = isOthers ? mappings.others : mappings.groups[row]
    let shown = MappingColumns(columns, isBrief: isBrief)
    write(group.pssBytes, .text, to: &line)
    if shown.hasRSS { write(group.residentBytes, to: &line) }
    if shown.hasPrivate { write(group.privateBytes, to: &line) }
    if shown.hasSwap {
      line.append(" ", .dim)
      write(group.swapBytes, to: &line)
    }
    if shown.hasSize { write(group.sizeBytes, to: &line) }
    if shown.hasCount {
      line.right(number: Int(group.count), MappingColumns.countWidth, .dim)
      line.append(" ", .dim)
    }
    let start = line.mark
    let room = columns - line.columns
    if isOthers {
      line.append(Word.others.text(language), .dim)
    } else if group.name.isEmpty {
      line.append(Word.noMapping.text(language), .label)
    } else {
      writeName(group.name, room: room, to: &line)
    }
    if line.columns > columns { line.fit(since: start, max(1, room), .dim, ellipsis: ellipsis) }
  }

  private func write(_ bytes: UInt64, _ role: Role = .dim, to line: inout ListRow) {
    line.right(
      NumberFormat.compactBytes(Double(bytes)), MappingColumns.valueWidth,
      bytes == 0 ? .dim : role)
    line.append(" ", .dim)
  }

  /// The directory of a path is dim; if it does not fit, only the name of the file is shown.
  private func writeName(_ name: MappingName, room: Int, to line: inout ListRow) {
    var file = 0
    for index in 0..<name.count where name[index] == UInt8(ascii: "/") { file = index + 1 }
    if name[0] == UInt8(ascii: "[") { file = 0 }
    let first = Canvas.width(name) > room ? file : 0
    var decoder = UTF8Decoder()
    for index in 0..<name.count {
      guard let scalar = decoder.feed(name[index]), index >= first else { continue }
      line.append(scalar, index < file ? .dim : .label)
    }
  }
}
