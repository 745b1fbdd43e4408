import Metrics

/// Nanoseconds for which perfhud's own cost is no news.
private let ownPeriod: Int64 = 10_000_000_000

/// Which figures are shown: they change twice a second, so that they can be read.
extension HUD {
  /// - Returns: whether the figures to show have changed.
  mutating func updateFigures(_ run: Run) -> Bool {
    guard let latest = run.latest else { return false }
    let isDue = shownAt.map { latest.time.nanoseconds(since: $0) >= HUD.figurePeriod } ?? true
    let isFirst = state.shown.map { $0.isProvisional || $0[.cpuWindow].value == nil } ?? true
    let hasChanged =
      state.shown?.hasEnded != latest.hasEnded || state.shown?.isZombie != latest.isZombie
      || state.shown?.pid != latest.pid
    guard isDue || isFirst || hasChanged else { return false }
    if state.shown?.name != latest.name || state.name.isEmpty { state.name = latest.name.text }
    var row = latest
    keepOwnCost(in: &row)
    state.shown = row
    shownAt = latest.time
    return true
  }

  /// perfhud's own cost is no news as long as it stays about the same.
  private mutating func keepOwnCost(in row: inout Row) {
    if let before = state.shown?.ownCPUPercent.value, let now = row.ownCPUPercent.value,
      let ownShownAt, row.time.nanoseconds(since: ownShownAt) < ownPeriod,
      abs(now - before) < 0.1 + 0.1 * before
    {
      row.ownCPUPercent = .value(before)
    } else {
      ownShownAt = row.time
    }
  }
}
