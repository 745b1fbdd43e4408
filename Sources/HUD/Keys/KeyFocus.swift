import Terminal

/// The meaning of a key for the window with the focus.
package enum KeyMeaning: Equatable, Sendable {
  case none
  case command(HUDCommand)
  case closeHelp
  case scrollHelp(ListCommand)
  /// A key for the list, or text typed into it.
  case list
  /// Return the focus from the list to the HUD.
  case leaveList
  /// A command for the settings editor.
  case settings(SettingsCommand)
  /// A command for the menu of signals.
  case signals(SignalCommand)
  /// A key typed into the settings editor.
  case typed
}

/// Which window of the HUD has the focus, and how keys change that. Pure.
///
/// The HUD follows the keys with a value of this type, and so does the filter that decides beforehand which keys are
/// for the HUD. So the two agree.
package struct KeyFocus: Equatable, Sendable {
  package enum Target: Equatable, Sendable {
    case hud
    case help
    case list
    /// A line is being typed in the list.
    case prompt
    case settings
    /// The menu of signals above the list.
    case signals
    /// A value is being typed into the settings editor.
    case settingsPrompt
  }

  package private(set) var target = Target.hud
  /// Whether the HUD over a program keeps the focus until a key returns it.
  package private(set) var isKept = false
  /// Whether the list shows processes, which take signals.
  var hasProcesses = false
  /// Whether the help was opened from the list, which has the focus again after it.
  private var isHelpOverList = false
  private let family: HUDFamily
  private let keys: KeySet

  /// - Parameter keys: the key table; `nil` uses that of the family.
  package init(_ family: HUDFamily, keys: KeySet? = nil) {
    self.family = family
    self.keys = keys ?? KeySet(family)
  }

  /// Returns the focus to the gauges.
  package mutating func reset() {
    target = .hud
    isKept = false
    isHelpOverList = false
  }

  /// Whether the next key is the last one for the HUD: the prefix key was pressed, no key has asked to keep the focus,
  /// and no window needs keys.
  package var isOneShot: Bool { family == .overlay && !isKept && target == .hud }

  /// Whether keys belong to what is being typed for a list, or to the menu above it.
  var isInPrompt: Bool { target == .prompt || target == .signals }

  /// Whether the list has the focus, or has it again after the help.
  package var isInList: Bool {
    target == .list || target == .prompt || target == .signals || isHelpOverList
  }

  /// Focuses the list, as a click does.
  package mutating func enterList() { if target == .hud { target = .list } }

  /// Returns the focus from the help to where it was before.
  mutating func closeHelp() {
    guard target == .help else { return }
    target = isHelpOverList ? .list : .hud
    isHelpOverList = false
  }

  /// Returns the focus to the gauges because the list is gone, at once or after the help.
  mutating func loseList() {
    isHelpOverList = false
    if target != .help { reset() }
  }

  /// Returns the focus from the menu of signals to the list.
  mutating func leaveSignals() { if target == .signals { target = .list } }

  /// The meaning of a key; moves the focus.
  package mutating func take(_ key: Key) -> KeyMeaning {
    switch target {
    case .hud: takeInHUD(key)
    case .help: takeInHelp(key)
    case .list: takeInList(key)
    case .prompt: takeInPrompt(key)
    case .settings: takeInSettings(key)
    case .signals: takeInSignals(key)
    case .settingsPrompt: takeInSettingsPrompt(key)
    }
  }

  private mutating func takeInHUD(_ key: Key) -> KeyMeaning {
    guard var command = KeyBinding.command(for: key, in: keys) else { return .none }
    if command == .keepFocus, isKept { command = .focusList }
    switch command {
    case .keepFocus: isKept = true
    case .help: target = .help
    case .focusList: target = .list
    case .settings: target = .settings
    default: break
    }
    return .command(command)
  }

  private mutating func takeInHelp(_ key: Key) -> KeyMeaning {
    let command = KeyBinding.command(for: key, in: keys)
    // As in less and htop, q closes the help.
    if command == .suspend || (command == .quit && key == .control("c")), let command {
      return .command(command)
    }
    switch key {
    case .up, .down, .pageUp, .pageDown, .home, .end, .character("j"), .character("k"):
      if let scroll = ListCommand(key) { return .scrollHelp(scroll) }
    default: break
    }
    closeHelp()
    return .closeHelp
  }

  /// The keys of htop for the selected process.
  private mutating func takeForProcess(_ key: Key) -> HUDCommand? {
    guard hasProcesses, let command = KeyBinding.processCommand(for: key) else { return nil }
    if keys.isReplay { return .replay(.refuse) }
    if command == .signals { target = .signals }
    return command
  }

  private mutating func takeInSignals(_ key: Key) -> KeyMeaning {
    if key == .control("l") { return .command(.redraw) }
    guard let command = SignalCommand(key) else { return .none }
    if command == .send || command == .close { target = .list }
    return .signals(command)
  }

  private mutating func takeInList(_ key: Key) -> KeyMeaning {
    if let command = takeForProcess(key) { return .command(command) }
    if keys.isReplay, ListCommand(key) == nil,
      case .replay(let command)? = KeyBinding.command(for: key, in: keys)
    {
      return .command(.replay(command))
    }
    switch key {
    case .character("q") where family == .pane: return .command(.quit)
    case .escape, .character("q"), .character("f"), .tab:
      target = .hud
      return .leaveList
    case .character("l"), .character("p"), .character("a"), .character("F"), .character("t"),
      .character("T"), .character("y"), .character("M"), .character("!"), .character("o"),
      .character("v"), .character("c"):
      return KeyBinding.command(for: key, in: keys).map { .command($0) } ?? .none
    case .control("c"):
      guard family == .overlay else { return .command(.quit) }
      target = .hud
      return .leaveList
    case .control("l"): return .command(.redraw)
    case .control("z") where family == .pane: return .command(.suspend)
    case _ where KeyBinding.command(for: key, in: keys) == .help:
      isHelpOverList = true
      target = .help
      return .command(.help)
    case _ where ListCommand(key)?.isTyped == true:
      target = .prompt
      return .list
    default: return ListCommand(key) == nil ? .none : .list
    }
  }

  private mutating func takeInSettings(_ key: Key) -> KeyMeaning {
    switch key {
    case .control("c") where family == .pane: return .command(.quit)
    case .control("z") where family == .pane: return .command(.suspend)
    case .control("l"): return .command(.redraw)
    default: break
    }
    guard let command = SettingsCommand(key) else { return .none }
    switch command {
    case .undo, .keep: target = .hud
    case .type: target = .settingsPrompt
    default: break
    }
    return .settings(command)
  }

  private mutating func takeInSettingsPrompt(_ key: Key) -> KeyMeaning {
    switch key {
    case .enter, .escape, .control("c"), .control("g"): target = .settings
    default: break
    }
    return .typed
  }

  private mutating func takeInPrompt(_ key: Key) -> KeyMeaning {
    switch key {
    case .enter, .escape, .control("c"), .control("g"): target = .list
    default: break
    }
    return .list
  }
}
