import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// Writes a recorded run as a Perfetto trace: docs/EXPORT.md describes the tracks.
///
/// It takes each record after the `Run` has, and keeps only what is open. Complexity: constant for each record, except
/// for lists of threads.
package struct TraceWriter {
  /// The encoded bytes; the caller that writes them out clears them.
  package var bytes: [UInt8] {
    get { packets.bytes }
    set { packets.bytes = newValue }
  }

  /// Tracks with fixed numbers; counters and threads get theirs when they first appear.
  private enum Track: UInt64 {
    case process = 1
    case phases, actions, marks, toasts, loading, alerts, answers, targets
    case ticks, terminalFrames, programFrames
    /// The first track of the metrics.
    case metrics = 100
    /// The first track number that is assigned on demand.
    case others = 200
  }

  private var packets = TracePackets()
  private var declared: Set<UInt64> = []
  private var hasProcess = false
  private var pid: Int32 = 0
  private var phase: Event.Name?
  private var isLoading = false
  private var marks = 0
  /// The last end on a track whose slices must not overlap.
  private var ends: [UInt64: Instant] = [:]
  private var values: [UInt64: Double] = [:]
  private var alertCounts: [UInt32] = []
  /// The tracks of threads by PID and thread number, and those of the program's values by name.
  private var threads: [UInt64: UInt64] = [:]
  private var programValues: [String: UInt64] = [:]
  private var nextTrack = Track.others.rawValue
  private var last: Instant

  /// The maximum number of threads, and of value names; others are omitted.
  private static let capacity = 512

  /// - Parameter header: the header of the written run.
  package init(header: RunHeader) {
    last = header.start
    packets.clocks(at: header.start, wallClockOffset: header.wallClockOffset)
  }

  /// Takes a record that the run has just applied.
  package mutating func take(_ record: Record, run: borrowing Run) {
    let time = record.time
    last = max(last, time)
    if !hasProcess { declareProcess(record, run.header) }
    switch record {
    case .sample(let sample): take(sample, run)
    case .activity(.frame(let end, let source, let missed)):
      takeFrame(end, source, missed: missed)
    case .activity(.mergedFrame(let end)): takeFrame(end, .terminal, note: ("frames", "several"))
    case .activity(.updateFrame(let end)): takeFrame(end, .terminal)
    case .answer(let nanoseconds, let end):
      let name = "key to frame"
      // If a key was typed before the previous one was answered, the later key's slice is cut.
      let note = ("time", "\(NumberFormat.milliseconds(Double(nanoseconds) * 1e-6))")
      slice(
        name, on: .answers, name, from: end.advanced(byNanoseconds: 0 &- nanoseconds), to: end,
        notes: [note])
    case .event(let event, let time): take(event, at: time)
    case .processes(let table): take(table)
    case .mark(let time):
      marks += 1
      instant("mark \(marks)", on: .marks, "Marks", at: time)
    case .target(let change, let time):
      let note = ("pid", "\(change.pid)")
      instant(change.name.text, on: .targets, "Targets", at: time, notes: [note])
    case .clock(let offset, let time): packets.clocks(at: time, wallClockOffset: offset)
    default: break
    }
    updatePhase(run, at: time)
    updateLoading(run, at: time)
  }

  /// Ends everything that is open.
  package mutating func finish(at time: Instant? = nil) {
    let end = max(last, time ?? last)
    for (isOpen, track) in [(phase != nil, Track.phases), (isLoading, Track.loading)] where isOpen {
      packets.end(on: track.rawValue, at: end)
    }
    phase = nil
    isLoading = false
  }

  // MARK: Tracks

  /// The PID is that of the first sample: counters and events belong to this process.
  private mutating func declareProcess(_ record: Record, _ header: RunHeader) {
    guard case .sample(let sample) = record else { return }
    hasProcess = true
    pid = sample.pid
    let name = sample.pid > 0 ? sample.name.text : header.command
    packets.process(Track.process.rawValue, pid: sample.pid, name: name)
  }

  private mutating func declare(_ track: Track, _ name: String) -> UInt64 {
    let id = track.rawValue
    if declared.insert(id).inserted {
      packets.events(id, parent: Track.process.rawValue, name: name)
    }
    return id
  }

  private mutating func instant(
    _ text: String, on track: Track, _ name: String, at time: Instant,
    notes: [(String, String)] = []
  ) {
    packets.instant(text, on: declare(track, name), at: time, notes: notes)
  }

  /// Adds a slice that does not begin before the previous one on this track has ended.
  private mutating func slice(
    _ text: String, on track: Track, _ name: String, from start: Instant, to end: Instant,
    notes: [(String, String)] = []
  ) {
    let id = declare(track, name)
    let before = ends[id] ?? start
    ends[id] = max(before, end)
    guard end > max(start, before) else { return }
    packets.begin(text, on: id, at: max(start, before), notes: notes)
    packets.end(on: id, at: end)
  }

  // MARK: Records

  private mutating func take(_ sample: Sample, _ run: borrowing Run) {
    guard let row = run.latest, !row.isProvisional, row.sequence > 0 || row.hasEnded else { return }
    for metric in Metric.allCases {
      guard let value = row[metric].value, value.isFinite else { continue }
      let track = Track.metrics.rawValue + UInt64(metric.rawValue)
      if values.updateValue(value, forKey: track) == value { continue }
      if declared.insert(track).inserted {
        packets.counter(
          track, parent: Track.process.rawValue, name: "\(metric.key)", unit: metric.unit.ofTrace)
      }
      packets.value(value, on: track, at: sample.time)
    }
    for (index, tracker) in run.alerts.trackers.enumerated() {
      if index >= alertCounts.count { alertCounts.append(0) }
      guard tracker.count != alertCounts[index] else { continue }
      alertCounts[index] = tracker.count
      let note = ("value", tracker.value.map { "\(tracker.rule.formatted($0))" } ?? "")
      instant(tracker.rule.text, on: .alerts, "Alerts", at: sample.time, notes: [note])
    }
  }

  private mutating func take(_ event: Event, at time: Instant) {
    switch event.kind {
    case .action:
      var notes: [(String, String)] = []
      if event.count > 1 { notes.append(("count", "\(event.count)")) }
      if !event.detail.isEmpty { notes.append(("detail", event.detail.text)) }
      instant(event.name.text, on: .actions, "Actions", at: time, notes: notes)
    case .frame:
      let start = event.number > 0 ? time.advanced(bySeconds: -event.number / 1000) : nil
      takeFrame(time, .app, from: start)
    case .toast: instant(event.name.text, on: .toasts, "Toasts", at: time)
    case .value: takeValue(event, at: time)
    case .phase, .loading, .loadingDone: break
    }
  }

  /// A frame lasts from the previous one, unless the program was idle in between.
  private mutating func takeFrame(
    _ end: Instant, _ source: FrameSource, missed: UInt32 = 0, from start: Instant? = nil,
    note: (String, String)? = nil
  ) {
    let (track, name): (Track, String) =
      switch source {
      case .tick: (.ticks, "Late ticks of perfhud")
      case .terminal: (.terminalFrames, "Frames in the terminal")
      case .app: (.programFrames, "Frames that the program reports")
      }
    let before = ends[track.rawValue]
    // Timely ticks say nothing about the program.
    if source == .tick, missed == 0 {
      ends[track.rawValue] = end
      return
    }
    guard let begin = start ?? before else {
      ends[track.rawValue] = end
      return
    }
    guard
      start != nil || source == .tick || end.nanoseconds(since: begin) <= FrameStatistics.idleGap
    else {
      ends[track.rawValue] = end
      return
    }
    var notes = note.map { [$0] } ?? []
    if missed > 0 { notes.append(("missed", "\(missed)")) }
    slice(source == .tick ? "late" : "frame", on: track, name, from: begin, to: end, notes: notes)
  }

  private mutating func takeValue(_ event: Event, at time: Instant) {
    guard event.number.isFinite else { return }
    let name = event.name.text
    if programValues[name] == nil {
      guard programValues.count < TraceWriter.capacity else { return }
      programValues[name] = nextTrack
      packets.counter(
        nextTrack, parent: Track.process.rawValue, name: name,
        unit: event.unit.isEmpty ? .count : .named(event.unit.text))
      nextTrack += 1
    }
    if let track = programValues[name] { packets.value(event.number, on: track, at: time) }
  }

  /// Adds threads and their shares of a processor. The recording has them only while their list was on the screen.
  private mutating func take(_ table: ProcessTable) {
    guard table.request.kind == .threads else { return }
    for row in table.rows {
      guard let share = row.cpuPercent else { continue }
      let key = UInt64(UInt32(bitPattern: row.parent)) << 32 | UInt64(UInt32(bitPattern: row.pid))
      if threads[key] == nil {
        guard threads.count < TraceWriter.capacity else { continue }
        threads[key] = nextTrack
        let name = row.name.text
        packets.thread(nextTrack, pid: row.parent, thread: row.pid, name: name)
        packets.counter(
          nextTrack + 1, parent: nextTrack, name: "cpu_percent \(name) \(row.pid)",
          unit: .named("%"))
        nextTrack += 2
      }
      if let track = threads[key] { packets.value(share, on: track + 1, at: table.time) }
    }
  }

  // MARK: What is open

  private mutating func updatePhase(_ run: borrowing Run, at time: Instant) {
    let now = run.phases.current?.name
    guard now != phase else { return }
    let id = declare(.phases, "Phases")
    let border = max(time, ends[id] ?? time)
    ends[id] = border
    if phase != nil { packets.end(on: id, at: border) }
    if let now { packets.begin(now.text, on: id, at: border) }
    phase = now
  }

  private mutating func updateLoading(_ run: borrowing Run, at time: Instant) {
    guard (run.reports.loading != nil) != isLoading else { return }
    let id = declare(.loading, "Loading")
    let border = max(time, ends[id] ?? time)
    ends[id] = border
    if let loading = run.reports.loading {
      packets.begin(loading.text.text, on: id, at: border)
    } else {
      packets.end(on: id, at: border)
    }
    isLoading.toggle()
  }
}

extension Metrics.Unit {
  fileprivate var ofTrace: TracePackets.CounterUnit {
    switch self {
    case .bytes: .bytes
    case .count: .count
    case .percent: .named("%")
    case .seconds: .named("s")
    case .perSecond: .named("/s")
    case .bytesPerSecond: .named("B/s")
    case .framesPerSecond: .named("FPS")
    case .milliseconds: .named("ms")
    case .millisecondsPerSecond: .named("ms/s")
    }
  }
}
