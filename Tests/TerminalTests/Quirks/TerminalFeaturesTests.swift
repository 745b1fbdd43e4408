import Terminal
import Testing

@Suite struct TerminalFeaturesTests {
  /// Those of a terminal that has been asked.
  private func asked(_ term: String? = "xterm") -> TerminalFeatures {
    var features = TerminalFeatures()
    _ = features.questions(term: term)
    return features
  }

  private func take(
    _ answer: Answer, _ text: String = "", _ features: inout TerminalFeatures
  ) -> Bool {
    let bytes = Array(text.utf8)
    return unsafe features.take(answer, bytes.span.bytes)
  }

  @Test func `DA1 is the last question, the cursor the one before it`() {
    var features = TerminalFeatures()
    #expect(!features.isWaiting)
    let text = String(decoding: features.questions(term: "xterm-256color"), as: UTF8.self)
    #expect(text == "\u{1B}[>q\u{1B}]11;?\u{1B}\\\u{1B}[?2026$p\u{1B}[?69$p\u{1B}[6n\u{1B}[c")
    #expect(features.isWaiting && !features.isComplete)
  }

  @Test(arguments: ["linux", "vt100", "vt220"])
  func `a terminal that prints what it does not know is asked for cursor and DA1 only`(term: String)
  {
    var features = TerminalFeatures()
    #expect(
      String(decoding: features.questions(term: term), as: UTF8.self) == "\u{1B}[6n\u{1B}[c")
  }

  @Test func `what is answered is there; DA1 ends the waiting`() {
    var features = asked()
    #expect(take(.other, "\u{1B}P>|kitty(0.41)\u{1B}\\", &features))
    #expect(take(.mode(2026, setting: 2), "", &features))
    #expect(take(.mode(69, setting: 1), "", &features))
    #expect(features.isWaiting)
    #expect(take(.deviceAttributes, "\u{1B}[?62c", &features))
    #expect(!features.isWaiting && features.isComplete)
    #expect(features.hasSynchronizedUpdates && features.hasSideMargins)
    #expect(features.version == "kitty(0.41)")
    #expect(!take(.deviceAttributes, "\u{1B}[?62c", &features))
    #expect(!take(.mode(2026, setting: 2), "", &features))
  }

  @Test(arguments: [(0, false), (1, true), (2, true), (3, false), (4, false)])
  func `a mode that is set or reset is there, not one that cannot be changed`(
    setting: Int, isThere: Bool
  ) {
    var features = asked()
    #expect(take(.mode(2026, setting: setting), "", &features))
    #expect(features.hasSynchronizedUpdates == isThere)
  }

  @Test func `other answers are not taken`() {
    var features = asked()
    #expect(!take(.mode(2004, setting: 1), "", &features))
    #expect(!take(.other, "\u{1B}]10;rgb:0/0/0\u{7}", &features))
    #expect(!take(.other, "\u{1B}]112;rgb:0/0/0\u{7}", &features))
    #expect(!take(.other, "\u{1B}P1$r0m\u{1B}\\", &features))
    #expect(!take(.other, "", &features))
  }

  @Test(arguments: [
    ("rgb:ffff/ffff/ffff", UInt32(0xFFFFFF)), ("rgb:0000/2b2b/3636", 0x002B36),
    ("rgb:00/2b/36", 0x002B36), ("rgb:f/8/0", 0xFF8800), ("rgb:fff/000/800", 0xFF0080),
    ("rgba:1e1e/1e1e/1e1e/cccc", 0x1E1E1E), ("rgb:00/00", nil), ("rgb:00/00/00/00", nil),
    ("rgb:0/0/", nil), ("rgb:00000/0/0", nil), ("rgb:+f/0/0", nil), ("#ffffff", nil), ("", nil),
    ("rgb:gg/00/00", nil), ("?", nil),
  ])
  func `the color of the background is read, in any number of digits`(text: String, color: UInt32?)
  {
    for end in ["\u{1B}\\", "\u{7}"] {
      var features = asked()
      #expect(take(.other, "\u{1B}]11;\(text)\(end)", &features))
      #expect(features.background == color)
      // The next one answers the program.
      #expect(!take(.other, "\u{1B}]11;rgb:12/34/56\(end)", &features))
      #expect(features.background == color)
    }
  }

  @Test func `for its background alone it is asked with DA1 as the last`() {
    var features = TerminalFeatures()
    let question = features.onlyBackgroundQuestion(term: "xterm")
    #expect(question.map { String(decoding: $0, as: UTF8.self) } == "\u{1B}]11;?\u{1B}\\\u{1B}[c")
    #expect(!take(.mode(2026, setting: 2), "", &features))
    #expect(take(.other, "\u{1B}]11;rgb:ff/ff/ff\u{7}", &features) && features.isWaiting)
    #expect(take(.deviceAttributes, "\u{1B}[?62c", &features) && !features.isWaiting)
    var console = TerminalFeatures()
    let none = console.onlyBackgroundQuestion(term: "linux")
    #expect(none == nil && !console.isWaiting)
  }

  @Test(
    arguments: [
      ("kitty(0.26.5)", "xterm-kitty", [.joinsBefore, .repeats, .scrollsInAnyColor]),
      ("VTE(7006)", "xterm-256color", [.joinsBefore, .repeats]),
      ("", "alacritty", [.joinsBefore, .repeats]), ("", "st-256color", []), ("", "xterm", []),
      ("tmux 3.3a", "alacritty", .tmux), ("WezTerm", "alacritty", []),
    ] as [(String, String, TerminalQuirks)])
  func `what is known of a terminal follows from its name, or TERM where it has none`(
    name: String, term: String, quirks: TerminalQuirks
  ) {
    var features = TerminalFeatures()
    _ = features.questions(term: term)
    if !name.isEmpty { #expect(take(.other, "\u{1B}P>|\(name)\u{1B}\\", &features)) }
    #expect(take(.deviceAttributes, "\u{1B}[?62c", &features))
    #expect(features.quirks.subtracting(.noSideMargins) == quirks.subtracting(.noSideMargins))
  }

  @Test func `a name with escape sequences is made harmless`() {
    var features = asked()
    #expect(take(.other, "\u{1B}P>|evil\u{9B}31m\u{1B}\\", &features))
    #expect(features.version.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x9B })
  }

  @Test func `after giving up nothing is taken`() {
    var features = asked()
    features.giveUp()
    #expect(!features.isWaiting && !features.isComplete)
    #expect(!take(.deviceAttributes, "\u{1B}[?62c", &features))
  }

  @Test func `the terminal is known by its name, else by what it has`() {
    func quirks(_ version: String?, term: String, margins: Int? = nil) -> TerminalQuirks {
      var features = asked(term)
      if let version { _ = take(.other, "\u{1B}P>|\(version)\u{1B}\\", &features) }
      if let margins { _ = take(.mode(69, setting: margins), "", &features) }
      _ = take(.deviceAttributes, "", &features)
      return features.quirks
    }
    #expect(quirks("XTerm(379)", term: "xterm") == .xterm)
    #expect(quirks("XTerm(380)", term: "xterm") == .laterXterm)
    #expect(quirks("XTerm", term: "xterm") == .xterm)
    #expect(quirks("tmux 3.3a", term: "xterm-256color") == .tmux)
    #expect(quirks(nil, term: "screen") == .noSideMargins)
    #expect(quirks(nil, term: "xterm") == .noSideMargins)
    #expect(quirks(nil, term: "xterm", margins: 2) == [])
    #expect(TerminalFeatures().quirks == [])
  }
}
