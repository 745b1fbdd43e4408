import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// Records → the bytes of a block. It allocates nothing once its buffers have grown.
struct RecordEncoder: FieldVisitor {
  static var isReading: Bool { false }

  /// The records of the block so far, behind the room for its head.
  private(set) var bytes: [UInt8] = []
  private let schema = Schema.current
  /// The kinds by number.
  private let kinds: [Schema.Kind?]
  private var state: FieldState
  private var activityTimes = ActivityTimes()
  /// The packed entries that are not in `bytes` yet.
  private var activity: [UInt8] = []
  private var lastReport: Event?
  /// The first time of the block.
  private var start: UInt64 = 0

  // Of the record that is being written.
  var text: [UInt8] = []
  private var body: [UInt8] = []
  private var changes: [UInt8] = Array(repeating: 0, count: 32)
  private var offset = 0
  private var index = 0

  /// Packed entries are added to the block when they have this many bytes.
  private static let activityLimit = 4096

  init() {
    kinds = (0...RecordKind.allCases.count).map { [schema] in schema.kind($0) }
    state = FieldState(fieldCount: schema.fieldCount)
    bytes.reserveCapacity(BlockFrame.limit + 65536)
    activity.reserveCapacity(RecordEncoder.activityLimit + 64)
    body.reserveCapacity(8192)
    text.reserveCapacity(512)
  }

  /// The number of bytes that a block would have now.
  var count: Int { bytes.count + activity.count }

  /// Begins a block.
  ///
  /// - Parameter time: of its first record.
  mutating func begin(at time: Instant) {
    bytes.removeAll(keepingCapacity: true)
    for _ in 0..<BlockFrame.headBytes { bytes.append(0) }
    activity.removeAll(keepingCapacity: true)
    state.reset()
    start = time.nanoseconds
    activityTimes.reset(microseconds: start / 1000)
    lastReport = nil
  }

  /// Ends the block: adds what is packed, and fills its head in.
  mutating func end(_ type: BlockFrame.Kind, number: UInt32) {
    flushActivity()
    BlockFrame.fill(&bytes, type, number: number, time: start)
  }

  /// The first sample as a record of its own, and what each block starts with from now on.
  mutating func makeBase(_ sample: Sample) -> [UInt8] {
    begin(at: Instant(nanoseconds: 0))
    var sample = sample
    beginRecord(.sample)
    sample.visit(&self)
    endRecord(.sample)
    if let kind = kinds[RecordKind.sample.rawValue] { state.setBase(kind) }
    return Array(bytes.dropFirst(BlockFrame.headBytes))
  }

  // MARK: Records

  /// Adds a record to the block. Times of frames, output and cells are those of `Record.rounded`.
  ///
  /// - Parameter keepsCommands: whether command lines are kept.
  mutating func add(_ record: borrowing Record, keepsCommands: Bool) {
    switch copy record {
    case .sample(var sample): add(.sample) { sample.visit(&$0) }
    case .memory(var memory): add(.memory) { memory.visit(&$0) }
    case .processes(let table): add(table, keepsCommands: keepsCommands)
    case .frame(let time, let source, let missed): addFrame(time, source, missed: missed)
    case .mergedFrame(let time): addActivity(.mergedFrame, time)
    case .updateFrame(let time): addActivity(.updateFrame, time)
    case .output(let count, let time):
      addActivity(.output, time)
      activity.append(varint: count)
    case .cells(let written, let unchanged, let time):
      addActivity(.cells, time)
      activity.append(varint: written)
      activity.append(varint: unchanged)
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
    case .lost(let count, let time): (kind, small.time, small.number) = (.lost, time, UInt64(count))
    case .eventsLost(let count, let time):
      (kind, small.time, small.number) = (.eventsLost, time, UInt64(count))
    case .listener(let listener, let time):
      (kind, small.time, small.listener) = (.listener, time, listener)
    case .eventsBad(let count, let time):
      (kind, small.time, small.number) = (.eventsBad, time, UInt64(count))
    case .machine(let load, let time): (kind, small.time, small.machine) = (.machine, time, load)
    case .sample, .memory, .processes, .frame, .mergedFrame, .updateFrame, .output, .cells, .event,
      .program:
      return
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
    activityTimes.set(time.nanoseconds / 1000, ActivityCode.reportedFrame.series)
  }

  // MARK: Packed entries

  private mutating func addFrame(_ time: Instant, _ source: FrameSource, missed: UInt32) {
    if missed > 0 {
      addActivity(.missedFrame, time)
      activity.append(varint: UInt64(source.rawValue))
      activity.append(varint: UInt64(missed))
      return
    }
    switch source {
    case .tick: addActivity(.tickFrame, time)
    case .terminal: addActivity(.terminalFrame, time)
    case .app: addActivity(.appFrame, time)
    }
  }

  private mutating func addActivity(_ code: ActivityCode, _ time: Instant) {
    if activity.count >= RecordEncoder.activityLimit { flushActivity() }
    let microseconds = time.nanoseconds / 1000
    let difference = zigzag(microseconds &- activityTimes.prediction(code.series))
    activityTimes.set(microseconds, code.series)
    // A difference that has no room beside the code is further than any file reaches.
    activity.append(varint: difference << ActivityCode.bits | code.rawValue)
  }

  private mutating func flushActivity() {
    guard !activity.isEmpty else { return }
    bytes.append(varint: UInt64(RecordKind.activity.rawValue))
    bytes.append(varint: UInt64(activity.count))
    bytes.append(contentsOf: activity)
    activity.removeAll(keepingCapacity: true)
  }

  // MARK: Fields

  private mutating func add(_ kind: RecordKind, _ visit: (inout RecordEncoder) -> Void) {
    flushActivity()
    beginRecord(kind)
    visit(&self)
    endRecord(kind)
  }

  private mutating func beginRecord(_ kind: RecordKind) {
    offset = kinds[kind.rawValue]?.offset ?? 0
    index = 0
    body.removeAll(keepingCapacity: true)
    for index in changes.indices { changes[index] = 0 }
  }

  private mutating func endRecord(_ kind: RecordKind) {
    guard let shape = kinds[kind.rawValue] else { return }
    state.endRecord(kind: offset)
    var length = shape.summaryBytes + body.count
    for group in 0..<shape.groups where changes[group] != 0 { length += 1 }
    bytes.append(varint: UInt64(kind.rawValue))
    bytes.append(varint: UInt64(length))
    for byte in 0..<shape.summaryBytes {
      var summary: UInt8 = 0
      for bit in 0..<8 where byte * 8 + bit < shape.groups && changes[byte * 8 + bit] != 0 {
        summary |= 1 << UInt8(bit)
      }
      bytes.append(summary)
    }
    for group in 0..<shape.groups where changes[group] != 0 { bytes.append(changes[group]) }
    bytes.append(contentsOf: body)
  }

  private mutating func noteChange() { changes[index >> 3] |= 1 << UInt8(index & 7) }

  mutating func integer(
    _ name: StaticString, _ type: FieldType, _ unit: StaticString, _ value: UInt64, isPresent: Bool
  ) -> UInt64 {
    let slot = offset + index
    let expected = state.prediction(type, at: slot, kind: offset, start: start)
    let difference = isPresent ? value &- expected : 0
    if difference != 0 {
      noteChange()
      body.append(varint: zigzag(difference))
    }
    state.set(expected &+ difference, at: slot, type, kind: offset, difference: difference)
    index += 1
    return value
  }

  mutating func textField(_ name: StaticString) -> Bool {
    let slot = offset + index
    if text != state.texts[slot] {
      noteChange()
      body.append(varint: UInt64(text.count))
      body.append(contentsOf: text)
      state.setText(text, at: slot)
    }
    index += 1
    return true
  }
}

extension Event {
  /// Whether another frame event differs in nothing but its time, and in the next number of its sender.
  func isFollowed(by next: Event) -> Bool {
    guard number.bitPattern == next.number.bitPattern, sender == next.sender,
      count == next.count, origin == next.origin, group == next.group, color == next.color,
      memory == next.memory, coversScreen == next.coversScreen, name == next.name,
      detail == next.detail, icon == next.icon, unit == next.unit
    else { return false }
    return sequence.map { $0 &+ 1 } == next.sequence
  }
}

extension Record {
  /// The same with the times of frames, output and cells in whole microseconds, as recordings have them. A run that is
  /// recorded gets these too, so it equals the run that is made of the recording.
  package consuming func rounded() -> Record {
    func whole(_ time: Instant) -> Instant {
      Instant(nanoseconds: time.nanoseconds / 1000 * 1000)
    }
    switch self {
    case .frame(let time, let source, let missed):
      return .frame(whole(time), source, missed: missed)
    case .mergedFrame(let time): return .mergedFrame(whole(time))
    case .updateFrame(let time): return .updateFrame(whole(time))
    case .output(let bytes, let time): return .output(bytes: bytes, whole(time))
    case .cells(let written, let unchanged, let time):
      return .cells(written: written, unchanged: unchanged, whole(time))
    case .event(let event, let time):
      return event.kind == .frame ? .event(event, whole(time)) : .event(event, time)
    default: return self
    }
  }
}
