import PerfHUDBase

/// `/proc/PID/stat`; the numbers of the fields are those of proc(5).
package struct StatFields: ProcFields {
  /// PF_KTHREAD in field 9: the process is a kernel thread.
  static let kernelThreadFlag: UInt64 = 0x0020_0000
  /// PF_FORKNOEXEC: it was forked and has not executed a program since.
  static let forkedFlag: UInt64 = 0x0000_0040
  /// Enough for 52 fields of 20 digits and the name.
  static let capacity = 2048

  package var pid: Int32
  package var name = ProcessName()
  var state: ProcessState
  var parent: Int32
  /// Field 5: the process group.
  package var group: Int32
  /// Field 6: the pid of the process that leads the session.
  var session: Int32
  /// Field 8: the process group in the foreground of its terminal; `nil` without one.
  package var foreground: Int32?
  var flags: UInt64
  var minorFaults: UInt64
  var majorFaults: UInt64
  /// Fields 11 and 13: faults of descendants that were waited for.
  var childrenMinorFaults: UInt64
  var childrenMajorFaults: UInt64
  /// Fields 14 to 17, in clock ticks.
  package var userTicks: UInt64
  package var systemTicks: UInt64
  package var childrenUserTicks: UInt64
  package var childrenSystemTicks: UInt64
  var threads: UInt32
  /// Field 22, in clock ticks since boot.
  package var startTicks: UInt64
  /// Identifies the execution of a program: the same in all processes that were forked from each other and have
  /// executed nothing since. It is made of the addresses in fields 26 to 28, which a fork keeps and each exec chooses at
  /// random. 0 if this user may not read them, or there is no memory.
  var execution: UInt64 = 0
  /// Field 52, for a zombie only: the status that `wait4(2)` would report. Also 0 if this user may not read it.
  var exitCode: Int32 = 0

  /// Whether it may share private memory with its parent.
  var isForked: Bool { flags & StatFields.forkedFlag != 0 }
  /// Whether no thread of it lives. A main thread may have ended while other threads live.
  package var hasEnded: Bool { state == .dead || (state == .zombie && threads <= 1) }
  var isKernelThread: Bool { flags & StatFields.kernelThreadFlag != 0 }

  /// The name is between the first `(` and the last `)`, because it may contain both.
  package init?(_ bytes: RawSpan) {
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
    cursor.skip(fields: 1, in: bytes)  // terminal, which may be negative
    cursor.skipSpaces(in: bytes)
    let hasForeground = !cursor.take("-", in: bytes)
    guard let foreground = cursor.nextUnsigned(in: bytes),
      let flags = cursor.nextUnsigned(in: bytes),
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
    self.foreground =
      hasForeground && foreground > 0 ? Int32(truncatingIfNeeded: foreground) : nil
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
    cursor.skip(fields: 3, in: bytes)  // size, resident size and its limit
    guard let codeStart = cursor.nextUnsigned(in: bytes),
      let codeEnd = cursor.nextUnsigned(in: bytes), let stackStart = cursor.nextUnsigned(in: bytes)
    else { return }
    if stackStart != 0 {
      // Without randomization, the size of the code still tells most programs apart.
      execution = stackStart ^ (codeStart &* 0x9e37_79b9_7f4a_7c15)
      execution ^= codeEnd &* 0xc2b2_ae3d_27d4_eb4f
    }
    guard state == .zombie else { return }
    cursor.skip(fields: 23, in: bytes)
    exitCode = cursor.nextUnsigned(in: bytes).map { Int32(truncatingIfNeeded: $0) } ?? 0
  }
}

/// `/proc/PID/statm`, in pages. All zeros if the main thread has no memory, or no longer has any.
package struct StatmFields: ProcFields {
  var sizePages: UInt64
  var residentPages: UInt64
  /// Resident pages that belong to files or shared memory.
  var sharedPages: UInt64

  /// Private anonymous memory, in pages.
  package var anonymousPages: UInt64 {
    residentPages > sharedPages ? residentPages - sharedPages : 0
  }

  package init?(_ bytes: RawSpan) {
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
