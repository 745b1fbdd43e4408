import CLinux
import Glibc
import PerfHUDBase
import SystemPackage

/// Runs programs to their end and hands back what they wrote.
public enum Tool {
  /// What a program left.
  public struct Output: Sendable {
    public var stdoutBytes: [UInt8] = []
    public var stderrBytes: [UInt8] = []
    public var status = ExitStatus.exit(0)

    /// What it wrote, with U+FFFD for what is not UTF-8.
    public var stdout: String { String(decoding: stdoutBytes, as: UTF8.self) }
    public var stderr: String { String(decoding: stderrBytes, as: UTF8.self) }

    /// The lines of the standard output, without their ends.
    public var lines: [String] { splitLines(stdout) }
  }

  /// Runs a program and waits for its end; what it left open in the background is not waited for.
  ///
  /// - Parameters:
  ///   - argv: the program, found through `PATH`, and its arguments.
  ///   - input: what it reads; `nil` is an end of the input at once.
  ///   - environment: what is added to this process's environment; `nil` removes a variable.
  ///   - directory: the working directory; `nil` keeps this process's.
  ///   - timeout: after so many seconds it is killed.
  /// - Throws: when it cannot be started or does not end in time; never because of its status.
  public static func run(
    _ argv: [String], input: String? = nil, environment: [String: String?] = [:],
    directory: String? = nil, timeout: Double = 20
  ) throws(ToolError) -> Output {
    let deadline = Instant.now().advanced(bySeconds: timeout)
    let inputPipe = try Pipe()
    let outputPipe = try Pipe()
    let errorPipe = try Pipe()
    var child = try ChildProcess(
      argv, environment: environment, directory: directory,
      standard: .descriptors(
        input: inputPipe.readEnd.raw, output: outputPipe.writeEnd.raw,
        error: errorPipe.writeEnd.raw))
    let output = outputPipe.readEnd
    let error = errorPipe.readEnd
    // The child's ends are closed here, so that each end of file is seen.
    var feed: Descriptor? = inputPipe.writeEnd
    setNonBlocking(feed?.raw ?? -1)
    setNonBlocking(output.raw)
    setNonBlocking(error.raw)

    var result = Output()
    var rest = Array((input ?? "").utf8)[...]
    var poller = Poller()
    let endSlot = poller.add(child.processDescriptor.raw)
    let feedSlot = poller.add(feed?.raw ?? -1, events: Int32(POLLOUT))
    let outputSlot = poller.add(output.raw)
    let errorSlot = poller.add(error.raw)
    while true {
      if feed != nil, rest.isEmpty || !writeSome(feed?.raw ?? -1, &rest) {
        feed = nil
        poller.replace(nil, slot: feedSlot)
      }
      let now = Instant.now()
      guard now < deadline else {
        throw ToolError(
          "\(argv) did not end within \(timeout) s; it wrote:\n\(result.stdout)\(result.stderr)")
      }
      poller.wait(until: deadline, now: now)
      let ended = poller.isReady(endSlot)
      if readAll(output.raw, into: &result.stdoutBytes) { poller.replace(nil, slot: outputSlot) }
      if readAll(error.raw, into: &result.stderrBytes) { poller.replace(nil, slot: errorSlot) }
      if ended { break }
    }
    guard let status = child.wait(until: deadline) else {
      throw ToolError("\(argv) has ended but cannot be waited for")
    }
    result.status = status
    return result
  }
}

/// Makes reads and writes of the descriptor return at once. Source: `fcntl(2)`.
func setNonBlocking(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
}

/// Appends what can be read now. Returns whether the end of the file was met.
func readAll(_ descriptor: Int32, into bytes: inout [UInt8], limit: Int = .max) -> Bool {
  var chunk = [UInt8](repeating: 0, count: 65536)
  while bytes.count < limit {
    let rest = limit - bytes.count
    let count = unsafe chunk.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, min($0.count, rest))
    }
    if count > 0 {
      bytes += chunk[..<count]
    } else if count < 0, errno == EINTR {
      continue
    } else {
      // A terminal whose last program has gone reports EIO instead of an end of file.
      return count == 0 || errno != EAGAIN
    }
  }
  return false
}

/// Writes what the descriptor takes now. Returns whether more can be written later.
func writeSome(_ descriptor: Int32, _ bytes: inout ArraySlice<UInt8>) -> Bool {
  while !bytes.isEmpty {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    if count > 0 {
      bytes.removeFirst(count)
    } else if errno != EINTR {
      return errno == EAGAIN
    }
  }
  return true
}

/// The lines of a text, without their ends; a last line without an end counts.
func splitLines(_ text: String) -> [String] {
  var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  if lines.last == "" { lines.removeLast() }
  return lines
}
