import CProcess

/// What a command used from its start to its end, including all descendants that were waited for: the same that `time`
/// reports.
///
/// It does not include a process that outlives the command, or one whose parent did not wait for it. Source:
/// `waitid(2)` or `wait4(2)`, `struct rusage` of `getrusage(2)`.
package struct ResourceUsage: Hashable, Sendable, BitwiseCopyable {
  package var userNanoseconds: UInt64
  package var systemNanoseconds: UInt64
  /// The greatest resident memory of any single one of the processes, not of all together.
  package var maxResidentBytes: UInt64
  /// Whether `maxResidentBytes` is only an upper bound: the kernel includes the memory that a process had before it
  /// executed its program, so a small command seems as large as the process that started it.
  package var maxResidentIsBound: Bool
  package var minorFaults: UInt64
  package var majorFaults: UInt64
  /// Bytes read from storage and written to it, as `/proc/PID/io` counts them in `read_bytes` and `write_bytes`, in
  /// whole blocks of 512 bytes.
  package var readBytes: UInt64
  package var writtenBytes: UInt64

  init(_ usage: perfhud_usage) {
    userNanoseconds = usage.user_nanoseconds
    systemNanoseconds = usage.system_nanoseconds
    maxResidentBytes = usage.max_resident_bytes
    maxResidentIsBound = usage.max_resident_is_bound != 0
    minorFaults = usage.minor_faults
    majorFaults = usage.major_faults
    readBytes = usage.read_bytes
    writtenBytes = usage.written_bytes
  }
}
