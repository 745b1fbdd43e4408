import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// The model of what tmux does with its lines when its size changes, compared with a tmux.
@Suite struct ReflowTmuxTests {
  private static let first = Size(rows: 12, columns: 30)

  /// A tmux in which everything that is typed is output.
  private final class Echo {
    let tmux: Tmux
    private var screen: Screen
    private var number = 0

    init() throws {
      tmux = try Tmux(
        columns: first.columns, rows: first.rows,
        command: ["sh", "-c", "stty raw -echo; printf '\\033]2;ready\\007'; exec cat"])
      var options = Screen.Options()
      options.quirks = .tmux
      screen = Screen(first, options: options)
      try wait(for: "ready")
    }

    private func wait(for title: String) throws(ToolError) {
      try waitUntil("the title \(title)") { () throws(ToolError) in
        try tmux.value("pane_title") == title
      }
    }

    func output(_ text: String) throws {
      number += 1
      let bytes = Array("\(text)\u{1B}]2;step \(number)\u{07}".utf8)
      try tmux.type(bytes)
      // Line by line: of a flood, the model skips lines and does not know what has left the screen.
      var rest = bytes[...]
      while let end = rest.firstIndex(of: 0x0A) {
        feed(Array(rest[...end]))
        rest = rest[(end + 1)...]
      }
      feed(Array(rest))
      try wait(for: "step \(number)")
    }

    private func feed(_ bytes: [UInt8]) { _ = unsafe screen.feed(bytes.span.bytes) }

    func resize(to size: Size) throws {
      try tmux.resize(columns: size.columns, rows: size.rows)
      var grid = screen.reflowGrid
      grid.resize(to: size)
      screen.install(grid)
    }

    /// What differs between tmux and the model; empty if nothing does.
    func difference() throws -> String {
      let shown = try tmux.capture()
      var lines: [String] = []
      for row in 0..<screen.size.rows {
        let real = row < shown.count ? shown[row] : ""
        let modeled = screen.text(row: row)
        if trimmed(real) != modeled { lines.append("row \(row): \(real)| not |\(modeled)|") }
      }
      let cursor = try tmux.cursor
      let column = screen.isWrapPending ? screen.size.columns : screen.cursor.column
      if cursor != (column, screen.cursor.row) {
        lines.append("cursor \(cursor), not (\(column), \(screen.cursor.row))")
      }
      return lines.joined(separator: "\n")
    }

    private func trimmed(_ text: String) -> String {
      var text = text
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  private static func output(_ random: inout SeededRandom) -> String {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let letter = String(UnicodeScalar(UInt8(number(97...122))))
    switch number(0...11) {
    case 0...2: return String(repeating: letter, count: number(1...90)) + "\r\n"
    case 3, 4: return (1...number(1...20)).map { "\(letter)\($0)\r\n" }.joined()
    case 5: return String(repeating: "日本", count: number(1...20)) + "\r\n"
    case 6: return "\r\u{1B}[K$ \(letter)"
    case 7: return "\(letter)\u{1B}[\(number(1...9))D\u{1B}[K"
    case 8: return "\u{1B}[\(number(1...12));\(number(1...30))H\(letter)"
    // What tmux leaves of a wide character that is cut is not modeled.
    case 9:
      return "\r\u{1B}[2K$ \(letter)bcdef\u{1B}[4D\u{1B}[\(number(1...5))P\u{1B}[\(number(1...3))@"
    case 10: return number(0...3) == 0 ? "\u{1B}[H\u{1B}[2J" : "\u{1B}[2K"
    default: return String(repeating: letter, count: number(25...35))
    }
  }

  @Test(arguments: 1...24)
  func `rows and the cursor are where tmux has them`(seed: Int) throws {
    let echo = try Echo()
    var random = SeededRandom(scatteredSeed: UInt64(seed))
    var history: [String] = []
    for _ in 0..<8 {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let text = ReflowTmuxTests.output(&random)
        history.append(text.debugDescription)
        try echo.output(text)
      }
      let size = Size(
        rows: Int.random(in: 4...20, using: &random),
        columns: Int.random(in: 10...50, using: &random))
      history.append("\(size.columns)x\(size.rows)")
      try echo.resize(to: size)
      let difference = try echo.difference()
      #expect(difference.isEmpty, "after \(history.joined(separator: ", ")):\n\(difference)")
      guard difference.isEmpty else { return }
    }
  }
}
