import Base
import Events
import Sampler

/// The fold of all records: what is known of a run. HUD, lines and recordings read it and nothing else.
///
/// It is a value: a paused picture is a copy. It has no clock and no descriptor: time moves with the
/// records, and the same records give the same `Run`. It stays below 1 MB; the list of processes beside it is
/// shared by all copies.
public struct Run: Sendable {
  public let header: RunHeader
  /// The figures at the newest sample, and `nil` before the first one.
  public private(set) var latest: Row?
  public private(set) var history: History
  /// The extremes since the start or the last reset.
  public private(set) var peaks = Peaks()
  /// The marks that the user set, oldest first; the last 64.
  public private(set) var marks: [Instant] = []
  /// Samples that found no place on their way, and readings that could not be made in time.
  public private(set) var lostSamples: UInt64 = 0
  /// Events of the program.
  public private(set) var receivedEvents: UInt64 = 0
  /// Events that were sent and have not arrived.
  public private(set) var lostEvents: UInt64 = 0
  /// Lines that were to be events and were not taken.
  public private(set) var badEvents: UInt64 = 0
  /// What the target runs: its command line with the name that belongs to it.
  public private(set) var program: ProgramChange
  /// Who hears what the program says of itself.
  public internal(set) var listener = EventListener.here
  /// Offset of the wall clock to the monotonic clock, in nanoseconds.
  public private(set) var wallClockOffset: UInt64
  /// When the target ended.
  public private(set) var ended: Instant?

  /// The chosen interval between samples, in nanoseconds.
  public private(set) var interval: UInt64
  private let anchor = Anchor()

  /// The extremes of the whole run, whatever the user resets.
  public private(set) var totalPeaks = Peaks()
  /// The first sample of the first target.
  public private(set) var first: FirstSample?
  /// The jobs that came to the foreground, oldest first; the last 64.
  public private(set) var jobs: [NamedMark] = []
  /// CPU time of targets that were followed before, each while it was followed, in seconds; `nil` if
  /// there was never another target.
  public private(set) var earlierTargetsCPUSeconds: Double?
  /// CPU time that the present target had used when it was first sampled, in seconds.
  public private(set) var targetStartCPUSeconds: Double?

  /// The frames of the leading source; `nil` without any.
  public internal(set) var frames: FrameStatistics?
  /// What the program shows or does, and its memory.
  public internal(set) var phases = PhaseTracker()
  public internal(set) var actions: ActionTracker
  /// The figures of the program's own.
  public internal(set) var values = ValueTable()
  /// The program loads.
  public internal(set) var loading: Loading?
  /// The program has said something.
  public internal(set) var hasEvents = false
  var toasts = ToastQueue()
  var limitWatch = LimitWatch()
  /// How much whoever leads tells of phases.
  var phaseRank = 0
  /// Phases that the user has begun.
  var markedPhases = 0
  /// What perfhud has found.
  public internal(set) var noticeList = NoticeList()
  /// The rules and what has become of them.
  public internal(set) var alerts: AlertList

  /// The processes or threads that a list shows; `nil` before any were asked for.
  public private(set) var processes: ProcessTable?
  private var bounds = CPULowerBounds()
  private var output = LastSecondSum()
  private var written = LastSecondSum()
  private var unchanged = LastSecondSum()
  private var unchangedCells = Reading<Double>.absent(.notRequested)
  private var answers = AnswerTimes()
  private var bytesPerFrame = Reading<Double>.absent(.notRequested)
  private var window: CPUShareWindow
  private var previous: Sample?
  /// The last sample of the present target.
  var latestSample: Sample? { targetHasSample ? previous : nil }
  /// By how many nanoseconds readings have been late of late: the greatest, fading by an eighth a sample.
  private(set) var lateness = 0.0
  /// The process that reports phases with its memory; 0 if none does.
  public internal(set) var reporter: Int32 = 0
  /// Whether `previous` is of the present target.
  private var targetHasSample = false
  /// The target has been started again: what lies between is not known.
  private var followsGap = false
  /// How often the target was started again.
  public private(set) var restarts = 0
  private var unansweredKey = UnansweredKey()
  /// Slow frames that the history has.
  private var seenSlowFrames: UInt64 = 0
  /// The rates of the slower sources, from the last pair of their readings.
  private var slow = CounterRates()

  public static let markCapacity = 64

  public init(_ header: RunHeader) {
    self.header = header
    program = ProgramChange(name: header.name, command: header.command)
    wallClockOffset = header.wallClockOffset
    interval = header.interval
    history = History(start: header.start, base: min(header.interval, 1_000_000_000))
    window = CPUShareWindow()
    actions = ActionTracker(threshold: header.highRate)
    alerts = AlertList(header.alerts)
    marks.reserveCapacity(Run.markCapacity + 1)
    jobs.reserveCapacity(Run.markCapacity + 1)
    if header.framesFromTerminal {
      frames = FrameStatistics(source: .terminal)
      bytesPerFrame = .absent(.pending)
      unchangedCells = .absent(.pending)
    } else if let period = header.tickPeriod {
      frames = FrameStatistics(source: .tick, period: period)
    }
    if header.matches > 1, let pattern = header.followed {
      var notice = Notice(.newest, Event.Name(pattern), at: header.start)
      notice.rate = Double(header.matches)
      noticeList.add(notice)
    }
  }

  /// Takes one record in. Complexity: constant, but for the frame percentiles at a sample.
  public mutating func apply(_ record: borrowing Record) {
    countEvents(record)
    switch copy record {
    case .sample(let sample): apply(sample)
    case .processes(let table): processes = table
    case .frame(let time, let source, let missed):
      addFrame(time, source, missed: missed)
    case .mergedFrame(let time): addFrame(time, .terminal, missed: 0, isMerged: true)
    case .output(let bytes, let time):
      if !output.isUsed { bytesPerFrame = .absent(.pending) }
      output.add(bytes, at: time)
      unansweredKey.end()
    case .cells(let count, let same, let time):
      written.add(count, at: time)
      unchanged.add(same, at: time)
    case .answer(let nanoseconds, let time): answers.add(nanoseconds: nanoseconds, at: time)
    case .unclearAnswer(let time): answers.addUnclear(at: time)
    case .event(let event, let time): apply(event, at: time)
    case .memory(let reading): apply(reading)
    case .unansweredKey(let since, _): unansweredKey.begin(since: since)
    case .target(let change, let time): apply(change, at: time)
    case .program(let change, _): program = change
    case .mark(let time):
      marks.append(time)
      if marks.count > Run.markCapacity { marks.removeFirst() }
      applyMark(at: time)
    case .peaksReset: peaks = Peaks()
    case .interval(let nanoseconds, _): interval = nanoseconds
    case .resumed: frames?.restart()
    case .clock(let offset, _): wallClockOffset = offset
    case .lost(let count, _): lostSamples += UInt64(count)
    case .listener(let listener, let time): apply(listener, at: time)
    case .eventsLost(_, let time): actions.noteLoss(at: time)
    case .eventsBad: break
    }
  }

  private mutating func countEvents(_ record: borrowing Record) {
    switch copy record {
    // What perfhud has found out by itself was not received.
    case .event(let event, _) where event.origin == .app:
      receivedEvents += 1
    case .eventsLost(let count, _): lostEvents += UInt64(count)
    case .eventsBad(let count, _): badEvents += UInt64(count)
    default: break
    }
  }

  /// History, peaks and marks go on; rates need two samples of the same target.
  private mutating func apply(_ change: TargetChange, at time: Instant) {
    let followed = latest?[.cpuTime].value.map { max(0, $0 - (targetStartCPUSeconds ?? $0)) }
    earlierTargetsCPUSeconds = (earlierTargetsCPUSeconds ?? 0) + (followed ?? 0)
    targetStartCPUSeconds = nil
    let hadEnded = ended != nil
    // Its command line is not known yet.
    program.name = ProcessName()
    window = CPUShareWindow()
    slow = CounterRates()
    unansweredKey = UnansweredKey()
    targetHasSample = false
    ended = nil
    processes = nil
    bounds = CPULowerBounds()
    alerts.restart()
    limitWatch.restart()
    // What the program before has said of itself holds no longer.
    phaseRank = 0
    values = ValueTable()
    if frames?.source == .app {
      frames =
        header.framesFromTerminal
        ? FrameStatistics(source: .terminal)
        : header.tickPeriod.map { FrameStatistics(source: .tick, period: $0) }
      seenSlowFrames = 0
    }
    if change.isRestart {
      applyRestart(change, hadEnded: hadEnded, at: time)
      return
    }
    // A shell at its prompt loads nothing; a job may be one of several that load something together.
    if !change.isMark { loading = nil }
    var event = Event(.phase)
    event.name = Event.Name(change.name.text)
    event.origin = .job
    apply(event, at: time)
    guard change.isMark else { return }
    jobs.append(NamedMark(time: time, name: change.name))
    if jobs.count > Run.markCapacity { jobs.removeFirst() }
  }

  /// - Parameter hadEnded: whether the target before has ended; else it was the wrapper of this one.
  private mutating func applyRestart(_ change: TargetChange, hadEnded: Bool, at time: Instant) {
    followsGap = true
    loading = nil
    guard hadEnded else { return }
    restarts += 1
    jobs.append(NamedMark(time: time, name: change.name, isRestart: true))
    if jobs.count > Run.markCapacity { jobs.removeFirst() }
    noticeList.add(Notice(.restarted, Event.Name(change.name.text), at: time))
  }

  private mutating func apply(_ sample: Sample) {
    var row = Row()
    row.time = sample.time
    row.sequence = sample.sequence
    row.pid = sample.pid
    row.name = sample.name
    row.state = sample.state
    row.hasEnded = sample.hasEnded
    row.isProvisional = sample.isProvisional
    row.ageSeconds = Double(sample.ageNanoseconds) * 1e-9
    row.cpuSource = sample.cpuSource
    row.limitSource = sample.limitSource
    row.leftOutProcesses = sample.leftOutProcesses
    bounds.update(sample)
    row.lowerBounds = bounds.metrics
    row.usableProcessors = sample.usableProcessors
    row.ownBytes = sample.ownAnonymousBytes
    if isFootprintLowerBound(sample) { row.lowerBounds.insert(.footprint) }
    row.pssAgeSeconds = max(0, sample.time.seconds(since: sample.pssTime))

    slow.update(sample)
    row[.minorFaults] = slow.minorFaults
    row[.majorFaults] = slow.majorFaults
    row[.readRate] = slow.readRate
    row[.writeRate] = slow.writeRate
    row[.cpuWait] = slow.cpuWait
    applyLimits(of: sample, slow, to: &row)

    row[.resident] = sample.residentBytes.map { Double($0) }
    row[.footprint] = footprint(of: sample)
    row[.pss] = sample.pssBytes.map { Double($0) }
    row[.swap] = sample.swapBytes.map { Double($0) }
    row[.memoryLimit] = sample.limitBytes.map { Double($0) }
    row[.threads] = sample.threads.map { Double($0) }
    row[.processes] =
      sample.countsAllProcesses ? .value(Double(sample.processes)) : .absent(.unsupported)
    row[.missedSamples] = .value(Double(sample.missed) + Double(lostSamples))
    row[.cpuTime] = sample.cpuNanoseconds.map { Double($0) * 1e-9 }
    // Figures of a part of perfhud that does not run in this mode.
    row[.actions] = .absent(.notRequested)

    row[.cpu] = rate(of: sample)
    window.add(sample)
    row[.cpuWindow] = window.percent(interval: interval)
    row.ownCPUPercent = window.ownPercent()
    applyFrames(to: &row)
    if let previous, previous.startTicks != sample.startTicks || previous.pid != sample.pid {
      replaceTrackedProcess()
    }
    applyTrackers(to: &row)
    if !alerts.isEmpty {
      alerts.take(row, leading: header.memory, interval: interval, notices: &noticeList)
    }

    // A reading that was missed, or refused on its way, leaves a gap.
    let continues =
      sample.missed == previous?.missed ?? 0
      && sample.sequence == (previous?.sequence).map { $0 &+ 1 } ?? 0 && !followsGap
    followsGap = false
    if first == nil { first = FirstSample(sample) }
    if targetStartCPUSeconds == nil { targetStartCPUSeconds = row[.cpuTime].value }
    unansweredKey.add(sample)
    lateness = max(Double(sample.lateNanoseconds), lateness * 7 / 8)
    if sample.hasEnded {
      if ended == nil { ended = sample.time }
      keepLastValues(in: &row)
    } else {
      let isWhole = window.isWhole(interval: interval)
      peaks.update(row, leading: header.memory.metric, isWholeWindow: isWhole)
      totalPeaks.update(row, leading: header.memory.metric, isWholeWindow: isWhole)
      if !sample.isProvisional { addToHistory(row, continues: continues) }
    }
    previous = sample
    targetHasSample = true
    latest = row
  }

  /// When the key was typed that a busy program has not answered; `nil` if there is none.
  public var unansweredSince: Instant? { unansweredKey.unansweredSince }

  /// The source that tells most about the program leads: frames of the others are not counted.
  mutating func addFrame(
    _ time: Instant, _ source: FrameSource, missed: UInt32, milliseconds: Double? = nil,
    isMerged: Bool = false
  ) {
    if let leading = frames?.source, leading.rawValue > source.rawValue { return }
    if frames?.source != source {
      frames = FrameStatistics(source: source)
      seenSlowFrames = 0
    }
    frames?.add(time, missed: missed, milliseconds: milliseconds, isMerged: isMerged)
  }

  /// Private anonymous memory, swap and page tables: the nearest to what phones call footprint. What forked
  /// processes share is counted once.
  private func footprint(of sample: Sample) -> Reading<Double> {
    sample.anonymousBytes.map {
      let sum =
        Double($0) + Double(sample.swapBytes.value ?? 0) + Double(sample.pageTableBytes.value ?? 0)
      return max(0, sum - Double(sample.sharedPrivateBytes))
    }
  }

  /// So much may be missing from a footprint that is no lower bound: a twentieth, and 1 MiB.
  private func isFootprintLowerBound(_ sample: Sample) -> Bool {
    guard let footprint = footprint(of: sample).value else { return false }
    return sample.leftOutProcesses > 0
      || Double(sample.uncertainSharedBytes) > max(1_048_576, footprint / 20)
  }

  /// CPU share over the interval since the sample before, in percent of one processor.
  private func rate(of sample: Sample) -> Reading<Double> {
    guard case .value(let now) = sample.cpuNanoseconds else {
      return sample.cpuNanoseconds.map { _ in 0 }
    }
    guard targetHasSample, let previous, previous.startTicks == sample.startTicks,
      previous.pid == sample.pid, let before = previous.cpuNanoseconds.value
    else { return .absent(.pending) }
    let elapsed = sample.time.nanoseconds(since: previous.time)
    guard elapsed > 0 else { return .absent(.pending) }
    return .value(100 * Double(now &- min(before, now)) / Double(elapsed))
  }

  /// The frame times of the whole run, and whose they are; `nil` if there was no frame.
  public var totalFrames: (source: FrameSource, times: FrameHistogram)? {
    guard let frames, frames.total.frames > 0 else { return nil }
    return (frames.source, frames.total)
  }

  /// Whether more than 3 % of the frames of the whole run may be several.
  public var framesAreLowerBound: Bool {
    guard let frames else { return false }
    return frames.merged * 33 > frames.total.frames
  }

  private mutating func applyFrames(to row: inout Row) {
    row[.bytesPerFrame] = bytesPerFrame
    row[.unchangedCells] = unchangedCells
    let seesKeys = header.framesFromTerminal
    row[.keyToFrame] =
      seesKeys ? answers.percentile(50, asOf: row.time) : .absent(.notRequested)
    row.keyToFrameP99 =
      seesKeys ? answers.percentile(99, asOf: row.time) : .absent(.notRequested)
    guard frames != nil else {
      row[.fps] = .absent(.notRequested)
      row[.frameMedian] = .absent(.notRequested)
      row[.frameP99] = .absent(.notRequested)
      row[.hitches] = .absent(.notRequested)
      return
    }
    guard let summary = frames?.summary(asOf: row.time) else { return }
    if frames?.source == .terminal, frames?.hasFrames != true {
      for metric in [Metric.fps, .frameMedian, .frameP99, .hitches] {
        row[metric] = .absent(.noFrames)
      }
    } else {
      row.fpsSource = frames?.source
      row[.fps] = summary.fps
      row[.frameMedian] = summary.medianMilliseconds
      row[.frameP99] = summary.p99Milliseconds
      row[.hitches] = summary.hitchMillisecondsPerSecond
      row.onePercentLow = summary.onePercentLow
      row.isIdle = summary.isIdle
      row.fpsIsLowerBound = summary.isLowerBound
    }
    // What is written while nothing is drawn belongs to no frame: the last figure stays.
    if output.isUsed, !summary.isResting, summary.framesInLastSecond > 0 {
      let bytes = output.sum(asOf: row.time)
      bytesPerFrame = .value(Double(bytes) / Double(summary.framesInLastSecond))
      row[.bytesPerFrame] = bytesPerFrame
    }
    let count = written.isUsed ? written.sum(asOf: row.time) : 0
    if count > 0 {
      unchangedCells = .value(100 * Double(unchanged.sum(asOf: row.time)) / Double(count))
      row[.unchangedCells] = unchangedCells
    }
  }

  private mutating func addToHistory(_ row: Row, continues: Bool) {
    func number(_ metric: Metric) -> Float { row[metric].value.map { Float($0) } ?? .nan }
    let values: InlineArray<4, Float> = [
      number(.cpu), number(header.memory.metric), number(.resident),
      // Idleness is a gap in the graph, not a low rate.
      row.isIdle ? .nan : number(.fps),
    ]
    history.add(
      values, at: row.time, continues: continues, slowestFrame: takeSlowestFrame())
  }

  /// The longest of the program's slow frames since the sample before, in ms; 0 without any. The tick is
  /// perfhud's own and tells of the machine.
  private mutating func takeSlowestFrame() -> Float {
    guard let frames, frames.source != .tick else { return 0 }
    let slow = frames.slowFrames
    let new = slow.total >= seenSlowFrames ? slow.total - seenSlowFrames : slow.total
    seenSlowFrames = slow.total
    var longest: Float = 0
    for age in 0..<min(Int(clamping: new), slow.count) {
      longest = max(longest, slow[age].milliseconds)
    }
    return longest
  }

  /// After the end the picture keeps the last figures of the living process.
  private func keepLastValues(in row: inout Row) {
    guard let latest else { return }
    for metric in Metric.allCases where row[metric].value == nil { row[metric] = latest[metric] }
    row[.cpu] = latest[.cpu]
    row[.cpuWindow] = latest[.cpuWindow]
  }
}
