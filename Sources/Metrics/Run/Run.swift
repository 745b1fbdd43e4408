import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The fold of all records: everything known about a run. HUD, batch output and recordings read only this.
///
/// It is a value; a paused picture is a copy. It has no clock and no descriptors: time advances with the records, so
/// the same records give the same `Run`. It takes little more than 1 MiB; all copies share the list of processes.
package struct Run: Sendable {
  package let header: RunHeader
  /// All metrics at the newest sample; `nil` before the first one.
  package private(set) var latest: Row?
  /// Empty after `leaveOutRecentValues`.
  package private(set) var history: History
  /// The extremes since the start or the last reset.
  package private(set) var peaks = Peaks()
  /// The marks that the user set, oldest first; the last 64.
  package private(set) var marks: [Instant] = []
  /// What the target runs: its command line, and the name that belongs to it.
  package private(set) var program: ProgramChange
  /// Who receives the events of the program.
  package internal(set) var listener = EventListener.here
  /// Offset of the wall clock to the monotonic clock, in nanoseconds.
  package private(set) var wallClockOffset: UInt64
  /// When the target ended.
  package private(set) var ended: Instant?

  /// The chosen interval between samples, in nanoseconds.
  package private(set) var interval: UInt64
  /// Whether all samples so far have had that interval.
  package private(set) var hasOneInterval = true
  private let anchor = Anchor()

  /// The jobs that came to the foreground, oldest first; the last 64.
  package private(set) var jobs: [NamedMark] = []
  /// The shell whose jobs are followed; `nil` until the target changes for the first time.
  private var shell: Int32?
  /// The frames of the leading source; `nil` without any.
  package internal(set) var frames: FrameStatistics?
  /// Whether rows have the frame times and hitches of the last seconds; see `leaveOutRecentValues`.
  private(set) var hasFrameTimes = true
  private var hasHistory = true
  var drawing = FrameDrawing()
  var keyedFrames = KeyedFrames()
  /// The phases of the program, and their memory.
  package internal(set) var phases = PhaseTracker()
  /// What the sampler should read because a phase has begun.
  package private(set) var memoryRequest = MemoryRequest()
  package internal(set) var actions: ActionTracker
  /// What the program has reported, besides phases, actions and frames.
  package internal(set) var reports = ProgramReports()
  var limitWatch = LimitWatch()
  var phaseSource = PhaseSource()
  /// The notices of perfhud.
  package internal(set) var noticeList = NoticeList()
  /// The rules and their state.
  package internal(set) var alerts: AlertList

  /// The statistics for the budgets of the header, and what has disturbed the run.
  private(set) var budgetStatistics: BudgetStatistics
  private var disturbanceTotals = DisturbanceTotals()
  private var others = OtherProcesses()

  /// The processes or threads that a list shows; `nil` until they are requested.
  package private(set) var processes: ProcessTable?
  /// The list of threads before the last one, if that had more: a process that ends loses one after another.
  private var fullerThreads: ProcessTable?
  /// The CPU share of the whole tree over the time that the shares of these processes cover, in percent of one core;
  /// `nil` if it is not known, or if the samples do not include the tree.
  package private(set) var processesCPUPercent: Double?
  /// The totals of the whole run, which a reset by the user does not affect.
  package private(set) var totals = RunTotals()
  /// Rates, shares and lower bounds, computed from pairs of samples.
  private(set) var rates = SampleRates()
  /// The output of the program under the overlay.
  var output: ProgramOutput
  private var unansweredKey = UnansweredKey()
  /// The memory of the other processes that borders since the last sample include, and when it was sampled.
  var borderOthers: (bytes: Double, sampled: Instant)?
  /// What the kernel says about peaks between two readings.
  var highWater = HighWaterMark()
  /// What the processes of the target that do not report phases had at the newest sample, and by how much that has grown
  /// since the sample before, if by more than noise; in bytes.
  var othersMovement: (last: Double?, bytes: Double) = (nil, 0)
  /// What the program had as its newest phase began, before the first sample of the target.
  var earlyBorder: EarlyBorder?

  package static let markCapacity = 64

  package init(_ header: RunHeader) {
    self.header = header
    program = ProgramChange(name: header.name, command: header.command)
    wallClockOffset = header.wallClockOffset
    interval = header.interval
    history = History(start: header.start, base: min(header.interval, 1_000_000_000))
    output = ProgramOutput(
      isSeen: header.framesFromTerminal,
      keepsAnswers: header.budgets.contains(where: \.needsAnswers)
    )
    actions = ActionTracker(threshold: header.highRate)
    alerts = AlertList(header.alerts)
    budgetStatistics = BudgetStatistics(header.budgets)
    marks.reserveCapacity(Run.markCapacity + 1)
    jobs.reserveCapacity(Run.markCapacity + 1)
    if header.framesFromTerminal {
      frames = FrameStatistics(source: .terminal)
    } else if let period = header.tickPeriod {
      frames = FrameStatistics(source: .tick, period: period)
    }
    if header.matches > 1, let pattern = header.followed {
      var notice = Notice(.newest, Event.Name(pattern), at: header.start)
      notice.rate = Double(header.matches)
      noticeList.add(notice)
    }
  }

  /// Applies one record. Complexity: constant, except for the frame percentiles at a sample.
  package mutating func apply(_ record: borrowing Record) {
    defer { updateMemoryRequest() }
    switch copy record {
    case .sample(let sample): apply(sample: sample)
    case .processes(let table): apply(table)
    case .activity(let activity): apply(activity: activity)
    case .answer(let nanoseconds, let time):
      output.answers.add(nanoseconds: nanoseconds, at: time)
      drawing.addAnswer()
      keyedFrames.addAnswer(at: time)
    case .unclearAnswer(let time): output.answers.addUnclear(at: time)
    case .event(let event, let time):
      totals.count(event)
      apply(event, at: time)
    case .loadingEnded: reports.loading = nil
    case .loadingGroup(let group, _): reports.loading?.speaker.group = group
    case .memory(let reading): apply(reading)
    case .phasePending(let time): phases.expect(border: time)
    case .unansweredKey(let since, _): unansweredKey.begin(since: since)
    case .target(let change, let time): apply(change, at: time)
    case .program(let change, _): program = change
    case .mark(let time):
      marks.append(time)
      if marks.count > Run.markCapacity { marks.removeFirst() }
      applyMark(at: time)
    case .peaksReset: peaks = Peaks()
    case .interval(let nanoseconds, _):
      if nanoseconds != interval { hasOneInterval = false }
      interval = nanoseconds
    case .resumed: frames?.restart()
    case .machine(let load, let time):
      disturbanceTotals.take(load, at: time)
      others.take(load, at: time, row: latest)
    case .clock(let offset, _): wallClockOffset = offset
    case .listener(let listener, let time): apply(listener, at: time)
    case .eventsLost(let count, let time):
      totals.countLost(count)
      actions.noteLoss(at: time)
      phases.noteLoss()
    case .eventsBad(let count, _): totals.countBad(count)
    }
  }

  private mutating func apply(_ table: ProcessTable) {
    // After the end there are no mappings to read.
    if ended != nil, table.request.kind == .mappings, processes?.request.kind == .mappings {
      return
    }
    fullerThreads = nil
    if let processes, processes.request.kind == .threads, table.request.kind == .threads,
      table.rows.count < processes.rows.count
    {
      if ended != nil { return }
      fullerThreads = processes
    }
    processes = table
    let isOfTree = header.includesChildren && table.request.kind == .processes
    processesCPUPercent = isOfTree ? rates.percent(of: table) : nil
  }

  private mutating func updateMemoryRequest() {
    memoryRequest = MemoryRequest(border: phases.borderToRead, sender: reports.sender)
  }

  /// Keeps all visits to phases (`PhaseTracker.everyVisit`), for a comparison. The run is then above 1 MB.
  package mutating func keepVisits() { phases.keepEveryVisit() }

  /// Leaves out what only a HUD shows, which costs more than anything else in a sample: the history, and in rows the
  /// frame times and hitches of the last seconds, unless a rule needs them.
  package mutating func leaveOutRecentValues() {
    let left: MetricSet = [.frameMedian, .frameP99, .hitches]
    var subjects = header.alerts.map(\.subject)
    for case .sampled(let subject, _) in header.budgets.map(\.metric) { subjects.append(subject) }
    hasFrameTimes = subjects.contains { left.contains($0.metric(leading: header.memory)) }
    hasHistory = false
  }

  /// Applies something that happens often: the same as applying its record, but faster.
  package mutating func apply(activity: Activity) {
    switch activity {
    case .frame(let time, let source, let missed): addFrame(time, source, missed: missed)
    case .mergedFrame(let time): addFrame(time, .terminal, missed: 0, isMerged: true)
    case .updateFrame(let time): addFrame(time, .terminal, missed: 0, isUpdate: true)
    case .output(let bytes, let time):
      output.addBytes(bytes, at: time)
      unansweredKey.end()
    case .cells(let written, let unchanged, let time):
      output.addCells(written, unchanged: unchanged, at: time)
    }
  }

  /// Changes the target. History and marks continue. Peaks continue if the program was started again, but each job of a
  /// shell has its own. Rates need two samples of the same target.
  private mutating func apply(_ change: TargetChange, at time: Instant) {
    totals.changeTarget(after: latest)
    if !change.isRestart {
      shell = shell ?? latest?.pid
      // Any other change stays within the same job.
      if change.isMark || change.pid == shell { peaks = Peaks() }
    }
    let hadEnded = ended != nil
    // Its command line is not known yet.
    program.name = ProcessName()
    rates.changeTarget()
    others.restart()
    othersMovement = (nil, 0)
    drawing = FrameDrawing()
    keyedFrames = KeyedFrames()
    unansweredKey = UnansweredKey()
    ended = nil
    processes = nil
    fullerThreads = nil
    processesCPUPercent = nil
    alerts.restart(notices: &noticeList)
    limitWatch.restart()
    // What the previous program has reported about itself no longer holds.
    phaseSource.changeTarget()
    reports.values = ValueTable()
    if frames?.source == .app {
      frames =
        header.framesFromTerminal
        ? FrameStatistics(source: .terminal)
        : header.tickPeriod.map { FrameStatistics(source: .tick, period: $0) }
    } else if hadEnded, frames?.source == .tick {
      // The tick stopped at the end of the previous target.
      frames?.restart()
    }
    if change.isRestart {
      applyRestart(change, hadEnded: hadEnded, at: time)
      return
    }
    // A shell at its prompt is not loading anything; a job may be one of several that load something together.
    if !change.isMark { reports.loading = nil }
    var event = Event(.phase)
    event.name = Event.Name(change.name.text)
    event.origin = .job
    // A job right after another one of its name, as in a loop, is another visit.
    if change.isMark, phases.current?.name == event.name {
      var end = Event(.phase)
      end.origin = .job
      apply(end, at: time)
    }
    apply(event, at: time)
    guard change.isMark else { return }
    jobs.append(NamedMark(time: time, name: change.name))
    if jobs.count > Run.markCapacity { jobs.removeFirst() }
  }

  /// Begins anew with or without the descendants of the target: values from before cannot be compared with those to
  /// come. What the program has reported, its frames, marks and rules go on.
  package mutating func startAnew(includesChildren: Bool, at time: Instant) {
    var header = header
    header.includesChildren = includesChildren
    header.matches = 1
    var next = Run(header)
    next.history = History(start: time, base: min(header.interval, 1_000_000_000))
    next.interval = interval
    next.wallClockOffset = wallClockOffset
    next.program = program
    next.listener = listener
    next.totals = totals.startedAnew()
    next.marks = marks
    next.jobs = jobs
    next.frames = frames
    next.drawing = drawing
    next.keyedFrames = keyedFrames
    next.actions = actions
    next.reports = reports
    next.phaseSource = phaseSource
    next.output = output
    next.noticeList = noticeList
    next.alerts = alerts
    next.alerts.restart(notices: &next.noticeList)
    if let phase = phases.current {
      next.phases.enter(
        phase.event, at: time, level: nil, moved: 0, notices: &next.noticeList)
    }
    next.updateMemoryRequest()
    self = next
  }

  /// - Parameter hadEnded: whether the previous target has ended; otherwise it was the wrapper of this one.
  private mutating func applyRestart(_ change: TargetChange, hadEnded: Bool, at time: Instant) {
    rates.beginGap()
    reports.loading = nil
    guard hadEnded else { return }
    totals.restarts += 1
    jobs.append(NamedMark(time: time, name: change.name, isRestart: true))
    if jobs.count > Run.markCapacity { jobs.removeFirst() }
    noticeList.add(Notice(.restarted, Event.Name(change.name.text), at: time))
  }

  /// Applies a sample: the same as applying its record, but without copying the sample.
  package mutating func apply(sample: Sample) {
    defer { updateMemoryRequest() }
    var row = Row(sample)
    rates.update(sample, interval: interval, row: &row)
    row.applyMemory(of: sample)
    applyLimits(of: sample, rates.counters, to: &row)
    row[.missedSamples] = .value(Double(sample.missed))
    // The parts of perfhud that measure these do not run in every mode.
    row[.actions] = .absent(.notRequested)
    applyFrames(to: &row)
    if rates.isOtherProcess(sample) { replaceTrackedProcess() }
    noteOthers(row, sample)
    if borderOthers != nil { correctBorders(row, sample) }
    noteHighWater(row, sample)
    if earlyBorder != nil { countEarlyBorder(row, sample) }
    applyTrackers(to: &row)
    if !alerts.isEmpty {
      alerts.take(row, leading: header.memory, interval: interval, notices: &noticeList)
    }

    let continues = rates.continues(sample)
    totals.apply(sample, cpuSeconds: row[.cpuTime].value)
    disturbanceTotals.take(sample, missed: row[.missedSamples].value ?? 0)
    let isWhole = rates.hasWholeWindow(interval: interval)
    let hasFinalCPU = rates.hasFinalCPU(sample)
    if budgetStatistics.isNeeded {
      budgetStatistics.take(
        row, leading: header.memory, isWholeWindow: isWhole, hasFinalCPU: hasFinalCPU)
    }
    unansweredKey.add(sample)
    if sample.hasEnded {
      if ended == nil { end(at: sample.time) }
      var seen = Peaks()
      seen.cpu = hasFinalCPU && isWhole ? row[.cpuWindow].value : nil
      peaks.merge(seen)
      totals.peaks.merge(seen)
      keepLastValues(in: &row, keepsCPU: seen.cpu == nil)
    } else {
      var seen = Peaks()
      seen.cpu = isWhole ? row[.cpuWindow].value : nil
      seen.memoryHigh = row[header.memory.metric].value
      seen.memoryMost = row.greatestPossible(header.memory.metric, sample)
      seen.resident = row[.resident].value
      seen.residentAlone = row[.processes].value == 1 ? seen.resident : nil
      peaks.merge(seen)
      totals.peaks.merge(seen)
      if hasHistory, !sample.isProvisional { addToHistory(row, continues: continues) }
    }
    rates.finish(sample, row)
    latest = row
  }

  /// The CPU share of all other processes of the machine over the last second, without perfhud, in percent of one core;
  /// `nil` if it is not known.
  package var othersCPUPercent: Double? { others.percent }

  /// The rates of the last seconds.
  package var recentRates: RecentRates { rates.recent }

  private mutating func end(at time: Instant) {
    ended = time
    if let fullerThreads { processes = fullerThreads }
    fullerThreads = nil
  }

  /// Takes memory that was read between two samples.
  ///
  /// - Parameters:
  ///   - bytes: the leading memory metric.
  ///   - resident: the resident memory of the process, if that is all of the target's.
  mutating func noteMemory(_ bytes: Double, resident: Double? = nil) {
    var seen = Peaks()
    seen.memoryHigh = bytes
    seen.residentBetween = resident
    peaks.merge(seen)
    totals.peaks.merge(seen)
  }

  /// Compares the kernel's high-water mark with what was read.
  private mutating func noteHighWater(_ row: Row, _ sample: Sample) {
    guard !sample.hasEnded else { return }
    let level = row[header.memory.metric].value
    guard let missed = highWater.take(sample, leading: level, start: header.start) else { return }
    phases.noteMissedPeak(missed)
    var seen = Peaks()
    seen.memoryPossible = missed.most
    seen.residentMark = missed.resident
    peaks.merge(seen)
    totals.peaks.merge(seen)
  }

  /// When the unanswered key of a busy program was typed; `nil` if there is none.
  package var unansweredSince: Instant? { unansweredKey.unansweredSince }

  /// What has disturbed the run so far, on average.
  ///
  /// - Parameter cpuSeconds: the CPU time of the target, if a better value than that of the samples is known.
  package func disturbance(cpuSeconds: Double? = nil) -> Disturbance {
    disturbanceTotals.means(cpuSeconds: cpuSeconds)
  }

  private mutating func addToHistory(_ row: borrowing Row, continues: Bool) {
    func number(_ reading: Reading<Double>) -> Float { reading.value.map { Float($0) } ?? .nan }
    let (read, written) = (row[.readRate].value, row[.writeRate].value)
    // The share since a provisional sample is of less than an interval; the other one is of all since the start.
    let cpu = latest?.isProvisional == true ? row[.cpuWindow] : row[.cpu]
    let values: InlineArray<4, Float> = [
      number(cpu), number(row[header.memory.metric]),
      read == nil && written == nil ? .nan : Float((read ?? 0) + (written ?? 0)),
      // Idleness is a gap in the graph, not a low rate.
      row.isIdle ? .nan : number(row[.fps]),
    ]
    history.add(
      values, at: row.time, continues: continues, slowestFrame: frames?.takeSlowestNewFrame() ?? 0)
  }

  /// Keeps the last values of the process from before its end.
  private func keepLastValues(in row: inout Row, keepsCPU: Bool) {
    guard let latest else { return }
    for metric in Metric.allCases where row[metric].value == nil { row[metric] = latest[metric] }
    if keepsCPU { row[.cpuWindow] = latest[.cpuWindow] }
    // The share of a fraction of an interval would be noise.
    let isWhole = row.time.nanoseconds(since: latest.time) >= Int64(interval / 2)
    if keepsCPU || !isWhole { row[.cpu] = latest[.cpu] }
  }
}
