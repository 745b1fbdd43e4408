import Metrics
import PerfHUDBase
import Terminal

/// The settings of the HUD, with the editor while it is open.
struct SettingsState: Sendable {
  var settings = Settings()
  /// The settings when perfhud was started or when they were last saved.
  var launched = Settings()
  /// The language if none is set.
  var standardLanguage = Language.english
  /// The settings editor; `nil` while it is closed.
  var editor: SettingsEditor?
}

extension HUD {
  package var settings: Settings { settingsState.settings }

  /// Starts with the settings that perfhud was started with.
  package mutating func begin(with settings: Settings) {
    settingsState.settings = settings
    settingsState.launched = settings
    if settings.language == nil { settingsState.standardLanguage = state.language }
    setLayout(settings.layout)
  }

  /// Updates a setting that was changed outside the editor.
  package mutating func note(setting key: String, _ value: String) {
    guard settingsState.settings.text(of: key) != value else { return }
    try? settingsState.settings.set(key, value, from: .keys)
  }

  // MARK: The editor

  mutating func openSettings() {
    // These can also be changed by keys outside the editor.
    if !state.isASCII { note(setting: "graph", state.graphStyle.rawValue) }
    note(setting: "interval", DurationText.text(state.interval))
    settingsState.editor = SettingsEditor(
      settingsState.settings, state.family, isReplay: state.replay != nil)
    open(.settings, .help)
  }

  /// Closes the editor and keeps the settings.
  mutating func closeSettings() {
    settingsState.editor = nil
    close(.settings)
  }

  mutating func perform(_ command: SettingsCommand) -> HUDRequest? {
    guard settingsState.editor != nil else { return nil }
    redrawAtOnce()
    switch command {
    case .previous, .next:
      settingsState.editor?.step(by: command == .next ? 1 : -1, in: &settingsState.settings)
      return apply()
    case .type where settingsState.editor?.selected.hasParts == true:
      settingsState.editor?.beginChoosing(settingsState.settings)
      placeWindows()
    case .type: settingsState.editor?.beginTyping(settingsState.settings)
    case .undo:
      if let before = settingsState.editor?.before { settingsState.settings = before }
      closeSettings()
      return apply()
    case .keep: closeSettings()
    case .save: return save()
    default: settingsState.editor?.move(command, page: (stack[.settings]?.frame.rows ?? 1) - 4)
    }
    return nil
  }

  /// Handles a key while a value is typed.
  mutating func typeSetting(_ key: Key) -> HUDRequest? {
    redrawAtOnce()
    if settingsState.editor?.parts != nil { return chooseParts { $0.choose(key, in: &$1) } }
    switch key {
    case .enter:
      settingsState.editor?.accept(in: &settingsState.settings)
      return apply()
    case .escape, .control("c"), .control("g"): settingsState.editor?.cancelTyping()
    default: settingsState.editor?.type(key)
    }
    return nil
  }

  /// Changes the parts of the layout.
  private mutating func chooseParts(
    _ change: (inout SettingsEditor, inout Settings) -> Bool
  ) -> HUDRequest? {
    guard var editor = settingsState.editor else { return nil }
    let before = settingsState.settings
    if !change(&editor, &settingsState.settings) {
      editor.message = "\(SettingWord.lastPart.text(state.language))"
    }
    settingsState.editor = editor
    placeWindows()
    return settingsState.settings == before ? nil : apply()
  }

  /// The wheel moves the selection; a click sets it.
  mutating func handleInSettings(_ event: MouseEvent) {
    // Typed text belongs to the selected setting.
    guard let point = stack.toWindow(event.point, .settings), let frame = stack[.settings]?.frame,
      focus.target == .settings || settingsState.editor?.parts != nil
    else { return }
    let row = point.row - (Layout.isFramed(frame.size) ? 1 : 0)
    if settingsState.editor?.parts != nil {
      _ = chooseParts { editor, settings in
        switch event.action {
        case .wheelUp: editor.choose(.up, in: &settings)
        case .wheelDown: editor.choose(.down, in: &settings)
        case .press(button: 1): editor.clickPart(row, in: &settings)
        default: true
        }
      }
      return redrawAtOnce()
    }
    switch event.action {
    case .wheelUp: settingsState.editor?.move(.up, page: 1)
    case .wheelDown: settingsState.editor?.move(.down, page: 1)
    case .press(button: 1):
      settingsState.editor?.click(row)
    default: return
    }
    redrawAtOnce()
  }

  /// Applies the settings whose changes show at once.
  private mutating func apply() -> HUDRequest {
    let settings = settingsState.settings
    if !state.isASCII {
      state.language = settings.language ?? settingsState.standardLanguage
      state.graphStyle = settings.graph
    }
    setLayout(settings.layout)
    if state.interval != settings.interval {
      state.interval = settings.interval
      fitCellDuration()
    }
    placeWindows()
    redrawAtOnce()
    return .apply(settings)
  }

  private mutating func setLayout(_ layout: OverviewLayout) {
    guard layout != state.view.overview else { return }
    state.view.overview = layout
    relayout()
  }

  // MARK: Saving

  private mutating func save() -> HUDRequest? {
    let changes = SettingsEditor.changes(
      from: settingsState.launched, to: settingsState.settings)
    guard !changes.isEmpty else {
      settingsState.editor?.message = "\(SettingWord.unchanged.text(state.language))"
      return nil
    }
    return .save(changes)
  }

  /// Shows the result of saving.
  ///
  /// - Parameter path: the file; `nil` if saving failed.
  package mutating func finishSaving(to path: String?, error: String? = nil) {
    if let path {
      settingsState.settings.noteSaved(
        SettingsEditor.changes(from: settingsState.launched, to: settingsState.settings))
      settingsState.launched = settingsState.settings
      settingsState.editor?.noteSaved(settingsState.settings)
      settingsState.editor?.message = SettingWord.saved.text(state.language, value: path)
    } else {
      settingsState.editor?.message = error
    }
    redrawAtOnce()
  }
}
