import Glibc
import Metrics
import PerfHUDBase
import Recording

/// Where and when to write the last part of a run: on an alert, on the user's request, and if the command crashes.
///
/// Never replaces a file: uses the first free name of `run.phr`, `run-2.phr` and so on.
struct FlightRecorder {
  private let path: String
  /// How far back a file reaches, in nanoseconds.
  private let span: Int64
  private var lastWrite: Instant?
  /// Whether an alert was raised since the last file.
  private var hasNewAlert = false
  private var written: [String] = []

  /// The maximum number of files with one base name.
  private static let fileLimit = 99
  /// The maximum number of bytes in memory for blocks, unless `--record-limit` sets it.
  static let capacity = 64 << 20

  /// - Throws: if no file can be created beside `path`; later it would be too late.
  init(path: String, span: Int64) throws(RunError) {
    let shown = SafeText.clean(path)
    var facts = stat()
    if unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
      throw RunError("--record-last needs the name of a file: \(shown) is none")
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard unsafe access(folder, W_OK | X_OK) == 0 else {
      let error = SystemError(
        call: "write to", subject: folder, code: .init(rawValue: errno),
        advice: "name another file with --record FILE")
      throw RunError(error)
    }
    self.path = path
    self.span = span
  }

  /// When a file is due for an alert; `nil` if none is. Alerts in quick succession share a file that includes them all.
  var due: Instant? {
    guard hasNewAlert else { return nil }
    return lastWrite?.advanced(byNanoseconds: span / 2) ?? Instant(nanoseconds: 0)
  }

  mutating func noteAlert() { hasNewAlert = true }

  /// Whether to write a file at the end of the run: for an alert without a file, or because the command has crashed.
  func isDue(at end: CommandEnd?) -> Bool {
    guard case .signaled(let number) = end?.status else { return hasNewAlert }
    let crashes = [
      SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP, SIGKILL, SIGXCPU, SIGXFSZ,
    ]
    return hasNewAlert || crashes.contains(number)
  }

  /// - Parameter part: the file; `nil` if nothing was recorded yet.
  mutating func write(_ part: [UInt8]?, now: Instant) -> LastRecording {
    hasNewAlert = false
    lastWrite = now
    guard let part else { return .failed("nothing was recorded yet") }
    for free in (1...FlightRecorder.fileLimit).lazy.map(name) where isFree(free) {
      do throws(SystemError) {
        try AtomicFile.write(part, to: free, isSynced: false, replaces: false)
      } catch {
        // Another perfhud has just created this file.
        if error.code == .fileExists { continue }
        return .failed("not recorded: \(error)")
      }
      written.append(free)
      return .written(free)
    }
    let count = FlightRecorder.fileLimit
    return .failed(
      "not recorded: \(count) files like \(SafeText.clean(path)) are there; remove some")
  }

  /// One line about the files that were written; `nil` if there are none.
  var summary: String? {
    guard let last = written.last else { return nil }
    let names = written.count > 3 ? [written[0], "…", last] : written
    return "recorded in " + names.map { SafeText.clean($0) }.joined(separator: ", ")
  }

  /// `run.phr`, then `run-2.phr`.
  private func name(_ number: Int) -> String {
    guard number > 1 else { return path }
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let dot = path[start...].lastIndex(of: "."), dot > start else {
      return "\(path)-\(number)"
    }
    return "\(path[..<dot])-\(number)\(path[dot...])"
  }

  private func isFree(_ path: String) -> Bool {
    var facts = stat()
    return unsafe lstat(path, &facts) != 0
  }
}
