import Glibc
import Metrics
import PerfHUDBase
import SystemPackage
import Testing

@testable import PerfHUD

/// Rows whose reader goes away, or that cannot be written.
@Suite struct BatchFrontendTests {
  private let header = RunHeader(
    start: Instant(nanoseconds: 0), wallClockOffset: 0, secondsFromUTC: 0, interval: 100_000_000,
    memory: .footprint, tickPeriod: nil, command: "x")

  private func frontend(_ output: consuming Descriptor, hasCommand: Bool) -> BatchFrontend {
    BatchFrontend(
      output: output, name: "rows", format: .jsonl, header: header, samples: nil,
      hasCommand: hasCommand)
  }

  /// The row of a second sample.
  private var row: Row {
    var row = Row()
    row.sequence = 1
    return row
  }

  /// Takes a row, and writes it.
  private func write(_ frontend: inout BatchFrontend) throws {
    var poller = Poller()
    frontend.register(with: &poller)
    frontend.take(row, run: Run(header))
    try frontend.present(run: Run(header), now: .now(), poller: &poller)
  }

  /// The writing end of a pipe that nobody reads any more.
  private func brokenPipe() throws -> Descriptor {
    let ends = try FileDescriptor.pipe(options: .closeOnExec)
    try ends.readEnd.close()
    signal(SIGPIPE, SIG_IGN)
    return Descriptor(owning: ends.writeEnd.rawValue)
  }

  @Test(arguments: [true, false])
  func `a reader that has gone: nothing waits, no further row is kept, it is done`(
    hasCommand: Bool
  ) throws {
    var frontend = frontend(try brokenPipe(), hasCommand: hasCommand)
    try write(&frontend)
    let (isDrained, isDone) = (frontend.isDrained, frontend.isDone)
    #expect(isDrained && isDone)
    frontend.take(row, run: Run(header))
    let isStillDrained = frontend.isDrained
    #expect(isStillDrained)
  }

  @Test func `a full disk ends the rows of a process, as an error`() throws {
    var frontend = frontend(try BatchFrontend.open(path: "/dev/full"), hasCommand: false)
    #expect(throws: RunError.self) { try write(&frontend) }
  }

  @Test func `a full disk is no error while a command runs`() throws {
    var frontend = frontend(try BatchFrontend.open(path: "/dev/full"), hasCommand: true)
    try write(&frontend)
    let (isDrained, isFull) = (frontend.isDrained, frontend.isFull)
    #expect(isDrained && !isFull)
  }
}
