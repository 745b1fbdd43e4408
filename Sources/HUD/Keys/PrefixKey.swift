import Terminal

/// The key that focuses a HUD over a program.
///
/// A key with Control sends a single byte in every terminal. A function key or a key with Alt sends a sequence, and a
/// read may return only part of it (`mayBegin(with:)`).
package struct PrefixKey: Hashable, Sendable {
  package let key: Key
  /// The byte that it sends unless the program has requested another encoding; `nil` for a sequence.
  package let byte: UInt8?
  /// The text that `init(text:)` takes.
  private let name: String

  /// F12: hardly any program uses it, and it is on every keyboard.
  package static let standard = PrefixKey(function: 12)

  private init(control sign: Unicode.Scalar) {
    key = .control(sign)
    byte = UInt8(truncatingIfNeeded: sign.value) & 0x1F
    name = "ctrl-\(sign)"
  }

  private init(alt sign: Unicode.Scalar) {
    key = .alt(sign)
    byte = nil
    name = "alt-\(sign)"
  }

  private init(function number: UInt8) {
    key = .function(number)
    byte = nil
    name = "f\(number)"
  }

  /// The keys that work with Control, except those that mean the end of a line, a tab, an erasure, an interruption or a
  /// stop.
  private static let signs = "abdefgklnopqrstuvwxy]^_"

  /// The accepted texts, for an error message.
  static let choices =
    "f1 to f12; ctrl-, C- or ^ and one of \(signs); alt- or M- and a letter or a digit; none"

  /// Parses `f12`, `ctrl-x` (also `C-x` and `^x`) or `alt-x` (also `M-x`).
  ///
  /// - Returns: `nil` for anything else, and for the keys that every program needs.
  package init?(text: String) {
    let text = text.lowercased()
    if let number = UInt8(text.dropFirst()), (1...12).contains(number), text == "f\(number)" {
      self.init(function: number)
    } else if let sign = PrefixKey.sign(of: text, after: ["ctrl-", "c-", "^"]),
      PrefixKey.signs.unicodeScalars.contains(sign)
    {
      self.init(control: sign)
    } else if let sign = PrefixKey.sign(of: text, after: ["alt-", "m-"]),
      ("a"..."z").contains(sign) || ("0"..."9").contains(sign)
    {
      self.init(alt: sign)
    } else {
      return nil
    }
  }

  /// The single character after one of these prefixes.
  private static func sign(of text: String, after beginnings: [String]) -> Unicode.Scalar? {
    for beginning in beginnings where text.hasPrefix(beginning) {
      let rest = text.unicodeScalars.dropFirst(beginning.unicodeScalars.count)
      return rest.count == 1 ? rest.first : nil
    }
    return nil
  }
}

extension PrefixKey: CustomStringConvertible {
  /// The text that `init(text:)` takes.
  package var description: String { name }

  /// The key as the HUD shows it: `F12`, `Ctrl-^`, `Alt-x`.
  package var label: String { name.prefix(1).uppercased() + name.dropFirst() }
}

/// How the keys that are sequences begin.
extension PrefixKey {
  /// No form of a function key is longer.
  private static let sequenceLimit = 16

  /// Returns whether bytes may be the beginning of this key or of its release. `false` for a key that is a single byte.
  ///
  /// A terminal with an extended keyboard protocol may send other forms too.
  ///
  /// - Parameter bytes: an incomplete token.
  package func mayBegin(with bytes: [UInt8]) -> Bool {
    guard byte == nil, bytes.first == 0x1B, bytes.count < PrefixKey.sequenceLimit else {
      return false
    }
    // Never hold back a lone ESC for a function key: programs wait for it, and F12 is hardly ever split so early.
    guard case .function(let number) = key.code else { return bytes.count == 1 }
    guard bytes.count > 1 else { return false }
    switch bytes[1] {
    case UInt8(ascii: "O"): return number <= 4
    case UInt8(ascii: "["): return bytes.count > 2 && mayGoOn(bytes[2...], number)
    default: return false
    }
  }

  /// Whether the parameters of a control sequence may be those of a function key: its number, then any modifiers, since
  /// these include the state of the lock keys and the kind of event.
  private func mayGoOn(_ parameters: ArraySlice<UInt8>, _ number: UInt8) -> Bool {
    if parameters.elementsEqual([UInt8(ascii: "[")]) { return number <= 5 }
    let digits = parameters.prefix { (0x30...0x39).contains($0) }
    let isWhole = digits.count < parameters.count
    let isKnown = PrefixKey.numbers(of: number).contains { text in
      isWhole ? text.utf8.elementsEqual(digits) : text.utf8.starts(with: digits)
    }
    return isKnown && parameters.allSatisfy { (0x30...0x3B).contains($0) }
  }

  /// The possible first parameters of a function key: of the VT220, of F1 to F4 with a letter at the end, of Sun, of
  /// kitty.
  private static func numbers(of number: UInt8) -> [String] {
    let vt220: InlineArray<12, UInt8> = [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24]
    var numbers = [
      "\(vt220[Int(number) - 1])", "\(223 + Int(number))", "\(57_363 + Int(number))",
    ]
    if number <= 4 { numbers.append("1") }
    return numbers
  }
}
