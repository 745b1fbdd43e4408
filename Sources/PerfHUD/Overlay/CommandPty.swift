import Glibc
import PerfHUDBase
import Terminal

/// The command on its pty: how much of its output is read at once and when, its input, and how it ended.
struct CommandPty: ~Copyable {
  private var pty: Pty?
  /// Whether the command has nothing more to write for now.
  private(set) var isQuiet = true
  /// When the command last wrote something.
  private(set) var lastOutput: Instant?
  /// When to read the command again: meanwhile more of its stream arrives together.
  private(set) var restEnd: Instant?
  /// Whether the command was stopped, so that perfhud must stop with it.
  private(set) var isStopped = false
  /// How the command ended.
  private(set) var end: PtyStatus?
  /// When perfhud learned of `end`.
  private(set) var endedAt: Instant?
  private(set) var usage: ResourceUsage?
  /// The signal of the last key that sent one: Ctrl-C, Ctrl-\.
  private var keySignal: Int32?
  private var masterSlot = 0
  private var writeSlot = 0
  private var statusSlot = 0

  /// The maximum number of reads in one turn, before waiting bytes are written to the terminal.
  private static let readLimit = 12
  /// The same if the terminal has not taken everything at once: Ctrl-C cannot stop what waits here.
  private static let readLimitOfSlowTerminal = 4
  /// How long to leave a program unread that writes little at once but without a pause, in nanoseconds. Waking up for
  /// each line would cost more than the lines. The pty has room for what arrives meanwhile.
  private static let restTime: Int64 = 300_000
  /// Output after a longer pause than this is not a stream; nanoseconds.
  private static let streamPause: Int64 = 2_000_000
  /// The rate of such a stream in bytes per microsecond, and the limit of bytes at once: a program that writes more
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

  /// Sets what the loop wakes up for.
  ///
  /// - Parameter readsOutput: whether there is room for more of the command's output.
  mutating func watch(_ poller: inout Poller, readsOutput: Bool) {
    let isRead = readsOutput && end == nil && restEnd == nil
    poller.replace(isRead ? pty?.masterDescriptor : nil, slot: masterSlot)
    poller.replace(pty?.hasWaitingInput == true ? pty?.masterDescriptor : nil, slot: writeSlot)
    poller.replace(end == nil ? pty?.statusDescriptor : nil, slot: statusSlot)
  }

  // MARK: Output

  /// Whether to read output: some is there, some is left after the command's end, or the rest is over.
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

  /// Ends the rest if its time is over. Returns whether it did.
  mutating func endRest(now: Instant) -> Bool {
    guard let end = restEnd, now >= end else { return false }
    restEnd = nil
    return true
  }

  /// Stops reading the command until then, so that the terminal shows what it has received.
  mutating func rest(until time: Instant) {
    guard end == nil else { return }
    restEnd = time
    isQuiet = false
  }

  /// Ends a rest early, since the next output may answer a key.
  mutating func cutRest(now: Instant) { if restEnd != nil { restEnd = now } }

  /// Notes that there was nothing to read although it would have been read.
  mutating func noteSilence() { if restEnd == nil { isQuiet = true } }

  /// Reads again, whatever was found last.
  mutating func expectOutput() { isQuiet = false }

  /// Reads everything available before any of it is passed on: most of the cost is the kernel's, and consecutive reads
  /// cost less.
  ///
  /// - Parameters:
  ///   - keepsUp: whether the terminal took everything at once.
  ///   - isRested: whether a rest has just ended. If so, what one call leaves can wait for the next.
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

  /// Reads with a single call, without checking for more.
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

  /// Whether output that was just read is a small part of a stream without pauses.
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

  /// Hands over bytes unchanged. What the pty does not take now waits.
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

  /// The signal that ended the command, if a key sent it.
  var endingKeySignal: Int32? {
    guard case .signaled(let number, _) = end, number == keySignal else { return nil }
    return number
  }

  /// Hands over waiting input if there is room for it.
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

  /// Takes the reports about the command since the last call.
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

  /// Notes that perfhud has stopped together with the command, and both have been continued.
  mutating func endStop() { isStopped = false }

  /// Closes the pty, which hangs up all processes that still use it.
  mutating func close() { pty = nil }
}
