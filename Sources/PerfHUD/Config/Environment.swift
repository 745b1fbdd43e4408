import CProcess
import Glibc
import HUD
import Metrics

/// The variables of the environment, as a value that a test can make up.
struct Environment: Sendable {
  private let variables: [String: String]
  /// The configuration file that an option names.
  var configFile: String?
  /// Whether an option asks for no colors.
  var refusesColor = false

  init(_ variables: [String: String]) { self.variables = variables }

  subscript(name: String) -> String? { variables[name] }

  /// Those of this process that perfhud looks at. Source: getenv(3).
  static func current() -> Environment {
    var names = [
      "TERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LANG", "HOME", "SHELL",
      "XDG_CONFIG_HOME", "PERFHUD_CONFIG", "PERFHUD", "PERFHUD_SOCKET",
      "COLORTERM", "COLORFGBG", "VISUAL", "EDITOR",
    ]
    names += Settings.keys.map(variable) + Settings.aliases.keys.map(variable)
    var found: [String: String] = [:]
    for name in names {
      if let value = unsafe getenv(name) { found[name] = unsafe String(cString: value) }
    }
    if perfhud_has_outer() == 0 { found["PERFHUD"] = nil }
    return Environment(found)
  }

  /// The variable of a setting: `exit-with-target` is `PERFHUD_EXIT_WITH_TARGET`.
  static func variable(_ key: String) -> String {
    "PERFHUD_" + key.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  /// The value of the first of these variables that is set and not empty: how a locale category is
  /// looked up (POSIX.1-2017, 8.2).
  func first(of names: [String]) -> String? {
    for name in names {
      if let value = variables[name], !value.isEmpty { return value }
    }
    return nil
  }

  /// Whether the locale asks for UTF-8, whether or not it can be loaded.
  var isUTF8: Bool {
    let codeset = first(of: ["LC_ALL", "LC_CTYPE", "LANG"])?.lowercased() ?? ""
    return codeset.contains("utf-8") || codeset.contains("utf8")
  }

  /// Whether to assume that the terminal reads UTF-8: yes, unless the locale names another encoding. The C locale
  /// says nothing about the terminal.
  var usesUTF8Terminal: Bool {
    let codeset = first(of: ["LC_ALL", "LC_CTYPE", "LANG"])?.lowercased() ?? ""
    return isUTF8 || !codeset.contains(".")
  }

  /// The language that the locale asks for.
  var locale: String? { first(of: ["LC_ALL", "LC_MESSAGES", "LANG"]) }

  /// The background of the terminal, until that has said more; most are dark.
  var background: Background { Background(colorFGBG: variables["COLORFGBG"]) ?? .dark }

  /// Whether `--no-color` was given, or `NO_COLOR` is set and not empty (no-color.org).
  var wantsNoColor: Bool { refusesColor || variables["NO_COLOR"]?.isEmpty == false }
}

extension Settings {
  /// The language that was set, else that of the locale.
  func language(in environment: Environment) -> Language {
    language ?? Language(locale: environment.locale)
  }
}
