import Metrics
import PerfHUDBase
import Sampler

/// The sampled target: which one was requested, which one the run knows, and whose memory is read when a phase begins.
struct SampledTarget: ~Copyable {
  private let sampler: SamplerThread
  /// The process for which to listen for events, if it has changed.
  private var nextListener: Int32?
  /// The target requested from the sampler.
  private var requested: ForegroundFollower.Change?
  /// The number that its samples have (`Sample.targetNumber`).
  private var number: UInt32 = 0
  /// The number of the target known to the run.
  private var shown: UInt32 = 0
  /// The process that the sampler knows as the reporter.
  private var reporter: Int32 = 0
  /// The border for which the sampler was asked to read memory.
  private var askedBorder: Instant?
  /// How much earlier the program may have reached this border, in nanoseconds.
  private var askedLateness: Int64 = 0

  init(sampler: SamplerThread) { self.sampler = sampler }

  /// Requests samples of the group that has come to the foreground.
  mutating func request(_ change: ForegroundFollower.Change) {
    requested = change
    number &+= 1
    sampler.request(.retarget(change.processGroup, number: number))
  }

  /// Whether a sample belongs to the target. Samples of an earlier target may still arrive.
  ///
  /// - Parameter isFollowed: whether the sampler itself numbers the targets: it finds another when one has ended.
  mutating func admit(_ sample: Sample, isFollowed: Bool) -> Bool {
    if isFollowed { number = sample.targetNumber }
    return sample.targetNumber == number
  }

  /// Records a change of the target before its first sample.
  ///
  /// - Parameter listens: whether to receive the target's events.
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
    // The first target that was waited for has a socket too.
    if sample.pid > 0, sample.pid != run.value.latest?.pid { nextListener = sample.pid }
    guard sample.targetNumber != shown else { return }
    shown = sample.targetNumber
    let change = TargetChange(name: sample.name, pid: sample.pid, isMark: true, isRestart: true)
    run.apply(.target(change, sample.time))
  }

  /// Requests a reading of the target's memory when a phase has begun.
  ///
  /// - Parameters:
  ///   - turn: when this turn of the loop began. Events on the socket carry the kernel's time; everything else has this
  ///     one.
  ///   - lateness: how long descriptors that are ready in this turn may have waited, in nanoseconds.
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

  /// Adds a reading at a border to the run.
  func takeMemory(into run: inout LiveRun) {
    guard var reading = sampler.takeMemory(), reading.targetNumber == number else { return }
    reading.borderLateness = askedLateness
    run.apply(.memory(reading))
  }

  /// The process for which to listen for events, once after it has changed.
  mutating func takeListener() -> Int32? { nextListener.take() }
}
