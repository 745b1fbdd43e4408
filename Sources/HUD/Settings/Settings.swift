import Base
import Metrics

/// Where a setting came from; a later source wins.
public enum SettingSource: Int, Comparable, Sendable {
  case standard
  case file
  case environment
  case commandLine
  /// Keys in the HUD.
  case keys

  public static func < (a: SettingSource, b: SettingSource) -> Bool { a.rawValue < b.rawValue }
}

/// A setting that cannot be taken, in one line that says what would be.
public struct SettingError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// Everything that can be set, in the one table that command line, environment and configuration file
/// share: they all go through `set`.
public struct Settings: Sendable, Equatable {
  /// Nanoseconds between samples: a multiple of 20 ms, so that readings lie on whole kernel ticks.
  public var interval: UInt64 = 100_000_000
  /// Ticks in a second; 0 is off.
  public var tick = 60
  public var memory = MemoryMetric.footprint
  public var graph = GraphStyle.braille
  /// What the overview of a HUD that fills a terminal shows.
  public var layout = OverviewLayout.standard
  public var isASCII = false
  /// Whether a HUD that fills a terminal takes the mouse; it is the terminal's otherwise.
  public var hasMouse = true
  /// `nil`: the language of the locale.
  public var language: Language?
  public var exitsWithTarget = false
  /// The corner of a command's screen that the HUD keeps to.
  public var corner = Corner.topRight
  /// How much of a command's screen the HUD takes.
  public var size = HUDSize.medium
  /// The key that gives the keys to the HUD over a command; `nil`: none does.
  public var prefixKey: PrefixKey? = .standard
  /// Whether the HUD over a command goes to another corner while the cursor rests under it.
  public var stepsAside = true
  /// Whether the HUD over a command begins hidden.
  public var isHidden = false
  /// Whether children of the process are counted too; `nil`: those of a command, not those of a
  /// process that was named.
  public var tree: Bool?
  /// Where phases come from; `nil`: from whatever tells most.
  public var phaseChoice: PhaseChoice?
  /// What a line of the file of `events` must match to begin a phase.
  public var phasePattern: String?
  /// Whether what a command took is said at its end; `nil`: as the mode has it.
  public var summary: Bool?
  /// Times a second above which an action is HIGH.
  public var highRate = 30.0
  /// A file to which lines of events are appended; `nil`: none.
  public var events: String?
  /// The colours of the HUD.
  public var theme = ThemeName.standard
  /// What raises an alert.
  public var alerts: [Rule] = []
  /// Whether an alert rings the bell of the terminal.
  public var alertBell = false
  /// A command of the user's that an alert runs; `nil`: none.
  public var alertCommand: String?

  /// What deserves a line to the user, such as a value that was rounded.
  public private(set) var notices: [String] = []
  private var sources: [String: SettingSource] = [:]
  /// The values that were set, in the form in which the file has them.
  private var texts: [String: String] = [:]
  /// The lines of the file that have set them.
  private var lines: [String: Int] = [:]

  public init() {}

  /// Adds a line for the user.
  public mutating func addNotice(_ text: String) { notices.append(text) }

  public static func == (a: Settings, b: Settings) -> Bool {
    a.interval == b.interval && a.tick == b.tick && a.memory == b.memory && a.graph == b.graph
      && a.layout == b.layout
      && a.isASCII == b.isASCII && a.hasMouse == b.hasMouse
      && a.language == b.language
      && a.exitsWithTarget == b.exitsWithTarget && a.corner == b.corner && a.size == b.size
      && a.prefixKey == b.prefixKey
      && a.stepsAside == b.stepsAside
      && a.isHidden == b.isHidden && a.tree == b.tree
      && a.summary == b.summary && a.phaseChoice == b.phaseChoice
      && a.phasePattern == b.phasePattern && a.highRate == b.highRate && a.events == b.events
      && a.theme == b.theme && a.alerts == b.alerts && a.alertBell == b.alertBell
      && a.alertCommand == b.alertCommand
  }

  /// Names of all settings; on the command line with `--`, in the environment in capitals behind
  /// `PERFHUD_`.
  public static let keys = [
    "interval", "tick", "memory", "graph", "layout", "ascii", "mouse", "lang", "theme",
    "corner", "size", "leader",
    "step-aside", "hidden", "tree", "phase-from", "phase-pattern", "action-high",
    "summary", "exit-with-target", "events", "alert", "alert-bell", "alert-command",
  ]

  /// Takes a value as text.
  ///
  /// A value of a lesser source than the one that has set the key already is checked and not taken.
  ///
  /// - Parameter line: that of the file, if it comes from there.
  public mutating func set(
    _ key: String, _ text: String, from source: SettingSource, line: Int? = nil
  ) throws(SettingError) {
    var changed = self
    switch key {
    case "interval": changed.interval = try changed.parseInterval(text)
    case "tick": changed.tick = try Settings.parseTick(text)
    case "memory": changed.memory = try Settings.parse(key, text)
    case "graph": changed.graph = try Settings.parse(key, text)
    case "layout": changed.layout = try OverviewLayout(text)
    case "ascii": changed.isASCII = try Settings.parseFlag(key, text)
    case "mouse": changed.hasMouse = try Settings.parseFlag(key, text)
    case "lang": changed.language = try Settings.parse(key, text)
    case "corner": changed.corner = try Settings.parse(key, text)
    case "size": changed.size = try Settings.parseSize(text)
    case "leader": changed.prefixKey = try Settings.parsePrefixKey(text)
    case "step-aside": changed.stepsAside = try Settings.parseFlag(key, text)
    case "hidden": changed.isHidden = try Settings.parseFlag(key, text)
    case "tree": changed.tree = try Settings.parseFlag(key, text)
    case "phase-from": changed.phaseChoice = try Settings.parse(key, text)
    case "phase-pattern": changed.phasePattern = try Settings.parsePattern(text)
    case "action-high": changed.highRate = try Settings.parseRate(key, text)
    case "summary": changed.summary = try Settings.parseFlag(key, text)
    case "exit-with-target": changed.exitsWithTarget = try Settings.parseFlag(key, text)
    case "events": changed.events = text.isEmpty ? nil : text
    case "theme": changed.theme = try Settings.parse(key, text)
    case "alert": try changed.addAlerts(text)
    case "alert-bell": changed.alertBell = try Settings.parseFlag(key, text)
    case "alert-command": changed.alertCommand = text.isEmpty ? nil : text
    default: throw Settings.unknown(key)
    }
    if source >= sources[key] ?? .standard {
      changed.sources[key] = source
      changed.lines[key] = line
      changed.texts[key] = changed.canonical(key, text)
      self = changed
    }
  }

  /// Where a setting came from.
  public func source(of key: String) -> SettingSource { sources[key] ?? .standard }

  /// The line of the file that has set it; `nil` if something else has.
  public func line(of key: String) -> Int? { lines[key] }

  /// The value as the file has it; `nil` where it was not set and has no value of its own by default.
  public func text(of key: String) -> String? {
    let text = texts[key] ?? SettingDefinition.named(key)?.standard
    return text?.isEmpty == true ? nil : text
  }

  /// The same settings with this one as if it had never been set.
  public func unset(_ key: String) -> Settings {
    var result = Settings()
    for name in Settings.keys where name != key {
      guard let text = texts[name] else { continue }
      try? result.set(name, text, from: source(of: name), line: lines[name])
    }
    result.notices = notices
    return result
  }

  /// The value in the one form that stands for all its spellings.
  private func canonical(_ key: String, _ text: String) -> String {
    switch key {
    case "interval": DurationText.text(interval)
    case "tick": "\(tick)"
    case "size": "\(size)"
    case "layout": layout.text
    case "leader": prefixKey?.description ?? "none"
    case "alert": alerts.map(\.text).joined(separator: "; ")
    default:
      if SettingDefinition.named(key)?.isFlag == true,
        let value = try? Settings.parseFlag(key, text)
      {
        value ? "true" : "false"
      } else {
        text
      }
    }
  }

  /// Rules are added to those of lesser sources; `none` leaves those out.
  private mutating func addAlerts(_ text: String) throws(SettingError) {
    if text == "none" { return alerts.removeAll() }
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      do {
        alerts.append(try Rule(String(part)))
      } catch {
        throw SettingError("alert: \(error)")
      }
    }
    if alerts.count > Rule.capacity {
      throw SettingError("alert: more than \(Rule.capacity) rules")
    }
  }

  /// Settings that earlier versions had.
  private static let removedKeys = ["animation", "remember-place"]

  private static func unknown(_ key: String) -> SettingError {
    if removedKeys.contains(key) {
      return SettingError(
        "unknown setting '\(key)'; this version no longer has it: remove the line")
    }
    let nearest = NearestName.of(key, among: keys)
    let hint = nearest.map { "; did you mean \($0)?" } ?? "; known: \(keys.joined(separator: ", "))"
    return SettingError("unknown setting '\(SafeText.clean(key, limit: 40))'\(hint)")
  }

  private static func parse<Value: RawRepresentable & CaseIterable>(
    _ key: String, _ text: String
  ) throws(SettingError) -> Value where Value.RawValue == String {
    if let value = Value(rawValue: text) { return value }
    let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw SettingError("\(key) '\(SafeText.clean(text, limit: 40))' is none of: \(names)")
  }

  private static func parseFlag(_ key: String, _ text: String) throws(SettingError) -> Bool {
    switch text {
    case "true", "yes", "on", "1": return true
    case "false", "no", "off", "0": return false
    default:
      throw SettingError("\(key) '\(SafeText.clean(text, limit: 40))' is neither true nor false")
    }
  }

  private static func parseSize(_ text: String) throws(SettingError) -> HUDSize {
    if let size = HUDSize(text: text) { return size }
    throw SettingError(
      "size '\(SafeText.clean(text, limit: 40))' is none of: line, small, medium, large, "
        + "or columns and rows from 1 to 1000 such as 40x10")
  }

  private static func parsePrefixKey(_ text: String) throws(SettingError) -> PrefixKey? {
    if text == "none" { return nil }
    if let prefixKey = PrefixKey(text: text) { return prefixKey }
    throw SettingError(
      "leader '\(SafeText.clean(text, limit: 40))' is neither none nor ctrl- and one of: "
        + "a b d e f g k l n o p q r s t u v w x y ] ^ _")
  }

  private static func parsePattern(_ text: String) throws(SettingError) -> String? {
    if text.isEmpty { return nil }
    do {
      _ = try LinePattern(text)
      return text
    } catch {
      throw SettingError(
        "phase-pattern '\(SafeText.clean(text, limit: 40))' is no extended regular expression: "
          + "\(error)")
    }
  }

  /// `30` or `30/s`.
  private static func parseRate(_ key: String, _ text: String) throws(SettingError) -> Double {
    let number = text.hasSuffix("/s") ? text.dropLast(2) : text[...]
    // Double("0x10") and Double("inf") are numbers too, but nobody means them.
    guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let value = Double(number), value > 0, value <= 1_000_000
    else {
      throw SettingError(
        "\(key) '\(SafeText.clean(text, limit: 40))' is not a rate such as 30/s, up to 1000000/s")
    }
    return value
  }

  private static func parseTick(_ text: String) throws(SettingError) -> Int {
    guard let value = Int(text), (0...240).contains(value) else {
      throw SettingError(
        "tick '\(SafeText.clean(text, limit: 40))' is not a whole number from 0 (off) to 240")
    }
    return value
  }

  private mutating func parseInterval(_ text: String) throws(SettingError) -> UInt64 {
    let step: UInt64 = 20_000_000
    guard let value = DurationText.nanoseconds(text), value > 0 else {
      throw SettingError(
        "interval '\(SafeText.clean(text, limit: 40))' is not a time such as 100ms, 0.5 or 2s")
    }
    guard value <= 3_600_000_000_000 else {
      throw SettingError("interval '\(SafeText.clean(text, limit: 40))' is longer than an hour")
    }
    let rounded = (value + step - 1) / step * step
    if rounded != value {
      notices.append(
        "interval \(SafeText.clean(text, limit: 40)) rounded up to \(rounded / 1_000_000)ms, "
          + "a multiple of 20 ms, so that readings lie on whole kernel ticks")
    }
    return rounded
  }
}
