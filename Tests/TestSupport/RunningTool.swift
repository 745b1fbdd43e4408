import CLinux
import Glibc
import PerfHUDBase

/// A program that runs beside the test and talks with it line by line; killed at the end of its
/// life.
///
/// The standard error is kept in memory, so that it never blocks the program.
public final class RunningTool {
  /// Seconds that a wait takes at most unless it says otherwise.
  public static let defaultDeadline: Double = 30

  private var child: ChildProcess
  private var input: Descriptor?
  private let output: Descriptor
  private let errorFile: Descriptor
  private var unread: [UInt8] = []
  private var atEnd = false
  private let name: String

  /// Starts a program; for the parameters see ``Tool/run(_:input:environment:directory:timeout:)``.
  public init(
    _ argv: [String], environment: [String: String?] = [:], directory: String? = nil
  ) throws(ToolError) {
    let inputPipe = try Pipe()
    let outputPipe = try Pipe()
    let memory = unsafe perfhud_memfd_create("stderr")
    guard memory >= 0 else { throw ToolError("cannot make a file in memory") }
    errorFile = Descriptor(owning: memory)
    child = try ChildProcess(
      argv, environment: environment, directory: directory,
      standard: .descriptors(
        input: inputPipe.readEnd.raw, output: outputPipe.writeEnd.raw, error: memory))
    input = consume inputPipe.writeEnd
    output = outputPipe.readEnd
    setNonBlocking(output.raw)
    name = argv[0]
  }

  /// The process; it keeps its number until this object ends or ``wait(deadline:)`` has returned.
  public var pid: Int { Int(child.pid) }

  /// What the program has written to its standard error so far.
  public var stderr: String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16384)
    while true {
      let offset = Int64(bytes.count)
      let count =
        unsafe chunk.withUnsafeMutableBytes { try? unsafe errorFile.read(into: $0, at: offset) }
        ?? 0
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  /// Writes the line and a newline to the program's standard input.
  public func send(_ line: String) throws(ToolError) {
    guard input != nil else { throw ToolError("the input of \(name) has been closed") }
    let bytes = Array((line + "\n").utf8)
    do {
      _ = try unsafe bytes.withUnsafeBytes { try unsafe input?.writeAll($0) }
    } catch {
      throw ToolError("cannot write to \(name): \(error); its errors: \(stderr)")
    }
  }

  /// Ends the program's standard input.
  public func closeInput() { input = nil }

  /// The next line of the standard output without its end; `nil` at the end of the output.
  public func readLine(
    deadline seconds: Double = RunningTool.defaultDeadline
  ) throws(ToolError) -> String? {
    let deadline = Instant.now().advanced(bySeconds: seconds)
    var poller = Poller()
    _ = poller.add(output.raw)
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        return line
      }
      if atEnd {
        guard !unread.isEmpty else { return nil }
        defer { unread.removeAll() }
        return String(decoding: unread, as: UTF8.self)
      }
      let now = Instant.now()
      guard now < deadline else {
        throw ToolError("\(name) wrote no line within \(seconds) s; its errors: \(stderr)")
      }
      poller.wait(until: deadline, now: now)
      atEnd = readAll(output.raw, into: &unread)
    }
  }

  /// All lines up to the end of the output.
  public func readLines(
    deadline seconds: Double = RunningTool.defaultDeadline
  ) throws(ToolError) -> [String] {
    let deadline = Instant.now().advanced(bySeconds: seconds)
    var lines: [String] = []
    while let line = try readLine(deadline: deadline.seconds(since: Instant.now())) {
      lines.append(line)
    }
    return lines
  }

  /// Sends a signal to the program.
  public func signal(_ number: Int32) { child.signal(number) }

  /// Waits for the end of the program and reaps it.
  public func wait(
    deadline seconds: Double = RunningTool.defaultDeadline
  ) throws(ToolError) -> ExitStatus {
    guard let status = child.wait(until: Instant.now().advanced(bySeconds: seconds)) else {
      throw ToolError("\(name) did not end within \(seconds) s; its errors: \(stderr)")
    }
    return status
  }
}
