import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal
import Testing

@testable import HUD

/// The page of the frame times of a program that reports the lengths of its frames.
struct FramesPage {
  let lines: [String]

  /// - Parameters:
  ///   - milliseconds: the lengths of the frames, 0 if the program does not report it; six are reported for each sample.
  ///   - lost: how many events are lost at the end.
  ///   - quiet: for how many seconds no frame follows.
  ///   - pause: the index of a frame that comes two seconds later.
  init(
    _ milliseconds: [Double], rows: Int, columns: Int, state: HUDState = HUDState(),
    lost: UInt32 = 0, quiet: Double = 0, pause: Int? = nil
  ) {
    var process = MadeUpProcess(tick: false)
    process.pass(seconds: 2)
    for (index, length) in milliseconds.enumerated() {
      if index == pause { process.pass(seconds: 2) }
      var event = Event(.frame)
      if length > 0 { event.number = length }
      process.apply(.event(event, process.now))
      if index % 6 == 5 { process.step() }
    }
    if lost > 0 { process.apply(.eventsLost(lost, process.now)) }
    process.pass(seconds: quiet)
    var canvas = Canvas(Size(rows: rows, columns: columns), isASCII: state.isASCII)
    let context = DrawContext(run: process.run, row: process.run.latest, state: state)
    drawFrameTimes(&canvas, Rect(canvas.grid.size), context)
    lines = (0..<rows).map { canvas.grid.text(row: $0) }
  }

  var text: String { lines.joined(separator: "\n") }

  /// The only line below the first one with a text.
  func line(_ text: String) -> String? {
    let found = lines.dropFirst().filter { $0.contains(text) }
    return found.count == 1 ? found[0] : nil
  }
}

/// The lines of 60 and 30 FPS on the graph of the frame times.
@Suite struct FrameRateLineTests {
  /// Frames that are shorter than the line, then some that are exactly as long.
  private static func frames(_ rate: Double) -> [Double] {
    [Double](repeating: 4, count: 240) + [Double](repeating: 1000 / rate, count: 12)
  }

  @Test(arguments: 0...40)
  func `no two labels of the ages of frames are the same`(tenths: Int) throws {
    for count in [60, 180, 600] {
      let page = FramesPage(
        [Double](repeating: 16, count: count), rows: 16, columns: 60, quiet: Double(tenths) / 10)
      let axis = try #require(page.lines.last { $0.contains("└") }, "\(page.text)")
      let labels = axis.matches(of: #/-[0-9.]+m?s|now/#).map { String($0.0) }
      #expect(!labels.isEmpty && Set(labels).count == labels.count, "\(axis)")
    }
  }

  @Test(arguments: 8...24)
  func `a frame that keeps a rate ends exactly on its line`(rows: Int) throws {
    // The dots of a line at each height of a cell, and of a column that ends there.
    let ends: [Character: Character] = ["⣀": "⣀", "⠤": "⣤", "⠒": "⣶", "⠉": "⣿"]
    for rate in [30, 60] {
      let page = FramesPage(FrameRateLineTests.frames(Double(rate)), rows: rows, columns: 60)
      let line = try #require(page.line(" \(rate) FPS"), "\(rows): \(page.text)")
      let cells = line.prefix(while: { $0 != "F" }).filter { !"0123456789┤│ ".contains($0) }
      let dots = try #require(cells.first)
      let end = try #require(ends[dots], "\(rows): \(line)")
      #expect(cells.dropLast().last == end, "\(rows): \(line)")
      // No column covers the end of the line, which is beside its rate.
      #expect(cells.last == dots, "\(rows): \(line)")
      // Nothing is above it.
      let index = try #require(page.lines.firstIndex(of: line))
      #expect(!page.lines[index - 1].contains(/[⣀⣤⣶⣿]/), "\(rows): \(page.text)")
    }
  }

  @Test func `the lines are those of the two slowest rates on the axis`() {
    func rates(_ milliseconds: Double) -> [Int] {
      let frames = [Double](repeating: milliseconds, count: 240)
      let page = FramesPage(frames, rows: 24, columns: 60)
      return [30, 60, 120, 240].filter { page.line(" \($0) FPS") != nil }
    }
    #expect(rates(4.1) == [240])
    #expect(rates(8) == [120, 240])
    #expect(rates(12) == [60, 120])
    #expect(rates(16) == [60, 120])
    #expect(rates(24) == [30, 60])
    #expect(rates(70) == [30, 60])
    // Within a row of the base line it would say nothing.
    #expect(rates(900).isEmpty)
  }

  @Test func `there is no line in a low graph, or without room for its rate`() {
    let frames = FrameRateLineTests.frames(60)
    #expect(FramesPage(frames, rows: 7, columns: 60).line("60 FPS") == nil)
    #expect(FramesPage(frames, rows: 8, columns: 60).line("60 FPS") != nil)
    #expect(FramesPage(frames, rows: 8, columns: 29).line("60 FPS") == nil)
    #expect(FramesPage(frames, rows: 8, columns: 30).line("60 FPS") != nil)
  }

  @Test func `in ASCII and in blocks the line is as near as their glyphs allow`() {
    let frames = FrameRateLineTests.frames(60)
    let ascii = FramesPage(frames, rows: 9, columns: 60, state: HUDState(isASCII: true))
    #expect(ascii.line(" 60 FPS")?.contains(/[-_]{20}/) == true, "\(ascii.text)")
    var state = HUDState()
    state.graphStyle = .block
    let block = FramesPage(frames, rows: 9, columns: 60, state: state)
    #expect(block.line(" 60 FPS")?.contains(/[▁─▔]{20}/) == true, "\(block.text)")
  }
}

/// What the page says of the frames beside their graph.
@Suite struct FramesPageTests {
  /// 300 frames of 16 ms, one of which took 48 ms.
  private static let frames: [Double] = (0..<300).map { $0 == 280 ? 48 : 16 }

  @Test func `the longest frame has its length and its age`() {
    for columns in [44, 78, 118] {
      let page = FramesPage(FramesPageTests.frames, rows: 24, columns: columns)
      let label = page.lines.firstIndex { $0.contains("longest 48.0 ms 0.4s ago") }
      #expect(label.map { page.lines[$0 + 1].contains(/[⡇⢸⡆⢰⡄⢠⡀⢀]/) } == true, "\(page.text)")
    }
    // Where its column ends at the top, it is beside it.
    let high = FramesPage((0..<300).map { $0 == 280 ? 60 : 16 }, rows: 24, columns: 78)
    #expect(high.line("longest 60.0 ms 0.4s ago")?.contains(/[⡇⢸]/) == true, "\(high.text)")
    // A frame that is no hitch is not marked.
    let steady = FramesPage([Double](repeating: 16, count: 300), rows: 24, columns: 78)
    #expect(!steady.text.contains(" ago"))
  }

  @Test(arguments: [7, 12, 24])
  func `a single frame has no time and no axis`(rows: Int) {
    let page = FramesPage([0], rows: rows, columns: 60, quiet: 0.2)
    #expect(page.text.contains("frames too far apart to time"), "\(page.text)")
    #expect(!page.text.contains(/[┤└]/), "\(page.text)")
    #expect(FramesPage([0, 16], rows: rows, columns: 60, quiet: 0.2).text.contains("└"))
  }

  @Test func `a pause is marked between its frames, and in ASCII too`() throws {
    let frames = [Double](repeating: 16, count: 300)
    for (isASCII, mark, legend) in [(false, "╱", "╱ pause"), (true, "/", "/ pause")] {
      let state = HUDState(isASCII: isASCII)
      let page = FramesPage(frames, rows: 24, columns: 78, state: state, pause: 276)
      let line = try #require(page.lines.last)
      #expect(line.count { String($0) == mark } == 1, "\(line)")
      // 24 frames follow; a cell has two of them, or one in ASCII.
      #expect(line.reversed().firstIndex { String($0) == mark } == (isASCII ? 23 : 11), "\(line)")
      #expect(page.line(legend) != nil, "\(page.text)")
      let steady = FramesPage(frames, rows: 24, columns: 78, state: state)
      #expect(!steady.text.contains("pause"))
    }
  }

  @Test func `no label covers the mark of a pause, and a covered one is not explained`() throws {
    let frames = [Double](repeating: 16, count: 300)
    for place in 180..<300 {
      let page = FramesPage(frames, rows: 24, columns: 78, pause: place)
      let line = try #require(page.lines.last)
      let hasMark = line.contains("╱")
      #expect((page.line("╱ pause") != nil) == hasMark, "\(place): \(page.text)")
      // Only the label of the newest frames covers some.
      #expect(hasMark || 300 - place <= 8, "\(place): \(line)")
    }
  }

  @Test func `times are below the graph, at the frames of these times`() throws {
    let page = FramesPage(FramesPageTests.frames, rows: 24, columns: 78)
    let times = try #require(page.lines.last)
    #expect(times.contains(/└.*-1\.0s.*now$/), "\(times)")
    // Six frames come every 0.1 s, so 54 are newer, and a cell has two of them.
    let second = try #require(times.firstMatch(of: /-1\.0s.*now/))
    #expect(second.output.count == 28)
  }

  @Test func `a program that has stopped to draw has no now`() throws {
    var process = MadeUpProcess(tick: false)
    process.pass(seconds: 2)
    for _ in 0..<100 {
      for _ in 0..<6 {
        var event = Event(.frame)
        event.number = 16
        process.apply(.event(event, process.now))
      }
      process.step()
    }
    process.pass(seconds: 3)
    var canvas = Canvas(Size(rows: 24, columns: 78))
    let context = DrawContext(run: process.run, row: process.run.latest, state: HUDState())
    drawFrameTimes(&canvas, Rect(canvas.grid.size), context)
    #expect(canvas.grid.text(row: 23).hasSuffix("-3s"))
  }

  @Test func `the table has the last 5 s and the whole run, and says what needs more frames`() {
    let page = FramesPage(FramesPageTests.frames, rows: 24, columns: 118)
    #expect(
      page.lines[0].split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        == "app mean FPS 1% low 0.1% low p50 p95 p99 longest slow frames")
    for row in [1, 2] {
      let cells = page.lines[row].split(separator: " ").joined(separator: " ")
      let label = row == 1 ? "last 5s" : "whole run"
      #expect(cells.hasPrefix(label), "\(cells)")
      // The percentiles of the whole run have an error.
      let median = row == 1 ? "16.0" : "16.1"
      #expect(cells.contains(" n<1000 \(median) ms \(median) ms"), "\(cells)")
      #expect(cells.hasSuffix(" 48.0 ms 1 0.3 %"), "\(cells)")
    }
    // Columns end below one another.
    #expect(page.lines[1].hasSuffix(" 0.3 %") && page.lines[1].count == page.lines[2].count)
    #expect(page.lines[0].count == page.lines[1].count)
  }

  @Test func `where frames are missing, rates are lower bounds and times upper bounds`() {
    let page = FramesPage(FramesPageTests.frames, rows: 24, columns: 118, lost: 3)
    let cells = page.lines[2].split(separator: " ").joined(separator: " ")
    #expect(cells.contains(/^whole run ≥6[12]\.[0-9] ≥/), "\(cells)")
    #expect(cells.contains(" n<1000 ≤16.1 ms ≤16.1 ms ≤16.1 ms ≤48.0 ms 1 0.3 %"), "\(cells)")
    #expect(!page.lines[1].contains("≥") && page.lines[1].count == page.lines[2].count)
  }

  @Test func `a narrow table has the columns that matter most, whole`() {
    for columns in 40...117 {
      let page = FramesPage(FramesPageTests.frames, rows: 14, columns: columns)
      #expect(page.lines[0].contains("mean FPS") && page.lines[0].contains("1% low"))
      #expect(page.lines.allSatisfy { $0.count <= columns })
      #expect(!page.lines[1].contains("…"))
    }
    let low = FramesPage(FramesPageTests.frames, rows: 11, columns: 118)
    // The gauge above it has the median.
    #expect(low.lines[0].hasPrefix(" app  p99 "))
  }

  @Test func `each row of the graph has the share of the frames that end in it`() throws {
    let page = FramesPage(FramesPageTests.frames, rows: 24, columns: 118)
    #expect(page.lines[3...4].contains { $0.hasSuffix("share of frames  last 5s") })
    let shares = page.lines.filter { $0.contains(/%$/) }.dropFirst(2)
    #expect(shares.count == 2, "\(page.text)")
    #expect(shares.first?.contains(/▏ 0\.3 %$/) == true)
    #expect(shares.last?.contains(/█ 99\.7 %$/) == true)
    // The bar is beside the line, behind the longest frame time of its row.
    #expect(shares.last?.contains(/[⠁-⣿].*≤1[6-9]\.[0-9]ms █/) == true, "\(page.text)")
  }
}
