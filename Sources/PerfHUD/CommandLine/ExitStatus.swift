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
}
