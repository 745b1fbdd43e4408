/// The screen as bytes, for a process that has not seen all of the program's output.
extension Compositor {
  /// The bytes that make a terminal show what this one shows beneath the HUD, and that leave it in the program's state.
  /// They do not include lines in the history, tab stops and saved cursors.
  ///
  /// - Parameter scratch: a queue that is used for nothing else.
  /// - Returns: `nil` while the program's output is within a sequence.
  package mutating func picture(scratch: inout OutputQueue) -> [UInt8]? {
    guard !isWithinSequence else { return nil }
    synchronize()
    guard screen.isAtGround else { return nil }
    let hadInjected = hasInjected
    scratch.removeAll()
    appendModes(to: &scratch)
    appendCursor(screen.cursor, to: &scratch)
    var renderState = begin(to: &scratch)
    for row in 0..<screen.size.rows {
      paintBeneath(row, 0, screen.size.columns, isHUDErased: true, &renderState, to: &scratch)
    }
    finish(&renderState, isHUDErased: true, to: &scratch)
    hasInjected = hadInjected
    defer { scratch.removeAll() }
    return scratch.bytes
  }

  /// Appends which screen is shown, the margins and the modes that affect printing.
  private func appendModes(to queue: inout OutputQueue) {
    func append(_ number: StaticString, _ mode: ProgramModes) {
      queue.append("\u{1B}[")
      queue.append(number)
      queue.append(UInt8(ascii: screen.modes.contains(mode) ? "h" : "l"))
    }
    queue.append(screen.isAlternate ? "\u{1B}[?47h" : "\u{1B}[?47l")
    queue.append("\u{1B}[0m\u{1B}(B\u{0F}\u{1B}[")
    let margins = screen.margins
    queue.append(decimal: margins.row + 1)
    queue.append(UInt8(ascii: ";"))
    queue.append(decimal: margins.endRow)
    queue.append(UInt8(ascii: "r"))
    append("?6", .origin)
    append("?7", .autowrap)
    append("4", .insert)
    append("?25", .visibleCursor)
  }
}
