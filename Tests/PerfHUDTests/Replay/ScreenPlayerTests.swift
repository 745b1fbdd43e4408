import Metrics
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import PerfHUD
@testable import Recording

/// The recorded screen at any time, against a model that is fed from the start.
@Suite struct ScreenPlayerTests {
  private static let start = Instant(nanoseconds: 77_000)
  private static let pieces = [
    "text ", "\r\n", "日本", "\u{1B}[31m", "\u{1B}[m", "\u{1B}[H", "\u{1B}[2J", "\u{1B}[?1049h",
    "\u{1B}[?1049l", "\u{1B}[3;9r", "\u{1B}[r", "\u{1B}[", "5;7H", "\u{1B}]0;ti", "tle\u{7}",
    "\u{1B}]7337;perfhud;phase x\u{7}", "e\u{301}", "\u{1B}7", "\u{1B}8", "\u{1B}[K",
  ]

  private struct Event {
    var milliseconds: UInt64
    var text: String
    var size: Size?
  }

  private static func events(_ count: Int, seed: UInt64) -> [Event] {
    var random = SeededRandom(seed: seed)
    var time: UInt64 = 0
    return (0..<count).map { number in
      time += UInt64.random(in: 0..<20, using: &random)
      if number % 97 == 96 {
        let size = Size(
          rows: Int.random(in: 4..<30, using: &random),
          columns: Int.random(in: 10..<90, using: &random))
        return Event(milliseconds: time, text: "", size: size)
      }
      return Event(milliseconds: time, text: pieces.randomElement(using: &random) ?? "")
    }
  }

  private static func file(_ events: [Event]) -> [UInt8] {
    var origin = AsciicastWriter.Origin(title: "")
    origin.start = start
    var writer = AsciicastWriter(columns: 40, rows: 12, origin)
    for event in events {
      let time = event.milliseconds * 1_000_000
      if let size = event.size {
        writer.writeSize("\(size.columns)x\(size.rows)", nanoseconds: time)
      } else {
        writer.writeOutput(Array(event.text.utf8)[...], nanoseconds: time)
      }
    }
    return writer.takeBytes()
  }

  private static var header: RecordingHeader {
    RecordingHeader(
      run: RunHeader(start: start, wallClockOffset: 0, interval: 100_000_000),
      host: HostFacts(kernel: "", processors: 1, pageBytes: 4096, version: "1"))
  }

  /// What a model shows that is fed everything up to a time.
  private static func expected(_ events: [Event], at time: UInt64) -> [String] {
    var options = Screen.Options()
    options.quirks = .laterXterm
    var screen = Screen(Size(rows: 12, columns: 40), options: options)
    for event in events where event.milliseconds * 1_000_000 <= time {
      if let size = event.size { screen.resize(to: size, isKnown: true) }
      let bytes = Array(event.text.utf8)
      var index = 0
      while index < bytes.count {
        index = unsafe bytes.withUnsafeBytes { unsafe screen.feed($0, from: index).resume }
      }
    }
    return (0..<screen.size.rows).map { screen.text(row: $0) } + ["\(screen.isAlternate)"]
  }

  @Test(arguments: [1 << 10, 1 << 20])
  func `every time is shown as if all before it had just come`(capacity: Int) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("x.cast")
    let events = ScreenPlayerTests.events(3000, seed: 11)
    try TestFile.write(ScreenPlayerTests.file(events), to: path)
    // So few bytes have room that keyframes are thinned out again and again.
    var player = try ScreenPlayer(
      path: path, of: ScreenPlayerTests.header, stride: 300, capacity: capacity * 20)
    while !player.isIndexed { player.index(1000) }
    let kept = player.keyframeBytes
    #expect(kept <= capacity * 20)
    var random = SeededRandom(seed: 5)
    let end = (events.last?.milliseconds ?? 0) * 1_000_000
    for _ in 0..<60 {
      let time = UInt64.random(in: 0...end + 1_000_000, using: &random)
      let isThere = player.seek(to: time)
      #expect(isThere)
      let rows = player.withScreen { screen in
        (0..<screen.size.rows).map { screen.text(row: $0) }
      }
      let isAlternate = player.isAlternate
      #expect(
        rows + ["\(isAlternate)"] == ScreenPlayerTests.expected(events, at: time), "at \(time)")
    }
  }

  @Test func `a file that grows is followed, and its cut last line is not read`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("x.cast")
    let events = ScreenPlayerTests.events(40, seed: 3)
    let bytes = ScreenPlayerTests.file(events)
    try TestFile.write(Array(bytes.prefix(bytes.count - 5)), to: path)
    var player = try ScreenPlayer(path: path, of: ScreenPlayerTests.header)
    player.index(1 << 20)
    let isIndexed = player.isIndexed
    #expect(isIndexed)
    var isThere = player.seek(to: .max)
    let before = player.stamp
    #expect(isThere)
    try TestFile.write(bytes, to: path)
    player.follow()
    player.index(1 << 20)
    isThere = player.seek(to: .max)
    let after = player.stamp
    #expect(isThere && after != before)
  }
}
