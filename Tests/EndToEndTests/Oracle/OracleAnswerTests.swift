import PerfHUDBase
import TestSupport
import Testing

/// What a program asks xterm is answered below the HUD as it is bare: by the terminal, and of the program's
/// own state, not of the HUD's.
@Suite(.serialized) struct OracleAnswerTests {
  init() throws {
    for tool in ["Xvfb", "xterm", "xdotool", "gcc"] { try requireTool(tool) }
  }

  /// A question with what is written before it, while the HUD is drawn.
  struct Question: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    /// Whether xterm answers it at all.
    var isAnswered = true
    var testDescription: String { name }

    init(_ name: String, _ text: String, isAnswered: Bool = true) {
      self.name = name
      self.text = TransparencyCase.unescape(text)
      self.isAnswered = isAnswered
    }
  }

  /// The HUD covers rows 1 to 9, columns 44 to 79 of 80.
  static let questions: [Question] = [
    Question("DECRQCRA of what the HUD covers", "␛[3;50Hsome text␛[1;1;3;50;3;58*y"),
    Question("DECRQCRA of the whole screen", "␛[5;60H␛[7mtext␛[m␛[2;1;1;1;24;80*y"),
    Question("XTREPORTSGR of cells below the HUD", "␛[4;50H␛[1;31mtext␛[m␛[4;50;4;53#|"),
    Question("XTREPORTSGR of blanks below the HUD", "␛[2;45;8;78#|"),
    Question("DECRQM of modes", "␛[4h␛[4$p␛[20$p␛[?7$p␛[?25$p␛[?69$p␛[?1049$p␛[?9999$p␛[4l"),
    Question("DECRQM of the synchronized update", "␛[?2026$p"),
    Question("DECRQM within a synchronized update", "␛[?2026h␛[3;50Hx␛[?2026$p␛[?2026l"),
    Question(
      "DECRQM of mouse, paste and focus", "␛[?1000h␛[?1000;1006;2004;1004$p␛[?1000$p␛[?1000l"),
    Question("DECRQSS m", "␛[1;4;38;5;200;48;2;1;2;3m␛P$qm␛\\␛[m"),
    Question("DECRQSS r and s", "␛[?69h␛[3;9r␛[5;60s␛P$qr␛\\␛P$qs␛\\␛[r␛[s␛[?69l"),
    Question("DECRQSS \"q, \"p and SP q", "␛[1\"q␛P$q\"q␛\\␛[\"q␛P$q\"p␛\\␛P$q q␛\\"),
    Question("CPR", "␛[7;60H␛[6n␛[?6n"),
    Question("CPR with DECOM", "␛[4;9r␛[?6h␛[2;3H␛[6n␛[?6n␛[?6l␛[r"),
    Question("CPR at a pending wrap", "␛[3;78Habc␛[6nd␛[6n"),
    Question("DSR", "␛[5n␛[?15n␛[?25n␛[?26n␛[?53n␛[?55n␛[?56n␛[?62n␛[?63;7n␛[?75n␛[?85n"),
    Question("DA1, DA2, DA3", "␛[c␛[>c␛[=c"),
    Question("XTVERSION", "␛[>q"),
    Question("DECRQPSR", "␛[5;50H␛(0␛)B␛[1m␛[1$w␛[2$w␛(B␛[m"),
    Question("DECRQPSR at a pending wrap", "␛[2;78Habc␛[1$w"),
    Question(
      "XTWINOPS state, place and sizes", "␛[11t␛[13t␛[13;2t␛[14t␛[14;2t␛[15t␛[16t␛[18t␛[19t"),
    Question("XTWINOPS titles", "␛]2;a title␛\\␛]1;an icon␛\\␛[20t␛[21t"),
    Question("OSC 4 of a color", "␛]4;5;rgb:12/34/56␛\\␛]4;5;?␛\\␛]4;1;?;2;?\u{07}␛]104;5␛\\"),
    Question("OSC 10 to 19", "␛]10;?␛\\␛]11;?␛\\␛]12;?␛\\␛]13;?␛\\␛]17;?␛\\␛]19;?\u{07}"),
    Question("OSC 52", "␛]52;c;aGVsbG8=␛\\␛]52;c;?␛\\"),
    Question("XTSMGRAPHICS", "␛[?1;1;0S␛[?2;1;0S"),
    Question("XTQMODKEYS", "␛[?4m"),
    Question(
      "what this xterm does not answer", "␛[?u␛[?996n␛[14$w␛[x␛[\"v␛P+q544e;436f␛\\",
      isAnswered: false),
  ]

  /// What a terminal answers comes in pieces of any length.
  @Test func `answers end with that to the last DSR 5, not with one before it`() {
    let all = Array("\u{1B}[0n\u{1B}[?13n\u{1B}[0n".utf8)
    for count in 0..<all.count {
      #expect(OracleRelay.end(of: Array(all[..<count]), asked: 2) == nil)
    }
    #expect(OracleRelay.end(of: all, asked: 2) == all.count)
    #expect(OracleRelay.end(of: all, asked: 1) == 4)
  }

  @Test func `questions are answered below the HUD as bare`() throws {
    let bare = try OracleTerminal(columns: 80, rows: 24)
    let below = try OracleTerminal(columns: 80, rows: 24) { command throws(ToolError) in
      try Overlay.wrap(command, options: ["--no-step-aside"])
    }
    for question in OracleAnswerTests.questions {
      let clear = Array("\u{1B}[m\u{1B}[2J\u{1B}[24;1H".utf8)
      _ = try bare.reply(clear)
      _ = try below.reply(clear)
      if !Overlay.isControl {
        try waitUntil(deadline: Perfhud.deadline, "the HUD") {
          () throws(ToolError) in
          !(try below.picture()).isBlank(Overlay.rect(columns: 79, rows: 24))
        }
      }
      let expected = try bare.reply(Array(question.text.utf8))
      let got = try below.reply(Array(question.text.utf8))
      #expect(got == expected, "\(question.name): \(quote(got)) instead of \(quote(expected))")
      // The last answer is that to the question which the harness adds.
      #expect((expected.count > 4) == question.isAnswered, "\(question.name): \(quote(expected))")
    }
  }
}
