/// The keys that were held down with another one.
///
/// Source: the bits of xterm's and kitty's modifier parameter minus one. No key of ours has Super (bit 3) or Hyper
/// (bit 4); lock keys are left out.
@frozen package struct Modifiers: OptionSet, Hashable, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let shift = Modifiers(rawValue: 1 << 0)
  package static let alt = Modifiers(rawValue: 1 << 1)
  package static let control = Modifiers(rawValue: 1 << 2)
  package static let meta = Modifiers(rawValue: 1 << 5)
}

/// A key without its modifiers.
package enum KeyCode: Hashable, Sendable, BitwiseCopyable {
  /// A key that types this character, which is never a control character.
  case character(Unicode.Scalar)
  case enter, tab, escape, backspace
  case up, down, left, right
  case home, end, pageUp, pageDown, insert, delete
  /// F1 is 1.
  case function(UInt8)
}

/// A key with its modifiers, in one form for all the encodings in which terminals send it, so that
/// it can be looked up in a dictionary.
///
/// Shift is part of a character (`A`, never Shift with `a`), except for a letter with Control or another modifier,
/// where the letter is lower case (Ctrl-Shift-A). Control with a digit or a sign becomes the sign that its control code
/// is named after: Ctrl-6 is Ctrl-^, Ctrl-7 and Ctrl-/ are Ctrl-_, Ctrl-2 and Ctrl-@ are Ctrl-Space, as a keyboard
/// without a richer protocol sends them.
package struct Key: Hashable, Sendable, BitwiseCopyable {
  package let code: KeyCode
  package let modifiers: Modifiers

  /// Makes the key in its one form, whichever form is given.
  package init(_ code: KeyCode, _ modifiers: Modifiers = []) {
    guard case .character(let typed) = code else {
      self.code = code
      self.modifiers = modifiers
      return
    }
    var scalar = typed
    var modifiers = modifiers
    if modifiers.contains(.control) { scalar = Key.controlName(scalar) }
    let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    if modifiers.isSubset(of: [.shift, .alt]) {
      if isLetter, modifiers.contains(.shift) { scalar = Key.letter(scalar, upper: true) }
      modifiers.remove(.shift)
    } else if isLetter {
      scalar = Key.letter(scalar, upper: false)
    } else {
      modifiers.remove(.shift)
    }
    self.code = .character(scalar)
    self.modifiers = modifiers
  }

  /// A key that types something.
  package static func character(_ scalar: Unicode.Scalar) -> Key { Key(.character(scalar)) }
  /// A key with Control, in any of its forms: `c`, `C`, `^`, `6`.
  package static func control(_ scalar: Unicode.Scalar) -> Key {
    Key(.character(scalar), .control)
  }
  /// A key with Alt.
  package static func alt(_ scalar: Unicode.Scalar) -> Key { Key(.character(scalar), .alt) }
  /// A function key; F1 is 1.
  package static func function(_ number: UInt8) -> Key { Key(.function(number)) }

  package static let enter = Key(.enter)
  package static let tab = Key(.tab)
  package static let backTab = Key(.tab, .shift)
  package static let escape = Key(.escape)
  package static let backspace = Key(.backspace)
  package static let up = Key(.up)
  package static let down = Key(.down)
  package static let left = Key(.left)
  package static let right = Key(.right)
  package static let home = Key(.home)
  package static let end = Key(.end)
  package static let pageUp = Key(.pageUp)
  package static let pageDown = Key(.pageDown)
  package static let insert = Key(.insert)
  package static let delete = Key(.delete)

  /// The sign that the control code of a key is named after.
  private static func controlName(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "2", "@": return " "
    case "4": return "\\"
    case "5": return "]"
    case "6", "~": return "^"
    case "7", "/": return "_"
    default: return scalar
    }
  }

  private static func letter(_ scalar: Unicode.Scalar, upper: Bool) -> Unicode.Scalar {
    let bits = UInt8(truncatingIfNeeded: scalar.value)
    return Unicode.Scalar(upper ? bits & ~0x20 : bits | 0x20)
  }
}
