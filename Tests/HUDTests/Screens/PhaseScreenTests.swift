import HUD
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal
import TestSupport
import Testing

/// The memory graph in the colors of what the program showed.
@Suite struct PhaseScreenTests {
  /// Three minutes between a gallery and a canvas; the hill of memory is the canvas's.
  private static let run: Run = {
    var process = MadeUpProcess()
    process.pass(seconds: 10)
    enter("gallery", icon: "🖼", .cyan, &process)
    process.pass(seconds: 50)
    enter("canvas", icon: "🎨", .orange, &process)
    process.pass(seconds: 60)
    enter("gallery", icon: "🖼", .cyan, &process)
    process.pass(seconds: 30)
    enter("日本語の画面", icon: "", nil, &process)
    process.pass(seconds: 20)
    return process.run
  }()

  private static func enter(
    _ name: String, icon: String, _ color: EventColor?, _ process: inout MadeUpProcess
  ) {
    var event = Event(.phase)
    event.name = Event.Name(name)
    event.icon = Event.Icon(icon)
    event.color = color
    process.apply(.event(event, process.now))
  }

  @Test(arguments: [(120, 40), (80, 24), (44, 15), (36, 9)])
  func `the graph names its phases`(columns: Int, rows: Int) {
    let hud = screen(columns, rows, PhaseScreenTests.run)
    expectGolden(hud.text, file: "Golden/\(columns)x\(rows)-phases.txt")
  }

  @Test(arguments: Language.allCases, ["canvas", "日本語の画面"])
  func `a phase is whole in the title wherever it fits beside the name`(
    language: Language, name: String
  ) throws {
    var process = MadeUpProcess()
    process.pass(seconds: 2)
    let icon = name == "canvas" ? "🎨" : ""
    PhaseScreenTests.enter(name, icon: icon, nil, &process)
    process.pass(seconds: 1)
    let phase = "A \(name)\(icon.isEmpty ? "" : " \(icon)")"
    for columns in 20...60 {
      let hud = screen(columns, 15, process.run, state: HUDState(language: language))
      let title = try #require(hud.lines.first { $0.hasPrefix("demo") })
      #expect(title.contains("  \(phase)"), "\(columns): \(title)")
      // The least important part goes first.
      if title.contains(" 2h03m") { #expect(title.contains("4242")) }
      if title.contains("/usr") { #expect(title.contains(" 2h03m")) }
    }
    let narrow = screen(12, 15, process.run).lines.first { $0.hasPrefix("demo") } ?? ""
    #expect(!narrow.contains(phase))
  }

  @Test func `each column of the graph has the color of its phase`() {
    let hud = screen(80, 24, PhaseScreenTests.run)
    expectGolden(hud.roles, file: "Golden/80x24-phases-roles.txt")
  }

  @Test(arguments: [(24, 5), (30, 5), (38, 5), (36, 9), (72, 20)])
  func `an overlay names its phase`(columns: Int, rows: Int) {
    let hud = screen(columns, rows, PhaseScreenTests.run, state: HUDState(family: .overlay))
    expectGolden(hud.text, file: "Golden/Overlay/\(columns)x\(rows)-phases.txt")
  }

  @Test func `in ASCII phases are drawn as letters and hyphens`() {
    let hud = screen(80, 24, PhaseScreenTests.run, state: HUDState(isASCII: true))
    #expect(hud.text.utf8.allSatisfy { $0 < 0x80 })
    expectGolden(hud.text, file: "Golden/80x24-phases-ascii.txt")
  }

  /// A canvas of 60 frames a second with three slow ones, of which two fall into one column.
  private static let slowRun: Run = {
    var process = MadeUpProcess(tick: false)
    process.pass(seconds: 60)
    enter("canvas", icon: "🎨", .orange, &process)
    for frame in 0..<1800 {
      var event = Event(.frame)
      event.number = [600, 900, 904].contains(frame) ? 80 : 16.6
      process.apply(
        .event(event, process.now.advanced(byNanoseconds: Int64(frame % 6) * 16_000_000)))
      if frame % 6 == 5 { process.step() }
    }
    enter("gallery", icon: "🖼", .cyan, &process)
    process.pass(seconds: 10)
    return process.run
  }()

  @Test(arguments: [(80, 24, false), (80, 24, true), (36, 9, false)])
  func `slow frames of the program are marks on the memory graph`(
    columns: Int, rows: Int, isASCII: Bool
  ) {
    let isPane = columns == 80
    let hud = screen(
      columns, rows, PhaseScreenTests.slowRun,
      state: HUDState(isASCII: isASCII, family: isPane ? .pane : .overlay))
    let name = "\(columns)x\(rows)-slow-frames\(isASCII ? "-ascii" : "")"
    expectGolden(hud.text, file: isPane ? "Golden/\(name).txt" : "Golden/Overlay/\(name).txt")
    // Without a heading a mark is but a color of the graph below it.
    let marks =
      isPane
      ? hud.text.unicodeScalars.count { $0 == (isASCII ? "!" : "╹") }
      : hud.roles.split(separator: "\n")[5].count { $0 == "a" }
    // The first one has left the 28 seconds of the narrow graph.
    #expect(marks == (isPane ? 2 : 1))
  }
}
