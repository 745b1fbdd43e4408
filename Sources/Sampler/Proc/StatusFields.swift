import PerfHUDBase

/// `/proc/PID/status`; fields are found by name. Memory is in bytes, and absent if there is no address space.
struct StatusFields: ProcFields {
  /// Enough for about 1.5 kB and a long list of groups.
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
  /// Whether it ignores `SIGCHLD`, signal 17: its children are not waited for, and their CPU time is lost.
  var ignoresChildren: Bool { (ignoredSignals ?? 0) & 1 << 16 != 0 }
  /// The processors that the main thread may run on; may include some that do not exist.
  var affinity: ProcessorSet?
  /// Switches of the thread whose file this is; in `/proc/PID/status`, of the main thread.
  var voluntarySwitches: UInt64?
  var involuntarySwitches: UInt64?

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    var group: UInt64?
    while !cursor.isAtEnd(of: bytes) {
      if cursor.take("Tgid:", in: bytes) {
        group = cursor.nextUnsigned(in: bytes)
      } else if cursor.take("Uid:", in: bytes) {
        cursor.skip(fields: 1, in: bytes)  // the real user comes first
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
