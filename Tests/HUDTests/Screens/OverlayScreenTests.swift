import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

@testable import HUD

/// What a HUD on a program's screen shows of a run, with values that `change` puts into its row.
private func overlay(
  _ columns: Int, _ rows: Int, _ run: Run = threeMinutes.run, language: Language = .english,
  isASCII: Bool = false, graph: GraphStyle = .braille, keys: [Key] = [],
  change: (inout Row) -> Void = underTheOverlay
) -> HUD {
  let state = HUDState(
    language: language, graphStyle: graph, isASCII: isASCII, family: .overlay)
  var hud = HUD(size: Size(rows: rows, columns: columns), state: state)
  for key in keys { _ = hud.handle(key, run: run) }
  hud.draw(run, now: run.latest?.time ?? MadeUpProcess.start)
  guard var row = hud.state.values.row else { return hud }
  change(&row)
  hud.state.values.row = row
  hud.drawAll(run)
  return hud
}

/// A program whose frames are detected in its output.
private func underTheOverlay(_ row: inout Row) {
  row.fpsSource = .terminal
  row.drawsFrames = true
  row[.bytesPerFrame] = .value(4313)
}

private func idle(_ row: inout Row) {
  underTheOverlay(&row)
  row.isIdle = true
}

/// It has printed lines and drawn nothing.
private func withoutFrames(_ row: inout Row) {
  row.fpsSource = nil
  for metric in [Metric.fps, .frameMedian, .frameP99, .hitches] {
    row[metric] = .absent(.noFrames)
  }
}

private func answered(_ row: inout Row) {
  underTheOverlay(&row)
  row[.keyToFrame] = .value(3.14)
}

/// It draws only in answer to keys.
private func keyed(_ row: inout Row) {
  answered(&row)
  row.drawsOnlyAfterKeys = true
}

/// Six processes that write and wait for a processor.
private let waiting: Run = {
  var process = MadeUpProcess(tick: false)
  process.change = { sample in
    sample.processes = 6
    sample.cpuNanoseconds = .value(UInt64(sample.sequence) * 194_000_000)
    sample.cpuWaitNanoseconds = .value(UInt64(sample.sequence) * 4_000_000)
    sample.threadTime = sample.time
    sample.writeBytes = .value(UInt64(sample.sequence) * 6_800 * UInt64(sample.sequence / 40 % 3))
    sample.ageNanoseconds = UInt64(sample.sequence) * 100_000_000
  }
  process.pass(seconds: 12.4)
  return process.run
}()

private let nearLimit: Run = {
  var process = MadeUpProcess()
  process.change = { $0.limitBytes = .value(130 << 20) }
  process.pass(seconds: 30)
  return process.run
}()

/// Frames too close to one another, and an animation that hides what answers a key.
private func inDoubt(_ row: inout Row) {
  underTheOverlay(&row)
  row.fpsIsLowerBound = true
  row[.keyToFrame] = .absent(.unclear)
  row.keyToFrameP99 = .absent(.unclear)
}

private let ended: Run = {
  var process = threeMinutes
  process.change = { $0.hasEnded = true }
  process.step()
  return process.run
}()

private let firstValues: Run = {
  var process = MadeUpProcess()
  process.change = { $0.isProvisional = true }
  process.pass(seconds: 0.2)
  return process.run
}()

/// A process of another user, of which little may be read.
private let forbidden: Run = {
  var process = MadeUpProcess(tick: false)
  process.change = { sample in
    sample.cpuNanoseconds = .absent(.permission)
    sample.anonymousBytes = .absent(.permission)
    sample.residentBytes = .absent(.permission)
    sample.pssBytes = .absent(.permission)
  }
  process.pass(seconds: 30)
  return process.run
}()

/// Eight busy cores and values as long as they get.
private let huge: Run = {
  var process = MadeUpProcess()
  process.change = { sample in
    sample.cpuNanoseconds = .value(UInt64(sample.sequence) * 1_540_000_000)
    sample.anonymousBytes = .value(1_016 << 30)
    sample.residentBytes = .value(1_019 << 30)
    sample.limitBytes = .value(1_024 << 30)
    sample.usableProcessors = .value(16)
    sample.processes = 31_234
    sample.name = processName("a-very-long-name")
    sample.pid = 4_194_303
  }
  process.pass(seconds: 30)
  return process.run
}()

private func hugeFrames(_ row: inout Row) {
  underTheOverlay(&row)
  row[.fps] = .value(999)
  row[.bytesPerFrame] = .value(1_047_900)
  row[.frameP99] = .value(98_765)
}

/// A picture of each state, in both languages where it has words.
private let states: [(name: String, draw: @Sendable (Int, Int) -> HUD)] = [
  ("a running program", { overlay($0, $1) }),
  ("in Japanese", { overlay($0, $1, language: .japanese) }),
  ("where only ASCII may be drawn", { overlay($0, $1, isASCII: true) }),
  ("with block graphs", { overlay($0, $1, graph: .block) }),
  ("before the first sample", { overlay($0, $1, MadeUpProcess().run) }),
  ("the first values", { overlay($0, $1, firstValues) }),
  ("idle", { overlay($0, $1, change: idle) }),
  ("idle, in Japanese", { overlay($0, $1, language: .japanese, change: idle) }),
  ("no frames", { overlay($0, $1, change: withoutFrames) }),
  ("no frames, in Japanese", { overlay($0, $1, language: .japanese, change: withoutFrames) }),
  ("a rate that is a lower bound", { overlay($0, $1, change: inDoubt) }),
  ("the same in ASCII", { overlay($0, $1, isASCII: true, change: inDoubt) }),
  ("ended", { overlay($0, $1, ended) }),
  ("paused, in Japanese", { overlay($0, $1, language: .japanese, keys: [.character(" ")]) }),
  ("another user's, with a tick", { overlay($0, $1, forbidden) { _ in } }),
  ("another user's, in Japanese", { overlay($0, $1, forbidden, language: .japanese) { _ in } }),
  ("values as long as they get", { overlay($0, $1, huge, change: hugeFrames) }),
  ("CPU as a share of all processors", { overlay($0, $1, keys: [.character("I")]) }),
  ("help", { overlay($0, $1, keys: [.character("?")]) }),
  ("an answer to a key", { overlay($0, $1, change: answered) }),
  ("frames in answer to keys alone", { overlay($0, $1, change: keyed) }),
  ("a command that waits", { overlay($0, $1, waiting, change: { _ in }) }),
  (
    "a command that waits, in Japanese",
    { overlay($0, $1, waiting, language: .japanese, change: { _ in }) }
  ),
  (
    "a command that waits for long",
    {
      overlay($0, $1, waiting) {
        $0[.cpuWait] = .value(206.4)
        $0.lowerBounds = [.cpuWait]
      }
    }
  ),
  ("near its limit", { overlay($0, $1, nearLimit) }),
  (
    "with the keys",
    { columns, rows in
      var hud = overlay(columns, rows)
      hud.hasKeys = true
      hud.drawAll(threeMinutes.run)
      return hud
    }
  ),
]

/// What a person sees of a HUD on a program's screen.
@Suite struct OverlayScreenTests {
  @Test(arguments: [(38, 5), (36, 9), (24, 5), (52, 1), (72, 20), (52, 16), (20, 1), (8, 2)])
  func `every state at the sizes with a name and the least ones`(columns: Int, rows: Int) {
    var text = ""
    for state in states {
      text += "\(state.name)\n" + framed(state.draw(columns, rows))
    }
    text += "roles\n" + framed(overlay(columns, rows).roles)
    expectGolden(text, file: "Golden/Overlay/\(columns)x\(rows).txt")
  }

  @Test(arguments: [(24, 5), (38, 5), (40, 11)])
  func `an unclear time from key to frame has the same dash at every size`(
    columns: Int, rows: Int
  ) {
    let hud = overlay(columns, rows, change: inDoubt)
    #expect(hud.text.contains(#/key +– /#), "\(hud.text)")
    let plain = overlay(columns, rows, isASCII: true, change: inDoubt)
    #expect(plain.text.contains(#/key +- /#), "\(plain.text)")
  }

  @Test func `a large HUD says that the time from key to frame is unclear`() {
    let hud = overlay(72, 20, change: inDoubt)
    #expect(hud.text.contains("key   unclear"), "\(hud.text)")
  }

  @Test(arguments: [(52, 16), (72, 20), (100, 30)])
  func `in a large HUD every value ends in the columns of the grid, in every state`(
    columns: Int, rows: Int
  ) {
    let grid = OverlayGrid(Rect(row: 1, column: 2, rows: 1, columns: columns - 4))
    let cells = (0..<grid.count).map { grid.cell($0) }
    #expect(cells.last?.upperBound == columns - 2 && grid.bar.count >= 6)
    for state in states where state.name != "help" {
      let canvas = state.draw(columns, rows).canvas.grid
      for row in 1..<6 {
        func isBlank(_ column: Int) -> Bool {
          canvas[row, column].scalarValue == 0x20 && !canvas[row, column].isContinuation
        }
        #expect(isBlank(1) && isBlank(columns - 2), "\(state.name), row \(row)")
        // A cell is empty, or a label begins it and a value ends it; one that takes two cells begins before it.
        for (index, cell) in cells.enumerated() where !cell.allSatisfy(isBlank) {
          let isWide = index + 1 < cells.count && isBlank(cell.upperBound - 1)
          let isSecond = index > 0 && isBlank(cell.lowerBound)
          #expect(
            (!isBlank(cell.lowerBound) || isSecond) && (!isBlank(cell.upperBound - 1) || isWide),
            "\(state.name), row \(row), cell \(index)")
        }
      }
    }
  }

  @Test func `a value that the kernel does not give has no cell, and the next one takes its place`()
  {
    let hud = overlay(72, 20) { row in
      underTheOverlay(&row)
      row[.resident] = .absent(.permission)
      row[.cpuWait] = .absent(.unsupported)
    }
    #expect(hud.lines[2].contains(#/peak +\S+ +PSS +\S+/#), "\(hud.text)")
    #expect(!hud.lines[1].contains("wait") && !hud.lines[1].contains("–"), "\(hud.text)")
  }

  @Test func `outdated PSS has its age where there is room, and is left out elsewhere`() {
    func memory(_ age: Double) -> String {
      overlay(72, 20) { row in
        underTheOverlay(&row)
        row[.memoryLimit] = .absent(.unsupported)
        row.limitSource = .physical
        row.pssAgeSeconds = age
      }.lines[2]
    }
    #expect(memory(5).contains(#/PSS +170M/#), "\(memory(5))")
    #expect(memory(42).contains(#/PSS +50s 170M/#), "\(memory(42))")
    #expect(!memory(600).contains("PSS"), "\(memory(600))")
  }

  @Test func `of several processes the wait is a lower bound if some are missing`() {
    let all = overlay(100, 30, waiting, change: { $0.lowerBounds = [] })
    #expect(all.text.contains(#/wait +\d/#), "\(all.text)")
    let hud = overlay(100, 30, waiting, change: { $0.lowerBounds = [.cpuWait] })
    #expect(hud.text.contains(#/wait +≥\d/#), "\(hud.text)")
    // At least nothing would say nothing.
    let none = overlay(100, 30, waiting) {
      $0.lowerBounds = [.cpuWait]
      $0[.cpuWait] = .value(0)
    }
    #expect(!none.lines[1].contains("wait"), "\(none.text)")
  }

  @Test func `a running program at other sizes`() {
    var text = ""
    for (columns, rows) in [
      (100, 30), (52, 14), (40, 11), (36, 17), (30, 7), (30, 6), (15, 5), (30, 4), (30, 3),
      (30, 2), (20, 2), (19, 2), (10, 8), (80, 1), (34, 1), (25, 1), (13, 1), (5, 1), (3, 1),
    ] {
      text += "\(columns)x\(rows)\n" + framed(overlay(columns, rows))
    }
    expectGolden(text, file: "Golden/Overlay/sizes.txt")
  }

  @Test func `help in the middle of a program's screen, over the HUD`() {
    for language in Language.allCases {
      var hud = overlay(36, 9, language: language, keys: [.character("?")])
      hud.place(
        at: Rect(row: 0, column: 43, rows: 9, columns: 36),
        in: Rect(Size(rows: 24, columns: 79)))
      hud.drawAll(threeMinutes.run)
      expectGolden(hud.text, file: "Golden/Overlay/help-\(language.rawValue).txt")
    }
  }

  @Test func `with the keys the frame changes`() {
    var hud = overlay(36, 9)
    #expect(hud.canvas.grid[0, 0].style == Role.edge.style)
    #expect(hud.deadline(now: MadeUpProcess.start) == nil)
    hud.hasKeys = false
    #expect(hud.deadline(now: MadeUpProcess.start) == nil)
    hud.hasKeys = true
    #expect(hud.deadline(now: MadeUpProcess.start) != nil)
    hud.drawAll(threeMinutes.run)
    #expect(hud.canvas.grid[0, 0].style == Role.mark.style)
  }

  @Test func `at the start the edge names the prefix key`() {
    for language in Language.allCases {
      var hud = overlay(36, 9, language: language)
      hud.prefixKeyHint = "F12"
      hud.drawAll(threeMinutes.run)
      expectGolden(hud.text, file: "Golden/Overlay/prefix-\(language.rawValue).txt")
    }
  }

  /// Between bars, so that blanks at the ends are seen.
  private func framed(_ hud: HUD) -> String { framed(hud.wholeLines.joined(separator: "\n")) }

  private func framed(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)|\n" }.joined()
  }
}
