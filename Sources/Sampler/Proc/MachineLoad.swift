import Glibc
import PerfHUDBase

/// How busy all processors of the machine have been since it was booted.
public struct MachineLoad: BitwiseCopyable, Sendable, Equatable {
  /// The time for which processors were not idle, summed over all of them, in nanoseconds. Waiting for storage counts
  /// as busy. Source: `/proc/uptime`, whose steps are 10 ms.
  public var busyNanoseconds = Reading<UInt64>.absent(.pending)
  /// Time for which at least one task waited for a processor, in microseconds. Source:
  /// `/proc/pressure/cpu`, some.
  public var cpuPressureMicroseconds = Reading<UInt64>.absent(.pending)

  public init() {}
}

/// Reads the load of the machine. Costs two `pread(2)`.
public struct MachineLoadReader: ~Copyable {
  private let uptime: ProcFile?
  private let pressure: ProcFile?
  private let processors: UInt64

  /// - Parameter root: where /proc is mounted.
  public init(root: String = "/proc") {
    uptime = try? ProcFile(path: root + "/uptime", capacity: 128)
    pressure = try? ProcFile(path: root + "/pressure/cpu", capacity: 256)
    processors = UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  }

  public func read() -> MachineLoad {
    var load = MachineLoad()
    if let fields = (try? uptime?.read(as: UptimeFields.self)) ?? nil {
      let all = fields.uptimeNanoseconds &* processors
      load.busyNanoseconds = .value(all - min(all, fields.idleNanoseconds))
    } else {
      load.busyNanoseconds = .absent(.unsupported)
    }
    if let fields = (try? pressure?.read(as: PressureFields.self)) ?? nil {
      load.cpuPressureMicroseconds = .value(fields.someMicroseconds)
    } else {
      load.cpuPressureMicroseconds = .absent(.unsupported)
    }
    return load
  }
}

/// `/proc/uptime`: seconds since boot, and idle seconds summed over all processors, each with two decimals.
struct UptimeFields: ProcFields {
  var uptimeNanoseconds: UInt64
  var idleNanoseconds: UInt64

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    guard let uptime = UptimeFields.seconds(&cursor, bytes),
      let idle = UptimeFields.seconds(&cursor, bytes)
    else { return nil }
    uptimeNanoseconds = uptime
    idleNanoseconds = idle
  }

  private static func seconds(_ cursor: inout FieldCursor, _ bytes: RawSpan) -> UInt64? {
    guard let whole = cursor.nextUnsigned(in: bytes), cursor.take(".", in: bytes),
      let hundredths = cursor.nextUnsigned(in: bytes)
    else { return nil }
    return whole &* 1_000_000_000 &+ hundredths &* 10_000_000
  }
}
