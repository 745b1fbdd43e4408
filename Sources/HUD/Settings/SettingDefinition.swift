import Base
import Metrics

/// What is known of a setting beside its value: what it does, what it takes, and what it is by default. The
/// one table of them: the sheet, `perfhud config` and the file it makes come from here.
public struct SettingDefinition: Sendable {
  /// As the file has it.
  public let key: String
  /// The value by default; `nil` where there is none, or where it depends on the mode.
  public let standard: String?
  /// The values that the sheet goes through; empty where only typing helps.
  public let steps: [String]
  /// What it takes, in a form that needs no translation.
  public let range: String
  /// What it does.
  public let word: Word
  /// A change shows at once, not from the next start.
  public let isLive: Bool

  init(
    _ key: String, _ standard: String?, _ steps: [String], range: String? = nil, _ word: Word,
    isLive: Bool = false
  ) {
    self.key = key
    self.standard = standard
    self.steps = steps
    self.range = range ?? steps.joined(separator: ", ")
    self.word = word
    self.isLive = isLive
  }

  /// Whether it is said by yes or no.
  public var isFlag: Bool { steps == SettingDefinition.flags }
  /// Whether one line of the file cannot hold it.
  public var isList: Bool { key == "alert" }
  /// Whether it names parts that are chosen from a list, and in an order.
  var hasParts: Bool { key == "layout" }

  private static let flags = ["true", "false"]

  private static func names<Value: CaseIterable & RawRepresentable>(
    _ type: Value.Type
  ) -> [String] where Value.RawValue == String {
    type.allCases.map(\.rawValue)
  }

  /// All settings, in the order of `Settings.keys`.
  public static let all: [SettingDefinition] = [
    SettingDefinition(
      "interval", "100ms", HUD.intervals.map(DurationText.text), range: "20ms - 1h",
      .settingInterval, isLive: true),
    SettingDefinition(
      "tick", "60", ["0", "10", "20", "30", "60", "120", "240"], range: "0 - 240", .settingTick),
    SettingDefinition("memory", "footprint", names(MemoryMetric.self), .settingMemory),
    SettingDefinition("graph", "braille", names(GraphStyle.self), .settingGraph, isLive: true),
    SettingDefinition(
      "layout", OverviewLayout.standard.text, OverviewLayout.examples.map(\.text),
      range: OverviewLayout.choices.map(OverviewLayout.name).joined(separator: ", "),
      .settingLayout, isLive: true),
    SettingDefinition("ascii", "false", flags, .settingASCII),
    SettingDefinition("mouse", "true", flags, .settingMouse, isLive: true),
    SettingDefinition("lang", nil, names(Language.self), .settingLanguage, isLive: true),
    SettingDefinition("theme", "default", names(ThemeName.self), .settingTheme, isLive: true),
    SettingDefinition("corner", "top-right", names(Corner.self), .settingCorner, isLive: true),
    SettingDefinition(
      "size", "medium", ["line", "small", "medium", "large"],
      range: "line, small, medium, large, 40x10", .settingSize, isLive: true),
    SettingDefinition(
      "leader", "ctrl-^", ["ctrl-^", "ctrl-]", "ctrl-_", "ctrl-g", "none"],
      range: "none, ctrl-^, ctrl-], ctrl-g, ...", .settingPrefixKey),
    SettingDefinition("step-aside", "true", flags, .settingStepAside, isLive: true),
    SettingDefinition("hidden", "false", flags, .settingHidden),
    SettingDefinition("tree", nil, flags, .settingTree),
    SettingDefinition("phase-from", nil, names(PhaseChoice.self), .settingPhaseFrom),
    SettingDefinition("phase-pattern", nil, [], range: "scene (.*)", .settingPhasePattern),
    SettingDefinition(
      "action-high", "30/s", ["10/s", "30/s", "60/s", "120/s"], range: "1/s - 1000000/s",
      .settingActionHigh),
    SettingDefinition("summary", nil, flags, .settingSummary),
    SettingDefinition("exit-with-target", "false", flags, .settingExitWithTarget),
    SettingDefinition("events", nil, [], range: "/path/to/file", .settingEvents),
    SettingDefinition("alert", nil, [], range: "cpu > 90% for 10s", .settingAlert),
    SettingDefinition("alert-bell", "false", flags, .settingAlertBell, isLive: true),
    SettingDefinition(
      "alert-command", nil, [], range: "notify-send \"$PERFHUD_ALERT_RULE\"",
      .settingAlertCommand, isLive: true),
  ]

  public static func named(_ key: String) -> SettingDefinition? { all.first { $0.key == key } }

  /// The value that comes behind or before one; `nil` leaves it unset, which is one of the values where
  /// there is none by default.
  ///
  /// - Parameter own: one that is none of the steps; it has its place among them, so that it is not lost.
  func neighbour(of value: String?, by step: Int, own: String? = nil) -> String? {
    guard !steps.isEmpty else { return value }
    var values: [String?] = steps
    if let own, !steps.contains(own) { values.insert(own, at: place(of: own)) }
    if standard == nil { values.insert(nil, at: 0) }
    guard let place = values.firstIndex(of: value) else { return steps.first }
    return values[((place + step) % values.count + values.count) % values.count]
  }

  /// Where a value belongs among the steps: by its size where they have one, else behind them.
  private func place(of own: String) -> Int {
    guard let size = SettingDefinition.size(of: own) else { return steps.count }
    return steps.firstIndex { SettingDefinition.size(of: $0).map { $0 > size } ?? false }
      ?? steps.count
  }

  /// A time in nanoseconds, a rate or a number; `nil` for what is none.
  private static func size(of text: String) -> Double? {
    if let time = DurationText.nanoseconds(text) { return Double(time) }
    return Double(text.hasSuffix("/s") ? text.dropLast(2) : text[...])
  }
}

extension SettingSource {
  public var word: Word {
    switch self {
    case .standard: .sourceStandard
    case .file: .sourceFile
    case .environment: .sourceEnvironment
    case .commandLine: .sourceCommandLine
    case .keys: .sourceKeys
    }
  }
}
