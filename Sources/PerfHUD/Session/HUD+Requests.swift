import HUD
import Metrics
import PerfHUDBase

/// What keys of the HUD ask for, and every view serves alike.
extension HUD {
  /// Serves a request that concerns neither the loop nor the place of the HUD; others are ignored.
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

  /// Writes settings to the file, and shows whether that has worked.
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

  /// The HUD is in another corner from now on.
  mutating func note(corner: Corner) {
    note(setting: "corner", corner.rawValue)
    note(.noteCorner, corner.rawValue)
  }

  /// The HUD has another size from now on.
  mutating func note(size: HUDSize) {
    note(setting: "size", "\(size)")
    note(.noteSize, "\(size)")
  }
}
