/// The program's output since it was started, while the cursor's place at the start is not known.
///
/// A terminal at the end of a slow link says only after a while where its cursor was. With the bytes that were
/// passed meanwhile the screen model can be computed again from that place on.
struct StartupOutput: ~Copyable {
  /// More bytes than that are not kept. Memory is used for as many as there are.
  static let limit = 1 << 20

  /// The size of the terminal at the start.
  let size: Size
  private let bytes = UncheckedBuffer<UInt8>(zeroed: StartupOutput.limit)
  private(set) var count = 0
  /// The bytes up to there are plain output (`UncheckedBytes.plainOutput`).
  private var plainCount = 0
  /// Whether a CR was among them, from which on the column is known.
  private var hasColumn = false
  /// Line feeds in the plain output after the first CR.
  private var lineFeeds = 0

  init(size: Size) { self.size = size }

  /// Whether everything that the screen shows now was printed after the first CR, wherever the cursor was at
  /// the start: all lines from before have scrolled off, and so has the line with that CR.
  var hasScrolledOff: Bool { lineFeeds >= 2 * size.rows }

  /// Adds bytes.
  ///
  /// - Returns: false if there is no room for them.
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

  /// An unfinished sequence at the end is looked at again with the next bytes; a longer one is none.
  private static let unfinishedLimit = 64

  /// The first bytes, valid while it lives.
  func prefix(_ length: Int) -> UnsafeRawBufferPointer { unsafe bytes.rawBytes(length) }
}
