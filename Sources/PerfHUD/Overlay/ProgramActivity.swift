import HUD
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

/// The command's activity as its output shows it: frames, answers to keys, phases, its own events, and which job of a
/// shell has the terminal.
struct ProgramActivity: ~Copyable {
  /// Whether the HUD shows the command. If it shows another process, nothing of the command is counted.
  private let isCounted: Bool
  /// Whether events in its output are dropped.
  private let refusesEvents: Bool
  private var meter = FrameMeter()
  private var answers = AnswerMeter()
  private var processorWait = ProcessorWait()
  /// Frames that have ended since the last `takeRecords`.
  private var frames: [FrameMeter.Frame] = []
  private var phases: PhaseDetector
  /// Phases that have begun since the last `takeRecords`.
  private var newPhases: [(event: Event, time: Instant)] = []
  /// Follows the job that the HUD shows under a shell; `nil` if it shows one command or process.
  private var follower: ForegroundFollower?
  /// Measures the job that has the terminal.
  private var job: JobMeter?
  /// Jobs that were stopped and may be continued.
  private var stoppedJobs: [JobMeter] = []
  /// The first key since the last output.
  private(set) var unansweredKey: Instant?
  private var isUnansweredReported = false
  /// The number of lost events that the run already knows.
  private var reportedLostEvents = 0

  /// If a key is followed by no output for this long, the program has not answered; nanoseconds.
  private static let answerLimit: Int64 = 500_000_000
  /// A message at most this old may be attributed to the job that has the terminal; nanoseconds.
  private static let claimTime: Int64 = 250_000_000

  /// - Parameter shell: the shell whose foreground job is shown; `nil` if the command itself is shown.
  init(isCounted: Bool, settings: Settings, shell: Int32?) {
    self.isCounted = isCounted
    refusesEvents = settings.refusesEvents || settings.refusesOutputEvents
    phases = PhaseDetector(choice: settings.phaseChoice)
    follower = shell.map { ForegroundFollower(shell: $0) }
  }

  // MARK: Keys and output

  /// Notes that keys were passed to the command.
  mutating func noteKeys(_ compositor: inout Compositor, now: Instant) {
    if isCounted {
      answers.noteKey(at: now, &compositor)
      meter.noteKey(at: now)
    }
    if unansweredKey == nil { unansweredKey = now }
    follower?.noteActivity()
  }

  /// Whether a key has not been followed by output yet.
  var awaitsAnswer: Bool { unansweredKey != nil }

  /// Notes that the command was stopped and need not answer a key.
  mutating func noteStop(_ compositor: inout Compositor) {
    forgetKey()
    answers.forgetKey(&compositor)
  }

  private mutating func forgetKey() {
    unansweredKey = nil
    isUnansweredReported = false
  }

  /// Notes that output was read and is about to be passed.
  ///
  /// - Returns: how long perfhud waited for a processor meanwhile, in nanoseconds. Pass it to `endOutput`.
  mutating func beginOutput(_ compositor: inout Compositor, now: Instant) -> Int64 {
    forgetKey()
    follower?.noteActivity()
    let wait = processorWaitOfFrame()
    if meter.endBurst(now: now, wait: wait) { compositor.noteFrameEnd() }
    return wait
  }

  /// Notes that output was passed.
  mutating func endOutput(
    _ count: Int, wait: Int64, _ compositor: inout Compositor, now: Instant
  ) {
    lookForPhase(compositor, now: now)
    let piece = FrameMeter.Piece(
      bytes: count, updateEnds: compositor.updateEnds, isUpdating: compositor.isProgramUpdating,
      isDrawing: compositor.takeDrawing(), isRedraw: compositor.takeRedraw(),
      isUnfinished: !compositor.screen.isAtGround)
    meter.add(piece, at: now, wait: wait)
    takeFrames()
  }

  /// How long this thread has waited for a processor since the last output, while the command is drawing.
  private mutating func processorWaitOfFrame() -> Int64 {
    guard isCounted, meter.isDrawing else {
      processorWait.skip()
      return 0
    }
    return processorWait.sinceLast()
  }

  /// Ends a frame that was followed by silence.
  private mutating func endFrame(_ compositor: inout Compositor, isSilent: Bool, now: Instant) {
    guard isSilent else { return meter.hold(at: now) }
    guard meter.endBurst(now: now) else { return }
    compositor.noteFrameEnd()
    takeFrames()
  }

  private mutating func takeFrames() {
    meter.takeFrames { frame in
      answers.noteFrame(at: frame.time)
      if frame.isDrawn { frames.append(frame) }
    }
  }

  // MARK: Phases

  /// Looks for a new phase after output has passed.
  private mutating func lookForPhase(_ compositor: borrowing Compositor, now: Instant) {
    let view = PhaseDetector.View(
      titleChanges: compositor.screen.titleChanges, shellMarks: compositor.screen.shellMarkCount,
      commandsStarted: compositor.screen.commandsStarted,
      isCommandRunning: compositor.screen.isCommandRunning)
    guard isCounted, view != phases.view else { return }
    let title = view.titleChanges != phases.view.titleChanges ? compositor.screen.title : ""
    let command = compositor.screen.commandText
    let begins = phases.look(at: view, now: now, title: { title }, command: { command })
    for begin in begins { note(begin) }
  }

  private mutating func note(_ begin: PhaseDetector.Begin) {
    var event = Event(.phase)
    event.name = begin.name
    event.origin = begin.source
    newPhases.append((event, begin.time))
  }

  // MARK: The foreground job

  /// Whether to check which job has the terminal.
  func isLookDue(now: Instant) -> Bool { follower?.isLookDue(now: now) == true }

  /// Takes the process group that has the terminal.
  ///
  /// - Returns: another group to sample from now on, if any.
  mutating func look(_ group: Int32?, now: Instant) -> ForegroundFollower.Change? {
    guard let change = follower?.look(group, now: now) else { return nil }
    if change.isMark, let shell = follower?.shell {
      if let index = stoppedJobs.firstIndex(where: { $0.group == change.group }) {
        job = stoppedJobs.remove(at: index)
      } else {
        job = JobMeter(shell: shell, group: change.group, seen: change.since)
      }
    }
    return change
  }

  /// Takes the newest row.
  mutating func note(_ row: Row, memory: Metric) { job?.note(row, memory: memory) }

  /// What the previous job has used; `nil` if it has not ended.
  mutating func endJob(at end: Instant) -> JobSummary? {
    guard let job = job.take() else { return nil }
    stoppedJobs.removeAll { !$0.exists }
    guard job.exists else { return job.summary(end: end) }
    stoppedJobs.append(job)
    return nil
  }

  /// Whether a message may cover the screen while this process group has the terminal: only if it was sent by this job,
  /// and never at a shell's prompt.
  func allowsCover(of loading: Loading, foreground group: Int32?) -> Bool {
    guard let group, group == loading.speaker.group, group != follower?.shell else { return false }
    return !Speaker.isInteractiveShell(group)
  }

  /// Attributes a message of unknown origin to the job that has the terminal: a sender such as `perfhud emit` ends
  /// immediately. The message must be very recent, or another job would get it.
  func claimLoading(_ group: Int32?, now: Instant, in run: inout LiveRun) {
    guard let loading = run.value.reports.loading, loading.speaker.group == 0 else { return }
    let isNew = now.nanoseconds(since: loading.updated) < ProgramActivity.claimTime
    let isJob = isNew && (group ?? 0) > 1 && group != follower?.shell
    run.apply(.loadingGroup(isJob ? group ?? -1 : -1, now))
  }

  /// Notes a sample of the job.
  ///
  /// - Returns: whether jobs are followed, so that the end of a job is not the end of the run.
  mutating func noteSample(hasEnded: Bool) -> Bool {
    follower?.noteSample(hasEnded: hasEnded)
    return follower != nil
  }

  // MARK: Records

  /// Adds to the run what has happened since the last call.
  ///
  /// - Parameters:
  ///   - isSilent: whether all of the command's output has been read.
  ///   - lastOutput: when output was last read.
  ///   - hasEnded: whether the command has ended.
  ///   - countsCells: whether redundantly written cells are shown. They are counted only then, since each written cell
  ///     must be compared.
  ///   - foreground: the process group that has the terminal, if the output contained events.
  mutating func takeRecords(
    _ compositor: inout Compositor, isSilent: Bool, lastOutput: Instant?, hasEnded: Bool,
    countsCells: Bool, foreground: Int32?, now: Instant, into run: inout LiveRun
  ) {
    let speaker = foreground == follower?.shell ? nil : foreground
    takeEvents(
      &compositor, speaker: speaker, time: lastOutput ?? now, now: now, into: &run)
    endFrame(&compositor, isSilent: isSilent, now: now)
    if let begin = phases.resolve(now: now) { note(begin) }
    for phase in newPhases { run.apply(.event(phase.event, phase.time)) }
    newPhases.removeAll(keepingCapacity: true)
    if let waiting = phases.waiting, waiting.since == now { run.apply(.phasePending(now)) }
    guard isCounted else { return frames.removeAll(keepingCapacity: true) }
    answers.judge(at: now, &compositor)
    answers.take { nanoseconds in
      run.apply(nanoseconds.map { .answer(nanoseconds: $0, now) } ?? .unclearAnswer(now))
    }
    let bytes = meter.takeBytes()
    if bytes > 0 { run.apply(activity: .output(bytes: UInt64(bytes), now)) }
    takeRedundantWrites(&compositor, isShown: countsCells, now: now, into: &run)
    if let since = unansweredKey, let due = unansweredDue(hasEnded: hasEnded), now >= due {
      isUnansweredReported = true
      run.apply(.unansweredKey(since: since, now))
    }
    for frame in frames { run.apply(activity: ProgramActivity.activity(of: frame)) }
    frames.removeAll(keepingCapacity: true)
  }

  /// A frame that surely draws is an update, whether or not it is a synchronized one.
  private static func activity(of frame: FrameMeter.Frame) -> Activity {
    if frame.isUpdate || frame.isRedraw { return .updateFrame(frame.time) }
    return frame.isMerged ? .mergedFrame(frame.time) : .frame(frame.time, .terminal, missed: 0)
  }

  /// Takes the events that the command's output contained (OSC 7337).
  ///
  /// - Parameters:
  ///   - speaker: the process group to which messages are attributed; `nil` if it is unknown, as at a shell's prompt,
  ///     where the sender has already ended.
  ///   - time: when they happened, which is when they were read.
  private mutating func takeEvents(
    _ compositor: inout Compositor, speaker: Int32?, time: Instant, now: Instant,
    into run: inout LiveRun
  ) {
    var bad: UInt32 = 0
    compositor.takeOwnSequences { line in
      guard isCounted, !refusesEvents else { return }
      do throws(EventLineError) {
        guard var event = try EventCodec.decode(line) else { return }
        if event.hasSpeaker { event.speaker = Speaker(foreground: speaker) }
        run.apply(.event(event, time))
      } catch {
        bad += 1
      }
    }
    guard isCounted, !refusesEvents else { return }
    if bad > 0 { run.apply(.eventsBad(bad, now)) }
    let lost = compositor.lostOwnSequences - reportedLostEvents
    if lost > 0 { run.apply(.eventsLost(UInt32(clamping: lost), now)) }
    reportedLostEvents += lost
  }

  private func takeRedundantWrites(
    _ compositor: inout Compositor, isShown: Bool, now: Instant, into run: inout LiveRun
  ) {
    compositor.countRedundantWrites(isShown)
    let found = compositor.takeRedundantWrites()
    guard found.written > 0 else { return }
    // An accent can take back the count of its letter, perhaps from the previous period.
    let unchanged = min(max(0, found.unchanged), found.written)
    run.apply(
      activity: .cells(written: UInt64(found.written), unchanged: UInt64(unchanged), now))
  }

  /// When a key will have been unanswered for too long.
  private func unansweredDue(hasEnded: Bool) -> Instant? {
    guard isCounted, !isUnansweredReported, !hasEnded else { return nil }
    return unansweredKey?.advanced(byNanoseconds: ProgramActivity.answerLimit)
  }

  /// When there is something to do if nothing happens.
  func deadline(isSilent: Bool, hasEnded: Bool) -> Instant? {
    let frame = isSilent ? meter.deadline : nil
    let job = hasEnded ? nil : follower?.deadline
    return earliest(
      earliest(frame, phases.deadline), earliest(job, unansweredDue(hasEnded: hasEnded)))
  }
}
