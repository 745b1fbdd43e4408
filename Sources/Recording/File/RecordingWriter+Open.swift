import Glibc
import PerfHUDBase
import SystemPackage

extension RecordingWriter {
  /// Opens a file for a recording, mode 0600. An existing file must be a recording that nobody is writing.
  ///
  /// Source: `open(2)`, `fstat(2)`, `flock(2)`, `fchmod(2)`.
  package static func open(path: String) throws(RecordingError) -> Descriptor {
    let file = try create(path)
    if isRegular(file.raw) {
      try clear(file.raw, path: path, beginsWith: BlockFrame.magic)
      // An existing file may be readable by others.
      fchmod(file.raw, 0o600)
    }
    return file
  }

  private static func create(_ path: String) throws(RecordingError) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(
        open: path, isSpecial(path) ? .writeOnly : .readWrite, options: [.create],
        permissions: FilePermissions(rawValue: 0o600))
    } catch {
      throw RecordingError(error.description)
    }
  }

  /// Empties a file that is empty or a recording that nobody is writing.
  ///
  /// - Parameter magic: the first bytes of a recording.
  static func clear(
    _ raw: Int32, path: String, beginsWith magic: [UInt8]
  ) throws(RecordingError) {
    let shown = SafeText.clean(path)
    guard flock(raw, LOCK_EX | LOCK_NB) == 0 else {
      throw RecordingError("another perfhud writes \(shown); name another file with --record FILE")
    }
    var head = [UInt8](repeating: 0, count: magic.count)
    let count = unsafe head.withUnsafeMutableBytes {
      unsafe pread(raw, $0.baseAddress, $0.count, 0)
    }
    guard count == 0 || head == magic else {
      throw RecordingError(
        "\(shown) is there and is no recording; remove it or name another file with --record FILE")
    }
    guard ftruncate(raw, 0) == 0 else {
      let error = SystemError(call: "write to", subject: path, code: Errno(rawValue: errno))
      throw RecordingError(error.description)
    }
  }

  private static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Whether a descriptor refers to a regular file, not a pipe or device.
  package static func isRegular(_ raw: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(raw, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}

/// A problem with a recording: one line that says what to do.
package struct RecordingError: Error, Equatable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
