import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// What a slow link and a flood leave of the HUD.
@Suite(.disabled(if: Overlay.isControl), .waiting) struct SlowLinkTests {
  private static let question = Array("\u{1B}[6n".utf8)

  /// What an xterm answers to perfhud's questions, with or without synchronized updates.
  private static func answers(hasUpdates: Bool) -> String {
    "\u{1B}P>|XTerm(379)\u{1B}\\\u{1B}[?2026;\(hasUpdates ? 2 : 0)$y\u{1B}[?69;2$y\u{1B}[24;6R"
      + "\u{1B}[?64;1;2c"
  }

  /// The places behind each occurrence.
  private static func ends(of text: [UInt8], in bytes: [UInt8]) -> [Int] {
    guard bytes.count >= text.count else { return [] }
    return (text.count...bytes.count).filter { end in
      bytes[end - 1] == text[text.count - 1] && bytes[..<end].suffix(text.count).elementsEqual(text)
    }
  }

  /// A terminal behind 500 bytes a second, whose answers take 300 ms more, counted in turns of 20 ms.
  private final class SlowLink {
    let terminal: ManualTerminal
    var output: [UInt8] = []
    private var turn = 0
    private var answered = 0
    private var answers: [(turn: Int, text: String)] = []

    init(_ terminal: ManualTerminal) { self.terminal = terminal }

    func takeTurn() {
      turn += 1
      // The pace of the link itself: 10 bytes in each of these times.
      usleep(20_000)
      let start = max(0, output.count - 8)
      output += terminal.take(atMost: 10)
      // DA1 ends the questions of the start; the one for the cursor before it is answered with it.
      for end in SlowLinkTests.ends(of: Array("\u{1B}[c".utf8), in: Array(output[start...]))
      where start + end > answered {
        answered = start + end
        answers.append((turn + 15, SlowLinkTests.answers(hasUpdates: true)))
      }
      for end in SlowLinkTests.ends(of: SlowLinkTests.question, in: Array(output[start...]))
      where answered > 0 && start + end > answered {
        answered = start + end
        answers.append((turn + 15, "\u{1B}[24;6R"))
      }
      while let next = answers.first, next.turn <= turn {
        _ = terminal.type(Array(next.text.utf8)[...])
        answers.removeFirst()
      }
    }
  }

  @Test func `over a slow link an echo never waits for more than one update of the HUD`() throws {
    let link = SlowLink(
      try ManualTerminal(
        try Overlay.wrap(
          [
            "sh", "-c",
            "stty raw -echo; printf '\\033[2J\\033[24Hready'; i=0; "
              + "while [ \"$(head -c 1)\" != q ]; do i=$((i + 1)); printf \"<$i>\"; done",
          ], options: ["--interval", "20ms", "--no-step-aside"]),
        environment: try Overlay.environment()))
    func takeTurns(until condition: () -> Bool) throws {
      try waitUntil(deadline: Perfhud.deadline, "the next bytes of a slow link") {
        link.takeTurn()
        return condition()
      }
    }
    // Until the third update begins, all the time in which bytes could pile up.
    try takeTurns { Self.ends(of: Self.question, in: link.output).count >= 3 }
    var waits: [Int] = []
    for key in 1...5 {
      // In the middle of an update, which is the worst moment.
      let before = link.output.count
      try takeTurns { link.output.count > before + 10 }
      let typed = link.output.count
      #expect(link.terminal.type(Array("x".utf8)[...]) == 1)
      let echo = Array("<\(key)>".utf8)
      try takeTurns { !Self.ends(of: echo, in: Array(link.output[typed...])).isEmpty }
      waits.append(Self.ends(of: echo, in: Array(link.output[typed...]))[0] - echo.count)
    }
    let questions = Self.ends(of: Self.question, in: link.output)
    let largest = zip(questions, questions.dropFirst()).map { $1 - $0 }.max() ?? 0
    #expect(waits.allSatisfy { $0 <= largest + 10 }, "\(waits) of updates of at most \(largest)")
    #expect(largest < 2000)
  }

  @Test func `in a flood without synchronized updates the HUD rests on the terminal`() throws {
    let terminal = try Overlay.manual("yes")
    var tail: [UInt8] = []
    var isAnswered = false
    var taken = 0
    var rests = 0
    var counted = -1
    let edge = Array("╯".utf8)
    let line = Array("y\r\n".utf8)
    // In each rest nothing comes for a while, and the HUD was painted last.
    try waitUntil(deadline: Perfhud.deadline, "rests in a flood") {
      var entry = pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&entry, 1, 12) == 0 {
        let hud = Self.ends(of: edge, in: tail).last ?? 0
        if hud > Self.ends(of: line, in: tail).last ?? 0, taken > 1_000_000, taken != counted {
          counted = taken
          rests += 1
        }
        return rests >= 5
      }
      for _ in 0..<64 {
        let more = terminal.take()
        if more.isEmpty { break }
        taken += more.count
        tail = Array((tail + more).suffix(4096))
        guard !Self.ends(of: Self.question, in: tail).isEmpty else { continue }
        if !isAnswered, !Self.ends(of: Array("\u{1B}[c".utf8), in: tail).isEmpty {
          _ = terminal.type(Array(Self.answers(hasUpdates: false).utf8)[...])
          isAnswered = true
          tail = []
        } else if isAnswered {
          _ = terminal.type(Array("\u{1B}[24;1R".utf8)[...])
          tail = []
        }
      }
      return false
    }
    #expect(rests >= 5 && ProcessEntry.isAlive(terminal.pid))
  }
}
