import Base

/// The figures of one file of /proc, parsed from its bytes.
///
/// Every parser takes any bytes: text that is cut off or makes no sense gives `nil`, for the whole or
/// for the field that is missing, never a crash.
protocol ProcFields: BitwiseCopyable, Sendable {
  init?(_ bytes: RawSpan)
}

/// `/proc/PID/stat`; the numbers of the fields are those of proc(5).
struct StatFields: ProcFields {
  /// PF_KTHREAD in field 9: the process is a thread of the kernel.
  static let kernelThreadFlag: UInt64 = 0x0020_0000
  /// PF_FORKNOEXEC: it was forked and has not executed a program since.
  static let forkedFlag: UInt64 = 0x0000_0040
  /// Enough for 52 fields of 20 digits and the name.
  static let capacity = 2048

  var pid: Int32
  var name = ProcessName()
  var state: ProcessState
  var parent: Int32
  /// Field 5: the process group.
  var group: Int32
  /// Field 6: the pid of the process that leads the session.
  var session: Int32
  var flags: UInt64
  var minorFaults: UInt64
  var majorFaults: UInt64
  /// Fields 11 and 13: of descendants that were waited for.
  var childrenMinorFaults: UInt64
  var childrenMajorFaults: UInt64
  /// Fields 14 to 17, in clock ticks.
  var userTicks: UInt64
  var systemTicks: UInt64
  var childrenUserTicks: UInt64
  var childrenSystemTicks: UInt64
  var threads: UInt32
  /// Field 22, in clock ticks since boot.
  var startTicks: UInt64
  /// Field 52, of a zombie alone: as `wait4(2)` would tell. 0 also where it may not be read.
  var exitCode: Int32 = 0

  /// Whether it may share private memory with its parent.
  var isForked: Bool { flags & StatFields.forkedFlag != 0 }
  var isKernelThread: Bool { flags & StatFields.kernelThreadFlag != 0 }

  /// The name is what stands between the first `(` and the last `)`, because it may hold both.
  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    guard let pid = cursor.nextUnsigned(in: bytes) else { return nil }
    var open = cursor.position
    while open < bytes.byteCount, FieldCursor.byte(at: open, in: bytes) != UInt8(ascii: "(") {
      open += 1
    }
    var close = bytes.byteCount - 1
    while close > open, FieldCursor.byte(at: close, in: bytes) != UInt8(ascii: ")") { close -= 1 }
    guard open < close else { return nil }
    self.pid = Int32(truncatingIfNeeded: pid)

    cursor.position = close + 1
    cursor.skipSpaces(in: bytes)
    let letter = FieldCursor.byte(at: cursor.position, in: bytes)
    state = ProcessState(rawValue: letter) ?? .unknown
    cursor.skip(fields: 1, in: bytes)
    guard let parent = cursor.nextUnsigned(in: bytes) else { return nil }
    self.parent = Int32(truncatingIfNeeded: parent)
    guard let group = cursor.nextUnsigned(in: bytes),
      let session = cursor.nextUnsigned(in: bytes)
    else { return nil }
    self.group = Int32(truncatingIfNeeded: group)
    self.session = Int32(truncatingIfNeeded: session)
    cursor.skip(fields: 2, in: bytes)  // terminal, its foreground group; both may be negative
    guard let flags = cursor.nextUnsigned(in: bytes),
      let minorFaults = cursor.nextUnsigned(in: bytes),
      let childrenMinorFaults = cursor.nextUnsigned(in: bytes),
      let majorFaults = cursor.nextUnsigned(in: bytes),
      let childrenMajorFaults = cursor.nextUnsigned(in: bytes),
      let userTicks = cursor.nextUnsigned(in: bytes),
      let systemTicks = cursor.nextUnsigned(in: bytes),
      let childrenUserTicks = cursor.nextUnsigned(in: bytes),
      let childrenSystemTicks = cursor.nextUnsigned(in: bytes)
    else { return nil }
    cursor.skip(fields: 2, in: bytes)  // priority, nice; both may be negative
    guard let threads = cursor.nextUnsigned(in: bytes) else { return nil }
    cursor.skip(fields: 1, in: bytes)  // itrealvalue
    guard let startTicks = cursor.nextUnsigned(in: bytes) else { return nil }
    self.flags = flags
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
    self.childrenMinorFaults = childrenMinorFaults
    self.childrenMajorFaults = childrenMajorFaults
    self.userTicks = userTicks
    self.systemTicks = systemTicks
    self.childrenUserTicks = childrenUserTicks
    self.childrenSystemTicks = childrenSystemTicks
    self.threads = UInt32(truncatingIfNeeded: threads)
    self.startTicks = startTicks
    for index in (open + 1)..<close { name.append(FieldCursor.byte(at: index, in: bytes)) }
    guard state == .zombie else { return }
    cursor.skip(fields: 29, in: bytes)
    exitCode = cursor.nextUnsigned(in: bytes).map { Int32(truncatingIfNeeded: $0) } ?? 0
  }
}

/// `/proc/PID/statm`, in pages. All zeros: the main thread has no memory (any more).
struct StatmFields: ProcFields {
  var sizePages: UInt64
  var residentPages: UInt64
  /// Resident pages that belong to files or shared memory.
  var sharedPages: UInt64

  /// Private anonymous memory, in pages.
  var anonymousPages: UInt64 { residentPages > sharedPages ? residentPages - sharedPages : 0 }

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    guard let size = cursor.nextUnsigned(in: bytes),
      let resident = cursor.nextUnsigned(in: bytes),
      let shared = cursor.nextUnsigned(in: bytes)
    else { return nil }
    sizePages = size
    residentPages = resident
    sharedPages = shared
  }
}

/// `/proc/PID/status`, its fields found by name. Memory in bytes, and absent without an address space.
struct StatusFields: ProcFields {
  /// About 1.5 kB, and what a long list of groups adds.
  static let capacity = 16384

  /// The process that the thread belongs to.
  var threadGroup: Int32
  /// The effective user.
  var user: UInt32?
  /// The pid that the process has in its own pid namespace.
  var innermostPid: Int32?
  var swapBytes: UInt64?
  var pageTableBytes: UInt64?
  var residentSharedBytes: UInt64?
  var peakResidentBytes: UInt64?
  /// Bit `n - 1` is set if signal `n` is ignored.
  var ignoredSignals: UInt64?
  /// It ignores `SIGCHLD`, signal 17: its children are not waited for, and what they used goes nowhere.
  var ignoresChildren: Bool { (ignoredSignals ?? 0) & 1 << 16 != 0 }
  /// The processors that the main thread may run on; may name some that are not there.
  var affinity: ProcessorSet?
  /// Of the thread whose file it is; of `/proc/PID/status` the main thread.
  var voluntarySwitches: UInt64?
  var involuntarySwitches: UInt64?

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    var group: UInt64?
    while !cursor.isAtEnd(of: bytes) {
      if cursor.take("Tgid:", in: bytes) {
        group = cursor.nextUnsigned(in: bytes)
      } else if cursor.take("Uid:", in: bytes) {
        cursor.skip(fields: 1, in: bytes)  // the real user stands first
        user = cursor.nextUnsigned(in: bytes).map { UInt32(truncatingIfNeeded: $0) }
      } else if cursor.take("NSpid:", in: bytes) {
        while let pid = cursor.nextUnsigned(in: bytes) {
          innermostPid = Int32(truncatingIfNeeded: pid)
        }
      } else if cursor.take("VmHWM:", in: bytes) {
        peakResidentBytes = cursor.nextKibibytes(in: bytes)
      } else if cursor.take("RssShmem:", in: bytes) {
        residentSharedBytes = cursor.nextKibibytes(in: bytes)
      } else if cursor.take("VmPTE:", in: bytes) {
        pageTableBytes = cursor.nextKibibytes(in: bytes)
      } else if cursor.take("VmSwap:", in: bytes) {
        swapBytes = cursor.nextKibibytes(in: bytes)
      } else if cursor.take("SigIgn:", in: bytes) {
        ignoredSignals = cursor.nextHexadecimal(in: bytes)
      } else if cursor.take("Cpus_allowed_list:", in: bytes) {
        affinity = ProcessorSet(list: bytes, at: cursor.position)
      } else if cursor.take("voluntary_ctxt_switches:", in: bytes) {
        voluntarySwitches = cursor.nextUnsigned(in: bytes)
      } else if cursor.take("nonvoluntary_ctxt_switches:", in: bytes) {
        involuntarySwitches = cursor.nextUnsigned(in: bytes)
      }
      cursor.skipLine(in: bytes)
    }
    guard let group else { return nil }
    threadGroup = Int32(truncatingIfNeeded: group)
  }
}

/// `/proc/PID/io`, in bytes since the start, of ended threads and waited-for children too.
struct IOFields: ProcFields {
  /// What system calls read and wrote, from caches, pipes and terminals too.
  var readCharacters: UInt64?
  var writtenCharacters: UInt64?
  /// What storage was asked for.
  var readBytes: UInt64
  var writeBytes: UInt64

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    var read: UInt64?
    var written: UInt64?
    while !cursor.isAtEnd(of: bytes) {
      if cursor.take("rchar:", in: bytes) {
        readCharacters = cursor.nextUnsigned(in: bytes)
      } else if cursor.take("wchar:", in: bytes) {
        writtenCharacters = cursor.nextUnsigned(in: bytes)
      } else if cursor.take("read_bytes:", in: bytes) {
        read = cursor.nextUnsigned(in: bytes)
      } else if cursor.take("write_bytes:", in: bytes) {
        written = cursor.nextUnsigned(in: bytes)
      }
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

  /// A kernel without CONFIG_SCHED_INFO shows three zeros for everybody; that is no figure.
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

/// `/proc/PID/smaps_rollup`.
struct SmapsRollupFields: ProcFields {
  /// The proportional set size, in bytes.
  var pssBytes: UInt64
  /// Its part of private memory, resident and in swap, in bytes; `nil` before Linux 5.4.
  var pssPrivateBytes: UInt64?

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    var pss: UInt64?
    var anonymous: UInt64?
    var swap: UInt64 = 0
    while !cursor.isAtEnd(of: bytes) {
      if cursor.take("Pss:", in: bytes) {
        pss = cursor.nextKibibytes(in: bytes)
      } else if cursor.take("Pss_Anon:", in: bytes) {
        anonymous = cursor.nextKibibytes(in: bytes)
      } else if cursor.take("SwapPss:", in: bytes) {
        swap = cursor.nextKibibytes(in: bytes) ?? 0
      }
      cursor.skipLine(in: bytes)
    }
    guard let pss else { return nil }
    pssBytes = pss
    pssPrivateBytes = anonymous.map { $0 &+ swap }
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
  /// A number of kB, which are kibibytes in /proc, in bytes.
  mutating func nextKibibytes(in bytes: RawSpan) -> UInt64? {
    nextUnsigned(in: bytes).map { $0 &* 1024 }
  }
}
