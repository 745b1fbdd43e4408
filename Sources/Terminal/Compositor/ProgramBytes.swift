import CProcess

/// The program's bytes on their way to the terminal: a buffer, into which the pty is read.
///
/// The bytes at its start are still needed: they are held back, because they are not modeled or belong to an unfinished
/// sequence, or passthrough has sent them before they were modeled.
struct ProgramBytes: ~Copyable {
  private let buffer: UncheckedBuffer<UInt8>
  /// Whether the buffer is shared with the supervisor, which has to know what is in it.
  let isShared: Bool
  /// The number of bytes at the start of the buffer that are still needed.
  private(set) var held = 0
  /// The number of these bytes that are modeled.
  private(set) var modeled = 0
  /// The number of these bytes that were sent to the terminal. Greater than `modeled` during passthrough; otherwise 0.
  private(set) var sent = 0
  /// The number of bytes of the program that were passed.
  private(set) var passed: UInt64 = 0

  /// - Parameter isShared: whether the bytes have to outlive this process, if that is possible.
  init(isShared: Bool) {
    let room =
      max(Compositor.heldLimit, Compositor.passthroughLimit + Compositor.chunk) + Compositor.chunk
    if isShared, let shared = unsafe perfhud_journal_buffer() {
      buffer = unsafe UncheckedBuffer(sharing: shared, count: room)
      self.isShared = true
    } else {
      buffer = UncheckedBuffer(zeroed: room)
      self.isShared = false
    }
  }

  @inline(__always) subscript(index: Int) -> UInt8 { buffer[index] }

  /// The first bytes.
  @inline(__always) func rawBytes(_ length: Int) -> UnsafeRawBufferPointer {
    unsafe buffer.rawBytes(length)
  }

  /// Where to put the next bytes: room for at least `Compositor.chunk` bytes.
  var space: UnsafeMutableRawBufferPointer { unsafe buffer.rawSpace(from: held, Compositor.chunk) }

  /// Where the buffer is, for the supervisor.
  var base: UnsafePointer<UInt8>? {
    unsafe UnsafePointer(
      buffer.rawSpace(from: 0, buffer.count).assumingMemoryBound(to: UInt8.self).baseAddress)
  }

  /// Whether bytes were sent that are not modeled yet.
  var hasModelLag: Bool { sent > modeled }

  /// Adds bytes that have just been put into `space` to the output since the start, which becomes `nil` if they do not
  /// fit.
  func copyNew(_ count: Int, to output: inout StartupOutput?) {
    guard output != nil else { return }
    if output?.add(buffer, from: held, count) != true { output = nil }
  }

  /// Takes bytes that were put into `space`.
  mutating func take(_ count: Int) {
    passed &+= UInt64(count)
    held += count
  }

  /// Notes that all bytes before an index are modeled and sent.
  mutating func noteModeledAndSent(before index: Int) {
    modeled = index
    sent = index
  }

  /// Notes that all bytes before an index are sent, but not that they are modeled.
  mutating func noteSent(before index: Int) { sent = index }

  /// Notes that the bytes that were sent are modeled.
  mutating func noteSentModeled() { modeled = sent }

  /// Notes that the model has forgotten the beginning of a sequence, which is all that was modeled.
  mutating func forgetModeled() { modeled = 0 }

  /// Moves bytes to the front of the buffer.
  func moveToFront(from start: Int, _ count: Int) { buffer.move(from: start, to: 0, count) }

  /// Sets how many bytes at the start of the buffer are needed, none of which are sent, and how many are modeled.
  mutating func hold(_ count: Int, modeled: Int) {
    held = count
    self.modeled = modeled
    sent = 0
  }

  /// Discards the bytes that were sent and modeled. The few others move to the front; the last checkpoint has a copy of
  /// them.
  mutating func discardModeled() {
    held -= sent
    moveToFront(from: sent, held)
    sent = 0
    modeled = 0
  }
}
