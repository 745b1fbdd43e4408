import Base
import Metrics
import Terminal

/// The command's output: read, passed through the compositor, and what is to be told of it.
extension OverlayFrontend {
  /// So many pieces of the command's output pass before the terminal is given what waits.
  private static let piecesATurn = 12
  /// The same where the terminal has not taken all at once: Ctrl-C cannot stop what waits here.
  private static let piecesOfSlowTerminal = 4
  /// Of a program that brings little at once, but without a pause, so much is let come together, in nanoseconds:
  /// to be woken up for each line would cost more than the lines. What comes meanwhile has room in the pty.
  private static let restTime: Int64 = 300_000
  /// Output that came with pauses longer than that is no stream; nanoseconds.
  private static let streamPause: Int64 = 2_000_000
  /// Bytes a microsecond of what is such a stream, and the most bytes that are little at once: who brings more
  /// would be kept waiting.
  private static let streamRate: Range<Int64> = 1..<24
  private static let littleAtOnce = 20_000
  /// Without output for so long after a key, the program has not answered; nanoseconds.
  private static let silenceLimit: Int64 = 500_000_000

  mutating func readCommand(_ poller: borrowing Poller, now: Instant) {
    let hasRested = rest.map { now >= $0 } ?? false
    if hasRested { rest = nil }
    if hasRested || poller.isReady(masterSlot) || pty?.isEnding == true {
      passOutput(now: now, hasRested: hasRested)
    } else if readsCommand, rest == nil {
      isQuiet = true
    }
    if poller.isReady(statusSlot) { takeStatus(now: now) }
    isEnding = pty?.isEnding ?? false
  }

  /// Whether there is room for more of the command's output.
  var readsCommand: Bool {
    output.hasRoom && !inquiry.holdsOutput
  }

  /// Reads what is there and passes it on.
  ///
  /// What is at hand is read before any of it is passed: the kernel's part of the work is the dearer
  /// one, and it is cheaper done in a row.
  ///
  /// - Parameter hasRested: after a rest, so that what one call leaves behind can wait for the next.
  mutating func passOutput(now: Instant, hasRested: Bool = false) {
    guard readsCommand else { return }
    if isQuiet, silentKey != nil, end == nil, passAnswer(now: now) { return }
    let pieces =
      output.keepsUp ? OverlayFrontend.piecesATurn : OverlayFrontend.piecesOfSlowTerminal
    var count = 0
    for _ in 0..<pieces {
      let more = readPiece(behind: count, isOneCall: hasRested)
      isQuiet = (more ?? 0) < Pty.piece
      count += more ?? 0
      if isQuiet { break }
    }
    guard count > 0 else { return }
    if isQuiet, isPartOfStream(count, now: now) {
      isQuiet = false
      rest = now.advanced(byNanoseconds: OverlayFrontend.restTime)
    }
    pass(count, now: now)
  }

  /// Whether output that has just been read is a little of much that comes without a pause.
  private func isPartOfStream(_ count: Int, now: Instant) -> Bool {
    guard end == nil, count < OverlayFrontend.littleAtOnce, let lastOutput else { return false }
    let time = now.nanoseconds(since: lastOutput)
    guard time > 0, time < OverlayFrontend.streamPause else { return false }
    return OverlayFrontend.streamRate.contains(Int64(count) * 1000 / time)
  }

  /// Passes what may be the answer to a key, without asking whether there is more: that would cost the
  /// answer a call.
  ///
  /// - Returns: whether that was all for now; if not, there may be more.
  private mutating func passAnswer(now: Instant) -> Bool {
    guard let count = readPiece(behind: 0, isOneCall: true), count > 0 else { return true }
    pass(count, now: now)
    // To draw the HUD again it has to be known that nothing more comes.
    guard count < Pty.piece, !compositor.hasWork else { return false }
    // All that follows in this turn can come later than the answer.
    flush(now: now)
    return true
  }

  private mutating func readPiece(behind count: Int, isOneCall: Bool = false) -> Int? {
    let space = unsafe UnsafeMutableRawBufferPointer(
      rebasing: compositor.space[count..<count + Pty.piece])
    return unsafe pty?.read(into: space, isOneCall: isOneCall) ?? nil
  }

  /// Passes output that was read.
  private mutating func pass(_ count: Int, now: Instant) {
    lastOutput = now
    silentKey = nil
    isSilenceTold = false
    follower?.noteActivity()
    let wasAlternate = compositor.screen.isAlternate
    let wait = processorWaitOfFrame()
    if meter.endBurst(now: now, wait: wait) { compositor.noteFrameEnd() }
    compositor.pass(count, hasMore: !isQuiet, now: now, to: &output.queue)
    if wasAlternate != compositor.screen.isAlternate { noteScreenSwitch(now: now) }
    lookForPhase(now: now)
    let piece = OutputMeter.Piece(
      bytes: count, updateEnds: compositor.updateEnds, isUpdating: compositor.isProgramUpdating,
      isDrawing: compositor.takeDrawing(), isUnfinished: !compositor.screen.isAtGround)
    meter.add(piece, at: now, wait: wait)
    takeFrames()
    typed.note(cursorQuestions: compositor.screen.cursorQuestions)
  }

  /// For how long this thread has waited for a processor since the last output, while the command draws.
  private mutating func processorWaitOfFrame() -> Int64 {
    guard countsFrames, meter.isDrawing else {
      processorWait.skip()
      return 0
    }
    return processorWait.sinceLast()
  }

  /// Whether it is silence of the command when nothing comes: all that it has written is read.
  var seesSilence: Bool { readsCommand && isQuiet && rest == nil }

  /// Ends a frame behind which there was silence.
  private mutating func endFrame(now: Instant) {
    guard seesSilence else { return meter.hold(at: now) }
    guard meter.endBurst(now: now) else { return }
    compositor.noteFrameEnd()
    takeFrames()
  }

  private mutating func takeFrames() {
    meter.takeFrames { frame in
      answers.noteFrame(at: frame.time)
      if frame.isDrawn { frames.append(frame) }
    }
  }

  private mutating func noteScreenSwitch(now: Instant) {
    let isAlternate = compositor.screen.isAlternate
    if !isAlternate {
      hold.noteAlternateEnd(now: now)
      compositor.isHeld = true
    }
    // A crash leaves the alternate screen where the command is on it.
    let leave = isAlternate ? Array("\u{1B}[?1049l".utf8) : []
    try? tty.enter(restore: leave + OverlayFrontend.crashBytes)
  }

  private mutating func takeStatus(now: Instant) {
    while let status = pty?.nextStatus() ?? nil {
      switch status {
      case .stopped: isStopping = true
      case .continued: isStopping = false
      case .exited, .signaled, .lost:
        isStopping = false
        end = status
        usage = pty?.usage
        answersDue = max(askedAt ?? inquiry.askedAt, inquiry.askedAt)
          .advanced(bySeconds: OverlayFrontend.answerPatience)
      }
    }
  }

  mutating func takeRecords(now: Instant, into run: inout Run) {
    takeOwnSequences(now: now, into: &run)
    endFrame(now: now)
    resolvePhase(now: now)
    for phase in newPhases { run.apply(.event(phase.event, phase.time)) }
    newPhases.removeAll(keepingCapacity: true)
    guard countsFrames else { return frames.removeAll(keepingCapacity: true) }
    answers.judge(at: now, &compositor)
    answers.take { nanoseconds in
      run.apply(nanoseconds.map { .answer(nanoseconds: $0, now) } ?? .unclearAnswer(now))
    }
    let bytes = meter.takeBytes()
    if bytes > 0 { run.apply(.output(bytes: UInt64(bytes), now)) }
    takeRewrites(now: now, into: &run)
    if let since = silentKey, let due = silenceDue, now >= due {
      isSilenceTold = true
      run.apply(.unansweredKey(since: since, now))
    }
    for frame in frames {
      run.apply(
        frame.isMerged ? .mergedFrame(frame.time) : .frame(frame.time, .terminal, missed: 0))
    }
    frames.removeAll(keepingCapacity: true)
  }

  /// When a key will have gone without an answer for too long.
  var silenceDue: Instant? {
    guard countsFrames, !isSilenceTold, end == nil else { return nil }
    return silentKey?.advanced(byNanoseconds: OverlayFrontend.silenceLimit)
  }

  /// Looks who has the terminal, while there is somebody to follow.
  mutating func nextTarget(now: Instant) -> ForegroundFollower.Change? {
    guard end == nil, follower?.isLookDue(now: now) == true else { return nil }
    return follower?.look(pty?.foregroundGroup, now: now)
  }

  mutating func noteSample(hasEnded: Bool) -> Bool {
    follower?.noteSample(hasEnded: hasEnded)
    return follower != nil && end == nil
  }
}
