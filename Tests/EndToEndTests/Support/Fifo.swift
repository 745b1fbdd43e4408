import Glibc
import PerfHUDBase
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

  /// All whole lines that wait in it.
  func readAll() throws -> ArraySlice<UInt8> {
    var bytes: [UInt8] = []
    while waiting > 0 { bytes += try read() }
    return bytes[..<(bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0)]
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
