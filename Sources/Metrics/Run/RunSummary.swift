import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The summary of a run that is printed at its end. Pure.
package struct RunSummary: Sendable {
  package var command: String
  package var end: CommandEnd?
  package var wallSeconds: Double
  /// CPU time of the target in this run; `nil` if it could not be read.
  package var cpuSeconds: Double?
  /// Whether part of the descendants' CPU time is unknown.
  package var cpuIsLowerBound: Bool
  package var memory: MemoryMetric
  /// The greatest value of the leading memory metric; `nil` without a sample that has it.
  package var peakBytes: Double?
  /// Whether that is a lower bound, since samples lack memory of descendants.
  package var peakIsLowerBound: Bool
  /// The number of bytes by which the true peak may exceed that of the samples, because RSS did; 0 if a sample saw the
  /// peak, or nearly.
  package var missedPeakBytes: Double
  /// The same without the tolerance of `missedPeakBytes`, which hides a small share. For limits.
  package var unseenPeakBytes: Double
  /// The greatest resident memory; `nil` if it is not known.
  package var peakResident: PeakResident?
  /// What has happened at the memory limit.
  package var limit: LimitReport
  /// Bytes read from storage and written to it: the greater of what the kernel counted at the end of a command and what
  /// the samples saw.
  package var bytesRead: Double?
  package var bytesWritten: Double?
  package var frames: UInt64
  /// The number of frame times: less than that of the frames.
  package var frameTimes: UInt64
  package var frameSource: FrameSource?
  /// Whether the number of frames is a lower bound: some were too close together to be distinguished. Then the mean rate
  /// is one too, and frame times are upper bounds.
  package var framesAreLowerBound: Bool
  /// 1000 / mean frame time.
  package var meanRate: Double?
  package var p99Milliseconds: Double?
  /// Events of the program, those that have not arrived, and lines that were not understood.
  package var events: (received: UInt64, lost: UInt64, bad: UInt64)

  /// The phases as of the end, in descending order of what they kept.
  package var phases: PhaseTracker
  /// The actions that were HIGH, most frequent first.
  package var highActions: [ActionTotal]
  /// The rules that have raised an alert, in the order in which they were given.
  package var alerts: [RuleTracker]

  /// A rate over fewer frame times means nothing.
  package static let frameTimesForRate: UInt64 = 10
  private static let linesOfKind = 5

  /// - Parameters:
  ///   - now: when the run ended.
  ///   - end: the end of the command that perfhud started; `nil` if it started none.
  package init(_ run: Run, asOf now: Instant, end: CommandEnd? = nil) {
    command = run.program.command
    self.end = end
    wallSeconds = max(0, now.seconds(since: RunSummary.start(of: run, end)))
    cpuIsLowerBound = run.latest?.cpuTimeIsLowerBound ?? false
    memory = run.header.memory
    peakBytes = run.totals.peaks.memoryHigh
    peakIsLowerBound = run.totals.peaks.memoryIsLowerBound
    peakResident = PeakResident(run.totals.peaks, end: end)
    let peaks = run.totals.peaks
    let unseen = peakResident?.unseen(by: peaks) ?? 0
    unseenPeakBytes = max(unseen, peaks.memoryUnseen)
    missedPeakBytes = max(
      peakResident?.missed(by: peaks) ?? 0, peaks.hasMissedPeak ? peaks.memoryUnseen : 0)
    limit = run.limitReport
    let storage = run.totals.storage
    bytesRead = [storage.bytesRead, end?.readBytes.map { Double($0) }].compactMap(\.self).max()
    bytesWritten = [storage.bytesWritten, end?.writtenBytes.map { Double($0) }]
      .compactMap(\.self).max()
    frames = run.totalFrames?.times.frames ?? 0
    frameTimes = run.totalFrames?.times.timed ?? 0
    frameSource = run.totalFrames?.source
    framesAreLowerBound = run.framesAreLowerBound
    meanRate = run.totalFrames?.times.meanRate
    p99Milliseconds = run.totalFrames?.times.milliseconds(percentile: 99)
    phases = run.phases
    phases.end(at: now)
    if let missed = RunSummary.missedAtEnd(run, asOf: now, end: end, unseen: unseen) {
      phases.markPeaks(missed)
    }
    highActions = run.actions.ranking.map { run.actions.totals($0, asOf: now) }
      .filter { $0.timesHigh > 0 }
    alerts = run.alerts.trackers.filter { $0.count > 0 }
    events = (run.totals.receivedEvents, run.totals.lostEvents, run.totals.badEvents)
    // The kernel's final value lacks children that nobody has waited for; samples include them.
    cpuSeconds = [waitedSeconds, RunSummary.cpuSeconds(of: run)].compactMap(\.self).max()
  }

  /// The peak of a command that only its end shows.
  ///
  /// - Parameter unseen: by how much the kernel's value exceeded all samples, in bytes.
  private static func missedAtEnd(
    _ run: Run, asOf now: Instant, end: CommandEnd?, unseen: Double
  ) -> MissedPeak? {
    guard let mark = end?.exactMaxResident, let peak = run.totals.peaks.memoryHigh else {
      return nil
    }
    guard run.highWater.mayBeOfOthers else {
      return run.highWater.missedAtEnd(by: mark, at: run.ended ?? now)
    }
    // A process may have lived at any time.
    return unseen > 0 ? MissedPeak(start: nil, end: now, most: peak + unseen) : nil
  }

  /// When the run began; for a command that an earlier HUD has started, when the command began: the kernel reports its
  /// CPU time as a whole.
  private static func start(of run: Run, _ end: CommandEnd?) -> Instant {
    // A HUD may also show another process than its command; then no frames come from the command's terminal.
    guard run.header.framesFromTerminal, end?.userNanoseconds != nil,
      let first = run.totals.first, !RunSummary.isNew(first, run)
    else { return run.header.start }
    return first.targetStart
  }

  /// Whether a target has started in this run. The kernel reports the start of a process in steps of 10 ms.
  private static func isNew(_ first: FirstSample, _ run: Run) -> Bool {
    first.targetStart.nanoseconds(since: run.header.start) > -20_000_000
  }

  /// The prefix of the memory peak.
  package var peakBound: String { missedPeakBytes > 0 || peakIsLowerBound ? "≥ " : "" }

  /// CPU time of the command and of the children that were waited for.
  private var waitedSeconds: Double? {
    guard let user = end?.userNanoseconds, let system = end?.systemNanoseconds else { return nil }
    return Double(user &+ system) * 1e-9
  }

  /// All CPU time of a process that this run started; otherwise what it used since the first sample.
  private static func cpuSeconds(of run: Run) -> Double? {
    if let earlier = run.totals.earlierTargetsCPUSeconds {
      // The sum over the jobs that were followed, each for the time it was followed.
      let last = run.latest?[.cpuTime].value ?? 0
      return earlier + max(0, last - (run.totals.targetStartCPUSeconds ?? last))
    }
    guard let first = run.totals.first, let last = run.latest?[.cpuTime].value else { return nil }
    return isNew(first, run) ? last : first.cpuSeconds.map { max(0, last - $0) }
  }

  /// Mean CPU use over the run, in percent of one core.
  package var cpuPercent: Double? {
    wallSeconds > 0 ? cpuSeconds.map { 100 * $0 / wallSeconds } : nil
  }

  /// A few lines, each with its line end. In English the first word of a line never changes, and an unknown value has
  /// no line, so a script can look for `^  cpu `.
  ///
  ///     perfhud: make -j2
  ///       exit    2
  ///       wall    12.34 s
  ///       cpu     20.10 s user + 1.02 s system, 171 % of one core
  ///       memory  512.3 MiB peak MEM, 161.0 MiB peak RSS (largest process)
  ///       limit   memory ran out, 1 killed (64.00 MiB, memory.max)
  ///       frames  812, 58.9 FPS, p99 21.3 ms (terminal)
  ///       phase   gallery: 5 visits, peak 412.0 MiB, kept 48.00 MiB, keeps 12.00 MiB a visit
  ///       action  pen.move: 4212, peak 121/s, HIGH 3 times
  ///       alert   cpu > 90% for 10s: 2 times, worst 98.1 %
  ///       events  1204, 3 lost, 1 not understood
  package func text(language: Language) -> String {
    var lines = SummaryLines(language)
    lines.start(command)
    switch end?.status {
    case .exited(let code): lines.add(.summaryExit, "\(code)")
    case .signaled(let number): lines.add(.summarySignal, SignalName.text(number))
    case nil: break
    }
    lines.add(.summaryWall, seconds(wallSeconds))
    if let cpuSeconds { lines.add(.summaryCPU, cpuText(cpuSeconds, lines)) }
    if let text = memoryText(lines) { lines.add(.summaryMemory, text) }
    if limit.killed > 0 { lines.add(.limit, limit.killedText(language)) }
    if let text = framesText() { lines.add(.summaryFrames, text) }
    addPhases(to: &lines)
    addActions(to: &lines)
    addAlerts(to: &lines)
    if let text = eventsText(lines) { lines.add(.summaryEvents, text) }
    return lines.text
  }

  private func addPhases(to lines: inout SummaryLines) {
    for index in phases.ranking.prefix(RunSummary.linesOfKind) {
      let phase = phases[index]
      let isLeast = phases.visitsAreLowerBound(index)
      let visits: Word = phase.visits == 1 && !isLeast ? .summaryVisit : .summaryVisits
      var parts = [lines.word(visits, "\(isLeast ? "≥ " : "")\(phase.visits)")]
      if let peak = phase.peakBytes {
        let bound = phases.peakIsLowerBound(index) ? "≥ " : ""
        parts.append(lines.word(.summaryPeakBytes, bound + bytes(peak)))
      }
      if phase.settledVisits > 0 {
        parts.append(lines.word(.summaryKept, bytes(phase.keptBytes)))
      }
      let verdict = phases.verdict(index)
      let other = verdict.otherPhase.map { phases[Int($0)].name }
      var text = verdict.text(lines.language, other: other).description
      if verdict.mayBeAllocator, !phases.visits(index).reportAllocatorMemory {
        text += " (\(lines.word(.verdictAllocator)))"
      }
      parts.append(text)
      let name = SafeText.clean(phase.name.text)
      lines.add(.summaryPhase, "\(name): \(parts.joined(separator: ", "))")
    }
    addRest(phases.differentNames, .summaryPhase, to: &lines)
  }

  private func addActions(to lines: inout SummaryLines) {
    for action in highActions.prefix(RunSummary.linesOfKind) {
      let peak = "\(number(action.peakRate, decimals: 0))/s"
      lines.add(
        .summaryAction,
        "\(SafeText.clean(action.name.text)): \(action.isExact ? "" : "≥ ")\(action.count), "
          + "\(lines.word(.summaryPeakBytes, peak)), \(lines.word(.actionHigh)) "
          + lines.times(action.timesHigh))
    }
    addRest(highActions.count, .summaryAction, to: &lines)
  }

  private func addAlerts(to lines: inout SummaryLines) {
    for alert in alerts.prefix(RunSummary.linesOfKind) {
      var text = "\(SafeText.clean(alert.rule.text)): \(lines.times(UInt64(alert.count)))"
      if let worst = alert.worst {
        text += ", \(lines.word(.alertWorst)) \(alert.rule.formatted(worst))"
      }
      lines.add(.summaryAlert, text)
    }
    addRest(alerts.count, .summaryAlert, to: &lines)
  }

  private func addRest(_ count: Int, _ label: Word, to lines: inout SummaryLines) {
    guard count > RunSummary.linesOfKind else { return }
    lines.add(label, lines.word(.summaryMore, "\(count - RunSummary.linesOfKind)"))
  }

  private func cpuText(_ total: Double, _ lines: SummaryLines) -> String {
    var text: String
    if let user = end?.userNanoseconds, let system = end?.systemNanoseconds, let waitedSeconds,
      total <= waitedSeconds * 1.02 + 0.05
    {
      text =
        "\(seconds(Double(user) * 1e-9)) \(lines.word(.summaryUser)) + "
        + "\(seconds(Double(system) * 1e-9)) \(lines.word(.summarySystem))"
    } else {
      text = seconds(total)
    }
    if cpuIsLowerBound { text = "≥ " + text }
    if let percent = cpuPercent {
      let share = number(percent, decimals: percent < 10 ? 1 : 0)
      text += ", \(share) % \(lines.word(.summaryOneCore))"
    }
    return text
  }

  /// The sampled peak of the leading metric, and the peak of the resident memory.
  private func memoryText(_ lines: SummaryLines) -> String? {
    var texts: [String] = []
    if let peakBytes, memory != .rss || peakResident == nil {
      let name: Word =
        switch memory {
        case .footprint: .memory
        case .rss: .rss
        case .pss: .pss
        }
      texts.append(
        "\(peakBound)\(bytes(peakBytes)) \(lines.word(.summaryPeak)) \(lines.word(name))")
    }
    // Next to another metric, RSS is shown only if the kernel has measured it as well.
    if let peakResident, memory == .rss || peakBytes == nil || end?.exactMaxResident != nil {
      let bound =
        peakResident.isUpperBound
        ? "\(lines.word(.summaryAtMost)) " : memory == .rss && peakIsLowerBound ? "≥ " : ""
      var text =
        "\(bound)\(bytes(peakResident.bytes)) \(lines.word(.summaryPeak)) \(lines.word(.rss))"
      if let largest = peakResident.largestProcess {
        let ofLess = largest < peakResident.bytes ? " \(bytes(largest))" : ""
        text += " (\(lines.word(.summaryLargest))\(ofLess))"
      }
      texts.append(text)
    }
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  private func framesText() -> String? {
    guard frames > 0, let frameSource else { return nil }
    let (least, most) = framesAreLowerBound ? ("≥ ", "≤ ") : ("", "")
    var text = "\(least)\(frames)"
    guard frameTimes >= RunSummary.frameTimesForRate else { return text + " (\(frameSource.key))" }
    if let meanRate { text += ", \(least)\(number(meanRate, decimals: 1)) FPS" }
    if let p99Milliseconds { text += ", p99 \(most)\(number(p99Milliseconds, decimals: 1)) ms" }
    return text + " (\(frameSource.key))"
  }

  /// `nil` if there were no events.
  private func eventsText(_ lines: SummaryLines) -> String? {
    guard events != (0, 0, 0) else { return nil }
    var text = "\(events.received)"
    if events.lost > 0 { text += ", \(events.lost) \(lines.word(.summaryLost))" }
    if events.bad > 0 { text += ", \(events.bad) \(lines.word(.summaryBad))" }
    return text
  }

  /// With milliseconds as long as they are not noise.
  private func seconds(_ value: Double) -> String {
    "\(number(value, decimals: value < 10 ? 3 : 2)) s"
  }

  private func bytes(_ value: Double) -> String {
    // Without the padding that a screen needs.
    String(NumberFormat.bytes(value).description.drop { $0 == " " })
  }

  private func number(_ value: Double, decimals: Int) -> String {
    var text = ShortText()
    text.append(value, decimals: decimals)
    return text.description
  }
}

/// The lines of a summary: a word, and its text from a fixed column on.
private struct SummaryLines {
  private static let labels: [Word] = [
    .summaryExit, .summarySignal, .summaryWall, .summaryCPU, .summaryMemory, .limit,
    .summaryFrames, .summaryPhase, .summaryAction, .summaryAlert, .summaryEvents,
  ]

  let language: Language
  private let width: Int
  private(set) var text = ""

  init(_ language: Language) {
    self.language = language
    width = SummaryLines.labels.map { SummaryLines.columns(of: $0, language) }.max() ?? 0
  }

  /// The number of terminal columns: our words outside ASCII consist of wide characters.
  private static func columns(of word: Word, _ language: Language) -> Int {
    "\(word.text(language))".unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) }
  }

  func word(_ word: Word) -> String { "\(word.text(language))" }

  /// A word with its value in place.
  func word(_ word: Word, _ value: String) -> String {
    var bytes: [UInt8] = []
    bytes.append(word, language, value: value.utf8)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// How often something has happened: `once`, `3 times`.
  func times(_ count: some BinaryInteger) -> String {
    count == 1 ? word(.summaryOnce) : word(.summaryTimes, "\(count)")
  }

  mutating func start(_ command: String) {
    text += "perfhud: \(SafeText.clean(command, limit: 200))\n"
  }

  mutating func add(_ label: Word, _ value: String) {
    let gap = width - SummaryLines.columns(of: label, language) + 2
    text += "  \(word(label))\(String(repeating: " ", count: gap))\(value)\n"
  }
}
