import ArgumentParser
import Glibc
import Metrics
import PerfHUDBase
import Recording
import SystemPackage
import Terminal

/// A format that `perfhud export` writes.
enum ExportForm: String, CaseIterable {
  case text, csv, jsonl
  /// A Perfetto trace.
  case pftrace
  /// The recorded screen, as asciicast.
  case cast

  /// The format that matches a file name; `nil` if none does.
  init?(path: String) {
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    self.init(rawValue: LineFormat(path: path)?.rawValue ?? ending)
  }

  /// The format of the rows; `nil` if there are none.
  var rows: LineFormat? { LineFormat(rawValue: rawValue) }
}

/// `perfhud export FILE`: converts a recorded run to rows as batch output would have printed them, to a trace, or to
/// its screen.
struct ExportCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Convert a recording to rows, a trace or an asciicast.",
    discussion: """
      --format or the name of the output sets the format: .csv, .jsonl, .txt,
      .pftrace, or .cast, which is the screen (asciicast v3) of a recording that
      was made with --record-screen.
      """)

  @Argument(
    help: ArgumentHelp("The recording; - is standard input.", valueName: "file"),
    completion: .file())
  var file: String

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to a file; - is standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    name: [.customShort("f", allowingJoined: true), .long],
    help: ArgumentHelp("text, csv, jsonl, pftrace or cast. (default: jsonl)", valueName: "format"),
    completion: .list(ExportForm.allCases.map(\.rawValue)))
  var format: String?

  func validate() throws {
    if let format, ExportForm(rawValue: format) == nil {
      throw ValidationError("format '\(format)' is none of: text, csv, jsonl, pftrace, cast")
    }
    if format == nil, let path, ExportForm(path: path) == nil {
      throw ValidationError(
        "'\(path)' ends with none of: .txt, .csv, .jsonl, .pftrace, .cast; choose a format with --format"
      )
    }
  }

  /// The output file; `nil` for standard output.
  private var path: String? { output == "-" ? nil : output }

  /// The output format.
  private var form: ExportForm {
    if let format = format.flatMap(ExportForm.init(rawValue:)) { return format }
    return path.flatMap(ExportForm.init(path:)) ?? .jsonl
  }

  func perform(_ environment: Environment) throws -> Int32 {
    if form == .pftrace, path == nil, TTY.isTerminal(STDOUT_FILENO) {
      throw RunError("a trace is no text for a terminal: name a file with -o FILE.pftrace")
    }
    try RecordedRun.keep(path)
    var reader = try RecordedRun.open(file)
    if form == .cast { return try writeScreen(of: reader.header) }
    let descriptor: Descriptor
    do throws(SystemError) {
      descriptor = try BatchFrontend.open(path: path)
    } catch {
      throw RunError(error)
    }
    if let rows = form.rows {
      try writeRows(rows, from: &reader, to: descriptor)
    } else {
      try writeTrace(from: &reader, to: descriptor)
    }
    if let remark = reader.remark { Console.remark(remark) }
    return ExitStatus.done
  }

  private func writeRows(
    _ format: LineFormat, from reader: inout RecordingReader, to descriptor: borrowing Descriptor
  ) throws(RunError) {
    var run = Run(reader.header.run)
    var writer = RowWriter(format: format, header: reader.header.run)
    var lines: [UInt8] = []
    var last = reader.header.run.start
    while let record = reader.next(foldingActivityInto: &run, last: &last) {
      run.apply(record)
      guard case .sample(let sample) = record, let row = run.latest, !sample.isProvisional,
        row.sequence > 0 || row.hasEnded
      else { continue }
      writer.write(row, wallClockOffset: run.wallClockOffset)
      lines += writer.line
      if lines.count > 65536 {
        try put(&lines, descriptor)
      }
    }
    try put(&lines, descriptor)
  }

  private func writeTrace(
    from reader: inout RecordingReader, to descriptor: borrowing Descriptor
  ) throws(RunError) {
    var run = Run(reader.header.run)
    var writer = TraceWriter(header: reader.header.run)
    while let record = reader.next() {
      run.apply(record)
      writer.take(record, run: run)
      if writer.bytes.count > 65536 { try put(&writer.bytes, descriptor) }
    }
    writer.finish(at: reader.end?.time)
    try put(&writer.bytes, descriptor)
  }

  /// Writes the recorded screen, up to its last complete line.
  private func writeScreen(of header: RecordingHeader) throws(RunError) -> Int32 {
    guard file != "-" else {
      throw RunError("the screen is in a file beside the recording: name the recording")
    }
    let source = ScreenFile.path(of: file)
    guard ScreenFile.isThere(source) else {
      throw RunError(
        "\(SafeText.clean(file)) has no screen; record it with: perfhud --record FILE --record-screen COMMAND"
      )
    }
    if let path, ScreenFile.isSame(path, source) {
      throw RunError("\(SafeText.clean(path)) is that screen already: name another file")
    }
    let descriptor: Descriptor
    var reader: AsciicastReader
    do throws(RecordingError) {
      reader = try AsciicastReader(path: source, of: header)
    } catch {
      throw RunError(error.description)
    }
    do throws(SystemError) {
      // A screen may show secrets.
      descriptor = try BatchFrontend.open(path: path, permissions: .ownerReadWrite)
    } catch {
      throw RunError(error)
    }
    // An existing file may be readable by others.
    if path != nil, RecordingWriter.isRegular(descriptor.raw) { fchmod(descriptor.raw, 0o600) }
    var lines = reader.firstLine
    while reader.next() != nil {
      lines += reader.line
      if lines.count > 65536 { try put(&lines, descriptor) }
    }
    try put(&lines, descriptor)
    if reader.badLines > 0 {
      Console.remark("\(SafeText.clean(source)): damaged lines left out: \(reader.badLines)")
    }
    return ExitStatus.done
  }

  private func put(_ lines: inout [UInt8], _ descriptor: borrowing Descriptor) throws(RunError) {
    do throws(Errno) {
      try descriptor.writeAll(lines)
    } catch {
      throw RunError("cannot write to \(SafeText.clean(path ?? "standard output")): \(error)")
    }
    lines.removeAll(keepingCapacity: true)
  }
}
