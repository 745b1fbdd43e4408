import Glibc
import PerfHUDBase
import SystemPackage

/// The file of a recorded screen while it is being written.
package struct ScreenFile: ~Copyable {
  private let output: Descriptor
  private let name: String
  private var writer: AsciicastWriter
  /// The number of bytes in complete lines so far.
  private var size: Int64 = 0

  /// Lines are written once they have this many bytes.
  private static let piece = 1 << 20

  /// - Parameter output: an empty file.
  init(_ output: consuming Descriptor, name: String, writer: AsciicastWriter) {
    self.output = output
    self.name = name
    self.writer = writer
  }

  /// The name of the file with the screen of a recording.
  package static func path(of recording: String) -> String { recording + suffix }

  package static let suffix = ".cast"

  /// Whether the file exists.
  package static func isThere(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether two names refer to the same file.
  package static func isSame(_ path: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return unsafe stat(path, &first) == 0 && stat(other, &second) == 0
      && first.st_ino == second.st_ino && first.st_dev == second.st_dev
  }

  /// Opens the file of a screen, mode 0600. An existing file must be one that nobody is writing.
  package static func open(recording: String) throws(RecordingError) -> Descriptor {
    let path = path(of: recording)
    let shown = SafeText.clean(path)
    let file: Descriptor
    do throws(SystemError) {
      file = try Descriptor(
        open: path, .readWrite, options: [.create], permissions: FilePermissions(rawValue: 0o600))
    } catch {
      throw RecordingError(error.description)
    }
    guard RecordingWriter.isRegular(file.raw) else {
      throw RecordingError("\(shown) is no file; remove it or name another recording")
    }
    try RecordingWriter.clear(file.raw, path: path, beginsWith: Array("{\"version\":".utf8))
    // An existing file may be readable by others.
    fchmod(file.raw, 0o600)
    return file
  }

  /// Writes lines for the new entries.
  ///
  /// - Returns: the problem; `nil` if there is none.
  mutating func write(_ bytes: [UInt8], _ entries: [ScreenEntry], isLast: Bool) -> String? {
    var begin = 0
    for entry in entries {
      let part = bytes[begin..<entry.end]
      begin = entry.end
      let time = entry.time * 1_000_000
      switch entry.kind {
      case .output: writer.writeOutput(part, nanoseconds: time)
      case .size: writer.writeSize(String(decoding: part, as: UTF8.self), nanoseconds: time)
      case .mark: writer.writeMark(String(decoding: part, as: UTF8.self), nanoseconds: time)
      }
      if writer.count >= ScreenFile.piece, let failure = writeLines() { return failure }
    }
    if isLast { writer.finish() }
    return writeLines()
  }

  /// Writes the complete lines. If that fails, the file keeps the previous complete lines.
  mutating func writeLines() -> String? {
    let lines = writer.takeBytes()
    guard !lines.isEmpty else { return nil }
    do throws(Errno) {
      try output.writeAll(lines)
      size += Int64(lines.count)
      return nil
    } catch {
      ftruncate(output.raw, off_t(size))
      return SystemError(
        call: "write to", subject: name, code: error,
        advice: "the recording of the screen ends there"
      ).description
    }
  }
}
