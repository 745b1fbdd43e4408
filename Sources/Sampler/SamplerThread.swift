import Base
import CLinux
import Glibc
import Synchronization

/// What the owner of a `SamplerThread` may ask of it while it runs.
public enum SamplerRequest: Sendable, Equatable {
  /// Sample at this interval from now on, in nanoseconds: a positive multiple of 20 000 000.
  case setInterval(nanoseconds: UInt64)
  /// Read PSS once, whatever it costs.
  case readPSS
  /// Read PSS by this policy from now on.
  case setPSSPolicy(PSSPolicy)
  /// Sample the processes of this group from now on, in the place of what was sampled so far. The thread
  /// must have been made with `isRetargeted`.
  ///
  /// The sequence of samples goes on; `Sample.targetNumber` tells those of the new target. If nobody of
  /// the group lives, a sample comes that says that the target has ended.
  case retarget(ProcessGroup, number: UInt32)
  /// Read a list of processes or threads too, at most twice a second; `nil`: none any more.
  case showTable(ProcessTableRequest?)
  /// End the thread; it makes no further reading.
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
/// 3. Requests go through one mutex and an eventfd and are taken between two readings, never during
///    one. No lock is held across a system call.
/// 4. A full ring drops the newest sample and counts it; the place for the last sample, which says
///    that the process has ended, is always free.
/// 5. All signals are blocked in the thread, but for those that a fault raises: if they were blocked
///    too, the kernel would kill the process without its crash handler.
///
/// Readings lie on an absolute grid from the start of the thread. The thread sleeps for the request,
/// the end of the process and the next grid time in one call, and ends by itself after the last sample.
/// One that may get another target waits for it then, and for nothing else. Attaching to a target
/// allocates, once for each.
public final class SamplerThread: Sendable {
  /// What was read at the attach.
  public let facts: ProcessFacts
  private let shared: SamplerState
  private let hasStarted = Atomic<Bool>(false)
  /// The running thread, until it was waited for.
  private let thread = Mutex<pthread_t?>(nil)

  /// Attaches to a process and makes the first reading, which waits to be fetched.
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
  /// means is sampled in its place, with the next `Sample.targetNumber`.
  ///
  /// - Parameters:
  ///   - pid: the first one; `nil` waits until one appears, and no reading is made before.
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
  ///   removed and made anew, as that of a unit is when that is restarted.
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
    let first = sampler.sample()
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
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP] {
      unsafe sigdelset(&blocked, signal)
    }
    // The new thread inherits the mask, so that no signal can reach it before it has set its own.
    unsafe pthread_sigmask(SIG_SETMASK, &blocked, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var created = pthread_t()
    let argument = unsafe Unmanaged.passRetained(shared)
    let code = unsafe pthread_create(&created, nil, samplerMain, argument.toOpaque())
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

  /// Takes the oldest sample that was not fetched yet.
  public func next() -> Sample? { shared.ring.pop() }

  /// The newest list that was asked for (`SamplerRequest.showTable`), if it was not fetched yet; called by
  /// the consumer. Allocates.
  public func nextTable() -> ProcessTable? { shared.tables.take() }

  /// Whether a sample waits to be fetched; costs no system call.
  public var hasNext: Bool { shared.ring.hasNext }

  /// Samples that were lost because they were not fetched in time, since the start.
  public var dropped: Int { shared.ring.dropped }

  /// Asks for a change; it is made before the next reading.
  public func request(_ request: SamplerRequest) {
    if case .setInterval(let nanoseconds) = request {
      precondition(SampleGrid.isValid(interval: nanoseconds), "20 ms steps")
    }
    shared.pending.withLock { pending in
      switch request {
      case .setInterval(let nanoseconds): pending.interval = nanoseconds
      case .readPSS: pending.readsPSS = true
      case .setPSSPolicy(let policy): pending.policy = policy
      case .retarget(let group, let number):
        pending.group = group
        pending.groupNumber = number
      case .showTable(let table): pending.table = .some(table)
      case .stop: pending.stops = true
      }
    }
    shared.requested.signal()
  }

  /// Ends the thread and waits for its end, at most as long as one reading takes.
  ///
  /// Samples that have arrived can still be fetched. Source: `pthread_join(3)`.
  public func stop() {
    request(.stop)
    let running = thread.withLock { $0.take() }
    if let running { pthread_join(running, nil) }
  }
}

/// Requests that the thread has not taken yet.
private struct PendingRequests: Sendable {
  var interval: UInt64?
  var policy: PSSPolicy?
  var group: ProcessGroup?
  /// The number that samples of the group carry.
  var groupNumber: UInt32 = 0
  /// The list that is wanted from now on, if that has changed.
  var table: ProcessTableRequest??
  var readsPSS = false
  var stops = false
}

/// What the two threads share. The thread keeps it alive, so it does not depend on its owner's life.
private final class SamplerState: Sendable {
  let ring = SampleRing()
  let tables = ProcessTableExchange()
  let arrived: EventDescriptor
  let requested: EventDescriptor
  let pending = Mutex(PendingRequests())
  /// The sampler until the thread takes it.
  let idle: Mutex<TargetSampler?>
  let options: SamplerOptions
  let isRetargeted: Bool
  let root: String

  init(
    sampler: consuming TargetSampler, options: SamplerOptions, isRetargeted: Bool, root: String
  ) throws(SystemError) {
    arrived = try EventDescriptor()
    requested = try EventDescriptor()
    idle = Mutex(consume sampler)
    self.options = options
    self.isRetargeted = isRetargeted
    self.root = root
  }

  func deliver(_ sample: Sample) {
    ring.push(sample)
    arrived.signal()
  }

  /// Takes the requests that have arrived.
  func takeRequests() -> PendingRequests {
    requested.drain()
    return pending.withLock { pending in
      let taken = pending
      pending = PendingRequests()
      return taken
    }
  }
}

/// The thread's body: a free function, because a closure would belong to the actor it is written in.
private func samplerMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument = unsafe argument else { return nil }
  let shared = unsafe Unmanaged<SamplerState>.fromOpaque(argument).takeRetainedValue()
  _ = unsafe perfhud_thread_set_name("perfhud-sampler")
  if let sampler = shared.idle.withLock({ $0.take() }) {
    var loop = SamplerLoop(sampler: sampler, shared: shared)
    loop.run()
  }
  return nil
}

/// The thread's loop; its hot state is local to it.
private struct SamplerLoop: ~Copyable {
  /// The extra reading comes at least this long after the first, on the next multiple of the grid's
  /// step: after 30 to 50 ms, soon enough to seem at once and long enough for a first figure.
  static let provisionalDelay: Int64 = 30_000_000
  /// PSS that was asked for waits for the next grid time if that is not further away.
  static let patience: Int64 = 200_000_000

  /// A list of processes changes at most this often, in nanoseconds.
  static let tablePeriod: Int64 = 500_000_000

  private let shared: SamplerState
  private var sampler: TargetSampler
  private var table: ProcessTableRequest?
  private var tableBuffer = ProcessTableBuffer()
  private var tableDue = Instant(nanoseconds: 0)
  private var poller: Poller
  private let requestSlot: Int
  private let exitSlot: Int
  private var grid: SampleGrid
  private var options: SamplerOptions
  /// The target has ended, and another one is waited for.
  private var isWaiting = false
  /// When it is looked for another one; `nil` if that is not for this thread to do.
  private var lookDue: Instant?
  private var targetNumber: UInt32 = 0
  /// Readings of the targets before.
  private var sequenceBase: UInt32 = 0
  private var last = Sample()
  /// When the provisional reading is due, until it was made.
  private var provisional: Instant?
  private var missed: UInt32 = 0

  init(sampler: consuming TargetSampler, shared: SamplerState) {
    let now = Instant.now()
    var poller = Poller()
    requestSlot = poller.add(shared.requested.raw)
    exitSlot = poller.add(sampler.exitDescriptor ?? -1)
    self.poller = poller
    options = shared.options
    let interval = options.intervalNanoseconds
    grid = SampleGrid(start: SampleGrid.aligned(now), interval: interval)
    if shared.options.provisionalFirst, interval > 2 * SampleGrid.step {
      provisional = SampleGrid.aligned(
        now.advanced(byNanoseconds: SamplerLoop.provisionalDelay))
    }
    if sampler.isEmpty {
      isWaiting = true
      lookDue = now
      provisional = nil
    }
    self.sampler = sampler
    self.shared = shared
  }

  /// Reads and sleeps until the process ends or a stop is asked for.
  mutating func run() {
    var wanted: Instant?
    while true {
      let due = isWaiting ? lookDue : min(provisional ?? grid.due, wanted ?? grid.due)
      poller.wait(until: due, now: Instant.now())
      if poller.isReady(requestSlot) {
        let requests = shared.takeRequests()
        if requests.stops { return }
        apply(requests)
        let wantsNow = requests.readsPSS || (requests.table ?? nil) != nil
        if wantsNow, grid.due.nanoseconds(since: Instant.now()) > SamplerLoop.patience {
          wanted = Instant.now()
        }
      }
      let hasExited = poller.isReady(exitSlot)
      let now = Instant.now()
      if isWaiting, let lookDue, now >= lookDue {
        look(now: now)
        continue
      }
      guard !isWaiting, hasExited || now >= min(due ?? grid.due, wanted ?? grid.due) else {
        continue
      }
      wanted = nil
      let sample = read(at: now)
      readTable(after: sample)
      shared.deliver(sample)
      if sample.hasEnded {
        guard shared.isRetargeted else { return }
        waitForTarget()
      }
      // A descriptor that stays readable although the process lives must not keep the loop awake.
      if hasExited { poller.replace(nil, slot: exitSlot) }
    }
  }

  private mutating func apply(_ requests: PendingRequests) {
    if let policy = requests.policy {
      options.pss = policy
      sampler.setPSSPolicy(policy)
    }
    if requests.readsPSS { sampler.requestPSS() }
    if let wanted = requests.table, wanted != table {
      table = wanted
      tableDue = Instant(nanoseconds: 0)
      sampler.setTable(wanted)
    }
    if let interval = requests.interval, interval != grid.interval {
      grid = SampleGrid(start: SampleGrid.aligned(Instant.now()), interval: interval)
      provisional = nil
    }
    if let group = requests.group { retarget(group, number: requests.groupNumber) }
  }

  private mutating func waitForTarget() {
    isWaiting = true
    provisional = nil
    poller.replace(nil, slot: exitSlot)
    lookDue = sampler.isFollowed ? Instant.now() : nil
  }

  /// Takes the next target if it is there, and looks again soon if not.
  private mutating func look(now: Instant) {
    let before = last
    guard sampler.takeNext(now: now, options: options, root: shared.root) else {
      lookDue = now.advanced(byNanoseconds: ProcessFinder.period)
      return
    }
    lookDue = nil
    // The first one that was waited for is no other target.
    if before.time.nanoseconds > 0 { targetNumber &+= 1 }
    begin(behind: before.time.nanoseconds > 0 ? before : nil)
  }

  /// Leaves the target for the processes of a group. Its account of CPU time begins anew.
  private mutating func retarget(_ group: ProcessGroup, number: UInt32) {
    targetNumber = number
    options.group = group
    guard let pid = group.representative(root: shared.root),
      let next = try? ProcessSampler(pid: pid, options: options, root: shared.root)
    else {
      last.targetNumber = targetNumber
      last.hasEnded = true
      sequenceBase &+= 1
      last.sequence &+= 1
      last.time = Instant.now()
      shared.deliver(last)
      return waitForTarget()
    }
    sampler.replace(next)
    begin(behind: last)
  }

  /// Begins to sample a target that has just been taken.
  ///
  /// - Parameter former: the last sample of the one before.
  private mutating func begin(behind former: Sample?) {
    sequenceBase = former.map { $0.sequence &+ 1 } ?? 0
    // The old one went with its descriptors, of which the loop must know nothing any more.
    poller.replace(sampler.exitDescriptor, slot: exitSlot)
    sampler.setTable(table)
    tableDue = Instant(nanoseconds: 0)
    let now = Instant.now()
    // A grid that stood still meanwhile has missed nothing.
    if isWaiting { grid = SampleGrid(start: SampleGrid.aligned(now), interval: grid.interval) }
    isWaiting = false
    // The first reading is the next of the grid, so that the first rates do not rest on a short interval;
    // of a coarse grid an extra pair comes before.
    provisional = nil
    if grid.due.nanoseconds(since: now) > SamplerLoop.patience {
      shared.deliver(read(at: now))
      guard options.provisionalFirst || options.group != nil else { return }
      provisional = SampleGrid.aligned(now.advanced(byNanoseconds: SamplerLoop.provisionalDelay))
    }
  }

  /// Reads the list that is shown, if it is due.
  private mutating func readTable(after sample: Sample) {
    guard table != nil, sample.hasEnded || sample.time >= tableDue else { return }
    let slack = Int64(ProcessSampler.cadenceSlack)
    tableDue = sample.time.advanced(byNanoseconds: SamplerLoop.tablePeriod - slack)
    if sampler.readTable(into: &tableBuffer) { shared.tables.publish(&tableBuffer) }
  }

  /// Makes one reading and says how it lies on the grid.
  private mutating func read(at now: Instant) -> Sample {
    var served: Instant?
    var isProvisional = false
    if let due = provisional, now >= due {
      provisional = nil
      isProvisional = true
      served = due
    }
    if now >= grid.due {
      let place = grid.serve(at: now)
      missed &+= UInt32(truncatingIfNeeded: place.missed)
      served = now.advanced(byNanoseconds: -Int64(place.lateNanoseconds))
      isProvisional = false
    }
    var sample = sampler.sample() ?? last
    sample.sequence &+= sequenceBase
    sample.targetNumber = targetNumber
    sample.missed = missed
    if let served {
      sample.lateNanoseconds = UInt32(clamping: sample.time.nanoseconds(since: served))
    }
    sample.isProvisional = isProvisional
    last = sample
    return sample
  }
}

extension SystemError {
  fileprivate static func threadCreation(code: Int32) -> SystemError {
    SystemError(call: "pthread_create", subject: "sampler thread", code: .init(rawValue: code))
  }
}
