import PerfHUDBase

/// The features of a terminal, as it reports them when asked at the start.
///
/// All questions are sent together, with DA1 last. Every terminal answers that one, so there is nothing to wait for
/// after it. These answers are swallowed; answers to the program come after them, since a terminal answers in order.
///
/// Source: XTerm Control Sequences (XTVERSION, DECRQM, DSR, DA1).
package struct TerminalFeatures: Sendable {
  /// How long to wait for an answer before the HUD is drawn, in nanoseconds.
  package static let patience: Int64 = 300_000_000
  /// An answer later than this is taken for one to the program. Satellite and phone links answer within 2 s.
  package static let limit: Int64 = 10_000_000_000

  /// Synchronized updates (`?2026`).
  package private(set) var hasSynchronizedUpdates = false
  /// Left and right margins (DECLRMM, `?69`).
  package private(set) var hasSideMargins = false
  /// What it calls itself (XTVERSION), made harmless; empty if not reported.
  package private(set) var version = ""
  /// The color of the background in 24 bits (OSC 11); `nil` if not reported.
  package private(set) var background: UInt32?
  /// Whether DA1 has come.
  package private(set) var isComplete = false

  /// The value of `TERM`.
  private var term: String?
  /// Which questions have not been answered.
  private var asksVersion = false
  private var asksBackground = false
  private var asksModes = 0
  private var asksAttributes = false

  package init() {}

  /// The questions to send. The caller asks for the cursor as well, right before DA1.
  ///
  /// - Parameter term: the value of `TERM`. The Linux console prints sequences that it does not know, so it is asked
  ///   only for the cursor and DA1.
  package mutating func questions(term: String?) -> [UInt8] {
    asksAttributes = true
    self.term = term
    var text = ""
    if term != "linux", term?.hasPrefix("vt") != true {
      asksVersion = true
      asksBackground = true
      asksModes = 2
      text = "\u{1B}[>q\(TerminalFeatures.backgroundQuestion)\u{1B}[?2026$p\u{1B}[?69$p"
    }
    return Array((text + "\u{1B}[6n\u{1B}[c").utf8)
  }

  /// Whether an answer is still expected.
  package var isWaiting: Bool { asksAttributes }

  /// Stops waiting for answers.
  package mutating func giveUp() {
    asksAttributes = false
    asksVersion = false
    asksBackground = false
    asksModes = 0
  }

  /// Asks for the color of the background (OSC 11).
  private static let backgroundQuestion = "\u{1B}]11;?\u{1B}\\"

  /// Asks only for the color of the background, with DA1 as the end mark.
  ///
  /// - Returns: `nil` for a terminal that prints unknown sequences.
  package mutating func onlyBackgroundQuestion(term: String?) -> [UInt8]? {
    guard term != "linux", term?.hasPrefix("vt") != true else { return nil }
    asksAttributes = true
    asksBackground = true
    return Array("\(TerminalFeatures.backgroundQuestion)\u{1B}[c".utf8)
  }

  /// Takes an answer.
  ///
  /// - Returns: whether it answers one of these questions, so that the program must not see it.
  package mutating func take(_ answer: Answer, _ bytes: RawSpan) -> Bool {
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
    case .other:
      if asksVersion, let name = TerminalFeatures.text(of: bytes, after: "\u{1B}P>|") {
        asksVersion = false
        version = SafeText.clean(name, limit: 40)
        return true
      }
      if asksBackground, let color = TerminalFeatures.text(of: bytes, after: "\u{1B}]11;") {
        asksBackground = false
        background = TerminalFeatures.color(color)
        return true
      }
      return false
    default: return false
    }
  }

  /// The text of an answer after `start`, without its end; `nil` if the answer starts differently.
  private static func text(of bytes: RawSpan, after start: StaticString) -> String? {
    let count = start.utf8CodeUnitCount
    guard bytes.byteCount > count else { return nil }
    for index in 0..<count
    where unsafe FieldCursor.byte(at: index, in: bytes) != start.utf8Start[index] { return nil }
    var text: [UInt8] = []
    for index in count..<bytes.byteCount {
      let byte = FieldCursor.byte(at: index, in: bytes)
      if byte < 0x20 { break }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses `rgb:R/G/B`, with one to four hexadecimal digits for each part, or `rgba:` with a fourth part.
  ///
  /// Source: XParseColor(3).
  static func color(_ text: String) -> UInt32? {
    let halves = text.split(separator: ":", omittingEmptySubsequences: false)
    guard halves.count == 2, halves[0] == "rgb" || halves[0] == "rgba" else { return nil }
    let parts = halves[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == (halves[0] == "rgb" ? 3 : 4) else { return nil }
    var color: UInt32 = 0
    for part in parts.prefix(3) {
      guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
        let value = UInt32(part, radix: 16)
      else { return nil }
      let greatest = UInt32(1) << (4 * UInt32(part.utf8.count)) - 1
      color = color << 8 | (value * 255 + greatest / 2) / greatest
    }
    return color
  }

  /// The terminal's quirks, determined by its name or else by its features.
  package var quirks: TerminalQuirks {
    if version.hasPrefix("XTerm") {
      // XTerm(379)
      let number = version.drop { !$0.isNumber }.prefix { $0.isNumber }
      return (Int(number) ?? 0) > 379 ? .laterXterm : .xterm
    }
    if version.hasPrefix("tmux") { return .tmux }
    var quirks: TerminalQuirks = isComplete && !hasSideMargins ? .noSideMargins : []
    // alacritty does not report its name.
    if version.hasPrefix("VTE") || version.hasPrefix("kitty")
      || (version.isEmpty && term == "alacritty")
    {
      quirks.formUnion([.joinsBefore, .repeats])
    }
    if version.hasPrefix("kitty") { quirks.insert(.scrollsInAnyColor) }
    return quirks
  }
}
