import PerfHUDBase
import PerfHUDEvents
import Sampler

extension Run {
  /// Applies an event of the program.
  mutating func apply(_ event: Event, at time: Instant) {
    // A title or a key does not mean that the program sends events.
    if event.origin == .app { reports.hasEvents = true }
    switch event.kind {
    case .phase:
      if event.memory != nil, event.sender != 0 { reports.sender = event.sender }
      if phaseSource.leads(event.origin, chosen: header.phaseOrigins) {
        let level = level(event)
        if let level, let others = othersBytes {
          borderOthers = (bytes: others, sampled: rates.latestSample?.time ?? time)
          // What another process has may be out of date.
          if others < Run.othersNoise {
            noteMemory(level, resident: event.memory.map { Double($0.residentBytes) })
          }
        }
        if let memory = event.memory {
          highWater.take(
            resident: Double(memory.residentBytes), leading: level, of: event.sender, at: time)
        }
        phases.enter(
          event, at: time, level: level, moved: level == nil ? 0 : othersMovement.bytes,
          notices: &noticeList)
        if rates.latestSample == nil {
          earlyBorder = event.memory.map {
            EarlyBorder(memory: $0, sender: event.sender, time: max(time, phases.lastBorder))
          }
        }
      }
    case .action:
      actions.add(
        event, at: time, trail: phases.unsettled.recentMemory,
        slowFrames: frames?.slowFrames.total ?? 0)
    case .frame:
      let reported = event.number > 0 && event.number.isFinite ? event.number : nil
      addFrame(time, .app, missed: 0, milliseconds: reported)
    case .toast: reports.toasts.add(event, at: time)
    case .loading: reports.load(event, at: time)
    case .loadingDone: reports.loading = nil
    case .value:
      reports.values.add(event, at: time)
      // A recording may have any number.
      if event.name == Run.retainedName, event.number >= 0, event.number.isFinite {
        phases.noteRetained(bytes: event.number, at: time)
      }
    }
  }

  /// The target's memory as a phase begins: the sender's own reading, plus what the other processes of the target and
  /// the less frequent sources contributed at the last sample. `nil` if unknown.
  private func level(_ event: Event) -> Double? {
    guard let memory = event.memory, let sample = rates.latestSample,
      sample.reporter.pid == event.sender, let others = othersBytes
    else { return nil }
    return level(memory, others)
  }

  private func level(_ memory: ReportedMemory, _ others: Double) -> Double {
    max(
      0, others + Double(header.memory == .footprint ? memory.anonymousBytes : memory.residentBytes)
    )
  }

  /// Counts what the program had as a phase began before the first sample, together with what that sample shows of the
  /// other processes of the target.
  mutating func countEarlyBorder(_ row: Row, _ sample: Sample) {
    guard let border = earlyBorder.take(), sample.reporter.pid == border.sender,
      let others = othersBytes(row, sample)
    else { return }
    phases.noteReading(
      bytes: level(border.memory, others), at: border.time, notices: &noticeList)
  }

  /// What the target has without the process that reports its memory, at the last sample; `nil` if unknown.
  private var othersBytes: Double? {
    guard let sample = rates.latestSample, let latest else { return nil }
    return othersBytes(latest, sample)
  }

  private func othersBytes(_ row: Row, _ sample: Sample) -> Double? {
    switch header.memory {
    case .footprint:
      return row[.footprint].value.map { $0 - Double(sample.reporter.anonymousBytes) }
    case .rss: return row[.resident].value.map { $0 - Double(sample.reporter.residentBytes) }
    case .pss: return nil
    }
  }

  /// Corrects the memory at the borders since the last sample if another process of the target has ended since: it may
  /// have ended before the border, and nobody keeps its memory.
  mutating func correctBorders(_ row: Row, _ sample: Sample) {
    guard let border = borderOthers else { return }
    borderOthers = nil
    guard sample.reporter.pid == rates.latestSample?.reporter.pid,
      let others = othersBytes(row, sample), border.bytes - others > Run.othersNoise
    else { return }
    phases.lowerReadings(after: border.sampled, by: border.bytes - others)
  }

  /// Notes how much the other processes of the target have grown since the sample before: a border between two samples
  /// does not include that. What they have lost is corrected (`correctBorders`).
  mutating func noteOthers(_ row: Row, _ sample: Sample) {
    let others = sample.reporter.pid > 0 ? othersBytes(row, sample) : nil
    let growth = others.flatMap { now in othersMovement.last.map { now - $0 } } ?? 0
    othersMovement = (last: others, bytes: growth > Run.othersNoise ? growth : 0)
    if growth > Run.othersNoise, let before = rates.latestSample {
      phases.noteMovement(after: before.time, bytes: growth)
    }
  }

  /// Smaller changes of the other processes do not matter, in bytes.
  private static let othersNoise = 262_144.0

  /// Applies a reading of memory made between two samples.
  mutating func apply(_ reading: MemorySample) {
    guard let sample = rates.latestSample else { return }
    let bytes: Double
    switch header.memory {
    case .footprint:
      guard let all = latest?[.footprint].value, let anonymous = sample.anonymousBytes.value
      else { return }
      bytes = all + Double(reading.anonymousBytes) - Double(anonymous)
    case .rss: bytes = Double(reading.residentBytes)
    case .pss: return
    }
    noteMemory(max(0, bytes))
    highWater.take(
      resident: Double(reading.residentBytes), leading: max(0, bytes), of: sample.pid,
      at: reading.time)
    phases.noteReading(
      bytes: max(0, bytes), at: reading.time,
      lateness: max(Int64(min(rates.lateness, 1e18)), reading.borderLateness), notices: &noticeList)
  }

  /// The name of the value by which clients report what the allocator holds.
  private static let retainedName = Event.Name("allocator.retained")

  /// Applies a change of the receiver of events. If another HUD receives them, this one shows that once. A missing
  /// directory for the socket does not matter to a program that reports nothing, so only the pages show it.
  mutating func apply(_ listener: EventListener, at time: Instant) {
    guard listener != self.listener else { return }
    self.listener = listener
    guard listener == .otherHUD || listener == .hudAbove else { return }
    var notice = Notice(.eventsElsewhere, Event.Name(), at: time)
    notice.listener = listener
    noticeList.add(notice)
  }

  /// Applies a mark of the user, which begins a phase if no other source reports any.
  mutating func applyMark(at time: Instant) {
    apply(phaseSource.phaseOfMark(), at: time)
  }

  /// Updates the trackers with the values of a row, and adds the trackers' values to it.
  mutating func applyTrackers(to row: inout Row) {
    let time = row.time
    if row.hasEnded {
      phases.end(at: time, notices: &noticeList)
      reports.loading = nil
    } else if let bytes = row[header.memory.metric].value {
      phases.add(bytes: bytes, at: time, notices: &noticeList)
    }
    actions.advance(
      to: time, trail: phases.unsettled.recentMemory, slowFrames: frames?.slowFrames.total ?? 0,
      notices: &noticeList)
    if reports.hasEvents {
      row[.actions] = .value(actions.rate(asOf: time))
      if actions.isRateLowerBound(asOf: time) { row.lowerBounds.insert(.actions) }
    }
    if let index = phases.index(at: time), index < PhaseTracker.nameCapacity {
      row.phase = RowPhase(index: index, name: phases[Int(index)].name)
    }
  }

  /// Adds the values of the limits and of what slows the target down.
  mutating func applyLimits(of sample: Sample, _ counters: CounterRates, to row: inout Row) {
    limitWatch.update(sample, notices: &noticeList)
    row[.voluntarySwitches] = counters.voluntarySwitches.value
    row[.involuntarySwitches] = counters.involuntarySwitches.value
    row[.throttled] = counters.throttled.value
    row[.cpuPressure] = counters.pressure.cpuSome.value
    row[.cpuPressureFull] = counters.pressure.cpuFull.value
    row[.memoryPressure] = counters.pressure.memorySome.value
    row[.memoryPressureFull] = counters.pressure.memoryFull.value
    row[.ioPressure] = counters.pressure.ioSome.value
    row[.ioPressureFull] = counters.pressure.ioFull.value
    row.isPressureOfCgroup = sample.pressure.isOfCgroup
    row[.cgroupMemory] = sample.cgroupMemoryBytes.map { Double($0) }
    row[.memoryHigh] = limitWatch.high
    row[.memoryMax] = limitWatch.max
    row[.oomKills] = limitWatch.oomKills
  }

  /// What has happened at the memory limit so far.
  package var limitReport: LimitReport { limitWatch.report }

  /// Starts the trackers over for another process.
  mutating func replaceTrackedProcess() {
    phases.replaceProcess(notices: &noticeList)
    actions.replaceProcess()
    alerts.restart(notices: &noticeList)
  }

  /// The recent notices of perfhud, oldest first.
  package func notices(asOf now: Instant) -> Slice<BoundedList<Notice>> {
    noticeList.shown(asOf: now)
  }

  /// The current toasts of the program, oldest first.
  package func toasts(asOf now: Instant) -> Slice<BoundedList<Toast>> {
    reports.toasts.shown(asOf: now)
  }
}

/// A phase that began before the first sample, and the memory that the program reported with it.
struct EarlyBorder: BitwiseCopyable, Sendable {
  var memory: ReportedMemory
  var sender: Int32
  var time: Instant
}
