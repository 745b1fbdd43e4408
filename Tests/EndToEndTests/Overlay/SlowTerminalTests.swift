import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// What the command writes and what is typed arrives whole and in order, however slow the others are.
@Suite struct SlowTerminalTests {
  /// Text, colors, and all that a random stream has.
  private static func content(bytes count: Int) -> [UInt8] {
    var numbers = SeededRandom(scatteredSeed: 3)
    var bytes: [UInt8] = []
    var line = 0
    while bytes.count < count {
      line += 1
      bytes += Array(
        "\u{1B}[3\(line % 8)mline \(line) 日本語 e\u{301} 🎨\u{1B}[m \(numbers.next())\n".utf8)
      if line % 1000 == 0 {
        let stream = TransparencyStream.makeCase(seed: line / 1000)
        for step in stream.script?.steps ?? [] { bytes += step.flatMap(\.bytes) }
      }
    }
    return bytes
  }

  /// What a terminal gets of it: the kernel makes CR LF of each LF.
  private static func received(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 5 / 4)
    for byte in bytes {
      if byte == 0x0A { result.append(0x0D) }
      result.append(byte)
    }
    return result
  }

  /// The index of the bytes, which must be whole; what perfhud itself asks the terminal comes before.
  private func expectRelayed(_ output: [UInt8], _ content: [UInt8]) throws {
    let expected = SlowTerminalTests.received(content)
    let mark = Array("begin\r\n".utf8)
    let start = try #require(output.indices.first { output[$0...].starts(with: mark) }) + mark.count
    let got = withoutQuestions(output[start...], expected)
    guard !got.elementsEqual(expected) else { return }
    let place = firstDifference(got, expected)
    Issue.record(
      """
      \(expected.count) bytes were written, \(got.count) arrived, the first that differs is \(place):
      - \(quote(expected[max(0, place - 60)...].prefix(120)))
      + \(quote(got.dropFirst(max(0, place - 60)).prefix(120)))
      """)
  }

  /// Where perfhud does not know the cursor, it asks for it in between: that is its own, and seldom.
  private func withoutQuestions(_ output: ArraySlice<UInt8>, _ expected: [UInt8]) -> [UInt8] {
    let question = Array("\u{1B}[6n".utf8)
    var got = Array(output.prefix(expected.count + 4 * question.count))
    for _ in 0..<4 {
      // The question and what follows it may begin alike.
      let place = firstDifference(got, expected)
      if place == expected.count { break }
      let starts = max(0, place - question.count)...max(0, min(place, got.count - question.count))
      guard let start = starts.last(where: { got[$0...].starts(with: question) }) else { break }
      got.removeSubrange(start..<start + question.count)
    }
    return Array(got.prefix(expected.count))
  }

  private func firstDifference(_ got: [UInt8], _ expected: [UInt8]) -> Int {
    let count = min(got.count, expected.count)
    return (0..<count).first { got[$0] != expected[$0] } ?? count
  }

  @Test func `8 MB with --hidden arrive byte for byte`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("content")
    let content = SlowTerminalTests.content(bytes: 8_000_000)
    try TestFile.write(content, to: file)
    let pty = try Overlay.pty(
      "sh", "-c", "echo begin; cat \(file); stty raw -echo; head -c 1 > \(directory.file("key"))",
      options: ["--hidden"])
    let expected = SlowTerminalTests.received(content).count
    try pty.read(deadline: 2 * Perfhud.deadline) { $0.count >= expected + 7 }
    // Whatever is before was perfhud's; the command waits for a key, so that all is passed on.
    try pty.send("x")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    try expectRelayed(pty.output, content)
  }

  @Test func `a terminal that takes nothing, then goes on: all arrives, and nothing is kept`()
    throws
  {
    let directory = try TemporaryDirectory()
    let file = directory.file("content")
    let content = SlowTerminalTests.content(bytes: 2_000_000)
    try TestFile.write(content, to: file)
    let terminal = try Overlay.manual(
      "sh", "-c", "echo begin; exec cat \(file)", options: ["--hidden"])
    let writer = try waitForProcess("cat", below: terminal.pid)
    // It sleeps in its write, and its progress stops.
    func written() -> Int? {
      let text = (try? readFile("/proc/\(writer)/io")).map { String(decoding: $0, as: UTF8.self) }
      return text?.firstMatch(of: #/wchar: (\d+)/#).flatMap { Int($0.1) }
    }
    var last = -1
    var since = Instant.now()
    try waitUntil(deadline: Perfhud.deadline, "a command that is held up") {
      let now = written() ?? 0
      if now != last || ProcessEntry(writer)?.state != "S" { (last, since) = (now, Instant.now()) }
      return Instant.now().seconds(since: since) > 0.5
    }
    #expect(last < content.count / 2, "\(last) bytes were taken without a terminal that takes any")
    var output: [UInt8] = []
    try waitUntil(deadline: Perfhud.deadline, "all bytes") {
      output += terminal.takeAll()
      return terminal.status != nil
    }
    // What it wrote last, in between.
    output += terminal.takeAll()
    #expect(terminal.status == .exit(0))
    try expectRelayed(output, content)
  }

  @Test func `1 MB that is pasted arrives byte for byte`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("typed")
    var numbers = SeededRandom(scatteredSeed: 5)
    var typed = Array("\u{1B}[200~".utf8)
    while typed.count < 1_000_000 { typed += Array("a line 日本語 \(numbers.next())\r".utf8) }
    typed += Array("\u{1B}[201~".utf8)
    let pty = try Overlay.pty(
      "sh", "-c", "stty raw -echo; echo ready; exec head -c \(typed.count) > \(file)")
    try pty.read(deadline: Perfhud.deadline, until: "ready")
    var rest = typed[...]
    while !rest.isEmpty {
      try pty.send(rest.prefix(65536))
      rest = rest.dropFirst(65536)
    }
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let got = try readFile(file, limit: 1 << 24)
    let at = zip(got, typed).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    #expect(at == nil && got.count == typed.count, "\(got.count) of \(typed.count), \(at ?? -1)")
  }

  @Test func `a command that does not read holds up no output and no end`() throws {
    let terminal = try Overlay.manual(
      "sh", "-c", "stty raw -echo; echo ready; sleep 1000", options: ["--hidden"])
    var output: [UInt8] = []
    try waitUntil(deadline: Perfhud.deadline, "the first word") {
      output += terminal.take()
      return String(decoding: output, as: UTF8.self).contains("ready")
    }
    let pid = try waitForProcess("sleep", below: terminal.pid)
    // More than any buffer on the way holds; what is not taken stays with the terminal.
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    var sent = 0
    var last = -1
    try waitUntil(deadline: Perfhud.deadline, "a full input") {
      last = sent
      sent += terminal.type(bytes[sent...])
      return sent == last
    }
    kill(pid_t(pid), SIGTERM)
    try waitUntil(deadline: Perfhud.deadline, "the end") {
      output += terminal.take()
      return terminal.status != nil
    }
    #expect(terminal.status != nil)
  }

  @Test func `Ctrl-C ends a flood`() throws {
    let pty = try Overlay.pty("yes")
    try pty.read(deadline: Perfhud.deadline) { $0.count > 100_000 }
    let pid = try waitForProcess("yes", below: pty.pid)
    try pty.send([0x03])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .signal(2))
    #expect(!ProcessEntry.isAlive(pid))
  }

  @Test func `Ctrl-C ends a flood into a terminal that takes 1 kB a second`() throws {
    let terminal = try Overlay.manual("yes")
    let pid = try waitForProcess("yes", below: terminal.pid)
    let start = Instant.now()
    var taken = 0
    var typed: Instant?
    // 50 bytes each 50 ms at most, by the clock, before and after the key.
    try waitUntil(deadline: Perfhud.deadline, "the end of the flood") {
      let now = Instant.now()
      if Double(taken) < 1000 * now.seconds(since: start) {
        taken += terminal.take(atMost: 50).count
      }
      if typed == nil, taken > 1500 {
        #expect(terminal.type([0x03]) == 1)
        typed = now
      }
      return typed != nil && !ProcessEntry.isAlive(pid)
    }
    let seconds = Instant.now().seconds(since: try #require(typed))
    #expect(seconds < 5, "Ctrl-C took \(seconds) s")
    try waitUntil(deadline: Perfhud.deadline, "the end of perfhud") {
      _ = terminal.take()
      return terminal.status != nil
    }
    #expect(terminal.status == .signal(2))
  }

  @Test func `Ctrl-C ends a flood into a terminal that takes nothing`() throws {
    let terminal = try Overlay.manual("yes")
    let pid = try waitForProcess("yes", below: terminal.pid)
    var switches = -1
    // Nothing moves any more when the way to the terminal is full.
    try waitUntil(deadline: Perfhud.deadline, "a full terminal") {
      usleep(50_000)
      let now = ProcessStatus(pid)?.switches ?? 0
      defer { switches = now }
      return now == switches && ProcessEntry(pid)?.state == "S"
    }
    #expect(terminal.type([0x03]) == 1)
    try waitForEnd(of: [pid])
    try waitUntil(deadline: Perfhud.deadline, "the end of perfhud") {
      _ = terminal.take()
      return terminal.status != nil
    }
    #expect(terminal.status == .signal(2))
  }
}
