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
