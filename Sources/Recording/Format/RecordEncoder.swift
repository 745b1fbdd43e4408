import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// Encodes records to the bytes of a block. It allocates nothing once its buffers have grown.
///
/// Consecutive records of one kind form a batch. Frames and output, which are frequent, form one batch for the whole
/// block, which also contains the places of the other records.
struct RecordEncoder: FieldVisitor {
  static var isReading: Bool { false }

  /// The block, after it has ended.
  private(set) var bytes: [UInt8] = []
  private let schema = Schema.current
  private let kinds: [Schema.Kind?]
  private let types: [FieldType]
  private let grains: [UInt64]
  private var state: FieldState
  /// The complete batches.
  private var batches: [UInt8] = []
  /// The open batch.
  private var batch = BitWriter()
  private var batchKind = RecordKind.activity
  private var batchCount = 0
  /// Frames and output, and the places of records between them.
  private var activity = BitWriter()
  private var activityState = ActivityState()
  private var activityCount = 0
  /// Output that will share an entry with the next frame, if that has the same time.
  private var heldOutput: (bytes: UInt64, time: Instant)?
  /// Whether it contains more than the places of records.
  private var hasActivity = false
  private var lastReport: Event?
  /// The first time of the block.
  private var start: UInt64 = 0

  // For the record being written.
  var text: [UInt8] = []
  private var changes: [UInt8] = Array(repeating: 0, count: 32)
  private var differences: [UInt64] = Array(repeating: 0, count: 256)
  private var offset = 0
  private var index = 0

  init() {
    kinds = (0...RecordKind.greatest).map { [schema] in schema.kind($0) }
    let fields = schema.kinds.flatMap(\.fields)
    types = fields.map { $0.type ?? .same }
    grains = fields.map(\.grain)
    state = FieldState(fieldCount: schema.fieldCount, groupCount: schema.groupCount)
    bytes.reserveCapacity(BlockFrame.limit + 65536)
    batches.reserveCapacity(BlockFrame.limit + 65536)
    activity.reserve(BlockFrame.limit)
    batch.reserve(BlockFrame.limit)
    text.reserveCapacity(512)
  }

  /// The current number of bytes of the block.
  var count: Int {
    BlockFrame.headBytes + batches.count + batch.count + activity.count + RecordEncoder.heads
  }

  /// The maximum number of bytes for the heads of two batches and an entry.
  private static let heads = 48

  /// Begins a block.
  ///
  /// - Parameter time: the time of the first record.
  mutating func begin(at time: Instant) {
    batches.removeAll(keepingCapacity: true)
    batch.removeAll()
    activity.removeAll()
    (batchCount, activityCount, hasActivity) = (0, 0, false)
    heldOutput = nil
    state.reset()
    start = time.nanoseconds
    activityState.reset(microseconds: start / 1000)
    lastReport = nil
  }

  /// Ends the block: joins its batches, and fills in its head.
  mutating func end(_ type: BlockFrame.Kind, number: UInt32) {
    writeHeldOutput()
    endBatch()
    bytes.removeAll(keepingCapacity: true)
    for _ in 0..<BlockFrame.headBytes { bytes.append(0) }
    if hasActivity {
      bytes.append(varint: UInt64(RecordKind.activity.rawValue))
      bytes.append(varint: UInt64(activityCount))
      bytes.append(varint: UInt64(activity.count))
      activity.write(to: &bytes)
    }
    bytes.append(contentsOf: batches)
    BlockFrame.fill(&bytes, type, number: number, time: start)
  }

  /// Encodes the first samples as a separate batch. From now on each block starts from the state after it.
  mutating func makeBase(_ samples: [Sample]) -> [UInt8] {
    begin(at: Instant(nanoseconds: 0))
    for (number, sample) in samples.enumerated() {
      var sample = sample
      add(.sample) { sample.visit(&$0) }
      if number == 0 { state.forgetMasks() }
    }
    endBatch()
    if let kind = kinds[RecordKind.sample.rawValue] { state.setBase(kind) }
    return batches
  }

  // MARK: Records

  /// Adds something frequent to the block: the same as adding its record, but without copying a record, which has room
  /// for any kind. Its time is that of `Activity.rounded`.
  mutating func add(activity entry: Activity) {
    switch entry {
    case .frame(let time, let source, let missed): addFrame(time, source, missed: missed)
    case .mergedFrame(let time): addActivity(.mergedFrame, time)
    case .updateFrame(let time): addActivity(.updateFrame, time)
    case .output(let count, let time):
      writeHeldOutput()
      heldOutput = (count, time)
    case .cells(let written, let unchanged, let time):
      addActivity(.cells, time, written, unchanged)
    }
  }

  /// Adds a record to the block. Times of frames, output and cells are those of `Record.rounded`.
  ///
  /// - Parameter keepsCommands: whether to keep command lines.
  mutating func add(_ record: borrowing Record, keepsCommands: Bool) {
    switch copy record {
    case .sample(var sample): add(.sample) { sample.visit(&$0) }
    case .memory(var memory): add(.memory) { memory.visit(&$0) }
    case .processes(let table): add(table, keepsCommands: keepsCommands)
    case .activity(let activity): add(activity: activity)
    case .event(let event, let time): add(event, at: time)
    case .program(let change, let time):
      var small = SmallRecord(time: time, name: change.name)
      small.command = keepsCommands ? change.command : change.name.text
      add(.program) { small.visit(&$0, .program) }
    default: addSmall(record)
    }
  }

  private mutating func addSmall(_ record: borrowing Record) {
    var small = SmallRecord()
    let kind: RecordKind
    switch copy record {
    case .phasePending(let time): (kind, small.time) = (.phasePending, time)
    case .answer(let nanoseconds, let time):
      (kind, small.time, small.number) = (.answer, time, UInt64(bitPattern: nanoseconds))
    case .unclearAnswer(let time): (kind, small.time) = (.unclearAnswer, time)
    case .loadingEnded(let time): (kind, small.time) = (.loadingEnded, time)
    case .loadingGroup(let group, let time):
      (kind, small.time, small.pid) = (.loadingGroup, time, group)
    case .unansweredKey(let since, let time):
      (kind, small.time, small.number) = (.unansweredKey, time, since.nanoseconds)
    case .target(let change, let time):
      small = SmallRecord(
        time: time, name: change.name, pid: change.pid, isMark: change.isMark,
        isRestart: change.isRestart)
      kind = .target
    case .mark(let time): (kind, small.time) = (.mark, time)
    case .peaksReset(let time): (kind, small.time) = (.peaksReset, time)
    case .interval(let nanoseconds, let time):
      (kind, small.time, small.number) = (.interval, time, nanoseconds)
    case .resumed(let time): (kind, small.time) = (.resumed, time)
    case .clock(let offset, let time): (kind, small.time, small.number) = (.clock, time, offset)
    case .eventsLost(let count, let time):
      (kind, small.time, small.number) = (.eventsLost, time, UInt64(count))
    case .listener(let listener, let time):
      (kind, small.time, small.listener) = (.listener, time, listener)
    case .eventsBad(let count, let time):
      (kind, small.time, small.number) = (.eventsBad, time, UInt64(count))
    case .machine(let load, let time): (kind, small.time, small.machine) = (.machine, time, load)
    case .sample, .memory, .processes, .activity, .event, .program: return
    }
    add(kind) { small.visit(&$0, kind) }
  }

  mutating func add(_ end: RecordingEnd) {
    var end = end
    add(.end) { end.visit(&$0) }
  }

  private mutating func add(_ table: ProcessTable, keepsCommands: Bool) {
    var head = ListHead(table)
    head.hasCommandLines = keepsCommands && !table.commandLines.isEmpty
    add(.processes) { head.visit(&$0) }
    for (index, row) in table.rows.enumerated() {
      var row = ListRow(row: row)
      if head.hasCommandLines { row.commandLine = table.commandLines[index] }
      add(.processRow) { row.visit(&$0) }
    }
    for group in table.mappings.groups {
      var group = group
      add(.mapping) { group.visit(&$0) }
    }
    var others = table.mappings.others
    add(.mapping) { others.visit(&$0) }
  }

  private mutating func add(_ event: Event, at time: Instant) {
    if event.kind == .frame, let last = lastReport, last.isFollowed(by: event) {
      addActivity(.reportedFrame, time)
      lastReport = event
      return
    }
    var timed = TimedEvent(time: time, event: event)
    add(.event) { timed.visit(&$0) }
    guard event.kind == .frame else { return }
    lastReport = event
    activityState.set(time.nanoseconds / 1000, ActivityCode.reportedFrame.series)
  }

  // MARK: Packed entries

  private mutating func addFrame(_ time: Instant, _ source: FrameSource, missed: UInt32) {
    if missed > 0 {
      return addActivity(.missedFrame, time, UInt64(source.rawValue), UInt64(missed))
    }
    switch source {
    case .tick: addActivity(.tickFrame, time)
    case .terminal: addActivity(.terminalFrame, time)
    case .app: addActivity(.appFrame, time)
    }
  }

  private mutating func writeHeldOutput() {
    guard let output = heldOutput.take() else { return }
    addActivity(.output, output.time, output.bytes)
  }

  private mutating func addActivity(
    _ next: ActivityCode, _ time: Instant, _ first: UInt64? = nil, _ second: UInt64? = nil
  ) {
    var (code, first) = (next, first)
    if let output = heldOutput, output.time == time, let both = next.withOutput {
      (code, first, heldOutput) = (both, output.bytes, nil)
    } else {
      writeHeldOutput()
    }
    let microseconds = time.nanoseconds / 1000
    let isSameTime = microseconds == activityState.time
    let mark = code.rawValue | (isSameTime ? ActivityState.sameTime : 0)
    if mark == activityState.expectedMark {
      activity.append(1, bits: 1)
    } else {
      activity.append(UInt64(mark) << 2, bits: 2 + ActivityState.markBits)
    }
    activityState.set(mark: mark)
    if !isSameTime { activityState.write(microseconds, series: code.series, &activity) }
    activityState.set(microseconds, code.series)
    if code != next { activityState.set(microseconds, next.series) }
    if let first { activityState.write(first, column: code.firstColumn, &activity) }
    if let second { activityState.write(second, column: code.firstColumn + 1, &activity) }
    activityCount += 1
    hasActivity = true
  }

  // MARK: Fields

  private mutating func add(_ kind: RecordKind, _ visit: (inout RecordEncoder) -> Void) {
    writeHeldOutput()
    // The record's place between frames and output.
    activity.append(0b10, bits: 2)
    activityCount += 1
    if kind != batchKind { endBatch() }
    (batchKind, batchCount) = (kind, batchCount + 1)
    guard let shape = kinds[kind.rawValue] else { return }
    (offset, index) = (shape.offset, 0)
    for group in 0..<shape.groups { changes[group] = 0 }
    state.begin(shape)
    visit(&self)
    write(shape)
    state.endRecord(kind: offset)
  }

  private mutating func endBatch() {
    guard batchCount > 0 else { return }
    batches.append(varint: UInt64(batchKind.rawValue))
    batches.append(varint: UInt64(batchCount))
    batches.append(varint: UInt64(batch.count))
    batch.write(to: &batches)
    batch.removeAll()
    batchCount = 0
  }

  /// Writes the fields of the record that differ, and those that the previous record had.
  private mutating func write(_ shape: Schema.Kind) {
    let groups = shape.groupOffset..<shape.groupOffset + shape.groups
    let isMore = groups.contains { changes[$0 - groups.lowerBound] & ~state.masks[$0] != 0 }
    batch.append(isMore ? 0 : 1, bits: 1)
    for group in groups {
      let more = changes[group - groups.lowerBound] & ~state.masks[group]
      if isMore { batch.append(more == 0 ? 0 : UInt64(more) << 1 | 1, bits: more == 0 ? 1 : 9) }
      state.masks[group] |= more
      var rest = state.masks[group]
      while rest != 0 {
        let bit = rest.trailingZeroBitCount
        rest &= rest &- 1
        writeField((group - groups.lowerBound) * 8 + bit, offset: shape.offset)
      }
    }
  }

  private mutating func writeField(_ index: Int, offset: Int) {
    let slot = offset + index
    let isChanged = changes[index >> 3] >> UInt8(index & 7) & 1 == 1
    guard types[slot] != .text else {
      batch.append(isChanged ? 1 : 0, bits: 1)
      guard isChanged else { return }
      let text = state.texts[slot]
      batch.append(UInt64(text.count), low: RecordEncoder.lengthBits)
      for byte in text { batch.append(UInt64(byte), bits: 8) }
      return
    }
    var difference = isChanged ? differences[index] : 0
    let isHeld = types[slot] == .held && isChanged
    if isHeld { difference = state.value(slot) &- state.value(offset) }
    let (whole, rest) = Int64(bitPattern: difference).quotientAndRemainder(
      dividingBy: Int64(grains[slot]))
    let number = zigzag(rest == 0 ? UInt64(bitPattern: whole) : difference) &+ (isHeld ? 1 : 0)
    batch.append(number, low: state.low(slot, kind: offset))
    if grains[slot] > 1, number != 0 { batch.append(rest == 0 ? 0 : 1, bits: 1) }
    state.note(difference: number, at: slot, kind: offset)
  }

  /// The number of low bits of a text's length.
  static let lengthBits = 4

  mutating func integer(
    _ name: StaticString, _ type: FieldType, _ unit: StaticString, _ value: UInt64, isPresent: Bool
  ) -> UInt64 {
    let slot = offset + index
    let expected = state.prediction(type, at: slot, kind: offset, start: start)
    let difference = isPresent ? value &- expected : 0
    if difference != 0 {
      differences[index] = difference
      changes[index >> 3] |= 1 << UInt8(index & 7)
    }
    state.set(expected &+ difference, at: slot, type, kind: offset, difference: difference)
    index += 1
    return value
  }

  mutating func textField(_ name: StaticString) -> Bool {
    let slot = offset + index
    if text != state.texts[slot] {
      changes[index >> 3] |= 1 << UInt8(index & 7)
      state.setText(text, at: slot)
    }
    index += 1
    return true
  }
}

extension Event {
  /// Whether the next frame event differs only in its time, and has the sender's next number.
  func isFollowed(by next: Event) -> Bool {
    guard number.bitPattern == next.number.bitPattern, sender == next.sender,
      count == next.count, origin == next.origin, group == next.group, color == next.color,
      memory == next.memory, coversScreen == next.coversScreen, name == next.name,
      detail == next.detail, icon == next.icon, unit == next.unit
    else { return false }
    return sequence.map { $0 &+ 1 } == next.sequence
  }
}
