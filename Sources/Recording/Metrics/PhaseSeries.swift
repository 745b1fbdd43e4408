import Metrics
import PerfHUDBase
import PerfHUDEvents

/// The phases of a run as series for collectors. The first names keep a series each; all others share one.
///
/// The run itself may forget names, and reuse their places. Here a name keeps its series, and no sum decreases.
struct PhaseSeries: Sendable {
  /// The values reported to collectors for a phase.
  struct Values: Equatable, Sendable {
    /// Sums, which never decrease.
    var visits = 0.0
    var seconds = 0.0
    /// May decrease, since a phase may release more than it took.
    var keptBytes = 0.0

    static func + (a: Values, b: Values) -> Values {
      Values(
        visits: a.visits + b.visits, seconds: a.seconds + b.seconds,
        keptBytes: a.keptBytes + b.keptBytes)
    }
  }

  struct Entry: Sendable {
    let name: Event.Name
    /// The run's values for the name from before the run replaced it, as far as the run does not include them again.
    fileprivate var before = Values()
    /// The run's current values.
    fileprivate var now = Values()

    var values: Values { before + now }

    private var generation: UInt32

    fileprivate init(_ phase: Phase) {
      name = phase.name
      generation = phase.generation
    }

    fileprivate mutating func update(_ values: Values, _ phase: Phase) {
      // The run had replaced the name. What it kept counts from zero again, and so do visits and their time if there are
      // too many names.
      if phase.generation != generation {
        let known = self.values
        before = phase.mayHaveEarlierVisits ? known : Values(keptBytes: known.keptBytes)
      }
      generation = phase.generation
      now = values
    }
  }

  /// The first names, in order of appearance.
  private(set) var entries: [Entry] = []
  /// All other names together; `nil` if there are none.
  private(set) var others: Values?
  /// The number of names without a series of their own.
  private(set) var dropped: UInt64 = 0

  /// The maximum number of phases with their own series.
  static let capacity = 25

  init() { entries.reserveCapacity(PhaseSeries.capacity) }

  /// - Parameter now: the time up to which the open phase counts.
  mutating func update(_ run: borrowing Run, asOf now: Instant) {
    let phases = run.phases
    var others: Values?
    for index in 0..<phases.count {
      let phase = phases[index]
      let values = Values(
        visits: Double(phase.visits), seconds: phases.seconds(index, asOf: now),
        keptBytes: phase.keptBytes)
      // The name that stands for all others.
      let isOther = phase.name == RunCounters.otherName
      if !isOther, let place = entries.firstIndex(where: { $0.name == phase.name }) {
        entries[place].update(values, phase)
      } else if !isOther, entries.count < PhaseSeries.capacity {
        entries.append(Entry(phase))
        entries[entries.count - 1].update(values, phase)
      } else {
        others = (others ?? Values()) + values
      }
    }
    dropped = UInt64(max(0, phases.count - PhaseSeries.capacity)) + phases.forgottenNames
    guard var sum = others else { return }
    sum.visits = max(sum.visits, self.others?.visits ?? 0)
    sum.seconds = max(sum.seconds, self.others?.seconds ?? 0)
    self.others = sum
  }
}
