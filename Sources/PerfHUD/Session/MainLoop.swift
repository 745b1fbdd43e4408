import CProcess
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Sampler

/// The single loop of all modes: sleep, keys, records, picture. It owns the run.
///
/// Its turns follow docs/ARCHITECTURE.md. A tick costs one system call.
struct MainLoop<Front: Frontend & ~Copyable>: ~Copyable {
  private(set) var live: LiveRun
  private(set) var frontend: Front
  private let sampler: SamplerThread
  private let signals: SignalDescriptor
  private var events: EventReceiver
  /// `nil` for a run without a tick.
  private var tick: TickSchedule?
  private let end: Instant?
  private let targetEnd: TargetEnd
  /// How long a row may wait for others, in nanoseconds; `nil` if no samples are gathered for rows.
  private let patience: UInt64?
  private var target: SampledTarget
  /// Whether the user wants the children counted, if that has been changed and no sample follows it yet.
  private var countsChildren: Bool?
  /// Adopts orphans of the command. The child is perfhud's own and not an orphan.
  private let orphans: (reaper: OrphanReaper, child: Int32)?
  /// The list that the sampler was asked to provide.
  private var table: ProcessTableRequest?
  private var details = DetailsReader()
  /// When the loop last checked which descriptors are ready.
  private var lastLook = Instant.now()
  /// How long ready descriptors may have waited until the loop noticed them, in nanoseconds.
  private var readyLateness: Int64 = 0
  /// A wait shorter than this, in nanoseconds, has not slept: something was ready before it began.
  private static var leastSleep: Int64 { 100_000 }
  private var alertAction: AlertAction
  /// The interval chosen by the user, in nanoseconds.
  private var interval: UInt64
  /// How many samples wake this thread together.
  private var gathered: Int
  /// Whether half of the samples are omitted because nobody is watching.
  private var isSlowed = false
  private var machine: MachineWatch
  /// Whether the code that only the start needed is still in memory.
  private var holdsStartupCode = true
  /// How long after the first sample the start counts as over, in nanoseconds.
  private static var startTime: Int64 { 1_000_000_000 }
  /// Whether the sampler has been asked for the last sample.
  private var isEndRequested = false

  /// - Parameters:
  ///   - recorder: writes the recording, if there is one.
  ///   - metrics: writes the metrics for a collector, if requested.
  ///   - end: when the run is over, whatever happens.
  ///   - targetEnd: what happens when the target ends.
  ///   - gathered: how many samples the sampler gathers for rows (`SamplerThread.gather`).
  ///   - events: receives the events of programs.
  ///   - orphans: adopts orphans of the command; the child is not an orphan.
  init(
    run: consuming Run, recorder: RunRecorder? = nil,
    metrics: [any MetricsOutput] = [], frontend: consuming Front,
    sampler: SamplerThread,
    signals: consuming SignalDescriptor, end: Instant?, targetEnd: TargetEnd, gathered: Int = 1,
    events: consuming EventReceiver = EventReceiver(),
    orphans: (reaper: OrphanReaper, child: Int32)? = nil,
    alerts: consuming AlertAction = AlertAction()
  ) throws(RunError) {
    interval = run.header.interval
    alertAction = alerts
    live = LiveRun(run, recorder: recorder, metrics: metrics)
    tick = live.value.header.tickPeriod.map { TickSchedule(period: $0) }
    machine = MachineWatch(live, isShown: frontend.showsMessages)
    self.frontend = frontend
    self.sampler = sampler
    target = SampledTarget(sampler: sampler)
    self.signals = signals
    self.end = end
    self.targetEnd = targetEnd
    self.gathered = gathered
    patience = gathered > 1 ? BatchFrontend.patience : nil
    self.events = events
    self.orphans = orphans
    readMachine()
  }

  /// Records how busy the machine was: at the start, at the end, and in between as `MachineWatch` specifies.
  mutating func readMachine() { machine.record(into: &live) }

  /// Runs turns until something ends the run. If one fails, ends the recording. Destroying the loop restores the
  /// terminal.
  mutating func run() throws(RunError) -> LoopOutcome {
    do throws(RunError) {
      return try takeTurns()
    } catch {
      endFiles()
      throw error
    }
  }

  private mutating func takeTurns() throws(RunError) -> LoopOutcome {
    var poller = Poller()
    let signalSlot = poller.add(signals.raw)
    let samplerSlot = poller.add(sampler.wakeDescriptor)
    frontend.register(with: &poller)
    events.register(with: &poller)
    var requests = LoopRequests()
    var hasTargetEnded = false
    while true {
      var now = Instant.now()
      try frontend.present(run: live.value, now: now, poller: &poller)
      // The hangup signal may come later than the end of the input.
      if frontend.isDone { return frontend.hasHungUp ? .signal(SIGHUP) : .done }
      if hasTargetEnded, frontend.isDrained { return .targetEnded }
      updateTick(now: now)
      updateTable()
      updateGathering()
      // While the tick wakes this thread anyway, samples wait for it, except for the first values.
      let samplesWait = frontend.isFull || (tick?.isRunning == true && hasValues)
      poller.replace(samplesWait ? nil : sampler.wakeDescriptor, slot: samplerSlot)
      let hasTicked = sleep(&poller, until: deadline(now: now), now: &now)
      if let end, now >= end { return .done }

      if poller.isReady(signalSlot) {
        while let (signal, isFromKernel) = signals.nextWithSender() {
          if let end = try serve(signal, isFromKernel, now: now) { return end }
        }
      }
      if gathered > 1, !frontend.isFull {
        // Gathered samples were taken before what arrives now; one that has just woken this thread may be later.
        let mayBeLater = hasTicked || poller.isReady(samplerSlot)
        if sampler.waiting > (mayBeLater ? 1 : 0) {
          try collect(now: now, leavesNewest: mayBeLater)
        }
      }
      let eventsBefore = live.value.totals.receivedEvents
      frontend.readInput(poller, run: &live, now: now, into: &requests)
      events.takeRecords(&poller, now: now, into: &live)
      if live.value.totals.receivedEvents != eventsBefore { frontend.noteEvents() }
      target.readMemoryAtBorder(of: live.value, turn: lastLook, lateness: readyLateness)
      if requests.awaitsLastSample { requestLastSample() }
      if let change = requests.target { target.request(change) }
      updatePace(now: now)
      for signal in requests.signals {
        if let end = try serve(signal, false, now: now) { return end }
      }
      if requests.stops { try suspend() }
      for request in requests.hud {
        if request == .quit { return .done }
        try serve(request, now: now)
      }
      requests.reset()

      let isWoken = poller.isReady(samplerSlot)
      // This comes before the samples are taken, so that a sample arriving in between wakes this thread again.
      if isWoken { sampler.acknowledge() }
      if hasTicked || isWoken, !frontend.isFull {
        try collect(now: now)
        hasTargetEnded = targetEnd == .endsRun && live.value.ended != nil
      }
      live.writeIfDue(now: now)
      if let result = live.takeLastRecording() { frontend.noteLast(result) }
      if let process = target.takeListener() {
        events.follow(process: process, poller: &poller, now: now)
      }
    }
  }

  /// Restores the terminal, and takes the events and samples that are still waiting. If their rows cannot be written,
  /// ends the recording.
  mutating func close() throws(RunError) {
    readMachine()
    frontend.close()
    do throws(RunError) {
      // Gathered samples were taken before the events that still wait; the newest may be later than these.
      try collect(now: .now(), isLast: true, leavesNewest: true)
      events.close(now: .now(), into: &live)
      try collect(now: .now(), isLast: true)
      try frontend.flushLast()
    } catch {
      endFiles()
      throw error
    }
  }

  /// Takes what still waits, without rows, and ends recording and metrics after an error, which alone is reported.
  private mutating func endFiles() {
    while takesSamples, let sample = sampler.next() {
      guard target.admit(sample, isFollowed: live.value.header.followed != nil) else { continue }
      live.apply(.sample(sample))
    }
    _ = finishRecording()
  }

  /// Ends the recording, if there is one.
  ///
  /// - Parameters:
  ///   - time: when the run was over.
  ///   - command: how the command ended.
  /// - Returns: the problem with it; `nil` if there was none.
  mutating func finishRecording(at time: Instant = .now(), _ command: CommandEnd? = nil) -> String?
  {
    live.finish(
      RecordingEnd(time: time, command: command), listsFiles: frontend.showsMessages)
  }

  private func deadline(now: Instant) -> Instant? {
    // A hanging read must not delay the samples before it.
    let rows = patience.map { now.advanced(byNanoseconds: Int64($0)) }
    let due = earliest(frontend.deadline(now: now), events.deadline(now: now))
    return earliest(earliest(earliest(due, rows), end), live.deadline)
  }

  /// Whether there has been a CPU value.
  private var hasValues: Bool { live.value.latest?[.cpuWindow].value != nil }

  /// Sleeps until there is something to do, and handles ticks meanwhile. Nothing else is touched for a tick, since most
  /// of its cost is memory that must be brought back into the caches.
  ///
  /// - Returns: whether the last thing handled was a tick.
  private mutating func sleep(
    _ poller: inout Poller, until deadline: Instant?, now: inout Instant
  ) -> Bool {
    while true {
      // Drawing has taken some time: read the clock again, or the tick would be late by that time.
      let before = Instant.now()
      let hasReady = poller.wait(until: earliest(deadline, tick?.due), now: before)
      now = Instant.now()
      let hasSlept = now.nanoseconds(since: before) >= MainLoop.leastSleep
      readyLateness = hasSlept ? 0 : now.nanoseconds(since: lastLook)
      lastLook = now
      let hasTicked = serveTick(now: now)
      // During the pauses of the tick, samples wake this thread, if the loop requests that.
      if hasReady || !hasTicked || sampler.hasNext || tick?.isRunning != true { return hasTicked }
      if let deadline, now >= deadline { return hasTicked }
    }
  }

  /// Runs the tick while its rate is shown and there is a target to show it for.
  private mutating func updateTick(now: Instant) {
    // Comparing the row with nil would copy it, in each turn.
    let hasSample = if case .some = live.value.latest { true } else { false }
    let hasTarget = live.value.ended == nil && (hasSample || live.value.header.followed == nil)
    if frontend.showsFrames, hasTarget { tick?.start(now: now) } else { tick?.stop() }
  }

  /// Requests the list of processes or threads that is shown on the screen.
  private mutating func updateTable() {
    let wanted = frontend.wantedTable
    guard wanted != table else { return }
    table = wanted
    sampler.request(.showTable(wanted))
  }

  /// Requests the last sample: otherwise the sampler may notice the end only when the next sample is due.
  private mutating func requestLastSample() {
    guard !isEndRequested else { return }
    isEndRequested = true
    sampler.request(.readEnd)
  }

  /// Lets samples that come faster than pictures wake this thread together, once the first values are shown.
  private mutating func updateGathering() {
    guard patience == nil, frontend.gathering > 0 else { return }
    let pace = isSlowed ? 2 * interval : interval
    let wanted = hasValues ? Int((frontend.gathering + pace - 1) / pace) : 1
    guard wanted != gathered else { return }
    sampler.gather(wanted)
    // No other sample may come soon to bring those that wait.
    if wanted < gathered, sampler.hasNext { sampler.wakeAgain() }
    gathered = wanted
  }

  /// The greatest resident memory of an orphan that has ended, in bytes; 0 without any.
  var orphanBytes: UInt64 { orphans?.reaper.maxResidentBytes ?? 0 }

  private func reapOrphans() {
    if let orphans { orphans.reaper.reap(except: orphans.child) }
  }

  /// Serves the tick, if it is due. Returns whether it was.
  private mutating func serveTick(now: Instant) -> Bool {
    guard let missed = tick?.serve(now: now, isShown: frontend.showsEachFrame) else { return false }
    live.apply(activity: .frame(now, .tick, missed: UInt32(clamping: missed)))
    return true
  }

  /// - Returns: how the run ends, if the signal ends it.
  private mutating func serve(
    _ signal: Int32, _ isFromKernel: Bool, now: Instant
  ) throws(RunError) -> LoopOutcome? {
    if signal == SIGUSR2, live.keepsLast {
      if !frontend.isFull { try collect(now: now) }
      frontend.noteLast(live.writeLast(now: now))
      return nil
    }
    if try frontend.take(signal: signal, isFromKernel: isFromKernel, now: now) { return nil }
    developerLog("developer-log: signal \(signal)")
    switch LoopSignal(signal) {
    case .resize: frontend.resize()
    case .suspend: try suspend()
    case .resume:
      try frontend.resume()
      live.apply(.resumed(Instant.now()))
    case .child:
      reapOrphans()
      alertAction.reap()
    case .ignore: break
    case .end: return .signal(signal)
    }
    return nil
  }

  private mutating func serve(_ request: HUDRequest, now: Instant) throws(RunError) {
    switch request {
    case .quit: break
    case .interval(let nanoseconds):
      interval = nanoseconds
      setPace(now: now)
    case .apply(let settings):
      alertAction.apply(settings)
      guard settings.interval != interval else { break }
      interval = settings.interval
      setPace(now: now)
    case .mark: live.apply(.mark(now))
    case .resetPeaks: live.apply(.peaksReset(now))
    case .readPSS: sampler.request(.readPSS)
    case .countChildren(let isCounted):
      countsChildren = isCounted
      sampler.request(.countChildren(isCounted))
    case .recordLast: frontend.noteLast(live.writeLast(now: now))
    case .suspend: try suspend()
    case .redraw: frontend.redrawAll()
    // A frontend that supports these handles them itself.
    case .hide, .corner, .nextSize, .back, .save, .signal, .renice, .replay: break
    }
  }

  /// Samples half as often while nobody watches the HUD.
  private mutating func updatePace(now: Instant) {
    guard frontend.isUnwatched != isSlowed else { return }
    isSlowed.toggle()
    developerLog("developer-log: nobody looks: \(isSlowed)")
    setPace(now: now)
  }

  private mutating func setPace(now: Instant) {
    let nanoseconds = isSlowed ? 2 * interval : interval
    live.apply(.interval(nanoseconds, now))
    sampler.request(.setInterval(nanoseconds: nanoseconds))
  }

  private mutating func reportAlerts() {
    let limit = alertAction.limitLines(live.value.limitReport)
    if !limit.isEmpty { frontend.noteAlerts(limit, rings: false) }
    guard !live.value.alerts.isEmpty else { return }
    let news = alertAction.update(live.value.alerts, live.value.latest)
    guard !news.lines.isEmpty else { return }
    frontend.noteAlerts(news.lines, rings: news.rings)
    live.noteAlert()
  }

  /// Suspends the job. Ticks and samples during the stop do not count as missed.
  private mutating func suspend() throws(RunError) {
    sampler.request(.pause)
    defer { sampler.request(.resume) }
    try frontend.suspend()
    live.apply(.resumed(Instant.now()))
    tick?.stop()
  }

  /// Takes all samples that have arrived into the run.
  ///
  /// - Parameters:
  ///   - isLast: whether samples must not wait for room for their rows.
  ///   - leavesNewest: whether the newest sample is left for later.
  private mutating func collect(
    now: Instant, isLast: Bool = false, leavesNewest: Bool = false
  ) throws(RunError) {
    noticeClockStep(now: now)
    releaseStartupCode(now: now)
    if machine.isDue(now) { readMachine() }
    reapOrphans()
    target.takeMemory(into: &live)
    while takesSamples, var sample = nextSample(leavesNewest: leavesNewest) {
      guard target.admit(sample, isFollowed: live.value.header.followed != nil) else { continue }
      guard frontend.admit(&sample, includesDescendants: live.value.header.includesChildren) else {
        continue
      }
      startAnewIfChanged(sample)
      target.note(sample, listens: frontend.listensToTarget, into: &live)
      live.apply(.sample(sample))
      if let row = live.value.latest { try frontend.take(row, run: live.value) }
      reportAlerts()
      if frontend.isFull, !isLast {
        // The rest is taken when there is room again. The last sample does not wake this thread again.
        if sampler.hasNext { sampler.wakeAgain() }
        return
      }
    }
    if table != nil, let list = sampler.nextTable() {
      let isShown = frontend.showsProcessDetails
      let table =
        isShown || frontend.wantsProcessDetails
        ? details.complete(list, of: live.value.latest?.pid, isBesideList: isShown) : list
      live.apply(.processes(table))
    }
  }

  /// Whether samples still count: one after the end only repeats it, unless it belongs to another target.
  private var takesSamples: Bool {
    live.value.ended == nil || targetEnd == .continuesWithNext
      || live.value.latest?.isZombie == true
  }

  private func nextSample(leavesNewest: Bool) -> Sample? {
    leavesNewest && sampler.waiting <= 1 ? nil : sampler.next()
  }

  /// Begins the run anew with the first sample that includes the children of the target, or no longer does.
  private mutating func startAnewIfChanged(_ sample: Sample) {
    guard let countsChildren, sample.includesChildren == countsChildren, !sample.hasEnded else {
      return
    }
    self.countsChildren = nil
    developerLog("developer-log: children are counted: \(countsChildren)")
    live.startAnew(includesChildren: countsChildren, at: sample.time)
    frontend.noteStartedAnew()
  }

  /// Releases, once, the memory of code that only the start needed.
  private mutating func releaseStartupCode(now: Instant) {
    guard holdsStartupCode, let first = live.value.totals.first,
      now.nanoseconds(since: first.time) >= MainLoop.startTime
    else { return }
    holdsStartupCode = false
    perfhud_release_startup_code()
  }

  private mutating func noticeClockStep(now: Instant) {
    let offset = wallClockOffset()
    // The two clocks are read one after the other, so a difference below 10 ms is not a step of the wall clock.
    if Int64(bitPattern: offset &- live.value.wallClockOffset).magnitude > 10_000_000 {
      live.apply(.clock(offset: offset, now))
    }
  }
}
