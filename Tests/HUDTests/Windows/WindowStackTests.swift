import Terminal
import Testing

@testable import HUD

private func rect(_ row: Int, _ column: Int, _ rows: Int, _ columns: Int) -> Rect {
  Rect(row: row, column: column, rows: rows, columns: columns)
}

private func window(
  _ number: Int, _ level: WindowLevel, _ frame: Rect = rect(0, 0, 5, 10)
) -> Window {
  Window(id: WindowID(rawValue: number), level: level, frame: frame)
}

@Suite struct WindowStackTests {
  /// From back to front.
  private func order(_ stack: WindowStack) -> [Int] { stack.windows.map(\.id.rawValue) }

  @Test func `a higher level is on top, whatever was shown last`() {
    var stack = WindowStack()
    for (number, level) in WindowLevel.allCases.reversed().enumerated() {
      stack.show(window(number, level))
    }
    #expect(order(stack) == [5, 4, 3, 2, 1, 0])
    #expect(WindowLevel.allCases == [.cover, .hud, .list, .toast, .loading, .help])
  }

  @Test func `within a level the one that was shown last is on top`() {
    var stack = WindowStack()
    for number in 1...3 { stack.show(window(number, .toast)) }
    stack.show(window(9, .help))
    #expect(order(stack) == [1, 2, 3, 9])
    stack.show(window(1, .toast))
    #expect(order(stack) == [2, 3, 1, 9])
    stack.show(window(2, .toast, rect(1, 1, 1, 1)))
    #expect(order(stack) == [3, 1, 2, 9])
    #expect(stack[WindowID(rawValue: 2)]?.frame == rect(1, 1, 1, 1))
    stack.close(WindowID(rawValue: 1))
    #expect(order(stack) == [3, 2, 9])
  }

  @Test func `a hit is the frontmost window there`() {
    var stack = WindowStack()
    stack.show(window(0, .hud, rect(0, 10, 4, 10)))
    stack.show(window(1, .help, rect(2, 5, 4, 10)))
    func hit(_ row: Int, _ column: Int) -> Int? {
      stack.window(at: Point(row: row, column: column))?.rawValue
    }
    #expect(hit(0, 10) == 0 && hit(3, 19) == 0)
    #expect(hit(2, 10) == 1 && hit(3, 14) == 1 && hit(5, 5) == 1)
    #expect(hit(0, 9) == nil && hit(4, 15) == nil && hit(6, 5) == nil && hit(0, 20) == nil)
  }

  @Test func `covered is what is seen, from front to back`() {
    var stack = WindowStack()
    stack.show(window(0, .hud, rect(0, 10, 4, 10)))
    stack.show(window(1, .toast, rect(4, 12, 1, 8)))
    stack.show(window(2, .help, rect(2, 5, 4, 10)))
    #expect(stack.bounds == rect(0, 5, 6, 15))
    func list(_ covered: RectList) -> [Rect] { (0..<covered.count).map { covered[$0] } }
    #expect(list(stack.covered) == [rect(2, 5, 4, 10), rect(4, 12, 1, 8), rect(0, 10, 4, 10)])
    stack.move(WindowID(rawValue: 2), to: rect(0, 0, 6, 20))
    #expect(list(stack.covered) == [rect(0, 0, 6, 20)])
  }

  @Test func `in a smaller room windows are moved in, and cut where they are larger`() {
    var stack = WindowStack()
    stack.show(window(0, .hud, rect(0, 60, 9, 36)))
    stack.show(window(1, .help, rect(2, 20, 19, 39)))
    let room = rect(0, 0, 10, 40)
    stack.fit(into: room)
    #expect(stack.windows.map(\.frame) == [rect(0, 4, 9, 36), rect(0, 1, 10, 39)])
    stack.fit(into: rect(0, 0, 0, 0))
    #expect(stack.windows.allSatisfy { $0.frame.isEmpty })
  }

  @Test func `cells of the screen are converted to those of a window and a widget`() {
    var stack = WindowStack()
    let id = WindowID(rawValue: 1)
    stack.show(window(1, .list, rect(3, 7, 5, 20)))
    let point = Point(row: 5, column: 10)
    #expect(stack.toWindow(point, id) == Point(row: 2, column: 3))
    #expect(stack.toWidget(point, rect(1, 1, 3, 18), in: id) == Point(row: 1, column: 2))
    #expect(stack.toWidget(Point(row: 3, column: 10), rect(1, 1, 3, 18), in: id) == nil)
    #expect(stack.toWindow(point, .help) == nil)
  }
}
