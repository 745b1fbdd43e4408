import Metrics
import PerfHUDBase
import Terminal

/// A setting to write to the file; without a value its line is removed.
package struct SettingChange: Equatable, Sendable {
  package let key: String
  package let value: String?

  package init(_ key: String, _ value: String?) {
    self.key = key
    self.value = value
  }
}

/// The settings editor: selection, typed text, and the settings to return to. Pure.
package struct SettingsEditor: Sendable {
  /// The settings that it lists.
  let all: [SettingDefinition]
  /// The settings when it was opened or last saved; `undo` returns to them.
  private(set) var before: Settings
  package private(set) var selection = 0
  /// The first visible setting.
  private(set) var first = 0
  /// The text that is being typed; `nil` if there is none.
  package private(set) var prompt: String?
  /// Whether that text is the whole old value, which the first typed character replaces.
  private(set) var replacesPrompt = false
  /// The error of the last value, or the result of saving.
  package internal(set) var message: String?
  /// The parts of the layout while the user chooses them.
  private(set) var parts: LayoutParts?
  /// The settings before the parts were changed.
  private var beforeParts = Settings()
  /// For each setting the last value that is not one of its steps.
  private var ownValues: [String: String] = [:]

  private static let promptLimit = 200

  init(_ settings: Settings, _ family: HUDFamily, isReplay: Bool) {
    before = settings
    all = SettingDefinition.of(family, isReplay: isReplay)
  }

  var selected: SettingDefinition { all[selection] }

  /// Scrolls so that the selection is visible.
  mutating func settle(height: Int) {
    let height = max(1, height)
    first = min(max(first, selection - height + 1), selection)
    first = max(0, min(first, all.count - height))
  }

  mutating func move(_ command: SettingsCommand, page: Int) {
    message = nil
    let last = all.count - 1
    switch command {
    case .up: selection -= 1
    case .down: selection += 1
    case .pageUp: selection -= max(1, page)
    case .pageDown: selection += max(1, page)
    case .home: selection = 0
    case .end: selection = last
    default: break
    }
    selection = max(0, min(selection, last))
  }

  /// Selects the setting in a visible row, counted from the top.
  mutating func click(_ row: Int) {
    guard row >= 0, first + row < all.count else { return }
    selection = first + row
    message = nil
  }

  /// Steps the selected setting.
  mutating func step(by step: Int, in settings: inout Settings) {
    message = nil
    guard !selected.steps.isEmpty else { return }
    let value = settings.text(of: selected.key)
    if let value, !selected.steps.contains(value) { ownValues[selected.key] = value }
    let own = ownValues[selected.key]
    take(selected.neighbor(of: value, by: step, own: own), into: &settings)
  }

  private mutating func take(_ value: String?, into settings: inout Settings) {
    let key = selected.key
    guard let value else {
      settings = settings.unset(key)
      return
    }
    do {
      // A typed list replaces the old one.
      var changed = selected.isList ? settings.unset(key) : settings
      try changed.set(key, value, from: .keys)
      settings = changed
    } catch {
      message = error.description
    }
  }

  // MARK: Typing

  mutating func beginTyping(_ settings: Settings) {
    message = nil
    let value = settings.text(of: selected.key) ?? ""
    prompt = value
    replacesPrompt = !value.isEmpty
  }

  mutating func type(_ key: Key) {
    guard var text = prompt else { return }
    switch key {
    case .backspace, .control("h"): _ = text.unicodeScalars.popLast()
    case .control("u"): text = ""
    // Keep the old value, to append to it.
    case .right, .end, .control("e"): break
    default:
      guard case .character(let scalar) = key.code, key.modifiers.isEmpty else { return }
      if replacesPrompt { text = "" }
      guard text.unicodeScalars.count < SettingsEditor.promptLimit else { return }
      text.unicodeScalars.append(scalar)
    }
    prompt = text
    replacesPrompt = false
  }

  /// Accepts what was typed; an empty text unsets the setting.
  mutating func accept(in settings: inout Settings) {
    guard let text = prompt else { return }
    prompt = nil
    take(text.isEmpty ? nil : text, into: &settings)
  }

  mutating func cancelTyping() { prompt = nil }

  // MARK: Parts of the layout

  mutating func beginChoosing(_ settings: Settings) {
    message = nil
    beforeParts = settings
    parts = LayoutParts(settings.layout)
  }

  /// Handles a key in the list of parts.
  ///
  /// - Returns: `false` if the last part would be removed.
  mutating func choose(_ key: Key, in settings: inout Settings) -> Bool {
    guard parts != nil else { return true }
    message = nil
    switch key {
    case .enter: parts = nil
    case .escape, .control("c"), .control("g"):
      parts = nil
      settings = beforeParts
    case .up, .character("k"), .backTab: parts?.select(by: -1)
    case .down, .character("j"), .tab: parts?.select(by: 1)
    case .pageUp, .home, .character("g"): parts?.select(by: -OverviewLayout.choices.count)
    case .pageDown, .end, .character("G"): parts?.select(by: OverviewLayout.choices.count)
    case .left, .character("h"), .character("-"): changeParts(&settings) { $0.move(by: -1) }
    case .right, .character("l"), .character("+"): changeParts(&settings) { $0.move(by: 1) }
    case .character(" "): return togglePart(in: &settings)
    default: break
    }
    return true
  }

  /// Selects a part with the mouse, and shows or hides it.
  mutating func clickPart(_ row: Int, in settings: inout Settings) -> Bool {
    message = nil
    return parts?.click(row) == true ? togglePart(in: &settings) : true
  }

  private mutating func togglePart(in settings: inout Settings) -> Bool {
    var isDone = true
    changeParts(&settings) { isDone = $0.toggle() }
    return isDone
  }

  /// Applies a change at once.
  private mutating func changeParts(
    _ settings: inout Settings, _ change: (inout LayoutParts) -> Void
  ) {
    guard var parts else { return }
    change(&parts)
    self.parts = parts
    if parts.layout != settings.layout { take(parts.layout.text, into: &settings) }
  }

  mutating func settleParts(height: Int) { parts?.settle(height: height) }

  // MARK: Saving

  /// The settings that differ from those at the start of perfhud, without those of one run.
  static func changes(from launched: Settings, to settings: Settings) -> [SettingChange] {
    SettingDefinition.all.filter { !$0.isOfOneRun }.compactMap { setting in
      let value = settings.text(of: setting.key)
      return value == launched.text(of: setting.key) ? nil : SettingChange(setting.key, value)
    }
  }

  /// Makes `undo` return to the settings that have just been saved.
  mutating func noteSaved(_ settings: Settings) { before = settings }
}
