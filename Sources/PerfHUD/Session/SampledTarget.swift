import Metrics
import PerfHUDBase
import Sampler

/// The target that the samples are of: which one was asked for, which one the run knows, and whose memory is read where
/// a phase begins.
struct SampledTarget: ~Copyable {
  private let sampler: SamplerThread
  /// The process that listens for the socket of events, when that has changed.
  private var nextListener: Int32?
  /// The target that the sampler was asked for, and the number of its samples.
  private var requested: ForegroundFollower.Change?
  private var number: UInt32 = 0
  /// The number of the target that the run knows.
  private var shown: UInt32 = 0
  /// The process that the sampler knows as the reporter, and the border for which it was asked to read memory.
  private var reporter: Int32 = 0
  private var askedBorder: Instant?
  /// How much earlier the program may have reached that border, in nanoseconds.
  private var askedLateness: Int64 = 0

  init(sampler: SamplerThread) { self.sampler = sampler }

  /// Asks for the samples of what has come to the foreground.
  mutating func request(_ change: ForegroundFollower.Change) {
    requested = change
    number &+= 1
    sampler.request(.retarget(change.processGroup, number: number))
  }

  /// Whether a sample is of the target; samples of an earlier one may still come.
  ///
  /// - Parameter isFollowed: the sampler finds another target by itself when one has ended.
  mutating func admit(_ sample: Sample, isFollowed: Bool) -> Bool {
    if isFollowed { number = sample.targetNumber }
    return sample.targetNumber == number
  }

  /// Records a change of the target before its first sample.
  ///
  /// - Parameter listens: whether the target's events are received.
  mutating func note(_ sample: Sample, listens: Bool, into run: inout LiveRun) {
    if run.value.header.followed != nil {
      noteRestart(sample, into: &run)
      return
    }
    guard sample.targetNumber != shown, let requested else { return }
    shown = sample.targetNumber
    let change = TargetChange(name: sample.name, pid: sample.pid, isMark: requested.isMark)
    run.apply(.target(change, requested.since))
    if listens, sample.pid > 0 { nextListener = sample.pid }
  }

  /// Records the restart of a target before its first sample.
  private mutating func noteRestart(_ sample: Sample, into run: inout LiveRun) {
    // The first one that was waited for has a socket too.
    if sample.pid > 0, sample.pid != run.value.latest?.pid { nextListener = sample.pid }
    guard sample.targetNumber != shown else { return }
    shown = sample.targetNumber
    let change = TargetChange(name: sample.name, pid: sample.pid, isMark: true, isRestart: true)
    run.apply(.target(change, sample.time))
  }

  /// Asks for the memory of the target where a phase has begun.
  ///
  /// - Parameters:
  ///   - turn: when this turn of the loop began. Events on the socket carry the kernel's time; everything else has this.
  ///   - lateness: how long what is ready in this turn may have waited, in nanoseconds.
  mutating func readMemoryAtBorder(of run: borrowing Run, turn: Instant, lateness: Int64) {
    let wanted = run.memoryRequest
    if wanted.sender != reporter {
      reporter = wanted.sender
      sampler.request(.setReporter(pid: reporter))
    }
    guard let border = wanted.border, border != askedBorder else { return }
    askedBorder = border
    askedLateness = border == turn ? lateness : 0
    sampler.request(.readMemory)
  }

  /// Takes a reading for a border into the run.
  func takeMemory(into run: inout LiveRun) {
    guard var reading = sampler.takeMemory(), reading.targetNumber == number else { return }
    reading.borderLateness = askedLateness
    run.apply(.memory(reading))
  }

  /// The process that listens for the socket of events, once after it has changed.
  mutating func takeListener() -> Int32? { nextListener.take() }
}
