import Terminal
import Testing

@testable import HUD

/// A list of a hundred rows in a window of ten.
private struct Listed {
  var view = ListView()
  var count = 100

  init() { update() }

  static func row(_ number: Int) -> [TextPiece] {
    [TextPiece("row \(number) ", .dim), TextPiece(number % 7 == 0 ? "Seven" : "other")]
  }

  mutating func update(height: Int = 10) {
    view.update(count: count, height: height, rows: Listed.row)
  }

  mutating func press(_ keys: Key...) {
    for key in keys { _ = view.handle(key, rows: Listed.row) }
  }

  mutating func type(_ text: String) {
    for scalar in text.unicodeScalars { press(.character(scalar)) }
  }

  /// The first and the last row that are seen.
  var seen: [Int] { [view.visible.first ?? -1, view.visible.last ?? -1] }
}

@Suite struct ListViewTests {
  @Test func `it follows the end until the user goes elsewhere, and again from the end on`() {
    var list = Listed()
    #expect(list.seen == [90, 99] && list.view.selectedRow == nil)
    list.count = 105
    list.update()
    #expect(list.seen == [95, 104])
    list.press(.up)
    list.count = 120
    list.update()
    #expect(list.seen == [95, 104] && list.view.selectedRow == 103)
    list.press(.character("G"))
    #expect(list.seen == [110, 119] && list.view.followsEnd)
    list.press(.up, .down, .down)
    #expect(list.view.followsEnd)
  }

  @Test func `lines, pages and ends, in the ways of vi and of the keypad`() {
    for keys in [
      [Key.home, .down, .pageDown, .up, .pageUp],
      [.character("g"), .character("j"), .character(" "), .character("k"), .character("b")],
    ] {
      var list = Listed()
      list.press(keys[0])
      #expect(list.seen == [0, 9] && list.view.selectedRow == 0)
      list.press(keys[1])
      #expect(list.seen == [0, 9] && list.view.selectedRow == 1)
      list.press(keys[2])
      #expect(list.seen == [2, 11] && list.view.selectedRow == 11)
      list.press(keys[3])
      #expect(list.seen == [2, 11] && list.view.selectedRow == 10)
      list.press(keys[4], keys[4])
      #expect(list.seen == [0, 9] && list.view.selectedRow == 0)
    }
  }

  @Test func `a list that becomes shorter, or lower, keeps what is selected in view`() {
    var list = Listed()
    list.press(.home, .pageDown, .pageDown)
    list.update(height: 3)
    #expect(list.view.selectedRow == 20 && list.seen == [18, 20])
    list.count = 5
    list.update(height: 3)
    #expect(list.view.selectedRow == 4 && list.seen == [2, 4])
    list.count = 0
    list.update()
    #expect(list.view.visible.isEmpty && list.view.selectedRow == nil)
    list.press(.up, .down, .character("n"), .home)
    #expect(list.view.visible.isEmpty)
  }

  @Test func `search goes to the next match and on with n and N, around the end`() {
    var list = Listed()
    list.press(.home, .down, .character("/"))
    list.type("seven")
    #expect(list.view.prompt?.text == "seven" && list.view.selectedRow == 1)
    list.press(.enter)
    #expect(list.view.selectedRow == 7 && list.view.pattern == "seven")
    list.press(.character("n"), .character("n"))
    #expect(list.view.selectedRow == 21)
    list.press(.character("N"), .character("N"), .character("N"), .character("N"))
    #expect(list.view.selectedRow == 98)
    list.press(.character("/"), .enter)
    #expect(list.view.selectedRow == 98, "an empty text looks for the same")
    list.press(.character("/"), .character("x"), .backspace, .character("Q"), .escape)
    #expect(list.view.pattern == "seven" && list.view.prompt == nil)
    list.press(.character("/"))
    list.type("nowhere")
    list.press(.enter)
    #expect(list.view.selectedRow == 98)
  }

  @Test func `a filter leaves the rows with its text, and an empty one brings all back`() {
    var list = Listed()
    list.press(.home, .pageDown, .character("&"))
    list.type("SEVEN")
    list.press(.enter)
    #expect(list.view.visible == [7, 14, 21, 28, 35, 42, 49, 56, 63, 70])
    #expect(list.view.selectedRow == 14)
    list.press(.down)
    #expect(list.view.selectedRow == 21)
    list.count = 200
    list.update()
    list.press(.end)
    #expect(list.seen == [133, 196])
    list.press(.up, .character("&"), .enter)
    #expect(list.view.filter.isEmpty && list.view.selectedRow == 189)
  }

  @Test func `wheel and click`() {
    var list = Listed()
    list.view.scroll(by: -30)
    #expect(list.view.selectedRow == 69 && list.seen == [69, 78])
    list.view.click(4)
    #expect(list.view.selectedRow == 73 && list.seen == [69, 78])
    list.view.click(10)
    list.view.click(-1)
    #expect(list.view.selectedRow == 73)
    list.view.scroll(by: 300)
    #expect(list.view.followsEnd)
  }

  @Test func `matches in upper and lower case, one after another`() {
    #expect(ListView.matches(of: "ab", in: "xABab abA") == [1..<3, 3..<5, 6..<8])
    #expect(ListView.matches(of: "É", in: "café") == [3..<4])
    #expect(ListView.matches(of: "", in: "abc").isEmpty)
    #expect(ListView.matches(of: "abcd", in: "abc").isEmpty)
    #expect(ListView.matches(of: "日", in: "一日日") == [1..<2, 2..<3])
  }
}
