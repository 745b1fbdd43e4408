import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// The one way out to a terminal: bytes wait here until the terminal takes them, and nobody blocks.
///
/// The order of bytes is the order of appending. A caller that finds `isAboveHighWater` skips its
/// frame (or stops reading a pty) instead of piling up what nobody will see. The memory is kept:
/// once it has grown to the size of the largest frame, nothing is allocated.
///
/// It cannot be copied: a copy would send the same bytes twice.
@safe package struct OutputQueue: ByteSink, ~Copyable {
  /// More waiting bytes than this are at least a frame that the terminal has not begun to take.
  package static let highWater = 64 << 10
  /// What a terminal in blocking mode is given at once, see `flush`.
  package static let blockingPiece = 256
  /// What is given at once to what has no reader that could stop, such as a file.
  package static let filePiece = 4096

  @usableFromInline var memory: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  /// The number of bytes in the memory, with those that were written.
  @usableFromInline package var end = 0
  /// The first byte that has not been written.
  private var head = 0
  /// Whether the memory is the supervisor's too.
  private var isShared = false
  /// All bytes that a descriptor has taken since the queue was made.
  package private(set) var totalBytes: UInt64 = 0

  /// - Parameter isShared: whether the bytes outlive this process, so that its supervisor can write the rest. There
  ///   can be one of these queues; without a supervisor it is one like any other.
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

  /// How many bytes wait.
  package var count: Int { end - head }
  package var isEmpty: Bool { head == end }
  /// What the descriptor had taken when the byte at place 0 of the memory was added.
  var base: UInt64 { totalBytes &- UInt64(head) }
  /// The number of bytes in the memory that the supervisor shares; more than there can be if it shares none.
  var sharedEnd: UInt64 { isShared ? UInt64(end) : .max }
  /// Whether more than `highWater` bytes wait: add no further frame before some of them have gone.
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

  /// Makes room. What has outgrown the shared memory is the supervisor's no longer.
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
  mutating func append(_ more: [UInt8]) { unsafe more.withUnsafeBytes { unsafe append($0) } }

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

  /// Appends a character beyond ASCII in UTF-8; U+FFFD for what is none.
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

  /// Forgets what waits, for a terminal that has gone.
  package mutating func removeAll() {
    end = 0
    head = 0
  }

  /// The bytes that wait, valid until the queue is changed.
  func waiting() -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: memory + head, count: count)
  }

  /// A copy of the bytes that wait.
  package var bytes: [UInt8] {
    unsafe Array(waiting())
  }

  /// Writes what the descriptor takes now and keeps the rest.
  ///
  /// - Parameters:
  ///   - descriptor: set to `O_NONBLOCK`, as `TTY` opens it.
  ///   - mayBlock: for a descriptor that has to stay in blocking mode: it is asked before each
  ///     write, and given at most `piece` bytes, since a terminal that says it has room
  ///     does not say how much. A terminal that stops within such a piece holds the caller up until
  ///     it goes on.
  ///   - piece: `blockingPiece`, or more where the descriptor says how much it takes.
  /// - Returns: the number of bytes taken; 0 while the descriptor takes none, which is no error.
  /// - Throws: `EIO` or `EPIPE` when the terminal has gone. What was not written stays.
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
      // It is full: to ask again would cost a call.
      if wrote < limit { break }
    }
    return taken
  }

  /// Moves the rest to the front when at least as much has gone as is left, so that a byte is moved
  /// once on average. In shared memory it stays where the supervisor looks for it.
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
