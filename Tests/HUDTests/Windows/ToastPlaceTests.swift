import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal
import TestSupport
import Testing

@testable import HUD

/// Where a full-screen view shows its toasts.
@Suite struct ToastPlaceTests {
  private func makePane(_ columns: Int, _ rows: Int, _ overview: OverviewLayout = .standard)
    -> OnProgram
  {
    var screen = OnProgram(family: .pane)
    screen.hud.state.view.overview = overview
    screen.room = Rect(Size(rows: rows, columns: columns))
    screen.frame = screen.room
    screen.draw()
    return screen
  }

  private func frames(_ screen: OnProgram) -> [Rect] {
    WindowID.toasts.compactMap { screen.frame($0) }
  }

  @Test func `a toast is at the end of the line below the tabs, and the rest is the same`() {
    for (columns, rows) in [(80, 24), (100, 24), (120, 40)] {
      var screen = makePane(columns, rows)
      let before = screen.hud.lines
      screen.report(.toast, "saved")
      #expect(frames(screen) == [Rect(row: 1, column: columns - 9, rows: 1, columns: 9)])
      #expect(screen.hud.lines[1].hasPrefix("━━━━━━━━━━──") && screen.hud.lines[0] == before[0])
      #expect(screen.hud.lines[1].hasSuffix("\"saved\""))
      #expect(screen.hud.lines.dropFirst(2) == before.dropFirst(2))
      screen.process.pass(seconds: 5)
      screen.draw()
      #expect(frames(screen).isEmpty)
    }
  }

  @Test func `its place is the same below the last tab`() {
    var screen = makePane(80, 24)
    screen.press(.character("7"))
    screen.process.pass(seconds: 0.5)
    screen.draw()
    screen.report(.toast, "saved")
    #expect(frames(screen) == [Rect(row: 1, column: 71, rows: 1, columns: 9)])
  }

  @Test func `without a line only the newest toast is shown`() {
    for (rows, count) in [(24, 2), (15, 1)] {
      var screen = makePane(44, rows)
      screen.report(.toast, "saved")
      screen.report(.toast, "sent")
      #expect(frames(screen).count == count)
      #expect(screen.hud.text.contains("\"sent\""))
    }
  }

  @Test func `a toast is newer than a notice before it`() {
    var screen = makePane(44, 15)
    screen.process.apply(.listener(.otherHUD, screen.process.now))
    screen.draw()
    #expect(screen.hud.text.contains("another perfhud"), "\(screen.hud.text)")
    screen.process.pass(seconds: 1)
    screen.report(.toast, "saved")
    #expect(screen.hud.text.contains("\"saved\""), "\(screen.hud.text)")
    #expect(frames(screen).count == 1)
  }

  @Test func `without a line it is in the row of tabs, and the rest is the same`() {
    var screen = makePane(100, 14)
    let before = screen.hud.lines
    screen.report(.toast, "saved")
    #expect(frames(screen) == [Rect(row: 0, column: 91, rows: 1, columns: 9)])
    #expect(screen.hud.lines[0].hasPrefix(before[0] + "  "))
    #expect(screen.hud.lines[0].hasSuffix("\"saved\""))
    #expect(screen.hud.lines.dropFirst() == before.dropFirst())
  }

  @Test func `a second one is beside it, a third over blank cells, and all stay there`() throws {
    var screen = makePane(120, 40)
    screen.report(.toast, String(repeating: "x", count: 56))
    screen.report(.toast, String(repeating: "y", count: 40))
    screen.report(.toast, String(repeating: "z", count: 40))
    let places = frames(screen)
    // The newest is after the title.
    #expect(places.map(\.row) == [1, 1, 2], "\(screen.hud.text)")
    screen.process.pass(seconds: 1)
    screen.draw()
    #expect(frames(screen) == places)
  }

  @Test func `without blank cells it covers keys, each as a whole, but not the values`() {
    for (length, keys) in [(36, "1-7 tabs"), (46, "iB"), (66, "")] {
      var screen = makePane(80, 19)
      screen.report(.toast, String(repeating: "x", count: length - 4))
      #expect(frames(screen).map(\.row) == [18], "\(screen.hud.text)")
      let rest = screen.hud.lines[18].prefix { $0 != "▌" }.drop { $0 == " " }
      #expect(rest.isEmpty == keys.isEmpty, "\(screen.hud.lines[18])")
      var trimmed = String(rest)
      while trimmed.last == " " { trimmed.removeLast() }
      #expect(trimmed.hasSuffix(keys), "\(screen.hud.lines[18])")
    }
  }

  @Test func `a toast does not cover the line of the loading message`() {
    var screen = makePane(80, 24)
    screen.report(.loading, "opening", 0.5)
    screen.report(.toast, String(repeating: "x", count: 60))
    #expect(frames(screen).map(\.row) == [1], "the line of the tabs")
    #expect(screen.hud.text.contains("opening") && screen.hud.text.contains("xxxx"))
  }

  @Test func `what the visible log has is not shown as a toast too`() {
    let text = "another perfhud receives its events"
    var screen = makePane(120, 40)
    screen.process.apply(.listener(.otherHUD, screen.process.now))
    screen.draw()
    #expect(frames(screen).count == 1)
    screen.press(.character("l"))
    // The underline is in its place.
    screen.process.pass(seconds: 0.5)
    screen.draw()
    #expect(frames(screen).isEmpty)
    #expect(screen.hud.lines.filter { $0.contains(text) }.count == 1)
    // The filter hides it there.
    screen.press(.character("f"), .character("&"))
    screen.type("mark")
    screen.press(.enter, .escape)
    #expect(frames(screen).count == 1)
    // Texts of the program are not in the log.
    screen.report(.toast, "saved")
    #expect(screen.hud.text.contains("\"saved\""))
    // Another page does not have it.
    screen.press(.character("y"))
    #expect(screen.hud.text.contains(text))
  }

  @Test func `a log that is a part of the overview counts too`() {
    var screen = makePane(120, 40, OverviewLayout(parts: [.memoryGraph, .log]))
    screen.process.apply(.listener(.otherHUD, screen.process.now))
    screen.draw()
    #expect(screen.hud.layout.contains { $0.id == .log })
    #expect(frames(screen).isEmpty)
    #expect(screen.hud.text.contains("another perfhud receives its events"))
  }

  @Test func `of more toasts than have a place the newest one is shown`() {
    var screen = makePane(80, 24)
    for number in 1...3 { screen.report(.toast, "\(number)" + String(repeating: "x", count: 64)) }
    #expect(frames(screen).count == 2)
    #expect(screen.hud.text.contains("\"3xxx"), "\(screen.hud.text)")
  }

  /// Toasts of random lengths on every tab, in panes with a row of keys, cover blank cells, the line below the tabs and
  /// keys alone.
  @Test(arguments: 1...8)
  func `no value is covered, whatever the size and the tab`(seed: Int) {
    var numbers = SeededRandom(seed: UInt64(seed))
    for _ in 0..<40 {
      let rows = Int.random(in: 11...50, using: &numbers)
      let columns = Int.random(in: 40...200, using: &numbers)
      var pane = PaneScreen(columns, rows)
      let tab = UInt8.random(in: 0...6, using: &numbers)
      pane.press(.character(Unicode.Scalar(UInt8(ascii: "1") + tab)))
      pane.hud.show(toasts: [])
      pane.hud.drawAll(pane.process.run)
      let before = pane.hud.wholeLines
      let until = pane.process.now.advanced(bySeconds: 60)
      let lengths = (0..<3).map { _ in Int.random(in: 1...min(90, columns - 2), using: &numbers) }
      pane.hud.show(
        toasts: lengths.map { ToastLine(String(repeating: "x", count: $0), until: until) })
      pane.hud.drawAll(pane.process.run)
      #expect(!frames(pane).isEmpty)
      for frame in frames(pane) where frame.row < rows - 1 {
        let covered = (frame.column..<frame.endColumn).map { column in
          cell(before[frame.row], column)
        }
        let isBelowTabs = pane.frame(.tabs).map { $0.rows > 1 && frame.row == $0.row + 1 } == true
        #expect(
          covered.allSatisfy { isBelowTabs ? $0 == "─" || $0 == "━" : $0 == " " },
          "\(columns)x\(rows) \(tab): \(frame)")
      }
    }
  }

  private func frames(_ pane: PaneScreen) -> [Rect] {
    WindowID.toasts.compactMap { pane.hud.stack[$0]?.frame }
  }

  /// The character at a column of a line without wide characters before it.
  private func cell(_ line: String, _ column: Int) -> Unicode.Scalar {
    let scalars = line.unicodeScalars
    return scalars[scalars.index(scalars.startIndex, offsetBy: column)]
  }
}
