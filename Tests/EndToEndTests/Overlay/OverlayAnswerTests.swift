import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Who gets what the terminal answers: the command its own answers, once and in order; perfhud its
/// own, and whoever comes after it none.
@Suite struct OverlayAnswerTests {
  /// A terminal that answers after a while. Each answer has a number, so that its question is known.
  private struct Answering {
    let terminal: ManualTerminal
    let delay: Double
    private(set) var output: [UInt8] = []
    private var place = 0
    private var count = 0
    /// The answers that are not due yet; `asked` is the earliest moment at which the question may have come.
    private var waiting: [(asked: Instant, due: Instant, bytes: [UInt8])] = []
    /// When it last looked for questions.
    private var looked = Instant.now()
    /// The longest that a question may have waited for its answer, in seconds.
    private(set) var longest = 0.0

    /// Whether each answer came after the delay, give or take a little: this thread is the terminal,
    /// and a pause of it makes one that answers when nobody waits for it any more.
    var isOnTime: Bool { longest <= delay + 0.25 }

    init(_ terminal: ManualTerminal, delay: Double) {
      self.terminal = terminal
      self.delay = delay
    }

    /// Takes what has been written, and types what is due.
    mutating func turn() {
      let asked = looked
      looked = .now()
      output += terminal.takeAll()
      while place < output.count, let length = answer(at: place, asked: asked) { place += length }
      while let first = waiting.first {
        longest = max(longest, Instant.now().seconds(since: first.asked))
        guard first.due <= .now() else { break }
        _ = terminal.type(first.bytes[...])
        waiting.removeFirst()
      }
    }

    /// - Returns: how many bytes to go on by; `nil` where a sequence is not whole.
    private mutating func answer(at start: Int, asked: Instant) -> Int? {
      guard output[start] == 0x1B else { return 1 }
      let rest = output[start...]
      guard rest.count >= 2 else { return nil }
      guard rest[start + 1] == UInt8(ascii: "[") else { return 2 }
      guard let end = rest.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
        return nil
      }
      count += 1
      let answer: String? =
        switch String(decoding: rest[(start + 2)...end], as: UTF8.self) {
        case ">q": "\u{1B}P>|XTerm(379)\u{1B}\\"
        case "?2026$p": "\u{1B}[?2026;2$y"
        case "?69$p": "\u{1B}[?69;2$y"
        case "5n": "\u{1B}[0n"
        case "6n": "\u{1B}[\(count);1R"
        case "c": "\u{1B}[?64;\(count)c"
        default: nil
        }
      if let answer {
        waiting.append((asked, looked.advanced(bySeconds: delay), Array(answer.utf8)))
      }
      return end + 1 - start
    }
  }

  /// Plays to the end until a terminal has been on time; returns that one.
  private func play(_ start: () throws -> Answering) throws -> Answering {
    try playUntilSteady {
      var terminal = try start()
      try waitUntil(deadline: Perfhud.deadline, "the end") {
        terminal.turn()
        return terminal.terminal.status != nil
      }
      return terminal
    } doubt: {
      $0.isOnTime ? nil : "an answer came after \($0.longest) s"
    }
  }

  @Test(arguments: [0, 0.1, 0.4, 0.8, 2])
  func `the command's answers reach it once and in order, perfhud's do not`(delay: Double) throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("answers")
    let script = """
      import os, select, sys, tty
      tty.setraw(0)
      os.write(1, b"\\x1b[6n\\x1b[c\\x1b[?2026$p\\x1b[>q\\x1b[6n")
      got = b""
      def read(end, count):
        global got
        while got.count(end) < count and select.select([0], [], [], 20)[0]: got += os.read(0, 4096)
      # After the last question nothing comes any more.
      read(b"R", 2)
      os.write(1, b"\\x1b[5n")
      read(b"\\x1b[0n", 1)
      open(sys.argv[1], "wb").write(got)
      """
    let pattern =
      #/\x1b\[(\d+);1R\x1b\[\?64;(\d+)c\x1b\[\?2026;2\$y\x1bP>\|XTerm\(379\)\x1b\\\x1b\[(\d+);1R\x1b\[0n/#
    let played = try play {
      Answering(try Overlay.manual("python3", "-c", script, file), delay: delay)
    }
    #expect(played.terminal.status == .exit(0))
    let got = String(decoding: try readFile(file), as: UTF8.self)
    let found = try #require(got.wholeMatch(of: pattern), "\(quote(Array(got.utf8)))")
    let first = try #require(Int(found.1))
    #expect(Int(found.2) == first + 1 && Int(found.3) == first + 4)
  }

  @Test(arguments: [0, 0.02, 0.5, 2])
  func `no answer is left over for who comes after a short command`(delay: Double) throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("left")
    let script = """
      for i in \(delay < 1 ? "1 2 3 4 5 6 7 8 9 10" : "1"); do
        "$perfhud" --no-summary -- true || exit 9
      done
      stty -icanon -echo min 0 time \(delay < 1 ? 10 : 30); cat > \(file); stty sane
      """
    let played = try play {
      Answering(
        try ManualTerminal(["sh", "-c", script], environment: try Overlay.environment()),
        delay: delay)
    }
    #expect(played.terminal.status == .exit(0))
    let left = try readFile(file)
    #expect(left.isEmpty, "\(quote(left))")
  }
}
