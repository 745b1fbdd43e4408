import CProcess
import Glibc
import Metrics
import PerfHUDBase
import Recording
import Terminal

/// The recording that was asked for.
struct RecordingRequest: Equatable {
  /// The file; `-` is standard output.
  var path: String
  /// Whether arguments of commands are kept.
  var keepsCommand: Bool
  /// How many bytes the file may have.
  var limit: UInt64?

  /// The same in a process that takes over a command: the file of a process before it is whole, and stays as it is.
  private var continued: RecordingRequest {
    let before = perfhud_engines_before()
    guard before > 0 else { return self }
    return RecordingRequest(
      path: "\(path).\(before + 1)", keepsCommand: keepsCommand, limit: limit)
  }

  /// Opens where it goes. To open a FIFO waits for its reader.
  func open() throws(RunError) -> Descriptor {
    let path = continued.path
    guard path == "-" else {
      do throws(RecordingError) {
        return try RecordingWriter.open(path: path)
      } catch {
        throw RunError(error.description)
      }
    }
    guard !TTY.isTerminal(STDOUT_FILENO), perfhud_is_closed(STDOUT_FILENO) == 0 else {
      throw RunError("a recording is not for a terminal; write it into a file or a pipe")
    }
    return Descriptor(owning: fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))
  }

  /// How the file is kept below its limit; `nil` without one.
  ///
  /// - Parameter output: see `open`.
  func limit(_ output: borrowing Descriptor) throws(RunError) -> RecordingLimit? {
    guard let limit else { return nil }
    do throws(RecordingError) {
      return try RecordingLimit(bytes: limit, path: continued.path, output: output)
    } catch {
      throw RunError(error.description)
    }
  }

  func writer(_ opened: consuming OpenedRecording, _ header: RunHeader) -> RecordingWriter {
    RecordingWriter(
      output: opened.output, limit: opened.limit,
      name: path == "-" ? "standard output" : SafeText.clean(continued.path), header: header,
      host: .current(version: Version.number), keepsCommand: keepsCommand)
  }
}

/// Where a recording goes, checked before the run begins.
struct OpenedRecording: ~Copyable {
  let output: Descriptor
  let limit: RecordingLimit?
}

extension Session {
  /// Opens the recording that was asked for; `nil` if none was.
  static func openRecording(_ request: Request) throws(RunError) -> OpenedRecording? {
    guard let recording = request.recording else { return nil }
    let output = try recording.open()
    let limit = try recording.limit(output)
    return OpenedRecording(output: output, limit: limit)
  }

  /// - Parameter output: see `openRecording`.
  static func recorder(
    _ request: Request, _ output: consuming OpenedRecording?, _ header: RunHeader
  ) -> RecordingWriter? {
    guard let recording = request.recording, let output = output.take() else { return nil }
    return recording.writer(output, header)
  }
}
