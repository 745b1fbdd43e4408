import Glibc
import Metrics
import PerfHUDBase
import Recording
import SystemPackage

/// A metrics file that is written during a run.
protocol MetricsOutput: AnyObject {
  /// When to write it next.
  var deadline: Instant { get }
  func take(_ record: borrowing Record)
  func writeIfDue(_ run: borrowing Run, now: Instant)
  /// Writes the final values: the run is over.
  func finish(_ run: borrowing Run, _ end: RecordingEnd)
  /// Stops writing. After this the process may end at any time.
  func remove()
  /// The problem with the last write; `nil` if there was none.
  func takeProblem() -> String?
}

/// The file named by `--prometheus`: replaced every few seconds, removed at the end.
///
/// A class, because it is larger than what the loop may contain by value (scripts/check-copies.sh).
final class MetricsFile: MetricsOutput {
  private let path: String
  private let period: Int64
  private var counters = RunCounters()
  private var text = PrometheusText()
  /// When to write it next.
  private(set) var deadline: Instant
  private var problem: String?

  /// The time between two writes in nanoseconds, unless samples come less often.
  private static let leastPeriod: Int64 = 5_000_000_000

  private init(path: String, period: Int64) {
    // A symbolic link stays; its target is replaced, and removed at the end.
    self.path = AtomicFile.destination(of: path)
    self.period = period
    deadline = Instant.now().advanced(byNanoseconds: 1_000_000_000)
  }

  /// Creates the file, so that a mistake ends perfhud before the run begins. A file that was not written by a perfhud
  /// is left alone. A full disk is not a mistake: it may have room later; if not, one line at the end reports it.
  ///
  /// - Parameter interval: the sampling interval, in nanoseconds.
  static func make(path: String, interval: UInt64) throws(RunError) -> MetricsFile {
    guard isOurs(path) else {
      throw RunError(
        "\(SafeText.clean(path)) is there already and not of perfhud: name another file")
    }
    let file = MetricsFile(path: path, period: max(leastPeriod, Int64(clamping: interval)))
    do throws(SystemError) {
      try AtomicFile.write(Array("# perfhud: no sample yet\n".utf8), to: path, isShared: true)
    } catch {
      guard error.code == .noSpace || error.code == Errno(rawValue: EDQUOT) else {
        throw RunError(error)
      }
      file.problem = error.description
      file.remove()
    }
    return file
  }

  deinit { remove() }

  func finish(_ run: borrowing Run, _ end: RecordingEnd) { remove() }

  /// Removes the file, so that nobody takes old values for new ones.
  func remove() { if MetricsFile.isOurs(path) { _ = unsafe unlink(path) } }

  /// Whether there is no such file, or it was written by a perfhud. Does not wait for a FIFO.
  private static func isOurs(_ path: String) -> Bool {
    guard unsafe access(path, F_OK) == 0 else { return true }
    guard let file = try? Descriptor(open: path, options: .nonBlocking) else { return false }
    var start = [UInt8](repeating: 0, count: 15)
    let count = try? unsafe start.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
    let found = String(decoding: start.prefix(count ?? 0), as: UTF8.self)
    return found == "# HELP perfhud_" || found.hasPrefix("# perfhud:")
  }

  func take(_ record: borrowing Record) { counters.take(record) }

  func writeIfDue(_ run: borrowing Run, now: Instant) {
    guard now >= deadline else { return }
    deadline = now.advanced(byNanoseconds: period)
    guard counters.sample != nil else { return }
    text.write(counters, run, asOf: now)
    do throws(SystemError) {
      try AtomicFile.write(text.bytes, to: path, isShared: true)
      problem = nil
    } catch {
      problem = error.description
      remove()
    }
  }

  /// The problem with the last write; `nil` if there was none.
  func takeProblem() -> String? { problem.take() }
}

extension Session {
  /// The requested files for metrics collectors.
  static func metricsFiles(_ request: Request) throws(RunError) -> [any MetricsOutput] {
    var files: [any MetricsOutput] = []
    let interval = request.settings.interval
    if let path = request.prometheus {
      files.append(try MetricsFile.make(path: path, interval: interval))
    }
    try RecordedRun.keep(request.otlp)
    if let path = request.otlp { files.append(try OTLPFile(path: path, interval: interval)) }
    return files
  }
}
