/// Whether the output draws, and where a frame ends.
extension Screen {
  /// Whether a control sequence without marks moves the cursor, erases, inserts, deletes or scrolls. CUP and
  /// EL are looked at where they are carried out.
  static func isDrawing(_ final: UInt8) -> Bool {
    guard final >= 0x40, final < 0x80 else { return false }
    return drawingFinals & 1 &<< UInt64(final &- 0x40) != 0
  }

  /// A bit for each of `@ABCDEFGJLMPSTX^`ade`, from 0x40 on.
  private static var drawingFinals: UInt64 { 0x33_4119_34FF }

  /// Whether the output since the last call draws: it moves the cursor by a sequence, erases something,
  /// inserts, deletes or scrolls by a sequence, or shows the alternate screen. Text, line ends, colors and
  /// a carriage return do not draw on the primary screen.
  mutating func takeDrawing() -> Bool {
    defer { hasDrawn = false }
    return hasDrawn || isAlternate
  }

  /// A frame of the program has ended.
  mutating func noteFrameEnd() {
    keepPicture()
  }
}

extension Compositor {
  /// The number of the program's synchronized updates that have ended, with one whose end is held back.
  public var updateEnds: Int { screen.updateEnds &+ (endHeldAt == nil ? 0 : 1) }

  /// Whether a synchronized update of the program is open, and its end has not come.
  public var isProgramUpdating: Bool { screen.isUpdating && endHeldAt == nil }

  /// See `Screen.takeDrawing`. What the model has not taken yet are lines of text.
  public mutating func takeDrawing() -> Bool { screen.takeDrawing() }

  /// A frame of the program has ended by silence; one that ends with its synchronized update is seen by the
  /// screen.
  public mutating func noteFrameEnd() {
    screen.noteFrameEnd()
  }
}
