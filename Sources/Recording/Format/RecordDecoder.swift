import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The bytes of a block → records. Fields are found by their names in the schema of the file, so files of older and newer
/// versions are read as far as they are understood.
struct RecordDecoder: FieldVisitor {
  static var isReading: Bool { true }

  private let schema: Schema
  /// The kinds of the file by number.
  private var kinds: [Int: KnownKind] = [:]
  private var state: FieldState
  private var activityTimes = ActivityTimes()
  private var start: UInt64 = 0
  private var block = ByteReader([])
  /// The packed entries that are not taken yet.
  private var activity = ByteReader([])
  private var lastReport: Event?
  private var list = ListAssembly()
  /// The end of the run, once it was read.
  private(set) var end: RecordingEnd?
  /// Records that were skipped, since their kind is not known.
  private(set) var unknownRecords = 0

  // Of the record that is being read.
  var text: [UInt8] = []
  private var slots: [Int] = []
  private var index = 0

  /// A kind of the file.
  private struct KnownKind {
    let shape: Schema.Kind
    let kind: RecordKind?
    /// Where the values of the fields of `kind` are; -1 where the file does not have one.
    let slots: [Int]
    let types: [FieldType]
    /// For each group of eight fields those that move though they do not differ from what is predicted, or whose step
    /// the next field takes. Of the others the value stays, and nothing asks for the one before.
    let moving: [UInt8]
    let isKnown: Bool

    init(_ shape: Schema.Kind, _ kind: RecordKind?, slots: [Int]) {
      (self.shape, self.kind, self.slots, isKnown) = (shape, kind, slots, shape.isKnown)
      types = shape.fields.map { $0.type ?? .same }
      var moving = [UInt8](repeating: 0, count: shape.groups)
      for (index, type) in types.enumerated() {
        let stays = type == .same || type == .real || type == .text
        let isStepUsed = index + 1 < types.count && types[index + 1] == .beside
        if index == 0 && type != .text || !stays || isStepUsed && type != .text {
          moving[index >> 3] |= 1 << UInt8(index & 7)
        }
      }
      self.moving = moving
    }
  }

  init(_ schema: Schema) {
    self.schema = schema
    state = FieldState(fieldCount: schema.fieldCount)
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

  /// Takes what each block starts with.
  mutating func setBase(_ bytes: [UInt8]) {
    begin(bytes, from: 0, at: 0)
    guard let number = block.varint(), let length = block.length(),
      let entry = kinds[Int(clamping: number)],
      readFields(entry, to: block.offset + length)
    else { return }
    state.setBase(entry.shape)
  }

  /// Begins a block.
  ///
  /// - Parameters:
  ///   - offset: where its records begin.
  ///   - time: its first time.
  mutating func begin(_ bytes: [UInt8], from offset: Int, to end: Int? = nil, at time: UInt64) {
    block = ByteReader(bytes, from: offset, to: end)
    activity = ByteReader([])
    state.reset()
    start = time
    activityTimes.reset(microseconds: time / 1000)
    lastReport = nil
  }

  /// A block before this one is missing.
  mutating func noteGap() { list = ListAssembly() }

  /// The next record of the block; `nil` at its end.
  ///
  /// - Throws: where the block is no sequence of records.
  mutating func next() throws(DamagedBlock) -> Record? {
    var record: Record?
    if let activity = try next(&record) { return activity.record }
    return record
  }

  /// The next packed entry; else sets the next record of the block, and leaves it `nil` at the end.
  ///
  /// - Throws: where the block is no sequence of records.
  mutating func next(_ found: inout Record?) throws(DamagedBlock) -> Activity? {
    while true {
      if !activity.isAtEnd {
        guard let entry = nextActivity(&found) else {
          if found != nil { return nil }
          throw DamagedBlock()
        }
        return entry
      }
      if block.isAtEnd { return nil }
      guard let number = block.varint(), let length = block.length() else { throw DamagedBlock() }
      let end = block.offset + length
      defer { block.skip(end - block.offset) }
      guard let entry = kinds[Int(clamping: number)], let kind = entry.kind, entry.isKnown
      else {
        unknownRecords += 1
        continue
      }
      if kind == .activity {
        activity = ByteReader(block.bytes, from: block.offset, to: end)
        continue
      }
      guard readFields(entry, to: end) else { throw DamagedBlock() }
      slots = entry.slots
      index = 0
      found = record(kind)
      if found != nil { return nil }
    }
  }

  // MARK: Records

  /// - Returns: `nil` for what is not a record of its own.
  private mutating func record(_ kind: RecordKind) -> Record? {
    switch kind {
    case .sample:
      var sample = Sample()
      sample.visit(&self)
      return .sample(sample)
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
        activityTimes.set(timed.time.nanoseconds / 1000, ActivityCode.reportedFrame.series)
      }
      return .event(timed.event, timed.time)
    case .end:
      var end = RecordingEnd(time: Instant(nanoseconds: 0))
      end.visit(&self)
      self.end = end
      return nil
    case .activity: return nil
    default: return smallRecord(kind)
    }
  }

  private mutating func smallRecord(_ kind: RecordKind) -> Record? {
    var small = SmallRecord()
    small.visit(&self, kind)
    let time = small.time
    switch kind {
    case .phasePending: return .phasePending(time)
    case .answer: return .answer(nanoseconds: Int64(clamping: small.number), time)
    case .unclearAnswer: return .unclearAnswer(time)
    case .loadingEnded: return .loadingEnded(time)
    case .loadingGroup: return .loadingGroup(small.pid, time)
    case .unansweredKey:
      return .unansweredKey(since: Instant(nanoseconds: small.number), time)
    case .target:
      let change = TargetChange(
        name: small.name, pid: small.pid, isMark: small.isMark, isRestart: small.isRestart)
      return .target(change, time)
    case .program:
      return .program(ProgramChange(name: small.name, command: small.command), time)
    case .mark: return .mark(time)
    case .peaksReset: return .peaksReset(time)
    case .interval: return .interval(RecordingHeader.clamped(interval: small.number), time)
    case .resumed: return .resumed(time)
    case .clock: return .clock(offset: small.number, time)
    case .lost: return .lost(UInt32(clamping: small.number), time)
    case .eventsLost: return .eventsLost(UInt32(clamping: small.number), time)
    case .listener: return .listener(small.listener, time)
    case .eventsBad: return .eventsBad(UInt32(clamping: small.number), time)
    case .machine: return .machine(small.machine, time)
    case .sample, .memory, .processes, .processRow, .mapping, .activity, .event, .end: return nil
    }
  }

  /// - Parameter report: set where the entry is a frame that the program reports.
  /// - Returns: `nil` where it is that, or damaged.
  private mutating func nextActivity(_ report: inout Record?) -> Activity? {
    guard let entry = activity.varint(),
      let code = ActivityCode(rawValue: entry & ((1 << ActivityCode.bits) - 1))
    else { return nil }
    let difference = unzigzag(entry >> ActivityCode.bits)
    let microseconds = activityTimes.prediction(code.series) &+ difference
    activityTimes.set(microseconds, code.series)
    let time = Instant(nanoseconds: microseconds &* 1000)
    switch code {
    case .tickFrame: return .frame(time, .tick, missed: 0)
    case .terminalFrame: return .frame(time, .terminal, missed: 0)
    case .appFrame: return .frame(time, .app, missed: 0)
    case .mergedFrame: return .mergedFrame(time)
    case .updateFrame: return .updateFrame(time)
    case .output: return activity.varint().map { .output(bytes: $0, time) }
    case .cells:
      guard let written = activity.varint(), let unchanged = activity.varint() else { return nil }
      return .cells(written: written, unchanged: unchanged, time)
    case .missedFrame:
      guard let source = activity.varint(), let missed = activity.varint() else { return nil }
      let known = UInt8(exactly: source).flatMap(FrameSource.init(rawValue:)) ?? .tick
      return .frame(time, known, missed: UInt32(clamping: missed))
    case .reportedFrame:
      guard var event = lastReport else { return nil }
      event.sequence = event.sequence.map { $0 &+ 1 }
      lastReport = event
      report = .event(event, time)
      return nil
    }
  }

  // MARK: Fields

  /// Reads the fields of a record by the schema of the file.
  ///
  /// - Returns: whether all of them are there.
  private mutating func readFields(_ known: KnownKind, to end: Int) -> Bool {
    let shape = known.shape
    var reader = ByteReader(block.bytes, from: block.offset, to: end)
    let summary = reader.offset
    reader.skip(shape.summaryBytes)
    let groups = reader.offset
    guard groups == summary + shape.summaryBytes, groups <= end else { return false }
    var present = 0
    for group in 0..<known.moving.count where bit(summary, group) { present += 1 }
    reader.skip(present)
    guard reader.offset == groups + present, reader.offset <= end else { return false }
    var nextGroup = groups
    for group in 0..<known.moving.count {
      var changed: UInt8 = 0
      if bit(summary, group) {
        changed = block.bytes[nextGroup]
        nextGroup += 1
      }
      var rest = changed | known.moving[group]
      while rest != 0 {
        let bit = rest.trailingZeroBitCount
        rest &= rest &- 1
        let index = group * 8 + bit
        guard index < known.types.count else { break }
        let slot = shape.offset + index
        let type = known.types[index]
        if type == .text {
          guard let length = reader.length() else { return false }
          state.setText(Array(block.bytes[reader.offset..<reader.offset + length]), at: slot)
          reader.skip(length)
          continue
        }
        var difference: UInt64 = 0
        if changed >> UInt8(bit) & 1 == 1 {
          guard let stored = reader.varint() else { return false }
          difference = unzigzag(stored)
        }
        let expected = state.prediction(type, at: slot, kind: shape.offset, start: start)
        state.set(
          expected &+ difference, at: slot, type, kind: shape.offset, difference: difference)
      }
    }
    state.endRecord(kind: shape.offset)
    return true
  }

  private func bit(_ offset: Int, _ index: Int) -> Bool {
    block.bytes[offset + index >> 3] >> UInt8(index & 7) & 1 == 1
  }

  private mutating func nextSlot() -> Int {
    defer { index += 1 }
    return index < slots.count ? slots[index] : -1
  }

  mutating func integer(
    _ name: StaticString, _ type: FieldType, _ unit: StaticString, _ value: UInt64, isPresent: Bool
  ) -> UInt64 {
    let slot = nextSlot()
    return slot < 0 ? value : state.values[slot]
  }

  mutating func textField(_ name: StaticString) -> Bool {
    let slot = nextSlot()
    guard slot >= 0 else { return false }
    text.append(contentsOf: state.texts[slot])
    return true
  }
}

/// A block whose checksum is right, but whose records cannot be told apart.
struct DamagedBlock: Error {}

extension FieldType {
  fileprivate var isText: Bool { self == .text }
}

/// Puts a list together from its head, rows and mappings.
private struct ListAssembly {
  private var head: ListHead?
  private var rows: [ProcessRow] = []
  private var lines: [ProcessArguments] = []
  private var groups: [MappingGroup] = []
  /// As many rows or mappings as a list may have in a file.
  private static let limit = 4096

  init() {}

  init(_ head: ListHead) {
    self.head = head
    self.head?.others = max(0, min(head.others, 1 << 31))
  }

  mutating func add(_ row: ListRow) {
    guard let head, rows.count < min(head.rows, ListAssembly.limit) else { return }
    rows.append(row.row)
    if head.hasCommandLines { lines.append(row.commandLine) }
  }

  /// - Returns: the list, once its last mapping, the sum of the others, is there.
  mutating func add(_ group: MappingGroup) -> ProcessTable? {
    guard let head else { return nil }
    guard groups.count == head.groups || groups.count == ListAssembly.limit else {
      groups.append(group)
      return nil
    }
    defer { self = ListAssembly() }
    guard rows.count == head.rows else { return nil }
    var mappings = MappingTable()
    mappings.groups = groups
    mappings.others = group
    mappings.time = head.mappingTime
    mappings.isPartial = head.isPartial
    mappings.absence = head.absence == 0 ? nil : Absence(rawValue: head.absence &- 1)
    return ProcessTable(
      request: ProcessTableRequest(head.kind, by: head.order), time: head.time, rows: rows,
      others: head.others, ended: head.ended, commandLines: lines, mappings: mappings)
  }
}
