import Glibc
import Metrics
import PerfHUDBase
import Recording
import SystemPackage

/// The file named by `--otlp`: a line is appended every few seconds, and one at the end.
///
/// A class, because it is larger than what the loop may contain by value (scripts/check-copies.sh).
final class OTLPFile: MetricsOutput {
  private let file: Descriptor
  private let path: String
  private let period: Int64
  private var counters = RunCounters()
  private var line = OTLPLine(version: Version.number)
  private(set) var deadline: Instant
  private var problem: String?
  /// The number of bytes of complete lines.
  private var size: Int64

  /// The time between two lines in nanoseconds, unless samples come less often.
  private static let leastPeriod: Int64 = 10_000_000_000

  /// Opens the file, so that a mistake ends perfhud before the run begins. Keeps its content.
  ///
  /// - Parameter interval: the sampling interval, in nanoseconds.
  init(path: String, interval: UInt64) throws(RunError) {
    do throws(SystemError) {
      // Do not wait for the reader of a pipe.
      file = try Descriptor(
        open: path, .writeOnly, options: [.create, .append, .nonBlocking],
        permissions: FilePermissions(rawValue: 0o644))
    } catch {
      throw RunError(error)
    }
    var facts = stat()
    guard unsafe fstat(file.raw, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw RunError(
        "--otlp needs a plain file, which \(SafeText.clean(path)) is not: a reader that stops would hold up the program"
      )
    }
    size = Int64(facts.st_size)
    guard size == 0 || OTLPFile.hasMetrics(path) else {
      throw RunError(
        "--otlp would append to \(SafeText.clean(path)), which perfhud has not written: name another file"
      )
    }
    self.path = path
    period = max(OTLPFile.leastPeriod, Int64(clamping: interval))
    deadline = Instant.now().advanced(byNanoseconds: 1_000_000_000)
  }

  /// Whether a file begins as one of these does, or cannot be read.
  private static func hasMetrics(_ path: String) -> Bool {
    guard let file = try? Descriptor(open: path, options: .nonBlocking) else { return true }
    let expected = OTLPLine.beginning
    var start = [UInt8](repeating: 0, count: expected.utf8.count)
    guard let count = try? unsafe start.withUnsafeMutableBytes({ try unsafe file.read(into: $0) })
    else { return true }
    return String(decoding: start.prefix(count), as: UTF8.self) == expected
  }

  func take(_ record: borrowing Record) { counters.take(record) }

  func writeIfDue(_ run: borrowing Run, now: Instant) {
    guard now >= deadline else { return }
    deadline = now.advanced(byNanoseconds: period)
    write(run, now: now)
  }

  /// Writes the final sums.
  func finish(_ run: borrowing Run, _ end: RecordingEnd) {
    counters.end(end.command)
    write(run, now: end.time)
  }

  private func write(_ run: borrowing Run, now: Instant) {
    guard counters.sample != nil else { return }
    line.write(counters, run, asOf: now)
    do throws(Errno) {
      try file.writeAll(line.bytes)
      size += Int64(line.bytes.count)
      problem = nil
    } catch {
      // Part of a line would spoil the next one.
      ftruncate(file.raw, off_t(size))
      problem = SystemError(call: "write to", subject: path, code: error).description
    }
  }

  func remove() {}

  /// The problem with the last line; `nil` if there was none.
  func takeProblem() -> String? { problem.take() }
}
