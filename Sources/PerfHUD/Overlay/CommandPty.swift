import Glibc
import PerfHUDBase
import Terminal

/// The command on its pty: how much of its output is read at once and when, its input, and how it has ended.
struct CommandPty: ~Copyable {
  private var pty: Pty?
  /// Whether the command has nothing more to write for now.
  private(set) var isQuiet = true
  /// When the command last wrote something.
  private(set) var lastOutput: Instant?
  /// Until then it is not read, so that more of its stream comes together.
  private(set) var restEnd: Instant?
  /// Whether the command has been stopped, and perfhud has to stop with it.
  private(set) var isStopped = false
  /// How the command has ended.
  private(set) var end: PtyStatus?
  /// When perfhud learned of `end`.
  private(set) var endedAt: Instant?
  private(set) var usage: ResourceUsage?
  /// The signal of the last key that sent one: Ctrl-C, Ctrl-\.
  private var keySignal: Int32?
  private var masterSlot = 0
  private var writeSlot = 0
  private var statusSlot = 0

  /// The limit of reads in one turn, before the terminal is given what waits.
  private static let readLimit = 12
  /// The same where the terminal has not taken all at once: Ctrl-C cannot stop what waits here.
  private static let readLimitOfSlowTerminal = 4
  /// A program that writes little at once, but without a pause, is left alone for this time in nanoseconds: to be
  /// woken up for each line would cost more than the lines. What comes meanwhile has room in the pty.
  private static let restTime: Int64 = 300_000
  /// Output after a longer pause than this is no stream; nanoseconds.
  private static let streamPause: Int64 = 2_000_000
  /// Bytes a microsecond of such a stream, and the most bytes that are little at once: a program that writes more
  /// would be kept waiting.
  private static let streamRate: Range<Int64> = 1..<24
  private static let littleAtOnce = 20_000

  init(_ pty: consuming Pty) { self.pty = .some(pty) }

  mutating func register(with poller: inout Poller) {
    masterSlot = poller.add(pty?.masterDescriptor ?? -1)
    writeSlot = poller.add(pty?.masterDescriptor ?? -1, events: Int32(POLLOUT))
    poller.replace(nil, slot: writeSlot)
    statusSlot = poller.add(pty?.statusDescriptor ?? -1)
  }

  /// Chooses what the loop wakes up for.
  ///
  /// - Parameter readsOutput: whether there is room for more of its output.
  mutating func watch(_ poller: inout Poller, readsOutput: Bool) {
    let isRead = readsOutput && end == nil && restEnd == nil
    poller.replace(isRead ? pty?.masterDescriptor : nil, slot: masterSlot)
    poller.replace(pty?.hasWaitingInput == true ? pty?.masterDescriptor : nil, slot: writeSlot)
    poller.replace(end == nil ? pty?.statusDescriptor : nil, slot: statusSlot)
  }

  // MARK: Output

  /// Whether output is to be read: some is there, what is left after its end, or the rest is over.
  func hasOutput(_ poller: borrowing Poller, isRested: Bool) -> Bool {
    isRested || poller.isReady(masterSlot) || isEnding
  }

  /// Whether the command has ended and its last output is still to be read.
  var isEnding: Bool {
    switch pty {
    case .some(let pty): pty.isEnding
    case .none: false
    }
  }

  /// Ends the rest if its time is over; returns whether it was.
  mutating func endRest(now: Instant) -> Bool {
    guard let end = restEnd, now >= end else { return false }
    restEnd = nil
    return true
  }

  /// The command is not read until then, so that the terminal shows what it has got.
  mutating func rest(until time: Instant) {
    guard end == nil else { return }
    restEnd = time
    isQuiet = false
  }

  /// Ends a rest early: what comes may be the answer to a key.
  mutating func cutRest(now: Instant) { if restEnd != nil { restEnd = now } }

  /// Nothing was there to be read, although it would have been.
  mutating func noteSilence() { if restEnd == nil { isQuiet = true } }

  /// Reads again whatever was seen last.
  mutating func expectOutput() { isQuiet = false }

  /// Reads what is there: all of it before any is passed on, since the kernel's part of the work is the more
  /// expensive one, and cheaper in a row.
  ///
  /// - Parameters:
  ///   - keepsUp: whether the terminal has taken all at once.
  ///   - isRested: after a rest, so that what one call leaves can wait for the next.
  /// - Returns: the number of bytes.
  mutating func read(
    into space: UnsafeMutableRawBufferPointer, keepsUp: Bool, isRested: Bool, now: Instant
  ) -> Int {
    let limit = keepsUp ? CommandPty.readLimit : CommandPty.readLimitOfSlowTerminal
    var count = 0
    for _ in 0..<limit {
      let more = unsafe readPiece(into: space, at: count, isOneCall: isRested)
      isQuiet = (more ?? 0) < Pty.piece
      count += more ?? 0
      if isQuiet { break }
    }
    guard count > 0 else { return 0 }
    if isQuiet, isPartOfStream(count, now: now) {
      isQuiet = false
      restEnd = now.advanced(byNanoseconds: CommandPty.restTime)
    }
    lastOutput = now
    return count
  }

  /// Reads with a single call, without asking whether there is more.
  mutating func readOnce(into space: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
    let count = unsafe readPiece(into: space, at: 0, isOneCall: true) ?? 0
    if count > 0 { lastOutput = now }
    return count
  }

  private mutating func readPiece(
    into space: UnsafeMutableRawBufferPointer, at offset: Int, isOneCall: Bool
  ) -> Int? {
    let room = unsafe UnsafeMutableRawBufferPointer(rebasing: space[offset..<offset + Pty.piece])
    return unsafe pty?.read(into: room, isOneCall: isOneCall) ?? nil
  }

  /// Whether output that has just been read is a little of much that comes without a pause.
  private func isPartOfStream(_ count: Int, now: Instant) -> Bool {
    guard end == nil, count < CommandPty.littleAtOnce, let lastOutput else { return false }
    let time = now.nanoseconds(since: lastOutput)
    guard time > 0, time < CommandPty.streamPause else { return false }
    return CommandPty.streamRate.contains(Int64(count) * 1000 / time)
  }

  // MARK: Input, size and signals

  /// Whether so much input waits that no more keys should be read.
  var isInputFull: Bool {
    switch pty {
    case .some(let pty): pty.isInputFull
    case .none: false
    }
  }

  /// Hands over bytes as they are; what the pty does not take now waits.
  mutating func write(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    noteSignalKey(bytes)
    unsafe pty?.write(bytes.span.bytes)
  }

  private mutating func noteSignalKey(_ bytes: [UInt8]) {
    let signal: Int32? =
      switch pty {
      case .some(let pty): pty.signalKey(in: bytes)
      case .none: nil
      }
    if let signal { keySignal = signal }
  }

  /// The signal by which the command has ended, if a key sent it.
  var endingKeySignal: Int32? {
    guard case .signaled(let number, _) = end, number == keySignal else { return nil }
    return number
  }

  /// Hands over input that has waited, if there is room for it.
  mutating func flushInput(_ poller: borrowing Poller) {
    if poller.isReady(writeSlot) { pty?.flush() }
  }

  mutating func resize(_ size: TerminalSize) { pty?.resize(size) }
  mutating func signalCommand(_ number: Int32) {
    if number == keySignal { keySignal = nil }
    pty?.signalCommand(number)
  }
  mutating func signalForeground(_ number: Int32) { pty?.signalForeground(number) }
  mutating func continueForeground() { pty?.continueForeground() }

  /// The process group in the foreground of the pty.
  var foregroundGroup: Int32? {
    switch pty {
    case .some(let pty): pty.foregroundGroup
    case .none: nil
    }
  }

  // MARK: Status

  /// Takes what has been reported of the command since the last call.
  ///
  /// - Returns: whether the command has ended.
  mutating func takeStatus(_ poller: borrowing Poller) -> Bool {
    guard poller.isReady(statusSlot) else { return false }
    var hasEnded = false
    while let status = pty?.nextStatus() ?? nil {
      switch status {
      case .stopped: isStopped = true
      case .continued: isStopped = false
      case .exited, .signaled, .lost:
        isStopped = false
        end = status
        endedAt = .now()
        usage = pty?.usage
        hasEnded = true
      }
    }
    return hasEnded
  }

  /// perfhud has stopped with the command, and both go on.
  mutating func endStop() { isStopped = false }

  /// Closes the pty, which hangs up what is left on it.
  mutating func close() { pty = nil }
}
