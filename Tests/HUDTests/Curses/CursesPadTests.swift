import CMallocCount
import Glibc
import Metrics
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import HUD

private func makePad(
  _ columns: Int = 36, _ rows: Int = 9, term: String? = "xterm-256color",
  colorTerm: String? = nil, xtermVersion: String? = nil, colors: Bool = true, isUTF8: Bool = true
) throws -> CursesPad {
  try SignalActions.alone {
    try CursesPad(
      size: Size(rows: rows, columns: columns), term: term,
      directColors: DirectColorSource(
        term: term, colorTerm: colorTerm, xtermVersion: xtermVersion),
      colors: colors, isUTF8: isUTF8)
  }
}

private func overlay(
  _ columns: Int = 36, _ rows: Int = 9, language: Language = .english, isASCII: Bool = false
) -> HUD {
  let state = HUDState(language: language, isASCII: isASCII, family: .overlay)
  return screen(columns, rows, threeMinutes.run, state: state)
}

/// There is one ncurses in a process: these belong to the suite that runs one after another.
extension CursesScreenTests {
  @Suite struct CursesPadTests {
    @Test(arguments: ["xterm-256color", "dumb", "vt100", "linux", "no-such-terminal", "", nil])
    func `the cells that come back are those that were given, on any terminal`(
      term: String?
    ) throws {
      var pad = try makePad(term: term)
      let hud = overlay()
      let hasChanged = pad.present(hud.canvas.grid)
      #expect(hasChanged)
      #expect(pad.cells == hud.canvas.grid)
    }

    @Test(arguments: [(36, 9), (24, 5), (48, 1), (72, 20), (8, 2), (1, 1)], Language.allCases)
    func `each overlay comes back whole`(size: (Int, Int), language: Language) throws {
      var pad = try makePad(size.0, size.1, term: "dumb")
      let hud = overlay(size.0, size.1, language: language)
      pad.present(hud.canvas.grid)
      #expect(pad.cells == hud.canvas.grid)
    }

    @Test func `the library writes no byte`() throws {
      for term in ["xterm-256color", "dumb", "linux"] {
        var pad = try makePad(term: term)
        pad.present(overlay().canvas.grid)
        pad.resize(to: Size(rows: 5, columns: 24))
        pad.present(overlay(24, 5).canvas.grid)
        let written = pad.writtenBytes
        #expect(written == 0, "\(term)")
      }
    }

    @Test func `no handler of the library stays`() throws {
      let signals = [SIGINT, SIGTERM, SIGTSTP, SIGWINCH]
      func handlers() -> [UInt] {
        signals.map { number in
          var action = sigaction()
          unsafe sigaction(number, nil, &action)
          return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
        }
      }
      try SignalActions.alone {
        let before = handlers()
        var pad = try makePad()
        pad.present(overlay().canvas.grid)
        #expect(handlers() == before)
      }
    }

    @Test func `a grid that has not changed is not given again`() throws {
      var pad = try makePad()
      let first = pad.present(overlay().canvas.grid)
      let second = pad.present(overlay().canvas.grid)
      #expect(first && !second)
    }

    @Test func `a grid of another size is not taken`() throws {
      var pad = try makePad()
      pad.present(overlay().canvas.grid)
      let before = pad.cells
      let hasChanged = pad.present(overlay(24, 5).canvas.grid)
      #expect(!hasChanged && pad.cells == before)
    }

    @Test func `after a resize the next grid comes back at the new size`() throws {
      var pad = try makePad()
      for (columns, rows) in [(36, 9), (72, 20), (20, 1), (0, 0), (24, 5)] {
        pad.resize(to: Size(rows: rows, columns: columns))
        let hud = overlay(columns, rows)
        pad.present(hud.canvas.grid)
        #expect(pad.cells == hud.canvas.grid, "\(columns)x\(rows)")
      }
    }

    @Test func `every number of a style comes back`() throws {
      var pad = try makePad(16, 2, term: "dumb")
      var grid = CellGrid(Size(rows: 2, columns: 16))
      for (column, style) in [0, 1, 12, 13, 25, 26, 255, 256, 777, 32767, 32768, 65535].enumerated()
      {
        grid[0, column] = Cell("x", style: StyleID(UInt16(style)))
        grid[1, column] = Cell(" ", style: StyleID(UInt16(style)))
      }
      for column in 12..<16 {
        for row in 0..<2 { grid[row, column] = Cell(" ") }
      }
      pad.present(grid)
      #expect(pad.cells == grid)
    }

    @Test func `wide and narrow characters in any change come back as they were given`() throws {
      var random = SeededRandom(seed: 22)
      var pad = try makePad(17, 4)
      var canvas = Canvas(Size(rows: 4, columns: 17))
      let texts: [StaticString] = ["日", "本", "a", "b", " ", "é", "⣿", "語", "─", "0"]
      for number in 0..<1500 {
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          canvas.text(
            texts.randomElement(using: &random) ?? "x", row: Int.random(in: 0..<4, using: &random),
            column: Int.random(in: 0..<17, using: &random),
            role: Role.allCases.randomElement(using: &random) ?? .text)
        }
        pad.present(canvas.grid)
        let isSame = pad.cells == canvas.grid
        #expect(isSame, "change \(number)")
        if !isSame { return }
      }
    }

    @Test func `without UTF-8 every cell is ASCII and the columns stay`() throws {
      var pad = try makePad(isUTF8: false)
      let isUTF8 = pad.isUTF8
      #expect(!isUTF8)
      let plain = overlay(isASCII: true)
      pad.present(plain.canvas.grid)
      #expect(pad.cells == plain.canvas.grid)
      var canvas = plain.canvas
      canvas = Canvas(canvas.grid.size)
      canvas.text("日本 x…" as StaticString, row: 0, column: 0)
      pad.present(canvas.grid)
      #expect(pad.cells.text(row: 0) == "???? x~")
    }

    @Test(arguments: [
      ("xterm-256color", nil, ColorDepth.indexed), ("linux", nil, .eight), ("vt100", nil, .none),
      ("dumb", nil, .none), ("no-such-terminal", nil, .indexed), ("xterm", "truecolor", .direct),
      ("xterm", "24bit", .direct), ("xterm", "yes", .eight),
    ])
    func `the terminal's own colors are used`(
      term: String, colorTerm: String?, depth: ColorDepth
    ) throws {
      let pad = try makePad(term: term, colorTerm: colorTerm)
      let wanted = pad.depth
      #expect(wanted == depth)
      let plain = try makePad(term: term, colorTerm: colorTerm, colors: false)
      let none = plain.depth
      #expect(none == .none)
    }

    @Test(arguments: [
      ("xterm", "XTerm(379)", ColorDepth.direct), ("xterm", "XTerm(330)", .eight),
      ("xterm-mono", "XTerm(379)", .none), ("xterm-16color", "XTerm(379)", .sixteen),
      ("linux", "XTerm(379)", .eight),
    ])
    func `an xterm has 24 bits, unless its description was chosen for fewer`(
      term: String, version: String, depth: ColorDepth
    ) throws {
      let found = try makePad(term: term, xtermVersion: version).depth
      #expect(found == depth)
      let plain = try makePad(term: term, xtermVersion: version, colors: false).depth
      #expect(plain == .none)
    }

    @Test func `a screen after a pad, and a pad after a screen`() throws {
      for _ in 0..<3 {
        do {
          var pad = try makePad()
          pad.present(overlay().canvas.grid)
          #expect(pad.cells.text(row: 0).hasPrefix("╭ demo ·"))
        }
        var queue = OutputQueue()
        var curses = try makeScreen(36, 9, term: "xterm")
        curses.present(screen(36, 9, threeMinutes.run).canvas.grid, to: &queue)
        #expect(queue.count > 0)
      }
    }

    @Test(.enabled(if: perfhud_malloc_is_counted() != 0))
    func `200 grids allocate nothing`() throws {
      var pad = try makePad()
      let grids = [overlay(), overlay(language: .japanese), overlay(isASCII: true)].map {
        $0.canvas.grid
      }
      for grid in grids { pad.present(grid) }
      let before = perfhud_malloc_count()
      for number in 0..<200 { pad.present(grids[number % 3]) }
      #expect(perfhud_malloc_count() == before)
    }
  }
}
