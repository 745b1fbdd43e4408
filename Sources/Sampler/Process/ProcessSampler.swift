import CLinux
import Glibc
import PerfHUDBase

/// Samples one process: attach once, then every call of `sample` makes one sample.
///
///     var sampler = try ProcessSampler(pid: 4242)
///     let first = sampler.sample()
///     // … later …
///     let second = sampler.sample()
///     let seconds = second.time.seconds(since: first.time)
///     if let a = first.cpuNanoseconds.value, let b = second.cpuNanoseconds.value {
///       print("CPU", Double(b - a) * 1e-9 / seconds * 100, "% of one core")
///     }
///
/// A sample is three system calls: the process's CPU clock, its statm, and perfhud's own CPU clock. Together they take
/// about 1 µs with warm caches, some 25 µs after a sleep. stat is read twice a second (see `SamplerOptions`), status,
/// io, schedstat and the limits once a second, smaps_rollup on its budget. Files that describe only this process are
/// read less often while it does not run. A sample allocates nothing, except when the process moves to another cgroup
/// or only its main thread ends.
///
/// The order of the reads detects a reused pid. The clock is found by the number, so an open file is read after it,
/// which fails with `ESRCH` once the process has been reaped. While the clock does not move, it belongs to the same
/// process.
///
/// A value belongs to one thread at a time; `SamplerThread` runs one on a thread of its own.
public struct ProcessSampler: ~Copyable, Sendable {
  /// The facts at the attach.
  public let facts: ProcessFacts
  /// Where the CPU time comes from. It is `.stat` if the CPU clock of the pid does not belong to the process, because
  /// /proc shows another pid namespace or is a captured tree.
  public let cpuSource: CPUSource
  /// Becomes readable when the whole process has ended; `nil` if the kernel has no pidfds or system calls do not know
  /// the process by this pid. Source: `pidfd_open(2)`.
  public var exitDescriptor: Int32? { exit.descriptor }

  static let statInterval: UInt64 = 500_000_000
  static let lowRateInterval: UInt64 = 1_000_000_000
  /// For a process that has not run: only other processes can have changed its memory, and how it waits.
  static let memoryIntervalAtRest: UInt64 = 500_000_000
  static let statIntervalAtRest: UInt64 = 1_000_000_000
  static let lowRateIntervalAtRest: UInt64 = 5_000_000_000
  static let manyThreads: UInt32 = 200
  /// A change of private memory up to this size does not make it read swap again, in bytes.
  static let swapTolerance: UInt64 = 1 << 20
  /// 1 / 0.3 %: the share of the time for the stat of a large tree while the machine has new processes.
  static let newProcessCostFactor: UInt64 = 333
  /// A sample counts as on time if it is at most this much early: half a step of the grid.
  static let cadenceSlack: UInt64 = 10_000_000

  private let clock: clockid_t?
  private let exit: ExitNotice
  let directory: ProcDirectory
  var files: ProcessFiles
  var pss: PSSReader
  /// The resident memory of the target when PSS was read.
  private var pssResident: UInt64 = 0
  var limits: LimitReader
  var threads = ThreadCounters()
  private let statEverySample: Bool
  var due = ReadSchedule()
  private var cpuAt = CPUAtRead()
  /// Private memory when swap was read.
  var anonymousAtLowRate: UInt64?
  let units: KernelUnits

  var affinity: ProcessorSet?
  private var count: UInt32 = 0
  /// The minor faults of the process at its last stat, which may be newer than those of `latest`.
  private var rootFaults: UInt64 = 0
  private var rootExecution: UInt64 = 0
  /// The sample of the process alone.
  var latest = Sample()
  var tree: ProcessTree?
  /// The sample of the process and its descendants, with the descendants' low-rate values.
  var combined = CombinedSample()
  /// The descendant that reports phases; `nil` if the process itself or nobody does.
  var reporter: Int32?
  /// The cost of the low-rate values of the descendants so far, in nanoseconds.
  var lowRateCost: UInt64 = 0
  /// When the reads of these values began that are under way, or whose waits have not been taken yet.
  var lowRateBegin: Instant?
  /// The state of the list of processes or threads, while one is shown.
  var list = ProcessListState()
  /// The footprint of the process at first, which its row in a list has.
  var firstFootprint: UInt64?
  let root: String

  /// Attaches to a process.
  ///
  /// - Parameters:
  ///   - pid: a process, not a thread; in the pid namespace of the /proc at `root`.
  ///   - root: where /proc is mounted. With a root other than `/proc` only files are read; no system call is made on
  ///     the pid.
  /// - Throws: `SamplerError`, with what the user can do.
  public init(
    pid: Int32, options: SamplerOptions = SamplerOptions(), root: String = "/proc"
  ) throws(SamplerError) {
    let directory = try ProcDirectory.ofProcess(pid, root: root)
    let facts = try ProcessFacts(pid: pid, directory: directory, root: root)
    let isOurNamespace = ProcMount.showsOurNamespace(root: root)
    let files = try ProcessFiles(
      pid: pid, in: directory, isOurNamespace: isOurNamespace, root: root,
      hasChildren: !options.includesChildren)
    let units = KernelUnits()
    let clock =
      isOurNamespace ? ProcessClock.verified(pid: pid, stat: files.stat, units: units) : nil

    let tree =
      options.includesChildren && !facts.isKernelThread
      ? try ProcessTree(
        pid: pid, group: options.group, usesClock: clock != nil, units: units, root: root,
        orphans: options.orphans) : nil

    self.facts = facts
    self.units = units
    self.clock = clock
    cpuSource = clock == nil ? .stat : .processClock
    statEverySample = options.statEverySample || clock == nil
    self.files = files
    exit = ExitNotice(pid: isOurNamespace ? pid : nil)
    pss = PSSReader(directory: directory, policy: options.pss)
    limits = LimitReader(
      directory: directory, root: root, ownLimitPid: isOurNamespace ? pid : nil)
    self.directory = directory
    self.tree = tree
    self.tree?.readsWaits = true
    self.root = root

    latest.pid = pid
    latest.startTicks = facts.target.startTicks
    latest.name = facts.name
    latest.state = facts.state
    latest.cpuSource = cpuSource
    latest.includesChildren = self.tree != nil
    if facts.isKernelThread {
      latest.residentBytes = .absent(.kernelThread)
      latest.anonymousBytes = .absent(.kernelThread)
      latest.sharedMemoryBytes = .absent(.kernelThread)
      latest.swapBytes = .absent(.kernelThread)
      latest.pageTableBytes = .absent(.kernelThread)
      latest.pssBytes = .absent(.kernelThread)
      latest.limitBytes = .absent(.kernelThread)
    }
  }

  /// Requests one read of PSS with the next sample, whatever it costs, and of the mappings while they are shown.
  public mutating func requestPSS() {
    pss.request()
    requestMappings()
  }

  /// Notes that the process may have ended: the next sample checks.
  public mutating func noteExit() { cpuAt.memory = nil }

  /// Changes when PSS is read.
  public mutating func setPSSPolicy(_ policy: PSSPolicy) { pss.policy = policy }

  /// Makes one sample.
  ///
  /// After the end of the process the sample reports it (`hasEnded`) and has the last values; further
  /// calls return the same sample. Complexity: the kernel adds up the threads of the target, about
  /// 10 ns each.
  public mutating func sample() -> Sample {
    guard !latest.hasEnded else { return tree == nil ? latest : combined.sample }
    let time = Instant.now()
    let cpu = clock.flatMap { readClock($0) }
    let hasRun = cpu == nil || cpu != cpuAt.sample
    cpuAt.sample = cpu
    guard tree != nil else {
      let pssTime = latest.pssTime
      sampleProcess(at: time, cpu: cpu, readsStat: false)
      if !latest.hasEnded, !facts.isKernelThread {
        latest.pssBytes = currentPSS(of: latest, isNew: latest.pssTime != pssTime)
      }
      return latest
    }
    let lowRateTime = latest.lowRateTime
    let pssTime = latest.pssTime
    var readsStat = tree?.begin(now: time, rootHasRun: hasRun) ?? false
    if tree?.mayLackReaped == true, time >= due.reaped { readsStat = true }
    readsStat = sampleProcess(at: time, cpu: cpu, readsStat: readsStat) || readsStat
    tree?.setRoot(
      privateBytes: (latest.anonymousBytes.value ?? 0) &+ (latest.swapBytes.value ?? 0),
      residentBytes: latest.residentBytes.value ?? 0, faults: rootFaults,
      execution: rootExecution)
    if readTree(readsStat: readsStat), !readsStat {
      // The time of a vanished process is in the account of its parent now: read all again, parents first.
      readsStat = true
      readStat()
      _ = readTree(readsStat: true)
    }
    tree?.removeVanished(now: time)
    // The bytes of a process that has vanished are in the file of the root now.
    if latest.ioTime == time, tree?.rootStorage.isOwed == true { readIO() }
    if latest.lowRateTime != lowRateTime {
      tree?.beginLowRateValues()
      lowRateCost = 0
      lowRateBegin = latest.time
    }
    if tree?.lowRateCursor != nil { readLowRateValuesOfTree() }
    let hasReadPSS = latest.pssTime != pssTime
    if hasReadPSS { readPSSOfTree() }
    readSharing()
    combine(hasReadStat: readsStat)
    if !latest.hasEnded {
      combined.sample.pssBytes = currentPSS(of: combined.sample, isNew: hasReadPSS)
    }
    return combined.sample
  }

  /// The PSS for a sample, unless the resident memory has changed much since PSS was read.
  private mutating func currentPSS(of sample: Sample, isNew: Bool) -> Reading<UInt64> {
    guard let value = sample.pssBytes.value, let resident = sample.residentBytes.value else {
      pss.isOutdated = false
      return sample.pssBytes
    }
    if isNew { pssResident = resident }
    pss.isOutdated = !PSSReader.agrees(value, residentThen: pssResident, residentNow: resident)
    return pss.isOutdated ? .absent(.outdated) : sample.pssBytes
  }

  /// Makes one sample of the process alone, into `latest`.
  ///
  /// - Parameters:
  ///   - cpu: the value of its clock at `time`; `nil` without a clock.
  ///   - readsStat: reads stat even if it is not due.
  /// - Returns: whether stat was read.
  @discardableResult
  private mutating func sampleProcess(at time: Instant, cpu: UInt64?, readsStat: Bool) -> Bool {
    latest.time = time
    latest.sequence = count
    count &+= 1
    latest.ownCPUNanoseconds = readClock(CLOCK_PROCESS_CPUTIME_ID) ?? 0
    let sinceBoot = readClock(CLOCK_BOOTTIME) ?? 0
    let start = facts.target.startTicks &* units.tickNanoseconds
    latest.ageNanoseconds = sinceBoot > start ? sinceBoot - start : 0

    var hasNoMemory = false
    // The clock of a process that has never run reads 0, so it cannot distinguish the process from another one.
    if cpu == nil || cpu == 0 || cpu != cpuAt.memory || isDue(due.memory) {
      cpuAt.memory = cpu
      due.memory = Instant(nanoseconds: time.nanoseconds &+ ProcessSampler.memoryIntervalAtRest)
      guard let isEmpty = readMemory() else { return false }
      hasNoMemory = isEmpty
    }
    if let cpu { latest.setCPU(cpu) }

    let isStatDue = hasNoMemory || isDue(due.stat)
    let readsStat = readsStat || isStatDue || (statEverySample && tree?.isLarge != true)
    let readsStatOfRoot = statEverySample || tree?.rootMemory.inherited.hasForked == true
    // CPU time of its children can have arrived only if its own clock has moved, or if it is still owed.
    let known = readsStat ? cpuAt.sums : cpuAt.stat
    let mayDiffer = cpu == nil || cpu != known || tree?.root.isOwed == true
    let isDueAtRest = hasNoMemory || (isStatDue && isDue(due.statAtRest))
    if isDueAtRest || (mayDiffer && (readsStat || readsStatOfRoot || isDue(due.state))) {
      cpuAt.stat = cpu
      if readsStat { cpuAt.sums = cpu }
      due.statAtRest = Instant(
        nanoseconds: time.nanoseconds &+ ProcessSampler.statIntervalAtRest)
      due.state = Instant(nanoseconds: time.nanoseconds &+ ProcessSampler.statInterval)
      readStat(withSums: readsStat)
    } else if readsStat {
      // The last stat still holds.
      latest.statTime = time
    }
    if isStatDue {
      due.stat = Instant(nanoseconds: time.nanoseconds &+ ProcessSampler.statInterval)
    }
    if hasNoMemory, latest.state == .zombie || latest.state == .dead {
      if hasWhollyEnded() {
        readLastMemoryEvents()
        latest.end(state: latest.state)
        return readsStat
      }
      readMemoryOfAnotherThread()
    }
    // Memory that was swapped out is neither resident nor in the last `VmSwap`.
    if isDue(due.lowRate) || mayHaveSwapped {
      due.lowRate = Instant(nanoseconds: time.nanoseconds &+ ProcessSampler.lowRateInterval)
      readLowRateValues(hasRun: cpu == nil || cpu != cpuAt.lowRate || mayHaveSwapped)
      cpuAt.lowRate = cpu
    }
    if !facts.isKernelThread {
      let resident = max(
        latest.residentBytes.value ?? 0, combined.sample.residentBytes.value ?? 0)
      let used = tree == nil ? cpu : combined.sample.cpuNanoseconds.value
      let hasRead = pss.update(
        now: time, residentBytes: resident, hasRun: clock == nil || used != cpuAt.pss,
        directory: directory)
      if hasRead { cpuAt.pss = used }
      latest.pssBytes = pss.reading
      latest.pssTime = pss.time
    }
    if firstFootprint == nil { firstFootprint = ownFootprint }
    return readsStat
  }

  /// Whether the process has ended and is still a zombie: its parent has not reaped it.
  ///
  /// Source: the open `/proc/PID/stat`, which fails with `ESRCH` once the process was reaped.
  func isUnreaped() -> Bool {
    guard latest.hasEnded, let fields = (try? files.stat.read(as: StatFields.self)) ?? nil else {
      return false
    }
    return fields.state == .zombie
  }

  /// Makes the last sample of a zombie after it was reaped.
  mutating func endReaped() -> Sample {
    latest.end(state: .dead)
    latest.time = .now()
    latest.sequence = count
    count &+= 1
    guard tree != nil else { return latest }
    combined.end(as: latest)
    return combined.sample
  }

  func isDue(_ due: Instant) -> Bool {
    latest.time.nanoseconds &+ ProcessSampler.cadenceSlack >= due.nanoseconds
  }

  /// Notes how a zombie has ended. 0 is also shown for a process that may not be traced; its io, which has the same
  /// restriction, cannot be read either.
  private mutating func noteEnd(_ fields: StatFields) {
    guard fields.exitCode != 0 || files.io.read(as: IOFields.self).value != nil else { return }
    latest.processEnd = ProcessEnd(fields.exitCode)
  }

  /// - Parameter withSums: also takes the values that are added to those of the descendants, which are read at the same
  ///   time.
  mutating func readStat(withSums: Bool = true) {
    guard let fields = (try? files.stat.read(as: StatFields.self)) ?? nil else { return }
    latest.name = fields.name
    latest.state = fields.state
    latest.threads = .value(fields.threads)
    // If only its main thread has ended, the status is that of the thread.
    if fields.state == .zombie, fields.threads <= 1 { noteEnd(fields) }
    if cpuSource == .stat {
      let ticks = fields.userTicks &+ fields.systemTicks
      latest.setCPU(ticks &* units.tickNanoseconds)
    }
    rootFaults = fields.minorFaults
    rootExecution = fields.execution
    guard withSums else { return }
    latest.statTime = latest.time
    latest.minorFaults = .value(fields.minorFaults)
    latest.majorFaults = .value(fields.majorFaults)
    latest.systemNanoseconds = .value(fields.systemTicks &* units.tickNanoseconds)
    if tree?.countsReaped == true {
      tree?.root.reaped =
        (fields.childrenUserTicks &+ fields.childrenSystemTicks) &* units.tickNanoseconds
      combined.reapedMinorFaults = fields.childrenMinorFaults
      combined.reapedMajorFaults = fields.childrenMajorFaults
      combined.reapedSystemNanoseconds = fields.childrenSystemTicks &* units.tickNanoseconds
    }
  }

  /// Whether a process in state Z has ended as a whole; maybe only its main thread has.
  private func hasWhollyEnded() -> Bool {
    exit.hasHappened ?? (latest.threads.value ?? 0 <= 1)
  }
}

extension Sample {
  /// - Parameter nanoseconds: the CPU time of the process alone.
  fileprivate mutating func setCPU(_ nanoseconds: UInt64) {
    cpuNanoseconds = .value(nanoseconds)
    processCPUNanoseconds = .value(nanoseconds)
  }
}
