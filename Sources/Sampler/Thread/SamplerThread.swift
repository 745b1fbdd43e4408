import Glibc
import PerfHUDBase
import Synchronization

/// A request of the owner of a `SamplerThread` while it runs.
public enum SamplerRequest: Sendable, Equatable {
  /// Sample at this interval from now on, in nanoseconds: a positive multiple of 20 000 000.
  case setInterval(nanoseconds: UInt64)
  /// Read PSS once, whatever it costs.
  case readPSS
  /// The process has ended: make its last sample now.
  case readEnd
  /// Read PSS by this policy from now on.
  case setPSSPolicy(PSSPolicy)
  /// Sample the processes of this group from now on, instead of the target so far. The thread
  /// must have been made with `isRetargeted`.
  ///
  /// The sequence of samples goes on; `Sample.targetNumber` marks those of the new target. If no process
  /// of the group lives, a sample reports that the target has ended.
  case retarget(ProcessGroup, number: UInt32)
  /// Read a list of processes or threads too, at most twice a second; `nil`: none any more.
  case showTable(ProcessTableRequest?)
  /// Read memory at once, between two samples: `SamplerThread.takeMemory` has it.
  case readMemory
  /// This process reports phases: its own memory is in `Sample.reporter`.
  case setReporter(pid: Int32)
  /// End the thread; it makes no further sample.
  case stop
}

/// Samples one process on a thread of its own and hands the samples to another thread.
///
///     let sampler = try SamplerThread(pid: 4242)
///     try sampler.start()
///     // poll sampler.wakeDescriptor; when it is readable:
///     sampler.acknowledge()
///     while let sample = sampler.next() { … }
///
/// Threading rules:
/// 1. The thread named `perfhud-sampler` alone reads /proc of the target once `start` was called. It
///    writes to the ring, to buffers for tables and to one eventfd, and neither allocates nor logs, but when
///    another kind of table is asked for.
/// 2. `next`, `nextTable` and `acknowledge` are called by one thread, the consumer. `request`, `stop` and `dropped`
///    may be called by any.
/// 3. Requests go through one mutex and an eventfd and are taken between two samples, never during
///    one. No lock is held across a system call.
/// 4. A full ring drops the newest sample and counts it; a slot for the last sample, which reports the end of
///    the process, is always free.
/// 5. All signals are blocked in the thread, except those that a fault raises (`SIGSYS` is that of a system
///    call that a filter forbids): with them blocked the kernel would kill the process without its crash
///    handler.
///
/// Samples are taken on an absolute grid from the start of the thread. One call sleeps for a request, the end of
/// the process and the next grid time. The thread ends by itself after the last sample; one that may get another
/// target waits for that. Attaching to a target allocates, once for each.
public final class SamplerThread: Sendable {
  /// The facts at the attach.
  public let facts: ProcessFacts
  private let shared: SamplerState
  private let hasStarted = Atomic<Bool>(false)
  /// Bytes of the thread's stack, of which it uses some 50 kB.
  private static let stackSize = 1 << 20
  /// The running thread, until it was waited for.
  private let thread = Mutex<pthread_t?>(nil)

  /// Attaches to a process and makes the first sample, which waits to be fetched.
  ///
  /// - Parameters:
  ///   - pid, options, root: as of `ProcessSampler`.
  ///   - isRetargeted: whether the end of the target is not that of the thread, since another may come.
  /// - Throws: `SamplerError`, with what the user can do.
  public convenience init(
    pid: Int32, options: SamplerOptions = SamplerOptions(), isRetargeted: Bool = false,
    root: String = "/proc"
  ) throws(SamplerError) {
    let sampler = TargetSampler(try ProcessSampler(pid: pid, options: options, root: root))
    try self.init(sampler, options: options, isRetargeted: isRetargeted, root: root)
  }

  /// Follows processes by a pattern: when the one that is sampled has ended, the next one that the pattern
  /// means is sampled instead, with the next `Sample.targetNumber`.
  ///
  /// - Parameters:
  ///   - pid: the first one; `nil` waits until one appears, and takes no sample before.
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
  /// - Parameter isFollowed: whether it is sampled again, with the next `Sample.targetNumber`, when it was
  ///   removed and created again, as that of a unit is when the unit is restarted.
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
    // A child of this process waits for it to reap it: it has ended.
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
  /// Source: `pthread_create(3)`, `pthread_sigmask(3)`.
  public func start() throws(SamplerError) {
    guard !hasStarted.exchange(true, ordering: .relaxed) else { return }
    var blocked = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&blocked)
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS] {
      unsafe sigdelset(&blocked, signal)
    }
    // The new thread inherits the mask, so that no signal can reach it before it has set its own.
    unsafe pthread_sigmask(SIG_SETMASK, &blocked, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var created = pthread_t()
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    // By default it is as large as `ulimit -s` says, for which there may be no address space.
    unsafe pthread_attr_setstacksize(&attributes, SamplerThread.stackSize)
    let argument = unsafe Unmanaged.passRetained(shared)
    let code = unsafe pthread_create(&created, &attributes, samplerMain, argument.toOpaque())
    guard code == 0 else {
      unsafe argument.release()
      throw SamplerError.system(.threadCreation(code: code))
    }
    let thread = created
    self.thread.withLock { $0 = thread }
  }

  /// Readable when samples have arrived since the last `acknowledge`. It lives as long as this object.
  ///
  /// Source: `eventfd(2)`.
  public var wakeDescriptor: Int32 { shared.arrived.raw }

  /// Makes `wakeDescriptor` unreadable; call it before fetching the samples.
  public func acknowledge() { shared.arrived.drain() }

  /// Makes `wakeDescriptor` readable again: for samples that were left waiting after `acknowledge`.
  public func wakeAgain() { shared.arrived.signal() }

  /// Makes `wakeDescriptor` readable only once for `count` samples; for the last one always.
  ///
  /// The cost of a sample for the consumer is mostly that its code and memory return to the caches.
  ///
  /// - Parameter count: from 1 to 64.
  public func gather(_ count: Int) {
    shared.samplesAWake.store(min(max(count, 1), SampleRing.capacity / 2), ordering: .relaxed)
  }

  /// Takes the oldest sample that was not fetched yet.
  public func next() -> Sample? { shared.ring.pop() }

  /// The newest list that was asked for (`SamplerRequest.showTable`), if it was not fetched yet; called by
  /// the consumer. Allocates.
  public func nextTable() -> ProcessTable? { shared.tables.take() }

  /// The sample that was asked for (`SamplerRequest.readMemory`), if it was made and not fetched yet.
  public func takeMemory() -> MemorySample? { shared.memory.withLock { $0.take() } }

  /// Whether a sample waits to be fetched; costs no system call.
  public var hasNext: Bool { shared.ring.hasNext }

  /// Samples that were lost because they were not fetched in time, since the start.
  public var dropped: Int { shared.ring.dropped }

  /// Asks for a change; it is made before the next sample.
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
      case .stop: pending.stops = true
      }
    }
    shared.requested.signal()
  }

  /// Ends the thread and waits for its end, at most as long as one sample takes.
  ///
  /// Samples that have arrived can still be fetched. Source: `pthread_join(3)`.
  public func stop() {
    request(.stop)
    let running = thread.withLock { $0.take() }
    if let running { pthread_join(running, nil) }
  }
}

extension SystemError {
  fileprivate static func threadCreation(code: Int32) -> SystemError {
    SystemError(call: "pthread_create", subject: "sampler thread", code: .init(rawValue: code))
  }
}
