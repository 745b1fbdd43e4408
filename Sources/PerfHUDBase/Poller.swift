import CLinux
import Glibc

/// The set of descriptors that a thread sleeps on. Waiting allocates nothing.
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

  /// Removes the slot's descriptor from the set, or replaces it.
  package mutating func replace(_ descriptor: Int32?, slot: Int) {
    unsafe entries[slot].fd = descriptor ?? -1
    unsafe entries[slot].revents = 0
  }

  /// Sleeps until a descriptor is ready or the deadline passes.
  ///
  /// An interrupted sleep ends early, with nothing ready.
  /// - Parameter deadline: `nil` for none.
  /// - Returns: whether a descriptor is ready.
  @discardableResult
  package mutating func wait(until deadline: Instant?, now: Instant) -> Bool {
    let timeout = deadline.map { max(0, $0.nanoseconds(since: now)) } ?? -1
    let ready = unsafe perfhud_ppoll(entries, UInt32(count), timeout)
    if ready < 0 {
      // EINTR, or ENOMEM under pressure; any other error would be a bug in this file.
      precondition(errno == EINTR || errno == ENOMEM || errno == EAGAIN, "ppoll")
      for slot in 0..<count { unsafe entries[slot].revents = 0 }
    }
    return ready > 0
  }

  /// Whether the descriptor can be read or written, or has an error or hang-up.
  package func isReady(_ slot: Int) -> Bool { unsafe entries[slot].revents != 0 }

  /// What happened on the slot: `POLLIN`, `POLLHUP`, ….
  package func events(_ slot: Int) -> Int32 { unsafe Int32(entries[slot].revents) }
}
