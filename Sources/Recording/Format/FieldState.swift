/// The values of the fields of all kinds, as of the last record of each kind in a block: what the next one is
/// predicted from. Writer and reader keep the same.
struct FieldState: Sendable {
  private(set) var values: [UInt64]
  /// The values one record earlier, for `time` and `steady`.
  private var before: [UInt64]
  /// How many records of a kind the block has had; by the offset of the kind's fields.
  private var counts: [UInt8]
  private(set) var texts: [[UInt8]]
  /// Of the present record: the time since the one of its kind before, and by how much its time differs from what was
  /// expected; in nanoseconds.
  private var elapsed: UInt64 = 0
  private var surprise: UInt64 = 0
  /// What the fields of a kind have at the start of a block.
  private var base: (offset: Int, values: [UInt64], texts: [[UInt8]])?

  init(fieldCount: Int) {
    values = Array(repeating: 0, count: fieldCount)
    before = values
    counts = Array(repeating: 0, count: fieldCount + 1)
    texts = Array(repeating: [], count: fieldCount)
  }

  /// Makes the present values of a kind those that each block starts with.
  mutating func setBase(_ kind: Schema.Kind) {
    let range = kind.offset..<kind.offset + kind.fields.count
    base = (kind.offset, Array(values[range]), Array(texts[range]))
  }

  /// The start of a block.
  mutating func reset() {
    for index in values.indices {
      values[index] = 0
      before[index] = 0
      if !texts[index].isEmpty { texts[index].removeAll(keepingCapacity: true) }
    }
    for index in counts.indices { counts[index] = 0 }
    guard let base else { return }
    for index in base.values.indices {
      values[base.offset + index] = base.values[index]
      before[base.offset + index] = base.values[index]
      texts[base.offset + index].append(contentsOf: base.texts[index])
    }
  }

  /// What a field is expected to have.
  ///
  /// - Parameters:
  ///   - start: the first time of the block.
  @inline(__always) func prediction(
    _ type: FieldType, at index: Int, kind offset: Int, start: UInt64
  ) -> UInt64 {
    let step = counts[offset] < 2 ? 0 : values[index] &- before[index]
    return switch type {
    case .time: counts[offset] == 0 ? start : values[index] &+ step
    case .steady: values[index] &+ step
    case .clock: values[index] &+ elapsed
    case .late: values[index] &+ step &+ surprise
    case .beside where index > offset: values[index] &+ (values[index - 1] &- before[index - 1])
    case .beside: values[index]
    case .same, .real, .text: values[index]
    }
  }

  /// - Parameter difference: to the prediction.
  @inline(__always) mutating func set(
    _ value: UInt64, at index: Int, _ type: FieldType, kind offset: Int, difference: UInt64
  ) {
    if index == offset {
      let isTime = type == .time
      elapsed = isTime ? value &- values[index] : 0
      surprise = isTime && counts[offset] > 1 ? difference : 0
    }
    before[index] = values[index]
    values[index] = value
  }

  mutating func setText(_ text: [UInt8], at index: Int) {
    texts[index].removeAll(keepingCapacity: true)
    texts[index].append(contentsOf: text)
  }

  /// A record of a kind is complete.
  mutating func endRecord(kind offset: Int) {
    if counts[offset] < 2 { counts[offset] += 1 }
  }
}

/// The times of packed entries, in whole microseconds: what the next one is predicted from.
struct ActivityTimes: Sendable {
  private var last: [UInt64] = Array(repeating: 0, count: ActivityCode.seriesCount)
  /// The mean time from one to the next.
  private var step: [Int64] = Array(repeating: 0, count: ActivityCode.seriesCount)
  private var hasLast: [Bool] = Array(repeating: false, count: ActivityCode.seriesCount)

  /// The start of a block.
  mutating func reset(microseconds: UInt64) {
    for index in last.indices {
      (last[index], step[index], hasLast[index]) = (microseconds, 0, false)
    }
  }

  func prediction(_ series: Int) -> UInt64 { last[series] &+ UInt64(bitPattern: step[series]) }

  mutating func set(_ microseconds: UInt64, _ series: Int) {
    if hasLast[series] {
      let found = Int64(bitPattern: microseconds &- last[series])
      step[series] = step[series] == 0 ? found : step[series] &+ (found &- step[series]) >> 3
    }
    last[series] = microseconds
    hasLast[series] = true
  }
}
