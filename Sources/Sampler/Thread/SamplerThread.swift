import Glibc
import PerfHUDBase
import Synchronization

/// A request that the owner of a `SamplerThread` makes while it runs.
public enum SamplerRequest: Sendable, Equatable {
  /// Sample at this interval from now on, in nanoseconds: a positive multiple of 20 000 000.
  case setInterval(nanoseconds: UInt64)
  /// Read PSS once, whatever it costs.
  case readPSS
  /// The process has ended: make its last sample now.
  case readEnd
  /// Read PSS according to this policy from now on.
  case setPSSPolicy(PSSPolicy)
  /// Sample the processes of this group from now on, instead of the current target. The thread must have been made with
  /// `isRetargeted`.
  ///
  /// The sequence of samples goes on; `Sample.targetNumber` marks those of the new target. If no process
  /// of the group lives, a sample reports that the target has ended.
  case retarget(ProcessGroup, number: UInt32)
  /// Also read this list, at most twice a second; `nil` stops it.
  case showTable(ProcessTableRequest?)
  /// Read memory at once, between two samples; `SamplerThread.takeMemory` returns it.
  case readMemory
  /// This process reports phases: its own memory is in `Sample.reporter`.
  case setReporter(pid: Int32)
  /// Sample the process with its descendants from now on, or alone. `Sample.includesChildren` marks the samples.
  case countChildren(Bool)
  /// Make no further sample until `resume`; only the end of the process is still reported. Request this before perfhud
  /// itself is stopped, so that samples that cannot be made meanwhile do not count as missed.
  case pause
  /// Sample again after `pause`, from the next step of the grid on.
  case resume
  /// End the thread; it makes no further sample.
  case stop
}

/// Samples one process on a thread of its own and passes the samples to another thread.
///
///     let sampler = try SamplerThread(pid: 4242)
///     try sampler.start()
///     // poll sampler.wakeDescriptor; when it is readable:
///     sampler.acknowledge()
///     while let sample = sampler.next() { … }
///
/// Threading rules: 1. After `start`, only the thread named `perfhud-sampler` reads /proc of the target. It writes to
/// the ring, to buffers for tables and to one eventfd. It neither allocates nor logs, except when another kind of table
/// is requested. 2. One thread, the consumer, calls `next`, `nextTable` and `acknowledge`. Any thread may call
/// `request` and `stop`. 3. Requests go through one mutex and an eventfd and are taken between two samples,
/// never during one. No lock is held across a system call. 4. A full ring drops the newest sample, and the next one
/// counts it as missed; a slot for the last sample, which reports the end of the process, is always free. 5. The thread
/// blocks all signals except those that a fault raises (including `SIGSYS`, which a forbidden system call raises): if
/// they were blocked, the kernel would kill the process without running its crash handler.
///
/// Samples are taken on an absolute grid from the start of the thread. One call waits for a request, the end of the
/// process and the next grid time. The thread ends by itself after the last sample, unless it may get another target:
/// then it waits for that. Attaching allocates, once for each target.
public final class SamplerThread: Sendable {
  /// The facts at the attach.
  public let facts: ProcessFacts
  private let shared: SamplerState
  private let hasStarted = Atomic<Bool>(false)
  /// The running thread, until it has been joined.
  private let thread = Mutex<pthread_t?>(nil)

  /// Attaches to a process and makes the first sample, which can be fetched at once.
  ///
  /// - Parameters:
  ///   - pid, options, root: as for `ProcessSampler`.
  ///   - isRetargeted: whether the thread outlives its target, since it may get another one.
  /// - Throws: `SamplerError`, with what the user can do.
  public convenience init(
    pid: Int32, options: SamplerOptions = SamplerOptions(), isRetargeted: Bool = false,
    root: String = "/proc"
  ) throws(SamplerError) {
    let sampler = TargetSampler(try ProcessSampler(pid: pid, options: options, root: root))
    try self.init(sampler, options: options, isRetargeted: isRetargeted, root: root)
  }

  /// Follows the processes that match a pattern: when the sampled one has ended, the next match is sampled, with the
  /// next `Sample.targetNumber`.
  ///
  /// - Parameters:
  ///   - pid: the first process; `nil` makes it wait for one, without samples until then.
  ///   - finder: finds the next one.
  /// - Throws: `SamplerError`, with what the user can do.
  public convenience init(
    pid: Int32?, followedBy finder: consuming ProcessFinder,
    options: SamplerOptions = SamplerOptions(), root: String = "/proc"
  ) throws(SamplerError) {
    let process = try pid.map { pid throws(SamplerError) in
      try ProcessSampler(pid: pid, options: options, root: root)
    }
    try self.init(
      TargetSampler(process, finder: finder), options: options, isRetargeted: true, root: root)
  }

  /// Samples a cgroup.
  ///
  /// - Parameter isFollowed: whether it is sampled again, with the next `Sample.targetNumber`, after it has been
  ///   removed and recreated, as happens when a unit is restarted.
  /// - Throws: `SamplerError`, with what the user can do.
  public convenience init(
    cgroup: CgroupTarget, isFollowed: Bool, options: SamplerOptions = SamplerOptions(),
    root: String = "/proc"
  ) throws(SamplerError) {
    let sampler = TargetSampler(try CgroupSampler(cgroup, root: root), isFollowed: isFollowed)
    try self.init(sampler, options: options, isRetargeted: isFollowed, root: root)
  }

  private init(
    _ sampler: consuming TargetSampler, options: SamplerOptions, isRetargeted: Bool, root: String
  ) throws(SamplerError) {
    precondition(SampleGrid.isValid(interval: options.intervalNanoseconds), "20 ms steps")
    facts = sampler.facts
    var first = sampler.sample()
    // A child of this process stays a zombie until this process reaps it: it has ended.
    if first?.state == .zombie, first?.hasEnded == true, !options.watchesZombie {
      first?.state = .dead
    }
    do {
      shared = try SamplerState(
        sampler: sampler, options: options, isRetargeted: isRetargeted, root: root)
    } catch {
      throw SamplerError.system(error)
    }
    if let first { shared.deliver(first) }
  }

  deinit { stop() }

  /// Starts the thread; further calls do nothing.
  ///
  /// Source: `pthread_create(3)`, through `WorkerThread`.
  public func start() throws(SamplerError) {
    guard !hasStarted.exchange(true, ordering: .relaxed) else { return }
    let argument = unsafe Unmanaged.passRetained(shared)
    let created: pthread_t
    do {
      created = try unsafe WorkerThread.start("sampler", argument.toOpaque(), samplerMain)
    } catch {
      unsafe argument.release()
      throw SamplerError.system(error)
    }
    self.thread.withLock { $0 = created }
  }

  /// Readable when samples have arrived since the last `acknowledge`. It stays open as long as this object lives.
  ///
  /// Source: `eventfd(2)`.
  public var wakeDescriptor: Int32 { shared.arrived.raw }

  /// Makes `wakeDescriptor` unreadable; call it before fetching the samples.
  public func acknowledge() { shared.arrived.drain() }

  /// Makes `wakeDescriptor` readable again: for samples that were left waiting after `acknowledge`.
  public func wakeAgain() { shared.arrived.signal() }

  /// Makes `wakeDescriptor` readable only once for every `count` samples, and always for the last sample.
  ///
  /// Most of what a sample costs the consumer is loading its code and memory into the caches again.
  ///
  /// - Parameter count: from 1 to 64.
  public func gather(_ count: Int) {
    shared.samplesAWake.store(min(max(count, 1), SampleRing.capacity / 2), ordering: .relaxed)
  }

  /// Takes the oldest sample that has not been fetched yet.
  public func next() -> Sample? { shared.ring.pop() }

  /// The newest requested list (`SamplerRequest.showTable`), if it has not been fetched yet; called by the consumer.
  /// Allocates.
  public func nextTable() -> ProcessTable? { shared.tables.take() }

  /// The requested memory sample (`SamplerRequest.readMemory`), if it has been made and not fetched yet.
  public func takeMemory() -> MemorySample? { shared.memory.withLock { $0.take() } }

  /// Whether a sample waits to be fetched; costs no system call.
  public var hasNext: Bool { shared.ring.hasNext }

  /// The number of samples that wait to be fetched.
  public var waiting: Int { shared.ring.waiting }

  /// Requests a change; it takes effect before the next sample.
  public func request(_ request: SamplerRequest) {
    if case .setInterval(let nanoseconds) = request {
      precondition(SampleGrid.isValid(interval: nanoseconds), "20 ms steps")
    }
    shared.pending.withLock { pending in
      switch request {
      case .setInterval(let nanoseconds): pending.interval = nanoseconds
      case .readPSS: pending.readsPSS = true
      case .readEnd: pending.readsEnd = true
      case .setPSSPolicy(let policy): pending.policy = policy
      case .retarget(let group, let number):
        pending.group = group
        pending.groupNumber = number
      case .showTable(let table): pending.table = .some(table)
      case .readMemory: pending.readsMemory = true
      case .setReporter(let pid): pending.reporter = pid
      case .countChildren(let isCounted): pending.countsChildren = isCounted
      case .pause: pending.pauses = true
      case .resume: pending.pauses = false
      case .stop: pending.stops = true
      }
    }
    shared.requested.signal()
  }

  /// Ends the thread and waits for it, at most as long as one sample takes.
  ///
  /// Samples that have arrived can still be fetched. Source: `pthread_join(3)`.
  public func stop() {
    request(.stop)
    let running = thread.withLock { $0.take() }
    if let running { pthread_join(running, nil) }
  }
}
