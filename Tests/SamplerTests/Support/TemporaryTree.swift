import Glibc
import PerfHUDBase
import TestSupport

/// A copy of a fixture that a test may change; it is removed at the end of its life.
final class TemporaryTree {
  let pid: Int32
  private let directory: String
  var root: String { "\(directory)/proc" }

  init(copyOf fixture: Fixture) throws {
    pid = fixture.pid
    let output = try Tool.run(["mktemp", "-d"])
    guard let path = output.lines.first else { throw ToolError("mktemp: \(output.stderr)") }
    directory = path
    let copied = try Tool.run(["cp", "-R", "\(fixture.directory)/.", path])
    guard copied.status == .exit(0) else { throw ToolError("cp: \(copied.stderr)") }
  }

  deinit { _ = try? Tool.run(["rm", "-rf", directory]) }

  /// Puts another text into a file of the tree, in its place.
  func write(_ text: String, to path: String) throws {
    let file = try Descriptor(open: "\(directory)/\(path)", .writeOnly, options: .truncate)
    try unsafe Array(text.utf8).withUnsafeBytes { try unsafe file.writeAll($0) }
  }
}
