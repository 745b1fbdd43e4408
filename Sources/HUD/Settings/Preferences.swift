import Base
import Metrics
import Terminal

/// The settings as the HUD has them, with the sheet in which they are changed.
struct Preferences: Sendable {
  /// As they are now.
  var settings = Settings()
  /// As they were when perfhud was started, or saved last.
  var launched = Settings()
  /// The language where the settings name none.
  var standardLanguage = Language.english
  /// The sheet; `nil` while it is closed.
  var sheet: SettingsSheet?
}

extension HUD {
  /// The settings as they are now.
  public var settings: Settings { preferences.settings }

  /// Says with which settings perfhud was started.
  public mutating func begin(with settings: Settings) {
    preferences.settings = settings
    preferences.launched = settings
    if settings.language == nil { preferences.standardLanguage = state.language }
    state.isAnimated = settings.isAnimated
    setLayout(settings.layout)
  }

  /// Takes note of a setting that something else than the sheet has changed.
  public mutating func note(setting key: String, _ value: String) {
    guard preferences.settings.text(of: key) != value else { return }
    try? preferences.settings.set(key, value, from: .keys)
  }

  // MARK: The sheet

  mutating func openSettings() {
    // What keys have changed by themselves.
    if !state.isASCII { note(setting: "graph", state.graphStyle.rawValue) }
    note(setting: "interval", DurationText.text(state.interval))
    preferences.sheet = SettingsSheet(preferences.settings)
    open(.settings, .help, takesKeys: true)
  }

  /// Closes the sheet with the settings as they are.
  mutating func closeSettings() {
    preferences.sheet = nil
    close(.settings)
  }

  mutating func perform(_ command: SettingsCommand) -> HUDRequest? {
    guard preferences.sheet != nil else { return nil }
    redrawAtOnce()
    switch command {
    case .previous, .next:
      preferences.sheet?.step(by: command == .next ? 1 : -1, in: &preferences.settings)
      return apply()
    case .type where preferences.sheet?.selected.hasParts == true:
      preferences.sheet?.beginChoosing(preferences.settings)
      placeWindows()
    case .type: preferences.sheet?.beginTyping(preferences.settings)
    case .undo:
      if let before = preferences.sheet?.before { preferences.settings = before }
      closeSettings()
      return apply()
    case .keep: closeSettings()
    case .save: return save()
    default: preferences.sheet?.move(command, page: (stack[.settings]?.frame.rows ?? 1) - 4)
    }
    return nil
  }

  /// Takes a key of a value that is typed.
  mutating func typeSetting(_ key: Key) -> HUDRequest? {
    redrawAtOnce()
    if preferences.sheet?.parts != nil { return chooseParts { $0.choose(key, in: &$1) } }
    switch key {
    case .enter:
      preferences.sheet?.accept(in: &preferences.settings)
      return apply()
    case .escape, .control("c"), .control("g"): preferences.sheet?.cancelTyping()
    default: preferences.sheet?.type(key)
    }
    return nil
  }

  /// Changes the parts of the layout.
  private mutating func chooseParts(
    _ change: (inout SettingsSheet, inout Settings) -> Bool
  ) -> HUDRequest? {
    guard var sheet = preferences.sheet else { return nil }
    let before = preferences.settings
    if !change(&sheet, &preferences.settings) {
      sheet.message = "\(Word.settingLastPart.text(state.language))"
    }
    preferences.sheet = sheet
    placeWindows()
    return preferences.settings == before ? nil : apply()
  }

  /// The wheel moves the selection, a click sets it.
  mutating func handleInSettings(_ event: MouseEvent) {
    // What is being typed is for the setting that it was begun for.
    guard let place = stack.toWindow(event.point, .settings), let frame = stack[.settings]?.frame,
      focus.place == .settings || preferences.sheet?.parts != nil
    else { return }
    let row = place.row - (Layout.isFramed(frame.size) ? 1 : 0)
    if preferences.sheet?.parts != nil {
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
    case .wheelUp: preferences.sheet?.move(.up, page: 1)
    case .wheelDown: preferences.sheet?.move(.down, page: 1)
    case .press(button: 1):
      preferences.sheet?.click(row)
    default: return
    }
    redrawAtOnce()
  }

  /// Brings what can be seen at once onto the screen.
  private mutating func apply() -> HUDRequest {
    let settings = preferences.settings
    if !state.isASCII {
      state.language = settings.language ?? preferences.standardLanguage
      state.graphStyle = settings.graph
    }
    state.isAnimated = settings.isAnimated
    if !state.isAnimated { endSlide() }
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
    let changes = SettingsSheet.changes(
      from: preferences.launched, to: preferences.settings)
    guard !changes.isEmpty else {
      preferences.sheet?.message = "\(Word.settingsUnchanged.text(state.language))"
      return nil
    }
    return .save(changes)
  }

  /// Says what has become of saving.
  ///
  /// - Parameter place: the file; `nil` where it failed.
  public mutating func finishSaving(to place: String?, error: String? = nil) {
    if let place {
      preferences.launched = preferences.settings
      preferences.sheet?.noteSaved(preferences.settings)
      let parts = "\(Word.settingsSaved.text(state.language))".split(
        separator: "#", omittingEmptySubsequences: false)
      let text = parts.joined(separator: place)
      preferences.sheet?.message = text
    } else {
      preferences.sheet?.message = error
    }
    redrawAtOnce()
  }
}
