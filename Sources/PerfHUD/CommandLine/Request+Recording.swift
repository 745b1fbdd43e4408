import Metrics
import PerfHUDBase
import Recording

extension Request {
  /// The requested recording. It may go to standard output only if nothing else does.
  static func recording(
    _ arguments: CommandLineArguments, _ mode: LaunchMode
  ) throws(UsageError) -> RecordingRequest? {
    let output = arguments.output
    guard let path = output.record else {
      let needing = [
        ("--record-command", output.recordCommand), ("--record-limit", output.recordLimit != nil),
        ("--record-last", output.recordLast != nil), ("--record-screen", output.recordScreen),
      ]
      for (option, isGiven) in needing where isGiven {
        throw UsageError("\(option) has an effect only with --record FILE")
      }
      return nil
    }
    guard !path.isEmpty else { throw UsageError("--record needs the name of a file") }
    var request = RecordingRequest(path: path, keepsCommand: output.recordCommand)
    request.limit = try limit(output.recordLimit)
    request.last = try last(output.recordLast)
    request.keepsScreen = output.recordScreen
    if output.recordScreen { try checkScreen(request, mode) }
    if path == "-" {
      for (option, isGiven) in [
        ("--record-limit", request.limit != nil), ("--record-last", request.last != nil),
      ] where isGiven {
        throw UsageError("\(option) needs a file: --record - is a stream")
      }
      guard case .batch(_, let options) = mode, options.path != nil else {
        throw UsageError(
          "--record - needs standard output for itself: name a file, or use it with --pid N -o FILE"
        )
      }
    }
    if let rows = output.output, rows == path, path != "/dev/null" {
      throw UsageError("--output and --record name the same file; write the rows to another one")
    }
    return request
  }

  /// Checks whether the screen can be recorded: only of a command under the HUD, and into a file.
  private static func checkScreen(
    _ request: RecordingRequest, _ mode: LaunchMode
  ) throws(UsageError) {
    guard request.path != "-" else {
      throw UsageError("--record-screen needs a file: --record - is a stream")
    }
    for (option, isGiven) in [
      ("--record-limit", request.limit != nil), ("--record-last", request.last != nil),
    ] where isGiven {
      throw UsageError("--record-screen keeps the whole run: leave out \(option)")
    }
    switch mode {
    case .attach, .pick, .batch, .nothing:
      throw UsageError(
        "--record-screen needs a command: perfhud --record FILE --record-screen COMMAND")
    case .direct(let direct):
      if case .batch = direct.reason {
        throw UsageError("--record-screen needs the HUD over the command: leave out --batch")
      }
    case .overlay: break
    }
  }

  private static func limit(_ text: String?) throws(UsageError) -> UInt64? {
    guard let text else { return nil }
    let shown = SafeText.clean(text, limit: 40)
    guard let bytes = RuleUnits.bytes(text) else {
      throw UsageError("record-limit '\(shown)' is not a size such as 64MiB")
    }
    guard bytes >= RecordingLimit.least else {
      throw UsageError("record-limit '\(shown)' is too small: at least 1MiB")
    }
    return bytes
  }

  private static func last(_ text: String?) throws(UsageError) -> Int64? {
    guard let text else { return nil }
    guard let value = DurationText.nanoseconds(text), value >= 1_000_000_000 else {
      throw UsageError(
        "record-last '\(SafeText.clean(text, limit: 40))' is not a time such as 10m, of at least 1s"
      )
    }
    return Int64(value)
  }
}
