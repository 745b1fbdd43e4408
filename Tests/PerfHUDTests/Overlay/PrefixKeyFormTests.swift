import HUD
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import PerfHUD

/// What keyboards send for a prefix key, whole and in pieces.
extension PrefixKeyFilterTests {
  /// Whether bytes end in what is passed on at once, although the prefix key may begin with it.
  static func endsInStart(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
    bytes.last == 0x1B || bytes.suffix(2).elementsEqual(Array("\(esc)[".utf8))
  }

  /// A prefix key, what a keyboard sends for it, and whether only a richer one does.
  struct Form: Sendable, CustomTestStringConvertible {
    var prefix: String
    var bytes: String
    var isRich = false
    /// Whether it is found wherever it is cut.
    var isAlwaysFound: Bool { isRich || !prefix.hasPrefix("f") }
    var testDescription: String { "\(prefix) as \(bytes.debugDescription)" }
  }

  static let forms = [
    Form(prefix: "ctrl-^", bytes: "\u{1E}"),
    Form(prefix: "ctrl-^", bytes: "\(esc)[94;5u", isRich: true),
    Form(prefix: "ctrl-^", bytes: "\(esc)[54;5u", isRich: true),
    Form(prefix: "ctrl-^", bytes: "\(esc)[54:94;6u", isRich: true),
    Form(prefix: "ctrl-^", bytes: "\(esc)[94;5:1u", isRich: true),
    Form(prefix: "ctrl-^", bytes: "\(esc)[27;5;94~", isRich: true),
    Form(prefix: "ctrl-^", bytes: "\(esc)[27;6;94~", isRich: true),
    Form(prefix: "ctrl-^", bytes: "\(esc)[27;5;54~", isRich: true),
    Form(prefix: "f12", bytes: f12), Form(prefix: "f12", bytes: "\(esc)[24;1~"),
    // With Caps Lock, Num Lock, both.
    Form(prefix: "f12", bytes: "\(esc)[24;65~"), Form(prefix: "f12", bytes: "\(esc)[24;129~"),
    Form(prefix: "f12", bytes: "\(esc)[24;193~"), Form(prefix: "f12", bytes: "\(esc)[24;1:1~"),
    Form(prefix: "f12", bytes: "\(esc)[57375u"), Form(prefix: "f12", bytes: "\(esc)[57375;1:1u"),
    // Sun, SCO.
    Form(prefix: "f12", bytes: "\(esc)[235z"), Form(prefix: "f12", bytes: "\(esc)[X"),
    Form(prefix: "f1", bytes: "\(esc)OP"), Form(prefix: "f1", bytes: "\(esc)[P"),
    Form(prefix: "f1", bytes: "\(esc)[1;1:1P"), Form(prefix: "f1", bytes: "\(esc)[11~"),
    // The Linux console.
    Form(prefix: "f1", bytes: "\(esc)[[A"), Form(prefix: "f5", bytes: "\(esc)[[E"),
    Form(prefix: "f5", bytes: "\(esc)[15~"), Form(prefix: "f6", bytes: "\(esc)[17~"),
    Form(prefix: "f11", bytes: "\(esc)[23~"), Form(prefix: "f3", bytes: "\(esc)[13~"),
    Form(prefix: "alt-x", bytes: "\(esc)x"),
    Form(prefix: "alt-x", bytes: "\(esc)[120;3u", isRich: true),
    Form(prefix: "alt-x", bytes: "\(esc)[27;3;120~", isRich: true),
  ]

  @Test(arguments: forms)
  func `the next key is the HUD's, and those after it the command's, however it is cut`(form: Form)
  {
    forEachCut("ab\(form.bytes)gcd") { pieces, cut in
      let starts = [Array(pieces[0]), Array(pieces[0] + pieces[1])]
      guard form.isAlwaysFound || !starts.contains(where: Self.endsInStart) else { return }
      let test = typing(form.prefix, isRich: form.isRich)
      for piece in pieces { test.take(piece) }
      #expect(test.text == "abcd", "cut at \(cut)")
      #expect(test.typed.takeKeys() == [.character("g")], "cut at \(cut)")
      #expect(!test.typed.hasHUDFocus)
    }
  }

  @Test(arguments: forms)
  func `twice it goes through once, as it came`(form: Form) {
    forEachCut("a\(form.bytes)\(form.bytes)b") { pieces, cut in
      let starts = [Array(pieces[0]), Array(pieces[0] + pieces[1])]
      guard form.isAlwaysFound || !starts.contains(where: Self.endsInStart) else { return }
      let test = typing(form.prefix, isRich: form.isRich)
      for piece in pieces { test.take(piece) }
      #expect(test.text == "a\(form.bytes)b", "cut at \(cut)")
      #expect(!test.typed.hasHUDFocus && test.typed.takeKeys().isEmpty)
    }
  }

  @Test(arguments: [
    "\(esc)[24;2~", "\(esc)[24;3~", "\(esc)[24;5~", "\(esc)[24;9~", "\(esc)[24^", "\(esc)[24@",
    "\(esc)[23~", "\(esc)[240~", "\(esc)[2~", "\(esc)[24;1:3~", "\(esc)[24;66~", "\(esc)[57374u",
    "\(esc)[<24;1;1M", "\(esc)[24;1R", "\(esc)[1;2P", "\(esc)OS",
  ])
  func `other keys, and F12 with a modifier, are the command's`(bytes: String) {
    forEachCut("a\(bytes)b") { pieces, cut in
      for isRich in [false, true] {
        let test = typing("f12", isRich: isRich)
        for piece in pieces { test.take(piece) }
        #expect(test.text == "a\(bytes)b", "cut at \(cut)")
        #expect(!test.typed.hasHUDFocus && test.typed.takeKeys().isEmpty)
      }
    }
  }

  @Test func `Esc before F12 at once is Alt-F12, 25 ms before it Esc`() {
    let test = typing("f12")
    test.take(Self.esc + Self.f12)
    #expect(test.text == Self.esc + Self.f12 && !test.typed.hasHUDFocus)
    test.take(Self.esc, after: 100)
    test.resolve(after: 126)
    #expect(test.text == Self.esc + Self.f12 + Self.esc)
    test.take(Self.f12, after: 130)
    #expect(test.text == Self.esc + Self.f12 + Self.esc && test.typed.hasHUDFocus)
  }

  @Test func `with F12 only what is most of it waits, a lone ESC never`() {
    for start in ["", "[", "[1", "[3", "[<", "[M", "O", "]", "P", "[?", "[24$", "[25"] {
      let test = typing("f12")
      test.take(Self.esc + start)
      #expect(test.text == Self.esc + start, "\(start)")
    }
    for start in ["[2", "[24", "[24;", "[24;1:"] {
      let test = typing("f12")
      test.take(Self.esc + start)
      #expect(test.passed.isEmpty, "\(start)")
      test.resolve(after: 100)
      #expect(test.text == Self.esc + start, "\(start)")
    }
  }

  @Test func `the end of an F12 whose beginning the command has is the command's`() {
    let test = typing("f12")
    test.take("\(Self.esc)[2")
    test.resolve(after: 150)
    test.take("4~g", after: 160)
    #expect(test.text == "\(Self.esc)[24~g" && test.typed.takeKeys().isEmpty)
    test.take(Self.f12 + "g", after: 200)
    #expect(test.typed.takeKeys() == [.character("g")])
  }

  @Test func `press, repeats and release of F12 are taken together, or passed together`() {
    let press = "\(Self.esc)[24;1:1~"
    let held = "\(Self.esc)[24;1:2~\(Self.esc)[24;1:2~"
    let release = "\(Self.esc)[24;1:3~"
    forEachCut(press + held + release + press + held + release) { pieces, cut in
      let test = typing("f12", isRich: true)
      for piece in pieces { test.take(piece) }
      #expect(test.text == press + held + release, "cut at \(cut)")
      #expect(!test.typed.hasHUDFocus && test.typed.takeKeys().isEmpty)
    }
    // Between press and release the command asks for a richer keyboard.
    let test = typing("f12")
    test.take(Self.f12)
    test.typed.hasRichKeyboard = true
    test.take(release)
    #expect(test.passed.isEmpty && test.typed.hasHUDFocus)
    // Returned by the prefix key where the focus was kept.
    test.take("f" + press + release + "x")
    #expect(test.text == "x" && !test.typed.hasHUDFocus)
  }
}
