import CProcess
import Glibc
import PerfHUDBase

/// The exit statuses of perfhud where it has not that of a command (sysexits.h for 64; 125 to 127 as
/// of env(1)).
enum ExitStatus {
  static let done: Int32 = 0
  static let failure: Int32 = 1
  static let usage: Int32 = 64
  /// A budget is inconclusive, with `--strict`.
  static let budgetUndecided: Int32 = 98
  /// A budget fails.
  static let budgetFails: Int32 = 99
  /// perfhud itself failed where it was to run a command. One that cannot be executed is 126, one that
  /// was not found 127: `PtyError`.
  static let commandFailure: Int32 = 125

  /// One line on standard error.
  ///
  /// A process that is to take over a command that runs must not write into its screen: it ends, and its supervisor says
  /// why.
  static func say(_ text: String) {
    if perfhud_is_taking_over() != 0 {
      unsafe perfhud_give_up(SafeText.clean(text, limit: Int(PERFHUD_JOURNAL_REASON) - 1))
    }
    put("perfhud: \(SafeText.clean(text))\n", on: STDERR_FILENO)
  }

  /// One line on standard error on what perfhud goes on without; it is left out where nobody makes room for
  /// it within a second.
  ///
  /// The first process of a run has said it to the user, where this one takes over.
  static func remark(_ text: String) {
    guard perfhud_is_taking_over() == 0 else { return }
    var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&entry, 1, 1000) > 0 else { return }
    // There is room for a page, whatever is written to; a scalar has four bytes at most.
    say(SafeText.clean(text, limit: 1000))
  }

  static func put(_ text: String, on descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, $0.count)
      }
      if count <= 0 { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

/// What ends perfhud with status 1: one line that says what happened and what to do.
struct RunError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
  init(_ error: SystemError) { description = error.description }
}

/// What the user got wrong: one line, exit status 64.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
