import CLinux
import PerfHUDBase

/// Samples a cgroup and all cgroups below it as if they were one process: attach once, then each call of `sample` makes
/// one sample.
///
/// The kernel itself adds up what the processes of a cgroup use, so nothing is lost, however short-lived they are. CPU
/// and memory are read at every sample, the rest once a second. A sample allocates nothing, except when cgroups below
/// it have come or gone, and once a second for the processes of v1.
///
/// | value | v2 | v1 |
/// |---|---|---|
/// | `cpuNanoseconds` | usage_usec of cpu.stat | cpuacct.usage |
/// | `systemNanoseconds` | system_usec of cpu.stat | none |
/// | `cgroupMemoryBytes` | memory.current | memory.usage_in_bytes |
/// | `anonymousBytes`, `pageTableBytes` | anon, pagetables of memory.stat | total_rss; none |
/// | `swapBytes` | memory.swap.current | total_swap of memory.stat |
/// | `residentBytes` | anon + file_mapped of memory.stat | total_rss + total_mapped_file |
/// | `threads`, `processes` | pids.current, lines of cgroup.procs of up to 256 cgroups | the same |
/// | faults | pgfault, pgmajfault of memory.stat | total_pgfault, total_pgmajfault |
/// | read, write | io.stat | blkio.throttle.io_service_bytes_recursive |
public struct CgroupSampler: ~Copyable, Sendable {
  public let target: CgroupTarget
  private static let lowRateInterval: UInt64 = 1_000_000_000
  private static let resolveInterval: Int64 = 5_000_000_000

  private var limits: LimitReader
  private let ownStatm: ProcFile?
  private let pageBytes = KernelUnits().pageBytes
  private var latest = Sample()
  private var count: UInt32 = 0
  private var lowRateDue = Instant(nanoseconds: 0)
  private let countsStorage: Bool
  private var processes: ProcessCount
  private var resolved = Instant(nanoseconds: 0)

  /// Attaches to a cgroup.
  ///
  /// - Throws: `SamplerError.noSuchCgroup` if it is gone, `.cgroupWithoutMetrics` if it has neither CPU
  ///   time nor memory.
  public init(_ target: CgroupTarget, root: String = "/proc") throws(SamplerError) {
    guard target.exists else { throw SamplerError.noSuchCgroup(target.path) }
    let reader = LimitReader(location: target.location, root: root)
    guard reader.cgroup.hasMetrics else { throw SamplerError.cgroupWithoutMetrics(target.path) }
    self.target = target
    limits = reader
    ownStatm = try? ProcFile(path: "/proc/self/statm", capacity: 256)
    countsStorage = CgroupReader.countsStorage(target.location)
    processes = ProcessCount(target.location)
    latest.name = target.name
    latest.cpuSource = .cgroup
    latest.pssBytes = .absent(.unsupported)
    latest.cpuWaitNanoseconds = .absent(.unsupported)
    latest.voluntarySwitches = .absent(.unsupported)
    latest.involuntarySwitches = .absent(.unsupported)
    latest.processCPUNanoseconds = .absent(.unsupported)
    latest.startTicks = processes.identity
  }

  /// Makes one sample. Once the cgroup has been removed, the sample says so (`hasEnded`) and has the last values;
  /// further calls return the same sample.
  public mutating func sample() -> Sample {
    guard !latest.hasEnded else { return latest }
    let time = Instant.now()
    let (cpu, system) = limits.cgroup.cpuTime
    let current = limits.cgroup.memoryBytes
    latest.sequence = count
    count &+= 1
    latest.time = time
    latest.ownCPUNanoseconds = readClock(CLOCK_PROCESS_CPUTIME_ID) ?? 0
    if cpu == .absent(.ended) || current == .absent(.ended) {
      latest.hasEnded = true
      latest.state = .dead
      return latest
    }
    latest.statTime = time
    latest.cpuNanoseconds = cpu
    latest.systemNanoseconds = system
    latest.cgroupMemoryBytes = current
    readMemory()
    if time.nanoseconds &+ ProcessSampler.cadenceSlack >= lowRateDue.nanoseconds {
      lowRateDue = Instant(nanoseconds: time.nanoseconds &+ CgroupSampler.lowRateInterval)
      readLowRateValues()
    }
    return latest
  }

  private mutating func readMemory() {
    switch limits.cgroup.memory {
    case .value(let fields):
      let anonymous = fields.anonymousBytes ?? 0
      latest.anonymousBytes = .value(anonymous)
      latest.residentBytes = .value(anonymous &+ (fields.mappedFileBytes ?? 0))
      latest.pageTableBytes =
        fields.pageTableBytes.map { .value($0) } ?? .absent(.unsupported)
      latest.swapBytes =
        fields.swapBytes.map { .value($0) } ?? limits.cgroup.swapBytes
      latest.minorFaults = fields.faults.map { .value($0) } ?? .absent(.unsupported)
      latest.majorFaults = fields.majorFaults.map { .value($0) } ?? .absent(.unsupported)
    case .absent(let reason):
      latest.anonymousBytes = .absent(reason)
      latest.residentBytes = .absent(reason)
      latest.pageTableBytes = .absent(reason)
      latest.swapBytes = .absent(reason)
      latest.minorFaults = .absent(reason)
      latest.majorFaults = .absent(reason)
    }
  }

  private mutating func readLowRateValues() {
    latest.lowRateTime = latest.time
    latest.ioTime = latest.time
    latest.throttledNanoseconds = limits.cgroup.throttledNanoseconds
    latest.pressure = limits.cgroup.pressure
    let storage = countsStorage ? limits.cgroup.storage : .absent(.unsupported)
    latest.readBytes = storage.map { $0.readBytes }
    latest.writeBytes = storage.map { $0.writeBytes }
    let limit = limits.read(now: latest.time, affinity: nil)
    latest.limitBytes = limit.memoryBytes.map { .value($0) } ?? .absent(.unsupported)
    latest.limitSource = limit.memorySource
    latest.limitUsedBytes = limit.usedBytes
    latest.usableProcessors = limit.processors.map { .value($0) } ?? .absent(.unsupported)
    latest.memoryEvents.high = limit.high
    latest.memoryEvents.max = limit.max
    latest.memoryEvents.oomKills = limits.cgroup.memoryEvents.oomKills
    if latest.time.nanoseconds(since: resolved) >= CgroupSampler.resolveInterval {
      resolved = latest.time
      processes.resolve(target.location)
    }
    latest.processes = processes.count
    latest.countsAllProcesses = processes.isWhole
    latest.threads = limits.cgroup.tasks.map { UInt32(clamping: $0) }
    if let own = (try? ownStatm?.read(as: StatmFields.self)) ?? nil {
      latest.ownAnonymousBytes = own.anonymousPages &* pageBytes
    }
  }
}

/// The number of processes in a cgroup and below: the lines of `cgroup.procs`.
private struct ProcessCount: Sendable {
  /// The maximum number of cgroups that are read; their files stay open.
  private static let limit = 256

  private var files: [CountedFile] = []
  private var paths: [String] = []
  /// Whether no cgroup was left out.
  private(set) var isWhole = true
  /// The inode of the directory, which differs after the cgroup was removed and created again.
  private(set) var identity: UInt64 = 0

  init(_ location: CgroupLocation) {
    identity = location.hierarchies.first.map { inode(of: $0.directories[0]) } ?? 0
    resolve(location)
  }

  mutating func resolve(_ location: CgroupLocation) {
    guard let own = location.hierarchies.first?.directories.first else { return }
    var found: [String] = []
    var waiting = [own]
    while found.count < ProcessCount.limit, let path = waiting.popLast() {
      found.append(path)
      waiting += subdirectories(of: path).map { "\(path)/\($0)" }
    }
    isWhole = waiting.isEmpty
    guard found != paths else { return }
    paths = found
    let isV1 = location.hierarchies.first?.isUnified == false
    files = found.compactMap { CountedFile("\($0)/cgroup.procs", isV1: isV1) }
  }

  var count: UInt32 {
    var total: UInt32 = 0
    for index in files.indices { total &+= files[index].lines }
    return total
  }
}

/// An open file whose lines are counted. A class, because arrays cannot contain noncopyable values.
private final class CountedFile: Sendable {
  private let file: ProcFile
  /// The path of a file of v1, which is opened for each reading: as long as a descriptor is read more often than once a
  /// second, the kernel answers with the list of the first reading (`cgroup_pidlist_start` in cgroup-v1.c).
  private let pathV1: String?

  init?(_ path: String, isV1: Bool) {
    guard let file = try? ProcFile(path: path, capacity: CountedFile.capacity) else { return nil }
    self.file = file
    pathV1 = isV1 ? path : nil
  }

  private static let capacity = 4096

  var lines: UInt32 {
    guard let pathV1 else { return CountedFile.lines(of: file) }
    guard let file = try? ProcFile(path: pathV1, capacity: CountedFile.capacity) else { return 0 }
    return CountedFile.lines(of: file)
  }

  private static func lines(of file: borrowing ProcFile) -> UInt32 {
    var count: UInt32 = 0
    try? file.withPieces { bytes in
      for index in 0..<bytes.byteCount
      where FieldCursor.byte(at: index, in: bytes) == UInt8(ascii: "\n") { count += 1 }
    }
    return count
  }
}
