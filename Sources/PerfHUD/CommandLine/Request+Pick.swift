/// Checks what can be combined with a list of processes to choose from.
extension Request {
  /// Refuses options that only affect a HUD over a command.
  static func rejectOverlayOptions(
    _ arguments: CommandLineArguments
  ) throws(UsageError) {
    for option in arguments.hudOptions {
      let value = ["--corner", "--size", "--prefix", "--auto-show"].contains(option) ? " …" : ""
      throw UsageError(
        "\(option) has an effect only over a command: perfhud \(option)\(value) COMMAND")
    }
    if let summary = arguments.display.summary {
      let option = summary ? "--summary" : "--no-summary"
      throw UsageError(
        "\(option) has an effect only over a command: perfhud \(option) COMMAND")
    }
  }

  /// Refuses options that cannot be combined with a list to choose from.
  static func checkPick(
    _ arguments: CommandLineArguments, _ command: [[UInt8]]?, lines: LaunchMode.BatchOptions?,
    _ context: LaunchContext
  ) throws(UsageError) {
    let other =
      command != nil ? "a command" : arguments.target.overlay ? "--overlay" : arguments.batchOption
    if let other {
      throw UsageError(
        "--pick cannot be combined with \(other): it fills this terminal")
    }
    try rejectOverlayOptions(arguments)
    guard context.isTerminal, context.hasKeys else {
      throw UsageError(
        "--pick needs a terminal; name a process with: perfhud N (find it with: pgrep -a NAME)"
      )
    }
  }
}
