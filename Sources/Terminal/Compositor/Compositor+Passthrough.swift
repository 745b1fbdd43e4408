import PerfHUDBase

/// Passthrough: plain output that reaches the terminal before it is modelled.
///
/// While the HUD is off the terminal, plain output (`UncheckedBytes.plainOutput`) has nothing to be stopped
/// for. What scrolls off before the model is needed again is never printed into it, so the model gets as much at once
/// as possible: in a flood, all that comes between two appearances of the HUD.
extension Compositor {
  /// At most this many bytes are sent before they are modelled.
  static let passthroughLimit = 512 << 10
  /// The beginning of a character or sequence that waits for the rest of it is no longer than this.
  private static let unfinishedLimit = 64

  /// Whether bytes were sent that are not modelled yet.
  package var hasModelLag: Bool { sent > modelled }

  /// Sends plain output before it is modelled, if that is possible now.
  ///
  /// - Returns: whether the whole buffer was dealt with. If not, what was sent is modelled, and the rest from
  ///   `sent` on is for `pass`.
  mutating func passThrough(_ count: Int, to queue: inout OutputQueue) -> Bool {
    guard let bytes = unsafe UncheckedBytes(buffer.rawBytes(held)) else { return false }
    guard hasModelLag || (canPassThrough(count) && unfeedHeld(bytes)) else { return false }
    return sendPassthrough(bytes, to: &queue)
  }

  /// The same after a line feed before which the HUD was erased. The line feed passes through the model: after it
  /// nothing can be repeated or combined.
  ///
  /// - Returns: whether that was possible. `isDone` becomes what `passThrough` returns.
  mutating func passThrough(
    afterLineFeed index: Int, isDone: inout Bool, to queue: inout OutputQueue
  ) -> Bool {
    guard index >= 0, held - index > leastPassthrough, buffer[index] == 0x0A else { return false }
    _ = unsafe screen.feed(buffer.rawBytes(index + 1), from: index)
    send(index, index + 1, to: &queue)
    modelled = index + 1
    sent = modelled
    isDone = false
    if canPassThrough(held - sent), let bytes = unsafe UncheckedBytes(buffer.rawBytes(held)) {
      isDone = sendPassthrough(bytes, to: &queue)
    }
    return true
  }

  private mutating func sendPassthrough(_ bytes: UncheckedBytes, to queue: inout OutputQueue)
    -> Bool
  {
    let (plain, isUnfinished) = bytes.plainOutput(from: sent, to: held)
    send(sent, plain, to: &queue)
    sent = plain
    let isAllPlain = plain == held || (isUnfinished && held - plain <= Compositor.unfinishedLimit)
    if isAllPlain, sent < Compositor.passthroughLimit { return true }
    modelPassthrough()
    if isAllPlain {
      checkpoint(from: sent, to: held, next: held - sent, queue)
      discardModelled()
    }
    return isAllPlain
  }

  /// Whether passthrough can begin with the next bytes.
  private func canPassThrough(_ count: Int) -> Bool {
    guard count >= leastPassthrough, !isDrawn, !isWithinSequence else { return false }
    // After an injection the model has to stop at REP and at what combines.
    return !hasInjected && screen.takesPlainOutput
  }

  /// Makes the model forget the beginning of a character, SGR or EL whose end has not come.
  ///
  /// - Returns: whether nothing of the buffer is modelled then.
  private mutating func unfeedHeld(_ bytes: UncheckedBytes) -> Bool {
    guard modelled > 0 else { return true }
    let (end, isUnfinished) = bytes.plainOutput(from: 0, to: modelled)
    guard end == 0, isUnfinished else { return false }
    screen.unfeedPending()
    modelled = 0
    return true
  }

  /// Models what was sent.
  private mutating func modelPassthrough() {
    var index = modelled
    while index < sent {
      index = unsafe screen.feed(buffer.rawBytes(sent), from: index, isPlainOutput: true).resume
    }
    modelled = sent
    if !screen.isAtGround { isWithinSequence = true }
  }

  /// Discards what was sent and modelled. The few bytes that are left are in the last checkpoint, as a copy.
  private mutating func discardModelled() {
    held -= sent
    buffer.move(from: sent, to: 0, held)
    sent = 0
    modelled = 0
  }

  /// Models all that was sent: before the model is read, or anything else is sent.
  package mutating func synchronize() {
    guard hasModelLag else { return }
    modelPassthrough()
    discardModelled()
  }

  /// The same, if `settle` has something to do now, so that what is read before it is right.
  package mutating func synchronize(now: Instant, isIdle: Bool) {
    guard hasModelLag, let due = deadline(now: now, isIdle: isIdle), due <= now else { return }
    synchronize()
  }
}

extension Screen {
  /// Whether plain output has the same effect whenever it is fed.
  var takesPlainOutput: Bool {
    !hasExecutedPending && feeding.isPlain && options.isUTF8 && !frames.redundant.isOn
  }

  /// As if the beginning of a sequence or character had not come: nothing of it has been carried out yet.
  mutating func unfeedPending() {
    parser.reset()
    feeding.pendingBytes = 0
  }
}
