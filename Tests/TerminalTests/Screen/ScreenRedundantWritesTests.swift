import PerfHUDBase
import Testing

@testable import Terminal

/// How many of the cells that are written showed the same in the frame before.
@Suite struct ScreenRewritesTests {
  /// A screen of 20 columns and 5 rows that shows the text and counts from then on.
  private func counting(_ text: String) -> TestScreen {
    var options = Screen.Options()
    options.quirks = .joinsBefore
    let screen = TestScreen(Size(rows: 5, columns: 20), options)
    screen.feed(text)
    screen.screen.countRedundantWrites(true)
    return screen
  }

  /// Feeds a frame and returns what was counted in it.
  private func count(_ screen: TestScreen, _ text: String) -> [Int] {
    screen.screen.frames.redundant.counts = RedundantWrites()
    screen.feed(text)
    screen.screen.keepPicture()
    return [
      screen.screen.frames.redundant.counts.unchanged,
      screen.screen.frames.redundant.counts.written,
    ]
  }

  @Test(
    arguments: [
      ("hello world", "CSI Hhello world", [11, 11]),
      ("hello world", "CSI Hhello there", [6, 11]),
      // Cleared in between: what the user saw before is the same.
      ("hello world", "CSI 2JCSI Hhello world", [11, 11]),
      ("hello world", "CSI HCSI Khello", [5, 5]),
      // Erasing alone writes nothing.
      ("hello world", "CSI 2J", [0, 0]),
      ("", "CSI 5;1HCSI K", [0, 0]),
      // A blank where a blank was, whatever color its character has.
      ("", "CSI H     ", [5, 5]),
      ("", "CSI HCSI 31m     ", [5, 5]),
      ("", "CSI HCSI 41m     ", [0, 5]),
      ("", "CSI HCSI 4m     ", [0, 5]),
      // The same characters in another look.
      ("hello", "CSI HCSI 1mhello", [0, 5]),
      ("CSI 1mhello", "CSI Hhello", [5, 5]),
      ("CSI 1mhelloCSI m", "CSI HCSI 1mhelloCSI m", [5, 5]),
      ("hello", "CSI HOSC 8;;http://a SThello", [0, 5]),
      // Wide characters take two cells.
      ("日本語", "CSI H日本語", [6, 6]),
      ("日本語", "CSI H日木語", [4, 6]),
      // An accent belongs to its character.
      ("e\u{301}x", "CSI He\u{301}x", [2, 2]),
      ("ex", "CSI He\u{301}x", [1, 2]),
      ("e\u{301}x", "CSI Hex", [1, 2]),
      // Twice is twice.
      ("ab", "CSI HabCSI Hab", [4, 4]),
      ("ab", "CSI HxyCSI Hab", [2, 4]),
      ("aaaa", "CSI HaCSI 3b", [4, 4]),
      ("CSI ?7labcd", "CSI Habcd", [4, 4]),
      ("ESC (0qqq", "CSI Hqqq", [3, 3]),
      ("ESC (0qqqESC (B", "CSI Hqqq", [0, 3]),
    ] as [(String, String, [Int])])
  func `cells of a frame that were there already, and all`(
    before: String, frame: String, expected: [Int]
  ) {
    #expect(count(counting(before), frame) == expected)
  }

  @Test func `what scrolls is compared with itself, and what comes in with nothing`() {
    let lines = "CSI Haaa\r\nbbb\r\nccc\r\nddd\r\neee"
    #expect(count(counting(lines), "\r\neee") == [0, 3])
    // The lines have gone up by one: the first is what was the second.
    #expect(count(counting(lines), "\r\nfffCSI Hbbb") == [3, 6])
    #expect(count(counting(lines), "CSI 2;4rCSI 4H\nxxxCSI 2Hccc") == [3, 6])
  }

  @Test func `another screen, another size: nothing was there`() {
    let screen = counting("CSI Habc")
    #expect(count(screen, "CSI ?1049hCSI Habc") == [0, 3])
    #expect(count(screen, "CSI Habc") == [3, 3])
    screen.resize(to: Size(rows: 8, columns: 40), isKnown: true)
    #expect(count(screen, "CSI Habcd") == [3, 4])
  }

  @Test func `each synchronized update is a frame, several in one piece too`() {
    let screen = counting("CSI Habc")
    #expect(
      count(screen, "CSI ?2026hCSI HxyzCSI ?2026lCSI ?2026hCSI HxyzCSI ?2026l") == [3, 6])
  }

  @Test func `of what is not known it is not said that it was there`() {
    var options = Screen.Options()
    options.startsUnknown = true
    let screen = TestScreen(Size(rows: 5, columns: 20), options)
    screen.screen.countRedundantWrites(true)
    #expect(count(screen, "CSI H   ") == [0, 3])
  }

  @Test func `switched off nothing is counted`() {
    let screen = counting("abc")
    screen.screen.countRedundantWrites(false)
    #expect(count(screen, "CSI Habc日本") == [0, 0])
  }

  /// The fast ways and the slow one count the same: text in one piece and byte by byte.
  @Test(arguments: 1...40)
  func `in one piece and byte by byte the same is counted`(seed: UInt64) {
    let input = ScreenRandomTests.stream(seed, steps: 150)
    func play(_ cut: (Int) -> Int) -> RedundantWrites {
      let screen = makeScreen()
      screen.screen.countRedundantWrites(true)
      var pending: [UInt8] = []
      var place = 0
      while place < input.count {
        let end = min(input.count, place + cut(place))
        var index = pending.count
        pending += input[place..<end]
        while index < pending.count { index = screen.feed(pending, from: index).resume }
        pending.removeFirst(pending.count - screen.pendingBytes)
        place = end
      }
      return screen.screen.frames.redundant.counts
    }
    let whole = play { _ in input.count }
    #expect(whole == play { _ in 1 }, "seed \(seed)")
    #expect(whole.written > 0)
  }
}
