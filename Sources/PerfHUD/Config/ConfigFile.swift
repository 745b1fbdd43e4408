import Glibc
import HUD
import Metrics
import PerfHUDBase
import SystemPackage

/// The configuration file: one `key = value` on each line; `#` at its start or after a blank begins a comment, except in
/// quotes. The lines after `[name]`, up to the next such line, apply only to the program of this name.
enum ConfigFile {
  /// The file named by `--config`, or else by `PERFHUD_CONFIG`, or else perfhud/perfhud.conf in `XDG_CONFIG_HOME` or in
  /// ~/.config (XDG Base Directory Specification). `nil` without a home.
  static func path(environment: Environment) -> String? {
    if let path = environment.configFile { return path }
    if let path = environment["PERFHUD_CONFIG"], !path.isEmpty { return path }
    if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
      return base + "/perfhud/perfhud.conf"
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.config/perfhud/perfhud.conf"
  }

  /// Reads the file into the settings. A missing file changes nothing; one that cannot be read adds a notice. A file
  /// named by the user must be readable.
  ///
  /// - Parameter program: the names of the shown program; called only if the file has sections.
  static func load(
    into settings: inout Settings, environment: Environment, program: () -> [String] = { [] }
  ) throws(UsageError) {
    guard let path = path(environment: environment) else { return }
    let text: String
    do {
      text = String(decoding: try ConfigSource.read(path), as: UTF8.self)
    } catch {
      if environment.configFile != nil { throw UsageError("\(error); check --config") }
      if environment["PERFHUD_CONFIG"]?.isEmpty == false {
        throw UsageError("\(error); check PERFHUD_CONFIG")
      }
      if error.code == .noSuchFileOrDirectory || error.code == .notDirectory { return }
      // After `setpriv` or `docker exec --user`, the home often still belongs to another user.
      settings.addNotice("\(error); going on without it")
      return
    }
    try apply(text, path: path, to: &settings, program: program)
  }

  /// Applies the settings of a text. Settings in sections for other programs are only checked.
  static func apply(
    _ text: String, path: String, to settings: inout Settings, program: () -> [String] = { [] }
  ) throws(UsageError) {
    var section: String?
    var isForAnother = false
    var names: [String]?
    /// Receives settings for other programs.
    var others = Settings()
    let bytes = Array(text.utf8)
    let byteOrderMark = Array("\u{FEFF}".utf8)
    let lines =
      bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
    for (index, line) in lines.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      let place = "\(SafeText.clean(path)):\(index + 1): "
      func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
      switch ConfigLine.kind(of: line) {
      case .nothing: continue
      case .mistake(let content):
        let form = bytes[content.lowerBound] == UInt8(ascii: "[") ? "[program]" : "key = value"
        throw UsageError(place + "'\(SafeText.clean(text(content)))' is not \(form)")
      case .section(let range):
        let known = names ?? program()
        names = known
        settings.programNames = known
        section = text(range)
        isForAnother = !known.contains(text(range))
        others = Settings()
      case .setting(let setting):
        do {
          let (key, value) = (text(setting.key), text(setting.value))
          if isForAnother {
            try others.set(key, value, from: .file)
          } else {
            let count = settings.notices.count
            try settings.set(key, value, from: .file, line: index + 1, section: section)
            settings.locateNotices(after: count, at: place)
          }
        } catch {
          throw UsageError(place + error.description)
        }
      }
    }
  }

  /// Writes settings into the file, and creates it if necessary. Nothing else in it changes.
  ///
  /// - Parameter program: the names of the shown program. Settings that its section contains are changed there.
  /// - Returns: the path of the file.
  static func save(
    _ changes: [SettingChange], environment: Environment, language: Language,
    program: [String] = []
  ) throws(UsageError) -> String {
    guard let path = path(environment: environment) else { throw noPath }
    var text = ConfigText.template(language)
    do {
      text = ConfigText(try ConfigSource.read(path))
    } catch {
      guard error.code == .noSuchFileOrDirectory else { throw UsageError("\(error)") }
    }
    do {
      for change in changes { try text.set(change.key, to: change.value, program: program) }
    } catch {
      throw UsageError(error.description)
    }
    do {
      try AtomicFile.write(text.bytes, to: path, makesFolder: true)
    } catch {
      throw UsageError("\(error)")
    }
    // Someone may have broken the file meanwhile: perfhud would not start with it.
    var whole = Settings()
    do {
      try apply(String(decoding: text.bytes, as: UTF8.self), path: path, to: &whole)
    } catch {
      throw UsageError("saved, but \(error); correct it with: perfhud config edit")
    }
    return path
  }

  static var noPath: UsageError {
    UsageError("no place for the settings: HOME is not set; name a file in PERFHUD_CONFIG")
  }
}

/// Where a setting was made, to say where it can be corrected.
enum SettingOrigin: Equatable {
  case option
  case variable
  /// A line of the configuration file.
  case line(String)

  init(of key: String, _ settings: Settings, _ environment: Environment) {
    switch settings.source(of: key) {
    case .file:
      let path = ConfigFile.path(environment: environment) ?? ""
      self = .line("\(SafeText.clean(path)):\(settings.line(of: key) ?? 0)")
    case .environment: self = .variable
    case .standard, .commandLine, .keys: self = .option
    }
  }

  /// Describes a mistake in the value, and what to do about it.
  func describe(_ mistake: String, setting key: String) -> String {
    switch self {
    case .option: "\(mistake); check --\(key)"
    case .variable: "\(mistake); check \(Environment.variable(key))"
    case .line(let place): "\(place): \(mistake); correct or remove the line '\(key)'"
    }
  }
}
