import Base

/// Output that reaches the terminal before the shadow takes it.
///
/// While the HUD is off the terminal, plain output (`UncheckedBytes.plainOutput`) has nothing to be stopped
/// for. Whatever scrolls off before the shadow is wanted again it need not take at all, so it is given as
/// much at once as may be: in a flood, all that comes between two appearances of the HUD.
extension Compositor {
  /// So much goes ahead before the shadow takes it.
  static let passthroughLimit = 512 << 10
  /// The beginning of a character or sequence that waits for the rest of it is no longer than this.
  private static let unfinishedLimit = 64

  /// Whether the terminal has bytes that the shadow has not taken.
  public var hasModelLag: Bool { sent > modelled }

  /// Sends plain output without the shadow, if that is possible now.
  ///
  /// - Returns: whether all that is in the buffer was dealt with. If not, the shadow has taken what was
  ///   sent, and the rest from `sent` on is for `pass`.
  mutating func passThrough(_ count: Int, to queue: inout OutputQueue) -> Bool {
    guard let bytes = unsafe UncheckedBytes(buffer.rawBytes(held)) else { return false }
    guard hasModelLag || (canPassThrough(count) && unfeedHeld(bytes)) else { return false }
    return sendPassthrough(bytes, to: &queue)
  }

  /// The same behind a line feed in front of which the HUD was just lifted: it passes through the shadow, and
  /// ends what REP and accents could mean.
  ///
  /// - Returns: whether that was possible. `isDone` tells what `passThrough` returns.
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
    if isAllPlain { discardModelled() }
    return isAllPlain
  }

  /// Whether the next bytes can begin to go ahead.
  private func canPassThrough(_ count: Int) -> Bool {
    guard count >= leastPassthrough, !isDrawn, !isWithinSequence else { return false }
    // Behind something that was injected the shadow has to stop at REP and at what combines.
    return !hasInjected && screen.takesPlainOutput
  }

  /// Has the shadow forget the beginning of a character, SGR or EL that it has taken before its end came.
  ///
  /// - Returns: whether it stands in front of all that is in the buffer.
  private mutating func unfeedHeld(_ bytes: UncheckedBytes) -> Bool {
    guard modelled > 0 else { return true }
    let (end, isUnfinished) = bytes.plainOutput(from: 0, to: modelled)
    guard end == 0, isUnfinished else { return false }
    screen.unfeedPending()
    modelled = 0
    return true
  }

  /// The shadow takes what the terminal has.
  private mutating func modelPassthrough() {
    var index = modelled
    while index < sent {
      index = unsafe screen.feed(buffer.rawBytes(sent), from: index, isPlainOutput: true).resume
    }
    modelled = sent
    if !screen.isAtGround { isWithinSequence = true }
  }

  /// Makes room of what both have.
  private mutating func discardModelled() {
    held -= sent
    buffer.move(from: sent, to: 0, held)
    sent = 0
    modelled = 0
  }

  /// Brings the shadow up to the terminal: before anything is asked of it, or goes out.
  public mutating func synchronize() {
    guard hasModelLag else { return }
    modelPassthrough()
    discardModelled()
  }

  /// The same, if `settle` has something to do now: what is asked before that is then true.
  public mutating func synchronize(now: Instant, isIdle: Bool) {
    guard hasModelLag, let due = deadline(now: now, isIdle: isIdle), due <= now else { return }
    synchronize()
  }
}

extension Screen {
  /// Whether plain output means the same whenever it is fed.
  var takesPlainOutput: Bool {
    !hasExecutedPending && feeding.isPlain && options.isUTF8 && !frames.redundant.isOn
  }

  /// As if the beginning of a sequence or character had not come: nothing of it has been carried out yet.
  mutating func unfeedPending() {
    parser.reset()
    feeding.pendingBytes = 0
  }
}
