import Metrics
import PerfHUDBase

/// The declaration of one setting: its key, value, default, choices and description.
///
/// The settings editor, `perfhud config`, the template of the configuration file and `Settings` itself are derived from
/// the declarations in `SettingDefinition.all`.
package struct SettingDefinition: Sendable {
  /// Where a setting has an effect.
  enum Scope: Sendable {
    case everywhere
    /// Only in a full-screen view.
    case pane
    /// Only in a HUD over a program.
    case overlay
  }

  /// What a setting is about; the settings editor names it beside its first one.
  enum Group: Sendable {
    case sampling, display, overlay, events, alerts

    var word: SettingWord {
      switch self {
      case .sampling: .groupSampling
      case .display: .groupDisplay
      case .overlay: .groupOverlay
      case .events: .groupEvents
      case .alerts: .groupAlerts
      }
    }
  }

  /// The name in the configuration file.
  package let key: String
  /// The default as text; `nil` if there is none, or if it depends on the mode.
  package let standard: String?
  /// The values that the settings editor steps through; empty if a value can only be typed.
  package let steps: [String]
  /// The accepted values, in a form that needs no translation.
  package let range: String
  /// The description.
  package let word: SettingWord
  /// Whether a change applies at once; otherwise it applies from the next start.
  package let isLive: Bool
  /// Whether the value is true or false.
  package let isFlag: Bool
  /// Whether the configuration file may set it on several lines.
  package let isList: Bool
  /// Whether its value belongs to one run, such as the path of a file. The settings editor does not have it, so that it
  /// is never saved for later runs.
  package let isOfOneRun: Bool
  /// Whether its value consists of parts that are chosen from a list and ordered.
  let hasParts: Bool
  let scope: Scope
  private(set) var group = Group.sampling

  /// Parses a text and stores the value.
  let parse: @Sendable (String, inout Settings) throws(SettingError) -> Void
  /// The value as text, in one form for all spellings; `nil` if the user's spelling is kept.
  let format: @Sendable (Settings) -> String?
  /// Whether two `Settings` have the same value.
  let isEqual: @Sendable (Settings, Settings) -> Bool

  /// - Parameters:
  ///   - standard: The default as text, if `format` returns `nil` for it.
  ///   - range: The accepted values, if there are more than `steps`.
  ///   - parse: Parses and stores a value.
  ///   - format: Makes the text of a value. An empty text means no value.
  init<Value: Equatable & SendableMetatype>(
    _ key: String, _ path: any KeyPath<Settings, Value> & Sendable, _ word: SettingWord,
    steps: [String] = [], range: String? = nil, standard: String? = nil, isLive: Bool = false,
    isFlag: Bool = false, isList: Bool = false, isOfOneRun: Bool = false,
    hasParts: Bool = false, scope: Scope = .everywhere,
    parse: @escaping @Sendable (String, inout Settings) throws(SettingError) -> Void,
    format: @escaping @Sendable (Value) -> String?
  ) {
    self.key = key
    self.steps = steps
    self.range = range ?? steps.joined(separator: ", ")
    self.word = word
    self.isLive = isLive
    self.isFlag = isFlag
    self.isList = isList
    self.isOfOneRun = isOfOneRun
    self.hasParts = hasParts
    self.scope = scope
    self.parse = parse
    self.format = { format($0[keyPath: path]) }
    isEqual = { $0[keyPath: path] == $1[keyPath: path] }
    let text = standard ?? format(Settings()[keyPath: path])
    self.standard = text?.isEmpty == true ? nil : text
  }

  /// The settings as those of a group.
  static func group(_ group: Group, _ settings: [SettingDefinition]) -> [SettingDefinition] {
    settings.map { setting in
      var setting = setting
      setting.group = group
      return setting
    }
  }

  /// The settings that have an effect in a kind of HUD, which are those of its settings editor.
  ///
  /// - Parameter isReplay: whether it shows a recording, where nothing is measured.
  static func of(_ family: HUDFamily, isReplay: Bool) -> [SettingDefinition] {
    switch (family, isReplay) {
    case (.pane, false): ofPane
    case (.pane, true): ofPaneOfReplay
    case (.overlay, false): ofOverlay
    case (.overlay, true): ofOverlayOfReplay
    }
  }

  /// Whether a change is visible in a replay.
  private var isOfReplay: Bool {
    isLive && !["interval", "alert-bell", "alert-command"].contains(key)
  }

  private static let ofPane = all.filter { $0.scope != .overlay && !$0.isOfOneRun }
  private static let ofOverlay = all.filter { $0.scope != .pane && !$0.isOfOneRun }
  private static let ofPaneOfReplay = ofPane.filter(\.isOfReplay)
  private static let ofOverlayOfReplay = ofOverlay.filter(\.isOfReplay)

  package static func named(_ key: String) -> SettingDefinition? { all.first { $0.key == key } }

  /// The value after (`step` 1) or before (-1) a value. `nil` means unset, which is one of the values if there is no
  /// default.
  ///
  /// - Parameter own: A value that is not in `steps`. It is inserted among them, so that it is not lost.
  func neighbor(of value: String?, by step: Int, own: String? = nil) -> String? {
    guard !steps.isEmpty else { return value }
    var values: [String?] = steps
    if let own, !steps.contains(own) { values.insert(own, at: insertionIndex(of: own)) }
    if standard == nil { values.insert(nil, at: 0) }
    guard let index = values.firstIndex(of: value) else { return steps.first }
    return values[((index + step) % values.count + values.count) % values.count]
  }

  /// The index of a value among the steps, which are sorted by size; the end for a value without a size.
  private func insertionIndex(of own: String) -> Int {
    guard let size = SettingDefinition.size(of: own) else { return steps.count }
    return steps.firstIndex { SettingDefinition.size(of: $0).map { $0 > size } ?? false }
      ?? steps.count
  }

  /// A time in nanoseconds, a rate per second or a number; `nil` for any other text.
  private static func size(of text: String) -> Double? {
    if let time = DurationText.nanoseconds(text) { return Double(time) }
    return Double(text.hasSuffix("/s") ? text.dropLast(2) : text[...])
  }
}

extension SettingSource {
  package var word: SettingWord {
    switch self {
    case .standard: .sourceStandard
    case .file: .sourceFile
    case .environment: .sourceEnvironment
    case .commandLine: .sourceCommandLine
    case .keys: .sourceKeys
    }
  }
}
