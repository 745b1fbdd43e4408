import Metrics

/// The interval between samples, as the keys + and - change it.
extension HUD {
  /// The intervals that + and - go through, in nanoseconds.
  public static let intervals: [UInt64] = [
    20, 40, 100, 200, 500, 1000, 2000, 5000, 10_000,
  ].map { $0 * 1_000_000 }

  mutating func changeInterval(by step: Int) -> HUDRequest? {
    let list = HUD.intervals
    let current = list.lastIndex { $0 <= state.interval } ?? 0
    // From between two steps, slower goes to the next one and faster to the one below.
    let isOnStep = list[current] == state.interval
    let next = step < 0 && !isOnStep ? current : current + step
    if list.indices.contains(next) { state.interval = list[next] }
    note(.noteInterval, nanoseconds: state.interval)
    guard list.indices.contains(next) else { return nil }
    fitCellDuration()
    return .interval(list[next])
  }

  /// A cell of a graph is a second, or two samples where they come more rarely.
  mutating func fitCellDuration() {
    state.cellDuration = max(state.graph.cell ?? 1_000_000_000, 2 * state.interval)
  }
}
