/// A column of the packed entries: each number is expected to be near the mean.
struct ActivityColumn: BitwiseCopyable, Sendable {
  private(set) var mean: UInt64 = 0
  private var isEmpty = true
  private var width = CodeWidth()

  /// The number of low bits of the next difference; negative before there was one.
  @inline(__always) var low: Int { isEmpty ? -1 : width.low }

  /// The first number, which could not be predicted, says nothing about later differences.
  @inline(__always) mutating func note(difference: UInt64) {
    if !isEmpty { width.note(difference) }
  }

  /// Moves the mean an eighth of the way to the number.
  @inline(__always) mutating func note(_ value: UInt64) {
    guard !isEmpty else {
      (mean, isEmpty) = (value, false)
      return
    }
    mean &+= UInt64(bitPattern: Int64(bitPattern: value &- mean) >> 3)
  }

  mutating func write(_ difference: UInt64, _ bits: inout BitWriter) {
    bits.append(difference, low: low)
    note(difference: difference)
  }

  @inline(__always) mutating func read(_ bits: inout BitReader) -> UInt64 {
    let difference = bits.number(low: low)
    note(difference: difference)
    return difference
  }
}

/// The data from which the packed entries of a block are predicted. Writer and reader keep the same state.
struct ActivityState: Sendable {
  /// For each series of times, the last one in whole microseconds, and the steps between them.
  private var lasts = InlineArray<4, UInt64>(repeating: 0)
  private var steps = InlineArray<4, ActivityColumn>(repeating: ActivityColumn())
  private var hasLast = InlineArray<4, Bool>(repeating: false)
  /// The columns for the numbers of entries: by `ActivityCode.firstColumn`.
  private var columns = InlineArray<5, ActivityColumn>(repeating: ActivityColumn())
  /// The mark that last followed each mark.
  private var followers = InlineArray<32, UInt8>(repeating: 0)
  private(set) var mark: UInt8 = 0
  /// The time of the last entry in whole microseconds.
  private(set) var time: UInt64 = 0

  /// The bits of a mark: a code, and `sameTime`.
  static let markBits = 5
  /// If a mark has this bit, the entry has the same time as the previous one.
  static let sameTime: UInt8 = 16

  /// Starts a block.
  mutating func reset(microseconds: UInt64) {
    self = ActivityState()
    time = microseconds
    for series in lasts.indices { lasts[series] = microseconds }
  }

  /// The expected next mark.
  @inline(__always) var expectedMark: UInt8 { followers[Int(mark)] }

  /// - Parameter next: less than 32.
  @inline(__always) mutating func set(mark next: UInt8) {
    followers[Int(mark)] = next
    mark = next
  }

  @inline(__always) mutating func set(_ microseconds: UInt64, _ series: Int) {
    if hasLast[series] { steps[series].note(microseconds &- lasts[series]) }
    lasts[series] = microseconds
    hasLast[series] = true
    time = microseconds
  }

  // MARK: Writing

  mutating func write(_ microseconds: UInt64, series: Int, _ bits: inout BitWriter) {
    let expected = lasts[series] &+ steps[series].mean
    steps[series].write(zigzag(microseconds &- expected), &bits)
  }

  mutating func write(_ value: UInt64, column: Int, _ bits: inout BitWriter) {
    columns[column].write(zigzag(value &- columns[column].mean), &bits)
    columns[column].note(value)
  }

  // MARK: Reading

  @inline(__always) mutating func readTime(series: Int, _ bits: inout BitReader) -> UInt64 {
    let expected = lasts[series] &+ steps[series].mean
    return expected &+ unzigzag(steps[series].read(&bits))
  }

  @inline(__always) mutating func read(column: Int, _ bits: inout BitReader) -> UInt64 {
    let value = columns[column].mean &+ unzigzag(columns[column].read(&bits))
    columns[column].note(value)
    return value
  }
}
