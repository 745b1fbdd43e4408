import PerfHUDBase

/// The phases over time.
extension PhaseTracker {
  /// The time in a phase, including the open visit.
  package func seconds(_ index: Int, asOf now: Instant) -> Double {
    phases[index].secondsInPast + unsettled.seconds(PhaseIndex(index), asOf: now)
  }

  /// The phase at a moment; `nil` if there was none.
  package func index(at time: Instant) -> PhaseIndex? {
    intervals.index(at: time).flatMap { shown(intervals[$0]) }
  }

  /// The phase that covers most of the time from `from` up to `to`, for a column of a graph; `nil` if most of it has
  /// none. If two cover the same, the earlier one.
  ///
  /// Complexity: linear in the number of phases within this time.
  package func index(from: Instant, to: Instant) -> PhaseIndex? {
    let first = intervals.index(at: from) ?? 0
    guard intervals.count > 0, to > from, intervals[0].time < to else { return nil }
    if first + 1 >= intervals.count || intervals[first + 1].time >= to,
      intervals[first].time <= from
    {
      return shown(intervals[first])
    }
    // The last element is for time without a phase.
    var sums = InlineArray<66, Int64>(repeating: 0)
    if intervals[first].time > from { sums[65] = intervals[first].time.nanoseconds(since: from) }
    var index = first
    while index < intervals.count, intervals[index].time < to {
      let end = index + 1 < intervals.count ? min(to, intervals[index + 1].time) : to
      let position = shown(intervals[index]).map(Int.init) ?? 65
      sums[position] += end.nanoseconds(since: max(from, intervals[index].time))
      index += 1
    }
    var best = 65
    index = first
    while index < intervals.count, intervals[index].time < to {
      let position = shown(intervals[index]).map(Int.init) ?? 65
      if sums[position] > sums[best] { best = position }
      index += 1
    }
    return best == 65 ? nil : PhaseIndex(best)
  }

  /// Calls the body for each border after `from` up to `to`, in order.
  package func forEachBorder(from: Instant, to: Instant, _ body: (Instant, PhaseIndex?) -> Void) {
    var index = intervals.index(at: from).map { $0 + 1 } ?? 0
    while index < intervals.count, intervals[index].time <= to {
      body(intervals[index].time, shown(intervals[index]))
      index += 1
    }
  }

  /// The number of borders up to a moment: the index of the first one after it.
  func firstBorder(after time: Instant) -> Int { intervals.index(at: time).map { $0 + 1 } ?? 0 }

  /// A border by its index, with the phase that begins there; `nil` behind the last one.
  func border(_ index: Int) -> (time: Instant, phase: PhaseIndex?)? {
    index < intervals.count ? (intervals[index].time, shown(intervals[index])) : nil
  }

  private func shown(_ border: PhaseIntervals.Border) -> PhaseIndex? {
    guard let phase = border.phase else { return nil }
    return phases[Int(phase)].generation == border.generation ? phase : PhaseTracker.otherIndex
  }
}
