import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// Nothing flickers: at no moment at which a terminal may paint is the HUD gone, half drawn, or a cell
/// beside it of another frame.
@Suite(.serialized) struct FlickerTests {
  private static let columns = 80
  private static let rows = 24
  private static let hud = Rect(row: 0, column: 41, rows: 5, columns: 38)
  /// The HUD shows none of these.
  private static let glyphs = ["Ж", "Д", "Ф", "Щ", "Ю"]
  private static let scalars = Set(glyphs.compactMap { $0.unicodeScalars.first?.value })

  init() throws { try requireTool("gcc") }

  private func stage() throws -> ScreenModelStage {
    let stage = try ScreenModelStage(
      columns: Self.columns, rows: Self.rows, options: ["--no-step-aside", "--prefix", "none"])
    stage.write("\u{1B}[?25l\u{1B}[2J\u{1B}[H")
    try stage.sync()
    try stage.pump { Self.tear(in: stage.screen) == nil }
    return stage
  }

  /// What is wrong with the HUD; `nil` if it is whole.
  private static func tear(in screen: borrowing Screen) -> String? {
    let last = hud.endColumn - 1
    for row in hud.row..<hud.endRow {
      let isTop = row == hud.row
      let isBottom = row == hud.endRow - 1
      let ends = isTop ? ("╭", "╮") : isBottom ? ("╰", "╯") : ("│", "│")
      let first = screen.cell(row: row, column: hud.column).scalarValue
      let second = screen.cell(row: row, column: last).scalarValue
      guard first == ends.0.unicodeScalars.first?.value,
        second == ends.1.unicodeScalars.first?.value
      else { return "no edge in row \(row + 1): \(screen.text(row: row))" }
      for column in hud.column...last
      where scalars.contains(screen.cell(row: row, column: column).scalarValue) {
        return "the program in row \(row + 1): \(screen.text(row: row))"
      }
    }
    return nil
  }

  /// What is wrong beside the HUD, where all cells are of one frame.
  private static func mixture(in screen: borrowing Screen) -> String? {
    var glyph: UInt32?
    for row in 0..<rows {
      for column in 0..<columns where !hud.contains(Point(row: row, column: column)) {
        let scalar = screen.cell(row: row, column: column).scalarValue
        if scalar != glyph ?? scalar {
          return "two frames in row \(row + 1): \(screen.text(row: row))"
        }
        glyph = scalar
      }
    }
    return nil
  }

  /// A frame in which every cell shows one glyph, in one of the ways in which programs draw.
  private func frame(_ number: Int) -> String {
    let line = String(repeating: Self.glyphs[number % Self.glyphs.count], count: Self.columns)
    let lines = (1...Self.rows).map { "\u{1B}[\($0)H\(line)" }.joined()
    let start =
      switch number % 6 {
      case 0: ""
      case 1: "\u{1B}[2J"
      case 2: "\u{1B}[\(Self.rows)H\n\n\n"
      case 3: "\u{1B}[3H\u{1B}[2L"
      case 4: "\u{1B}[H\u{1B}M\u{1B}[5;60H\u{1B}[3P"
      default: "\u{1B}[2;20r\u{1B}[20H\n\u{1B}[r"
      }
    return "\u{1B}[?2026h\(start)\(lines)\u{1B}[?2026l"
  }

  @Test func `updates of a program: each painted frame is whole, under a whole HUD`() throws {
    let stage = try stage()
    var paints = 0
    stage.write(frame(0))
    try stage.sync()
    stage.onPaint = { screen in
      paints += 1
      if let problem = Self.tear(in: screen) ?? Self.mixture(in: screen) {
        throw ToolError(problem)
      }
    }
    for number in 1...120 {
      stage.write(frame(number))
      try stage.sync()
    }
    stage.onPaint = nil
    #expect(paints >= 120)
  }

  /// Of these the terminal is given several at once, of which the HUD may wait for the last
  /// (`Compositor.joinsUpdates`).
  @Test func `updates at hand at once: each frame is whole, the last under a whole HUD`() throws {
    let stage = try stage()
    var paints = 0
    stage.write(frame(0))
    try stage.sync()
    stage.onPaint = { screen in
      paints += 1
      if let problem = Self.mixture(in: screen) { throw ToolError(problem) }
    }
    for number in stride(from: 1, through: 120, by: 3) {
      stage.write(frame(number) + frame(number + 1) + frame(number + 2))
      try stage.sync()
      #expect(Self.tear(in: stage.screen) == nil)
    }
    stage.onPaint = nil
    #expect(paints >= 120)
  }

  @Test func `a log that scrolls as fast as it can never shows without the HUD`() throws {
    let stage = try stage()
    var paints = 0
    stage.onPaint = { screen in
      paints += 1
      if let problem = Self.tear(in: screen) { throw ToolError(problem) }
    }
    // In the lower half alone, so that no line is written over the HUD itself.
    stage.write("\u{1B}[24H")
    for number in 0..<600 {
      stage.write("\r\n\(number) \(Self.glyphs[number % 5])")
      if number % 5 == 4 { try stage.sync() }
    }
    try stage.sync()
    stage.onPaint = nil
    #expect(paints >= 120)
  }

  /// tmux has no synchronized updates here: what perfhud writes at once has to be whole.
  @Test(arguments: [
    // Over the HUD in part, and a log.
    "for $row (3 .. 14) { $frame .= qq(\\e[$row;30H) . $glyph x 30 } $frame .= qq(\\e[24H$n)",
    "$frame = qq(\\r\\n$n ) . $glyph x 40",
  ])
  func `in tmux, frame by frame, the HUD is whole over a program that redraws at 30 Hz`(
    drawing: String
  ) throws {
    let program = """
      $| = 1; print qq(\\e[?25l\\e[2J\\e[24H); while (1) { $n++; $glyph = qw(Z Q X J)[$n % 4];
      $frame = ""; \(drawing); print $frame; select(undef, undef, undef, 1 / 30) }
      """
    let tmux = try Tmux(
      columns: Self.columns, rows: Self.rows,
      command: try Overlay.wrap(
        ["perl", "-e", program], options: ["--no-step-aside", "--prefix", "none"]),
      environment: try Overlay.environment())
    try tmux.waitFor("╯", deadline: Perfhud.deadline)
    var pictures: Set<[String]> = []
    let deadline = Instant.now().advanced(bySeconds: Perfhud.deadline)
    while pictures.count < 60, Instant.now() < deadline {
      let picture = try tmux.capture()
      if let problem = Self.tear(in: picture) {
        Issue.record("\(problem):\n\(picture.joined(separator: "\n"))")
        return
      }
      pictures.insert(picture)
    }
    #expect(pictures.count >= 60)
  }

  /// What is wrong with the HUD in rows of text, in which all characters have one column.
  private static func tear(in rows: [String]) -> String? {
    for row in 0..<hud.rows {
      let cells = Array(rows[row])
      let ends: (Character, Character) =
        row == 0 ? ("╭", "╮") : row == hud.rows - 1 ? ("╰", "╯") : ("│", "│")
      guard cells.count >= hud.endColumn, cells[hud.column] == ends.0,
        cells[hud.endColumn - 1] == ends.1
      else { return "no edge in row \(row + 1)" }
      if cells[hud.column..<hud.endColumn].contains(where: { "ZQXJ".contains($0) }) {
        return "the program in row \(row + 1)"
      }
    }
    return nil
  }
}
