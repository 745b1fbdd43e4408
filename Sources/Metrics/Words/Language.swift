/// A language of the HUD.
package enum Language: String, CaseIterable, Sendable {
  case english = "en"
  case japanese = "ja"

  /// The language that the locale names: `LC_ALL`, `LC_MESSAGES` or `LANG`, whether or not the locale
  /// can be loaded (POSIX.1-2017, 8.2).
  package init(locale: String?) {
    self = locale?.hasPrefix("ja") == true ? .japanese : .english
  }
}

extension Word {
  package var english: StaticString { texts.english }
  package var japanese: StaticString { texts.japanese }

  package func text(_ language: Language) -> StaticString {
    language == .english ? english : japanese
  }

  /// The text with a value in place of its `#`.
  package func text(_ language: Language, value: String) -> String {
    filled(text(language), with: value)
  }
}

/// The text with a value in place of its `#`.
func filled(_ text: StaticString, with value: String) -> String {
  "\(text)".split(separator: "#", omittingEmptySubsequences: false).joined(separator: value)
}
