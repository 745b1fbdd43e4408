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

  /// The same in a process that takes over a command: the file of a process before it is whole, and stays as it is.
  private var continued: RecordingRequest {
    let before = perfhud_engines_before()
    guard before > 0 else { return self }
    return RecordingRequest(path: "\(path).\(before + 1)", keepsCommand: keepsCommand)
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

  /// - Parameter output: see `open`.
  func writer(_ output: consuming Descriptor, _ header: RunHeader) -> RecordingWriter {
    RecordingWriter(
      output: output, name: path == "-" ? "standard output" : SafeText.clean(continued.path),
      header: header,
      host: .current(version: Version.number), keepsCommand: keepsCommand)
  }
}

extension Session {
  /// Opens the recording that was asked for; `nil` if none was.
  static func openRecording(_ request: Request) throws(RunError) -> Descriptor? {
    guard let recording = request.recording else { return nil }
    return try recording.open()
  }

  /// - Parameter output: see `openRecording`.
  static func recorder(
    _ request: Request, _ output: consuming Descriptor?, _ header: RunHeader
  ) -> RecordingWriter? {
    guard let recording = request.recording, let output = output.take() else { return nil }
    return recording.writer(output, header)
  }
}
