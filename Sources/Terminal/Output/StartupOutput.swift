/// The program's output since its start, while the cursor's position at the start is unknown.
///
/// Over a slow link, the terminal reports its cursor position only after a while. With the bytes that have passed
/// meanwhile the screen model can be computed again from that position.
struct StartupOutput: ~Copyable {
  /// At most this many bytes are kept. Memory is used only for those that there are.
  static let limit = 1 << 20

  /// The size of the terminal at the start.
  let size: Size
  private let bytes = UncheckedBuffer<UInt8>(zeroed: StartupOutput.limit)
  private(set) var count = 0
  /// The bytes up to this index are plain output (`UncheckedBytes.plainOutput`).
  private var plainCount = 0
  /// Whether it contained a CR, after which the column is known.
  private var hasColumn = false
  /// The number of line feeds in the plain output after the first CR.
  private var lineFeeds = 0

  init(size: Size) { self.size = size }

  /// Whether everything on the screen was printed after the first CR, wherever the cursor was at the start: all earlier
  /// lines have scrolled off, and so has the line with that CR.
  var hasScrolledOff: Bool { lineFeeds >= 2 * size.rows }

  /// Adds bytes.
  ///
  /// - Returns: false if they do not fit.
  mutating func add(_ source: borrowing UncheckedBuffer<UInt8>, from start: Int, _ length: Int)
    -> Bool
  {
    guard count + length <= StartupOutput.limit else { return false }
    bytes.copy(from: source, start, to: count, length)
    let isPlain = plainCount == count || count - plainCount <= StartupOutput.unfinishedLimit
    count += length
    guard isPlain, let view = unsafe UncheckedBytes(bytes.rawBytes(count)) else { return true }
    let end = view.plainOutput(from: plainCount, to: count).end
    for index in plainCount..<end {
      if bytes[index] == 0x0D { hasColumn = true }
      if bytes[index] == 0x0A, hasColumn { lineFeeds += 1 }
    }
    plainCount = end
    return true
  }

  /// An unfinished sequence at the end is scanned again with the next bytes; a longer one does not count as a sequence.
  private static let unfinishedLimit = 64

  /// The first bytes, valid while it lives.
  func prefix(_ length: Int) -> UnsafeRawBufferPointer { unsafe bytes.rawBytes(length) }
}
