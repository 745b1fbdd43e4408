import Glibc
import PerfHUDBase
import SystemPackage
import Terminal

/// The bytes that wait for the terminal, and whether more may be added.
///
/// Nothing blocks: what the terminal does not take stays in the queue, and while the queue is not empty, the command is
/// not read.
struct TerminalOutput: ~Copyable {
  var queue = OutputQueue(isShared: true)
  /// For bytes that are not meant for the terminal yet.
  var scratch = OutputQueue()
  /// Whether the terminal took the last output as a whole.
  private(set) var keepsUp = false
  private var hasWaited = false
  /// When at most `lowWater` bytes were last waiting.
  private var hadRoomAt: Instant

  /// Up to this many waiting bytes count as few.
  private static let lowWater = 4 << 10
  /// A terminal is slow if more than `lowWater` bytes have been waiting for this long; nanoseconds.
  private static let slowness: Int64 = 100_000_000

  init(now: Instant) { hadRoomAt = now }

  /// Whether more of the command's output may be added: once everything before it has been sent. Reading ahead would
  /// only wake this process more often, and Ctrl-C cannot stop what waits here.
  var hasRoom: Bool { queue.isEmpty }

  private var hasLittle: Bool { queue.count < TerminalOutput.lowWater }

  /// Whether the terminal keeps up. If not, the HUD does not add to the waiting bytes.
  func takesHUD(now: Instant) -> Bool {
    if hasLittle { return true }
    return !queue.isAboveHighWater && now.nanoseconds(since: hadRoomAt) < TerminalOutput.slowness
  }

  /// Whether too many bytes have been waiting for some time.
  func isSlow(now: Instant) -> Bool {
    !hasLittle && now.nanoseconds(since: hadRoomAt) >= TerminalOutput.slowness
  }

  /// Writes as much as the terminal takes now.
  mutating func flush(to tty: borrowing TTY, now: Instant) throws(Errno) {
    if !queue.isEmpty {
      try queue.flush(to: tty.outputDescriptor, mayBlock: tty.mayBlock)
      if queue.isEmpty { keepsUp = !hasWaited }
      hasWaited = !queue.isEmpty
    }
    if hasLittle { hadRoomAt = now }
  }

  /// Writes waiting bytes, for at most `patience` seconds.
  mutating func flush(to tty: borrowing TTY, patience: Double) throws(Errno) {
    let deadline = Instant.now().advanced(bySeconds: patience)
    while !queue.isEmpty {
      let now = Instant.now()
      try flush(to: tty, now: now)
      let left = deadline.nanoseconds(since: now)
      if queue.isEmpty || left <= 0 { return }
      var entry = pollfd(fd: tty.outputDescriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&entry, 1, Int32(left / 1_000_000) + 1)
    }
  }
}
