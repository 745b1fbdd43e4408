import CProcess

/// What the compositor of another process needs to continue.
struct CompositorState: BitwiseCopyable {
  var screen: ScreenSnapshot
  /// Where the HUD is.
  var paintedFrame: Rect
  var isWithinSequence: Bool
}

/// Continues where the compositor of another process ended.
extension Compositor {
  /// Adds the state of the screen model to the next checkpoint, if another process may need it.
  ///
  /// Not inlined: `scripts/check-copies.sh` looks for copies of that size everywhere else.
  @inline(never) func addState() {
    guard let place = unsafe perfhud_checkpoint_state() else { return }
    assert(MemoryLayout<CompositorState>.size <= PERFHUD_JOURNAL_STATE)
    let state = CompositorState(
      screen: ScreenSnapshot(screen), paintedFrame: painted.frame,
      isWithinSequence: isWithinSequence)
    unsafe place.storeBytes(of: state, as: CompositorState.self)
  }

  /// Takes over the terminal from a process that died: its state, and what was written since. Apart from that, the
  /// content of the screen is unknown.
  ///
  /// - Returns: whether there was anything to take over.
  package mutating func takeOver(to queue: inout OutputQueue) -> Bool {
    guard let state = unsafe perfhud_checkpointed_state() else { return false }
    startOutput = nil
    let terminal = size
    let before = unsafe state.load(as: CompositorState.self)
    screen = before.screen.screen(isUTF8: screen.options.isUTF8)
    size = screen.size
    // The bytes that follow contain what is beneath the HUD if the program was quiet. Otherwise nobody knows it, and
    // blanks are better than a HUD that stays forever. After a HUD that was hidden, a new one could be shown nowhere.
    screen.makeUnseen(before.paintedFrame.isEmpty ? Rect(screen.size) : before.paintedFrame)
    // What follows begins after that sequence, which may have been an image.
    if before.isWithinSequence { screen.loseCursor() }
    var count = 0
    if let bytes = unsafe perfhud_output_since(&count) {
      let output = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
      var index = 0
      while index < count { index = unsafe screen.feed(output, from: index).resume }
    }
    isWithinSequence = !screen.isAtGround
    screen.forgetDamage()
    hasInjected = true
    if size == terminal { eraseRemains(at: before.paintedFrame, to: &queue) }
    resize(to: terminal, reflow: .unknown, now: .now(), to: &queue)
    return true
  }

  /// Erases the HUD of the process that died, if its supervisor could not: this one may be hidden before it is drawn.
  private mutating func eraseRemains(at frame: Rect, to queue: inout OutputQueue) {
    guard !isWithinSequence, screen.isRestorable, screen.hasUnseen(frame) else { return }
    painted = WindowPicture(unknownAt: frame)
    eraseHUD(now: .now(), to: &queue)
  }

  /// Models output before it is sent, so that each checkpoint has the state.
  package mutating func keepModelCurrent() { leastPassthrough = .max }
}

extension Screen {
  /// Whether cells there are still as `makeUnseen` has left them.
  fileprivate func hasUnseen(_ rectangle: Rect) -> Bool {
    let part = rectangle.intersection(Rect(size))
    return (part.row..<part.endRow).contains { row in
      (part.column..<part.endColumn).contains { cell(row: row, column: $0).isUnseen }
    }
  }

  /// Marks cells so that they are restored as blanks.
  fileprivate mutating func makeUnseen(_ rectangle: Rect) {
    let part = rectangle.intersection(Rect(size))
    for row in part.row..<part.endRow {
      let index = lineIndex(row)
      materialize(index)
      let start = lines[index].start
      for column in part.column..<part.endColumn { cells[start + column] = .unseen }
    }
  }
}
