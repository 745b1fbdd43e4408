import Base
import Glibc
import TestSupport
import Testing

@testable import Terminal

/// The shadow with screen's ways against a real GNU screen: what that shows in a tmux.
@Suite(.serialized) struct OracleScreenTests {
  init() throws { for tool in ["tmux", "screen", "gcc"] { try requireTool(tool) } }

  @Test(arguments: [(24, 8), (80, 24)])
  func `wherever the model knows what screen shows it is so`(columns: Int, rows: Int) throws {
    try play(columns: columns, rows: rows, hasRareModes: false)
  }

  @Test(arguments: [(24, 8)])
  func `wherever the model knows what screen shows with modes that are rare it is so`(
    columns: Int, rows: Int
  ) throws {
    try play(columns: columns, rows: rows, hasRareModes: true)
  }

  private func play(columns: Int, rows: Int, hasRareModes: Bool) throws {
    guard Overlay.plays(columns: columns, rows: rows) else { return }
    let operations = Overlay.number("PERFHUD_STEPS") ?? 100
    let count = Overlay.number("PERFHUD_SEEDS") ?? (Overlay.isLong ? 200 : 6)
    let size = Size(rows: rows, columns: columns)
    let cells = try playStreams("screen \(columns)x\(rows)", Array(Overlay.seeds(1...count))) {
      seed, isThorough in
      try OracleScreenRun(
        size, seed: seed, operations: operations, every: isThorough ? 1 : 10,
        hasRareModes: hasRareModes)
    }
    #expect(cells.count > 0 && cells.unknown < cells.count)
  }
}

/// One stream, played to both.
struct OracleScreenRun: OracleStreamRun {
  private(set) var failure: String?
  private(set) var compared = OracleCells()

  /// - Parameter every: after so many operations they are compared, and at the end.
  init(_ size: Size, seed: Int, operations: Int, every: Int, hasRareModes: Bool) throws {
    let relay = try OracleRelay()
    // screen wants it to be nobody else's.
    let sockets = relay.directory.file("sockets")
    guard unsafe mkdir(sockets, 0o700) == 0 else { throw ToolError("no directory for screen") }
    let tmux = try Tmux(
      columns: size.columns, rows: size.rows,
      command: ["screen", "-U", "-c", "/dev/null", "-S", "oracle"] + relay.command,
      environment: [
        "SCREENDIR": sockets, "LC_ALL": "C.UTF-8", "TMUX": nil, "STY": nil,
      ])
    try relay.begin()
    var player = OraclePlayer(
      size, quirks: .screen, seed: seed, hasRareModes: hasRareModes,
      isLeftOut: { seed % 4 != 0 && OracleScreenRun.isLeftOut($0) })
    for number in 0...operations {
      let answers = try relay.ask(player.play(), Array("\u{1B}[6n".utf8))
      guard number % every == 0 || number == operations else { continue }
      compared.add(player.screen)
      let place = answers.dropLast().last?.numbers() ?? []
      guard
        let difference = try OracleScreenRun.difference(place, player.screen)
          ?? OracleScreenRun.lastingDifference(tmux, player.screen, sockets: sockets)
      else { continue }
      failure = player.report(difference)
      return
    }
  }

  /// What leaves all in doubt, or a row: three of four streams go without it, so that there is more to compare.
  private static func isLeftOut(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasSuffix("b") || text.hasPrefix("\u{1B}[?6") || text.hasPrefix("\u{1B}[?3")
      || ["47h", "47l", "48h", "48l", "49h", "49l"].contains { text.hasSuffix($0) }
  }

  /// What differs for longer than screen takes to draw, and when it has drawn anew: it may leave a character where
  /// its own picture has none.
  private static func lastingDifference(
    _ tmux: Tmux, _ screen: borrowing Screen, sockets: String
  ) throws -> String? {
    guard try lastingDifference(tmux, screen) != nil else { return nil }
    let redrawn = try Tool.run(
      ["screen", "-S", "oracle", "-X", "redisplay"], environment: ["SCREENDIR": sockets])
    guard redrawn.status == .exit(0) else { throw ToolError("screen: \(redrawn.stderr)") }
    return try lastingDifference(tmux, screen)
  }

  /// What differs for longer than screen takes to draw; `nil` as soon as nothing does.
  private static func lastingDifference(
    _ tmux: Tmux, _ screen: borrowing Screen
  ) throws -> String? {
    let deadline = Instant.now().advanced(bySeconds: 1)
    while true {
      let difference = difference(try tmux.picture(), screen)
      if difference == nil || Instant.now() >= deadline { return difference }
    }
  }

  /// - Parameter place: what screen has answered to CPR. With the wrap pending it tells where the next character
  ///   will be.
  private static func difference(_ place: [Int], _ screen: borrowing Screen) -> String? {
    guard screen.isCursorKnown, !screen.isColumnDoubtful, !screen.isWrapPending else { return nil }
    let expected = [screen.cursor.row + 1, screen.cursor.column + 1]
    return Array(place.prefix(2)) == expected
      ? nil : "screen has the cursor at \(place), the shadow at \(expected)"
  }

  private static func difference(_ picture: TmuxPicture, _ screen: borrowing Screen) -> String? {
    let grid = Grid.parse(picture.screen, after: picture.history)
    for row in 0..<screen.size.rows {
      let mine = TmuxRow(screen, row, drawsLines: true)
      guard let column = mine.firstDifference(from: grid[row]) else { continue }
      return """
        cell \(row + 1),\(column + 1)
        screen     \(grid[row].map(\.text).joined(separator: "|"))
        the shadow \(mine.description)
        """
    }
    return nil
  }
}
