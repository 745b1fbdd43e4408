import Metrics
import PerfHUDBase

/// How often the HUD changes: values twice a second, graphs about five times a second.
extension HUD {
  /// Values change at most this often, in nanoseconds, so that they can be read.
  static let valuePeriod: Int64 = 500_000_000
  /// The HUD is drawn at most this often, in nanoseconds; what comes in between waits until then.
  static let framePeriod: Int64 = 90_000_000
  /// For new samples alone it is drawn at most this often, in nanoseconds.
  package static let samplePeriod: Int64 = 150_000_000
  /// How much earlier than that a sample may come and still be drawn, in nanoseconds.
  package static let sampleSlack: Int64 = 20_000_000

  // MARK: Drawing

  /// When the next picture is due, or `nil` while nothing has changed.
  package func deadline(now: Instant) -> Instant? {
    let picture = pictureDeadline(now: now)
    guard let slide = slideDeadline(now: now) else { return picture }
    return min(slide, picture ?? slide)
  }

  func pictureDeadline(now: Instant) -> Instant? {
    let end = messages.toasts.min { $0.until < $1.until }?.until
    guard change > .nothing else { return end.map { max(now, $0) } }
    // The first values are shown at once.
    let hasValues = state.values.row?[.cpuWindow].value != nil
    guard let time = drawn.time, hasValues else { return now }
    let factor: Int64 = isUnwatched ? 2 : 1
    var next = time.advanced(byNanoseconds: factor * HUD.framePeriod)
    let period = factor * HUD.samplePeriod
    if change == .sample, now < time.advanced(byNanoseconds: period - HUD.sampleSlack) {
      // If the next sample wakes the caller sooner, that will do: a wake-up of its own would cost more. Those of the
      // full-screen view are gathered.
      let comesSooner =
        state.family == .overlay && factor * Int64(clamping: state.interval) < period
      next = time.advanced(byNanoseconds: comesSooner ? 2 * period : period - HUD.sampleSlack)
    }
    return max(now, min(next, end ?? next))
  }

  /// Whether a picture is due.
  package func needsDraw(now: Instant) -> Bool {
    deadline(now: now).map { $0 <= now } ?? false
  }

  // MARK: Values

  /// How long values stay unchanged, in the time of the run; longer in a fast replay.
  private var valuePeriod: Int64 {
    Int64(Double(HUD.valuePeriod) * max(1, state.replay?.speed ?? 1))
  }

  /// - Returns: whether the values to show have changed.
  mutating func updateShownValues(_ run: Run) -> Bool {
    guard let latest = run.latest else { return false }
    return state.values.update(
      to: latest, rates: run.recentRates, period: valuePeriod, peaks: run.peaks,
      list: shownList(run))
  }

  /// The list of the tree on the screen, whose rows the values have to agree with; `nil` if there is none. A fast replay
  /// has more lists than values.
  private func shownList(_ run: Run) -> ShownValues.List? {
    guard run.header.includesChildren, state.replay?.speed ?? 1 <= 1,
      wantedTable?.kind == .processes, let table = run.processes, table.request.kind == .processes
    else { return nil }
    return ShownValues.List(time: table.time, cpuPercent: run.processesCPUPercent)
  }
}
