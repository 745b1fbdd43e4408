import HUD
import Metrics
import PerfHUDEvents
import Terminal

/// The tables that the documents repeat, for `scripts/check-docs.sh`: one row on each line, fields separated by tabs.
enum Tables {
  static var text: String {
    var rows: [[String]] = []
    for option in KnownOption.all {
      rows.append(["option", "--\(option.name)"])
      if let letter = option.letter { rows.append(["option", "-\(letter)"]) }
    }
    rows += KnownOption.subcommands.map { ["subcommand", $0] }
    rows += SettingDefinition.all.map {
      ["setting", $0.key, Environment.variable($0.key), $0.standard ?? ""]
    }
    rows += Column.all.map { ["column", "\($0.key)"] }
    rows += Event.Kind.allCases.map { ["event", "\($0.word)"] }
    rows += EventColor.allCases.map { ["color", "\($0.name)"] }
    rows += Metric.allCases.compactMap { metric in
      metric.definition.ruleName.map { ["metric", "\($0)"] }
    }
    rows += keys.map { ["key", $0] }
    return rows.map { $0.joined(separator: "\t") + "\n" }.joined()
  }

  /// The keys that have a command anywhere in the HUD.
  private static var keys: [String] {
    let characters = (0x20..<0x7F).compactMap { UnicodeScalar($0) }
    var candidates: [(Key, String)] = characters.map {
      (Key.character($0), $0 == " " ? "space" : "\($0)")
    }
    for letter in characters where ("A"..."Z").contains(letter) {
      candidates.append((.control(letter), "^\(letter)"))
    }
    for number in UInt8(1)...12 { candidates.append((.function(number), "F\(number)")) }
    let named: [(Key, String)] = [
      (.enter, "Enter"), (.tab, "Tab"), (.escape, "Esc"), (.backspace, "Backspace"), (.up, "Up"),
      (.down, "Down"), (.left, "Left"), (.right, "Right"), (.home, "Home"), (.end, "End"),
      (.pageUp, "PageUp"), (.pageDown, "PageDown"), (.insert, "Insert"), (.delete, "Delete"),
    ]
    candidates += named
    return candidates.filter { hasCommand($0.0) }.map(\.1)
  }

  private static func hasCommand(_ key: Key) -> Bool {
    KeySet.allCases.contains { KeyBinding.command(for: key, in: $0) != nil }
      || KeyBinding.processCommand(for: key) != nil
      || ListCommand(key) != nil || SettingsCommand(key) != nil
  }
}
