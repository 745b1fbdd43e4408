/// An accent that comes after something was injected.
extension Compositor {
  /// Writes the program's last character again in its place, so that it is what the terminal has
  /// written last and the character that comes now is added to it.
  ///
  /// The cursor is not placed afterwards, since that would end it: the character itself leaves it, and
  /// a pending wrap, where the program had it. What of the HUD it overwrites is damage, as the accent is.
  mutating func writeLastAgain(to queue: inout OutputQueue) {
    guard let place = screen.lastPlace else { return }
    let isInserting = screen.modes.contains(.insert)
    if isInserting { queue.append("\u{1B}[4l") }
    var renderState = beginText(to: &queue)
    appendCursor(place, to: &queue)
    let cell = screen.lastPrinted
    setLook(of: cell, &renderState, to: &queue)
    appendCharacter(cell, to: &queue)
    finishText(&renderState, to: &queue)
    // The terminal is again where the program's last byte had left it.
    hasInjected = false
  }
}
