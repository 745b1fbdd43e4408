import Glibc
import PerfHUDBase
import TestSupport

@testable import Terminal

/// perfhud between a program and a terminal that are both the test's.
///
/// The terminal is a `Screen` that answers questions as an xterm with synchronized updates does. The
/// program (`Tests/Programs/oracle.c`) writes what it is told, and hands back each byte that it gets.
/// Another `Screen`, which gets what the program writes and nothing else, is the terminal without perfhud.
final class ScreenModelStage {
  /// What the terminal shows.
  private(set) var screen: Screen
  /// What it would show without perfhud.
  private(set) var bare: Screen
  private var screenInput = PiecewiseInput()
  private var bareInput = PiecewiseInput()

  private let terminal: ManualTerminal
  private let directory: TemporaryDirectory
  private let toProgram: Descriptor
  private let fromProgram: Descriptor

  /// What the program has still to be told, and what is still to be typed.
  private var unwritten: [UInt8] = []
  private var untyped: [UInt8] = []
  /// What the program has to get, and how many bytes of it it has got.
  private var expected: [UInt8] = []
  private var received = 0
  /// The end of what the terminal was sent: part of a question may be in it.
  private var tail: [UInt8] = []
  private var marks = 0
  private var seenMarks = 0

  /// Called at each moment at which the terminal may paint: after each character and sequence, unless a
  /// synchronized update is open.
  var onPaint: ((borrowing Screen) throws -> Void)?

  private static let deadline = Perfhud.deadline
  private static let mark = "\u{1B}[5n"
  private static let questions = [
    mark, "\u{1B}[6n", "\u{1B}[c", "\u{1B}[>q", "\u{1B}[?2026$p", "\u{1B}[?69$p",
  ].map { Array($0.utf8) }

  init(columns: Int, rows: Int, options: [String] = []) throws {
    var known = Screen.Options()
    known.quirks = .xterm
    screen = Screen(Size(rows: rows, columns: columns), options: known)
    bare = Screen(Size(rows: rows, columns: columns), options: known)
    directory = try TemporaryDirectory()
    let paths = [directory.file("from"), directory.file("to")]
    let made = try Tool.run(["mkfifo"] + paths)
    guard made.status == .exit(0) else { throw ToolError("no FIFO: \(made.stderr)") }
    // Opened for both, the first does not wait for its reader.
    toProgram = try Descriptor(open: paths[0], .readWrite, options: .nonBlocking)
    fromProgram = try Descriptor(open: paths[1], .readOnly, options: .nonBlocking)
    terminal = try ManualTerminal(
      try Overlay.wrap(
        [try Programs.compile("oracle")] + paths + [directory.file("size")], options: options),
      columns: columns, rows: rows,
      environment: try Overlay.environment(["TERM": "xterm-256color"]))
    // With it the program says that it runs.
    expected = [0x0A]
    try pump { self.received == 1 }
  }

  var pid: pid_t { pid_t(terminal.pid) }

  // MARK: The program and the user

  /// The program writes this.
  func write(_ bytes: [UInt8]) {
    bareInput.feed(bytes[...], to: &bare)
    unwritten += bytes
  }

  /// The user types this, or whatever else comes from a terminal.
  ///
  /// - Parameter program: what of it is the program's, if that is not all.
  func type(_ text: String, program: String? = nil) {
    untyped += Array(text.utf8)
    expected += Array((program ?? text).utf8)
  }

  func write(_ text: String) { write(Array(text.utf8)) }

  /// The window gets another size, which keeps its lines at the top. Waits until the program knows: what it
  /// wrote before for the new size would be none of a program's.
  func resize(columns: Int, rows: Int) throws {
    let size = Size(rows: rows, columns: columns)
    guard size != bare.size else { return }
    bare.resize(to: size, isKnown: true)
    screen.resize(to: size, isKnown: true)
    terminal.resize(columns: columns, rows: rows)
    let path = directory.file("size")
    try pump { (try? readFile(path, limit: 64)) == Array("\(rows) \(columns)\n".utf8) }
  }

  /// Hides the HUD, or shows it again. The supervisor passes the signal on: of two that wait there, one is lost.
  func toggleHUD() throws {
    kill(pid, SIGUSR1)
    try pump { !isSignalPending(SIGUSR1, self.pid) }
  }

  /// Waits until all that was written has reached the terminal, and all that was typed the program.
  func sync() throws {
    write(ScreenModelStage.mark)
    marks += 1
    try pump { self.seenMarks == self.marks && self.isThrough }
  }

  private var isThrough: Bool {
    unwritten.isEmpty && untyped.isEmpty && received == expected.count
  }

  // MARK: Bytes

  /// Carries bytes in all directions until a condition holds.
  func pump(until condition: () throws -> Bool) throws {
    let deadline = Instant.now().advanced(bySeconds: ScreenModelStage.deadline)
    while true {
      var isMoving = takeOutput()
      isMoving = try takeEcho() || isMoving
      isMoving = typeSome() || isMoving
      isMoving = writeSome() || isMoving
      if let failure { throw failure }
      if try condition() { return }
      guard Instant.now() < deadline else {
        throw ToolError(
          "not within \(ScreenModelStage.deadline) s; \(expected.count - received) bytes have not "
            + "reached the program: \(quote(expected[received...].prefix(80))); untyped "
            + "\(untyped.count), unwritten \(unwritten.count), marks \(seenMarks) of \(marks)")
      }
      if !isMoving { waitForMore() }
    }
  }

  private var failure: (any Error)?

  private func waitForMore() {
    var poller = Poller()
    _ = poller.add(terminal.descriptor)
    _ = poller.add(fromProgram.raw)
    let now = Instant.now()
    poller.wait(until: now.advanced(byNanoseconds: 5_000_000), now: now)
  }

  private func takeOutput() -> Bool {
    let bytes = terminal.take()
    guard !bytes.isEmpty else { return false }
    var start = 0
    for end in 1...bytes.count {
      tail.append(bytes[end - 1])
      if tail.count > 10 { tail.removeFirst() }
      guard let question = ScreenModelStage.questions.first(where: { tail.ends(with: $0) }) else {
        continue
      }
      show(bytes[start..<end])
      start = end
      answer(String(decoding: question, as: UTF8.self))
    }
    show(bytes[start...])
    return true
  }

  private func show(_ bytes: ArraySlice<UInt8>) {
    guard let onPaint else { return screenInput.feed(bytes, to: &screen) }
    for index in bytes.indices {
      screenInput.feed(bytes[index...index], to: &screen)
      guard failure == nil, screen.isAtGround, !screen.isUpdating else { continue }
      do { try onPaint(screen) } catch { failure = error }
    }
  }

  private func answer(_ question: String) {
    switch question {
    case ScreenModelStage.mark:
      seenMarks += 1
      type("\u{1B}[0n")
    case "\u{1B}[6n":
      let cursor = screen.cursor
      type("\u{1B}[\(cursor.row + 1);\(cursor.column + 1)R", program: "")
    case "\u{1B}[c": type("\u{1B}[?64;1;2c", program: "")
    case "\u{1B}[>q": type("\u{1B}P>|XTerm(379)\u{1B}\\", program: "")
    case "\u{1B}[?2026$p": type("\u{1B}[?2026;2$y", program: "")
    default: type("\u{1B}[?69;2$y", program: "")
    }
  }

  private func takeEcho() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    let count = unsafe chunk.withUnsafeMutableBytes {
      unsafe Glibc.read(fromProgram.raw, $0.baseAddress, $0.count)
    }
    guard count > 0 else { return false }
    let end = min(expected.count, received + count)
    guard received + count == end, chunk[..<count].elementsEqual(expected[received..<end]) else {
      throw ToolError(
        """
        the program got \(quote(chunk[..<count].prefix(200)))
        instead of \(quote(expected[received...].prefix(200)))
        after \(quote(expected[..<received].suffix(60)))
        """)
    }
    received = end
    return true
  }

  private func typeSome() -> Bool {
    guard !untyped.isEmpty else { return false }
    let count = terminal.type(untyped[...])
    untyped.removeFirst(count)
    return count > 0
  }

  private func writeSome() -> Bool {
    guard !unwritten.isEmpty else { return false }
    let count = unsafe unwritten.withUnsafeBytes {
      unsafe Glibc.write(toProgram.raw, $0.baseAddress, min($0.count, 4096))
    }
    guard count > 0 else { return false }
    unwritten.removeFirst(count)
    return true
  }

  // MARK: Comparing

  /// What the terminal shows otherwise than without perfhud, nor has another state; `nil` if nothing.
  var difference: String? {
    if screen.cursor != bare.cursor || screen.isWrapPending != bare.isWrapPending {
      return "cursor \(screen.cursor) instead of \(bare.cursor)"
    }
    if screen.modes != bare.modes { return "modes \(screen.modes) instead of \(bare.modes)" }
    if screen.pen.style != bare.pen.style { return "another pen" }
    if screen.margins != bare.margins { return "margins \(screen.margins) for \(bare.margins)" }
    if screen.characterSets != bare.characterSets { return "other character sets" }
    if screen.isAlternate != bare.isAlternate { return "the other screen" }
    for row in 0..<bare.size.rows {
      for column in 0..<bare.size.columns where !isSame(row, column) {
        return """
          row \(row + 1), column \(column + 1):
            \(screen.text(row: row))
          instead of
            \(bare.text(row: row))
          where \(described(screen, row, column))
          instead of \(described(bare, row, column))
          """
      }
    }
    return nil
  }

  private func described(_ screen: borrowing Screen, _ row: Int, _ column: Int) -> String {
    let cell = screen.cell(row: row, column: column)
    let kind = cell.isUnknown ? "unknown" : cell.isErased ? "erased" : "written"
    return "\(kind) U+\(String(cell.scalarValue, radix: 16)) \(screen.style(cell.style))"
  }

  /// Cells of which nothing can be said, of all.
  var unknownShare: Double {
    var count = 0
    for row in 0..<bare.size.rows {
      for column in 0..<bare.size.columns where bare.cell(row: row, column: column).isUnknown {
        count += 1
      }
    }
    return Double(count) / Double(bare.size.rows * bare.size.columns)
  }

  private func isSame(_ row: Int, _ column: Int) -> Bool {
    let own = bare.cell(row: row, column: column)
    if own.isUnknown { return true }
    let shown = screen.cell(row: row, column: column)
    guard own.width == shown.width, own.isContinuation == shown.isContinuation,
      own.isErased == shown.isErased, own.characterSet == shown.characterSet, !shown.isUnknown
    else { return false }
    if own.isCluster || shown.isCluster {
      guard bare.scalars(of: own) == screen.scalars(of: shown) else { return false }
    } else if own.scalarValue != shown.scalarValue {
      return false
    }
    return bare.style(own.style) == screen.style(shown.style)
      && bare.link(own.link) == screen.link(shown.link)
  }
}

/// Bytes for a screen, cut anywhere: what is pending stays before what comes.
struct PiecewiseInput {
  private var pending: [UInt8] = []

  mutating func feed(_ bytes: ArraySlice<UInt8>, to screen: inout Screen) {
    var index = pending.count
    pending += bytes
    while index < pending.count {
      index = unsafe screen.feed(pending.span.bytes, from: index).resume
    }
    pending.removeFirst(pending.count - screen.pendingBytes)
  }
}

extension [UInt8] {
  fileprivate func ends(with end: [UInt8]) -> Bool {
    count >= end.count && self[(count - end.count)...].elementsEqual(end)
  }
}
