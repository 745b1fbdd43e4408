import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// Writes text for the user: results to standard output, messages to standard error.
enum Console {
  /// Prints one line on standard error.
  ///
  /// A process that is to take over a running command must not write onto its screen. It ends instead, and its
  /// supervisor prints the reason.
  static func say(_ text: String) {
    if perfhud_is_taking_over() != 0 {
      unsafe perfhud_end_engine(SafeText.clean(text, limit: Int(PERFHUD_JOURNAL_REASON) - 1))
    }
    put("perfhud: \(SafeText.clean(text))\n", on: STDERR_FILENO)
  }

  /// Prints one line on standard error about something that perfhud keeps running without. Omits it if there is no room
  /// for it within a second.
  ///
  /// If this process takes over from another one, the first process has already printed it.
  static func remark(_ text: String) {
    guard perfhud_is_taking_over() == 0 else { return }
    var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&entry, 1, 1000) > 0 else { return }
    // There is room for a page, whatever is written to; a scalar has at most four bytes.
    say(SafeText.clean(text, limit: 1000))
  }

  /// Writes a result to standard output, completely.
  ///
  /// - Throws: if it cannot be written, so that a script does not go on as if it had the text.
  static func print(_ text: String) throws(RunError) {
    let code: Errno?
    if perfhud_is_closed(STDOUT_FILENO) == 0 {
      code = write(Array(text.utf8), on: STDOUT_FILENO, patience: -1)
    } else {
      code = .badFileDescriptor
    }
    guard let code else { return }
    throw RunError(SystemError(call: "write to", subject: "standard output", code: code))
  }

  /// Writes a message in addition to the result. A failure cannot be reported.
  static func put(_ text: String, on descriptor: Int32) {
    _ = write(Array(text.utf8), on: descriptor, patience: 1000)
  }

  /// Writes all bytes, whether or not the descriptor is in blocking mode.
  ///
  /// - Parameter patience: how long to wait for room if it is non-blocking, in milliseconds; -1 for no limit.
  /// - Returns: why not all bytes were written.
  ///
  /// Source: `write(2)`, `poll(2)`.
  private static func write(_ bytes: [UInt8], on descriptor: Int32, patience: Int32) -> Errno? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      let code = count == 0 ? Errno.ioError : Errno(rawValue: errno)
      if code == .interrupted { continue }
      guard code == .wouldBlock else { return code }
      // The process that started perfhud has set it to non-blocking, for everyone who writes to it.
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let found = unsafe poll(&entry, 1, patience)
      if found == 0 || (found < 0 && errno != EINTR) { return code }
    }
    return nil
  }
}
