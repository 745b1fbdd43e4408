import Metrics
import Terminal
import Testing

@testable import HUD

/// The key that closes a page over a program, in the lower edge of the page.
@Suite struct ClosingKeyTests {
  /// The lower edge of the page.
  private func edge(_ screen: OnProgram) throws -> String {
    let frame = try #require(screen.frame(.list))
    return screen.hud.lines[frame.endRow - 1 - screen.hud.bounds.row]
  }

  @Test(arguments: ["l", "p", "a", "F", "M", "t", "T", "y", "!"] as [Unicode.Scalar])
  func `a page names the key that closes it`(key: Unicode.Scalar) throws {
    for (language, word) in [(Language.english, "closes"), (.japanese, "で閉じる")] {
      var screen = OnProgram(language: language)
      screen.press(.character(key))
      #expect(try edge(screen).contains("╰─ \(key) \(word) ─"), "the HUD has the focus")
      screen.hud.endKeys()
      screen.hud.hasKeys = false
      screen.draw()
      #expect(try !edge(screen).contains(word), "without a prefix key no key reaches it")
      screen.hud.state.prefixKey = "C-^"
      screen.hud.invalidateAll()
      screen.draw()
      #expect(try edge(screen).contains("╰─ C-^ \(key) \(word) ─"))
      screen.hud.hasKeys = true
      screen.press(.tab)
      #expect(try !edge(screen).contains(word), "the page has the focus")
      screen.press(.escape, .character(key))
      #expect(screen.frame(.list) == nil)
    }
  }

  @Test func `where there is no room a page names no key`() throws {
    var screen = OnProgram()
    screen.hud.hasKeys = false
    screen.hud.state.prefixKey = "F12"
    for (columns, isNamed) in [(18, true), (17, false), (8, false)] {
      screen.room = Rect(Size(rows: 24, columns: columns))
      screen.frame = Rect(Size(rows: 5, columns: columns))
      screen.draw()
      if screen.frame(.list) == nil { screen.press(.character("l")) }
      #expect(try edge(screen).contains(" F12 l closes ") == isNamed)
      #expect(try edge(screen).hasSuffix("─╯"))
    }
  }
}
