import Metrics
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import HUD

/// The full-screen view of a recording.
@Suite struct ReplayScreenTests {
  private static let sizes: [(columns: Int, rows: Int)] = [
    (120, 40), (80, 24), (44, 15), (20, 3), (20, 1), (100, 1),
  ]

  private static func second(_ count: Double) -> UInt64 { UInt64(count * 1e9) }

  private static var replay: ReplayState {
    var replay = ReplayState()
    replay.position = second(118)
    replay.length = second(5025)
    replay.read = second(4000)
    replay.isPaused = true
    replay.phases = [0, second(700), second(2400)]
    return replay
  }

  private static func hud(
    _ columns: Int, _ rows: Int, _ replay: ReplayState, language: Language = .english,
    isASCII: Bool = false
  ) -> HUD {
    var state = HUDState(language: language, isASCII: isASCII)
    state.isAnimated = false
    state.replay = replay
    var hud = HUD(size: Size(rows: rows, columns: columns), state: state)
    hud.draw(PaneScreen.busy.run, now: Instant(nanoseconds: 7), asOf: PaneScreen.busy.now)
    return hud
  }

  @Test(arguments: sizes, Language.allCases)
  func `a paused replay`(size: (columns: Int, rows: Int), language: Language) {
    let hud = ReplayScreenTests.hud(
      size.columns, size.rows, ReplayScreenTests.replay, language: language)
    let name = "\(size.columns)x\(size.rows)-\(language.rawValue)"
    expectGolden(hud.text, file: "Golden/Replay/\(name).txt")
  }

  @Test(arguments: sizes)
  func `CPU, memory and the position are shown at every size`(size: (columns: Int, rows: Int)) {
    let hud = ReplayScreenTests.hud(size.columns, size.rows, ReplayScreenTests.replay)
    #expect(hud.text.contains(/[0-9](M| MiB)/))
    #expect(hud.text.contains("%"))
    // A single short row has room for no more than whether it plays.
    #expect(hud.text.contains(size.rows == 1 && size.columns < 26 ? "‖" : "1:58"))
  }

  @Test func `a replay in ASCII has nothing else`() {
    let hud = ReplayScreenTests.hud(80, 24, ReplayScreenTests.replay, isASCII: true)
    #expect(hud.text.utf8.allSatisfy { $0 < 0x80 })
    #expect(hud.text.contains("= 1:58/1:23:45 1x PAUSED "))
  }

  @Test func `the row says how much was read for a seek, and that the end is live`() {
    var replay = ReplayScreenTests.replay
    replay.isPaused = false
    replay.target = ReplayScreenTests.second(5000)
    replay.speed = 0.25
    #expect(ReplayScreenTests.hud(80, 24, replay).text.contains("1:23:45 0.25× reading 80% "))
    replay.target = nil
    replay.isLive = true
    replay.read = replay.length
    #expect(ReplayScreenTests.hud(80, 24, replay).text.contains("live "))
  }

  @Test func `before the first sample the values of a later time are gone`() {
    var hud = ReplayScreenTests.hud(80, 24, ReplayScreenTests.replay)
    func memoryRow() -> String {
      hud.text.split(separator: "\n").first { $0.hasPrefix("MEM") }.map(String.init) ?? ""
    }
    #expect(memoryRow().contains("iB"))
    var replay = ReplayScreenTests.replay
    replay.position = 0
    hud.update(replay, interval: 100_000_000, hasJumped: true)
    let start = MadeUpProcess()
    hud.draw(start.run, now: Instant(nanoseconds: 8), asOf: start.now)
    #expect(memoryRow().hasPrefix("MEM") && !memoryRow().contains("iB"), "\(hud.text)")
  }

  @Test func `each key of the player asks for what it does`() {
    let requests: [(Key, ReplayAction)] = [
      (.character(" "), .togglePause), (.character("["), .speed(-1)), (.character("]"), .speed(1)),
      (.backspace, .normalSpeed), (.character("."), .step(1)), (.character(","), .step(-1)),
      (.left, .skip(-5)), (.right, .skip(5)), (.pageUp, .skip(-60)), (.pageDown, .skip(60)),
      (.home, .start), (.end, .end), (.character("}"), .marker(.phase, 1)),
      (.character("{"), .marker(.phase, -1)), (.character(">"), .marker(.slowFrame, 1)),
      (.character(")"), .marker(.alert, 1)), (.character("'"), .marker(.mark, 1)),
      (.character("\""), .marker(.mark, -1)),
    ]
    for (key, action) in requests {
      var hud = ReplayScreenTests.hud(80, 24, ReplayScreenTests.replay)
      #expect(hud.handle(key, run: PaneScreen.busy.run) == .replay(action), "\(key)")
    }
  }

  @Test func `what cannot be done in a replay is refused with a line`() {
    for key: Character in ["+", "-", "m", "r", "P"] {
      var hud = ReplayScreenTests.hud(80, 24, ReplayScreenTests.replay)
      let scalar = key.unicodeScalars.first ?? " "
      #expect(hud.handle(.character(scalar), run: PaneScreen.busy.run) == nil)
      hud.draw(PaneScreen.busy.run, now: Instant(nanoseconds: 9), asOf: PaneScreen.busy.now)
      #expect(hud.text.contains("not in a replay"), "\(key)")
    }
  }

  @Test func `signals and nice values are refused in the list of processes`() {
    for key: Key in [.character("k"), .function(9), .function(7), .function(8)] {
      var hud = ReplayScreenTests.hud(80, 24, ReplayScreenTests.replay)
      _ = hud.handle(.character("t"), run: PaneScreen.busy.run)
      _ = hud.handle(.character("f"), run: PaneScreen.busy.run)
      #expect(hud.handle(key, run: PaneScreen.busy.run) == nil)
      hud.draw(PaneScreen.busy.run, now: Instant(nanoseconds: 9), asOf: PaneScreen.busy.now)
      #expect(hud.text.contains("not in a replay"), "\(key)")
    }
  }

  @Test(arguments: [
    (Language.english, "Home   to the start; End: to the end"),
    (.japanese, "Home   最初へ（End で最後へ）"),
  ])
  func `the help names the keys of both ends`(language: Language, line: String) {
    var hud = ReplayScreenTests.hud(120, 60, ReplayScreenTests.replay, language: language)
    _ = hud.handle(.character("?"), run: PaneScreen.busy.run)
    hud.draw(PaneScreen.busy.run, now: Instant(nanoseconds: 9), asOf: PaneScreen.busy.now)
    #expect(hud.text.contains(line), "\(hud.text)")
  }

  @Test func `a time is typed after a colon`() {
    var hud = ReplayScreenTests.hud(80, 24, ReplayScreenTests.replay)
    let run = PaneScreen.busy.run
    func type(_ text: String) {
      for scalar in text.unicodeScalars { _ = hud.handle(.character(scalar), run: run) }
    }
    type(":1:2x")
    _ = hud.handle(.backspace, run: run)
    type("0")
    hud.draw(run, now: Instant(nanoseconds: 9), asOf: PaneScreen.busy.now)
    #expect(hud.text.contains("go to: 1:20_"))
    #expect(hud.handle(.enter, run: run) == .replay(.seek(80_000_000_000)))
    type(":soon")
    #expect(hud.handle(.enter, run: run) == nil)
    hud.draw(run, now: Instant(nanoseconds: 9_000_000_000), asOf: PaneScreen.busy.now)
    #expect(hud.text.contains("not a time: soon"))
    type(":12")
    _ = hud.handle(.escape, run: run)
    #expect(hud.handle(.character(" "), run: run) == .replay(.togglePause))
  }

  @Test(
    arguments: [
      ("83", 83), ("83s", 83), ("1:23", 83), ("1:23:45", 5025), ("1h2m3s", 3723), ("0.5", 0.5),
      ("500ms", 0.5), ("2m", 120), ("1d", 86_400), ("0:07.5", 7.5),
    ] as [(String, Double)])
  func `times as people write them`(text: String, seconds: Double) {
    #expect(ReplayState.time(text) == UInt64(seconds * 1e9))
  }

  @Test(arguments: [
    "", "x", "1:", ":", "1:2:3:4", "-5", "5x", "s", "1.5:20", "1..2", "nan", "9999999999", "5m3",
    "٣",
  ])
  func `other texts are no times`(text: String) {
    #expect(ReplayState.time(text) == nil)
  }

  @Test func `after going back the axes are those of the moment`() {
    var state = HUDState(language: .english)
    state.isAnimated = false
    var hud = HUD(size: Size(rows: 24, columns: 80), state: state)
    func run(until seconds: Int) -> MadeUpProcess {
      var process = MadeUpProcess()
      process.change = { $0.anonymousBytes = .value($0.sequence < 200 ? 48 << 20 : 112 << 20) }
      process.pass(seconds: Double(seconds))
      return process
    }
    func axis(at seconds: Int) -> Axis {
      let process = run(until: seconds)
      hud.redrawAtOnce()
      hud.draw(process.run, now: MadeUpProcess.time(Double(seconds)))
      return hud.state.axes.memory
    }
    let first = axis(at: 15)
    #expect(axis(at: 40).high > first.high)
    #expect(axis(at: 15) == first)
  }
}
