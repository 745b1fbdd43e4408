import PerfHUDBase

/// The contents of the program's own sequences (OSC 7337), one line each, until they are taken. Everything that one
/// `pass` can bring fits.
struct OwnSequences: ~Copyable {
  private let lines = UncheckedBuffer<UInt8>(zeroed: Compositor.chunk)
  private var length = 0
  /// The number of sequences that were removed from the program's output.
  private(set) var received = 0
  /// The number of them that were not kept: too long, or not taken in time.
  private(set) var lost = 0

  var isEmpty: Bool { length == 0 }

  /// Keeps the content of a sequence, if there is room for it.
  mutating func add(_ text: RawSpan) {
    received += 1
    let count = text.byteCount
    guard count < Screen.ownLimit, length + count < Compositor.chunk else {
      lost += 1
      return
    }
    for index in 0..<count { lines[length + index] = FieldCursor.byte(at: index, in: text) }
    lines[length + count] = 0x0A
    length += count + 1
  }

  /// Hands over the contents since the last call, one line each with its line end.
  mutating func take(_ body: (RawSpan) -> Void) {
    guard length > 0 else { return }
    let all = unsafe lines.rawBytes(length)
    var start = 0
    for index in 0..<length where lines[index] == 0x0A {
      body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: all[start...index])))
      start = index + 1
    }
    length = 0
  }
}
