import Terminal

/// The key that focuses a HUD over a program.
///
/// Only keys with Control can be one: each has a byte of its own in every terminal, so that no other key
/// has to wait until it is known whether it begins the prefix key.
public struct PrefixKey: Hashable, Sendable {
  public let key: Key
  /// The byte that it sends where the program has not asked for another encoding.
  public let byte: UInt8

  /// Ctrl-^, which is Ctrl-6 on many keyboards: hardly any program has a use for it.
  public static let standard = PrefixKey(sign: "^")

  private init(sign: Unicode.Scalar) {
    key = .control(sign)
    byte = UInt8(truncatingIfNeeded: sign.value) & 0x1F
  }

  /// Those that work as the end of a line, a tab, an erasure, an interruption or a stop are left out.
  private static let signs: Set<Unicode.Scalar> = [
    "a", "b", "d", "e", "f", "g", "k", "l", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x",
    "y", "]", "^", "_",
  ]

  /// Parses `ctrl-` and a letter or one of `]`, `^`, `_`; `nil` for anything else, and for the keys that
  /// every program needs.
  public init?(text: String) {
    let scalars = Array(text.unicodeScalars)
    guard scalars.count == 6, text.lowercased().hasPrefix("ctrl-"), let last = scalars.last else {
      return nil
    }
    let sign = last.properties.lowercaseMapping.unicodeScalars.first ?? last
    guard PrefixKey.signs.contains(sign) else { return nil }
    self.init(sign: sign)
  }
}

extension PrefixKey: CustomStringConvertible {
  /// The text that `init(text:)` takes.
  public var description: String {
    let sign = byte < 0x1B ? byte | 0x60 : byte | 0x40
    return "ctrl-\(Character(Unicode.Scalar(sign)))"
  }
}
