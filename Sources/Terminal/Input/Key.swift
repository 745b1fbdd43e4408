/// The keys that were held down with another one.
///
/// Source: the bits of xterm's and kitty's modifier parameter minus one; lock keys are left out.
@frozen package struct Modifiers: OptionSet, Hashable, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let shift = Modifiers(rawValue: 1 << 0)
  package static let alt = Modifiers(rawValue: 1 << 1)
  package static let control = Modifiers(rawValue: 1 << 2)
  package static let `super` = Modifiers(rawValue: 1 << 3)
  package static let hyper = Modifiers(rawValue: 1 << 4)
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

/// What a mouse button, or the wheel, did.
package enum MouseAction: Hashable, Sendable, BitwiseCopyable {
  /// 1 is left, 2 middle, 3 right; 8 and above are further buttons.
  case press(button: UInt8)
  /// Button 0 if the terminal does not report which.
  case release(button: UInt8)
  /// Moved with the button held down; button 0 means no button.
  case drag(button: UInt8)
  case wheelUp, wheelDown, wheelLeft, wheelRight
}

/// A mouse report.
package struct MouseEvent: Hashable, Sendable, BitwiseCopyable {
  package var action: MouseAction
  /// The position in cells; the origin is the top left corner.
  package var point: Point
  package var modifiers: Modifiers

  package init(_ action: MouseAction, at point: Point, modifiers: Modifiers = []) {
    self.action = action
    self.point = point
    self.modifiers = modifiers
  }
}

/// What the terminal reports when it is asked.
package enum Answer: Hashable, Sendable, BitwiseCopyable {
  /// DA1, which marks the end of a series of questions.
  case deviceAttributes
  /// CPR, counted from row 0 and column 0.
  case cursorPosition(Point)
  /// DECRPM: 0 is an unknown mode, 1 set, 2 reset, 3 permanently set, 4 permanently reset.
  case mode(Int, setting: Int)
  /// Any other answer; see its bytes.
  case other
}

/// One thing that came from the terminal.
package enum InputEvent: Hashable, Sendable, BitwiseCopyable {
  /// A key was pressed, or repeats.
  case key(Key)
  /// A key was released; only the kitty protocol reports this.
  case keyReleased(Key)
  case mouse(MouseEvent)
  case focusGained
  case focusLost
  case pasteBegan
  /// Pasted bytes, in pieces; never keys.
  case pasted
  case pasteEnded
  case answer(Answer)
  /// An unknown sequence or byte, swallowed as a whole.
  case unknown
}
