import PerfHUDBase

/// The state of a process, as its letter in `/proc/PID/stat`.
public enum ProcessState: UInt8, BitwiseCopyable, Sendable {
  case running = 0x52  // R
  case sleeping = 0x53  // S
  case diskSleep = 0x44  // D
  case stopped = 0x54  // T
  case traced = 0x74  // t
  case zombie = 0x5A  // Z
  case dead = 0x58  // X
  case idle = 0x49  // I
  case parked = 0x50  // P
  case unknown = 0x3F  // ?

  /// The letter that /proc shows.
  public var letter: UInt8 { rawValue }
}

/// The source of the memory limit of the target.
public enum MemoryLimitSource: UInt8, BitwiseCopyable, Sendable {
  /// The memory of the machine: MemTotal of /proc/meminfo.
  case physical
  /// memory.max of the cgroup or an ancestor (v1: memory.limit_in_bytes).
  case cgroupMax
  /// memory.high of the cgroup or an ancestor.
  case cgroupHigh
  /// RLIMIT_AS.
  case addressSpace
}

/// Where CPU time comes from.
public enum CPUSource: UInt8, BitwiseCopyable, Sendable {
  /// The process CPU clock, in nanoseconds.
  case processClock
  /// utime + stime of /proc/PID/stat, in clock ticks: /proc shows another pid namespace.
  case stat
  /// The account of a cgroup: cpu.stat or cpuacct.usage.
  case cgroup
}

/// The name of a process as the kernel keeps it: at most 15 bytes of anything but NUL.
///
/// The bytes are raw: make them harmless (`SafeText`) before they reach a terminal.
/// Source: field 2 of `/proc/PID/stat`, between the first `(` and the last `)`.
@frozen public struct ProcessName: BitwiseCopyable, Sendable, Equatable {
  public private(set) var count: UInt8 = 0
  private var bytes = InlineArray<15, UInt8>(repeating: 0)

  public init() {}

  /// Appends a byte; what does not fit is dropped.
  public mutating func append(_ byte: UInt8) {
    guard count < 15 else { return }
    bytes[Int(count)] = byte
    count += 1
  }

  public subscript(index: Int) -> UInt8 { bytes[index] }

  /// The name without anything that could harm a terminal.
  public var text: String { SafeText.clean(bytes: (0..<Int(count)).map { bytes[$0] }) }

  public static func == (a: ProcessName, b: ProcessName) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<Int(a.count) where a.bytes[index] != b.bytes[index] { return false }
    return true
  }
}

/// One sample of one process, or of a process and all its descendants
/// (`SamplerOptions.includesChildren`).
///
/// With descendants CPU time, faults and I/O are those of all processes that ever were in the tree and never fall;
/// memory and threads are sums over the living processes; pid, name, state, age, wait and limits are those of the
/// process itself.
///
/// Counters are cumulative; rates are computed from pairs of samples (Metrics). A missing value has a reason. A value
/// that is not read for every sample keeps its last value and the time of that read (`lowRateTime`).
public struct Sample: BitwiseCopyable, Sendable {
  /// Time of the sample of the CPU clock.
  public var time = Instant(nanoseconds: 0)
  /// 0 for the first sample; counts all samples, across all targets of a `SamplerThread`.
  public var sequence: UInt32 = 0
  public var pid: Int32 = 0
  /// How often the sampler had switched to another target before this sample (`SamplerRequest`).
  public var targetNumber: UInt32 = 0
  /// Start time of the process in clock ticks since boot: field 22 of /proc/PID/stat. Together with the pid it
  /// identifies a process uniquely.
  public var startTicks: UInt64 = 0
  public var name = ProcessName()
  /// How long the process has existed: CLOCK_BOOTTIME minus its start time.
  public var ageNanoseconds: UInt64 = 0
  public var state = ProcessState.unknown
  /// Whether the process has ended; the values are then those of the last sample before.
  public var hasEnded = false
  /// How the process has ended, if that could be read before its parent reaped it: field 52 of /proc/PID/stat, which only
  /// those see that may trace the process (proc(5)). `none` otherwise.
  public var processEnd = ProcessEnd.none
  public var cpuSource = CPUSource.processClock
  /// Whether the first values come from an interval shorter than the configured one.
  public var isProvisional = false

  /// CPU time of all threads, living and ended, in nanoseconds. With descendants, see `CPULedger`.
  public var cpuNanoseconds = Reading<UInt64>.absent(.pending)
  /// CPU time of the process alone, also if descendants are counted.
  public var processCPUNanoseconds = Reading<UInt64>.absent(.pending)
  /// The part of the CPU time that was spent in the kernel, as of `statTime`, in nanoseconds: field 15 of
  /// /proc/PID/stat, in whole clock ticks; with descendants also field 17. Of a cgroup: `system_usec` of cpu.stat (v2).
  public var systemNanoseconds = Reading<UInt64>.absent(.pending)
  /// The time for which threads were ready to run but waited for a processor, summed over the threads: field 2 of
  /// /proc/PID/task/TID/schedstat. With descendants, over those of all processes.
  public var cpuWaitNanoseconds = Reading<UInt64>.absent(.pending)
  /// Field 2 of /proc/PID/statm, in bytes.
  public var residentBytes = Reading<UInt64>.absent(.pending)
  /// Resident minus shared memory (fields 2 and 3 of /proc/PID/statm): private anonymous memory, in bytes.
  public var anonymousBytes = Reading<UInt64>.absent(.pending)
  /// The part of `residentBytes` and `anonymousBytes` that belongs to the process that reports phases
  /// (`SamplerRequest.setReporter`), otherwise to the process itself.
  public var reporter = ProcessMemory()
  /// The greatest resident memory that the process alone has had, as of `lowRateTime`; 0 if unknown. VmHWM of
  /// /proc/PID/status.
  public var peakResidentBytes: UInt64 = 0
  /// The number of children that the values do not include, as of `lowRateTime`; 0 with descendants, or if unknown.
  /// Children that a thread other than the main one has started are missing, and those after some 500.
  /// /proc/PID/task/PID/children.
  public var uncountedChildren: UInt32 = 0
  /// The part of `residentBytes` that is shared memory without a file on disk: RssShmem of /proc/PID/status.
  public var sharedMemoryBytes = Reading<UInt64>.absent(.pending)
  /// VmSwap of /proc/PID/status.
  public var swapBytes = Reading<UInt64>.absent(.pending)
  /// VmPTE of /proc/PID/status.
  public var pageTableBytes = Reading<UInt64>.absent(.pending)
  /// With descendants: private memory that `anonymousBytes` and `swapBytes` count more than once, since forked
  /// processes share it until one of them writes to it.
  public var sharedPrivateBytes: UInt64 = 0
  /// How much of that may no longer be shared.
  public var uncertainSharedBytes: UInt64 = 0
  /// Pss of /proc/PID/smaps_rollup; missing once the resident memory has changed much since that read.
  public var pssBytes = Reading<UInt64>.absent(.notRequested)
  /// The lowest of the limits of the target.
  public var limitBytes = Reading<UInt64>.absent(.pending)
  public var limitSource = MemoryLimitSource.physical
  /// Field 20 of /proc/PID/stat.
  public var threads = Reading<UInt32>.absent(.pending)
  /// The number of living processes that the values cover, without zombies.
  public var processes: UInt32 = 1
  /// Whether `processes` counts all of them: in a cgroup with very many cgroups below it, only some are counted.
  public var countsAllProcesses = true
  /// Descendants that did not fit: if there are any, the values are lower bounds.
  public var leftOutProcesses: UInt32 = 0
  /// Whether the values include the descendants of the process.
  public var includesChildren = false
  /// Descendants whose end left part of their CPU time unknown, since the start. If there are any, `cpuNanoseconds` is
  /// a lower bound.
  public var unknownEnds: UInt32 = 0
  /// The number of processors that the target may use: the least of affinity, cpuset and cpu.max.
  public var usableProcessors = Reading<Double>.absent(.pending)
  /// Fields 10 and 12 of /proc/PID/stat.
  public var minorFaults = Reading<UInt64>.absent(.pending)
  public var majorFaults = Reading<UInt64>.absent(.pending)
  /// read_bytes and write_bytes of /proc/PID/io: what storage had to read and write.
  public var readBytes = Reading<UInt64>.absent(.pending)
  public var writeBytes = Reading<UInt64>.absent(.pending)
  /// How often the threads gave up a processor to wait for something, and how often it was taken from
  /// them: `voluntary_ctxt_switches` and `nonvoluntary_ctxt_switches` of /proc/PID/task/TID/status.
  public var voluntarySwitches = Reading<UInt64>.absent(.pending)
  public var involuntarySwitches = Reading<UInt64>.absent(.pending)
  /// Whether threads or descendants may have ended between the last two reads of wait and switches. Their counts since
  /// the previous read, or all of them, are then missing. Switches never include those of the descendants.
  public var mayMissThreads = false
  /// The time for which a quota throttled the cgroup.
  public var throttledNanoseconds = Reading<UInt64>.absent(.pending)
  /// All memory that is charged to the cgroup: memory.current.
  public var cgroupMemoryBytes = Reading<UInt64>.absent(.pending)
  /// How much of the limit is used, by all processes that it applies to; see `LimitReader`.
  public var limitUsedBytes = Reading<UInt64>.absent(.pending)
  /// `high` and `max` come from the cgroup that sets the limit, `oomKills` from the target's own.
  public var memoryEvents = MemoryEvents()
  public var pressure = PressureTotals()
  /// When /proc/PID/stat was read, and so the time of state, name, threads, faults and system time.
  public var statTime = Instant(nanoseconds: 0)
  /// When swap, page tables, the limit, and all values of the cgroup and of pressure were read.
  public var lowRateTime = Instant(nanoseconds: 0)
  /// When wait and switches were read; their cost grows with the threads.
  public var threadTime = Instant(nanoseconds: 0)
  /// When io was read. Its cost grows with the threads, so with many of them it is read less often.
  public var ioTime = Instant(nanoseconds: 0)
  /// When PSS was read.
  public var pssTime = Instant(nanoseconds: 0)

  /// Samples that were due before this one but could not be made in time, since the start.
  public var missed: UInt32 = 0
  /// How late the sample was made, in nanoseconds.
  public var lateNanoseconds: UInt32 = 0
  /// perfhud's own CPU time (CLOCK_PROCESS_CPUTIME_ID) and resident private memory (/proc/self/statm).
  public var ownCPUNanoseconds: UInt64 = 0
  public var ownAnonymousBytes: UInt64 = 0

  public init() {}
}
