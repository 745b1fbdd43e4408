import Glibc
import Metrics
import PerfHUDBase
import Recording

/// Where and when the last part of a run is written: at an alert, at the user's wish, and where the command crashes.
///
/// No file is replaced: each goes to the first name that is free, `run.phr`, `run-2.phr` and so on.
struct FlightRecorder {
  private let path: String
  /// How far back a file reaches, in nanoseconds.
  private let span: Int64
  private var lastWrite: Instant?
  /// An alert was raised since the last file.
  private var hasNewAlert = false
  private var written: [String] = []

  /// There are at most this many files of a name.
  private static let fileLimit = 99
  /// Where blocks may have more bytes in memory, `--record-limit` says so.
  static let capacity = 64 << 20

  /// - Throws: where no file can be made beside `path`; later it would be too late.
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

  /// When a file is due for an alert; `nil` if none is. Alerts in quick succession share one: it has them all.
  var due: Instant? {
    guard hasNewAlert else { return nil }
    return lastWrite?.advanced(byNanoseconds: span / 2) ?? Instant(nanoseconds: 0)
  }

  mutating func noteAlert() { hasNewAlert = true }

  /// Whether a file is to be written at the end of the run: an alert has none yet, or the command has crashed.
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
        // Another perfhud was faster.
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

  /// One line on the files that were written; `nil` without any.
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
