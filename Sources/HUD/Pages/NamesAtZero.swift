import Metrics
import Terminal

// The reasons at 0 on the page of bottlenecks: their names, in as few rows as they fit into.

/// The columns from which the names of what is at 0 begin in one column.
private let leastIndented = 36

extension PageRows {
  /// The rows that the names of the reasons at 0 take.
  func zeroRowCount(_ rows: ReasonRows, _ bottlenecks: Bottlenecks) -> Int {
    let end = rows.ownCount + rows.zeroCount
    var (place, count) = (rows.ownCount, 0)
    while place < end {
      place = endOfNames(from: place, isFirst: count == 0, rows, bottlenecks)
      count += 1
    }
    return count
  }

  /// The places of the reasons whose names are in a row of those at 0; empty if there is no such row.
  private func namesAtZero(
    inRow row: Int, _ rows: ReasonRows, _ bottlenecks: Bottlenecks
  ) -> Range<Int> {
    let end = rows.ownCount + rows.zeroCount
    var (first, skipped) = (rows.ownCount, 0)
    while first < end {
      let next = endOfNames(from: first, isFirst: skipped == 0, rows, bottlenecks)
      if skipped == row { return first..<next }
      (first, skipped) = (next, skipped + 1)
    }
    return end..<end
  }

  /// The place after the names of reasons at 0 that fit into a row, beginning with a place.
  ///
  /// - Parameter isFirst: whether it is the first row, which says what they are.
  private func endOfNames(
    from first: Int, isFirst: Bool, _ rows: ReasonRows, _ bottlenecks: Bottlenecks
  ) -> Int {
    let end = rows.ownCount + rows.zeroCount
    let room =
      columns - (isFirst ? Canvas.width(Word.reasonsAtZero.text(language)) : zeroIndent)
    var (place, width) = (first, 0)
    while place < end {
      // A comma follows.
      let name = nameWidth(bottlenecks.reasons[rows[place]].metric) + 1
      if place > first, width + 1 + name > room { break }
      width += (place > first ? 1 : 0) + name
      place += 1
    }
    return place
  }

  /// The blanks before the names in all rows but the first.
  private var zeroIndent: Int {
    columns < leastIndented ? 1 : Canvas.width(Word.reasonsAtZero.text(language))
  }

  /// The columns of the name of a reason.
  func nameWidth(_ metric: Metric) -> Int {
    Canvas.width(metric.label.text(language))
      + (isOfMachine(metric) ? Canvas.width(Word.ofMachine.text(language)) : 0)
  }

  /// Writes a row of the names.
  func writeNamesAtZero(
    inRow row: Int, _ rows: ReasonRows, _ bottlenecks: Bottlenecks, to line: inout ListRow
  ) {
    let places = namesAtZero(inRow: row, rows, bottlenecks)
    guard !places.isEmpty else { return }
    if row == 0 {
      line.append(Word.reasonsAtZero.text(language), .dim)
    } else {
      line.blanks(zeroIndent, .dim)
    }
    var place = places.lowerBound
    while place < places.upperBound {
      let metric = bottlenecks.reasons[rows[place]].metric
      if place > places.lowerBound { line.append(" ", .dim) }
      if isOfMachine(metric) { line.append(Word.ofMachine.text(language), .dim) }
      line.append(metric.label.text(language), .dim)
      place += 1
      guard place < rows.ownCount + rows.zeroCount else { break }
      // Below the last visible row, nothing shows that there are more.
      let isLast = place == places.upperBound && 1 + rows.ownCount + row + 1 == visibleRows
      line.append(isLast ? ellipsis : ",", .dim)
    }
  }

  /// Whether the values of a metric are those of the whole machine, because the cgroup of the target has none.
  func isOfMachine(_ metric: Metric) -> Bool {
    switch metric {
    case .memoryPressure, .ioPressure, .cpuPressure: context.row?.isPressureOfCgroup == false
    default: false
    }
  }
}
