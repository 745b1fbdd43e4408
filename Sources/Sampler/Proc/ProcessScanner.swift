import CLinux
import Glibc
import PerfHUDBase

/// A process that the user may choose.
public struct ProcessCandidate: Sendable {
  public var target: Target
  /// The number of the effective user.
  public var user: UInt32
  /// As the kernel keeps it: not yet safe for a terminal.
  public var name: ProcessName
  /// The arguments, harmless for a terminal; the name in brackets without arguments.
  public var commandLine: String
  /// CPU time since its start, in nanoseconds.
  public var cpuNanoseconds: UInt64
  /// Its share of one processor since the scan before, in percent; `nil` after the first one.
  public var cpuPercent: Double?
  /// Private anonymous memory, swap and page tables, as for the footprint of a target; `nil` where it cannot be read.
  public var memoryBytes: UInt64?

  public init(
    target: Target, user: UInt32, name: ProcessName, commandLine: String,
    cpuNanoseconds: UInt64 = 0, cpuPercent: Double? = nil, memoryBytes: UInt64? = nil
  ) {
    self.target = target
    self.user = user
    self.name = name
    self.commandLine = commandLine
    self.cpuNanoseconds = cpuNanoseconds
    self.cpuPercent = cpuPercent
    self.memoryBytes = memoryBytes
  }
}

/// Lists all processes whose stat can be read, except perfhud itself, kernel threads and zombies.
///
/// CPU time comes from the process clock, in nanoseconds. Where the pids in /proc are not those of the clocks, it is
/// counted in ticks. A scan allocates.
///
/// Source: `/proc/PID/stat`, `statm`, `status`, `cmdline`; the owner of `/proc/PID` (proc(5)); `clock_getcpuclockid(3)`.
// No other value has a reference to the buffer, hence the unchecked Sendable.
@safe public struct ProcessScanner: ~Copyable, @unchecked Sendable {
  /// What the previous scan found out about a process.
  private struct Known {
    var startTicks: UInt64
    var name: ProcessName
    var isForked: Bool
    /// `nil` if it was empty, as in the middle of an exec.
    var commandLine: String?
    var cpuNanoseconds: UInt64
    var time: Instant
  }

  private static let lineLimit = 4096

  private let root: String
  private let hasClocks: Bool
  private let units = KernelUnits()
  private let buffer: UnsafeMutableRawBufferPointer
  private var known: [Int32: Known] = [:]
  /// The time that the last scan took, in nanoseconds.
  public private(set) var cost: Int64 = 0

  /// - Parameter root: where /proc is mounted.
  public init(root: String = "/proc") {
    self.root = root
    hasClocks = ProcMount.showsOurNamespace(root: root)
    unsafe buffer = .allocate(
      byteCount: max(ProcessScanner.lineLimit, StatusFields.capacity), alignment: 8)
  }

  deinit { unsafe buffer.deallocate() }

  /// Reads all processes, in the order of /proc.
  ///
  /// - Parameter only: the processes to read; `nil` reads all.
  /// - Throws: `SamplerError.procUnusable`.
  public mutating func scan(only: Set<Target>? = nil) throws(SamplerError) -> [ProcessCandidate] {
    let start = Instant.now()
    let raw = unsafe open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0, ProcMount.isUsable(root: root) else {
      if raw >= 0 { close(raw) }
      throw .procUnusable(root: root)
    }
    let directory = Descriptor(owning: raw)
    var pids: [Int32] = []
    NumberedFiles.forEach(in: root) { pids.append($0) }
    var found: [ProcessCandidate] = []
    var next: [Int32: Known] = [:]
    for pid in pids where !(hasClocks && pid == getpid()) {
      guard let candidate = read(pid, in: directory.raw, into: &next) else { continue }
      if let only, !only.contains(candidate.target) { continue }
      found.append(candidate)
    }
    known = next
    cost = Instant.now().nanoseconds(since: start)
    return found
  }

  private func read(
    _ pid: Int32, in directory: Int32, into next: inout [Int32: Known]
  ) -> ProcessCandidate? {
    guard
      let stat = unsafe NumberedFiles.read(
        pid, "/stat", in: directory, into: buffer, as: StatFields.self),
      !stat.isKernelThread, !stat.hasEnded
    else { return nil }
    let time = Instant.now()
    let ticks = (stat.userTicks &+ stat.systemTicks) &* units.tickNanoseconds
    let cpu = (hasClocks ? readClock(clockid_t(~pid << 3 | 2)) : nil) ?? ticks
    var before = known[pid]
    if before?.startTicks != stat.startTicks { before = nil }
    // An exec changes the name, or clears the mark of a process that was only forked.
    let hasLine = before?.name == stat.name && before?.isForked == stat.isForked
    let line = (hasLine ? before?.commandLine : nil) ?? commandLine(of: pid, in: directory)
    var percent: Double?
    if let before, case let elapsed = time.nanoseconds(since: before.time), elapsed > 0 {
      percent = 100 * Double(cpu - min(before.cpuNanoseconds, cpu)) / Double(elapsed)
    }
    next[pid] = Known(
      startTicks: stat.startTicks, name: stat.name, isForked: stat.isForked, commandLine: line,
      cpuNanoseconds: cpu, time: time)
    return ProcessCandidate(
      target: Target(pid: pid, startTicks: stat.startTicks),
      user: owner(of: pid, in: directory), name: stat.name,
      commandLine: line ?? "[\(stat.name.text)]",
      cpuNanoseconds: cpu, cpuPercent: percent,
      memoryBytes: footprint(of: pid, in: directory))
  }

  /// Swap and page tables count as 0 where status cannot be read.
  private func footprint(of pid: Int32, in directory: Int32) -> UInt64? {
    let memory = unsafe NumberedFiles.read(
      pid, "/statm", in: directory, into: buffer, as: StatmFields.self)
    guard let memory else { return nil }
    let status = unsafe NumberedFiles.read(
      pid, "/status", in: directory, into: buffer, as: StatusFields.self)
    return memory.anonymousPages &* units.pageBytes &+ (status?.swapBytes ?? 0)
      &+ (status?.pageTableBytes ?? 0)
  }

  /// As ps shows it: arguments separated by blanks. `nil` if it is empty.
  private func commandLine(of pid: Int32, in directory: Int32) -> String? {
    let file = NumberedFiles.open(pid, "/cmdline", in: directory)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let count = unsafe pread(file, buffer.baseAddress, ProcessScanner.lineLimit, 0)
    var bytes = unsafe [UInt8](buffer.prefix(max(0, count)))
    while bytes.last == 0 { bytes.removeLast() }
    guard !bytes.isEmpty else { return nil }
    for index in bytes.indices where bytes[index] == 0 { bytes[index] = 0x20 }
    return SafeText.clean(bytes: bytes)
  }

  /// The effective user. The owner of the directory is correct even for a process that is not dumpable.
  private func owner(of pid: Int32, in directory: Int32) -> UInt32 {
    var status = Glibc.stat()
    guard unsafe fstatat(directory, "\(pid)", &status, 0) == 0 else { return .max }
    return status.st_uid
  }
}
