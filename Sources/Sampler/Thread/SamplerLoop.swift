import CLinux
import PerfHUDBase
import Synchronization

/// The thread's body. It is a free function, because a closure would be isolated to the actor it is written in.
func samplerMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
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
struct SamplerLoop: ~Copyable {
  /// The extra sample comes at the first multiple of the grid's step that is at least this long after the first sample.
  /// That is 30 to 50 ms: soon enough to seem immediate, long enough for a first value.
  static let provisionalDelay: Int64 = 30_000_000
  /// A requested PSS waits for the next grid time if that is at most this far away.
  static let patience: Int64 = 200_000_000

  /// How long a parent has to reap a process before it counts as a zombie; after that, the interval of the checks.
  static let reapingTime: Int64 = 200_000_000
  static let zombiePeriod: Int64 = 250_000_000
  /// The interval of the search for a target's program, if the target may be only a wrapper.
  static let replacementPeriod: Int64 = 100_000_000

  /// A list of processes changes at most this often, in nanoseconds.
  static let tablePeriod: Int64 = 500_000_000

  private let shared: SamplerState
  private var sampler: TargetSampler
  private var table: ProcessTableRequest?
  private var tableBuffer = ProcessTableBuffer()
  /// Whether the requested list has not been read yet: the first one wakes the owner, whatever samples do.
  private var isFirstTable = false
  private var tableDue = Instant(nanoseconds: 0)
  private var poller: Poller
  private let requestSlot: Int
  private let exitSlot: Int
  private var grid: SampleGrid
  private var options: SamplerOptions
  /// Whether the target has ended and the thread waits for another one.
  private var isWaiting = false
  /// Whether no sample is due until the owner asks for them again.
  private var isPaused = false
  /// When to look for another target; `nil` if this thread does not look for one.
  private var lookDue: Instant?
  private var replacementDue = Instant(nanoseconds: 0)
  private var targetNumber: UInt32 = 0
  /// The number of samples of the previous targets.
  private var sequenceBase: UInt32 = 0
  private var last = Sample()
  /// When the provisional sample is due; `nil` once it has been made.
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

  /// Samples and sleeps until the process ends or a stop is requested.
  mutating func run() {
    var wanted: Instant?
    while true {
      let due =
        isPaused ? nil : isWaiting ? lookDue : min(provisional ?? grid.due, wanted ?? grid.due)
      poller.wait(until: due, now: Instant.now())
      if poller.isReady(requestSlot) {
        let requests = shared.takeRequests()
        if requests.stops { return }
        apply(requests)
        let wantsNow = requests.readsPSS || (requests.table ?? nil) != nil
        if wantsNow, grid.due.nanoseconds(since: Instant.now()) > SamplerLoop.patience {
          wanted = Instant.now()
        }
        if requests.readsEnd {
          sampler.noteExit()
          wanted = Instant.now()
        }
      }
      let hasExited = poller.isReady(exitSlot)
      if isPaused, !hasExited { continue }
      let now = Instant.now()
      // A grid that paused has missed nothing.
      if isPaused { grid = SampleGrid(start: SampleGrid.aligned(now), interval: grid.interval) }
      if isWaiting, let lookDue, now >= lookDue {
        look(now: now)
        continue
      }
      guard !isWaiting, hasExited || now >= min(due ?? grid.due, wanted ?? grid.due) else {
        continue
      }
      wanted = nil
      if hasExited { sampler.noteExit() }
      if takeReplacement(now: now) { continue }
      var sample = read(at: now)
      let isFirst = readTable(after: sample)
      if sample.hasEnded, sample.state == .zombie {
        if options.watchesZombie, waitForReaping() { return }
        if !options.watchesZombie || !sampler.isUnreaped() { sample.state = .dead }
        last.state = sample.state
      }
      shared.deliver(sample)
      if isFirst { shared.arrived.signal() }
      if sample.hasEnded {
        guard shared.isRetargeted else { return sample.state == .zombie ? watchZombie() : () }
        waitForTarget()
      }
      // A descriptor that stays readable while the process lives must not keep waking the loop.
      if hasExited { poller.replace(nil, slot: exitSlot) }
    }
  }

  /// Gives the parent of a process that has ended time to reap it.
  ///
  /// - Returns: whether a stop was requested meanwhile.
  private mutating func waitForReaping() -> Bool {
    let end = Instant.now().advanced(byNanoseconds: SamplerLoop.reapingTime)
    poller.replace(nil, slot: exitSlot)
    while sampler.isUnreaped() {
      let now = Instant.now()
      guard now < end else { return false }
      poller.wait(until: min(end, now.advanced(byNanoseconds: 10_000_000)), now: now)
      if poller.isReady(requestSlot) {
        let requests = shared.takeRequests()
        if requests.stops { return true }
        apply(requests)
      }
    }
    return false
  }

  /// Waits until a zombie has been reaped, then reports it.
  private mutating func watchZombie() {
    while sampler.isUnreaped() {
      let now = Instant.now()
      poller.wait(until: now.advanced(byNanoseconds: SamplerLoop.zombiePeriod), now: now)
      if poller.isReady(requestSlot), shared.takeRequests().stops { return }
    }
    deliverReaped()
  }

  private mutating func deliverReaped() {
    guard var sample = sampler.endReaped() else { return }
    sample.sequence &+= sequenceBase
    sample.targetNumber = targetNumber
    sample.missed = missed
    last = sample
    shared.deliver(sample)
  }

  /// Replaces a wrapper with its program, if that has started.
  private mutating func takeReplacement(now: Instant) -> Bool {
    guard sampler.isFollowed, now >= replacementDue else { return false }
    replacementDue = now.advanced(byNanoseconds: SamplerLoop.replacementPeriod)
    let former = last
    guard sampler.takeReplacement(now: now, options: options, root: shared.root) else {
      return false
    }
    targetNumber &+= 1
    begin(after: former)
    return true
  }

  private mutating func apply(_ requests: PendingRequests) {
    if let policy = requests.policy {
      options.pss = policy
      sampler.setPSSPolicy(policy)
    }
    if requests.readsPSS { sampler.requestPSS() }
    if let reporter = requests.reporter { sampler.setReporter(reporter) }
    if requests.readsMemory, var memory = sampler.readMemoryNow() {
      memory.targetNumber = targetNumber
      shared.deliver(memory)
    }
    if let wanted = requests.table, wanted != table {
      table = wanted
      isFirstTable = true
      tableDue = Instant(nanoseconds: 0)
      sampler.setTable(wanted)
    }
    if let interval = requests.interval, interval != grid.interval {
      grid = SampleGrid(start: SampleGrid.aligned(Instant.now()), interval: interval)
      provisional = nil
    }
    if let pauses = requests.pauses {
      isPaused = pauses
      // A grid that paused has missed nothing.
      if !pauses {
        grid = SampleGrid(start: SampleGrid.aligned(Instant.now()), interval: grid.interval)
      }
    }
    if let countsChildren = requests.countsChildren { count(children: countsChildren) }
    if let group = requests.group { retarget(group, number: requests.groupNumber) }
  }

  private mutating func waitForTarget() {
    isWaiting = true
    provisional = nil
    poller.replace(nil, slot: exitSlot)
    lookDue = sampler.isFollowed ? Instant.now() : nil
  }

  /// Takes the next target if it exists; otherwise looks again soon.
  private mutating func look(now: Instant) {
    let before = last
    guard sampler.takeNext(now: now, options: options, root: shared.root) else {
      lookDue = now.advanced(byNanoseconds: ProcessFinder.period)
      if last.hasEnded, last.state == .zombie, !sampler.isUnreaped() { deliverReaped() }
      return
    }
    lookDue = nil
    // The first target replaces nothing, even if it was waited for.
    if before.time.nanoseconds > 0 { targetNumber &+= 1 }
    begin(after: before.time.nanoseconds > 0 ? before : nil)
  }

  /// Replaces the target with the processes of a group. CPU time is counted from zero again.
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
    begin(after: last)
  }

  /// Samples the target with its descendants from now on, or alone.
  private mutating func count(children: Bool) {
    guard children != options.includesChildren else { return }
    options.includesChildren = children
    // A target that has ended stays as it is.
    guard !isWaiting, !last.hasEnded, sampler.attachAgain(options: options, root: shared.root)
    else { return }
    begin(after: last)
  }

  /// Starts sampling a target that has just been taken.
  ///
  /// - Parameter former: the last sample of the one before.
  private mutating func begin(after former: Sample?) {
    sequenceBase = former.map { $0.sequence &+ 1 } ?? 0
    // The old descriptor was closed with the old target, so the loop must forget it.
    poller.replace(sampler.exitDescriptor, slot: exitSlot)
    sampler.setTable(table)
    tableDue = Instant(nanoseconds: 0)
    let now = Instant.now()
    // A grid that paused while waiting has missed nothing.
    if isWaiting { grid = SampleGrid(start: SampleGrid.aligned(now), interval: grid.interval) }
    isWaiting = false
    // The first sample is made on the next grid time, so that the first rates do not come from a short interval. A
    // coarse grid gets an extra pair of samples before it.
    provisional = nil
    if grid.due.nanoseconds(since: now) > SamplerLoop.patience {
      shared.deliver(read(at: now))
      guard options.provisionalFirst || options.group != nil else { return }
      provisional = SampleGrid.aligned(now.advanced(byNanoseconds: SamplerLoop.provisionalDelay))
    }
  }

  /// Reads the shown list, if it is due.
  ///
  /// - Returns: whether it is the first one since it was requested.
  private mutating func readTable(after sample: Sample) -> Bool {
    guard table != nil, sample.hasEnded || sample.time >= tableDue else { return false }
    let slack = Int64(ProcessSampler.cadenceSlack)
    tableDue = sample.time.advanced(byNanoseconds: SamplerLoop.tablePeriod - slack)
    guard sampler.readTable(into: &tableBuffer), tableBuffer.hasNews else { return false }
    shared.tables.publish(&tableBuffer)
    defer { isFirstTable = false }
    return isFirstTable
  }

  /// Makes one sample. Returns its position on the grid.
  private mutating func read(at now: Instant) -> Sample {
    var served: Instant?
    var isProvisional = false
    if let due = provisional, now >= due {
      provisional = nil
      isProvisional = true
      served = due
    }
    if now >= grid.due {
      let slot = grid.serve(at: now)
      missed &+= UInt32(truncatingIfNeeded: slot.missed)
      served = now.advanced(byNanoseconds: -Int64(slot.lateNanoseconds))
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
