import ArgumentParser
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording

/// `perfhud report FILE`: the summary of a recorded run.
struct ReportCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Print the summary of a recording.",
    discussion: "A recording is made with: perfhud --record FILE …")

  @Argument(
    help: ArgumentHelp("The recording; - is standard input.", valueName: "file"),
    completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp("Language: en or ja. (default: of the locale)", valueName: "code"),
    completion: .list(Language.allCases.map(\.rawValue)))
  var lang: String?

  func validate() throws {
    guard let lang, Language(rawValue: lang) == nil else { return }
    let names = Language.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("lang '\(lang)' is none of: \(names)")
  }

  func perform(_ environment: Environment) throws -> Int32 {
    let language = lang.flatMap(Language.init(rawValue:)) ?? Language(locale: environment.locale)
    var reader = try RecordedRun.open(file)
    var run = Run(reader.header.run)
    var last = reader.header.run.start
    while let record = reader.next() {
      last = max(last, record.time)
      run.apply(record)
    }
    if let remark = reader.remark { ExitStatus.remark(remark) }
    let summary = RunSummary(run, asOf: reader.end?.time ?? last, end: reader.end?.command)
    ExitStatus.put(summary.text(language: language), on: STDOUT_FILENO)
    return ExitStatus.done
  }
}

/// `perfhud export FILE`: the rows of a recorded run, as batch output would have printed them.
struct ExportCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print the rows of a recording.",
    discussion: "The form is that of --format, else of the name of the output: .csv or .jsonl.")

  @Argument(
    help: ArgumentHelp("The recording; - is standard input.", valueName: "file"),
    completion: .file())
  var file: String

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write the rows to a file.", valueName: "file"), completion: .file())
  var output: String?

  @Option(
    name: [.customShort("f", allowingJoined: true), .long],
    help: ArgumentHelp("text, csv or jsonl. (default: jsonl)", valueName: "form"),
    completion: .list(LineFormat.allCases.map(\.rawValue)))
  var format: String?

  func validate() throws {
    if let format, LineFormat(rawValue: format) == nil {
      throw ValidationError("format '\(format)' is none of: text, csv, jsonl")
    }
  }

  /// The form of the rows.
  private var form: LineFormat {
    if let format = format.flatMap(LineFormat.init(rawValue:)) { return format }
    guard let output else { return .jsonl }
    return output.hasSuffix(".csv") ? .csv : output.hasSuffix(".txt") ? .text : .jsonl
  }

  func perform(_ environment: Environment) throws -> Int32 {
    var reader = try RecordedRun.open(file)
    var run = Run(reader.header.run)
    var writer = RowWriter(format: form, header: reader.header.run)
    let descriptor: Descriptor
    do throws(SystemError) {
      descriptor = try BatchFrontend.open(path: output)
    } catch {
      throw RunError(error)
    }
    var lines: [UInt8] = []
    while let record = reader.next() {
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
    if let remark = reader.remark { ExitStatus.remark(remark) }
    return ExitStatus.done
  }

  private func put(_ lines: inout [UInt8], _ descriptor: borrowing Descriptor) throws(RunError) {
    do {
      try unsafe lines.withUnsafeBytes { try unsafe descriptor.writeAll($0) }
    } catch {
      throw RunError("cannot write to \(SafeText.clean(output ?? "standard output")): \(error)")
    }
    lines.removeAll(keepingCapacity: true)
  }
}

/// Recordings as arguments of subcommands.
enum RecordedRun {
  static func open(_ path: String) throws(RunError) -> RecordingReader {
    do throws(RecordingError) {
      guard path == "-" else { return try RecordingReader(path: path) }
      let input = Descriptor(owning: fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3))
      return try RecordingReader(input: input, name: "standard input")
    } catch {
      throw RunError(error.description)
    }
  }
}
