import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

@testable import HUD

private func placed(_ rows: Int, _ columns: Int) -> [PlacedWidget] {
  Layout.place(in: Size(rows: rows, columns: columns), family: .overlay)
}

private func widgets(_ rows: Int, _ columns: Int) -> Set<WidgetID> {
  Set(placed(rows, columns).map(\.id))
}

@Suite struct OverlayLayoutTests {
  @Test func `at every size the widgets fill all rows between the edges, one after another`() {
    for rows in 1...60 {
      for columns in 1...120 {
        let size = Size(rows: rows, columns: columns)
        let isFramed = Layout.isFramed(size)
        var next = isFramed ? 1 : 0
        var isRight = true
        for widget in placed(rows, columns) where widget.id != .edge {
          let frame = widget.frame
          isRight =
            isRight && frame.row == next && !frame.isEmpty && frame.column >= (isFramed ? 1 : 0)
            && frame.endColumn <= columns - (isFramed ? 1 : 0)
          next = frame.endRow
        }
        #expect(isRight && next == rows - (isFramed ? 1 : 0), "\(columns)x\(rows)")
      }
    }
  }

  @Test func `CPU and memory are there at every size, from 20 columns or three rows on FPS too`() {
    for rows in 1...60 {
      for columns in 1...120 {
        let ids = widgets(rows, columns)
        #expect(ids.contains(.strip) != ids.isSuperset(of: [.cpu, .memory]), "\(columns)x\(rows)")
        let hasFrames = ids.contains(.fps) || ids.contains(.strip)
        #expect(hasFrames || (rows == 2 && columns < 20), "\(columns)x\(rows)")
        #expect(ids.count == placed(rows, columns).count)
      }
    }
  }

  @Test func `a widget that a framed size has is there at every larger one`() {
    for columns in 15...90 {
      for rows in 5...40 {
        let here = widgets(rows, columns)
        let isThere =
          here.isSubset(of: widgets(rows + 1, columns))
          && here.isSubset(of: widgets(rows, columns + 1))
        if !isThere { Issue.record("\(columns)x\(rows)") }
      }
    }
  }

  @Test func `as rows shrink the CPU graph goes first, then detail, the memory graph last`() {
    let order: [WidgetID] = [.cpuGraph, .details, .output, .memoryGraph]
    let least = order.map { id in (5...60).first { widgets($0, 72).contains(id) } ?? 0 }
    #expect(least == least.sorted(by: >))
    #expect(least.allSatisfy { $0 > 5 })
  }

  @Test func `the CPU graph is above the memory graph, whose time axis is the lower edge`() throws {
    for rows in 5...60 {
      let widgets = placed(rows, 72)
      guard let cpu = widgets.first(where: { $0.id == .cpuGraph })?.frame else { continue }
      let memory = try #require(widgets.first { $0.id == .memoryGraph }?.frame)
      #expect(cpu.endRow == memory.row && memory.endRow == rows - 1, "\(rows) rows")
      #expect(cpu.rows <= memory.rows, "\(rows) rows")
    }
    #expect(widgets(20, 72).contains(.cpuGraph))
  }

  @Test func `a large HUD shows the CPU time used so far, marked if it is a lower bound`() throws {
    var hud = screen(72, 20, threeMinutes.run, state: HUDState(family: .overlay))
    #expect(hud.lines.contains { $0.contains(/time +1m33s/) })
    var row = try #require(hud.state.values.row)
    row[.cpuTime] = .value(12.34)
    row.lowerBounds.insert(.cpuTime)
    hud.state.values.row = row
    hud.drawAll(threeMinutes.run)
    #expect(hud.lines.contains { $0.contains(/time +≥12\.3s/) })
  }

  @Test func `a size without cells has no widgets`() {
    for (rows, columns) in [(0, 0), (0, 80), (24, 0), (-1, 5)] {
      #expect(widgets(rows, columns).isEmpty)
    }
  }

  @Test(arguments: [(36, 9, true), (24, 5, true), (52, 1, true), (20, 1, true), (19, 1, false)])
  func `the tick runs where its value is shown`(columns: Int, rows: Int, isShown: Bool) {
    var hud = HUD(size: Size(rows: rows, columns: columns), state: HUDState(family: .overlay))
    #expect(hud.showsFrames == isShown)
    _ = hud.handle(.character(" "), run: threeMinutes.run)
    #expect(!hud.showsFrames)
  }
}

@Suite struct EveryOverlayTests {
  private static let runs: [Run] = {
    var ended = threeMinutes
    ended.change = { $0.hasEnded = true }
    ended.step()
    var absent = MadeUpProcess(tick: false)
    absent.change = { sample in
      sample.cpuNanoseconds = .absent(.permission)
      sample.anonymousBytes = .absent(.permission)
      sample.limitBytes = .absent(.unsupported)
    }
    absent.pass(seconds: 1)
    var huge = MadeUpProcess()
    huge.change = { sample in
      sample.cpuNanoseconds = .value(UInt64(sample.sequence) * 99_999_000_000)
      sample.anonymousBytes = .value(.max)
      sample.residentBytes = .value(.max)
      sample.limitBytes = .value(1)
      sample.usableProcessors = .value(0)
      sample.processes = .max
      sample.pid = .max
      sample.name = processName("絵\u{1B}日本語日")
    }
    huge.pass(seconds: 3)
    return [MadeUpProcess().run, threeMinutes.run, ended.run, absent.run, huge.run]
  }()

  @Test func `every cell is drawn, no wide character is halved, no style is unknown`() {
    var random = SeededRandom(seed: 12)
    for _ in 0..<600 {
      let size = Size(
        rows: Int.random(in: 0...24, using: &random),
        columns: Int.random(in: 0...80, using: &random))
      let state = HUDState(
        language: Bool.random(using: &random) ? .japanese : .english,
        isASCII: Int.random(in: 0..<4, using: &random) == 0, family: .overlay)
      var hud = HUD(size: size, state: state)
      hud.hasKeys = Int.random(in: 0..<4, using: &random) == 0
      let run = EveryOverlayTests.runs.randomElement(using: &random) ?? threeMinutes.run
      let key = [Key.character("x"), .character(" "), .character("?"), .character("I")]
        .randomElement(using: &random)
      if let key { _ = hud.handle(key, run: run) }
      hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
      if var row = hud.state.values.row {
        row.isIdle = Bool.random(using: &random)
        row.fpsSource = .terminal
        row[.bytesPerFrame] = .value(Double(UInt64.max))
        hud.state.values.row = row
        hud.drawAll(run)
      }
      #expect(isWhole(hud.canvas.grid), "\(size) \(hud.text)")
      if state.isASCII { #expect(hud.text.utf8.allSatisfy { $0 < 0x80 }) }
    }
  }

  private func isWhole(_ grid: CellGrid) -> Bool {
    let styles = Theme(depth: .indexed).styles.count
    for row in 0..<grid.size.rows {
      for column in 0..<grid.size.columns {
        let cell = grid[row, column]
        let isWide = cell.width == 2
        let next = column + 1 < grid.size.columns && grid[row, column + 1].isContinuation
        if isWide != next || cell.isClear || Int(cell.style.raw) >= styles { return false }
      }
    }
    return true
  }

  @Test func `no value of a framed overlay is ever cut from its unit`() {
    // A literal is parsed wherever it is, each time.
    let number = /[0-9]+\.[0-9]+/
    let whole = /[0-9]+\.[0-9]+( (%|KiB|MiB|GiB|ms)|[KMGT]|s[ )])/
    for columns in 15...100 {
      for rows in 5...14 {
        let hud = screen(columns, rows, threeMinutes.run, state: HUDState(family: .overlay))
        for line in hud.lines where line.utf8.contains(UInt8(ascii: ".")) {
          let values = line.matches(of: number).count
          #expect(values == line.matches(of: whole).count, "\(columns)x\(rows): \(line)")
        }
      }
    }
  }

  @Test func `one row shows CPU and memory from 13 columns on, and from 20 on the rate`() {
    for columns in 13...120 {
      let text = screen(columns, 1, threeMinutes.run, state: HUDState(family: .overlay)).text
      #expect(text.contains(/89(\.2)? ?%/) && text.contains(/161(\.0 MiB|MiB|M)/), "\(columns)")
      #expect(text.contains(/[0-9][BKM]\/s/) == (columns >= 20), "\(columns)")
    }
  }

  @Test(arguments: [(36, 9), (72, 20), (30, 7)])
  func `drawing what a sample changes is drawing the graphs whole`(columns: Int, rows: Int) {
    var process = MadeUpProcess()
    var hud = HUD(size: Size(rows: rows, columns: columns), state: HUDState(family: .overlay))
    process.pass(seconds: 5)
    let graph = /│.*[│┤┊].*│/
    for number in 0..<300 {
      process.step()
      hud.invalidate()
      guard hud.needsDraw(now: process.now) else { continue }
      hud.draw(process.run, now: process.now)
      var whole = hud
      whole.drawAll(process.run)
      // Until the next values only the newest column of a graph moves.
      for (part, all) in zip(hud.lines, whole.lines) where all.contains(graph) {
        #expect(part == all, "sample \(number)")
      }
    }
  }
}
