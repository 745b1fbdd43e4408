import HUD
import Metrics
import PerfHUDBase
import Sampler

/// A way to show a run: takes keys, and shows pictures or rows. The loop drives it.
protocol Frontend: ~Copyable {
  /// Adds its descriptors to those that the loop waits for.
  mutating func register(with poller: inout Poller)
  /// Takes keys and other input, and adds what has happened to the run.
  mutating func readInput(
    _ poller: borrowing Poller, run: inout LiveRun, now: Instant, into requests: inout LoopRequests)
  /// The size of the terminal may have changed.
  mutating func resize()
  /// Gives up the terminal until the job is continued.
  mutating func suspend() throws(RunError)
  /// The job was stopped from outside, and has been continued.
  mutating func resume() throws(RunError)
  mutating func redrawAll()
  /// Handles a signal that this frontend treats differently. Returns whether it did.
  ///
  /// - Parameter isFromKernel: whether a key of the terminal has sent it to the whole process group.
  mutating func take(signal: Int32, isFromKernel: Bool, now: Instant) throws(RunError) -> Bool
  /// Takes a sample before the run does, and corrects it if more is known.
  ///
  /// - Parameter includesDescendants: whether it includes the CPU time of descendants.
  /// - Returns: whether it belongs to the run.
  mutating func admit(_ sample: inout Sample, includesDescendants: Bool) -> Bool
  /// Takes the row of a new sample.
  mutating func take(_ row: Row, run: borrowing Run) throws(RunError)
  /// Notes that the run has received events of the program.
  mutating func noteEvents()
  /// Notes that the values of the run have begun anew.
  mutating func noteStartedAnew()
  /// Notes that alerts were raised.
  ///
  /// - Parameter rings: whether to ring the bell.
  mutating func noteAlerts(_ lines: [String], rings: Bool)
  /// Notes the result of writing the last part of the run to a file.
  mutating func noteLast(_ result: LastRecording)
  /// Draws and writes what is due.
  mutating func present(run: borrowing Run, now: Instant, poller: inout Poller) throws(RunError)
  /// When it next has something to do if nothing happens before that.
  func deadline(now: Instant) -> Instant?
  /// Releases everything that it has taken over: the run is over.
  mutating func close()
  /// Writes the rows of the last samples, after `close`.
  mutating func flushLast() throws(RunError)

  /// Whether it has shown everything that was requested.
  var isDone: Bool { get }
  /// Whether its terminal has gone.
  var hasHungUp: Bool { get }
  /// Whether all rows that it has taken have been sent.
  var isDrained: Bool { get }
  /// Whether it takes no more rows for now, because nobody reads them. Samples then wait, and are finally lost and
  /// counted.
  var isFull: Bool { get }
  /// Whether to receive the events of a new target after the target has changed.
  var listensToTarget: Bool { get }
  /// Whether the frame rate is shown on the screen or in the rows.
  var showsFrames: Bool { get }
  /// Whether each frame is shown on the screen, not only their rate.
  var showsEachFrame: Bool { get }
  /// The list of processes or threads that is shown on the screen.
  var wantedTable: ProcessTableRequest? { get }
  /// Whether it shows facts about a process that is alone in its list.
  var wantsProcessDetails: Bool { get }
  /// Whether it shows facts about the watched process beside a list.
  var showsProcessDetails: Bool { get }
  /// Whether messages are shown on its screen and disappear with it. If not, they are lines on standard error.
  var showsMessages: Bool { get }
  /// Whether nobody is watching, so that half as many samples and pictures suffice.
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
  mutating func noteStartedAnew() {}
  mutating func noteAlerts(_ lines: [String], rings: Bool) {}
  mutating func noteLast(_ result: LastRecording) { noteAlerts([result.text], rings: false) }
  mutating func close() {}
  mutating func flushLast() throws(RunError) {}
  var isDrained: Bool { true }
  var isFull: Bool { false }
  var listensToTarget: Bool { false }
  var wantedTable: ProcessTableRequest? { nil }
  var wantsProcessDetails: Bool { false }
  var showsProcessDetails: Bool { false }
  var showsMessages: Bool { false }
  var isUnwatched: Bool { false }
  var gathering: UInt64 { 0 }
}
