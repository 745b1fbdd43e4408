import Glibc
import PerfHUDBase
import SystemPackage
import TestSupport

/// A real xterm that is fed bytes and asked what it has made of them.
final class OracleTerminal {
  let columns: Int
  let rows: Int
  private let xterm: Xterm
  private let relay: OracleRelay

  /// - Parameter wrap: makes of the program that stands between the test and xterm what is started.
  init(
    columns: Int, rows: Int, wrap: ([String]) throws(ToolError) -> [String] = { $0 }
  ) throws {
    self.columns = columns
    self.rows = rows
    relay = try OracleRelay()
    xterm = try Xterm(
      columns: columns, rows: rows, command: try wrap(relay.command),
      directory: relay.directory.path)
    try relay.begin()
  }

  func picture() throws(ToolError) -> XtermPicture { try xterm.picture() }

  /// Writes the bytes, and returns all that was answered.
  func reply(_ bytes: [UInt8]) throws -> [UInt8] { try relay.reply(bytes) }

  /// Writes the bytes and the questions in one piece, and returns what was answered.
  func ask(_ bytes: [UInt8], _ questions: [UInt8]) throws -> [OracleAnswer] {
    try relay.ask(bytes, questions)
  }
}

/// The way to a terminal and back, through the program `Tests/Programs/oracle.c` that runs in it.
///
/// Answers come in the order of the questions, and the last of them (DSR 5) marks the end, so that
/// nothing is waited for by time.
final class OracleRelay {
  let directory: TemporaryDirectory
  /// What is to be run in the terminal.
  let command: [String]
  private let input: Descriptor
  private let output: Descriptor
  private var unread: [UInt8] = []

  init() throws {
    directory = try TemporaryDirectory()
    let paths = [directory.file("from"), directory.file("to")]
    let made = try Tool.run(["mkfifo"] + paths)
    guard made.status == .exit(0) else { throw ToolError("no FIFO: \(made.stderr)") }
    // Opened for both, the first does not wait for its reader.
    input = try Descriptor(open: paths[0], .readWrite)
    output = try Descriptor(open: paths[1], .readOnly, options: .nonBlocking)
    command = [try Programs.compile("oracle")] + paths
  }

  /// Waits until the program runs.
  func begin() throws { _ = try read { $0.contains(0x0A) ? $0.count : nil } }

  func ask(_ bytes: [UInt8], _ questions: [UInt8]) throws -> [OracleAnswer] {
    OracleAnswer.split(try reply(bytes + questions))
  }

  /// Writes the bytes and a last question, and returns what was answered up to the answer to that.
  func reply(_ bytes: [UInt8]) throws -> [UInt8] {
    let question = Array("\u{1B}[5n".utf8)
    let all = bytes + question
    _ = try unsafe all.withUnsafeBytes { try unsafe input.writeAll($0) }
    let asked = all.ranges(of: question).count
    return try read { OracleRelay.end(of: $0, asked: asked) }
  }

  /// The end of the answers: that of the answer to the last of `asked` DSR 5; `nil` as long as it has not come.
  static func end(of answers: [UInt8], asked: Int) -> Int? {
    let ranges = answers.ranges(of: Array("\u{1B}[0n".utf8))
    return ranges.count < asked ? nil : ranges[asked - 1].upperBound
  }

  /// Reads until `end` finds that enough has come.
  private func read(until end: ([UInt8]) -> Int?) throws -> [UInt8] {
    let deadline = Instant.now().advanced(bySeconds: 30)
    var poller = Poller()
    _ = poller.add(output.raw)
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      if let count = end(unread) {
        defer { unread.removeFirst(count) }
        return Array(unread[..<count])
      }
      let now = Instant.now()
      guard now < deadline else {
        throw ToolError("the terminal has not answered; it said \(quote(unread.suffix(200)))")
      }
      poller.wait(until: deadline, now: now)
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe Glibc.read(output.raw, $0.baseAddress, $0.count)
      }
      if count > 0 { unread += chunk[..<count] }
    }
  }
}

/// An answer: what lies between its introducer (CSI, DCS) and its end, the final byte included.
struct OracleAnswer {
  let isDeviceControl: Bool
  let text: [UInt8]

  /// The numbers, separated by anything that is no digit; a missing one is 0.
  func numbers(from start: Int = 0) -> [Int] {
    var result: [Int] = []
    var number = 0
    for byte in text[min(start, text.count)...] {
      if (0x30...0x39).contains(byte) {
        number = number * 10 + Int(byte - 0x30)
      } else {
        result.append(number)
        number = 0
      }
    }
    if let last = text.last, (0x30...0x39).contains(last) { result.append(number) }
    return result
  }

  static func split(_ bytes: [UInt8]) -> [OracleAnswer] {
    var result: [OracleAnswer] = []
    var index = 0
    while index + 1 < bytes.count {
      guard bytes[index] == 0x1B else {
        index += 1
        continue
      }
      let isDeviceControl = bytes[index + 1] == 0x50
      index += 2
      let start = index
      if isDeviceControl {
        while index < bytes.count, bytes[index] != 0x1B { index += 1 }
        result.append(OracleAnswer(isDeviceControl: true, text: Array(bytes[start..<index])))
        index += 2
      } else {
        while index < bytes.count, !(0x40...0x7E).contains(bytes[index]) { index += 1 }
        index = min(index + 1, bytes.count)
        result.append(OracleAnswer(isDeviceControl: false, text: Array(bytes[start..<index])))
      }
    }
    return result
  }
}
