import PerfHUDBase
import Testing

@testable import Terminal

/// A window of one character.
private struct TestWindow {
  var frame: Rect
  var scalar: Unicode.Scalar

  init(_ row: Int, _ column: Int, _ rows: Int, _ columns: Int, _ scalar: Unicode.Scalar) {
    frame = Rect(row: row, column: column, rows: rows, columns: columns)
    self.scalar = scalar
  }
}

extension Overlay {
  /// Shows windows, the last one in front.
  fileprivate func show(_ windows: [TestWindow]) {
    var parts = RectList()
    for window in windows { parts.add(window.frame) }
    let bounds = parts.bounds
    var grid = CellGrid(Size(rows: bounds.rows, columns: bounds.columns))
    for window in windows {
      for row in 0..<window.frame.rows {
        for column in 0..<window.frame.columns {
          grid[window.frame.row + row - bounds.row, window.frame.column + column - bounds.column] =
            Cell(window.scalar, style: StyleID(1))
        }
      }
    }
    compositor.show(grid, parts: parts, at: bounds)
  }

  fileprivate func canCover(_ place: Rect) -> Bool { compositor.canCover(place) }

  /// What differs between the terminal and the screen model, which has no windows.
  fileprivate func windowlessDifference() -> String? {
    firstDifference(
      compositor.screen, terminal, mask: nil, ignoresErased: hasWrittenBlank)
  }

  /// The characters that were sent since the last call, without sequences.
  fileprivate func takeSentText() -> String {
    defer { sent = [] }
    var text = ""
    var isSequence = false
    for byte in sent {
      if byte == 0x1B { isSequence = true }
      if !isSequence { text.unicodeScalars.append(Unicode.Scalar(byte)) }
      if (0x40...0x7E).contains(byte), byte != 0x5B { isSequence = false }
    }
    return text
  }
}

private let corner = TestWindow(0, 14, 2, 5, "h")
private let middle = TestWindow(1, 6, 4, 10, "w")

@Suite struct CompositorWindowTests {
  /// Six rows of letters and the HUD in its corner.
  private func filled() -> Overlay {
    let overlay = Overlay()
    overlay.pass(
      "CSI HabcdefghijklmnopqrstCSI 3;1HABCDEFGHIJKLMNOPQRSTCSI 5;1H12345678901234567890")
    overlay.pass("CSI 6;1H")
    overlay.show([corner])
    overlay.settle()
    _ = overlay.takeSentText()
    return overlay
  }

  @Test func `a window that opens and closes over the HUD leaves the cells around it alone`() {
    let overlay = filled()
    overlay.show([corner, middle])
    overlay.settle()
    #expect(overlay.line(1) == "abcdefghijklmnhhhhht")
    #expect(overlay.line(2) == "      wwwwwwwwwwhhh")
    #expect(overlay.line(3) == "ABCDEFwwwwwwwwwwQRST")
    #expect(overlay.line(5) == "123456wwwwwwwwww7890")
    #expect(overlay.takeSentText() == String(repeating: "w", count: 40))
    overlay.show([corner])
    overlay.settle()
    #expect(overlay.line(2) == "              hhhhh")
    #expect(overlay.line(3) == "ABCDEFGHIJKLMNOPQRST")
    #expect(overlay.takeSentText() == "GHIJKLMNOP7890123456hh")
    #expect(overlay.isPainted)
    #expect(overlay.cursor == Point(row: 5, column: 0))
  }

  @Test(arguments: [1, 8, 9])
  func `a change of up to eight cells needs no update of our own`(cells: Int) {
    let overlay = Overlay()
    overlay.compositor.hasSynchronizedUpdates = true
    let below = TestWindow(1, 5, 2, 10, "a")
    overlay.show([below, TestWindow(2, 5, 1, cells, "a")])
    overlay.settle()
    #expect(overlay.text.contains("?2026h"))
    overlay.sent = []
    overlay.show([below, TestWindow(2, 5, 1, cells, "b")])
    overlay.settle()
    #expect(overlay.line(3).hasPrefix("     " + String(repeating: "b", count: cells)))
    #expect(overlay.text.contains("?2026h") == (cells > 8))
    #expect(overlay.text.contains("?2026l") == (cells > 8))
    #expect(overlay.cursor == Point(row: 0, column: 0))
  }

  @Test func `a window below another is sent only where it is seen`() {
    let overlay = filled()
    overlay.show([TestWindow(0, 12, 3, 7, "l"), corner])
    overlay.settle()
    #expect(overlay.line(1) == "abcdefghijklllhhhhht")
    #expect(overlay.line(3) == "ABCDEFGHIJKLlllllllT")
    #expect(overlay.takeSentText() == "lllllllllll")
  }

  @Test func `a window that moves sends what differs, and what was beneath it`() {
    let overlay = filled()
    overlay.show([TestWindow(0, 13, 2, 5, "h")])
    overlay.settle()
    #expect(overlay.line(1) == "abcdefghijklmhhhhhst")
    #expect(overlay.line(2) == "             hhhhh")
    #expect(overlay.takeSentText() == "shh")
  }

  @Test func `a scroll between two windows erases nothing, one under them erases all`() {
    let overlay = filled()
    overlay.show([corner, TestWindow(5, 0, 1, 4, "t")])
    overlay.settle()
    _ = overlay.takeSentText()
    overlay.pass("CSI 3;5rCSI 5;1H\nCSI r")
    #expect(overlay.isPainted)
    #expect(overlay.takeSentText() == "\n")
    overlay.pass("CSI 6;1H\n")
    #expect(!overlay.isPainted)
    overlay.settle()
    #expect(overlay.line(1) == "              hhhhh")
    #expect(overlay.line(6) == "tttt")
    let mask = overlay.compositor.covered
    #expect(overlay.difference(overlay.passed, mask: mask) == nil)
  }

  @Test func `a place of a larger screen lies on no lost cell of this one`() {
    let overlay = filled()
    overlay.pass("CSI 1;1HDCS q#0~~ ST")
    let right = overlay.compositor.canCover(Rect(row: 0, column: 60, rows: 3, columns: 30))
    let below = overlay.compositor.canCover(Rect(row: 40, column: 0, rows: 3, columns: 5))
    #expect(right && below)
  }

  @Test func `what is written between the windows stays, what is written over one is repaired`() {
    let overlay = filled()
    overlay.show([TestWindow(0, 0, 2, 3, "l"), corner])
    overlay.settle()
    _ = overlay.takeSentText()
    overlay.pass("CSI 2;3H+++++++++++++")
    #expect(overlay.line(2) == "ll+++++++++++++hhhh")
    _ = overlay.takeSentText()
    overlay.settle()
    #expect(overlay.line(2) == "lll+++++++++++hhhhh")
    // Nothing beside them was ever cut.
    #expect(overlay.takeSentText() == "lh")
  }

  @Test func `where one of two windows lies over an image, none is drawn`() {
    let overlay = Overlay()
    overlay.show([corner, TestWindow(4, 0, 1, 3, "l")])
    overlay.pass("CSI 5;1HDCS q~~ STCSI 1;1H")
    overlay.settle()
    #expect(!overlay.isPainted)
    #expect(!overlay.canCover(Rect(row: 4, column: 0, rows: 1, columns: 3)))
    overlay.pass("CSI 2JCSI H")
    #expect(overlay.canCover(Rect(row: 4, column: 0, rows: 1, columns: 3)))
    overlay.settle()
    #expect(overlay.isPainted)
  }

  @Test func `a wide character between two windows is whole again as soon as it can be`() {
    let overlay = Overlay()
    overlay.pass("CSI 2;5H日本CSI 1;1H")
    let left = TestWindow(1, 2, 1, 3, "l")
    let right = TestWindow(1, 7, 1, 3, "r")
    overlay.show([left, right])
    overlay.settle()
    #expect(overlay.line(2) == "  lll  rrr")
    overlay.show([right])
    overlay.settle()
    #expect(overlay.line(2) == "    日 rrr")
    overlay.show([left, TestWindow(1, 6, 1, 3, "r")])
    overlay.settle()
    #expect(overlay.line(2) == "  lll rrr")
    overlay.show([TestWindow(1, 5, 1, 1, "m")])
    overlay.settle()
    #expect(overlay.line(2) == "     m本")
    overlay.compositor.hide()
    overlay.settle()
    #expect(overlay.line(2) == "    日本")
  }

  @Test func `a window beneath which the wrap is pending is erased with what was there`() {
    let overlay = Overlay()
    overlay.pass("CSI ?69hCSI 3;9sCSI 2;9Hx")
    let sent = overlay.sent
    overlay.show([TestWindow(1, 6, 2, 5, "h")])
    overlay.settle()
    #expect(overlay.line(2) == "      hhhhh")
    overlay.show([TestWindow(0, 0, 1, 1, "h")])
    overlay.settle()
    overlay.compositor.hide()
    overlay.settle()
    #expect(overlay.difference(sent) == nil)
  }

  @Test func `in a smaller window of the terminal nothing of the windows is left`() {
    let overlay = filled()
    overlay.show([corner, middle])
    overlay.settle()
    let size = Size(rows: 4, columns: 11)
    overlay.resize(to: size)
    #expect(overlay.windowlessDifference() == nil)
    overlay.show([TestWindow(0, 5, 2, 5, "h")])
    overlay.settle()
    #expect(overlay.line(1) == "ABCDEhhhhhK")
  }

  /// 100 000 steps from printed seeds: output, windows that come, move, overlap and go, other sizes.
  @Test(arguments: 1...25, [false, true])
  func `after all windows are closed the terminal shows what the model has`(
    seed: Int, isGhost: Bool
  ) {
    var numbers = SeededRandom(seed: UInt64(seed) &+ 4711)
    let overlay = Overlay(isGhost: isGhost)
    overlay.compositor.hasSynchronizedUpdates = seed.isMultiple(of: 2)
    var input: [UInt8] = []
    for step in 0..<2000 {
      switch Int.random(in: 0..<20, using: &numbers) {
      case 0..<8:
        if input.isEmpty {
          input = ScreenRandomTests.stream(
            UInt64(seed) &* 1000 &+ UInt64(step), steps: 20, omitted: ["ESC V", "ESC W"])
        }
        let count = min(input.count, Int.random(in: 1...12, using: &numbers))
        overlay.pass(Array(input[..<count]))
        input.removeFirst(count)
      case 8..<14: overlay.settle(isIdle: Bool.random(using: &numbers))
      case 14..<18: overlay.show(windows(on: overlay.compositor.screen.size, &numbers))
      case 18:
        if Int.random(in: 0..<4, using: &numbers) == 0 { overlay.compositor.invalidateHUD() }
      default:
        // What is held back of a sequence has reached the model alone.
        guard step.isMultiple(of: 3), overlay.compositor.screen.isRestorable,
          overlay.compositor.screen.isAtGround
        else { break }
        overlay.resize(
          to: Size(
            rows: Int.random(in: 1...9, using: &numbers),
            columns: Int.random(in: 2...30, using: &numbers)))
      }
      guard overlay.lateErases == 0 else {
        Issue.record("seed \(seed), step \(step): forced")
        return
      }
      guard step % 10 == 9 else { continue }
      overlay.compositor.hide()
      overlay.settle()
      guard !overlay.isPainted, !overlay.isUpdating else { continue }
      if let text = overlay.windowlessDifference() {
        Issue.record("seed \(seed), step \(step): \(text)")
        return
      }
    }
  }

  /// None to four windows, of which some overlap.
  private func windows(on size: Size, _ numbers: inout SeededRandom) -> [TestWindow] {
    let scalars: [Unicode.Scalar] = ["a", "b", "c", "d"]
    return (0..<Int.random(in: 1...4, using: &numbers)).map { index in
      let rows = Int.random(in: 1...min(4, size.rows), using: &numbers)
      let columns = Int.random(in: 1...min(9, size.columns - 1), using: &numbers)
      return TestWindow(
        Int.random(in: 0...size.rows - rows, using: &numbers),
        Int.random(in: 0...size.columns - 1 - columns, using: &numbers), rows, columns,
        scalars[index])
    }
  }
}
