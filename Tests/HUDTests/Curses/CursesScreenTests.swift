import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import HUD
@testable import Terminal

func makeScreen(
  _ columns: Int, _ rows: Int, term: String?, colorTerm: String? = nil,
  xtermVersion: String? = nil, colors: Bool = true, isUTF8: Bool = true
) throws -> CursesScreen {
  try SignalActions.alone {
    try CursesScreen(
      size: Size(rows: rows, columns: columns), term: term,
      directColors: DirectColorSource(
        term: term, colorTerm: colorTerm, xtermVersion: xtermVersion),
      colors: colors, isUTF8: isUTF8)
  }
}

/// A curses screen and the terminal that its bytes go to.
private struct Presented: ~Copyable {
  var curses: CursesScreen
  var terminal: TinyTerminal
  private var queue = OutputQueue()

  init(
    _ columns: Int = 44, _ rows: Int = 15, term: String? = "xterm-256color",
    colorTerm: String? = nil, xtermVersion: String? = nil, colors: Bool = true, isUTF8: Bool = true
  ) throws {
    curses = try makeScreen(
      columns, rows, term: term, colorTerm: colorTerm, xtermVersion: xtermVersion, colors: colors,
      isUTF8: isUTF8)
    terminal = TinyTerminal(Size(rows: rows, columns: columns))
  }

  /// Shows the grid; returns the bytes that it took.
  mutating func show(_ grid: CellGrid) -> [UInt8] {
    curses.present(grid, to: &queue)
    let bytes = queue.bytes
    queue.removeAll()
    terminal.feed(bytes)
    return bytes
  }

  mutating func resize(_ size: Size) {
    curses.resize(to: size)
    terminal = TinyTerminal(size)
  }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Whether there is a description of a terminal by that name here.
private func isDescribed(_ term: String) -> Bool {
  ["/usr/share/terminfo", "/lib/terminfo", "/etc/terminfo"].contains {
    unsafe access("\($0)/\(term.prefix(1))/\(term)", R_OK) == 0
  }
}

/// The parameters of all SGR sequences.
private func renditions(_ bytes: [UInt8]) -> Set<Int> {
  Set(
    text(bytes).matches(of: /\u{1B}\[([0-9;]*)m/).flatMap { match in
      match.1.split(separator: ";").compactMap { Int($0) }
    })
}

/// There is one ncurses in a process: these run one after another.
@Suite(.serialized) struct CursesScreenTests {
  private let picture = screen(44, 15, threeMinutes.run)

  @Test func `the first frame enters the second screen and shows the picture`() throws {
    var shown = try Presented()
    let bytes = shown.show(picture.canvas.grid)
    #expect(text(bytes).contains("\u{1B}[?1049h"))
    #expect(text(bytes).contains("\u{1B}[?25l"))
    #expect(shown.terminal.lines == picture.lines)
    #expect(shown.terminal.unknown.isEmpty)
  }

  @Test(.enabled(if: isDescribed("xterm-direct")))
  func `a terminal that takes colors by value gets those of the palette by their values`() throws {
    var shown = try Presented(term: "xterm-direct")
    #expect(shown.curses.depth == .direct)
    let bytes = shown.show(picture.canvas.grid)
    // The first cell of a bar; only frames of the program have the color of FPS.
    for role in [Role.cpu, .memory] {
      let color = firstShade(role, .dark, separator: ":")
      #expect(text(bytes).contains("38:2::\(color)m"), "\(color)")
    }
    shown.curses.setTheme(.colorBlind, background: .dark)
    let color = firstShade(.cpu, .dark, .colorBlind, separator: ":")
    #expect(text(shown.show(picture.canvas.grid)).contains("38:2::\(color)m"))
  }

  /// The color of the first cell of a bar: red, green and blue.
  private func firstShade(
    _ role: Role, _ background: Background, _ name: ThemeName = .auto, separator: String
  ) -> String {
    let theme = Theme(depth: .direct, name: name, background: background)
    let value = theme.shade(0, of: role).foreground.value ?? 0
    return [value >> 16, value >> 8 & 0xFF, value & 0xFF].map(String.init)
      .joined(separator: separator)
  }

  @Test(arguments: ["xterm-256color", "tmux-256color", "screen-256color"])
  func `a terminal that says that it takes 24 bits gets them, whatever its description has`(
    term: String
  ) throws {
    guard isDescribed(term) else { return }
    var shown = try Presented(term: term, colorTerm: "truecolor")
    #expect(shown.curses.depth == .direct)
    var bytes = shown.show(picture.canvas.grid)
    let dark = [Role.cpu, .memory].map { firstShade($0, .dark, separator: ";") }
    for color in dark { #expect(text(bytes).contains("\u{1B}[38;2;\(color)m"), "\(color)") }
    #expect(!text(bytes).contains("38;5;"))
    shown.curses.setTheme(.auto, background: .light)
    bytes = shown.show(picture.canvas.grid)
    #expect(text(bytes).contains("\u{1B}[38;2;\(firstShade(.cpu, .light, separator: ";"))m"))
    #expect(!text(bytes).contains("38;5;") && !text(bytes).contains(dark[0]))
    shown.curses.setTheme(.highContrast, background: .light)
    #expect(text(shown.show(picture.canvas.grid)).contains("\u{1B}[48;2;0;0;0m"))
  }

  @Test func `an xterm with TERM=xterm shows 24 bits, though that has eight colors`() throws {
    var shown = try Presented(term: "xterm", xtermVersion: "XTerm(379)")
    #expect(shown.curses.depth == .direct)
    let bytes = shown.show(picture.canvas.grid)
    #expect(text(bytes).contains("\u{1B}[38;2;\(firstShade(.cpu, .dark, separator: ";"))m"))
    #expect(!text(bytes).contains("38;5;"))
    let mono = try Presented(term: "xterm-mono", xtermVersion: "XTerm(379)")
    #expect(mono.curses.depth == .none)
  }

  @Test func `of a description with few colors, or another way to set them, nothing is replaced`()
    throws
  {
    for term in ["xterm", "linux", "vt100"] where isDescribed(term) {
      let shown = try Presented(term: term, colorTerm: "truecolor")
      #expect(shown.curses.depth != .direct, "\(term)")
    }
  }

  @Test func `a picture that has not changed takes no byte`() throws {
    var shown = try Presented()
    _ = shown.show(picture.canvas.grid)
    for _ in 0..<5 { #expect(shown.show(picture.canvas.grid).isEmpty) }
  }

  @Test func `a changed value takes less than 40 bytes`() throws {
    var shown = try Presented()
    _ = shown.show(picture.canvas.grid)
    var canvas = picture.canvas
    canvas.text(" 91.7 %" as StaticString, row: 2, column: 6)
    let bytes = shown.show(canvas.grid)
    #expect((1..<40).contains(bytes.count))
    #expect(shown.terminal.lines[2].hasPrefix("CPU    91.7 % "))
  }

  @Test func `bytes after the memory file was emptied are right`() throws {
    var shown = try Presented()
    var canvas = picture.canvas
    for number in 0..<900 {
      // 660 cells that all differ from those before: more than a megabyte in the end.
      let glyph: Unicode.Scalar = number % 2 == 0 ? "⣿" : "░"
      for row in 0..<15 {
        for column in 0..<44 where (row + column) % 2 == number % 2 {
          canvas.put(glyph, row: row, column: column, role: column % 3 == 0 ? .cpu : .memory)
        }
      }
      _ = shown.show(canvas.grid)
    }
    #expect(shown.terminal.lines == (0..<15).map { canvas.grid.text(row: $0) })
  }

  @Test func `without colors none is sent, weights are`() throws {
    var shown = try Presented(colors: false)
    #expect(shown.curses.depth == .none)
    let sent = renditions(shown.show(picture.canvas.grid))
    #expect(sent.isSubset(of: [0, 1, 2, 4, 7]))
    #expect(sent.contains(1))
    var colored = try Presented()
    #expect(colored.curses.depth == .indexed)
    #expect(renditions(colored.show(picture.canvas.grid)).contains(38))
  }

  @Test(arguments: [("xterm", ColorDepth.eight), ("linux", .eight), ("vt100", .none)])
  func `the terminal's own colors are used`(term: String, depth: ColorDepth) throws {
    var shown = try Presented(term: term)
    #expect(shown.curses.depth == depth)
    let sent = renditions(shown.show(picture.canvas.grid))
    #expect(!sent.contains(38) && sent.contains { (30...37).contains($0) } == (depth != .none))
  }

  @Test(arguments: [nil, "", "no-such-terminal", "../../etc/passwd"])
  func `a terminal that nobody has described is taken for the most common one`(
    term: String?
  ) throws {
    let before = unsafe getenv("TERMINFO").map { unsafe String(cString: $0) }
    var shown = try Presented(term: term)
    _ = shown.show(picture.canvas.grid)
    #expect(shown.terminal.lines == picture.lines)
    #expect(shown.curses.depth == .indexed)
    #expect(unsafe getenv("TERMINFO").map { unsafe String(cString: $0) } == before)
  }

  @Test func `a terminal that cannot place its cursor is refused`() throws {
    #expect(throws: CursesError.noCursorAddressing(term: "dumb")) {
      let screen = try makeScreen(80, 24, term: "dumb")
      _ = screen.depth
    }
    // The refusal leaves curses as it was.
    var shown = try Presented()
    _ = shown.show(picture.canvas.grid)
    #expect(shown.terminal.lines == picture.lines)
  }

  @Test func `what undoes curses leaves the second screen and shows the cursor`() throws {
    let shown = try Presented()
    let restore = text(shown.curses.restoreBytes)
    #expect(restore.contains("\u{1B}[?1049l") && restore.contains("\u{1B}[?25h"))
  }

  @Test func `after a resize everything is drawn at the new size`() throws {
    var shown = try Presented()
    _ = shown.show(picture.canvas.grid)
    for (columns, rows) in [(80, 24), (20, 3), (120, 40), (1, 1)] {
      shown.resize(Size(rows: rows, columns: columns))
      let next = screen(columns, rows, threeMinutes.run)
      _ = shown.show(next.canvas.grid)
      #expect(shown.terminal.lines == next.lines)
    }
    #expect(shown.show(picture.canvas.grid).isEmpty, "a grid of another size is not shown")
  }

  @Test(arguments: [nil, "xterm-256color", "tmux-256color", "screen", "linux", "vt100"])
  func `scroll margins are never set`(_ term: String?) throws {
    var shown = try Presented(100, 40, term: term)
    var sent = shown.show(screen(100, 40, threeMinutes.run).canvas.grid)
    shown.resize(Size(rows: 15, columns: 44))
    sent += shown.show(picture.canvas.grid)
    shown.curses.redrawAll()
    sent += shown.show(picture.canvas.grid)
    sent += shown.curses.restoreBytes
    #expect(text(sent).contains(/\u{1B}\[[0-9;]*r/) == false)
    #expect(sent.count > 1000)
  }

  @Test func `after a stop everything is drawn anew`() throws {
    var shown = try Presented()
    _ = shown.show(picture.canvas.grid)
    shown.curses.redrawAll()
    shown.terminal = TinyTerminal(Size(rows: 15, columns: 44))
    _ = shown.show(picture.canvas.grid)
    #expect(shown.terminal.lines == picture.lines)
  }

  @Test func `without UTF-8 every byte is ASCII and the columns stay`() throws {
    var shown = try Presented(isUTF8: false)
    var canvas = picture.canvas
    canvas.text("日本 x" as StaticString, row: 0, column: 0)
    let bytes = shown.show(canvas.grid)
    #expect(bytes.allSatisfy { $0 < 0x80 })
    #expect(shown.terminal.lines[0].hasPrefix("???? x"))
    #expect(shown.terminal.lines[14].hasSuffix("q quit  ? help"))
  }

  @Test func `wide and narrow characters in any change show what the grid holds`() throws {
    var random = SeededRandom(seed: 21)
    var shown = try Presented(17, 4)
    var canvas = Canvas(Size(rows: 4, columns: 17))
    let scalars: [StaticString] = ["日", "本", "a", "b", " ", "é", "⣿", "語", "─", "0"]
    for _ in 0..<1500 {
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        canvas.text(
          scalars.randomElement(using: &random) ?? "x", row: Int.random(in: 0..<4, using: &random),
          column: Int.random(in: 0..<17, using: &random),
          role: Role.allCases.randomElement(using: &random) ?? .text)
      }
      let before = shown.terminal.lines
      let bytes = shown.show(canvas.grid)
      let wanted = (0..<4).map { canvas.grid.text(row: $0) }
      #expect(
        shown.terminal.lines == wanted && shown.terminal.unknown.isEmpty,
        "from \(before) by \(text(bytes).debugDescription) \(shown.terminal.unknown)")
      if shown.terminal.lines != wanted { return }
    }
  }

  @Test func `40 seconds of pictures end with what the canvas holds`() throws {
    var process = MadeUpProcess()
    var hud = HUD(size: Size(rows: 24, columns: 80), state: HUDState())
    var shown = try Presented(80, 24)
    for _ in 0..<400 {
      process.step()
      hud.invalidate()
      hud.draw(process.run, now: process.now)
      _ = shown.show(hud.canvas.grid)
    }
    #expect(shown.terminal.lines == hud.lines)
    #expect(shown.terminal.unknown.isEmpty)
  }

  @Test(
    arguments: [
      (nil, 256), ("", 256), ("xterm-256color", 256), ("new-terminal", 256), ("vte-256color", 256),
      ("xterm-16color", 16), ("foo-8color", 8), ("foo-color", 8), ("foo-88color", 88),
      ("vt220", 0), ("xterm-mono", 0), ("foo-m", 0),
    ] as [(String?, Int)])
  func `a name without an entry says how many colors there are`(term: String?, colors: Int) {
    #expect(BuiltinTerminal.colors(of: term) == colors)
  }

  @Test(arguments: [
    ("nobody-16color", ColorDepth.sixteen), ("nobody-8color", .eight), ("nobody-mono", .none),
    ("nobody", .indexed),
  ])
  func `without an entry there are no more colors than the name says`(
    term: String, depth: ColorDepth
  ) throws {
    #expect(try makeScreen(44, 15, term: term).depth == depth)
  }
}
