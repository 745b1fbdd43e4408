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
  var sheet: SettingsEditor?
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

  // MARK: The sheet

  mutating func openSettings() {
    // These can also be changed by keys outside the editor.
    if !state.isASCII { note(setting: "graph", state.graphStyle.rawValue) }
    note(setting: "interval", DurationText.text(state.interval))
    settingsState.sheet = SettingsEditor(settingsState.settings, state.family)
    open(.settings, .help, takesKeys: true)
  }

  /// Closes the editor and keeps the settings.
  mutating func closeSettings() {
    settingsState.sheet = nil
    close(.settings)
  }

  mutating func perform(_ command: SettingsCommand) -> HUDRequest? {
    guard settingsState.sheet != nil else { return nil }
    redrawAtOnce()
    switch command {
    case .previous, .next:
      settingsState.sheet?.step(by: command == .next ? 1 : -1, in: &settingsState.settings)
      return apply()
    case .type where settingsState.sheet?.selected.hasParts == true:
      settingsState.sheet?.beginChoosing(settingsState.settings)
      placeWindows()
    case .type where settingsState.sheet?.selected.isOfOneRun == true:
      let key = settingsState.sheet?.selected.key ?? ""
      settingsState.sheet?.message = Word.settingOneRun.text(state.language, value: "--\(key)")
    case .type: settingsState.sheet?.beginTyping(settingsState.settings)
    case .undo:
      if let before = settingsState.sheet?.before { settingsState.settings = before }
      closeSettings()
      return apply()
    case .keep: closeSettings()
    case .save: return save()
    default: settingsState.sheet?.move(command, page: (stack[.settings]?.frame.rows ?? 1) - 4)
    }
    return nil
  }

  /// Handles a key while a value is typed.
  mutating func typeSetting(_ key: Key) -> HUDRequest? {
    redrawAtOnce()
    if settingsState.sheet?.parts != nil { return chooseParts { $0.choose(key, in: &$1) } }
    switch key {
    case .enter:
      settingsState.sheet?.accept(in: &settingsState.settings)
      return apply()
    case .escape, .control("c"), .control("g"): settingsState.sheet?.cancelTyping()
    default: settingsState.sheet?.type(key)
    }
    return nil
  }

  /// Changes the parts of the layout.
  private mutating func chooseParts(
    _ change: (inout SettingsEditor, inout Settings) -> Bool
  ) -> HUDRequest? {
    guard var sheet = settingsState.sheet else { return nil }
    let before = settingsState.settings
    if !change(&sheet, &settingsState.settings) {
      sheet.message = "\(Word.settingLastPart.text(state.language))"
    }
    settingsState.sheet = sheet
    placeWindows()
    return settingsState.settings == before ? nil : apply()
  }

  /// The wheel moves the selection; a click sets it.
  mutating func handleInSettings(_ event: MouseEvent) {
    // Typed text belongs to the selected setting.
    guard let point = stack.toWindow(event.point, .settings), let frame = stack[.settings]?.frame,
      focus.target == .settings || settingsState.sheet?.parts != nil
    else { return }
    let row = point.row - (Layout.isFramed(frame.size) ? 1 : 0)
    if settingsState.sheet?.parts != nil {
      _ = chooseParts { sheet, settings in
        switch event.action {
        case .wheelUp: sheet.choose(.up, in: &settings)
        case .wheelDown: sheet.choose(.down, in: &settings)
        case .press(button: 1): sheet.clickPart(row, in: &settings)
        default: true
        }
      }
      return redrawAtOnce()
    }
    switch event.action {
    case .wheelUp: settingsState.sheet?.move(.up, page: 1)
    case .wheelDown: settingsState.sheet?.move(.down, page: 1)
    case .press(button: 1):
      settingsState.sheet?.click(row)
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
    guard layout != state.layout else { return }
    state.layout = layout
    relayout()
  }

  // MARK: Saving

  private mutating func save() -> HUDRequest? {
    let changes = SettingsEditor.changes(
      from: settingsState.launched, to: settingsState.settings)
    guard !changes.isEmpty else {
      settingsState.sheet?.message = "\(Word.settingsUnchanged.text(state.language))"
      return nil
    }
    return .save(changes)
  }

  /// Shows the result of saving.
  ///
  /// - Parameter path: the file; `nil` if saving failed.
  package mutating func finishSaving(to path: String?, error: String? = nil) {
    if let path {
      settingsState.launched = settingsState.settings
      settingsState.sheet?.noteSaved(settingsState.settings)
      settingsState.sheet?.message = Word.settingsSaved.text(state.language, value: path)
    } else {
      settingsState.sheet?.message = error
    }
    redrawAtOnce()
  }
}
