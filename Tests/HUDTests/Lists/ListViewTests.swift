import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal
import Testing

@testable import HUD

/// A list of a hundred rows in a window of ten.
private struct Listed {
  var view = ListView()
  var count = 100

  init() { update() }

  private struct Rows: ListRows {
    var count: Int

    func write(_ row: Int, to line: inout ListRow) {
      line.append("row \(row) ", .dim)
      line.append(row % 7 == 0 ? "Seven" : "other")
    }
  }

  mutating func update(height: Int = 10) {
    view.update(height: height, rows: Rows(count: count))
  }

  mutating func press(_ keys: Key...) {
    for key in keys { _ = view.handle(key, rows: Rows(count: count)) }
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
    list.type("row 3")
    #expect(list.view.prompt?.text == "row 3" && list.view.selectedRow == 3)
    list.type("9")
    #expect(list.view.selectedRow == 39)
    list.press(.control("u"))
    #expect(list.view.selectedRow == 1, "without a text it is where it was")
    list.type("seven")
    #expect(list.view.prompt?.text == "seven" && list.view.selectedRow == 7)
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

  @Test func `a filter takes effect with each letter, and Esc brings the former one back`() {
    var list = Listed()
    list.press(.home, .character("&"))
    list.type("even")
    #expect(list.view.visible.first == 0 && list.view.shownCount == 15)
    list.type("x")
    #expect(list.view.shownCount == 0)
    list.press(.backspace)
    #expect(list.view.shownCount == 15)
    list.press(.enter, .character("&"))
    #expect(list.view.shownCount == 15, "nothing is typed yet")
    list.type("9")
    #expect(list.view.visible == [9, 19, 29, 39, 49, 59, 69, 79, 89, 90])
    list.press(.escape)
    #expect(list.view.filter == "even" && list.view.shownCount == 15)
    list.press(.character("&"), .control("u"))
    #expect(list.view.shownCount == 100)
    list.view.cancelPrompt()
    list.update()
    #expect(list.view.filter == "even" && list.view.shownCount == 15)
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

  /// The characters of a row that belong to matches.
  private func matches(of pattern: String, in text: String) -> [Int] {
    var line = ListRow()
    line.append(text)
    let folded = pattern.unicodeScalars.map(\.folded)
    return (0..<line.count).filter { line.begins(with: folded, at: $0) }
  }

  @Test func `matches in upper and lower case`() {
    #expect(matches(of: "ab", in: "xABab abA") == [1, 3, 6])
    #expect(matches(of: "É", in: "café") == [3])
    #expect(matches(of: "", in: "abc").isEmpty)
    #expect(matches(of: "abcd", in: "abc").isEmpty)
    #expect(matches(of: "日", in: "一日日") == [1, 2])
  }

  @Test func `matches that would overlap are shown one after the other`() {
    var process = MadeUpProcess()
    process.pass(seconds: 2)
    for name in ["aaaa", "bab"] {
      var event = Event(.action)
      event.name = Event.Name(name)
      process.apply(.event(event, process.now))
    }
    let keys: [Key] = [.character("a"), .character("f"), .character("/")]
    let typed = "aaa".unicodeScalars.map { Key.character($0) } + [.enter]
    let hud = screen(80, 24, process.run, keys: keys + typed)
    let row = hud.lines.firstIndex { $0.contains("aaaa") } ?? 0
    // The row is selected, and so in reverse video but for the match.
    let marked = (1..<79).filter { hud.picture[row, $0].style == Role.mark.style }
    #expect(marked.count == 3)
  }
}

@Suite struct ListRowTests {
  private func row(_ write: (inout ListRow) -> Void) -> String {
    var line = ListRow()
    write(&line)
    var text = ""
    for index in 0..<line.count { text.unicodeScalars.append(line[index].scalar) }
    return text
  }

  @Test(arguments: [
    (5, "abc  "), (3, "abc"), (2, "a…"), (1, "…"), (0, "…"),
  ])
  func `a text is cut or filled up to a width`(width: Int, text: String) {
    let fitted = row { line in
      let start = line.mark
      line.append("abc")
      line.fit(since: start, width, .text, ellipsis: "…")
    }
    #expect(fitted == text)
  }

  @Test func `a wide character that would be cut in half goes as a whole`() {
    let fitted = row { line in
      let start = line.mark
      line.append("日本語")
      line.fit(since: start, 4, .text, ellipsis: "…")
    }
    #expect(fitted == "日… ")
  }

  @Test func `what does not fit is taken back, with its columns`() {
    var line = ListRow()
    line.append("日本")
    let start = line.mark
    line.append(" 語")
    let isTooLong = !line.keep(since: start, within: 6)
    #expect(isTooLong && line.columns == 4 && line.count == 2)
    line.append(" 語")
    let fits = line.keep(since: start, within: 7)
    #expect(fits && line.columns == 7)
  }

  @Test func `what could harm a terminal is replaced`() {
    #expect(row { $0.append("a\u{1B}[2J\u{202E}b\u{9B}") } == "a\u{241B}[2J\u{FFFD}b\u{FFFD}")
  }

  @Test(
    arguments: [
      [0x61, 0xC3, 0xA9, 0xE6, 0x97, 0xA5, 0xF0, 0x9F, 0x8E, 0xA8], [0xFF, 0x61], [0xC3, 0x28],
      [0xE6, 0x97, 0x61], [0xE6, 0x97], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF0, 0x9F, 0x8E], [0x1B, 0x5B], [],
    ] as [[UInt8]])
  func `a name of the kernel reads as the standard library repairs it`(bytes: [UInt8]) {
    var name = ProcessName()
    for byte in bytes { name.append(byte) }
    #expect(row { $0.append(name) } == name.text)
  }
}
