import Metrics
import PerfHUDBase

/// Where a setting comes from; a later source takes precedence.
package enum SettingSource: Int, Comparable, Sendable {
  case standard
  case file
  case environment
  case commandLine
  /// Keys in the HUD.
  case keys

  package static func < (a: SettingSource, b: SettingSource) -> Bool { a.rawValue < b.rawValue }
}

/// An error in a setting, in one line that says what is accepted.
package struct SettingError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The values of all settings, typed.
///
/// Command line, environment, configuration file and settings editor change them as text with `set`. The name, accepted
/// values and effect of a setting are declared once, in `SettingDefinition.all` (SettingTable.swift).
package struct Settings: Sendable, Equatable {
  /// Nanoseconds between samples: a multiple of 20 ms, so that readings are on whole kernel ticks.
  package var interval: UInt64 = 100_000_000
  /// Ticks per second; 0 switches the tick off.
  package var tick = 60
  package var memory = MemoryMetric.footprint
  package var graph = GraphStyle.braille
  /// The overview of a full-screen view.
  package var layout = OverviewLayout.standard
  package var isASCII = false
  /// Whether a full-screen view uses the mouse; otherwise the terminal does.
  package var hasMouse = true
  /// `nil` for the language of the locale.
  package var language: Language?
  package var exitsWithTarget = false
  /// The corner of the HUD over a command.
  package var corner = Corner.topRight
  /// The size of the HUD over a command.
  package var size = HUDSize.medium
  /// The prefix key, which focuses the HUD over a command; `nil` for none.
  package var prefixKey: PrefixKey? = .standard
  /// Whether the HUD over a command moves to another corner while the cursor rests under it.
  package var avoidsCursor = true
  /// Whether the HUD over a command is started again after it died.
  package var restartsHUD = false
  /// Whether the HUD over a command begins hidden.
  package var isHidden = false
  /// How long a job of a shell runs before the HUD over the shell appears, in nanoseconds. With 0 the HUD is shown at
  /// the prompt too.
  package var autoShow: UInt64 = 2_000_000_000
  /// Whether child processes are included; `nil` includes them for a command, but not for an existing process.
  package var tree: Bool?
  /// Where phases come from; `nil` for the source that says most about the program.
  package var phaseChoice: PhaseChoice?
  /// The pattern of lines in the file of `events` that begin a phase.
  package var phasePattern: String?
  /// Whether a summary is printed at the end of a command; `nil` if it depends on the mode.
  package var summary: Bool?
  /// An action is HIGH above this number of times a second.
  package var highRate = 30.0
  /// A file to which lines of events are appended; `nil` for none.
  package var events: String?
  /// Whether events of programs are ignored, whatever their source.
  package var refusesEvents = false
  /// Whether events in the output of the command (OSC 7337) are dropped.
  package var refusesOutputEvents = false
  /// The colors of the HUD.
  package var theme = ThemeName.auto
  /// The rules that raise alerts.
  package var alerts: [Rule] = []
  /// The limits that a run has to keep, and a file with such limits; `nil` for none.
  package var budgets: [Budget] = []
  package var budgetFile: String?
  /// Whether an alert rings the bell of the terminal.
  package var alertBell = false
  /// A command of the user that an alert runs; `nil` for none.
  package var alertCommand: String?

  /// Messages for the user, such as about a rounded value.
  package private(set) var notices: [String] = []
  private var sources: [String: SettingSource] = [:]
  /// The values that have been set, as text in the form of the configuration file.
  private var texts: [String: String] = [:]
  /// The line numbers of the file that set them.
  private var lines: [String: Int] = [:]
  /// The sections of the file that set them.
  private var sections: [String: String] = [:]
  /// The names of the shown program, if the file has sections.
  package var programNames: [String] = []

  package init() {}

  /// Adds a message for the user.
  package mutating func addNotice(_ text: String) { notices.append(text) }

  /// Puts the place of a setting before the messages about it.
  ///
  /// - Parameter first: The number of messages before it was set.
  package mutating func locateNotices(after first: Int, at place: String) {
    for index in notices.indices.dropFirst(first) { notices[index] = place + notices[index] }
  }

  package static func == (a: Settings, b: Settings) -> Bool {
    SettingDefinition.all.allSatisfy { $0.isEqual(a, b) }
  }

  /// The names of all settings: options of the command line without `--`, environment variables in capitals after
  /// `PERFHUD_`.
  package static let keys = SettingDefinition.all.map(\.key)

  /// Sets a value given as text.
  ///
  /// A value from a source that ranks below the one that has set the key is checked but not used.
  ///
  /// - Parameters:
  ///   - line: The line number, if the value comes from a file.
  ///   - section: The section of that line.
  package mutating func set(
    _ key: String, _ text: String, from source: SettingSource, line: Int? = nil,
    section: String? = nil
  ) throws(SettingError) {
    let key = Settings.name(of: key)
    guard let definition = SettingDefinition.named(key) else { throw Settings.unknown(key) }
    var changed = self
    try definition.parse(text, &changed)
    if source >= sources[key] ?? .standard {
      changed.sources[key] = source
      changed.lines[key] = line
      changed.sections[key] = section
      changed.texts[key] = definition.format(changed) ?? text
      self = changed
    }
  }

  /// Notes that changed settings are in the file now.
  mutating func noteSaved(_ changes: [SettingChange]) {
    for change in changes where source(of: change.key) == .keys { sources[change.key] = .file }
  }

  /// The source of a setting.
  package func source(of key: String) -> SettingSource { sources[key] ?? .standard }

  /// The line number of the file that set it; `nil` for other sources.
  package func line(of key: String) -> Int? { lines[key] }

  /// The section of the file that set it; `nil` for other sources, and for a setting for all programs.
  package func section(of key: String) -> String? { sections[key] }

  /// The value as text, in the form of the configuration file; `nil` if it is not set and has no default.
  package func text(of key: String) -> String? {
    let text = texts[key] ?? SettingDefinition.named(key)?.standard
    return text?.isEmpty == true ? nil : text
  }

  /// Returns the settings without this one.
  package func unset(_ key: String) -> Settings {
    var result = Settings()
    for name in Settings.keys where name != key {
      guard let text = texts[name] else { continue }
      try? result.set(
        name, text, from: source(of: name), line: lines[name], section: sections[name])
    }
    result.programNames = programNames
    result.notices = notices
    return result
  }

  /// Names that settings had in earlier versions.
  package static let aliases = ["leader": "prefix"]

  /// The current name of a setting, given any of its names.
  package static func name(of key: String) -> String { aliases[key] ?? key }

  /// Settings of earlier versions, and what to do instead.
  private static let removedKeys = [
    "animation": "remove the line",
    "remember-place": "set corner and size in a section for the program, such as [vim]",
  ]

  private static func unknown(_ key: String) -> SettingError {
    if let advice = removedKeys[key] {
      return SettingError("unknown setting '\(key)'; this version no longer has it: \(advice)")
    }
    let nearest = NearestName.of(key, among: keys)
    let hint = nearest.map { "; did you mean \($0)?" } ?? "; known: \(keys.joined(separator: ", "))"
    return SettingError("unknown setting '\(SafeText.clean(key, limit: 40))'\(hint)")
  }
}
