import HUD
import Metrics
import PerfHUDBase

/// The requests by keys of the HUD that every view handles in the same way.
extension HUD {
  /// Handles a request that concerns neither the loop nor the HUD's place; ignores others.
  mutating func serve(_ request: HUDRequest, _ environment: Environment) {
    switch request {
    case .save(let changes): save(changes, environment)
    case .signal(let number, let target, let name):
      finish(ProcessControl.send(number, to: target), name: name)
    case .renice(let step, let target, let name):
      finish(ProcessControl.renice(target, by: step), name: name)
    default: break
    }
  }

  /// Writes settings to the file, and shows whether this has succeeded.
  private mutating func save(_ changes: [SettingChange], _ environment: Environment) {
    do {
      let path = try ConfigFile.save(
        changes, environment: environment, language: Language(locale: environment.locale),
        program: settings.programNames)
      finishSaving(to: SafeText.clean(path, limit: 100))
    } catch {
      finishSaving(to: nil, error: error.description)
    }
  }

  /// Notes that the HUD is now in another corner.
  mutating func note(corner: Corner) {
    note(setting: "corner", corner.rawValue)
    note(.noteCorner, corner.rawValue)
  }

  /// Notes that the HUD now has another size.
  mutating func note(size: HUDSize) {
    note(setting: "size", "\(size)")
    note(.noteSize, "\(size)")
  }
}
