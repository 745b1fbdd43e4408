import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Sampler
import Terminal

/// A command that runs as it would without perfhud, on the same terminal and files. It is measured, and its rows are
/// printed if requested.
struct DirectFrontend: Frontend, ~Copyable {
  private var command: DirectCommand
  private var rows: BatchFrontend
  private var exitSlot = 0
  /// Whether the command itself is sampled, rather than another process.
  private let isCommandSampled: Bool
  /// Whether the command has ended. It is not reaped before its last sample, because /proc has its CPU time until then.
  private var hasExited = false
  /// How long to wait for the last sample.
  private var lastSampleLimit: Instant?
  /// Whether a signal has come after the command's end, so that waiting for the reader of the rows ends.
  private var isEndRequested = false
  /// How the command ended.
  private(set) var end: PtyStatus?
  private(set) var usage: ResourceUsage?

  /// How long to wait for the last sample, since a reading may hang; nanoseconds.
  private static let lastSamplePatience: Int64 = 2_000_000_000

  init(
    command: consuming DirectCommand, rows: consuming BatchFrontend, isCommandSampled: Bool
  ) {
    self.command = command
    self.rows = rows
    self.isCommandSampled = isCommandSampled
  }

  mutating func register(with poller: inout Poller) {
    exitSlot = poller.add(command.exitDescriptor ?? -1)
    rows.register(with: &poller)
  }

  mutating func readInput(
    _ poller: borrowing Poller, run: inout LiveRun, now: Instant, into requests: inout LoopRequests
  ) {
    if poller.isReady(exitSlot) { noteExit(now: now) }
    // A stalled reader delays the samples, including the last one.
    if let limit = lastSampleLimit, now >= limit, !rows.isFull { reap() }
    requests.awaitsLastSample = hasExited && end == nil
  }

  private mutating func noteExit(now: Instant) {
    guard !hasExited else { return }
    hasExited = true
    if isCommandSampled {
      lastSampleLimit = now.advanced(byNanoseconds: DirectFrontend.lastSamplePatience)
    } else {
      reap()
    }
  }

  /// Reaps the command and takes its status.
  private mutating func reap() {
    guard end == nil else { return }
    end = command.wait()
    usage = command.usage
    lastSampleLimit = nil
  }

  /// Sets the CPU time of the command's last sample to what the kernel has counted for it and the descendants that were
  /// waited for. This is more exact than /proc.
  mutating func admit(_ sample: inout Sample, includesDescendants: Bool) -> Bool {
    // The sampler may notice the end first.
    guard sample.hasEnded, isCommandSampled, hasExited || command.hasEnded else { return true }
    hasExited = true
    reap()
    if let usage {
      sample.raiseCPU(
        toNanoseconds: usage.userNanoseconds &+ usage.systemNanoseconds,
        includesDescendants: includesDescendants)
    }
    return true
  }

  /// Signal keys of the terminal reach the command too, which decides what they do. Signals sent to perfhud alone are
  /// passed on.
  ///
  /// After the command's end, perfhud only waits for the reader of its rows. Then these signals end that wait.
  mutating func take(signal: Int32, isFromKernel: Bool, now: Instant) throws(RunError) -> Bool {
    if command.hasEnded { noteExit(now: now) }
    if hasExited, [SIGINT, SIGQUIT, SIGTERM, SIGHUP].contains(signal) {
      isEndRequested = true
      return true
    }
    return command.passOn(signal, isFromKernel: isFromKernel)
  }

  mutating func resize() {}
  mutating func suspend() {}
  mutating func resume() {}
  mutating func redrawAll() {}

  mutating func take(_ row: Row, run: borrowing Run) {
    rows.take(row, run: run)
  }

  func deadline(now: Instant) -> Instant? { rows.isFull ? nil : lastSampleLimit }

  mutating func present(
    run: borrowing Run, now: Instant, poller: inout Poller
  ) throws(RunError) {
    try rows.present(run: run, now: now, poller: &poller)
    poller.replace(hasExited ? nil : command.exitDescriptor, slot: exitSlot)
  }

  mutating func noteAlerts(_ texts: [String], rings: Bool) {
    rows.noteAlerts(texts, rings: rings)
  }
  mutating func close() { rows.close() }

  mutating func flushLast() throws(RunError) {
    // The command's last sample has not found any room.
    if hasExited { reap() }
    try rows.flushLast()
  }

  var isDone: Bool {
    if isEndRequested { return end != nil || rows.isFull }
    return end != nil && rows.isDrained
  }
  var isDrained: Bool { rows.isDrained }
  var isFull: Bool { rows.isFull }
  var showsFrames: Bool { false }
  var showsEachFrame: Bool { false }
}
