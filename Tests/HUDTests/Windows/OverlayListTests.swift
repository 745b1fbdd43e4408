import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal
import TestSupport
import Testing

@testable import HUD

/// The size of a list over a program.
@Suite struct OverlayListTests {
  @Test func `a list over a program covers only the rows that it needs`() {
    var screen = OnProgram()
    screen.room = Rect(Size(rows: 40, columns: 79))
    screen.press(.character("p"))
    // Its frame, the headings and the three marks.
    #expect(screen.frame(.list)?.rows == 6)
    // It grows at once, up to half of the rows beside the gauges.
    for name in ["d", "e"] { screen.report(.phase, name) }
    #expect(screen.frame(.list)?.rows == 8)
    for index in 0..<20 { screen.report(.phase, "phase \(index)") }
    #expect(screen.frame(.list)?.rows == 15)
  }

  @Test(arguments: [(80, 36), (96, 48), (120, 60), (200, 60)])
  func `a list over a wide program cuts less`(columns: Int, wanted: Int) {
    var screen = OnProgram()
    screen.room = Rect(Size(rows: 24, columns: columns))
    screen.press(.character("p"))
    #expect(screen.frame(.list)?.columns == wanted)
    #expect(screen.frame(.list)?.endColumn == screen.frame.endColumn)
  }

  @Test func `each page over a program has its own columns`() {
    var screen = OnProgram()
    screen.room = Rect(Size(rows: 24, columns: 200))
    let pages: [(key: Unicode.Scalar, columns: Int)] = [
      ("M", 72), ("F", 60), ("M", 72), ("l", 44), ("p", 60),
    ]
    for (key, columns) in pages {
      screen.press(.character(key))
      screen.draw()
      #expect(screen.frame(.list)?.columns == columns, "\(key)")
    }
  }
}
