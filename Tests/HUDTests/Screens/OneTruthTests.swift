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

  @Test(arguments: [(120, 40), (100, 24), (200, 60)])
  func `the max of the CPU is alone, and names the time that it is taken over`(
    columns: Int, rows: Int
  ) {
    let lines = screen(columns, rows, threeMinutes.run).lines
    #expect(lines.contains { $0.hasPrefix("CPU  ") && $0.contains("cpu time ") })
    #expect(!lines.contains { $0.hasPrefix("CPU  ") && $0.contains("peak") })
    #expect(lines.contains { $0.contains("max 150.0 % (0.1s)") }, "\(lines)")
  }

  @Test func `the time that CPU is taken over is at least the interval`() {
    for (interval, time) in [(2_000_000_000 as UInt64, "% (2s)"), (1_500_000_000, "% (1.5s)")] {
      var process = MadeUpProcess()
      process.apply(.interval(interval, MadeUpProcess.start))
      process.pass(seconds: 10)
      let text = screen(200, 60, process.run).text
      #expect(text.contains(time) && !text.contains("(0."))
    }
    // After a change, a peak keeps its time, and a graph with values of two intervals has none.
    var process = threeMinutes
    process.apply(.interval(2_000_000_000, process.now))
    process.step()
    #expect(screen(80, 4, process.run).text.contains("peak 150.0 % (0.5s)"))
    let lines = screen(200, 60, process.run).lines
    #expect(!lines.contains { $0.contains("CPU %") && $0.contains("s)") })
  }

  @Test func `over a command, only an unusual interval is beside the max of the CPU`() {
    let state = HUDState(family: .overlay)
    let usual = screen(72, 20, threeMinutes.run, state: state).lines
    #expect(usual.contains { $0.contains("max 150.0 %  ") })
    #expect(!usual.contains { $0.contains("s)") })
    var process = MadeUpProcess()
    process.apply(.interval(2_000_000_000, MadeUpProcess.start))
    process.pass(seconds: 10)
    let lines = screen(72, 20, process.run, state: state).lines
    #expect(lines.contains { $0.contains("CPU %") && $0.contains("% (2s)") }, "\(lines)")
  }

  @Test(arguments: 24...220)
  func `a greatest CPU share without its time is never drawn`(columns: Int) {
    for rows in [24, 40] {
      for line in screen(columns, rows, threeMinutes.run).lines where line.contains("CPU %") {
        let heading = line.split(separator: "MEM").first ?? ""
        #expect(!heading.contains("max") || heading.contains("(0.1s)"), "\(line)")
      }
    }
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
