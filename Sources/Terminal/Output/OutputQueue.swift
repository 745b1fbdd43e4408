import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// The only way out to a terminal: bytes wait here until the terminal takes them, and nothing blocks.
///
/// Bytes leave in the order in which they were appended. A caller that finds `isAboveHighWater` skips its frame (or
/// stops reading a pty) instead of piling up output that nobody will see. The memory is reused: once it has grown to
/// the size of the largest frame, nothing is allocated.
///
/// It cannot be copied: a copy would send the same bytes twice.
@safe package struct OutputQueue: ByteSink, ~Copyable {
  /// If more bytes than this wait, they are at least one frame that the terminal has not begun to take.
  package static let highWater = 64 << 10
  /// How many bytes a terminal in blocking mode is given at once; see `flush`.
  package static let blockingPiece = 256
  /// How many bytes are given at once to something without a reader that could stop, such as a file.
  package static let filePiece = 4096

  @usableFromInline var memory: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  /// The number of bytes in memory, including those that were written.
  @usableFromInline package var end = 0
  /// The index of the first byte that has not been written.
  private var head = 0
  /// Whether the memory is shared with the supervisor.
  private var isShared = false
  /// The number of bytes that the descriptor has taken since the queue was made.
  package private(set) var totalBytes: UInt64 = 0

  /// - Parameter isShared: whether the bytes outlive this process, so that its supervisor can write the rest. There can
  ///   be one such queue; without a supervisor it is an ordinary one.
  package init(isShared: Bool = false) {
    if isShared, let shared = unsafe perfhud_journal_queue() {
      capacity = Int(PERFHUD_JOURNAL_QUEUE)
      unsafe memory = shared
      self.isShared = true
    } else {
      capacity = OutputQueue.highWater
      unsafe memory = .allocate(capacity: capacity)
    }
  }

  deinit { if !isShared { unsafe memory.deallocate() } }

  /// The number of waiting bytes.
  package var count: Int { end - head }
  package var isEmpty: Bool { head == end }
  /// The value of `totalBytes` when the byte at index 0 of the memory was added.
  var base: UInt64 { totalBytes &- UInt64(head) }
  /// The number of bytes in the memory shared with the supervisor; greater than any possible number if none is shared.
  var sharedEnd: UInt64 { isShared ? UInt64(end) : .max }
  /// Whether more than `highWater` bytes wait: add no further frame until some of them have gone.
  package var isAboveHighWater: Bool { count > OutputQueue.highWater }

  @inlinable package mutating func append(_ byte: UInt8) {
    if end == capacity { grow(by: 1) }
    unsafe memory[end] = byte
    end &+= 1
  }

  /// Appends bytes, verbatim.
  package mutating func append(_ more: UnsafeRawBufferPointer) {
    guard let source = more.baseAddress, more.count > 0 else { return }
    if more.count > capacity - end { grow(by: more.count) }
    unsafe UnsafeMutableRawPointer(memory + end).copyMemory(from: source, byteCount: more.count)
    end += more.count
  }

  /// Makes room. Once the queue has outgrown the shared memory, it is no longer shared with the supervisor.
  @usableFromInline mutating func grow(by more: Int) {
    let room = max(2 * capacity, end + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: room)
    unsafe larger.update(from: memory, count: end)
    if !isShared { unsafe memory.deallocate() }
    isShared = false
    unsafe memory = larger
    capacity = room
  }

  /// Appends bytes, verbatim.
  package mutating func append(_ more: RawSpan) {
    unsafe more.withUnsafeBytes { unsafe append($0) }
  }

  /// Appends bytes, verbatim.
  package mutating func append(_ more: [UInt8]) {
    unsafe more.withUnsafeBytes { unsafe append($0) }
  }

  /// Appends text that is known at compile time.
  package mutating func append(_ text: StaticString) {
    unsafe append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends text. Text from outside must have been through `SafeText`.
  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends the first bytes of a block.
  mutating func append(_ block: borrowing UncheckedBuffer<UInt8>, first length: Int) {
    unsafe append(block.rawBytes(length))
  }

  /// Appends a character beyond ASCII in UTF-8; U+FFFD if it is not a character.
  mutating func append(scalar: UInt32) {
    func continuation(_ shift: UInt32) -> UInt8 {
      0x80 | UInt8(truncatingIfNeeded: scalar >> shift) & 0x3F
    }
    guard scalar &- 0xD800 >= 0x800, scalar <= 0x10_FFFF else { return append("\u{FFFD}") }
    if scalar < 0x800 {
      append(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
    } else {
      if scalar < 0x1_0000 {
        append(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
      } else {
        append(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18))
        append(continuation(12))
      }
      append(continuation(6))
    }
    append(continuation(0))
  }

  /// Discards the waiting bytes, for a terminal that has gone.
  package mutating func removeAll() {
    end = 0
    head = 0
  }

  /// The waiting bytes, valid until the queue is changed.
  func waiting() -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: memory + head, count: count)
  }

  /// A copy of the waiting bytes.
  package var bytes: [UInt8] {
    unsafe Array(waiting())
  }

  /// Writes what the descriptor takes now and keeps the rest.
  ///
  /// - Parameters:
  ///   - descriptor: set to `O_NONBLOCK`, as `TTY` opens it.
  ///   - mayBlock: whether the descriptor has to stay in blocking mode. If so, it is polled before each write and given
  ///     at most `piece` bytes, since a terminal that has room does not report how much. If the terminal stops within
  ///     such a piece, the caller blocks until it continues.
  ///   - piece: `blockingPiece`, or more if the descriptor reports how much it takes.
  /// - Returns: the number of bytes taken; 0 while the descriptor takes none, which is not an error.
  /// - Throws: `EIO` or `EPIPE` when the terminal has gone. Unwritten bytes stay in the queue.
  ///
  /// Source: `write(2)`, `poll(2)`.
  @discardableResult
  package mutating func flush(
    to descriptor: Int32, mayBlock: Bool = false, piece: Int = OutputQueue.blockingPiece
  ) throws(Errno) -> Int {
    var taken = 0
    defer { compact() }
    while head < end {
      let limit = mayBlock ? min(count, piece) : count
      if mayBlock, !OutputQueue.isWritable(descriptor) { break }
      let wrote = unsafe perfhud_journal_write(descriptor, memory + head, limit)
      if wrote < 0 {
        let code = Errno(rawValue: errno)
        if code == .interrupted { continue }
        if code == .resourceTemporarilyUnavailable { break }
        throw code
      }
      if wrote == 0 { break }
      head += wrote
      taken += wrote
      totalBytes &+= UInt64(wrote)
      // The descriptor is full; trying again would cost a call.
      if wrote < limit { break }
    }
    return taken
  }

  /// Moves the rest to the front once at least as much has been written as is left, so that each byte is moved once on
  /// average. In shared memory it stays where the supervisor looks for it.
  private mutating func compact() {
    if isEmpty {
      removeAll()
    } else if head >= count, !isShared {
      unsafe memory.update(from: memory + head, count: count)
      end -= head
      head = 0
    }
  }

  private static func isWritable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&entry, 1, 0) > 0
  }
}
