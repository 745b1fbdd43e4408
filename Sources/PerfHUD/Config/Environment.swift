import CProcess
import Glibc
import HUD
import Metrics
import PerfHUDBase

/// The environment variables, as a value that a test can construct.
struct Environment: Sendable {
  private let variables: [String: String]
  /// The configuration file named by an option.
  var configFile: String?
  /// Whether an option disables colors.
  var refusesColor = false

  init(_ variables: [String: String]) { self.variables = variables }

  subscript(name: String) -> String? { variables[name] }

  private static let prefix = "PERFHUD_"
  /// Variables that are not settings.
  private static let others = ["PERFHUD_CONFIG", "PERFHUD_SOCKET"]
  /// Variables passed to the command of an alert.
  private static let ofAlerts = ["RULE", "VALUE", "TARGET", "PID", "COUNT"].map { "ALERT_\($0)" }

  /// The variables of this process that perfhud reads, and all with perfhud's own prefix. Source: environ(7),
  /// getenv(3).
  static func current() -> Environment {
    let names = [
      "TERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LANG", "HOME", "SHELL",
      "XDG_CONFIG_HOME", "PERFHUD", "COLORTERM", "COLORFGBG", "VISUAL", "EDITOR",
      "XTERM_VERSION",
    ]
    var found: [String: String] = [:]
    for name in names + ownNames() {
      if let value = unsafe getenv(name) { found[name] = unsafe String(cString: value) }
    }
    if perfhud_has_outer() == 0 { found["PERFHUD"] = nil }
    return Environment(found)
  }

  /// The names of all variables with perfhud's own prefix.
  private static func ownNames() -> [String] {
    var names: [String] = []
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      if unsafe strncmp(text, prefix, prefix.utf8.count) == 0 {
        let line = unsafe String(cString: text)
        names.append(String(line.prefix { $0 != "=" }))
      }
      unsafe entry += 1
    }
    return names
  }

  /// Variables that perfhud does not use, with the ones that were probably meant. Excludes variables that resemble
  /// none, since they may belong to a program or script of the user.
  var misspelled: [(name: String, meant: String)] {
    let found = variables.keys.filter { $0.hasPrefix(Environment.prefix) }
    guard !found.isEmpty else { return [] }
    func key(_ name: String) -> String { String(name.dropFirst(Environment.prefix.count)) }
    let known = (Settings.keys + Settings.aliases.keys).map(Environment.variable)
    let names = (known + Environment.others).map(key)
    return found.sorted().compactMap { name in
      let isKnown = (names + Environment.ofAlerts).contains(key(name))
      guard !isKnown else { return nil }
      return NearestName.of(key(name), among: names).map { (name, Environment.prefix + $0) }
    }
  }

  /// The variable for a setting: `exit-with-target` is `PERFHUD_EXIT_WITH_TARGET`.
  static func variable(_ key: String) -> String {
    prefix + key.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  /// The value of the first of these variables that is set and not empty, which is how a locale category is determined
  /// (POSIX.1-2017, 8.2).
  func first(of names: [String]) -> String? {
    for name in names {
      if let value = variables[name], !value.isEmpty { return value }
    }
    return nil
  }

  /// The locale of characters in lowercase: `language_territory.codeset@modifier`.
  private var characterLocale: String {
    first(of: ["LC_ALL", "LC_CTYPE", "LANG"])?.lowercased() ?? ""
  }

  /// Whether the locale specifies UTF-8, whether or not it can be loaded.
  var isUTF8: Bool {
    // Not `contains("utf8")`: it is in a library of regular expressions, which has 1.3 MB.
    let codeset = characterLocale.split(separator: ".").last?.split(separator: "@").first
    return codeset == "utf-8" || codeset == "utf8"
  }

  /// Whether to assume that the terminal reads UTF-8: yes, unless the locale names another encoding. The C locale
  /// says nothing about the terminal.
  var usesUTF8Terminal: Bool { isUTF8 || !characterLocale.contains(".") }

  /// The language that the locale specifies.
  var locale: String? { first(of: ["LC_ALL", "LC_MESSAGES", "LANG"]) }

  /// The background of the terminal until the terminal has reported it; most are dark.
  var background: Background { Background(colorFGBG: variables["COLORFGBG"]) ?? .dark }

  /// Which variable says that the terminal has 24-bit colors; `nil` if none does.
  var directColors: DirectColorSource? {
    DirectColorSource(
      term: variables["TERM"], colorTerm: variables["COLORTERM"],
      xtermVersion: variables["XTERM_VERSION"])
  }

  /// Whether `--no-color` was given, or `NO_COLOR` is set and not empty (no-color.org).
  var wantsNoColor: Bool { refusesColor || variables["NO_COLOR"]?.isEmpty == false }
}

extension Settings {
  /// The language setting, or else the language of the locale.
  func language(in environment: Environment) -> Language {
    language ?? Language(locale: environment.locale)
  }
}
