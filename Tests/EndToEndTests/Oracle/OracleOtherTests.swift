import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// Terminals of which no quirk is known: wherever the cautious model says that it knows where the cursor is,
/// it is there.
///
/// Played with `LONG_TESTS=1` alone, as they bring much with them (`make test-long`). `PERFHUD_SEED` and
/// `PERFHUD_STEPS` as in `OracleTests`.
@Suite(.serialized) struct OracleOtherTests {
  struct Other: CustomTestStringConvertible, Sendable {
    let name: String
    /// What is put before the program that is to run in it.
    let command: [String]
    /// Whether the program is one argument.
    var isLine = false
    var quirks: TerminalQuirks = .noSideMargins
    var testDescription: String { name }
  }

  static let all = [
    Other(
      name: "kitty",
      command: [
        "kitty", "-c", "NONE", "-o", "initial_window_width=80c", "-o", "initial_window_height=24c",
        "-o", "remember_window_size=no", "-o", "update_check_interval=0", "-o",
        "shell_integration=disabled",
      ]),
    Other(name: "VTE", command: ["sakura", "-c", "80", "-r", "24", "-x"], isLine: true),
  ]

  @Test(.enabled(if: Overlay.isLong), arguments: all)
  func `where the model knows the cursor it is there`(other: Other) throws {
    for tool in ["Xvfb", "gcc", other.command[0]] { try requireTool(tool) }
    guard Overlay.plays(other.name) else { return }
    let relay = try OracleRelay()
    let command =
      other.command + (other.isLine ? [relay.command.joined(separator: " ")] : relay.command)
    let terminal = try RunningTool(
      command,
      environment: [
        "DISPLAY": try XDisplay.shared().name, "HOME": relay.directory.path, "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1", "GDK_BACKEND": "x11",
        "NO_AT_BRIDGE": "1", "XDG_CONFIG_HOME": relay.directory.path,
      ])
    try relay.begin()
    defer { withExtendedLifetime(terminal) {} }
    let operations = Overlay.number("PERFHUD_STEPS") ?? 120
    let count = Overlay.number("PERFHUD_SEEDS") ?? 100
    let seeds = Overlay.seeds(1...count)
    var compared = 0
    var failed = 0
    for seed in seeds {
      let run = try OracleOtherRun(relay, other.quirks, seed: seed, operations: operations)
      compared += run.compared
      guard let failure = run.failure else { continue }
      failed += 1
      Issue.record("\(other.name), seed \(seed): \(failure)")
      if failed == 6 { return }
    }
    let share = compared * 100 / (seeds.count * operations)
    print("oracle \(other.name): \(seeds.count) seeds, in \(share) of 100 places compared")
    #expect(share > 20)
  }
}

/// One stream, played to both.
struct OracleOtherRun {
  private(set) var failure: String?
  /// After how many operations the places were compared.
  private(set) var compared = 0

  /// What no program sends and what no caution helps against: regions of one line, which some terminals set.
  /// REP is left out as well, and what might be taken for a string that begins with a control of eight bits.
  private static func isLeftOut(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    if let found = text.wholeMatch(of: /\u{1B}\[(?:\?6h\u{1B}\[)?(\d+);(\d+)r/), found.1 == found.2
    {
      return true
    }
    return bytes.contains(0x90) || bytes.contains(0x9D) || text.contains(/\[\d*b$/)
  }

  init(
    _ relay: OracleRelay, _ quirks: TerminalQuirks, seed: Int, operations: Int
  ) throws {
    let size = Size(rows: 24, columns: 80)
    var player = OraclePlayer(
      size, quirks: quirks, seed: seed, start: Array("\u{1B}[?1049l\u{1B}c".utf8),
      isLeftOut: OracleOtherRun.isLeftOut)
    for _ in 0...operations {
      guard let answer = try relay.ask(player.play(), Array("\u{1B}[6n".utf8)).dropLast().last
      else {
        throw ToolError("no answer after \(player.recent)")
      }
      guard let expected = OracleOtherRun.place(player.screen) else { continue }
      compared += 1
      let place = Array(answer.numbers().prefix(2))
      guard place == expected else {
        failure = player.report("the cursor is at \(place), the model has it at \(expected)")
        return
      }
    }
  }

  /// Where CPR is to say that the cursor is; `nil` where the model does not know it, or terminals differ.
  private static func place(_ screen: borrowing Screen) -> [Int]? {
    // With the wrap pending some say where the next character will be.
    guard screen.isCursorKnown, !screen.isColumnUncertain, !screen.isWrapPending else { return nil }
    // With DECOM some count from the margin, and some do not.
    if screen.modes.contains(.origin) { return nil }
    return [screen.cursor.row + 1, screen.cursor.column + 1]
  }
}
