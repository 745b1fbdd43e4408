import Glibc
import PerfHUDBase

/// The low-rate values, which are read at most once a second: PSS, I/O, limits, counters of each thread.
extension ProcessSampler {
  /// - Parameter hasRun: whether the process has run since they were last read; else only what others change
  ///   is read.
  mutating func readLowRateValues(hasRun: Bool) {
    latest.lowRateTime = latest.time
    let isWhole = hasRun || isDue(lowRateDueAtRest)
    if isWhole {
      lowRateDueAtRest = Instant(
        nanoseconds: latest.time.nanoseconds &+ ProcessSampler.lowRateIntervalAtRest)
      let fields = status.read(as: StatusFields.self)
      affinity = fields.value?.affinity ?? affinity
      if !facts.isKernelThread {
        anonymousAtLowRate = latest.anonymousBytes.value
        latest.sharedMemoryBytes.update(fields.flatMap { $0.residentSharedBytes })
        latest.swapBytes.update(fields.flatMap { $0.swapBytes })
        latest.pageTableBytes.update(fields.flatMap { $0.pageTableBytes })
      }
      if isDue(ioDue) { readIO() }
      if isDue(threadsDue) { readThreadCounters(fields) }
    } else {
      // The last values still hold.
      if isDue(ioDue) { latest.ioTime = latest.time }
      if isDue(threadsDue) { latest.threadTime = latest.time }
    }
    // Of a limit that a cgroup sets, the others in it may use something.
    let isOfCgroup = latest.limitSource == .cgroupMax || latest.limitSource == .cgroupHigh
    if isWhole || isOfCgroup { readLimits() }
    readCgroup()
    if let own = (try? ownStatm?.read(as: StatmFields.self)) ?? nil {
      latest.ownAnonymousBytes = own.anonymousPages &* units.pageBytes
    }
  }

  /// Reads the limits, and which cgroup the process is in.
  private mutating func readLimits() {
    let limit = limits.read(now: latest.time, affinity: affinity)
    latest.usableProcessors = limit.processors.map { .value($0) } ?? .absent(.unsupported)
    if !facts.isKernelThread {
      latest.limitBytes = limit.memoryBytes.map { .value($0) } ?? .absent(.unsupported)
      latest.limitSource = limit.memorySource
      latest.limitUsedBytes = limit.usedBytes
      if limit.memorySource == .addressSpace, let memory = try? statm.read(as: StatmFields.self) {
        latest.limitUsedBytes = .value(memory.sizePages &* units.pageBytes)
      }
      latest.memoryEvents.high = limit.high
      latest.memoryEvents.max = limit.max
    }
  }

  /// Reads what the kernel counts for each thread alone, on a budget: two files of each thread.
  private mutating func readThreadCounters(_ status: Reading<StatusFields>) {
    let before = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
    latest.threadTime = latest.time
    let scheduling = schedstat.read(as: SchedstatFields.self)
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
    threadsDue = Instant(nanoseconds: latest.time.nanoseconds &+ pause)
  }

  /// The last number that the kernel has given to a process or thread; `nil` in another pid namespace.
  private func lastNumber() -> Int32? {
    ((try? loadavg?.read(as: LoadavgFields.self)) ?? nil)?.lastPid
  }

  /// Reads the cgroup of the process, and the pressure on it.
  private mutating func readCgroup() {
    latest.throttledNanoseconds = limits.cgroup.throttledNanoseconds
    latest.cgroupMemoryBytes = limits.cgroup.memoryBytes
    latest.memoryEvents.oomKills = limits.cgroup.memoryEvents.oomKills
    latest.pressure = limits.cgroup.pressure
  }

  /// The kernel adds up all threads for this file: with many of them it is read every 5 s.
  private mutating func readIO() {
    let pause =
      latest.threads.value ?? 1 > ProcessSampler.manyThreads
      ? 5 * ProcessSampler.lowRateInterval : ProcessSampler.lowRateInterval
    ioDue = Instant(nanoseconds: latest.time.nanoseconds &+ pause)
    latest.ioTime = latest.time
    let storage = io.read(as: IOFields.self)
    latest.readBytes.update(storage.map { $0.readBytes })
    latest.writeBytes.update(storage.map { $0.writeBytes })
  }
}

extension Reading {
  /// Takes a new sample, but keeps the last value of a process that is about to end or executes
  /// another program: its files show nothing for a moment.
  fileprivate mutating func update(_ new: Reading) {
    if case .absent(.ended) = new, value != nil { return }
    self = new
  }

  /// The field that `body` takes out of the file; one that is missing counts as that of a process
  /// without memory.
  fileprivate func flatMap<Field>(_ body: (Value) -> Field?) -> Reading<Field> {
    switch self {
    case .value(let value): return body(value).map { .value($0) } ?? .absent(.ended)
    case .absent(let reason): return .absent(reason)
    }
  }
}
