/// What frames consist of: whether the output draws, and which cells a frame has changed.
extension Screen {
  /// Whether a control sequence without prefix and intermediates moves the cursor, erases, inserts, deletes or scrolls.
  /// CUP and EL are noted where they are executed.
  static func isDrawing(_ final: UInt8) -> Bool {
    guard final >= 0x40, final < 0x80 else { return false }
    return drawingFinals & 1 &<< UInt64(final &- 0x40) != 0
  }

  /// A bit for each of `@ABCDEFGJLMPSTX^`ade`, from 0x40 on.
  private static var drawingFinals: UInt64 { 0x33_4119_34FF }

  /// Whether the output since the last call draws. Drawing means a sequence that moves the cursor, erases something,
  /// inserts, deletes or scrolls, or anything on the alternate screen. Text, line ends, colors and carriage returns on
  /// the primary screen are not drawing.
  mutating func takeDrawing() -> Bool {
    defer { reported.hasDrawn = false }
    return reported.hasDrawn || isAlternate
  }

  /// Whether the output since the last call draws over earlier rows of the primary screen: it places the cursor further
  /// up, or in the first row. A progress line at the bottom does not, nor do programs that move row by row.
  mutating func takeRedraw() -> Bool {
    defer { reported.hasReturned = false }
    return reported.hasReturned && !isAlternate
  }

  /// Notes that a frame of the program has ended.
  mutating func noteFrameEnd() {
    keepPicture()
    if frames.answers.isOn { watchFrame() }
  }

  /// Starts looking for the frame that answers a key.
  mutating func beginTrial(hasFrame: Bool) {
    guard frames.answers.resize(to: size, isAlternate: isAlternate) else {
      return frames.answers.stop()
    }
    for row in 0..<rows {
      let line = lines[lineIndex(row)]
      frames.answers.keep(row, cells, line.start, used: Int(line.used), blank: line.blank)
    }
    frames.answers.beginTrial(cursor: cursor, hasFrame: hasFrame)
  }

  private mutating func watchFrame() {
    guard frames.answers.fits(size, isAlternate: isAlternate) else { return frames.answers.stop() }
    for row in 0..<rows {
      let line = lines[lineIndex(row)]
      frames.answers.compare(row, cells, line.start, used: Int(line.used), blank: line.blank)
    }
    frames.answers.endFrame(cursor: cursor)
  }
}
