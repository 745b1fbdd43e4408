import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// All that can come at once: keys, pastes, reports of the mouse, keys of the HUD, other sizes of the window,
/// and what the program writes meanwhile.
///
/// The program gets each byte that is its own, in order, and no other; and whenever the HUD is hidden the
/// terminal shows what it would show without perfhud. `LONG_TESTS=1` plays 100 000 steps,
/// `PERFHUD_SEED=n` one stream.
@Suite(.serialized) struct MixedInputTests {
  init() throws { try requireTool("gcc") }

  static let steps = 2000

  static var seeds: [Int] {
    Array(Overlay.seeds(1...(Overlay.isLong ? 50 : 5)))
  }

  @Test(arguments: seeds)
  func `keys, pastes, mouse, sizes and output mixed: none is lost or taken, no cell torn`(
    seed: Int
  ) throws {
    var player = try MixedPlayer(seed: seed)
    do {
      try player.play(steps: Overlay.number("PERFHUD_STEPS") ?? MixedInputTests.steps)
    } catch {
      Issue.record("seed \(seed), step \(player.step): \(error)")
    }
    print(
      "mixed input, seed \(seed): \(player.step) steps, \(player.comparisons) screens compared")
    #expect(player.comparisons > 0)
  }

  @Test func `the prefix key gives the HUD the focus too while an update of the program is open`()
    throws
  {
    let stage = try ScreenModelStage(columns: 80, rows: 24)
    stage.write("\u{1B}[2J\u{1B}[H")
    try stage.sync()
    try stage.pump { stage.difference?.hasPrefix("row") == true }
    // What scrolls takes the HUD off the screen until the update ends.
    stage.write("\u{1B}[?2026h\u{1B}[24H\n\n")
    try stage.sync()
    stage.type("\u{1B}[24~", program: "")
    try stage.sync()
    stage.type("fm1", program: "")
    stage.write("\u{1B}[?2026l")
    stage.type("\u{1B}[24~", program: "")
    stage.type("\u{1B}[24~\u{1B}[24~", program: "\u{1B}[24~")
    try stage.sync()
  }

  /// `P` is the prefix key. In the log `h` is no key; where the HUD has the keys it hides it.
  @Test(
    arguments: ["^^", "f12"],
    ["PPPh", "PfPPh", "P\t/hPPh", "P?PPh", "P,PPh", "PsPh", "PfffqPh", "Pffq?xPPf\u{1B}[AqPh"])
  func
    `keys, the prefix key and the prefix key again in one read: each means what those before it make of it`(
      prefix: String, keys: String
    ) throws
  {
    let bytes = prefix == "f12" ? "\u{1B}[24~" : "\u{1E}"
    let stage = try ScreenModelStage(columns: 80, rows: 24, options: ["--prefix", prefix])
    stage.write(OracleStream.fill(columns: 80, rows: 24))
    try stage.sync()
    try stage.pump { stage.difference?.hasPrefix("row") == true }
    // The last key hides the HUD and returns the focus; the program has the text, after the prefix key if that was
    // pressed twice.
    let typed = keys.split(separator: "P", omittingEmptySubsequences: false).joined(
      separator: bytes)
    stage.type("\(typed)text", program: keys.hasPrefix("PPP") ? "\(bytes)text" : "text")
    try stage.sync()
    try stage.pump { stage.difference == nil }
  }
}

/// One stream of everything.
private struct MixedPlayer {
  private let stage: ScreenModelStage
  private var numbers: SeededRandom
  private var output: OracleStream
  /// What the program writes leaves a HUD on the screen, so that it can be given keys.
  private var isCalm = true
  private var isRich = false
  /// The prefix key as a keyboard sends it, and as a richer one does.
  private let prefixKey: (plain: String, rich: String)
  private var columns = 80
  private var rows = 24
  private(set) var step = 0
  private var resizedAt = 0
  private(set) var comparisons = 0

  init(seed: Int) throws {
    numbers = SeededRandom(scatteredSeed: UInt64(seed))
    let isDefault = seed.isMultiple(of: 2)
    prefixKey =
      isDefault
      ? ("\(Self.esc)[24~", "\(Self.esc)[24;1:1~") : ("\u{1E}", "\(Self.esc)[94;5u")
    stage = try ScreenModelStage(
      columns: 80, rows: 24, options: isDefault ? [] : ["--prefix", "^^"])
    output = OracleStream(seed: seed, columns: 80, rows: 24, isPlain: true)
  }

  private mutating func pick(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &numbers)
  }

  private mutating func pick(_ texts: [String]) -> String { texts[pick(0...texts.count - 1)] }

  mutating func play(steps: Int) throws {
    try begin()
    while step < steps {
      for _ in 0..<pick(10...60) { try takeStep() }
      try stage.sync()
      switch pick(0...11) {
      case 0...3: try compare()
      case 4: try resize()
      case 5, 6: try changeKind()
      case 7: try typeEscape()
      case 8:
        isRich.toggle()
        stage.write(isRich ? "\u{1B}[>1u" : "\u{1B}[<u")
        try stage.sync()
      default: break
      }
    }
    try compare()
  }

  /// A screen of which all is known, and a HUD on it.
  private mutating func begin() throws {
    stage.write(OracleStream.reset)
    isRich = false
    stage.write(OracleStream.fill(columns: columns, rows: rows))
    stage.write("\u{1B}[H")
    try stage.sync()
    try waitForHUD()
  }

  private func waitForHUD() throws {
    let stage = stage
    do {
      try stage.pump { stage.difference?.hasPrefix("row") == true }
    } catch {
      throw ToolError(
        """
        no HUD on \(columns)x\(rows), but \(stage.difference ?? "all equal"); \
        restorable: \(stage.bare.isRestorable), \
        unknown: \(stage.unknownShare), updating: \(stage.bare.isUpdating), \(error)
        """)
    }
  }

  private mutating func takeStep() throws {
    step += 1
    switch pick(0...99) {
    case 0..<40: stage.write(isCalm ? calmOutput() : output.next(stage.bare.modes))
    case 40..<50: stage.type(pick(MixedPlayer.mouse))
    case 50..<55: stage.type(pick(MixedPlayer.pastes))
    case 55..<60 where isCalm: typeForHUD()
    default: stage.type(pick(MixedPlayer.keys))
    }
    // Now and then the one has to wait for the other.
    if pick(0...9) == 0 { try stage.pump { true } }
  }

  // MARK: What is typed

  private static let esc = "\u{1B}"
  private static let keys = [
    "x", "q", "h", "日本", "é", "\r", "\t", "\u{3}", "\u{1A}", "\u{7F}", "\(esc)[A", "\(esc)OP",
    "\(esc)[1;5C", "\(esc)[I", "\(esc)[O", "\(esc)x", "\(esc)[24;5~", "\(esc)[97;5u",
    "\(esc)[97;5:3u", "\(esc)[27;5;97~", "\(esc)]11;rgb:0/0/0\u{7}", "a long line that is typed\r",
  ]
  private static let mouse = [
    "\(esc)[<35;10;20M", "\(esc)[<0;60;3M", "\(esc)[<0;60;3m", "\(esc)[<64;70;5M", "\(esc)[M !!",
    "\(esc)[<0;1;2m",
  ]
  private static let pastes = [
    "\(esc)[200~a\u{1E}b\(esc)[24~c\(esc)[201~", "\(esc)[200~\(esc)[94;5u\(esc)[A\(esc)[201~",
    "\(esc)[200~\(esc)[201~", "\(esc)[200~\(String(repeating: "pasted ", count: 40))\(esc)[201~",
  ]
  /// Keys for the HUD that leave it shown, and with the keys.
  private static let forHUD = [
    "1", "2", "3", "4", "\(esc)[A", "\(esc)[B", "\(esc)[C", "\(esc)[D", "s", "g", "m", "+", "-",
    "?x", "l", "p", "a", "F", "I", "r", "\u{C}", "\tjk/a b\rnq", "\tG\u{3}", "\t&x\r\(esc)[Bq", "0",
  ]

  /// The prefix key, and one key for the HUD; or many, and the prefix key once more, which returns the focus; or the
  /// prefix key twice, of which the second is the program's.
  private mutating func typeForHUD() {
    let prefixKey = isRich && pick(0...1) == 0 ? prefixKey.rich : prefixKey.plain
    switch pick(0...2) {
    case 0: stage.type(prefixKey + prefixKey, program: prefixKey)
    case 1: stage.type(prefixKey + pick(MixedPlayer.forHUD), program: "")
    default:
      let keys = (0..<pick(0...5)).map { _ in pick(MixedPlayer.forHUD) }.joined()
      stage.type("\(prefixKey)f\(keys)\(prefixKey)", program: "")
    }
  }

  /// What is a key only by the pause after it.
  private mutating func typeEscape() throws {
    guard isCalm else { return }
    stage.type(pick([Self.esc, "\(Self.esc)\(Self.esc)"]))
    try stage.sync()
  }

  // MARK: What is written

  private mutating func calmOutput() -> [UInt8] {
    let place = "\u{1B}[\(pick(1...rows));\(pick(1...columns))H"
    let words = ["lorem ipsum", "dolor", "日本語", "x", "━━ ─", "sit amet, consectetur adipiscing"]
    let text: String
    switch pick(0...15) {
    case 0...5: text = place + pick(words)
    case 6: text = "\u{1B}[\(pick(30...37));\(pick(40...47))m\(pick(words))\u{1B}[m"
    case 7: text = "\r\n" + pick(words)
    case 8: text = "\u{1B}[\(rows)H\n\n" + pick(words)
    case 9: text = place + "\u{1B}[\(pick(0...2))K"
    case 10: text = place + "\u{1B}[\(pick(1...4))" + pick(["L", "M", "@", "P", "X"])
    case 11: text = "\u{1B}[3;\(rows - 2)r\u{1B}[\(rows - 2)H\n\u{1B}[r" + place
    case 12: text = "\u{1B}[?2026h" + place + pick(words) + "\r\n\n\u{1B}[?2026l"
    case 13: text = "\u{1B}[?1049" + pick(["h", "l"]) + "\u{1B}[2J" + place
    case 14: text = "\u{1B}[?1000;1006" + pick(["l", "l"])
    default: text = pick(["\u{1B}[H\u{1B}[J", "\u{1B}M", "\u{1B}[7m \u{1B}[m", "\t", "\u{8}"])
    }
    return Array(text.utf8)
  }

  private mutating func changeKind() throws {
    isCalm.toggle()
    if isCalm { try begin() }
  }

  private mutating func resize() throws {
    columns = pick(60...120)
    rows = pick(20...40)
    try stage.resize(columns: columns, rows: rows)
    resizedAt = step
    output = OracleStream(
      seed: pick(0...1 << 30), columns: columns, rows: rows, isPlain: true)
    // As programs do.
    isCalm = true
    try begin()
  }

  /// Hides the HUD, compares everything, and shows it again.
  private mutating func compare() throws {
    // Whatever state the program is in, the HUD can be taken off.
    if !isCalm { stage.write("\u{18}\u{1B}[!p\u{1B}(B\u{F}\u{1B}[H") }
    try stage.sync()
    try stage.toggleHUD()
    let stage = stage
    do {
      try stage.pump { stage.difference == nil }
    } catch {
      throw ToolError(
        """
        \(stage.difference ?? "it came late"); \(columns)x\(rows) since step \(resizedAt), \
        the program is \(isCalm ? "calm" : "wild"); \(error)
        """)
    }
    comparisons += 1
    try stage.toggleHUD()
    if isCalm { try waitForHUD() }
  }
}
