/// The field values of the last record of each kind in a block, from which the next record is predicted. Writer and
/// reader keep the same state.
struct FieldState: Sendable {
  /// Where the fields and groups of a kind are.
  private struct Extent: Equatable {
    var fields: Range<Int>
    var groups: Range<Int>
  }

  /// The data from which a field is predicted.
  private struct Field: BitwiseCopyable, Sendable {
    var value: UInt64 = 0
    /// The change from one record of the block to the next; in the first record, the one in `base`.
    var step: UInt64 = 0
    var width = CodeWidth()
  }

  private var fields: [Field]
  private(set) var texts: [[UInt8]]
  /// For each group of eight fields of a kind, the fields that its records contain; indexed by the kind's first group.
  var masks: [UInt8]
  /// Whether the block has a record of a kind; indexed by the offset of the kind's fields.
  private var hasRecord: [Bool]
  /// The kinds for which the block has, or has begun, records, and those of `base`.
  private var used: [Extent] = []
  // For the current record:
  /// The time since the previous record of its kind, and by how much its own time differs from the expected one; in
  /// nanoseconds.
  private var elapsed: UInt64 = 0
  private var surprise: UInt64 = 0
  /// The preceding field, in the last record and in this one.
  private var neighborBefore: UInt64 = 0
  private var neighbor: UInt64 = 0
  /// The values of a kind's fields at the start of a block.
  private var base: (extent: Extent, fields: [Field], texts: [[UInt8]], masks: [UInt8])?

  init(fieldCount: Int, groupCount: Int) {
    fields = Array(repeating: Field(), count: fieldCount)
    masks = Array(repeating: 0, count: groupCount)
    hasRecord = Array(repeating: false, count: fieldCount + 1)
    texts = Array(repeating: [], count: fieldCount)
  }

  /// Makes the current state of a kind the one that each block starts with.
  mutating func setBase(_ kind: Schema.Kind) {
    let extent = Extent(fields: kind.range, groups: kind.groupRange)
    base = (
      extent, Array(fields[kind.range]), Array(texts[kind.range]), Array(masks[kind.groupRange])
    )
    begin(kind)
  }

  /// Starts a block. Complexity: linear in the fields of the kinds that the previous block had.
  mutating func reset() {
    for extent in used {
      hasRecord[extent.fields.lowerBound] = false
      if let base, base.extent == extent {
        restore(base.fields, base.texts, base.masks, extent)
        continue
      }
      for index in extent.fields {
        fields[index] = Field()
        if !texts[index].isEmpty { texts[index].removeAll(keepingCapacity: true) }
      }
      for index in extent.groups { masks[index] = 0 }
    }
    used.removeAll(keepingCapacity: true)
  }

  private mutating func restore(
    _ old: [Field], _ oldTexts: [[UInt8]], _ oldMasks: [UInt8], _ extent: Extent
  ) {
    for index in old.indices {
      let slot = extent.fields.lowerBound + index
      fields[slot] = old[index]
      if texts[slot] != oldTexts[index] { setText(oldTexts[index], at: slot) }
    }
    for index in oldMasks.indices { masks[extent.groups.lowerBound + index] = oldMasks[index] }
  }

  /// Begins a record of a kind.
  mutating func begin(_ kind: Schema.Kind) {
    guard !hasRecord[kind.offset] else { return }
    let extent = Extent(fields: kind.range, groups: kind.groupRange)
    if !used.contains(extent) { used.append(extent) }
  }

  func value(_ index: Int) -> UInt64 { fields[index].value }

  /// The expected value of a field.
  ///
  /// - Parameters:
  ///   - start: the first time of the block.
  @inline(__always) func prediction(
    _ type: FieldType, at index: Int, kind offset: Int, start: UInt64
  ) -> UInt64 {
    let field = fields[index]
    return switch type {
    case .time: hasRecord[offset] ? field.value &+ field.step : start
    case .steady: field.value &+ field.step
    case .clock: field.value &+ elapsed
    case .late: field.value &+ field.step &+ surprise
    case .beside where index > offset: field.value &+ (neighbor &- neighborBefore)
    case .twin where index > offset && field.value == neighborBefore: neighbor
    case .same, .real, .text, .held, .beside, .twin: field.value
    }
  }

  /// - Parameter difference: the difference from the prediction.
  @inline(__always) mutating func set(
    _ value: UInt64, at index: Int, _ type: FieldType, kind offset: Int, difference: UInt64
  ) {
    let before = fields[index].value
    if index == offset {
      let isTime = type == .time
      elapsed = isTime ? value &- before : 0
      surprise = isTime && hasRecord[offset] ? difference : 0
    }
    (neighborBefore, neighbor) = (before, value)
    if hasRecord[offset] { fields[index].step = value &- before }
    fields[index].value = value
  }

  /// The number of low bits of the next difference of a field; negative in the first record of a block.
  @inline(__always) func low(_ index: Int, kind offset: Int) -> Int {
    hasRecord[offset] ? fields[index].width.low : -1
  }

  /// Clears the masks, because the first record of `base` includes fields that seldom change.
  mutating func forgetMasks() {
    for index in masks.indices { masks[index] = 0 }
  }

  /// The first record of a block, which is far from `base`, says nothing about later differences.
  @inline(__always) mutating func note(difference: UInt64, at index: Int, kind offset: Int) {
    if hasRecord[offset] { fields[index].width.note(difference) }
  }

  mutating func setText(_ text: [UInt8], at index: Int) {
    texts[index].removeAll(keepingCapacity: true)
    texts[index].append(contentsOf: text)
  }

  mutating func endRecord(kind offset: Int) { hasRecord[offset] = true }
}
