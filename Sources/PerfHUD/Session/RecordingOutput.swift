import CProcess
import Glibc
import Metrics
import PerfHUDBase
import Recording
import Terminal

struct RecordingRequest: Equatable {
  /// The file; `-` is standard output.
  var path: String
  /// Whether to keep the arguments of commands.
  var keepsCommand: Bool
  /// The maximum size of the file in bytes.
  var limit: UInt64?
  /// If set, only the last part is kept, in memory; its length in nanoseconds.
  var last: Int64?
  /// Whether to record the command's screen too.
  var keepsScreen = false

  /// The same request in a process that takes over a command: the file of the previous process is complete and stays as
  /// it is.
  private var continued: RecordingRequest {
    let before = perfhud_engines_before()
    guard before > 0 else { return self }
    var request = self
    request.path = "\(path).\(before + 1)"
    return request
  }

  /// Opens the output. Opening a FIFO waits for its reader.
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
    do throws(SystemError) {
      return try Descriptor(duplicating: STDOUT_FILENO, subject: "standard output")
    } catch {
      throw RunError(error)
    }
  }

  /// How to keep the file below its limit; `nil` if it has none.
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

  /// Opens the file for the screen; `nil` if the screen is not recorded.
  func openScreen() throws(RunError) -> Descriptor? {
    guard keepsScreen else { return nil }
    do throws(RecordingError) {
      return try ScreenFile.open(recording: continued.path)
    } catch {
      throw RunError(error.description)
    }
  }

  /// The recorder of the screen; `nil` if the screen is not recorded.
  ///
  /// - Parameter file: see `openScreen`.
  func screenRecorder(
    _ file: consuming Descriptor?, _ header: RunHeader, _ size: TerminalSize,
    _ environment: Environment
  ) -> ScreenRecorder? {
    guard let file = file.take() else { return nil }
    var origin = AsciicastWriter.Origin(title: header.name.text)
    if keepsCommand { origin.title = header.command }
    origin.terminal = SafeText.clean(environment["TERM"] ?? "", limit: 80)
    origin.start = header.start
    origin.timestamp = (header.start.nanoseconds &+ header.wallClockOffset) / 1_000_000_000
    do throws(SystemError) {
      return try ScreenRecorder(
        output: file, name: SafeText.clean(ScreenFile.path(of: continued.path)),
        start: header.start, columns: size.columns, rows: size.rows, origin)
    } catch {
      Console.remark("\(error): the screen is not recorded")
      return nil
    }
  }

  /// The recorder of a run.
  func recorder(
    _ opened: consuming OpenedRecording, _ header: RunHeader, _ screen: ScreenRecorder?
  ) -> RunRecorder {
    let host = HostFacts.current(version: Version.number)
    switch consume opened {
    case .file(let output, let limit):
      let writer = RecordingWriter(
        output: output, limit: limit,
        name: path == "-" ? "standard output" : SafeText.clean(continued.path), header: header,
        host: host,
        keepsCommand: keepsCommand)
      return RunRecorder(writer: writer, flight: nil, screen: screen)
    case .memory(let flight, let span):
      let capacity = limit.map { Int(clamping: $0) } ?? FlightRecorder.capacity
      let writer = RecordingWriter(
        keepingLast: span, capacity: capacity, header: header, host: host,
        keepsCommand: keepsCommand)
      return RunRecorder(writer: writer, flight: flight, screen: screen)
    }
  }
}

/// The opened outputs of a recording, checked before the run begins.
enum OpenedRecording: ~Copyable {
  case file(Descriptor, RecordingLimit?)
  case memory(FlightRecorder, span: Int64)
}

/// Records a run, or keeps its last part.
///
/// A class, because it is larger than what the loop may contain by value (scripts/check-copies.sh).
final class RunRecorder {
  private var writer: RecordingWriter
  private var flight: FlightRecorder?
  private let screen: ScreenRecorder?
  /// The start of the last phase that is marked in the recording of the screen.
  private var markedPhase: Instant?

  init(writer: consuming RecordingWriter, flight: FlightRecorder?, screen: ScreenRecorder?) {
    self.writer = writer
    self.flight = flight
    self.screen = screen
  }

  func add(_ record: borrowing Record) { writer.add(record) }

  func add(activity: Activity) { writer.add(activity: activity) }

  /// Whether the recording of the screen has no mark yet for the phase that began at this time.
  func awaitsMark(_ begin: Instant) -> Bool { screen != nil && begin != markedPhase }

  /// Marks a new phase in the recording of the screen.
  func mark(_ name: String, at begin: Instant) {
    markedPhase = begin
    screen?.add(mark: name, at: begin)
  }

  /// Whether the last part of the run is kept in memory.
  var keepsLast: Bool { flight != nil }

  /// Notes an alert: the part kept in memory should be written.
  func noteAlert() { flight?.noteAlert() }

  /// When to write something next; `nil` if nothing waits.
  var deadline: Instant? { earliest(writer.deadline, flight?.due) }

  /// - Returns: the result of a file that was due for an alert.
  func writeIfDue(now: Instant) -> LastRecording? {
    writer.writeIfDue(now: now)
    guard let due = flight?.due, now >= due else { return nil }
    return writeLast(now: now)
  }

  /// Writes what is kept in memory to a file.
  func writeLast(now: Instant) -> LastRecording {
    guard flight != nil else { return .off }
    let part = writer.takePart()
    return flight?.write(part, now: now) ?? .off
  }

  /// Ends the recording.
  ///
  /// - Parameter listsFiles: whether earlier messages about files have disappeared with a HUD.
  /// - Returns: lines about it for standard error.
  func finish(_ end: RecordingEnd, listsFiles: Bool) -> [String] {
    writer.finish(end)
    screen?.finish()
    var lines = [writer.takeProblem(), screen?.takeProblem()].compactMap(\.self)
    if flight?.isDue(at: end.command) == true {
      let result = writeLast(now: end.time)
      if case .written = result, listsFiles {} else { lines.append(result.text) }
    }
    if listsFiles, let summary = flight?.summary { lines.append(summary) }
    return lines
  }
}

extension Session {
  /// Opens the requested recording; `nil` if there is none.
  static func openRecording(_ request: Request) throws(RunError) -> OpenedRecording? {
    guard let recording = request.recording else { return nil }
    if let span = recording.last {
      return .memory(try FlightRecorder(path: recording.path, span: span), span: span)
    }
    let output = try recording.open()
    let limit = try recording.limit(output)
    return .file(output, limit)
  }

  /// - Parameter opened: see `openRecording`.
  static func recorder(
    _ request: Request, _ opened: consuming OpenedRecording?, _ header: RunHeader,
    screen: ScreenRecorder? = nil
  ) -> RunRecorder? {
    guard let recording = request.recording, let opened = opened.take() else { return nil }
    return recording.recorder(opened, header, screen)
  }
}
