import HUD
import PerfHUDBase

extension Request {
  /// The settings, including those of a command line.
  ///
  /// - Parameters:
  ///   - given: keys and texts.
  ///   - program: see `ConfigFile.load`.
  static func settings(
    _ given: [(String, String)], environment: Environment, program: () -> [String] = { [] }
  ) throws(UsageError) -> Settings {
    var settings = Settings()
    try ConfigFile.load(into: &settings, environment: environment, program: program)
    try readVariables(environment, into: &settings)
    for (key, text) in given {
      do {
        try settings.set(key, text, from: .commandLine)
      } catch {
        throw UsageError(error.description)
      }
    }
    return settings
  }

  static func readVariables(
    _ environment: Environment, into settings: inout Settings
  ) throws(UsageError) {
    // The setting's own name takes precedence over an alias.
    for key in Settings.aliases.keys.sorted() + Settings.keys {
      let name = Environment.variable(key)
      guard let text = environment[name], !text.isEmpty else { continue }
      do {
        let count = settings.notices.count
        try settings.set(key, text, from: .environment)
        settings.locateNotices(after: count, at: "\(name): ")
      } catch {
        throw UsageError("\(name): \(error)")
      }
    }
    for (name, meant) in environment.misspelled {
      settings.addNotice(
        "perfhud does not use \(SafeText.clean(name, limit: 80)); did you mean \(meant)?")
    }
  }
}
