import Terminal

/// The size of the HUD over a program. A named size takes at most half of the rows, and `large` two thirds of rows and
/// columns, so that the program stays visible.
package enum HUDSize: Equatable, Sendable {
  /// One row of 52 columns.
  case line
  /// 24 columns, 5 rows.
  case small
  /// 38 columns, 5 rows: a row each for CPU, memory, and frames or storage.
  case medium
  /// 72 columns, 20 rows.
  case large
  case cells(Size)

  /// The greatest number of columns or rows that a user can specify.
  package static let limit = 1000

  /// Parses `line`, `small`, `medium`, `large`, or columns and rows from 1 to 1000 as in `36x9`; `nil`
  /// for anything else.
  package init?(text: String) {
    switch text {
    case "line": self = .line
    case "small": self = .small
    case "medium": self = .medium
    case "large": self = .large
    default:
      let parts = text.split(separator: "x", omittingEmptySubsequences: false)
      guard parts.count == 2, let columns = HUDSize.count(parts[0]),
        let rows = HUDSize.count(parts[1])
      else { return nil }
      self = .cells(Size(rows: rows, columns: columns))
    }
  }

  private static func count(_ text: Substring) -> Int? {
    // Int also accepts a sign; reject it.
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text),
      (1...limit).contains(value)
    else { return nil }
    return value
  }

  /// The size in cells within the available room.
  func cells(in room: Size) -> Size {
    let half = max(1, room.rows / 2)
    let wanted: Size
    switch self {
    case .line: wanted = Size(rows: 1, columns: 52)
    case .small: wanted = Size(rows: min(5, half), columns: 24)
    case .medium: wanted = Size(rows: min(5, half), columns: 38)
    case .large:
      wanted = Size(
        rows: min(20, max(half, room.rows * 2 / 3)),
        columns: min(72, max(38, room.columns * 2 / 3)))
    case .cells(let size): wanted = size
    }
    return Size(rows: min(wanted.rows, room.rows), columns: min(wanted.columns, room.columns))
  }
}

extension HUDSize {
  /// The next named size; the first one after the last, and after a size without a name.
  package var next: HUDSize {
    switch self {
    case .line: .small
    case .small: .medium
    case .medium: .large
    case .large, .cells: .line
    }
  }
}

extension HUDSize: CustomStringConvertible {
  /// The text that `init(text:)` takes.
  package var description: String {
    switch self {
    case .line: "line"
    case .small: "small"
    case .medium: "medium"
    case .large: "large"
    case .cells(let size): "\(size.columns)x\(size.rows)"
    }
  }
}
