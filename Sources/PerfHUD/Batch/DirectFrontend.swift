import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Sampler
import Terminal

/// A command that runs as without perfhud, with the same terminal and files: it is measured, and its rows are
/// printed where that was asked for.
struct DirectFrontend: Frontend, ~Copyable {
  private var command: DirectCommand
  private var rows: BatchFrontend
  private var exitSlot = 0
  /// Whether the command itself is sampled, and not another process.
  private let isCommandSampled: Bool
  /// The command has ended. It is left unreaped until its last sample has come: /proc has its CPU time
  /// up to then.
  private var hasExited = false
  /// Until then the last sample is waited for.
  private var lastSampleLimit: Instant?
  /// Whether a signal has come after the end: nobody waits for the reader of the rows any more.
  private var isEndRequested = false
  /// How the command has ended.
  private(set) var end: PtyStatus?
  private(set) var usage: ResourceUsage?

  /// A reading may hang, so the last sample is waited for only this long; nanoseconds.
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
    // A reader that stalls keeps the samples waiting, the last one too.
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

  /// Takes the end of the command in.
  private mutating func reap() {
    guard end == nil else { return }
    end = command.wait()
    usage = command.usage
    lastSampleLimit = nil
  }

  /// Gives the last sample of the command the CPU time that the kernel has counted of it and of the descendants
  /// that were waited for: more exact than /proc.
  mutating func admit(_ sample: inout Sample, includesDescendants: Bool) -> Bool {
    // The sampler may see the end first.
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

  /// The keys of the terminal reach the command too, which decides what becomes of them; what was sent
  /// to perfhud alone is passed on.
  ///
  /// After the command's end perfhud only waits for the reader of its rows: then they end that wait.
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
    // Its last sample has found no room.
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
