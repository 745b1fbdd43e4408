import ArgumentParser
import Glibc
import Metrics
import PerfHUDBase
import Recording
import Terminal

/// A form that `perfhud export` writes.
enum ExportForm: String, CaseIterable {
  case text, csv, jsonl
  /// A Perfetto trace.
  case pftrace
  /// What was on the screen: asciicast.
  case cast

  /// The form that belongs to the name of a file; `nil` if none does.
  init?(path: String) {
    let ending = path.split(separator: ".").last.map(String.init) ?? ""
    self.init(rawValue: ending == "txt" ? "text" : ending)
  }

  /// The form of the rows; `nil` where there are none.
  var rows: LineFormat? { LineFormat(rawValue: rawValue) }
}

/// `perfhud export FILE`: the rows of a recorded run, as batch output would have printed them, or a trace.
struct ExportCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print rows of a recording, or make a Perfetto trace.",
    discussion: """
      The form is that of --format, else of the name of the output: .csv, .jsonl, .txt or .pftrace.
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
    help: ArgumentHelp("text, csv, jsonl or pftrace. (default: jsonl)", valueName: "form"),
    completion: .list(["text", "csv", "jsonl", "pftrace"]))
  var format: String?

  func validate() throws {
    if let format, ExportForm(rawValue: format) == nil {
      throw ValidationError("format '\(format)' is none of: text, csv, jsonl, pftrace")
    }
    if format == nil, let path, ExportForm(path: path) == nil {
      throw ValidationError(
        "'\(path)' ends with none of: .txt, .csv, .jsonl, .pftrace; choose a form with --format")
    }
  }

  /// The file that is written; `nil` for standard output.
  private var path: String? { output == "-" ? nil : output }

  /// The form of what is written.
  private var form: ExportForm {
    if let format = format.flatMap(ExportForm.init(rawValue:)) { return format }
    return path.flatMap(ExportForm.init(path:)) ?? .jsonl
  }

  func perform(_ environment: Environment) throws -> Int32 {
    if form == .cast {
      throw RunError(
        "a recording has no screen, so there is no cast of it: use .csv, .jsonl or .pftrace")
    }
    if form == .pftrace, path == nil, TTY.isTerminal(STDOUT_FILENO) {
      throw RunError("a trace is no text for a terminal: name a file with -o FILE.pftrace")
    }
    try RecordedRun.keep(path)
    var reader = try RecordedRun.open(file)
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
    if let remark = reader.remark { ExitStatus.remark(remark) }
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

  private func put(_ lines: inout [UInt8], _ descriptor: borrowing Descriptor) throws(RunError) {
    do {
      try unsafe lines.withUnsafeBytes { try unsafe descriptor.writeAll($0) }
    } catch {
      throw RunError("cannot write to \(SafeText.clean(path ?? "standard output")): \(error)")
    }
    lines.removeAll(keepingCapacity: true)
  }
}
