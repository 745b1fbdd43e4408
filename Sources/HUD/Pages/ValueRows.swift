import Metrics
import PerfHUDBase
import PerfHUDEvents

// The rows of the values that a program reports, below those of its actions.

/// The columns of a row of a value.
private struct ValueColumns {
  static let numberWidth = 10
  static let unitWidth = 6

  let name: Int
  let hasExtremes: Bool
  let hasAge: Bool
  /// Columns of the newest number: it ends where the rates of the actions end, if there is room.
  private(set) var newest = numberWidth + 1
  /// Blanks before the extremes and before the time, so that they end where the peaks and the times of the actions end.
  private(set) var extremesGap = 0
  private(set) var ageGap = 0

  init(_ columns: Int, _ actions: ActionColumns) {
    hasAge = actions.isWide
    let numbers = ValueColumns.numberWidth + 1
    let unit = ValueColumns.unitWidth + 1
    hasExtremes = columns >= 14 + 3 * numbers + unit
    let values = numbers * (hasExtremes ? 3 : 1) + unit
    name = actions.isWide ? actions.name : max(4, min(20, columns - values))
    guard actions.isWide, actions.history > 0, hasExtremes else { return }
    // Counted from the end of the rates.
    let peakEnd = 2 + actions.history + actions.number + 1
    let extremesEnd = unit + 2 * numbers
    let ageStart = peakEnd + ActionColumns.highWidth + 1
    guard ageStart >= extremesEnd else { return }
    newest = 2 * (actions.number + 1)
    extremesGap = max(0, peakEnd - extremesEnd)
    ageGap = ageStart - extremesEnd - extremesGap
  }
}

extension PageRows {
  private var valueColumns: ValueColumns {
    ValueColumns(columns, ActionColumns(columns, longest: longestName))
  }

  func writeValueHeads(to line: inout ListRow) {
    let shown = valueColumns
    let width = ValueColumns.numberWidth + 1
    line.append(TableWord.value.text(language), .title)
    line.blanks(shown.name - Canvas.width(TableWord.value.text(language)))
    valueHead(TableWord.newest.text(language), shown.newest, to: &line)
    line.blanks(ValueColumns.unitWidth + 1)
    if shown.hasExtremes {
      line.blanks(shown.extremesGap)
      valueHead(Word.least.text(language), width, to: &line)
      valueHead(Word.greatest.text(language), width, to: &line)
    }
    if shown.hasAge {
      valueHead(
        TableWord.lastTime.text(language), shown.ageGap + ActionColumns.ageWidth + 1, to: &line)
    }
  }

  private func valueHead(_ text: StaticString, _ width: Int, to line: inout ListRow) {
    line.blanks(width - Canvas.width(text))
    line.append(text, .title)
  }

  /// Writes a value that the program reports: the last one, its extremes, and when it came.
  func write(_ value: ProgramValue, to line: inout ListRow) {
    let shown = valueColumns
    let decimals = decimals(of: value)
    write(value.name, shown.name, .label, to: &line)
    line.right(formatted(value.last, decimals), shown.newest)
    line.append(" ")
    let unit = line.mark
    line.append(value.unit, .dim)
    line.fit(since: unit, ValueColumns.unitWidth, .dim, ellipsis: ellipsis)
    if shown.hasExtremes {
      line.right(
        formatted(value.least, decimals), shown.extremesGap + ValueColumns.numberWidth + 1, .dim)
      line.right(formatted(value.greatest, decimals), ValueColumns.numberWidth + 1, .dim)
    }
    if shown.hasAge {
      line.right(age(of: value.time), shown.ageGap + ActionColumns.ageWidth + 1, .dim)
    }
  }

  /// None for a value that has always been whole, as a count is.
  private func decimals(of value: ProgramValue) -> Int {
    let isWhole =
      value.last == value.last.rounded() && value.least == value.least.rounded()
      && value.greatest == value.greatest.rounded()
    return isWhole || max(value.least.magnitude, value.greatest.magnitude) >= 100_000 ? 0 : 2
  }

  /// The number, as a power of ten if it has more digits than the column.
  private func formatted(_ value: Double, _ decimals: Int) -> ShortText {
    var text = ShortText()
    guard value.magnitude >= 1e9 else {
      text.append(value, decimals: decimals)
      return text
    }
    var mantissa = value
    var power = 0
    while mantissa.magnitude >= 9.9995 {
      mantissa /= 10
      power += 1
    }
    text.append(mantissa, decimals: 3)
    text.append("e")
    text.append(decimal: power)
    return text
  }
}
