import Glibc
import PerfHUDBase
import SystemPackage

/// How large a recording may become.
package struct RecordingLimit: Sendable {
  let bytes: UInt64
  /// The file itself, where its name is a symbolic link; absolute.
  private let path: String

  /// A smaller file would begin anew too often: its heads have some 30 kB.
  package static let least: UInt64 = 1 << 20

  /// The file beside the recording that takes its place.
  private var next: String { path + ".next" }

  /// - Parameters:
  ///   - bytes: at least `least`.
  ///   - path: of the recording.
  ///   - output: the recording, open.
  /// - Throws: where the recording cannot be replaced later.
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
    // Tried now: later the run would lose its recording.
    _ = try openNext()
    removeNext()
  }

  func openNext() throws(RecordingError) -> Descriptor { try RecordingWriter.open(path: next) }

  func removeNext() { _ = unsafe unlink(next) }

  /// Puts the next file in the place of the recording, with its owner and mode.
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
