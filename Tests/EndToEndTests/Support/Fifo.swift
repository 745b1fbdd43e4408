import Base
import Glibc
import TestSupport

/// A FIFO from which the test reads when it wants to: a reader that stalls and comes back.
final class Fifo {
  private let directory: TemporaryDirectory
  private let end: Descriptor
  let path: String

  /// Bytes that it holds, in four pages: few, so that it is full soon.
  private static let capacity: Int32 = 16384

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("fifo")
    let made = try Tool.run(["mkfifo", path])
    guard made.status == .exit(0) else { throw ToolError("no FIFO: \(made.stderr)") }
    end = try Descriptor(open: path, .readOnly, options: .nonBlocking)
    // F_SETPIPE_SZ, which <fcntl.h> shows only with _GNU_SOURCE.
    guard fcntl(end.raw, 1031, Fifo.capacity) == Fifo.capacity else {
      throw ToolError("the FIFO does not take the capacity")
    }
  }

  /// Bytes that wait to be read. Source: `ioctl(2)`, FIONREAD.
  var waiting: Int {
    var count: Int32 = 0
    _ = unsafe ioctl(end.raw, UInt(FIONREAD), &count)
    return Int(count)
  }

  /// Whether the last page has been begun, or nearly: a page in which the next piece of a line has no
  /// room stays short by up to that piece, and the pipe is full with the last page begun.
  var isFull: Bool { waiting > Int(Fifo.capacity) * 2 / 3 }

  /// What can be read now, at most `count` bytes.
  func read(atMost count: Int = 65536) throws -> [UInt8] {
    guard waiting > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let taken = try unsafe bytes.withUnsafeMutableBytes { try unsafe end.readNext(into: $0) }
    return Array(bytes[..<taken])
  }

  /// Starts perfhud printing JSON lines into it.
  ///
  /// - Parameter prepare: what the shell does with the FIFO as its standard output before.
  func perfhud(_ arguments: String..., prepare: String = ":") throws -> RunningTool {
    try RunningTool(
      [
        "sh", "-c", "exec > \"$0\"; \(prepare); exec \"$@\"", path, try Perfhud.path(), "--batch",
        "--format", "jsonl",
      ] + arguments, environment: Perfhud.environment())
  }
}

/// A process as /proc shows it now.
struct ProcessStatus {
  let state: String
  /// Of the main thread, since its start.
  let switches: Int
  let residentBytes: Int

  /// `nil` if there is none of that number.
  init?(_ pid: Int) {
    guard let bytes = try? readFile("/proc/\(pid)/status", limit: 1 << 16) else { return nil }
    var fields: [Substring: Substring] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[parts[0]] = parts[1].drop { $0 == "\t" || $0 == " " } }
    }
    guard let state = fields["State"]?.first else { return nil }
    self.state = String(state)
    func number(_ key: Substring) -> Int {
      fields[key]?.split(separator: " ").first.flatMap { Int($0) } ?? 0
    }
    switches = number("voluntary_ctxt_switches")
    residentBytes = number("VmRSS") * 1024
  }

  /// Voluntary switches of all threads of a process.
  static func allSwitches(_ pid: Int) throws(ToolError) -> Int {
    try Tool.run(["ls", "/proc/\(pid)/task"]).lines
      .compactMap { Int($0).flatMap { ProcessStatus($0) } }.reduce(0) { $0 + $1.switches }
  }

  /// Memory that a process alone has written, to the page; VmRSS may lag by some.
  static func privateBytes(_ pid: Int) throws -> Int {
    let text = String(decoding: try readFile("/proc/\(pid)/smaps_rollup"), as: UTF8.self)
    guard let kilobytes = text.firstMatch(of: #/Private_Dirty: *(\d+) kB/#).flatMap({ Int($0.1) })
    else { throw ToolError("no Private_Dirty: \(text)") }
    return kilobytes * 1024
  }
}

/// Lets another perfhud make `count` readings of 20 ms: what is due on a grid meanwhile is known,
/// however slow the machine is.
func pass(readings count: Int) throws(ToolError) {
  let other = try RunningTool(["sleep", "1000"])
  let run = try BatchRun("--pid", "\(other.pid)", "--interval", "20ms", "--samples", "\(count)")
  let lines = try run.rest()
  other.signal(SIGKILL)
  guard lines.count == count else { throw ToolError("\(lines.count) lines: \(run.stderr)") }
}
