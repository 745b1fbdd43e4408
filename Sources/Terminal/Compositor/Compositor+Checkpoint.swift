import CProcess

/// Keeps the supervisor informed, so that no byte of the program is lost or sent twice if this process dies.
extension Compositor {
  /// Reports which part of the program's output is in the queue. Call it before output is read, after `pass`, and
  /// before the queue is written.
  package func checkpoint(_ queue: borrowing OutputQueue) {
    checkpoint(
      from: programBytes.sent, to: programBytes.held, next: programBytes.held, queue)
  }

  /// - Parameters:
  ///   - start, end: the range of the buffer that is not in the queue.
  ///   - next: where in the buffer the next bytes will be put.
  func checkpoint(from start: Int, to end: Int, next: Int, _ queue: borrowing OutputQueue) {
    guard programBytes.isShared, let base = unsafe programBytes.base else { return }
    addState()
    unsafe perfhud_checkpoint(
      queue.base, queue.sharedEnd, base + start, end - start, base + next, checkpointFlags)
  }

  private var checkpointFlags: UInt32 {
    var flags: Int32 = 0
    if !isWithinSequence { flags |= PERFHUD_AT_GROUND }
    if isUpdateOpen { flags |= PERFHUD_UPDATE_OPEN }
    if screen.isAlternate { flags |= PERFHUD_ALTERNATE }
    return UInt32(flags)
  }

  /// Moves bytes that are not in the queue to the front of the buffer.
  func moveToFront(from start: Int, to end: Int, _ queue: borrowing OutputQueue) {
    let count = end - start
    checkpoint(from: start, to: end, next: count, queue)
    guard start > 0, count > 0 else { return }
    programBytes.moveToFront(from: start, count)
    if count > PERFHUD_JOURNAL_TAIL { checkpoint(from: 0, to: count, next: count, queue) }
  }

  /// Reports how the HUD can be erased from the state of the last checkpoint, unless that has been reported already.
  /// Call it while nothing is going on, since it costs as much as painting.
  ///
  /// - Parameter scratch: a queue that is used for nothing else.
  package mutating func checkpointErase(scratch: inout OutputQueue) {
    guard programBytes.isShared, perfhud_wants_erase() != 0 else { return }
    guard isPainted, screen.isRestorable, !isWithinSequence, !hasModelLag else {
      return perfhud_set_erase(nil, 0)
    }
    let hadInjected = hasInjected
    scratch.removeAll()
    paintBeneath(to: &scratch)
    hasInjected = hadInjected
    // The HUD is still there.
    for row in 0..<painted.frame.rows { noteReach(row) }
    let bytes = unsafe scratch.waiting()
    unsafe perfhud_set_erase(bytes.baseAddress, bytes.count)
  }
}
