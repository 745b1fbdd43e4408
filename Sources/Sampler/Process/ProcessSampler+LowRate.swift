import Glibc
import PerfHUDBase

/// The low-rate values, which are read at most once a second: PSS, I/O, limits, counters of each thread.
extension ProcessSampler {
  /// - Parameter hasRun: whether the process has run since the last read. If not, only values that other processes can
  ///   change are read.
  mutating func readLowRateValues(hasRun: Bool) {
    latest.lowRateTime = latest.time
    let isWhole = hasRun || isDue(due.lowRateAtRest)
    if isWhole {
      due.lowRateAtRest = Instant(
        nanoseconds: latest.time.nanoseconds &+ ProcessSampler.lowRateIntervalAtRest)
      let fields = files.status.read(as: StatusFields.self)
      affinity = fields.value?.affinity ?? affinity
      if !facts.isKernelThread {
        anonymousAtLowRate = latest.anonymousBytes.value
        if let peak = fields.value?.peakResidentBytes { latest.peakResidentBytes = peak }
        latest.sharedMemoryBytes.update(fields.flatMap { $0.residentSharedBytes })
        latest.swapBytes.update(fields.flatMap { $0.swapBytes })
        latest.pageTableBytes.update(fields.flatMap { $0.pageTableBytes })
      }
      // A process that does not run has the same children, unless it ignores the end of its children.
      latest.uncountedChildren = files.children.read(as: ChildrenFields.self).value?.count ?? 0
      if isDue(due.io) { readIO() }
      if isDue(due.threads) { readThreadCounters(fields) }
    } else {
      // The last values still hold.
      if isDue(due.io) { latest.ioTime = latest.time }
      if isDue(due.threads) { latest.threadTime = latest.time }
    }
    // Other processes in the cgroup may use up a limit that a cgroup sets.
    let isOfCgroup = latest.limitSource == .cgroupMax || latest.limitSource == .cgroupHigh
    let readsLimits = isWhole || isOfCgroup
    if readsLimits { readLimits() }
    readCgroup()
    if readsLimits, limits.hasMoved { forgetCounters() }
    if let own = (try? files.ownStatm?.read(as: StatmFields.self)) ?? nil {
      latest.ownAnonymousBytes = own.anonymousPages &* units.pageBytes
    }
  }

  /// Reads the limits, and finds out which cgroup the process is in.
  private mutating func readLimits() {
    let limit = limits.read(now: latest.time, affinity: affinity)
    latest.usableProcessors = limit.processors.map { .value($0) } ?? .absent(.unsupported)
    if !facts.isKernelThread {
      latest.limitBytes = limit.memoryBytes.map { .value($0) } ?? .absent(.unsupported)
      latest.limitSource = limit.memorySource
      latest.limitUsedBytes = limit.usedBytes
      if limit.memorySource == .addressSpace,
        let memory = try? files.statm.read(as: StatmFields.self)
      {
        latest.limitUsedBytes = .value(memory.sizePages &* units.pageBytes)
      }
      latest.memoryEvents.high = limit.high
      latest.memoryEvents.max = limit.max
    }
  }

  /// Reads the counters that the kernel keeps for each thread separately, on a budget: two files for each thread.
  private mutating func readThreadCounters(_ status: Reading<StatusFields>) {
    let before = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
    latest.threadTime = latest.time
    let scheduling = files.schedstat.read(as: SchedstatFields.self)
    let others = threads.read(
      otherThan: facts.target.pid, threads: latest.threads.value ?? 1, directory: directory)
    threads.note(lastNumber: lastNumber())
    latest.mayMissThreads = others != nil && threads.mayMissThreads
    if let others {
      latest.cpuWaitNanoseconds.update(
        scheduling.map { $0.waitNanoseconds &+ others.waitNanoseconds })
      latest.voluntarySwitches.update(
        status.flatMap { $0.voluntarySwitches.map { $0 &+ others.voluntarySwitches } })
      latest.involuntarySwitches.update(
        status.flatMap { $0.involuntarySwitches.map { $0 &+ others.involuntarySwitches } })
    } else {
      latest.cpuWaitNanoseconds = .absent(.manyThreads)
      latest.voluntarySwitches = .absent(.manyThreads)
      latest.involuntarySwitches = .absent(.manyThreads)
    }
    let cost = (readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &- before
    let pause = max(ProcessSampler.lowRateInterval, PSSReader.costFactor &* min(cost, 1 << 40))
    due.threads = Instant(nanoseconds: latest.time.nanoseconds &+ pause)
  }

  /// Reads the counters of the threads at the time of a list of threads, so that the waits in its rows add up to that of
  /// the process. Does nothing if this sample has read them already, or if a read is so costly that the next one is not
  /// due for long.
  mutating func readThreadCountersWithList() {
    let latestPause = Int64(ProcessSampler.lowRateInterval)
    guard !latest.hasEnded, latest.threadTime != latest.time,
      due.threads.nanoseconds(since: latest.time) <= latestPause
    else { return }
    guard latest.processCPUNanoseconds.value != list.lastNanoseconds else {
      latest.threadTime = latest.time
      return
    }
    readThreadCounters(files.status.read(as: StatusFields.self))
  }

  /// The last pid or thread id that the kernel has assigned; `nil` in another pid namespace.
  private func lastNumber() -> Int32? {
    ((try? files.loadavg?.read(as: LoadavgFields.self)) ?? nil)?.lastPid
  }

  /// Reads the cgroup of the process, and the pressure on it.
  private mutating func readCgroup() {
    latest.throttledNanoseconds = limits.cgroup.throttledNanoseconds
    latest.cgroupMemoryBytes = limits.cgroup.memoryBytes
    latest.memoryEvents.oomKills = limits.cgroup.memoryEvents.oomKills
    latest.pressure = limits.cgroup.pressure
  }

  /// Leaves the counters out once, since those of another cgroup do not continue the former ones.
  private mutating func forgetCounters() {
    latest.throttledNanoseconds = .absent(.pending)
    latest.memoryEvents = MemoryEvents()
    latest.pressure = PressureTotals()
  }

  /// Reads the memory events once more when the process has ended, since it may have been killed because memory ran
  /// out.
  mutating func readLastMemoryEvents() {
    guard !facts.isKernelThread else { return }
    let events = limits.memoryEvents()
    if events.high.value != nil { latest.memoryEvents.high = events.high }
    if events.max.value != nil { latest.memoryEvents.max = events.max }
    if events.oomKills.value != nil { latest.memoryEvents.oomKills = events.oomKills }
  }

  /// To answer a read of this file the kernel adds up all threads. With many threads it is read every 5 s.
  mutating func readIO() {
    let pause =
      latest.threads.value ?? 1 > ProcessSampler.manyThreads
      ? 5 * ProcessSampler.lowRateInterval : ProcessSampler.lowRateInterval
    due.io = Instant(nanoseconds: latest.time.nanoseconds &+ pause)
    latest.ioTime = latest.time
    let storage = files.io.read(as: IOFields.self)
    latest.readBytes.update(storage.map { $0.readBytes })
    latest.writeBytes.update(storage.map { $0.writeBytes })
    if let fields = storage.value { tree?.rootStorage.take(fields) }
  }
}

extension Reading {
  /// Stores a new reading, but keeps the last value while a process is about to end or executes another program, since
  /// its files are empty for a moment.
  fileprivate mutating func update(_ new: Reading) {
    if case .absent(.ended) = new, value != nil { return }
    self = new
  }

  /// The field that `body` takes from the file. A missing field means that the process has no memory.
  fileprivate func flatMap<Field>(_ body: (Value) -> Field?) -> Reading<Field> {
    switch self {
    case .value(let value): return body(value).map { .value($0) } ?? .absent(.ended)
    case .absent(let reason): return .absent(reason)
    }
  }
}
