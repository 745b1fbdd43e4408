import Base
import Glibc
import HUD
import Metrics
import Recording
import Sampler
import SystemPackage

/// One line a sample, on standard output or into a file.
struct LinesFrontend: Frontend, ~Copyable {
  private let output: Descriptor
  private let name: String
  private var writer: RowWriter
  private var left: Int?
  private(set) var isDone = false

  /// - Parameters:
  ///   - path: the file to write; `nil` is standard output.
  ///   - samples: the run is over after so many lines.
  init(
    path: String?, format: LineFormat, header: RunHeader, samples: Int?
  ) throws(RunError) {
    writer = RowWriter(format: format, header: header)
    left = samples
    name = path ?? "standard output"
    do throws(SystemError) {
      if let path {
        output = try Descriptor(
          open: path, .writeOnly, options: [.create, .truncate],
          permissions: FilePermissions(rawValue: 0o666))
      } else {
        let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else {
          throw SystemError(
            call: "write to", subject: "standard output", code: Errno(rawValue: errno),
            advice: "name a file with --output FILE")
        }
        output = Descriptor(owning: copy)
      }
    } catch {
      throw RunError(error)
    }
  }

  mutating func register(with poller: inout Poller) {}
  mutating func readInput(
    _ poller: borrowing Poller, run: borrowing Run, now: Instant, into requests: inout [HUDRequest]
  ) {}
  mutating func resize() {}
  mutating func redrawAll() {}
  func deadline(now: Instant) -> Instant? { nil }
  mutating func present(run: borrowing Run, now: Instant, poller: inout Poller) {}

  /// Nothing to restore: stops as any program does.
  mutating func suspend() throws(RunError) { raise(SIGSTOP) }

  mutating func take(_ row: Row, run: borrowing Run) throws(RunError) {
    // The first reading opens the first interval; a target that has ended already has no second one.
    guard !isDone, row.sequence > 0 || row.hasEnded else { return }
    writer.write(row, wallClockOffset: run.wallClockOffset)
    do {
      try unsafe writer.line.withUnsafeBytes { try unsafe output.writeAll($0) }
    } catch {
      let code = error as? Errno ?? .ioError
      // Whoever read the lines has had enough.
      if code == .brokenPipe {
        isDone = true
        return
      }
      throw RunError(
        SystemError(
          call: "write to", subject: name, code: code, advice: "the lines up to here are complete"))
    }
    if let count = left {
      left = count - 1
      isDone = count <= 1
    }
  }
}
