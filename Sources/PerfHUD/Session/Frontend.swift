import HUD
import Metrics
import PerfHUDBase
import Sampler

/// A way to show a run: keys in, pictures or rows out. The loop drives it.
protocol Frontend: ~Copyable {
  /// Adds its descriptors to those that the loop sleeps on.
  mutating func register(with poller: inout Poller)
  /// Takes keys and all else that has come, and adds what has happened to the run.
  mutating func readInput(
    _ poller: borrowing Poller, run: inout LiveRun, now: Instant, into requests: inout LoopRequests)
  /// The size of the terminal may have changed.
  mutating func resize()
  /// Hands the terminal back until the job is continued.
  mutating func suspend() throws(RunError)
  /// The job was stopped from outside and has been continued.
  mutating func resume() throws(RunError)
  mutating func redrawAll()
  /// Takes a signal that is not to be handled in the common way; returns whether it did.
  ///
  /// - Parameter isFromKernel: a key of the terminal has sent it, to the whole process group.
  mutating func take(signal: Int32, isFromKernel: Bool, now: Instant) throws(RunError) -> Bool
  /// Takes a sample before the run does, and corrects it where more is known.
  ///
  /// - Parameter includesDescendants: whether the CPU time of descendants belongs to it.
  /// - Returns: whether it is one of the run.
  mutating func admit(_ sample: inout Sample, includesDescendants: Bool) -> Bool
  /// Takes the row of a new sample.
  mutating func take(_ row: Row, run: borrowing Run) throws(RunError)
  /// The run has received events of the program.
  mutating func noteEvents()
  /// Alerts have been raised.
  ///
  /// - Parameter rings: whether the bell is wanted.
  mutating func noteAlerts(_ lines: [String], rings: Bool)
  /// The last part of the run was to be written to a file.
  mutating func noteLast(_ result: LastRecording)
  /// Draws and writes what is due.
  mutating func present(run: borrowing Run, now: Instant, poller: inout Poller) throws(RunError)
  /// When it next has something to do if nothing happens before.
  func deadline(now: Instant) -> Instant?
  /// Gives back what it has taken: the run is over.
  mutating func close()
  /// Hands over the rows of the last samples, after `close`.
  mutating func flushLast() throws(RunError)

  /// Whether it has shown all that it was asked for.
  var isDone: Bool { get }
  /// Whether its terminal has gone.
  var hasHungUp: Bool { get }
  /// Whether everything that it has taken is on its way out.
  var isDrained: Bool { get }
  /// Whether it takes no more rows for now, since nobody reads them: then samples wait, and at last are lost
  /// and counted.
  var isFull: Bool { get }
  /// Whether events of what is sampled are received too when that has changed.
  var listensToTarget: Bool { get }
  /// Whether the frame rate is on the screen or in the rows.
  var showsFrames: Bool { get }
  /// Whether each frame is on the screen, and not only their rate.
  var showsEachFrame: Bool { get }
  /// The list of processes or threads that is on the screen.
  var wantedTable: ProcessTableRequest? { get }
  /// Whether messages are on its screen, and gone with it; else they are lines on standard error.
  var showsMessages: Bool { get }
  /// Whether nobody looks, so that half as many samples and pictures will do.
  var isUnwatched: Bool { get }
  /// Samples may be gathered for this time, in nanoseconds, since it shows them no sooner; 0 if they may not.
  var gathering: UInt64 { get }
}

extension Frontend where Self: ~Copyable {
  var hasHungUp: Bool { false }
  mutating func take(signal: Int32, isFromKernel: Bool, now: Instant) throws(RunError) -> Bool {
    false
  }
  mutating func admit(_ sample: inout Sample, includesDescendants: Bool) -> Bool { true }
  mutating func noteEvents() {}
  mutating func noteAlerts(_ lines: [String], rings: Bool) {}
  mutating func noteLast(_ result: LastRecording) { noteAlerts([result.text], rings: false) }
  mutating func close() {}
  mutating func flushLast() throws(RunError) {}
  var isDrained: Bool { true }
  var isFull: Bool { false }
  var listensToTarget: Bool { false }
  var wantedTable: ProcessTableRequest? { nil }
  var showsMessages: Bool { false }
  var isUnwatched: Bool { false }
  var gathering: UInt64 { 0 }
}
