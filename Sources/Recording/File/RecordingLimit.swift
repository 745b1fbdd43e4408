import Glibc
import PerfHUDBase
import SystemPackage

/// The maximum size of a recording.
package struct RecordingLimit: Sendable {
  let bytes: UInt64
  /// The absolute path of the file itself, even if its name is a symbolic link.
  private let path: String

  /// A smaller file would have to start over too often: its heads take some 30 kB.
  package static let least: UInt64 = 1 << 20

  /// The file beside the recording that will replace it.
  private var next: String { path + ".next" }

  /// - Parameters:
  ///   - bytes: at least `least`.
  ///   - path: the path of the recording.
  ///   - output: the recording, open.
  /// - Throws: if the recording cannot be replaced later.
  ///
  /// Source: `realpath(3)`, `fstat(2)`.
  package init(bytes: UInt64, path: String, output: borrowing Descriptor) throws(RecordingError) {
    let shown = SafeText.clean(path)
    guard RecordingWriter.isRegular(output.raw), let real = unsafe realpath(path, nil) else {
      throw RecordingError("--record-limit needs a file: \(shown) is none")
    }
    defer { unsafe free(real) }
    self.bytes = max(bytes, RecordingLimit.least)
    self.path = unsafe String(cString: real)
    var facts = stat()
    guard unsafe fstat(output.raw, &facts) == 0, facts.st_uid == geteuid() || geteuid() == 0 else {
      throw RecordingError(
        "\(shown) belongs to another user, so --record-limit cannot replace it; name another file")
    }
    // Try this now: later the run would lose its recording.
    _ = try openNext()
    removeNext()
  }

  func openNext() throws(RecordingError) -> Descriptor { try RecordingWriter.open(path: next) }

  func removeNext() { _ = unsafe unlink(next) }

  /// Replaces the recording with the next file, keeping owner and mode.
  ///
  /// Source: `rename(2)`, `fchown(2)`, `fchmod(2)`.
  func replace(_ old: borrowing Descriptor, by new: borrowing Descriptor) throws(Errno) {
    var facts = stat()
    if unsafe fstat(old.raw, &facts) == 0 {
      _ = fchown(new.raw, facts.st_uid, facts.st_gid)
      _ = fchmod(new.raw, facts.st_mode & 0o777)
    }
    guard unsafe rename(next, path) == 0 else { throw Errno(rawValue: errno) }
  }
}
