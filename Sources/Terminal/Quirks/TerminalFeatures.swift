import PerfHUDBase

/// What a terminal has, as it says itself: asked once at the start.
///
/// All questions go out together with DA1 as the last: every terminal answers that, so that nothing
/// more is waited for after it. The answers are swallowed; those of the program come after them,
/// since a terminal answers in the order of asking.
///
/// Source: XTerm Control Sequences (XTVERSION, DECRQM, DSR, DA1).
public struct TerminalFeatures: Sendable {
  /// How long an answer is waited for before the HUD is drawn, in nanoseconds.
  public static let patience: Int64 = 300_000_000
  /// Later than this an answer is taken for one to the program. Links by satellite and phone answer within 2 s.
  public static let limit: Int64 = 10_000_000_000

  /// Synchronized updates (`?2026`).
  public private(set) var hasSynchronizedUpdates = false
  /// Left and right margins (DECLRMM, `?69`).
  public private(set) var hasSideMargins = false
  /// What it calls itself (XTVERSION), made harmless; empty if it does not say.
  public private(set) var version = ""
  /// DA1 has come.
  public private(set) var isComplete = false

  /// The questions that have not been answered.
  private var asksVersion = false
  private var asksModes = 0
  private var asksAttributes = false

  public init() {}

  /// The questions; the cursor is asked for beside them, right before DA1.
  ///
  /// - Parameter term: the value of `TERM`. The Linux console prints what it does not know, so that
  ///   it is asked for nothing but the cursor and DA1.
  public mutating func questions(term: String?) -> [UInt8] {
    asksAttributes = true
    var text = ""
    if term != "linux", term?.hasPrefix("vt") != true {
      asksVersion = true
      asksModes = 2
      text = "\u{1B}[>q\u{1B}[?2026$p\u{1B}[?69$p"
    }
    return Array((text + "\u{1B}[6n\u{1B}[c").utf8)
  }

  /// Whether an answer is still expected.
  public var isWaiting: Bool { asksAttributes }

  /// Nothing more is waited for.
  public mutating func giveUp() {
    asksAttributes = false
    asksVersion = false
    asksModes = 0
  }

  /// Takes an answer.
  ///
  /// - Returns: whether it was one to these questions, so that the program must not see it.
  public mutating func take(_ answer: Answer, _ bytes: RawSpan) -> Bool {
    guard asksAttributes else { return false }
    switch answer {
    case .deviceAttributes:
      isComplete = true
      giveUp()
      return true
    case .mode(let number, let setting) where asksModes > 0 && (number == 2026 || number == 69):
      asksModes -= 1
      let isThere = setting == 1 || setting == 2
      if number == 2026 { hasSynchronizedUpdates = isThere } else { hasSideMargins = isThere }
      return true
    case .other where asksVersion:
      let start: [UInt8] = [0x1B, 0x50, 0x3E, 0x7C]  // DCS > |
      guard bytes.byteCount > start.count else { return false }
      for (index, byte) in start.enumerated()
      where FieldCursor.byte(at: index, in: bytes) != byte { return false }
      asksVersion = false
      var name: [UInt8] = []
      for index in start.count..<bytes.byteCount {
        let byte = FieldCursor.byte(at: index, in: bytes)
        if byte < 0x20 { break }
        name.append(byte)
      }
      version = SafeText.clean(String(decoding: name, as: UTF8.self), limit: 40)
      return true
    default: return false
    }
  }

  /// How the terminal differs from others, by its name, else by what it has.
  public var quirks: TerminalQuirks {
    if version.hasPrefix("XTerm") {
      // XTerm(379)
      let number = version.drop { !$0.isNumber }.prefix { $0.isNumber }
      return (Int(number) ?? 0) > 379 ? .laterXterm : .xterm
    }
    if version.hasPrefix("tmux") { return .tmux }
    return isComplete && !hasSideMargins ? .noSideMargins : []
  }
}
