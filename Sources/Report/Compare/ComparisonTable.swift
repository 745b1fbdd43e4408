import Metrics
import PerfHUDBase

/// A comparison as text for a terminal: the verdict as a sentence, then a table for each subject.
package struct ComparisonTable {
  private let comparison: Comparison
  private let width: Int
  private let hasColors: Bool

  /// - Parameters:
  ///   - width: the terminal's width. Columns that do not fit are left out.
  ///   - hasColors: whether colors mark what became worse or better. The words also say it.
  package init(_ comparison: Comparison, width: Int = 80, hasColors: Bool = false) {
    self.comparison = comparison
    self.width = max(20, width)
    self.hasColors = hasColors
  }

  package var text: String {
    var lines = wrapped(comparison.verdict).map { style($0, comparison.isWorse ? .worse : .plain) }
    for note in comparison.notes { lines += wrapped(note) }
    let subjects = comparison.subjects.filter { !$0.rows.isEmpty }
    let tables = subjects.map { subject in
      width < ComparisonTable.narrow ? subject.rows.filter(\.metric.isLeading) : subject.rows
    }
    let columns = chosenColumns(tables)
    for (subject, rows) in zip(subjects, tables) {
      lines.append("")
      lines += wrapped(subject.heading).map { style($0, .heading) }
      lines += table(rows, widths(of: columns, rows))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Columns

  private enum Column: CaseIterable {
    case metric, base, new, difference, percent, interval, probability, verdict

    var title: String {
      switch self {
      case .metric: ""
      case .base: "base"
      case .new: "new"
      case .difference: "difference"
      case .percent: ""
      case .interval: "95 % interval"
      case .probability: "p"
      case .verdict: ""
      }
    }

    var isNumber: Bool { self != .metric && self != .verdict }
  }

  /// Below this width there is no room for details and for the verdict's words.
  private static let narrow = 24
  /// The columns to leave out first if there is no room.
  private static let expendable: [Column] = [
    .probability, .percent, .interval, .base, .new, .difference,
  ]

  private func cell(_ row: ComparedRow, _ column: Column) -> String {
    guard let difference = row.difference else {
      return column == .metric ? row.metric.label : ""
    }
    return switch column {
    case .metric: row.metric.label
    case .base: row.baseText ?? ""
    case .new: row.newText ?? ""
    case .difference: row.metric.differenceText(difference.difference)
    case .percent: row.percentText
    case .interval: row.intervalText
    case .probability: row.probabilityText
    case .verdict: width < ComparisonTable.narrow ? row.shortVerdictText : row.verdictText
    }
  }

  /// The column widths for a table, without empty columns.
  private func widths(of columns: [Column], _ rows: [ComparedRow]) -> [(Column, Int)] {
    columns.compactMap { column in
      let width = rows.map { cell($0, column).count }.max() ?? 0
      return width > 0 ? (column, max(width, column.title.count)) : nil
    }
  }

  /// The columns that fit in all tables.
  private func chosenColumns(_ tables: [[ComparedRow]]) -> [Column] {
    var columns = Column.allCases
    for column in ComparisonTable.expendable {
      let needed = tables.map { rows in
        widths(of: columns, rows).reduce(-2) { $0 + 2 + $1.1 }
      }
      if needed.allSatisfy({ $0 <= width }) { break }
      columns.removeAll { $0 == column }
    }
    return columns
  }

  private func table(_ rows: [ComparedRow], _ columns: [(Column, Int)]) -> [String] {
    func line(_ cells: [String]) -> String {
      let padded = zip(cells, columns).map { cell, column in
        let gap = String(repeating: " ", count: max(0, column.1 - cell.count))
        return column.0.isNumber ? gap + cell : cell + gap
      }
      var text = padded.joined(separator: "  ")
      while text.last == " " { text.removeLast() }
      return text
    }
    let head = line(columns.map(\.0.title))
    return (head.isEmpty ? [] : [head])
      + rows.map { row in
        let role: Role =
          switch row.verdict {
          case .more: .worse
          case .less: .better
          default: .plain
          }
        return style(line(columns.map { cell(row, $0.0) }), role)
      }
  }

  // MARK: Text

  private enum Role { case plain, heading, worse, better }

  private func style(_ text: String, _ role: Role) -> String {
    guard hasColors else { return text }
    return switch role {
    case .plain: text
    case .heading: "\u{1B}[1m\(text)\u{1B}[0m"
    case .worse: "\u{1B}[31m\(text)\u{1B}[0m"
    case .better: "\u{1B}[32m\(text)\u{1B}[0m"
    }
  }

  /// Wraps a text to lines. Keeps a number and its unit on one line; cuts a word that is wider than a line.
  func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in ComparisonTable.unbreakableParts(of: text) {
      var word = word
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      while word.count > width {
        lines.append(String(word.prefix(width)))
        word = String(word.dropFirst(width))
      }
      line += line.isEmpty ? word : " " + word
    }
    return lines + (line.isEmpty ? [] : [line])
  }

  /// The units that follow a number and a space in the verdict and in the notes.
  private static let units: Set<Substring> = [
    "%", "ms", "s", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "FPS",
  ]

  /// The words of a text, with a number and its unit as one word: `["(CPU", "pressure", "33 %)"]`.
  private static func unbreakableParts(of text: String) -> [String] {
    var parts: [String] = []
    for word in text.split(separator: " ") {
      let unit = word.prefix { $0.isLetter || $0 == "%" }
      if units.contains(unit), let last = parts.last, last.last?.isNumber == true {
        parts[parts.count - 1] = "\(last) \(word)"
      } else {
        parts.append(String(word))
      }
    }
    return parts
  }
}
