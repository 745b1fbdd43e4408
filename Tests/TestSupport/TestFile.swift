import Glibc
import PerfHUDBase
import SystemPackage

/// Files that tests write and watch.
public enum TestFile {
  public static func write(_ bytes: [UInt8], to path: String) throws(ToolError) {
    do {
      let file = try Descriptor(
        open: path, .writeOnly, options: [.create, .truncate],
        permissions: FilePermissions(rawValue: 0o644))
      _ = try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll($0) }
    } catch {
      throw ToolError("cannot write \(path): \(error)")
    }
  }

  /// Bytes of a file; 0 if there is none.
  public static func size(_ path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Removes a file, if there is one.
  public static func remove(_ path: String) { _ = unsafe unlink(path) }
}
