@testable import Terminal

/// The rows that a terminal shows after these bytes.
func rowsShown(after bytes: [UInt8], columns: Int = 80, rows: Int = 24) -> [String] {
  var screen = Screen(Size(rows: rows, columns: columns), options: Screen.Options())
  _ = unsafe screen.feed(bytes.span.bytes)
  return (0..<rows).map { screen.text(row: $0) }
}
