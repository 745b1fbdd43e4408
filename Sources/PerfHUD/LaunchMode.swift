import Base
import HUD
import Metrics
import Recording

/// How perfhud was launched, worked out once and from values alone.
enum LaunchMode: Equatable {
  /// The HUD fills the terminal.
  case attach(pid: Int32)
  /// One line a sample.
  case lines(pid: Int32, LineOptions)

  struct LineOptions: Equatable {
    var format = LineFormat.text
    /// `nil`: standard output.
    var path: String?
    var samples: Int?
  }

  var pid: Int32 {
    switch self {
    case .attach(let pid): pid
    case .lines(let pid, _): pid
    }
  }
}

/// What was asked for: the mode, the settings and the limits of the run.
struct Request: Equatable {
  var mode: LaunchMode
  var settings: Settings
  /// Nanoseconds after which the run ends.
  var duration: UInt64?
  var explains: Bool

  /// Checks the command line and joins it with environment and configuration file.
  ///
  /// - Parameter isTerminal: whether standard output is a terminal.
  init(
    _ arguments: CommandLineArguments, environment: Environment, isTerminal: Bool
  ) throws(UsageError) {
    settings = try Request.settings(arguments, environment)
    explains = arguments.explain
    guard arguments.command.isEmpty else {
      throw UsageError("a HUD over a command is not in this version; attach with: perfhud --pid N")
    }
    if let word = arguments.word {
      let name = SafeText.clean(word, limit: 40)
      throw UsageError("unexpected '\(name)'; to show a running process: perfhud --pid N")
    }
    guard let text = arguments.pid else {
      throw UsageError(
        "no process given; attach with: perfhud --pid N (find it with: pgrep -a NAME)")
    }
    guard let pid = Int32(text), pid > 0 else {
      throw UsageError(
        "pid '\(SafeText.clean(text, limit: 40))' is not a positive number; "
          + "find it with: pgrep -a NAME")
    }
    duration = try arguments.duration.map { text throws(UsageError) in
      guard let value = DurationText.nanoseconds(text), value > 0 else {
        throw UsageError(
          "duration '\(SafeText.clean(text, limit: 40))' is not a time such as 30s or 5m")
      }
      return value
    }
    let lines = try Request.lineOptions(arguments)
    let asksForLines =
      arguments.batch || arguments.output != nil || arguments.format != nil
      || arguments.samples != nil
    mode = asksForLines || !isTerminal ? .lines(pid: pid, lines) : .attach(pid: pid)
  }

  private static func lineOptions(
    _ arguments: CommandLineArguments
  ) throws(UsageError) -> LaunchMode.LineOptions {
    var options = LaunchMode.LineOptions()
    options.path = arguments.output
    if let text = arguments.format {
      guard let format = LineFormat(rawValue: text) else {
        throw UsageError(
          "format '\(SafeText.clean(text, limit: 40))' is none of: text, csv, jsonl")
      }
      options.format = format
    }
    if let text = arguments.samples {
      guard let count = Int(text), count > 0 else {
        throw UsageError(
          "samples '\(SafeText.clean(text, limit: 40))' is not a positive whole number")
      }
      options.samples = count
    }
    return options
  }

  /// Command line over environment over file over what is built in.
  private static func settings(
    _ arguments: CommandLineArguments, _ environment: Environment
  ) throws(UsageError) -> Settings {
    var settings = Settings()
    try ConfigFile.load(into: &settings, environment: environment)
    for key in Settings.keys {
      let name = Environment.variable(key)
      guard let text = environment[name], !text.isEmpty else { continue }
      do {
        try settings.set(key, text, from: .environment)
      } catch {
        throw UsageError("\(name): \(error)")
      }
    }
    for (key, text) in arguments.settings {
      do {
        try settings.set(key, text, from: .commandLine)
      } catch {
        throw UsageError(error.description)
      }
    }
    return settings
  }
}
