import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording
import Sampler

/// Everything that a report says about one recording.
package struct RunReport: Sendable {
  /// The name of the file.
  package let file: String
  package let host: HostFacts
  package let run: Run
  package let summary: RunSummary
  package let budgets: BudgetReport
  package let series: TimeSeries
  /// Times from keys to the frames that answered them.
  package let answers: FrameHistogram
  package let damage: RecordingDamage
  /// The phase in which the leading memory metric was greatest; `nil` without a phase.
  package let peakPhase: Event.Name?
  /// When the run was over.
  package let end: Instant

  /// Reads a recording to its end.
  ///
  /// - Parameters:
  ///   - file: its name, for the title.
  ///   - budgets: the budgets by which the run is judged.
  ///   - progress: called with the recorded time so far, in seconds, about every thousand records.
  package init(
    _ reader: inout RecordingReader, file: String, budgets: [Budget] = [],
    progress: (Double) -> Void = { _ in }
  ) {
    var collector = ReportCollector(reader.header.run, budgets: budgets)
    collector.takeAll(from: &reader, progress: progress)
    self.init(
      collector, file: file, host: reader.header.host, end: reader.end, damage: reader.damage)
  }

  init(
    _ collector: ReportCollector, file: String, host: HostFacts, end recorded: RecordingEnd?,
    damage: RecordingDamage
  ) {
    end = recorded?.time ?? collector.last
    self.file = SafeText.clean(file, limit: 200)
    self.host = host
    self.damage = damage
    run = collector.run
    series = collector.series
    answers = collector.isAnswerTimeClear ? collector.answers : FrameHistogram()
    summary = RunSummary(run, asOf: end, end: recorded?.command)
    peakPhase = RunReport.peakPhase(summary, sampled: collector.peak)
    budgets = BudgetReport(
      run, asOf: end, end: recorded?.command, missing: damage.missingPart(recorded))
  }

  /// The phase in which the memory was greatest: a reading between two samples may be greater than all samples. If all
  /// readings have missed the peak, it is the only phase that can have had it.
  private static func peakPhase(
    _ summary: RunSummary, sampled: (bytes: Double, phase: Event.Name?)
  ) -> Event.Name? {
    if let peak = summary.peakBytes, summary.unseenPeakBytes > 0 {
      return summary.phases.onlyPhaseWithPeak(above: peak).map { summary.phases[$0].name }
    }
    guard let peak = summary.peakBytes, peak > sampled.bytes else { return sampled.phase }
    let index = summary.phases.ranking.first { summary.phases[$0].peakBytes == peak }
    return index.map { summary.phases[$0].name }
  }

  /// How long the run took, in seconds.
  package var seconds: Double { summary.wallSeconds }

  /// What was recorded: the command or the name of the process.
  package var title: String {
    let command = SafeText.clean(summary.command, limit: 120)
    return command.isEmpty ? file : command
  }

  /// The name of the leading memory metric.
  var memoryName: String {
    switch run.header.memory {
    case .footprint: "MEM"
    case .rss: "RSS"
    case .pss: "PSS"
    }
  }

  /// The program's frames; those of perfhud's own tick say nothing about the program.
  var frameTimes: FrameHistogram? {
    guard let found = run.totalFrames, found.source != .tick, found.times.timed > 0 else {
      return nil
    }
    return found.times
  }

  /// When the run began, by the user's clock: `2026-11-25 06:05:48 +01:00`.
  var startText: String {
    let header = run.header
    let unix = Int64(clamping: (header.start.nanoseconds &+ header.wallClockOffset) / 1_000_000_000)
    return CivilTime(unixSeconds: unix, secondsFromUTC: header.secondsFromUTC).text
  }
}
