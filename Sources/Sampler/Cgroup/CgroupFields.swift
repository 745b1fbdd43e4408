import Glibc
import PerfHUDBase

/// `PSI` files: lines `some` and `full`.
struct PressureFields: ProcFields {
  var someMicroseconds: UInt64
  /// Absent for the CPU before Linux 5.13.
  var fullMicroseconds: UInt64?

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    var some: UInt64?
    while !cursor.isAtEnd(of: bytes) {
      let isSome = cursor.take("some ", in: bytes)
      let isFull = !isSome && cursor.take("full ", in: bytes)
      if isSome || isFull, cursor.find("total=", in: bytes) {
        let total = cursor.nextUnsigned(in: bytes)
        if isSome { some = total } else { fullMicroseconds = total }
      }
      cursor.skipLine(in: bytes)
    }
    guard let some else { return nil }
    someMicroseconds = some
  }
}

/// `cpu.stat` of v2 and of the v1 controller cpu.
struct CgroupCPUFields: ProcFields {
  var usageNanoseconds: UInt64?
  /// Of v2 only.
  var systemNanoseconds: UInt64?
  var throttledNanoseconds: UInt64?

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    while !cursor.isAtEnd(of: bytes) {
      if cursor.take("usage_usec ", in: bytes) {
        usageNanoseconds = cursor.nextUnsigned(in: bytes).map { $0 &* 1000 }
      } else if cursor.take("system_usec ", in: bytes) {
        systemNanoseconds = cursor.nextUnsigned(in: bytes).map { $0 &* 1000 }
      } else if cursor.take("throttled_usec ", in: bytes) {
        throttledNanoseconds = cursor.nextUnsigned(in: bytes).map { $0 &* 1000 }
      } else if cursor.take("throttled_time ", in: bytes) {
        throttledNanoseconds = cursor.nextUnsigned(in: bytes)
      }
      cursor.skipLine(in: bytes)
    }
  }
}

/// `memory.stat`; in v1 the lines that begin with `total_`, which include the cgroups below. In bytes.
struct CgroupMemoryFields: ProcFields {
  static let capacity = 8192

  var anonymousBytes: UInt64?
  var mappedFileBytes: UInt64?
  var inactiveFileBytes: UInt64?
  var pageTableBytes: UInt64?
  var swapBytes: UInt64?
  var faults: UInt64?
  var majorFaults: UInt64?

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    while !cursor.isAtEnd(of: bytes) {
      cursor.read("anon ", into: &anonymousBytes, in: bytes)
      cursor.read("total_rss ", into: &anonymousBytes, in: bytes)
      cursor.read("file_mapped ", into: &mappedFileBytes, in: bytes)
      cursor.read("total_mapped_file ", into: &mappedFileBytes, in: bytes)
      // In v1 the cgroup's own lines come first; the totals come later and overwrite them.
      cursor.read("inactive_file ", into: &inactiveFileBytes, in: bytes)
      cursor.read("total_inactive_file ", into: &inactiveFileBytes, in: bytes)
      cursor.read("pagetables ", into: &pageTableBytes, in: bytes)
      cursor.read("total_swap ", into: &swapBytes, in: bytes)
      cursor.read("pgfault ", into: &faults, in: bytes)
      cursor.read("total_pgfault ", into: &faults, in: bytes)
      cursor.read("pgmajfault ", into: &majorFaults, in: bytes)
      cursor.read("total_pgmajfault ", into: &majorFaults, in: bytes)
      cursor.skipLine(in: bytes)
    }
    guard anonymousBytes != nil else { return nil }
  }
}

/// `memory.events` of v2, `memory.oom_control` of v1.
struct CgroupEventFields: ProcFields {
  var high: UInt64?
  var max: UInt64?
  var oomKills: UInt64?

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    while !cursor.isAtEnd(of: bytes) {
      cursor.read("high ", into: &high, in: bytes)
      cursor.read("max ", into: &max, in: bytes)
      cursor.read("oom_kill ", into: &oomKills, in: bytes)
      cursor.skipLine(in: bytes)
    }
  }
}

/// `io.stat` of v2, and `blkio.throttle.io_service_bytes_recursive` of v1: sums over the devices, in bytes.
struct CgroupIOFields: ProcFields {
  static let capacity = 16384

  var readBytes: UInt64 = 0
  var writeBytes: UInt64 = 0
  /// Whether there is any line of a device.
  var hasDevices = false

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    while !cursor.isAtEnd(of: bytes) {
      var line = cursor
      if !hasDevices { hasDevices = !cursor.take("Total ", in: bytes) }
      if line.find("rbytes=", in: bytes) {
        readBytes &+= line.nextUnsigned(in: bytes) ?? 0
        line = cursor
        if line.find("wbytes=", in: bytes) { writeBytes &+= line.nextUnsigned(in: bytes) ?? 0 }
      } else if line.find("Read ", in: bytes) {
        readBytes &+= line.nextUnsigned(in: bytes) ?? 0
      } else if line.find("Write ", in: bytes) {
        writeBytes &+= line.nextUnsigned(in: bytes) ?? 0
      }
      cursor.skipLine(in: bytes)
    }
  }
}

/// A file with one number.
struct NumberField: ProcFields {
  var value: UInt64

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    guard let value = cursor.nextUnsigned(in: bytes) else { return nil }
    self.value = value
  }
}

extension FieldCursor {
  /// Moves after the next occurrence of a text in this line; does not move if there is none.
  mutating func find(_ text: StaticString, in bytes: RawSpan) -> Bool {
    var cursor = self
    while !cursor.isAtEnd(of: bytes) {
      if cursor.take(text, in: bytes) {
        self = cursor
        return true
      }
      if FieldCursor.byte(at: cursor.position, in: bytes) == UInt8(ascii: "\n") { return false }
      cursor.position += 1
    }
    return false
  }
}
