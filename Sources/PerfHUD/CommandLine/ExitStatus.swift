/// The exit statuses of perfhud, unless it exits with that of a command (64 as in sysexits.h; 125 to 127 as in env(1)).
enum ExitStatus {
  static let done: Int32 = 0
  static let failure: Int32 = 1
  static let usage: Int32 = 64
  /// A budget is inconclusive, with `--strict`.
  static let budgetInconclusive: Int32 = 98
  /// A budget fails.
  static let budgetFails: Int32 = 99
  /// perfhud itself failed when it should have run a command. 126 means that the command cannot be executed, 127 that
  /// it was not found: `PtyError`.
  static let commandFailure: Int32 = 125
}
