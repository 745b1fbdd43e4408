#if DEBUG
  import Glibc

  /// A log for the developers of perfhud itself, in the file named by `PERFHUD_LOG`. Only debug builds have it.
  ///
  /// Each line is one write to a file opened for appending, so lines of two processes do not mix.
  @usableFromInline package enum DeveloperLog {
    /// Stays open until the process ends; -1 if there is no file.
    private static let file: Int32 = {
      guard let path = unsafe getenv("PERFHUD_LOG"), unsafe path.pointee != 0 else { return -1 }
      return unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }()

    @usableFromInline package static func write(
      _ message: () -> String, _ file: StaticString, _ function: StaticString, _ line: UInt
    ) {
      guard DeveloperLog.file >= 0 else { return }
      let milliseconds = Instant.now().nanoseconds / 1_000_000
      let text = "\(milliseconds) ms \(getpid()) \(file):\(line) \(function): \(message())\n"
      let bytes = Array(text.utf8)
      _ = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(DeveloperLog.file, $0.baseAddress, $0.count)
      }
    }
  }
#endif

/// Adds a line to the log for developers, with time, process, file, line and function.
///
/// A release build has no such log: the message is never evaluated, and the program contains neither it nor the names.
@inlinable @inline(__always)
package func developerLog(
  _ message: @autoclosure () -> String, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if DEBUG
    DeveloperLog.write(message, file, function, line)
  #endif
}
