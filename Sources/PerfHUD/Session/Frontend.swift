import Base
import HUD
import Metrics
import Sampler

/// A way in which a run is shown: keys in, pictures or lines out. The loop drives it.
protocol Frontend: ~Copyable {
  /// Adds its descriptors to those that the loop sleeps on.
  mutating func register(with poller: inout Poller)
  /// Takes keys; what is asked for goes into `requests`.
  mutating func readInput(
    _ poller: borrowing Poller, run: borrowing Run, now: Instant, into requests: inout [HUDRequest])
  /// The size of the terminal may have changed.
  mutating func resize()
  /// Hands the terminal back until the job is continued.
  mutating func suspend() throws(RunError)
  /// The job was stopped from outside and has been continued.
  mutating func resume() throws(RunError)
  mutating func redrawAll()
  /// A sample has become a row.
  mutating func take(_ row: Row, run: borrowing Run) throws(RunError)
  /// When it next has something to do without being asked, if nothing happens before.
  func deadline(now: Instant) -> Instant?
  /// Takes a signal that is not to be handled in the common way; returns whether it did.
  ///
  /// - Parameter isFromKernel: a key of the terminal has sent it, to the whole process group.
  mutating func take(signal: Int32, isFromKernel: Bool, now: Instant) throws(RunError) -> Bool
  /// Adds what has happened at the frontend to the run.
  mutating func takeRecords(now: Instant, into run: inout Run)
  /// Another process group to sample from now on, if there is one.
  mutating func nextTarget(now: Instant) -> ForegroundFollower.Change?
  /// A sample has come of what is followed.
  ///
  /// - Returns: whether its end is not that of the run, since another target will follow.
  mutating func noteSample(hasEnded: Bool) -> Bool
  /// Programs have said something of themselves.
  mutating func noteEvents()
  /// What is sampled has ended, and its last sample is waited for.
  var awaitsLastSample: Bool { get }
  /// What the kernel has counted of the CPU time of the command that is sampled, in nanoseconds, once it has
  /// ended: more exact than what /proc says of the descendants it had waited for.
  ///
  /// - Parameter hasEnded: whether a sample says that it has ended.
  mutating func usedCPU(hasEnded: Bool) -> UInt64?
  /// What is shown has stopped, and this process is to stop with it.
  var wantsStop: Bool { get }
  /// The run is over: gives back what it has taken.
  mutating func close()
  /// Hands over what the last samples have brought, behind `close`.
  mutating func flushLast() throws(RunError)
  /// Draws and writes what is due.
  mutating func present(run: borrowing Run, now: Instant, poller: inout Poller) throws(RunError)
  /// Whether it has shown all that it was asked for.
  var isDone: Bool { get }
  /// Whether everything that it has taken is on its way out.
  var isDrained: Bool { get }
  /// Whether it takes no more rows for now, since nobody reads them; they wait, then they are lost and
  /// counted.
  var isFull: Bool { get }
  /// Whether the frame rate is on the screen or in the lines.
  var showsFrames: Bool { get }
  /// The list of processes or threads that is on the screen.
  var wantedTable: ProcessTableRequest? { get }
  /// Nobody looks: half as many samples and pictures will do.
  var isUnwatched: Bool { get }
  /// An alert has been raised.
  mutating func noteAlert(_ line: String)
  mutating func ringBell()
}

extension Frontend where Self: ~Copyable {
  mutating func take(signal: Int32, isFromKernel: Bool, now: Instant) throws(RunError) -> Bool {
    false
  }
  mutating func takeRecords(now: Instant, into run: inout Run) {}
  mutating func noteEvents() {}
  mutating func nextTarget(now: Instant) -> ForegroundFollower.Change? { nil }
  mutating func noteSample(hasEnded: Bool) -> Bool { false }
  var awaitsLastSample: Bool { false }
  mutating func usedCPU(hasEnded: Bool) -> UInt64? { nil }
  var wantsStop: Bool { false }
  var wantedTable: ProcessTableRequest? { nil }
  var isUnwatched: Bool { false }
  mutating func noteAlert(_ line: String) {}
  mutating func ringBell() {}
  mutating func close() {}
  mutating func flushLast() throws(RunError) {}
}
