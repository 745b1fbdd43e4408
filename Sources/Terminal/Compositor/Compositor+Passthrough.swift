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
  package var hasModelLag: Bool { sent > modelled }

  /// Sends plain output before it is modeled, if that is possible now.
  ///
  /// - Returns: whether the whole buffer was handled. If not, everything sent has been modeled, and `pass` has to
  ///   handle the rest from `sent` on.
  mutating func passThrough(_ count: Int, to queue: inout OutputQueue) -> Bool {
    guard let bytes = unsafe UncheckedBytes(buffer.rawBytes(held)) else { return false }
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
    guard modelled > 0 else { return true }
    let (end, isUnfinished) = bytes.plainOutput(from: 0, to: modelled)
    guard end == 0, isUnfinished else { return false }
    screen.unfeedPending()
    modelled = 0
    return true
  }

  /// Models the bytes that were sent.
  private mutating func modelPassthrough() {
    var index = modelled
    while index < sent {
      index = unsafe screen.feed(buffer.rawBytes(sent), from: index, isPlainOutput: true).resume
    }
    modelled = sent
    if !screen.isAtGround { isWithinSequence = true }
  }

  /// Discards bytes that were sent and modeled. The few that remain are copied in the last checkpoint.
  private mutating func discardModelled() {
    held -= sent
    buffer.move(from: sent, to: 0, held)
    sent = 0
    modelled = 0
  }

  /// Models everything that was sent. Call it before the model is read, or anything else is sent.
  package mutating func synchronize() {
    guard hasModelLag else { return }
    modelPassthrough()
    discardModelled()
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
