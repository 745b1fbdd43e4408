import Metrics
import PerfHUDBase
import Sampler

extension SettingDefinition {
  /// The declarations of all settings, in the order of the settings editor and of the configuration file.
  package static let all: [SettingDefinition] =
    group(.sampling, ofSampling)
    + group(.display, ofDisplay)
    + group(.overlay, ofOverlayHUD)
    + group(.events, ofEvents)
    + group(.alerts, ofAlerts)

  private static let ofSampling = [
    SettingDefinition(
      "interval", \.interval, .interval, steps: HUD.intervals.map(DurationText.text),
      range: "20ms - 1h", isLive: true, parse: parseInterval, format: DurationText.text),
    choice("memory", \.memory, .memory),
    SettingDefinition(
      "tick", \.tick, .tick, steps: ["0", "10", "20", "30", "60", "120", "240"],
      range: "0 - 240", scope: .pane, parse: parseTick, format: { "\($0)" }),
    flag("tree", \.tree, .tree),
    flag("summary", \.summary, .summary, scope: .overlay),
    flag("exit-with-target", \.exitsWithTarget, .exitWithTarget, scope: .pane),
  ]

  private static let ofDisplay = [
    SettingDefinition(
      "theme", \.theme, .theme, steps: ThemeName.allCases.map(\.rawValue), isLive: true,
      parse: { text, settings throws(SettingError) in
        // This was the name of the default in earlier versions.
        settings.theme = text == "default" ? .auto : try parseName("theme", text)
      },
      format: \.rawValue),
    choice("graph", \.graph, .graph, isLive: true),
    choice("lang", \.language, .language, isLive: true),
    SettingDefinition(
      "layout", \.layout, .layout, steps: OverviewLayout.examples.map(\.text),
      range: OverviewLayout.choices.map(OverviewLayout.name).joined(separator: ", "),
      isLive: true, hasParts: true, scope: .pane,
      parse: { text, settings throws(SettingError) in settings.layout = try OverviewLayout(text) },
      format: \.text),
    flag("mouse", \.hasMouse, .mouse, isLive: true, scope: .pane),
    flag("ascii", \.isASCII, .ascii),
  ]

  private static let ofOverlayHUD = [
    SettingDefinition(
      "size", \.size, .size, steps: ["line", "small", "medium", "large"],
      range: "line, small, medium, large, 40x10", isLive: true,
      scope: .overlay, parse: parseSize, format: { "\($0)" }),
    choice("corner", \.corner, .corner, isLive: true, scope: .overlay),
    SettingDefinition(
      "prefix", \.prefixKey, .prefixKey,
      steps: ["f12", "f9", "ctrl-^", "ctrl-]", "ctrl-g", "alt-x", "none"],
      range: "none, f1 - f12, ctrl-^, ctrl-g, alt-x, ...", scope: .overlay,
      parse: parsePrefixKey, format: { $0?.description ?? "none" }),
    flag("step-aside", \.avoidsCursor, .stepAside, isLive: true, scope: .overlay),
    flag("hidden", \.isHidden, .hidden, scope: .overlay),
    SettingDefinition(
      "auto-show", \.autoShow, .autoShow, steps: ["off", "1s", "2s", "5s", "10s"],
      range: "off, 100ms - 1h", scope: .overlay, parse: parseAutoShow,
      format: { $0 == 0 ? "off" : DurationText.text($0) }),
    flag("restart-hud", \.restartsHUD, .restartHUD, scope: .overlay),
  ]

  private static let ofEvents = [
    choice("phase-from", \.phaseChoice, .phaseFrom),
    SettingDefinition(
      "phase-pattern", \.phasePattern, .phasePattern, range: "scene (.*)",
      parse: parsePattern, format: { $0 ?? "" }),
    SettingDefinition(
      "action-high", \.highRate, .actionHigh, steps: ["10/s", "30/s", "60/s", "120/s"],
      range: "1/s - 1000000/s", standard: "30/s",
      parse: parseRate, format: { _ in nil }),
    text("events", \.events, .events, range: "/path/to/file", isOfOneRun: true),
    flag("no-events", \.refusesEvents, .noEvents),
    flag("no-osc-events", \.refusesOutputEvents, .noOSCEvents, scope: .overlay),
  ]

  private static let ofAlerts = [
    SettingDefinition(
      "alert", \.alerts, .alert, range: "cpu > 90% for 10s", isList: true,
      parse: addAlerts, format: { $0.map(\.text).joined(separator: "; ") }),
    flag("alert-bell", \.alertBell, .alertBell, isLive: true),
    text(
      "alert-command", \.alertCommand, .alertCommand,
      range: "notify-send \"$PERFHUD_ALERT_RULE\"", isLive: true),
    SettingDefinition(
      "budget", \.budgets, .budget, range: "rss.peak <= 500MiB", isList: true,
      parse: addBudgets, format: { $0.map(\.source).joined(separator: "; ") }),
    text("budgets", \.budgetFile, .budgets, range: "/path/to/file", isOfOneRun: true),
  ]
}

// MARK: Kinds of settings

extension SettingDefinition {
  private typealias Path<Value> = any WritableKeyPath<Settings, Value> & Sendable

  private static let flags = ["true", "false"]

  /// A setting that is true or false.
  private static func flag(
    _ key: String, _ path: Path<Bool>, _ word: SettingWord, isLive: Bool = false,
    scope: Scope = .everywhere
  ) -> SettingDefinition {
    SettingDefinition(
      key, path, word, steps: flags, isLive: isLive, isFlag: true, scope: scope,
      parse: { text, settings throws(SettingError) in
        settings[keyPath: path] = try parseFlag(key, text)
      },
      format: { $0 ? "true" : "false" })
  }

  /// A setting that is true or false, whose default depends on the mode.
  private static func flag(
    _ key: String, _ path: Path<Bool?>, _ word: SettingWord, scope: Scope = .everywhere
  ) -> SettingDefinition {
    SettingDefinition(
      key, path, word, steps: flags, isFlag: true, scope: scope,
      parse: { text, settings throws(SettingError) in
        settings[keyPath: path] = try parseFlag(key, text)
      },
      format: { $0.map { $0 ? "true" : "false" } ?? "" })
  }

  /// A setting with a fixed list of names.
  private static func choice<Value: RawRepresentable & CaseIterable & Equatable & Sendable>(
    _ key: String, _ path: Path<Value>, _ word: SettingWord, isLive: Bool = false,
    scope: Scope = .everywhere
  ) -> SettingDefinition where Value.RawValue == String {
    SettingDefinition(
      key, path, word, steps: Value.allCases.map(\.rawValue), isLive: isLive, scope: scope,
      parse: { text, settings throws(SettingError) in
        settings[keyPath: path] = try parseName(key, text)
      },
      format: \.rawValue)
  }

  /// A setting with a fixed list of names, without a default.
  private static func choice<Value: RawRepresentable & CaseIterable & Equatable & Sendable>(
    _ key: String, _ path: Path<Value?>, _ word: SettingWord, isLive: Bool = false
  ) -> SettingDefinition where Value.RawValue == String {
    SettingDefinition(
      key, path, word, steps: Value.allCases.map(\.rawValue), isLive: isLive,
      parse: { text, settings throws(SettingError) in
        let value: Value = try parseName(key, text)
        settings[keyPath: path] = value
      },
      format: { $0?.rawValue ?? "" })
  }

  /// A setting that takes any text; an empty text means no value.
  private static func text(
    _ key: String, _ path: Path<String?>, _ word: SettingWord, range: String, isLive: Bool = false,
    isOfOneRun: Bool = false
  ) -> SettingDefinition {
    SettingDefinition(
      key, path, word, range: range, isLive: isLive, isOfOneRun: isOfOneRun,
      parse: { text, settings throws(SettingError) in
        settings[keyPath: path] = text.isEmpty ? nil : text
      },
      format: { $0 ?? "" })
  }
}

// MARK: Parsing

extension SettingDefinition {
  /// Quotes text from outside in an error, made harmless and shortened.
  private static func quoted(_ text: String) -> String { "'\(SafeText.clean(text, limit: 40))'" }

  private static func parseName<Value: RawRepresentable & CaseIterable>(
    _ key: String, _ text: String
  ) throws(SettingError) -> Value where Value.RawValue == String {
    if let value = Value(rawValue: text) { return value }
    let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw SettingError("\(key) \(quoted(text)) is none of: \(names)")
  }

  private static func parseFlag(_ key: String, _ text: String) throws(SettingError) -> Bool {
    switch text {
    case "true", "yes", "on", "1": return true
    case "false", "no", "off", "0": return false
    default: throw SettingError("\(key) \(quoted(text)) is neither true nor false")
    }
  }

  /// Rounds up to a multiple of 20 ms and adds a notice about it.
  @Sendable private static func parseInterval(
    _ text: String, _ settings: inout Settings
  ) throws(SettingError) {
    let step = SampleGrid.step
    guard let value = DurationText.nanoseconds(text) else {
      throw SettingError("interval \(quoted(text)) is not a time such as 100ms, 0.5 or 2s")
    }
    guard value > 0 else {
      throw SettingError("interval \(quoted(text)) is too short; the shortest is 20ms")
    }
    guard value <= 3_600_000_000_000 else {
      throw SettingError("interval \(quoted(text)) is longer than an hour")
    }
    let rounded = (value + step - 1) / step * step
    if rounded != value {
      settings.addNotice(
        "interval \(SafeText.clean(text, limit: 40)) rounded up to \(rounded / 1_000_000)ms, "
          + "a multiple of 20 ms, so that readings lie on whole kernel ticks")
    }
    settings.interval = rounded
  }

  @Sendable private static func parseAutoShow(
    _ text: String, _ settings: inout Settings
  ) throws(SettingError) {
    guard let value = text == "off" ? 0 : DurationText.nanoseconds(text),
      text == "off" || (100_000_000...3_600_000_000_000).contains(value)
    else {
      throw SettingError("auto-show \(quoted(text)) is neither off nor a time from 100ms to 1h")
    }
    settings.autoShow = value
  }

  @Sendable private static func parseTick(
    _ text: String, _ settings: inout Settings
  ) throws(SettingError) {
    guard let value = Int(text), (0...240).contains(value) else {
      throw SettingError("tick \(quoted(text)) is not a whole number from 0 (off) to 240")
    }
    settings.tick = value
  }

  @Sendable private static func parseSize(
    _ text: String, _ settings: inout Settings
  ) throws(SettingError) {
    guard let size = HUDSize(text: text) else {
      throw SettingError(
        "size \(quoted(text)) is none of: line, small, medium, large, "
          + "or columns and rows from 1 to 1000 such as 40x10")
    }
    settings.size = size
  }

  @Sendable private static func parsePrefixKey(
    _ text: String, _ settings: inout Settings
  ) throws(SettingError) {
    let prefixKey = PrefixKey(text: text)
    guard prefixKey != nil || text == "none" else {
      throw SettingError("prefix \(quoted(text)) is none of: \(PrefixKey.choices)")
    }
    settings.prefixKey = prefixKey
  }

  @Sendable private static func parsePattern(
    _ text: String, _ settings: inout Settings
  ) throws(SettingError) {
    if !text.isEmpty {
      do {
        _ = try LinePattern(text)
      } catch {
        throw SettingError(
          "phase-pattern \(quoted(text)) is no extended regular expression: \(error)")
      }
    }
    settings.phasePattern = text.isEmpty ? nil : text
  }

  /// Parses `30` or `30/s`.
  @Sendable private static func parseRate(
    _ text: String, _ settings: inout Settings
  ) throws(SettingError) {
    let number = text.hasSuffix("/s") ? text.dropLast(2) : text[...]
    // Double also accepts "0x10" and "inf"; reject them.
    guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let value = Double(number), value > 0, value <= 1_000_000
    else {
      throw SettingError(
        "action-high \(quoted(text)) is not a rate such as 30/s, up to 1000000/s")
    }
    settings.highRate = value
  }

  /// The rules of a list; those that are blank, as after a last semicolon, only if all are.
  private static func rules(in text: String) -> [String] {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { String($0) }
    let filled = parts.filter { part in part.contains { $0 != " " && $0 != "\t" } }
    return filled.isEmpty ? [text] : filled
  }

  /// Adds rules to those of the lower-ranking sources; `none` removes those.
  @Sendable private static func addAlerts(
    _ text: String, _ settings: inout Settings
  ) throws(SettingError) {
    if text == "none" { return settings.alerts.removeAll() }
    for part in rules(in: text) {
      do {
        settings.alerts.append(try Rule(part))
      } catch {
        throw SettingError("alert: \(error)")
      }
    }
    if settings.alerts.count > Rule.capacity {
      throw SettingError("alert: more than \(Rule.capacity) rules")
    }
  }

  /// Adds budgets to those of the lower-ranking sources; `none` removes those.
  @Sendable private static func addBudgets(
    _ text: String, _ settings: inout Settings
  ) throws(SettingError) {
    if text == "none" { return settings.budgets.removeAll() }
    for part in rules(in: text) {
      do {
        settings.budgets.append(try Budget(part))
      } catch {
        throw SettingError("budget: \(error)")
      }
    }
    if settings.budgets.count > Budget.capacity {
      throw SettingError("budget: more than \(Budget.capacity) rules")
    }
  }
}
