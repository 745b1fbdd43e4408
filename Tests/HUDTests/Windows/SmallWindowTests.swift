import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal
import TestSupport
import Testing

@testable import HUD

/// Pages and toasts on terminals with few rows.
@Suite struct SmallWindowTests {
  /// Over a program the HUD has one row of a low terminal; in a pane it has all.
  private func makeScreen(_ columns: Int, _ rows: Int, _ family: HUDFamily) -> OnProgram {
    var screen = OnProgram(family: family)
    screen.room = Rect(Size(rows: rows, columns: columns))
    screen.frame = Rect(
      Size(rows: family == .pane ? rows : max(1, min(5, rows / 2)), columns: columns))
    var header = screen.process.run.header
    header.alerts = ["cpu > 1% for 1s", "mem > 1MiB"].compactMap { try? Rule($0) }
    screen.process = MadeUpProcess(header: header)
    screen.process.pass(seconds: 12)
    screen.draw()
    return screen
  }

  /// What is visible in each row of the terminal.
  private func rows(_ screen: OnProgram) -> [String] {
    let bounds = screen.hud.bounds
    return (0..<screen.room.rows).map { row in
      let line = row - bounds.row
      return screen.hud.lines.indices.contains(line) ? screen.hud.lines[line] : ""
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 7], [HUDFamily.overlay, .pane])
  func `the key ! shows the alerts however few rows there are, and hides them again`(
    rows: Int, family: HUDFamily
  ) {
    var screen = makeScreen(20, rows, family)
    let before = screen.hud.text
    screen.press(.character("!"))
    #expect(screen.hud.text.contains("! cpu >"), "\(screen.hud.text)")
    screen.press(.character("!"))
    #expect(screen.hud.text == before)
  }

  @Test(arguments: [2, 3, 5], [HUDFamily.overlay, .pane])
  func `toasts leave a row of a page`(rows: Int, family: HUDFamily) {
    var screen = makeScreen(20, rows, family)
    screen.press(.character("!"))
    for text in ["one", "two", "three"] { screen.report(.toast, text) }
    #expect(screen.frame(.toast)?.rows == 1)
    #expect(screen.hud.text.contains("three"), "\(screen.hud.text)")
    #expect(screen.hud.text.contains("! cpu >"), "\(screen.hud.text)")
  }

  @Test(arguments: [HUDFamily.overlay, .pane])
  func `a toast does not cover the only row`(family: HUDFamily) {
    var screen = makeScreen(20, 1, family)
    screen.report(.toast, "saved")
    #expect(screen.frame(.toast) == nil && screen.hud.text.contains("%"))
    screen.press(.character("!"))
    screen.report(.toast, "again")
    #expect(screen.hud.text.contains("! cpu >"))
    // The result of a key is what the user waits for.
    screen.press(.character("m"))
    #expect(screen.hud.text.contains("mark set"))
  }

  @Test(arguments: [HUDFamily.overlay, .pane], [1, 2, 3])
  func `every page, focused and searched, keeps the width of a low terminal`(
    family: HUDFamily, rows: Int
  ) {
    for key in "lpaFtTyM!".unicodeScalars {
      var screen = makeScreen(20, rows, family)
      screen.press(.character(key))
      screen.press(family == .pane ? .character("f") : .tab)
      screen.press(.character("/"), .character("x"))
      let list = screen.frame(.list)
      #expect(list?.rows == rows, "\(key)")
      #expect(key == "F" || screen.hud.text.contains("x_"), "\(key) \(screen.hud.text)")
      for line in screen.hud.wholeLines {
        let width = line.unicodeScalars.reduce(0) { $0 + CharacterWidth.of($1) }
        #expect(width == screen.hud.bounds.columns, "\(key) \(line)")
      }
    }
  }

  @Test(arguments: [(20, 1), (20, 2), (20, 3), (24, 5)])
  func `pages and toasts on a low terminal`(columns: Int, rows: Int) {
    var text = ""
    for family in [HUDFamily.overlay, .pane] {
      for key in "!yl".unicodeScalars {
        var screen = makeScreen(columns, rows, family)
        screen.press(.character(key))
        screen.report(.toast, "saved")
        text += "\(family) \(key)\n"
        text += self.rows(screen).map { "  \($0)|\n" }.joined()
      }
    }
    expectGolden(text, file: "Golden/Small/\(columns)x\(rows).txt")
  }
}
