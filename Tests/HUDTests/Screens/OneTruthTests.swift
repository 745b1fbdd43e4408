import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal
import TestSupport
import Testing

@testable import HUD

/// What one part of the HUD says agrees with what another says, at every size.
@Suite struct OneTruthTests {
  /// Every size of a HUD over a program that has room for a third value.
  private static let sizes = [
    (100, 30), (72, 20), (52, 14), (40, 11), (38, 5), (30, 7), (24, 5), (30, 4), (30, 3), (15, 5),
    (80, 1), (36, 1), (34, 1), (25, 1), (20, 1),
  ]

  private func overlay(
    _ columns: Int, _ rows: Int, language: Language = .english, change: (inout Row) -> Void
  ) -> HUD {
    let run = threeMinutes.run
    let state = HUDState(language: language, family: .overlay)
    var hud = HUD(size: Size(rows: rows, columns: columns), state: state)
    hud.draw(run, now: threeMinutes.now)
    guard var row = hud.state.values.row else { return hud }
    change(&row)
    hud.state.values.row = row
    hud.drawAll(run)
    return hud
  }

  @Test func `a peak of growing memory is not newer than the value beside it`() throws {
    var process = MadeUpProcess()
    process.change = { sample in
      let seconds = sample.statTime.seconds(since: MadeUpProcess.start)
      sample.anonymousBytes = .value(UInt64((100 + 10 * seconds) * 1_048_576))
    }
    process.pass(seconds: 3)
    var hud = screen(80, 24, process.run)
    for _ in 0..<20 {
      process.step()
      hud.invalidateAll()
      hud.draw(process.run, now: process.now)
      let line = try #require(hud.lines.first { $0.hasPrefix("MEM") })
      let value = try #require(line.firstMatch(of: /MEM ([0-9.]+) MiB/)).1
      #expect(line.contains("peak \(value) MiB"), "\(line)")
    }
  }

  @Test(arguments: [(198.3, 201.2, 2.0, 200.0), (99, 104, 2, 100), (350, 399, 2, 400)])
  func `a full bar is what the processors can give, not a core more`(
    share: Double, peak: Double, processors: Double, full: Double
  ) {
    #expect(fullCPU(peak: peak, processors: processors) == full)
    #expect(share <= full)
  }

  @Test(arguments: sizes)
  func `a program that prints lines has reads and writes at every size, and no frames`(
    columns: Int, rows: Int
  ) {
    for language in Language.allCases {
      let hud = overlay(columns, rows, language: language) { row in
        row.fpsSource = nil
        row.drawsFrames = false
        for metric in [Metric.fps, .frameMedian, .frameP99, .bytesPerFrame] {
          row[metric] = .absent(.noFrames)
        }
      }
      #expect(hud.text.contains("M/s"), "\(hud.text)")
      for word in ["FPS", "OUT", "p99", "no frames", "描画なし"] {
        #expect(!hud.text.contains(word), "\(word): \(hud.text)")
      }
    }
  }

  @Test(arguments: sizes)
  func `a program that draws has its frame rate at every size`(columns: Int, rows: Int) {
    let hud = overlay(columns, rows) { row in
      row.fpsSource = .terminal
      row.drawsFrames = true
    }
    let rate = hud.lines.firstIndex { $0.contains("FPS") }
    #expect(rate != nil, "\(hud.text)")
    // A large HUD has both, the frame rate above the reads and writes.
    let storage = hud.lines.firstIndex { $0.contains("I/O") }
    let isLarge = columns >= 52 && rows >= 14
    #expect((storage != nil) == isLarge && storage ?? .max > rate ?? .max, "\(hud.text)")
  }

  @Test func `a program on the alternate screen has a frame rate before its first frame`() {
    var hud = overlay(24, 5) { $0.fpsSource = nil }
    #expect(hud.text.contains("I/O"))
    hud.noteProgramScreen(isAlternate: true)
    hud.drawAll(threeMinutes.run)
    #expect(hud.text.contains("FPS") && !hud.text.contains("I/O"))
  }

  @Test func `reads and writes that may not be read have a reason in a small HUD`() {
    for (columns, reason) in [(24, "not permitted"), (15, "–")] {
      let hud = overlay(columns, 5) { row in
        row.fpsSource = nil
        row[.readRate] = .absent(.permission)
      }
      #expect(hud.lines[3].contains("I/O") && hud.lines[3].contains(reason), "\(hud.text)")
    }
  }

  @Test(arguments: 24...220)
  func `a view has one greatest CPU share: that of its graph, else the peak`(columns: Int) {
    for rows in [24, 40] {
      let lines = screen(columns, rows, threeMinutes.run).lines
      let headings = lines.filter { $0.contains("CPU %") }
        .compactMap { $0.split(separator: "MEM").first }
      let hasMax = headings.contains { $0.contains("max 150.0 %") }
      let gauge = lines.first { $0.hasPrefix("CPU  ") } ?? ""
      #expect(!(hasMax && gauge.contains("peak")), "\(columns)x\(rows): \(gauge)")
      #expect(hasMax || columns < 40, "\(columns)x\(rows): \(lines)")
      if hasMax, columns >= 80 { #expect(gauge.contains("cpu time ")) }
    }
    #expect(!screen(columns, 24, threeMinutes.run).text.contains("s)"))
  }

  @Test(arguments: [20, 34, 44, 60, 80, 120])
  func `the mappings begin with the value that they are sorted by`(columns: Int) throws {
    var process = threeMinutes
    var state = HUDState()
    state.isAnimated = false
    var hud = screen(columns, 24, process.run, state: state, keys: [.character("M")])
    var table = MappingTable()
    for (name, pss, resident) in [("/a", 9, 10), ("/b", 5, 90), ("/c", 1, 40)] {
      var group = MappingGroup()
      group.name = MappingName(name)
      group.pssBytes = UInt64(pss) << 20
      group.residentBytes = UInt64(resident) << 20
      table.groups.append(group)
    }
    process.apply(mappings: table)
    hud.invalidateAll()
    hud.draw(process.run, now: process.now)
    let heading = try #require(hud.lines.firstIndex { $0.hasPrefix("─ mappings") })
    let heads = hud.lines[heading + 1]
    #expect(heads.split(separator: " ").first == "PSS", "\(heads)")
    for (name, value) in [("/a", "9.00M"), ("/b", "5.00M"), ("/c", "1.00M")] {
      let line = try #require(hud.lines.first { $0.hasSuffix(" \(name)") }, "\(hud.text)")
      #expect(line.split(separator: " ").first == Substring(value), "\(line)")
    }
  }
}
