import Glibc
import PerfHUDBase

/// The total time for which tasks were stalled because they lacked a resource, in microseconds.
///
/// `some`: at least one task waited; `full`: all that were not idle did. Source: the `total` fields of PSI,
/// `cpu.pressure`, `memory.pressure` and `io.pressure` of a cgroup, or `/proc/pressure/*`.
public struct PressureTotals: BitwiseCopyable, Sendable, Equatable {
  public var cpuSome = Reading<UInt64>.absent(.pending)
  public var cpuFull = Reading<UInt64>.absent(.pending)
  public var memorySome = Reading<UInt64>.absent(.pending)
  public var memoryFull = Reading<UInt64>.absent(.pending)
  public var ioSome = Reading<UInt64>.absent(.pending)
  public var ioFull = Reading<UInt64>.absent(.pending)
  /// Whether these are the totals of the target's cgroup; otherwise those of the whole machine.
  public var isOfCgroup = false

  public init() {}
}

/// The events of a cgroup at its memory limits.
public struct MemoryEvents: BitwiseCopyable, Sendable, Equatable {
  /// How often the cgroup went over memory.high and was slowed down.
  public var high = Reading<UInt64>.absent(.pending)
  /// How often it was about to go over memory.max; v1: memory.failcnt.
  public var max = Reading<UInt64>.absent(.pending)
  /// The number of its processes that the kernel killed because memory ran out.
  public var oomKills = Reading<UInt64>.absent(.pending)

  public init() {}
}

/// Reads the values of one cgroup, and the pressure on it or else on the machine.
///
/// The files stay open; a sample allocates nothing. A file of a cgroup that has been removed fails with
/// `ENODEV`.
///
/// Source: cpu.stat, memory.current, memory.swap.current, memory.stat, memory.events, io.stat,
/// pids.current, `*.pressure` (v2); cpuacct.usage, cpu.stat, memory.usage_in_bytes, memory.stat,
/// memory.failcnt, memory.oom_control, blkio.throttle.io_service_bytes_recursive, pids.current (v1);
/// `/proc/pressure/*`.
struct CgroupReader: ~Copyable, Sendable {
  private let usage: OptionalFile
  private let cpuStat: OptionalFile
  private let current: OptionalFile
  private let swap: OptionalFile
  private let memoryStat: OptionalFile
  private let events: OptionalFile
  private let failCount: OptionalFile
  private let io: OptionalFile
  private let pids: OptionalFile
  private let cpuPressure: OptionalFile
  private let memoryPressure: OptionalFile
  private let ioPressure: OptionalFile
  private let hasOwnPressure: Bool
  private let isMemoryV1: Bool

  /// - Parameters:
  ///   - location: the directories of the cgroup.
  ///   - root: where /proc is mounted.
  init(_ location: CgroupLocation, root: String) {
    let unified = location.unified
    let cpuacct = location.directory(of: "cpuacct")
    let cpu = location.directory(of: "cpu")
    let memory = location.directory(of: "memory")
    func open(_ directory: String?, _ name: String, _ capacity: Int = 1024) -> OptionalFile {
      OptionalFile(path: directory.map { "\($0)/\(name)" }, capacity: capacity)
    }
    isMemoryV1 = memory != nil
    usage = open(cpuacct, "cpuacct.usage")
    cpuStat = open(cpu ?? unified, "cpu.stat")
    current =
      memory != nil ? open(memory, "memory.usage_in_bytes") : open(unified, "memory.current")
    swap =
      memory != nil ? OptionalFile(path: nil, capacity: 0) : open(unified, "memory.swap.current")
    memoryStat = open(memory ?? unified, "memory.stat", CgroupMemoryFields.capacity)
    events = open(memory ?? unified, memory != nil ? "memory.oom_control" : "memory.events")
    failCount = open(memory, "memory.failcnt")
    io =
      if let blkio = location.directory(of: "blkio") {
        open(blkio, CgroupReader.storageV1, CgroupIOFields.capacity)
      } else {
        open(unified, "io.stat", CgroupIOFields.capacity)
      }
    pids = open(location.directory(of: "pids") ?? unified, "pids.current")
    // Only the root cgroup lacks this file; its values are those of the machine.
    let inner = unified.flatMap { unsafe access("\($0)/cgroup.events", F_OK) == 0 ? $0 : nil }
    let own = inner.flatMap { unsafe access("\($0)/cpu.pressure", R_OK) == 0 ? $0 : nil }
    hasOwnPressure = own != nil
    func pressure(_ name: String) -> OptionalFile {
      OptionalFile(
        path: own.map { "\($0)/\(name).pressure" } ?? "\(root)/pressure/\(name)", capacity: 512)
    }
    cpuPressure = pressure("cpu")
    memoryPressure = pressure("memory")
    ioPressure = pressure("io")
  }

  /// Whether the kernel accounts CPU time or memory for this cgroup.
  var hasMetrics: Bool {
    cpuTime.total.value != nil || memoryBytes.value != nil
  }

  /// CPU time of all that ever ran in the cgroup or below, and the part of it that was spent in the kernel, in
  /// nanoseconds. Of the same read; cpuacct.usage does not have the part.
  var cpuTime: (total: Reading<UInt64>, system: Reading<UInt64>) {
    let exact = usage.read(as: NumberField.self)
    // A removed cgroup has no other source either.
    if exact.isEnded { return (.absent(.ended), .absent(.ended)) }
    if let total = exact.value { return (.value(total.value), .absent(.unsupported)) }
    switch cpuStat.read(as: CgroupCPUFields.self) {
    case .absent(let reason): return (.absent(reason), .absent(reason))
    case .value(let found):
      return (
        found.usageNanoseconds.map { .value($0) } ?? exact.map { $0.value },
        found.systemNanoseconds.map { .value($0) } ?? .absent(.unsupported)
      )
    }
  }

  /// Time for which the quota held the cgroup back, in nanoseconds.
  var throttledNanoseconds: Reading<UInt64> {
    let field = cpuStat.read(as: CgroupCPUFields.self)
    guard case .value(let found) = field else { return field.map { _ in 0 } }
    return found.throttledNanoseconds.map { .value($0) } ?? .absent(.unsupported)
  }

  /// All memory that is charged to the cgroup, in bytes.
  var memoryBytes: Reading<UInt64> { current.read(as: NumberField.self).map { $0.value } }

  var memory: Reading<CgroupMemoryFields> { memoryStat.read(as: CgroupMemoryFields.self) }

  var swapBytes: Reading<UInt64> { swap.read(as: NumberField.self).map { $0.value } }

  var tasks: Reading<UInt64> { pids.read(as: NumberField.self).map { $0.value } }

  var storage: Reading<CgroupIOFields> { io.read(as: CgroupIOFields.self) }

  private static let storageV1 = "blkio.throttle.io_service_bytes_recursive"

  /// Whether the kernel counts the storage I/O of cgroups. With v1, a kernel that does not has no device even in the
  /// highest cgroup.
  static func countsStorage(_ location: CgroupLocation) -> Bool {
    guard let highest = location.directories(of: "blkio").last else { return true }
    let file = OptionalFile(path: "\(highest)/\(storageV1)", capacity: CgroupIOFields.capacity)
    return file.read(as: CgroupIOFields.self).value?.hasDevices == true
  }

  var memoryEvents: MemoryEvents {
    var result = MemoryEvents()
    func field(
      _ fields: Reading<CgroupEventFields>, _ value: (CgroupEventFields) -> UInt64?
    ) -> Reading<UInt64> {
      switch fields {
      case .value(let found): value(found).map { .value($0) } ?? .absent(.unsupported)
      case .absent(let reason): .absent(reason)
      }
    }
    let fields = events.read(as: CgroupEventFields.self)
    result.high = isMemoryV1 ? .absent(.unsupported) : field(fields) { $0.high }
    result.max =
      isMemoryV1
      ? failCount.read(as: NumberField.self).map { $0.value } : field(fields) { $0.max }
    result.oomKills = field(fields) { $0.oomKills }
    return result
  }

  var pressure: PressureTotals {
    var result = PressureTotals()
    result.isOfCgroup = hasOwnPressure
    func take(
      _ file: borrowing OptionalFile, _ some: inout Reading<UInt64>, _ full: inout Reading<UInt64>
    ) {
      let fields = file.read(as: PressureFields.self)
      some = fields.map { $0.someMicroseconds }
      full =
        switch fields {
        case .value(let found):
          found.fullMicroseconds.map { .value($0) } ?? .absent(.unsupported)
        case .absent(let reason): .absent(reason)
        }
    }
    take(cpuPressure, &result.cpuSome, &result.cpuFull)
    take(memoryPressure, &result.memorySome, &result.memoryFull)
    take(ioPressure, &result.ioSome, &result.ioFull)
    return result
  }
}

extension Reading {
  /// Whether the read failed because the cgroup has been removed.
  fileprivate var isEnded: Bool {
    if case .absent(.ended) = self { true } else { false }
  }
}
