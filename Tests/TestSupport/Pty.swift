import CLinux
import Glibc
import PerfHUDBase
import SystemPackage

/// Both ends of a new pseudo-terminal.
public struct PtyPair: ~Copyable {
  /// The side of the terminal emulator; reads and writes return at once.
  package let master: Descriptor
  /// The side of the program.
  package let slave: Descriptor
  /// The path of the program's side.
  public let name: String

  public init(columns: Int, rows: Int) throws(ToolError) {
    do {
      self = try PtyPair()
    } catch {
      throw ToolError("cannot make a terminal: \(error)")
    }
    resize(columns: columns, rows: rows)
  }

  /// Source: `ptmx(4)`, `TIOCSPTLCK` and `TIOCGPTN`; `unlockpt` and `ptsname` need _GNU_SOURCE.
  private init() throws(SystemError) {
    let unlock: UInt = 0x4004_5431
    let number: UInt = 0x8004_5430
    let noControllingTerminal = FileDescriptor.OpenOptions(rawValue: O_NOCTTY)
    let path = "/dev/ptmx"
    let master = try Descriptor(
      open: path, .readWrite, options: [noControllingTerminal, .nonBlocking])
    var zero: Int32 = 0
    var index: Int32 = 0
    guard unsafe ioctl(master.raw, unlock, &zero) == 0,
      unsafe ioctl(master.raw, number, &index) == 0
    else {
      throw SystemError(call: "unlock", subject: path, code: Errno(rawValue: errno))
    }
    let name = "/dev/pts/\(index)"
    let slave = try Descriptor(open: name, .readWrite, options: noControllingTerminal)
    self.init(master: master, slave: slave, name: name)
  }

  private init(master: consuming Descriptor, slave: consuming Descriptor, name: String) {
    self.master = master
    self.slave = slave
    self.name = name
  }

  /// Sets the size, in cells and in pixels; the programs in the foreground get `SIGWINCH`. Source: `TIOCSWINSZ`.
  public func resize(columns: Int, rows: Int, pixelWidth: Int = 0, pixelHeight: Int = 0) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: UInt16(pixelWidth),
      ws_ypixel: UInt16(pixelHeight))
    _ = unsafe ioctl(master.raw, UInt(TIOCSWINSZ), &size)
  }

  /// The terminal's modes, as the program has set them. Source: `tcgetattr(3)`.
  public var modes: termios {
    var modes = termios()
    _ = unsafe tcgetattr(slave.raw, &modes)
    return modes
  }
}

/// A program on a terminal of its own, whose bytes the test reads; killed at the end of its life.
///
/// The terminal answers nothing: a query of the program stays without an answer unless the test
/// sends one.
public final class Pty {
  private let pair: PtyPair
  private var child: ChildProcess
  private let name: String

  /// All bytes that have been read from the program.
  public private(set) var output: [UInt8] = []

  /// Starts a program on a new terminal, which is its controlling terminal.
  ///
  /// - Parameter environment: what is added to this process's environment, over
  ///   `TERM=xterm-256color` and `LC_ALL=C.UTF-8`; `nil` removes a variable.
  public init(
    _ argv: [String], columns: Int = 80, rows: Int = 24, environment: [String: String?] = [:],
    directory: String? = nil
  ) throws(ToolError) {
    let defaults: [String: String?] = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"]
    pair = try PtyPair(columns: columns, rows: rows)
    child = try ChildProcess(
      argv, environment: defaults.merging(environment) { $1 }, directory: directory,
      standard: .terminal(path: pair.name))
    name = argv[0]
  }

  /// The process; it keeps its number until this object ends or ``wait(deadline:)`` has returned.
  public var pid: Int { Int(child.pid) }

  /// What has been read, as text with U+FFFD for what is not UTF-8.
  public var text: String { String(decoding: output, as: UTF8.self) }

  /// The terminal's modes, as the program has set them; also after its end.
  public var modes: termios { pair.modes }

  /// Sets the size, in cells and in pixels; the programs in the foreground get `SIGWINCH`.
  public func resize(columns: Int, rows: Int, pixelWidth: Int = 0, pixelHeight: Int = 0) {
    pair.resize(
      columns: columns, rows: rows, pixelWidth: pixelWidth, pixelHeight: pixelHeight)
  }

  /// Types the bytes.
  public func send(_ bytes: some Sequence<UInt8>) throws(ToolError) {
    var rest = Array(bytes)[...]
    let deadline = Instant.now().advanced(bySeconds: RunningTool.defaultDeadline)
    while true {
      guard writeSome(pair.master.raw, &rest) else { throw ToolError("cannot type to \(name)") }
      if rest.isEmpty { return }
      guard Instant.now() < deadline else { throw ToolError("\(name) does not read its input") }
      readFor(milliseconds: 5)
    }
  }

  /// Types the text.
  public func send(_ text: String) throws(ToolError) { try send(text.utf8) }

  /// Reads until the condition on all that has been read holds.
  public func read(
    deadline seconds: Double = RunningTool.defaultDeadline, until condition: ([UInt8]) -> Bool
  ) throws(ToolError) {
    let deadline = Instant.now().advanced(bySeconds: seconds)
    while true {
      _ = readAll(pair.master.raw, into: &output)
      if condition(output) { return }
      guard Instant.now() < deadline else {
        throw ToolError("\(name) did not write what was waited for; it wrote:\n\(quote(output))")
      }
      readFor(milliseconds: 20)
    }
  }

  /// Reads until the program has written the text.
  public func read(
    deadline seconds: Double = RunningTool.defaultDeadline, until text: String
  ) throws(ToolError) {
    try read(deadline: seconds) { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  /// Reads until `output` has a number of bytes, and no further: the program cannot be much ahead.
  public func read(
    deadline seconds: Double = RunningTool.defaultDeadline, bytes count: Int
  ) throws(ToolError) {
    let deadline = Instant.now().advanced(bySeconds: seconds)
    while true {
      _ = readAll(pair.master.raw, into: &output, limit: count)
      if output.count >= count { return }
      guard Instant.now() < deadline else {
        throw ToolError("\(name) wrote only \(output.count) of \(count) bytes")
      }
      wait(milliseconds: 20)
    }
  }

  /// Takes what has been read and forgets it.
  public func takeOutput() -> [UInt8] {
    defer { output.removeAll() }
    return output
  }

  /// Sends a signal to the program.
  public func signal(_ number: Int32) { child.signal(number) }

  /// Reads until the program has ended, and reaps it.
  ///
  /// - Parameter onOutput: called now and then with what has been read, to answer it.
  public func wait(
    deadline seconds: Double = RunningTool.defaultDeadline, onOutput: (Pty) -> Void = { _ in }
  ) throws(ToolError) -> ExitStatus {
    let deadline = Instant.now().advanced(bySeconds: seconds)
    while true {
      if let status = child.wait(until: Instant.now()) {
        _ = readAll(pair.master.raw, into: &output)
        return status
      }
      guard Instant.now() < deadline else {
        throw ToolError("\(name) did not end within \(seconds) s; it wrote:\n\(quote(output))")
      }
      readFor(milliseconds: 20)
      onOutput(self)
    }
  }

  /// Waits for output for at most so long and reads it.
  private func readFor(milliseconds: Int64) {
    wait(milliseconds: milliseconds)
    _ = readAll(pair.master.raw, into: &output)
  }

  private func wait(milliseconds: Int64) {
    var poller = Poller()
    _ = poller.add(pair.master.raw)
    _ = poller.add(child.processDescriptor.raw)
    let now = Instant.now()
    poller.wait(until: now.advanced(byNanoseconds: milliseconds * 1_000_000), now: now)
  }
}

/// Bytes as text that shows its control characters: `\e[2J`, `\r`, `\x07`.
public func quote(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef")
  var result = ""
  for scalar in String(decoding: Array(bytes), as: UTF8.self).unicodeScalars {
    switch scalar {
    case "\u{1B}": result += "\\e"
    case "\r": result += "\\r"
    case "\n": result += "\\n\n"
    case "\t": result += "\\t"
    case "\\": result += "\\\\"
    default:
      if scalar.value < 0x20 || scalar.value == 0x7F {
        result += "\\x\(digits[Int(scalar.value >> 4)])\(digits[Int(scalar.value & 15)])"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
  return result
}
