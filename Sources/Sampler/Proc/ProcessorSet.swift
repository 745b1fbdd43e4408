import PerfHUDBase

/// A set of processors, by their numbers.
struct ProcessorSet: BitwiseCopyable, Sendable, Equatable {
  /// The largest number of processors that Linux can be built for.
  static let capacity = 8192

  private var words = InlineArray<128, UInt64>(repeating: 0)

  /// Parses a list such as `0-3,8`, up to the first byte that does not belong to one.
  ///
  /// `nil` without a number, or if a range runs backwards, or a number is too large.
  init?(list bytes: RawSpan, at position: Int = 0) {
    var cursor = FieldCursor(position: position)
    repeat {
      guard let first = cursor.nextUnsigned(in: bytes) else { return nil }
      var last = first
      if cursor.take("-", in: bytes) {
        guard let end = cursor.nextUnsigned(in: bytes) else { return nil }
        last = end
      }
      guard first <= last, last < UInt64(ProcessorSet.capacity) else { return nil }
      for number in Int(first)...Int(last) { words[number >> 6] |= 1 << UInt64(number & 63) }
    } while cursor.take(",", in: bytes)
  }

  var count: Int {
    var total = 0
    for index in words.indices { total += words[index].nonzeroBitCount }
    return total
  }

  /// Keeps only the processors that are in both sets.
  mutating func formIntersection(_ other: ProcessorSet) {
    for index in words.indices { words[index] &= other.words[index] }
  }

  static func == (a: ProcessorSet, b: ProcessorSet) -> Bool {
    for index in a.words.indices where a.words[index] != b.words[index] { return false }
    return true
  }
}
