import PerfHUDBase
import PerfHUDEvents

/// The index of a phase in `PhaseTracker`. It does not change while the phase is known, so the HUD derives color and
/// glyph from it.
package typealias PhaseIndex = UInt8

/// Something that the program shows or does, identified by its name, over all visits.
package struct Phase: BitwiseCopyable, Sendable {
  package internal(set) var name = Event.Name()
  package internal(set) var icon = Event.Icon()
  /// The color that the program asks for; `nil` leaves the choice to the HUD.
  package internal(set) var color: EventColor?
  /// The source that reported it last.
  package internal(set) var origin = EventOrigin.app
  /// The number of visits.
  package internal(set) var visits: UInt32 = 0
  /// Whether its name may have been replaced before, with visits that are not counted: there were too many names.
  package internal(set) var mayHaveEarlierVisits = false
  /// The number of visits that have ended and settled.
  package internal(set) var settledVisits: UInt32 = 0
  /// The greatest reading in any visit that has ended.
  package internal(set) var peakBytes: Double?
  /// The greatest that memory may have been in it, unseen by all readings, in bytes; 0 if they saw its peak.
  var possiblePeakBytes = 0.0
  /// What all settled visits kept together, including the first: the phase's share of the growth of the process.
  package internal(set) var keptBytes = 0.0
  /// The time in visits that have ended.
  package internal(set) var secondsInPast = 0.0
  package internal(set) var lastEntered = Instant(nanoseconds: 0)

  /// The sum of what each settled visit seemed to keep by itself.
  var sumOfKeptBytes = 0.0
  /// The sum of the changes of memory from border to border of the settled visits, and the number of these visits.
  var sumOfNetBytes = 0.0
  var netVisits = 0
  var fingerprint: UInt64 = 0
  /// The generation of the name at this index. Intervals of an earlier name at this index have an earlier generation.
  package internal(set) var generation: UInt32 = 0
  /// The process that last visited it. The first visit of a process is its warm-up.
  var process: UInt16?
  /// What is known of that first visit.
  var warmUp: WarmUp?
  /// A bit for each phase that may only seem to grow because this one does.
  var suspectedGrowthOf: UInt64 = 0
  /// A bit for each phase that was visited since the last visit to this one.
  var visitedSince: UInt64 = 0
  /// A bit for each phase after whose visits alone this one has been seen to grow.
  var growsAfter: UInt64 = 0
  /// Whether a notice has said that it keeps memory: it or another phase, or it alone.
  var hasGrowthNotice = false
  var hasCertainNotice = false
  /// How many visits are remembered, and where the next one goes.
  var rememberedVisits = 0
  var nextVisit = 0

  /// The event that begins a visit.
  var event: Event {
    var event = Event(.phase)
    event.name = name
    event.icon = icon
    event.color = color
    event.origin = origin
    return event
  }
}

/// The first visit of a process to a phase.
struct WarmUp: BitwiseCopyable, Sendable {
  var entered: Instant
  /// How much memory changed from border to border, in bytes.
  var netBytes: Double
  /// How much it freed of what it took, in bytes.
  var freedBytes: Double
  /// The phase before it; `nil` if there was none.
  var previous: PhaseIndex?
}

/// The remembered visits of one phase, oldest first.
package struct VisitList: RandomAccessCollection, BitwiseCopyable, Sendable {
  package static let capacity = 8

  private var visits: InlineArray<8, Visit>
  package private(set) var count = 0

  init() {
    visits = InlineArray(repeating: Visit(phase: 0, entered: Instant(nanoseconds: 0)))
  }

  /// Takes the last visits, as many as fit.
  init(_ all: [Visit]) {
    self.init()
    for visit in all.suffix(VisitList.capacity) { append(visit) }
  }

  mutating func append(_ visit: Visit) {
    visits[count] = visit
    count += 1
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { count }
  package subscript(position: Int) -> Visit { visits[position] }
}

/// Indices in the order in which a table shows them. Allocates nothing.
package struct Ranking: RandomAccessCollection, BitwiseCopyable, Sendable {
  static let capacity = 128

  private var order = InlineArray<128, UInt8>(repeating: 0)
  package private(set) var count = 0

  package var startIndex: Int { 0 }
  package var endIndex: Int { count }
  package subscript(position: Int) -> Int { Int(order[position]) }

  /// Sorts the indices below `total` by descending `value`; equal ones keep their order.
  ///
  /// Complexity: quadratic in the worst case, with at most 128 indices.
  init(_ total: Int, by value: (Int) -> Double) {
    var values = InlineArray<128, Double>(repeating: 0)
    for index in 0..<Swift.min(total, Ranking.capacity) {
      let own = value(index)
      var position = count
      while position > 0, values[position - 1] < own {
        values[position] = values[position - 1]
        order[position] = order[position - 1]
        position -= 1
      }
      values[position] = own
      order[position] = UInt8(index)
      count += 1
    }
  }
}
