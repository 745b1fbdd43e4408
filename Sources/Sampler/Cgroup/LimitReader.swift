import CLinux
import PerfHUDBase

/// The limits of a process, at one sample.
struct ResourceLimits: Equatable {
  /// The least memory limit in bytes, and what sets it; `nil` if not even the machine's is known.
  var memoryBytes: UInt64?
  var memorySource = MemoryLimitSource.physical
  /// How much of the limit is used by everything that it limits: for a cgroup its memory, without file pages that the
  /// kernel can reclaim at once. Absent for the other sources, where the caller knows who uses the memory.
  var usedBytes = Reading<UInt64>.absent(.unsupported)
  /// The memory events of the cgroup that sets the limit.
  var high = Reading<UInt64>.absent(.unsupported)
  var max = Reading<UInt64>.absent(.unsupported)
  /// The processors that it may use; a fraction if a quota limits their time. `nil` if unknown.
  var processors: Double?

  /// - Returns: whether it is the least so far.
  @discardableResult
  mutating func lower(memoryTo bytes: UInt64, by source: MemoryLimitSource) -> Bool {
    if let least = memoryBytes, least <= bytes { return false }
    memoryBytes = bytes
    memorySource = source
    return true
  }
}

/// Reads the limits of a process or of a cgroup: those of the cgroup and all its ancestors, of the process, and of the
/// machine. It also keeps the files of the cgroup open.
///
/// The files stay open. Every 5 s it checks whether the process has moved to another cgroup or its cgroup has other
/// controllers; only then is anything opened or allocated. A limit above the root of a container's cgroup namespace
/// cannot be seen from inside the container.
///
/// Source: memory.max, memory.high, cpu.max, cpuset.cpus.effective (v2); memory.limit_in_bytes,
/// cpu.cfs_quota_us, cpu.cfs_period_us, cpuset.effective_cpus (v1); `prlimit(2)`; `/proc/meminfo`;
/// `/sys/devices/system/cpu/online`.
// No other value has a reference to its files, hence the unchecked Sendable.
struct LimitReader: ~Copyable, @unchecked Sendable {
  private static let resolveInterval: Int64 = 5_000_000_000
  /// From this share of the memory limit on, the limits are read each time.
  private static let nearLimit = 0.8

  private let root: String
  /// The prefix of absolute paths: empty, or the tree that a captured /proc belongs to.
  private let prefix: String
  private let cgroupFile: ProcFile?
  private var files: [LimitFile] = []
  private var signature: UInt64 = 0
  private var resolved: Instant?
  /// What was read last, without the use of the limit; what it was read with, and the file that sets the memory limit.
  private var limits = ResourceLimits()
  private var affinity: ProcessorSet?
  private var least: Int?
  /// The process whose RLIMIT_AS is read; `nil` if system calls do not know the process by this pid.
  private let ownLimitPid: Int32?
  /// The cgroup that the caller named; `nil` for the cgroup of a process, which may change.
  private let fixedLocation: CgroupLocation?
  /// The values of the cgroup.
  private(set) var cgroup: CgroupReader
  /// Whether the last `read` found the process in another cgroup, whose counters are different ones.
  private(set) var hasMoved = false

  init(directory: borrowing ProcDirectory, root: String, ownLimitPid: Int32?) {
    self.root = root
    self.ownLimitPid = ownLimitPid
    prefix = root.hasSuffix("/proc") ? String(root.dropLast(5)) : root
    cgroupFile = try? directory.file("cgroup", capacity: 4096)
    fixedLocation = nil
    cgroup = CgroupReader(CgroupLocation(), root: "")
  }

  /// Reads the limits of a cgroup.
  init(location: CgroupLocation, root: String) {
    self.root = root
    ownLimitPid = nil
    prefix = root.hasSuffix("/proc") ? String(root.dropLast(5)) : root
    cgroupFile = nil
    fixedLocation = location
    cgroup = CgroupReader(location, root: root)
  }

  /// Reads how much of the memory limit is used and, every 5 s or if 80 % of it are used, the limits themselves.
  ///
  /// - Parameter affinity: the processors that the process may run on.
  mutating func read(now: Instant, affinity: ProcessorSet?) -> ResourceLimits {
    hasMoved = false
    let slack = Int64(ProcessSampler.cadenceSlack)
    let isDue =
      resolved.map { now.nanoseconds(since: $0) + slack >= LimitReader.resolveInterval } ?? true
    if isDue {
      resolved = now
      resolveIfMoved()
    }
    let isRead = isDue || affinity != self.affinity
    if isRead { readLimits(affinity) }
    let limits = withUse()
    guard !isRead, let used = limits.usedBytes.value, let most = limits.memoryBytes,
      Double(used) >= LimitReader.nearLimit * Double(most)
    else { return limits }
    // So close to it, the limit may have been raised since.
    readLimits(affinity)
    return withUse()
  }

  /// The limits that were read last, with how much of the memory limit is in use now.
  private func withUse() -> ResourceLimits {
    var limits = limits
    if let least { files[least].addUse(to: &limits) }
    return limits
  }

  /// The memory events up to now, of a process that may have ended.
  mutating func memoryEvents() -> MemoryEvents {
    let limits = withUse()
    var events = MemoryEvents()
    events.high = limits.high
    events.max = limits.max
    events.oomKills = cgroup.memoryEvents.oomKills
    return events
  }

  private mutating func readLimits(_ affinity: ProcessorSet?) {
    self.affinity = affinity
    limits = ResourceLimits()
    least = nil
    var set = affinity
    var leastQuota = Double.infinity
    var quota: UInt64?
    // By index: without optimization, an array's iterator allocates at each step.
    for index in files.indices {
      switch files[index].read() {
      case .memory(let bytes, let source):
        if limits.lower(memoryTo: bytes, by: source) { least = index }
      case .processors(let found):
        if set == nil { set = found } else { set?.formIntersection(found) }
      case .quota(let microseconds): quota = microseconds
      case .period(let microseconds):
        if let quota, microseconds > 0 {
          leastQuota = min(leastQuota, Double(quota) / Double(microseconds))
        }
        quota = nil
      case .share(let processors): leastQuota = min(leastQuota, processors)
      case .nothing: break
      }
    }
    if let ownLimitPid {
      var bytes = UInt64.max
      // The kernel may refuse to report another user's limits; then only the other limits count.
      if unsafe perfhud_address_space_limit(ownLimitPid, &bytes) == 0, bytes != .max,
        limits.lower(memoryTo: bytes, by: .addressSpace)
      {
        least = nil
      }
    }
    if let count = set?.count, count > 0 {
      limits.processors = min(Double(count), leastQuota)
    } else if leastQuota.isFinite {
      limits.processors = leastQuota
    }
  }

  /// Opens other files if the open ones belong to another cgroup.
  private mutating func resolveIfMoved() {
    guard files.isEmpty || currentSignature() != signature else { return }
    hasMoved = !files.isEmpty
    open()
    signature = currentSignature()
  }

  /// A value that changes when the process moves to another cgroup, or its cgroup gets other controllers.
  private func currentSignature() -> UInt64 {
    var signature = (try? cgroupFile?.withBytes { hash($0, seed: 0) }) ?? 0
    for index in files.indices where files[index].kind == .controllers {
      signature = files[index].hash(seed: signature)
    }
    return signature
  }

  private mutating func open() {
    files.removeAll()
    add(.memoryTotal, "\(root)/meminfo")
    add(.processors, "\(prefix)/sys/devices/system/cpu/online")
    let location = fixedLocation ?? currentLocation()
    for hierarchy in location.hierarchies {
      if hierarchy.isUnified {
        openUnified(hierarchy.directories)
      } else {
        openV1(hierarchy.directories, controllers: hierarchy.controllers)
      }
    }
    if fixedLocation == nil { cgroup = CgroupReader(location, root: root) }
  }

  /// The cgroup that the process is in.
  private func currentLocation() -> CgroupLocation {
    let text = (try? cgroupFile?.withBytes { string($0) }) ?? ""
    let mountText = (try? readFile("\(root)/self/mountinfo", limit: 1 << 24)) ?? []
    let mounts = CgroupMount.parse(String(decoding: mountText, as: UTF8.self))
    return CgroupLocation(of: CgroupMembership.parse(text), mounts: mounts, prefix: prefix)
  }

  private mutating func openUnified(_ directories: [String]) {
    if let own = directories.first { add(.controllers, "\(own)/cgroup.controllers") }
    for directory in directories {
      add(.memoryMax, "\(directory)/memory.max")
      add(.memoryHigh, "\(directory)/memory.high")
      add(.cpuMax, "\(directory)/cpu.max")
    }
    // The effective set of a cgroup already reflects what its ancestors allow.
    for directory in directories {
      if add(.processors, "\(directory)/cpuset.cpus.effective") { break }
    }
  }

  private mutating func openV1(_ directories: [String], controllers: [String]) {
    for directory in directories {
      if controllers.contains("memory") {
        add(.memoryV1, "\(directory)/memory.limit_in_bytes")
      }
      if controllers.contains("cpu"), add(.quota, "\(directory)/cpu.cfs_quota_us") {
        add(.period, "\(directory)/cpu.cfs_period_us")
      }
    }
    guard controllers.contains("cpuset"), let own = directories.first else { return }
    if !add(.processors, "\(own)/cpuset.effective_cpus") {
      add(.processors, "\(own)/cpuset.cpus")
    }
  }

  @discardableResult
  private mutating func add(_ kind: LimitFile.Kind, _ path: String) -> Bool {
    guard let file = LimitFile(kind, path: path) else { return false }
    files.append(file)
    return true
  }
}

/// An open file with one limit. A class, because arrays cannot contain noncopyable values.
final class LimitFile {
  enum Kind {
    case memoryTotal, memoryMax, memoryHigh, memoryV1
    case cpuMax, quota, period, processors, controllers
  }

  enum Limit {
    case memory(UInt64, MemoryLimitSource)
    case processors(ProcessorSet)
    /// A v1 quota in microseconds; the next file has its period.
    case quota(UInt64)
    case period(UInt64)
    /// The number of processors that a v2 quota amounts to.
    case share(Double)
    case nothing
  }

  let kind: Kind
  private let file: ProcFile
  private let path: String
  /// What is used of the limit; opened when this limit is the lowest for the first time.
  private var use: LimitUse?

  init?(_ kind: Kind, path: String) {
    guard let file = try? ProcFile(path: path, capacity: 1024) else { return nil }
    self.kind = kind
    self.file = file
    self.path = path
  }

  /// Fills in the used part of the limit, and the memory events of the cgroup.
  func addUse(to limits: inout ResourceLimits) {
    switch kind {
    case .memoryMax, .memoryHigh, .memoryV1: break
    default: return
    }
    if use == nil {
      use = LimitUse(
        directory: path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" },
        isV1: kind == .memoryV1)
    }
    use?.read(into: &limits)
  }

  /// The current limit in the file; nothing for `max`, -1 and a removed cgroup.
  func read() -> Limit {
    let kind = kind
    return (try? file.withBytes { LimitFile.parse($0, kind: kind) }) ?? .nothing
  }

  /// A hash of the text of the file, to see whether it has changed.
  func hash(seed: UInt64) -> UInt64 {
    (try? file.withBytes { Sampler.hash($0, seed: seed) }) ?? seed
  }

  static func parse(_ bytes: RawSpan, kind: Kind) -> Limit {
    var cursor = FieldCursor()
    switch kind {
    case .memoryTotal:
      return MeminfoFields(bytes).map { .memory($0.totalBytes, .physical) } ?? .nothing
    case .processors: return ProcessorSet(list: bytes).map { .processors($0) } ?? .nothing
    case .controllers: return .nothing
    case .memoryMax, .memoryHigh, .memoryV1, .cpuMax, .quota, .period: break
    }
    guard let number = cursor.nextUnsigned(in: bytes) else { return .nothing }
    switch kind {
    case .memoryMax: return .memory(number, .cgroupMax)
    case .memoryHigh: return .memory(number, .cgroupHigh)
    // "None" is the largest multiple of the page size below 2^63.
    case .memoryV1: return number >= 1 << 62 ? .nothing : .memory(number, .cgroupMax)
    case .cpuMax:
      guard let period = cursor.nextUnsigned(in: bytes), period > 0 else { return .nothing }
      return .share(Double(number) / Double(period))
    case .quota: return .quota(number)
    case .period: return .period(number)
    case .memoryTotal, .processors, .controllers: return .nothing
    }
  }
}

/// The files with the use of a cgroup's memory.
private struct LimitUse: ~Copyable {
  private let current: OptionalFile
  private let stat: OptionalFile
  private let events: OptionalFile
  private let isV1: Bool

  init(directory: String, isV1: Bool) {
    self.isV1 = isV1
    current = OptionalFile(
      path: directory + (isV1 ? "/memory.usage_in_bytes" : "/memory.current"), capacity: 64)
    stat = OptionalFile(
      path: "\(directory)/memory.stat", capacity: CgroupMemoryFields.capacity)
    events = OptionalFile(
      path: directory + (isV1 ? "/memory.failcnt" : "/memory.events"), capacity: 512)
  }

  mutating func read(into limits: inout ResourceLimits) {
    let inactive = stat.read(as: CgroupMemoryFields.self).value?.inactiveFileBytes ?? 0
    limits.usedBytes = current.read(as: NumberField.self).map {
      $0.value > inactive ? $0.value - inactive : 0
    }
    if isV1 {
      limits.max = events.read(as: NumberField.self).map { $0.value }
      return
    }
    let fields = events.read(as: CgroupEventFields.self)
    limits.high = fields.value?.high.map { .value($0) } ?? .absent(.unsupported)
    limits.max = fields.value?.max.map { .value($0) } ?? .absent(.unsupported)
  }
}

/// A hash that differs for two texts of the same file.
private func hash(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
  var hash = FNV1a(seed: seed)
  hash.combine(bytes)
  return hash.value
}

private func string(_ bytes: RawSpan) -> String {
  String(
    decoding: (0..<bytes.byteCount).map { FieldCursor.byte(at: $0, in: bytes) }, as: UTF8.self)
}
