import PerfHUDBase
import Testing

@testable import Terminal

/// What xterm keeps to the right of its screen.
@Suite struct HiddenColumnTests {
  private static func screen(_ text: String, rows: Int, columns: Int) -> Screen {
    var options = Screen.Options()
    options.quirks = .xterm
    var screen = Screen(Size(rows: rows, columns: columns), options: options)
    feed(text, to: &screen)
    return screen
  }

  private static func feed(_ text: String, to screen: inout Screen) {
    let bytes = Array(text.utf8)
    _ = unsafe screen.feed(bytes.span.bytes)
  }

  private static func resize(_ screen: inout Screen, rows: Int, columns: Int) {
    var grid = screen.reflowGrid
    grid.resize(to: Size(rows: rows, columns: columns))
    screen.install(grid)
  }

  @Test func `columns up to a multiple of four come back`() {
    var screen = HiddenColumnTests.screen("abcdefghijkl", rows: 2, columns: 12)
    HiddenColumnTests.resize(&screen, rows: 2, columns: 5)
    #expect(screen.text(row: 0) == "abcde")
    HiddenColumnTests.resize(&screen, rows: 2, columns: 12)
    #expect(screen.text(row: 0) == "abcdefgh")
    HiddenColumnTests.resize(&screen, rows: 2, columns: 4)
    HiddenColumnTests.resize(&screen, rows: 2, columns: 12)
    #expect(screen.text(row: 0) == "abcd")
  }

  @Test func `what is hidden outlives an erasure`() {
    var screen = HiddenColumnTests.screen("abcdefgh", rows: 2, columns: 12)
    HiddenColumnTests.resize(&screen, rows: 2, columns: 6)
    HiddenColumnTests.feed("\r\u{1B}[2Kx", to: &screen)
    HiddenColumnTests.resize(&screen, rows: 2, columns: 12)
    #expect(screen.text(row: 0) == "x     gh")
  }

  @Test func `the line that comes in has what was hidden of the one that leaves`() {
    var screen = HiddenColumnTests.screen("abcdefgh\r\nx", rows: 2, columns: 12)
    HiddenColumnTests.resize(&screen, rows: 2, columns: 6)
    HiddenColumnTests.feed("\r\ny", to: &screen)
    HiddenColumnTests.resize(&screen, rows: 2, columns: 12)
    #expect(screen.text(row: 0) == "x")
    #expect(screen.text(row: 1) == "y     gh")
  }

  @Test func `half of a wide character is not known until all of it is shown`() {
    var screen = HiddenColumnTests.screen("abc日本", rows: 2, columns: 12)
    HiddenColumnTests.resize(&screen, rows: 2, columns: 6)
    #expect(screen.text(row: 0) == "abc日?")
    HiddenColumnTests.resize(&screen, rows: 2, columns: 12)
    #expect(screen.text(row: 0) == "abc日本")
  }
}
