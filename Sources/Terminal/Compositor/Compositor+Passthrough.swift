import PerfHUDBase

/// Passthrough: plain output that reaches the terminal before it is modeled.
///
/// While the HUD is off the terminal, there is no reason to stop plain output (`UncheckedBytes.plainOutput`). What
/// scrolls off before the model is needed again is never printed into it, so the model gets as much at once as
/// possible: in a flood, everything between two appearances of the HUD.
extension Compositor {
  /// At most this many bytes are sent before they are modeled.
  static let passthroughLimit = 512 << 10
  /// The beginning of an unfinished character or sequence is at most this long.
  private static let unfinishedLimit = 64

  /// Whether bytes were sent that are not modeled yet.
  package var hasModelLag: Bool { programBytes.hasModelLag }

  /// Sends plain output before it is modeled, if that is possible now.
  ///
  /// - Returns: whether the whole buffer was handled. If not, everything sent has been modeled, and `pass` has to
  ///   handle the rest from `sent` on.
  mutating func passThrough(_ count: Int, to queue: inout OutputQueue) -> Bool {
    guard let bytes = unsafe UncheckedBytes(programBytes.rawBytes(programBytes.held)) else {
      return false
    }
    guard hasModelLag || (canPassThrough(count) && unfeedHeld(bytes)) else { return false }
    return sendPassthrough(bytes, to: &queue)
  }

  /// The same, starting with a line feed before which the HUD was erased. The line feed goes through the model; after
  /// it nothing can be repeated or combined.
  ///
  /// - Returns: whether that was possible. `isDone` becomes what `passThrough` returns.
  mutating func passThrough(
    afterLineFeed index: Int, isDone: inout Bool, to queue: inout OutputQueue
  ) -> Bool {
    let end = programBytes.held
    guard index >= 0, end - index > leastPassthrough, programBytes[index] == 0x0A else {
      return false
    }
    _ = unsafe screen.feed(programBytes.rawBytes(index + 1), from: index)
    send(index, index + 1, to: &queue)
    programBytes.noteModeledAndSent(before: index + 1)
    isDone = false
    if canPassThrough(end - (index + 1)),
      let bytes = unsafe UncheckedBytes(programBytes.rawBytes(end))
    {
      isDone = sendPassthrough(bytes, to: &queue)
    }
    return true
  }

  private mutating func sendPassthrough(_ bytes: UncheckedBytes, to queue: inout OutputQueue)
    -> Bool
  {
    let end = programBytes.held
    let (plain, isUnfinished) = bytes.plainOutput(from: programBytes.sent, to: end)
    send(programBytes.sent, plain, to: &queue)
    programBytes.noteSent(before: plain)
    let isAllPlain = plain == end || (isUnfinished && end - plain <= Compositor.unfinishedLimit)
    if isAllPlain, plain < Compositor.passthroughLimit { return true }
    modelPassthrough()
    if isAllPlain {
      checkpoint(from: plain, to: end, next: end - plain, queue)
      programBytes.discardModeled()
    }
    return isAllPlain
  }

  /// Whether passthrough can start with the next bytes.
  private func canPassThrough(_ count: Int) -> Bool {
    guard count >= leastPassthrough, !isPainted, !isWithinSequence else { return false }
    // After an injection the model has to stop at REP and at combining characters.
    return !hasInjected && screen.takesPlainOutput
  }

  /// Makes the model forget the beginning of an unfinished character, SGR or EL.
  ///
  /// - Returns: whether nothing of the buffer is modeled any more.
  private mutating func unfeedHeld(_ bytes: UncheckedBytes) -> Bool {
    guard programBytes.modeled > 0 else { return true }
    let (end, isUnfinished) = bytes.plainOutput(from: 0, to: programBytes.modeled)
    guard end == 0, isUnfinished else { return false }
    screen.unfeedPending()
    programBytes.forgetModeled()
    return true
  }

  /// Models the bytes that were sent.
  private mutating func modelPassthrough() {
    let end = programBytes.sent
    var index = programBytes.modeled
    while index < end {
      index = unsafe screen.feed(
        programBytes.rawBytes(end), from: index, isPlainOutput: true
      ).resume
    }
    programBytes.noteSentModeled()
    if !screen.isAtGround { isWithinSequence = true }
  }

  /// Models everything that was sent. Call it before the model is read, or anything else is sent.
  package mutating func synchronize() {
    guard hasModelLag else { return }
    modelPassthrough()
    programBytes.discardModeled()
  }

  /// The same, but only if `settle` has something to do now, so that it finds the model up to date.
  package mutating func synchronize(now: Instant, isIdle: Bool) {
    guard hasModelLag, let due = deadline(now: now, isIdle: isIdle), due <= now else { return }
    synchronize()
  }
}

extension Screen {
  /// Whether plain output has the same effect whenever it is fed to the model.
  var takesPlainOutput: Bool {
    !hasExecutedPending && feeding.isPlain && options.isUTF8 && !frames.redundant.isOn
  }

  /// Undoes feeding the beginning of a sequence or character; nothing of it has been carried out yet.
  mutating func unfeedPending() {
    parser.reset()
    feeding.pendingBytes = 0
  }
}
