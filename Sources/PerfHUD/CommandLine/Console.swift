import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// Writes text for the user: to standard output what was asked for, to standard error what happened.
enum Console {
  /// One line on standard error.
  ///
  /// A process that is to take over a command that runs must not write into its screen: it ends, and its supervisor
  /// says why.
  static func say(_ text: String) {
    if perfhud_is_taking_over() != 0 {
      unsafe perfhud_give_up(SafeText.clean(text, limit: Int(PERFHUD_JOURNAL_REASON) - 1))
    }
    put("perfhud: \(SafeText.clean(text))\n", on: STDERR_FILENO)
  }

  /// One line on standard error on what perfhud keeps running without; it is left out where nobody makes room for it
  /// within a second.
  ///
  /// The first process of a run has said it to the user, where this one takes over.
  static func remark(_ text: String) {
    guard perfhud_is_taking_over() == 0 else { return }
    var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&entry, 1, 1000) > 0 else { return }
    // There is room for a page, whatever is written to; a scalar has four bytes at most.
    say(SafeText.clean(text, limit: 1000))
  }

  /// Writes what the user has asked for to standard output, all of it.
  ///
  /// - Throws: if it cannot be written: a script must not go on as if it had the text.
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

  /// Writes a message beside what the user has asked for. Nobody can be told if that fails.
  static func put(_ text: String, on descriptor: Int32) {
    _ = write(Array(text.utf8), on: descriptor, patience: 1000)
  }

  /// Writes all bytes, whether or not the descriptor blocks.
  ///
  /// - Parameter patience: how long room is waited for where it does not block, in milliseconds; -1 has no end.
  /// - Returns: why not all were written.
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
      // Who started perfhud has it not block, for all that write to it.
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let found = unsafe poll(&entry, 1, patience)
      if found == 0 || (found < 0 && errno != EINTR) { return code }
    }
    return nil
  }
}
