import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// Decodes the bytes of a block to records. Fields are found by their names in the file's schema, so files of older and
/// newer versions are read as far as they are understood.
struct RecordDecoder: FieldVisitor {
  static var isReading: Bool { true }

  private let schema: Schema
  /// The file's kinds by number.
  private var kinds: [Int: KnownKind] = [:]
  private var state: FieldState
  private var start: UInt64 = 0
  /// The batches that have not been begun.
  private var block = ByteReader([])
  /// The current batch; `nil` before the first one.
  private var batchKind: KnownKind?
  private var batch = BitReader()
  /// The number of records left in it.
  private var batchCount: UInt64 = 0
  /// Frames and output, and the places of records between them.
  private var activity = BitReader()
  private var activityState = ActivityState()
  private var activityCount: UInt64 = 0
  /// The frame of an entry that also contains output.
  private var heldFrame: Activity?
  private var lastReport: Event?
  /// A sample before its fields are read: copying it is faster than creating one.
  private let blank = Sample()
  private var list = ListAssembly()
  /// The end of the run, once it has been read.
  private(set) var end: RecordingEnd?
  /// The number of records skipped because their kind is unknown.
  private(set) var unknownRecords = 0

  // For the record being read.
  var text: [UInt8] = []
  private var slots: [Int] = []
  private var index = 0

  /// A kind of the file.
  private final class KnownKind: Sendable {
    let shape: Schema.Kind
    let kind: RecordKind?
    /// Where the values of the fields of `kind` are; -1 if the file lacks the field.
    let slots: [Int]
    let types: [FieldType]
    let grains: [UInt64]
    /// For each group of eight fields, those that change even if they equal their prediction, or whose step the next
    /// field uses. The others keep their value, and their previous value is not needed.
    let moving: [UInt8]
    let isKnown: Bool

    static let unknown = KnownKind(Schema.Kind(number: 0, name: ""), nil, slots: [])

    init(_ shape: Schema.Kind, _ kind: RecordKind?, slots: [Int]) {
      (self.shape, self.kind, self.slots, isKnown) = (shape, kind, slots, shape.isKnown)
      types = shape.fields.map { $0.type ?? .same }
      grains = shape.fields.map(\.grain)
      var moving = [UInt8](repeating: 0, count: shape.groups)
      for (index, type) in types.enumerated() {
        let stays = type == .same || type == .real || type == .text
        let next = index + 1 < types.count ? types[index + 1] : .same
        let isStepUsed = next == .beside || next == .twin
        if index == 0 && type != .text || !stays || isStepUsed && type != .text {
          moving[index >> 3] |= 1 << UInt8(index & 7)
        }
      }
      self.moving = moving
    }
  }

  init(_ schema: Schema) {
    self.schema = schema
    state = FieldState(fieldCount: schema.fieldCount, groupCount: schema.groupCount)
    for shape in schema.kinds {
      let kind = RecordKind.allCases.first { $0.name == shape.name }
      let own = kind.flatMap { Schema.current.kind($0.rawValue) }
      let slots = (own?.fields ?? []).map { field in
        let found = shape.fields.firstIndex {
          $0.name == field.name && $0.type?.isText == field.type?.isText
        }
        return found.map { shape.offset + $0 } ?? -1
      }
      kinds[shape.number] = KnownKind(shape, kind, slots: slots)
    }
  }

  /// Takes the state that each block starts from.
  mutating func setBase(_ bytes: [UInt8]) {
    begin(bytes, at: 0)
    var shape: Schema.Kind?
    while let kind = try? nextOfBatch() {
      if shape == nil { state.forgetMasks() }
      shape = kind.shape
    }
    if let shape { state.setBase(shape) }
  }

  /// Begins a block.
  ///
  /// - Parameters:
  ///   - bytes: the batches of the block.
  ///   - time: the first time of the block.
  mutating func begin(_ bytes: [UInt8], at time: UInt64) {
    block = ByteReader(
      bytes + [UInt8](repeating: 0, count: BitReader.padding), to: bytes.count)
    (batchKind, batchCount, activityCount, heldFrame) = (nil, 0, 0, nil)
    state.reset()
    start = time
    activityState.reset(microseconds: time / 1000)
    lastReport = nil
    let whole = block
    if let head = nextHead(), head.kind?.kind == .activity {
      (activity, activityCount) = (head.bits, head.count)
    } else {
      block = whole
    }
  }

  /// Notes that a block before this one is missing.
  mutating func noteGap() { list = ListAssembly() }

  /// The next record of the block; `nil` at its end.
  ///
  /// - Throws: if the batches are not valid.
  mutating func next() throws(DamagedBlock) -> Record? {
    var found = NextRecord()
    if let activity = try next(&found) { return .activity(activity) }
    return found.record
  }

  /// Returns the next packed entry, or sets the next record of the block. At the end, there is neither.
  ///
  /// - Parameter found: must be clear.
  /// - Throws: if the batches are not valid.
  mutating func next(_ found: inout NextRecord) throws(DamagedBlock) -> Activity? {
    if let frame = heldFrame.take() { return frame }
    while true {
      if activityCount > 0 {
        activityCount -= 1
        var isActivity = activity.bit()
        var mark = activityState.expectedMark
        if !isActivity, !activity.bit() {
          mark = UInt8(activity.number(bits: ActivityState.markBits))
          isActivity = true
        }
        if activity.isBeyondEnd { throw DamagedBlock() }
        if isActivity {
          if let entry = try nextActivity(mark, &found.other) { return entry }
          return nil
        }
      }
      guard let entry = try nextOfBatch() else { return nil }
      slots = entry.slots
      index = 0
      if entry.kind == .sample {
        found.sample = blank
        found.sample.visit(&self)
        found.isSample = true
        return nil
      }
      if let kind = entry.kind { found.other = record(kind) }
      if found.other != nil { return nil }
    }
  }

  /// As above, but entries up to a time are applied to a run.
  ///
  /// - Parameter last: set to the latest time of what was applied, if that is later.
  /// - Returns: the first entry after that time.
  mutating func next(
    _ found: inout NextRecord, foldingInto run: inout Run, last: inout Instant, until time: Instant
  ) throws(DamagedBlock) -> Activity? {
    while let entry = try next(&found) {
      if entry.time > time { return entry }
      last = max(last, entry.time)
      run.apply(activity: entry)
    }
    return nil
  }

  // MARK: Batches

  /// - Returns: `nil` if there is no room for one in the block.
  private mutating func nextHead() -> (kind: KnownKind?, bits: BitReader, count: UInt64)? {
    guard let number = block.varint(), let count = block.varint(), let length = block.length(),
      count <= UInt64(length) * 8
    else { return nil }
    let bits = BitReader(block.bytes, from: block.offset, count: length)
    block.skip(length)
    return (kinds[Int(clamping: number)], bits, count)
  }

  /// Reads the fields of the next record of any known kind.
  ///
  /// - Returns: its kind; `nil` at the end of the block.
  private mutating func nextOfBatch() throws(DamagedBlock) -> KnownKind? {
    while batchCount == 0 {
      if block.isAtEnd { return nil }
      guard let head = nextHead() else { throw DamagedBlock() }
      (batchKind, batch, batchCount) = (head.kind, head.bits, head.count)
    }
    batchCount -= 1
    guard let batchKind, batchKind.kind != nil, batchKind.isKnown else {
      unknownRecords += 1
      return KnownKind.unknown
    }
    guard readFields(batchKind) else { throw DamagedBlock() }
    return batchKind
  }

  // MARK: Records

  /// - Returns: `nil` for a sample, and for anything that is not a complete record.
  private mutating func record(_ kind: RecordKind) -> Record? {
    switch kind {
    case .memory:
      var memory = MemorySample()
      memory.visit(&self)
      return .memory(memory)
    case .processes:
      var head = ListHead()
      head.visit(&self)
      list = ListAssembly(head)
      return nil
    case .processRow:
      var row = ListRow()
      row.visit(&self)
      list.add(row)
      return nil
    case .mapping:
      var group = MappingGroup()
      group.visit(&self)
      return list.add(group).map { .processes($0) }
    case .event:
      var timed = TimedEvent()
      timed.visit(&self)
      if timed.event.kind == .frame {
        lastReport = timed.event
        activityState.set(timed.time.nanoseconds / 1000, ActivityCode.reportedFrame.series)
      }
      return .event(timed.event, timed.time)
    case .end:
      var end = RecordingEnd(time: Instant(nanoseconds: 0))
      end.visit(&self)
      self.end = end
      return nil
    case .sample, .activity: return nil
    default: return smallRecord(kind)
    }
  }

  /// - Parameter report: set if the entry is a frame reported by the program.
  /// - Returns: `nil` in that case.
  private mutating func nextActivity(
    _ mark: UInt8, _ report: inout Record?
  ) throws(DamagedBlock) -> Activity? {
    guard let code = ActivityCode(rawValue: mark & ~ActivityState.sameTime) else {
      throw DamagedBlock()
    }
    activityState.set(mark: mark)
    let microseconds =
      mark & ActivityState.sameTime != 0
      ? activityState.time : activityState.readTime(series: code.series, &activity)
    activityState.set(microseconds, code.series)
    let time = Instant(nanoseconds: microseconds &* 1000)
    let entry: Activity
    switch code {
    case .tickFrame: entry = .frame(time, .tick, missed: 0)
    case .terminalFrame: entry = .frame(time, .terminal, missed: 0)
    case .appFrame: entry = .frame(time, .app, missed: 0)
    case .mergedFrame: entry = .mergedFrame(time)
    case .updateFrame: entry = .updateFrame(time)
    case .output: entry = .output(bytes: readNumber(code), time)
    case .outputUpdate:
      activityState.set(microseconds, ActivityCode.updateFrame.series)
      entry = .output(bytes: readNumber(code), time)
      heldFrame = .updateFrame(time)
    case .outputFrame:
      activityState.set(microseconds, ActivityCode.terminalFrame.series)
      entry = .output(bytes: readNumber(code), time)
      heldFrame = .frame(time, .terminal, missed: 0)
    case .cells:
      entry = .cells(written: readNumber(code), unchanged: readNumber(code, 1), time)
    case .missedFrame:
      let source = UInt8(exactly: readNumber(code)).flatMap(FrameSource.init(rawValue:)) ?? .tick
      entry = .frame(time, source, missed: UInt32(clamping: readNumber(code, 1)))
    case .reportedFrame:
      guard var event = lastReport else { throw DamagedBlock() }
      event.sequence = event.sequence.map { $0 &+ 1 }
      lastReport = event
      report = .event(event, time)
      return nil
    }
    if activity.isBeyondEnd { throw DamagedBlock() }
    return entry
  }

  @inline(__always)
  private mutating func readNumber(_ code: ActivityCode, _ index: Int = 0) -> UInt64 {
    activityState.read(column: code.firstColumn + index, &activity)
  }

  // MARK: Fields

  /// Reads the fields of a record according to the file's schema.
  ///
  /// - Returns: whether all of them exist.
  private mutating func readFields(_ known: KnownKind) -> Bool {
    let shape = known.shape
    state.begin(shape)
    let isMore = !batch.bit()
    for group in 0..<known.moving.count {
      if isMore, batch.bit() {
        state.masks[shape.groupOffset + group] |= UInt8(batch.number(bits: 8))
      }
      let stored = state.masks[shape.groupOffset + group]
      var rest = stored | known.moving[group]
      while rest != 0 {
        let bit = rest.trailingZeroBitCount
        rest &= rest &- 1
        let index = group * 8 + bit
        guard index < known.types.count else { break }
        let slot = shape.offset + index
        let type = known.types[index]
        let isStored = stored >> UInt8(bit) & 1 == 1
        if type == .text {
          guard !isStored || readText(slot) else { return false }
          continue
        }
        let difference = isStored ? readDifference(slot, type, known, index) : 0
        let expected = state.prediction(type, at: slot, kind: shape.offset, start: start)
        state.set(
          expected &+ difference, at: slot, type, kind: shape.offset, difference: difference)
      }
    }
    state.endRecord(kind: shape.offset)
    return !batch.isBeyondEnd
  }

  private mutating func readDifference(
    _ slot: Int, _ type: FieldType, _ known: KnownKind, _ index: Int
  ) -> UInt64 {
    let offset = known.shape.offset
    let number = batch.number(low: state.low(slot, kind: offset))
    state.note(difference: number, at: slot, kind: offset)
    guard number != 0 else { return 0 }
    let grain = known.grains[index]
    let isWhole = grain == 1 || !batch.bit()
    let difference = unzigzag(type == .held ? number &- 1 : number)
    let scaled = isWhole ? difference &* grain : difference
    guard type == .held else { return scaled }
    return state.value(offset) &+ scaled &- state.value(slot)
  }

  /// - Returns: whether the text exists.
  private mutating func readText(_ slot: Int) -> Bool {
    guard batch.bit() else { return true }
    let length = batch.number(low: RecordEncoder.lengthBits)
    guard length <= UInt64(batch.bytesLeft) else { return false }
    state.setText((0..<length).map { _ in UInt8(batch.number(bits: 8)) }, at: slot)
    return true
  }

  private mutating func nextSlot() -> Int {
    defer { index += 1 }
    return index < slots.count ? slots[index] : -1
  }

  mutating func integer(
    _ name: StaticString, _ type: FieldType, _ unit: StaticString, _ value: UInt64, isPresent: Bool
  ) -> UInt64 {
    let slot = nextSlot()
    return slot < 0 ? value : state.value(slot)
  }

  mutating func textField(_ name: StaticString) -> Bool {
    let slot = nextSlot()
    guard slot >= 0 else { return false }
    text.append(contentsOf: state.texts[slot])
    return true
  }
}

/// The block's checksum is correct, but its records are not valid.
struct DamagedBlock: Error {}

extension FieldType {
  fileprivate var isText: Bool { self == .text }
}
