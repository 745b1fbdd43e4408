import CLinux
import Glibc
import SystemPackage

/// The set of descriptors that a thread sleeps on. A turn allocates nothing.
///
/// Source: `ppoll(2)`.
@safe package struct Poller: ~Copyable {
  /// Enough for signals, terminal, wake-up, tick and a pty; adding more is a programming error.
  package static let capacity = 16

  private let entries: UnsafeMutablePointer<pollfd>
  private var count = 0

  package init() {
    unsafe entries = .allocate(capacity: Poller.capacity)
    unsafe entries.initialize(repeating: pollfd(), count: Poller.capacity)
  }

  deinit { unsafe entries.deallocate() }

  /// Adds a descriptor and returns its slot. The owner must keep it open as long as the set is used.
  package mutating func add(_ descriptor: Int32, events: Int32 = Int32(POLLIN)) -> Int {
    precondition(count < Poller.capacity, "raise Poller.capacity")
    unsafe entries[count] = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    count += 1
    return count - 1
  }

  /// Removes the slot from the set, or puts another descriptor into it.
  package mutating func replace(_ descriptor: Int32?, slot: Int) {
    unsafe entries[slot].fd = descriptor ?? -1
    unsafe entries[slot].revents = 0
  }

  /// Sleeps until a descriptor is ready or the deadline has passed.
  ///
  /// An interrupted sleep ends early, with nothing ready.
  /// - Parameter deadline: `nil` sleeps without one.
  /// - Returns: whether a descriptor is ready.
  @discardableResult
  package mutating func wait(until deadline: Instant?, now: Instant) -> Bool {
    let timeout = deadline.map { max(0, $0.nanoseconds(since: now)) } ?? -1
    let ready = unsafe perfhud_ppoll(entries, UInt32(count), timeout)
    if ready < 0 {
      // EINTR, or ENOMEM under pressure; all else would be a mistake in this file.
      precondition(errno == EINTR || errno == ENOMEM || errno == EAGAIN, "ppoll")
      for slot in 0..<count { unsafe entries[slot].revents = 0 }
    }
    return ready > 0
  }

  /// Whether the slot can be read or written, or has an error or a hang-up.
  package func isReady(_ slot: Int) -> Bool { unsafe entries[slot].revents != 0 }

  /// What happened on the slot: `POLLIN`, `POLLHUP`, ….
  package func events(_ slot: Int) -> Int32 { unsafe Int32(entries[slot].revents) }
}

/// A wake-up from one thread to another. Source: `eventfd(2)`.
package struct EventDescriptor: ~Copyable, Sendable {
  private let descriptor: Descriptor

  package init() throws(SystemError) {
    let raw = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard raw >= 0 else {
      throw SystemError(call: "eventfd", subject: "wake-up", code: Errno(rawValue: errno))
    }
    descriptor = Descriptor(owning: raw)
  }

  package var raw: Int32 { descriptor.raw }

  /// Makes the descriptor readable until `drain`.
  package func signal() {
    var one: UInt64 = 1
    _ = unsafe Glibc.write(raw, &one, 8)
  }

  package func drain() {
    var value: UInt64 = 0
    _ = unsafe Glibc.read(raw, &value, 8)
  }
}

/// Signals as a descriptor; the constructor blocks them for this thread and those it starts.
///
/// Source: `signalfd(2)`, `pthread_sigmask(3)`.
package struct SignalDescriptor: ~Copyable, Sendable {
  private let descriptor: Descriptor
  /// Whether the supervisor receives the signals that other processes send, and passes them on. If so, a signal that a
  /// process sends straight to this one is ignored, except `SIGCONT` and `SIGWINCH`.
  package var isPassedOn = false

  package init(_ signals: [Int32]) throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    let raw = unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
    guard raw >= 0 else {
      throw SystemError(call: "signalfd", subject: "signals", code: Errno(rawValue: errno))
    }
    descriptor = Descriptor(owning: raw)
  }

  package var raw: Int32 { descriptor.raw }

  /// The next signal that has arrived, or `nil`.
  package func next() -> Int32? { nextWithSender()?.number }

  /// The next signal that has arrived, and whether the kernel sent it rather than a process. For the keys of the
  /// terminal the kernel sends it (`SI_KERNEL`, sigaction(2)).
  package func nextWithSender() -> (number: Int32, isFromKernel: Bool)? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    while unsafe Glibc.read(raw, &info, size) == size {
      if counts(info) { return (Int32(info.ssi_signo), info.ssi_code == 0x80) }
    }
    return nil
  }

  private func counts(_ info: signalfd_siginfo) -> Bool {
    let number = Int32(info.ssi_signo)
    // SI_USER, SI_QUEUE and SI_TKILL are not above 0 (sigaction(2)).
    return !isPassedOn || info.ssi_code > 0 || number == SIGCONT || number == SIGWINCH
  }
}
