import Glibc
import PerfHUDBase
import SystemPackage
import Terminal
import TestSupport
import Testing

/// A command on a pty, driven as the overlay drives it: everything is read, nothing blocks.
struct CommandOnPty: ~Copyable {
  static let size = TerminalSize(rows: 24, columns: 80)
  static var noSignals: sigset_t {
    var none = sigset_t()
    unsafe sigemptyset(&none)
    return none
  }

  var pty: Terminal.Pty
  /// All that was read.
  private(set) var output: [UInt8] = []
  private var statuses: [PtyStatus] = []
  private var chunk = [UInt8](repeating: 0, count: 65536)

  init(_ command: String...) throws { try self.init(command) }

  init(
    _ command: [String], standard: StandardDescriptors = StandardDescriptors(),
    modes: termios? = nil, size: TerminalSize = size, environment: [String: String] = [:],
    mask: sigset_t = noSignals
  ) throws {
    pty = try SignalActions.alone { () throws(PtyError) in
      try Terminal.Pty(
        command: command, standard: standard, modes: modes, size: size, environment: environment,
        mask: mask)
    }
  }

  init(bytes command: [[UInt8]]) throws {
    pty = try SignalActions.alone { () throws(PtyError) in
      try Terminal.Pty(
        command: command, standard: StandardDescriptors(), size: CommandOnPty.size,
        mask: CommandOnPty.noSignals)
    }
  }

  var text: String { String(decoding: output, as: UTF8.self) }

  mutating func type(_ text: String) { _ = unsafe pty.write(Array(text.utf8).span.bytes) }

  /// Reads what is there once.
  @discardableResult
  mutating func readOnce() -> Int? {
    let count = unsafe chunk.withUnsafeMutableBytes { unsafe pty.read(into: $0) }
    if let count { output += chunk[..<count] }
    return count
  }

  /// One turn of a loop that sleeps until something has happened.
  mutating func turn() {
    var poller = Poller()
    _ = poller.add(pty.masterDescriptor)
    _ = poller.add(pty.statusDescriptor)
    let writing = poller.add(pty.masterDescriptor, events: Int32(POLLOUT))
    if !pty.hasWaitingInput { poller.replace(nil, slot: writing) }
    let now = Instant.now()
    poller.wait(until: now.advanced(bySeconds: 0.02), now: now)
    pty.flush()
    readOnce()
    while let status = pty.nextStatus() { statuses.append(status) }
  }

  mutating func wait(
    _ what: String, deadline seconds: Double = RunningTool.defaultDeadline,
    until condition: (borrowing CommandOnPty) -> Bool
  ) throws {
    let deadline = Instant.now().advanced(bySeconds: seconds)
    while !condition(self) {
      guard Instant.now() < deadline else {
        throw ToolError("waited in vain for \(what); statuses \(statuses); \(quote(output))")
      }
      turn()
    }
  }

  mutating func read(until text: String) throws {
    try wait("the text \(text)") { $0.text.contains(text) }
  }

  mutating func waitForStatus() throws -> PtyStatus {
    try wait("a status") { !$0.statuses.isEmpty }
    return statuses.removeFirst()
  }

  /// After the end: reads what the command has left, and returns all its output.
  mutating func drain() throws -> [UInt8] {
    try wait("the rest of the output") { $0.pty.isDrained }
    return output
  }

  /// Waits for the end, with status 0, and returns the lines.
  mutating func run() throws -> [String] {
    let status = try waitForStatus()
    let text = String(decoding: try drain(), as: UTF8.self)
    guard status == .exited(code: 0) else { throw ToolError("\(status): \(text)") }
    return text.split(separator: "\r\n").map(String.init)
  }
}

/// What /proc says about the processes below the pty.
enum Proc {
  /// What a link of /proc leads to.
  static func link(_ path: String) throws -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe readlink(path, $0.baseAddress!, 4096)
    }
    guard count > 0 else { throw ToolError("cannot read the link \(path)") }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  /// The open descriptors of a process, in order.
  static func descriptors(of process: pid_t) throws -> [Int] {
    guard let folder = unsafe opendir("/proc/\(process)/fd") else {
      throw ToolError("no process \(process)")
    }
    defer { unsafe closedir(folder) }
    var numbers: [Int] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = Int(name) { numbers.append(number) }
    }
    return numbers.sorted()
  }

  /// The number of the pty whose master a descriptor is; `nil` if it is none.
  static func ptyIndex(process: pid_t, descriptor: Int32) throws -> String? {
    let information = try readFile("/proc/\(process)/fdinfo/\(descriptor)")
    let lines = String(decoding: information, as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix("tty-index:") }.map(String.init)
  }

  /// The name of the program that a process has executed.
  static func name(of process: pid_t?) -> String? {
    guard let process, let bytes = try? readFile("/proc/\(process)/comm") else { return nil }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  /// The state of a process: R, S, T, Z, …; `nil` if there is none.
  static func state(of process: pid_t) -> Character? {
    guard let bytes = try? readFile("/proc/\(process)/stat") else { return nil }
    return String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.dropFirst().first
  }
}

/// Writes the text into a pipe, small enough to fit, and closes the end.
func writeAndClose(_ descriptor: FileDescriptor, _ text: String) throws {
  let end = Descriptor(owning: descriptor.rawValue)
  try unsafe Array(text.utf8).withUnsafeBytes { try unsafe end.writeAll($0) }
}
