import PerfHUDBase

/// The values of one file of /proc, parsed from its bytes.
///
/// Every parser accepts any bytes. Truncated or malformed text gives `nil`, for the whole file or for a missing field,
/// and never a crash.
package protocol ProcFields: BitwiseCopyable, Sendable {
  init?(_ bytes: RawSpan)
}

extension ProcFields {
  /// Reads a file once; `nil` if it cannot be read or is malformed.
  package init?(path: String) {
    guard let bytes = try? readFile(path) else { return nil }
    unsafe self.init(bytes.span.bytes)
  }
}

/// `/proc/PID/io`: bytes since the start of the process, including ended threads and children that it waited for.
struct IOFields: ProcFields {
  /// Bytes that system calls read and wrote, including caches, pipes and terminals.
  var readCharacters: UInt64?
  var writtenCharacters: UInt64?
  /// Bytes that storage had to read or write.
  var readBytes: UInt64
  var writeBytes: UInt64

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    var read: UInt64?
    var written: UInt64?
    while !cursor.isAtEnd(of: bytes) {
      cursor.read("rchar:", into: &readCharacters, in: bytes)
      cursor.read("wchar:", into: &writtenCharacters, in: bytes)
      cursor.read("read_bytes:", into: &read, in: bytes)
      cursor.read("write_bytes:", into: &written, in: bytes)
      cursor.skipLine(in: bytes)
    }
    guard let read, let written else { return nil }
    readBytes = read
    writeBytes = written
  }
}

/// `/proc/PID/schedstat`, of the main thread only, and `/proc/PID/task/TID/schedstat`.
struct SchedstatFields: ProcFields {
  var runNanoseconds: UInt64
  /// Time ready to run, waiting for a processor.
  var waitNanoseconds: UInt64
  /// How often it was given a processor.
  var runs: UInt64

  /// A kernel without CONFIG_SCHED_INFO shows three zeros for every process; that is not a value.
  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    guard let run = cursor.nextUnsigned(in: bytes), let wait = cursor.nextUnsigned(in: bytes),
      let runs = cursor.nextUnsigned(in: bytes), run | wait | runs != 0
    else { return nil }
    runNanoseconds = run
    waitNanoseconds = wait
    self.runs = runs
  }
}

/// `/proc/meminfo`.
struct MeminfoFields: ProcFields {
  /// The memory of the machine that the kernel may hand out, in bytes.
  var totalBytes: UInt64

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    while !cursor.isAtEnd(of: bytes) {
      if cursor.take("MemTotal:", in: bytes), let value = cursor.nextKibibytes(in: bytes) {
        totalBytes = value
        return
      }
      cursor.skipLine(in: bytes)
    }
    return nil
  }
}

/// `/proc/loadavg`.
struct LoadavgFields: ProcFields {
  /// Field 5: the last pid that was given to a process or a thread of the reader's pid namespace.
  var lastPid: Int32

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    cursor.skip(fields: 4, in: bytes)
    guard let number = cursor.nextUnsigned(in: bytes) else { return nil }
    lastPid = Int32(truncatingIfNeeded: number)
  }
}

extension FieldCursor {
  /// Reads a number of kB, which in /proc means KiB, and returns it in bytes.
  mutating func nextKibibytes(in bytes: RawSpan) -> UInt64? {
    nextUnsigned(in: bytes).map { $0 &* 1024 }
  }
}

/// `/proc/PID/task/TID/children`: the pids of the children that a thread has started, each with a blank after it. Needs
/// a kernel with CONFIG_PROC_CHILDREN.
struct ChildrenFields: ProcFields {
  /// Enough for some 500 children; of more than fit only these are counted.
  static let capacity = 4096

  var count: UInt32 = 0

  init(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    while cursor.nextUnsigned(in: bytes) != nil { count += 1 }
  }
}
