import Metrics
import PerfHUDBase
import PerfHUDEvents

/// The state after the records so far that later records depend on. A recording that begins in the middle of a run
/// begins with it.
///
/// It excludes metrics: rates, peaks and counts of such a recording cover only its own part.
struct CarriedState: Sendable {
  private var target: TargetChange?
  private var program: ProgramChange?
  /// The leading phase, and how it was chosen.
  private var phase: Event?
  private var source = PhaseSource()
  private let origins: Set<EventOrigin>?
  private var loading: Event?
  private var loadingGroup: Int32?
  private var listener: EventListener?
  private var interval: UInt64?
  /// The newest offset of the wall clock; `nil` if it is the one at the start.
  private(set) var wallClockOffset: UInt64?
  /// The number of changes so far. Two states of a run with the same number are equal.
  private(set) var changes = 0

  /// Creates the state before the first record.
  ///
  /// - Parameter origins: the chosen sources of phases.
  init(origins: Set<EventOrigin>?) { self.origins = origins }

  /// The state as records.
  ///
  /// - Parameter time: the time of all of them.
  func records(at time: Instant) -> [Record] {
    let all: [Record?] = [
      target.map { .target($0, time) }, program.map { .program($0, time) },
      interval.map { .interval($0, time) }, listener.map { .listener($0, time) },
      phase.map { .event($0, time) }, loading.map { .event($0, time) },
      loadingGroup.map { .loadingGroup($0, time) },
    ]
    return all.compactMap(\.self)
  }

  /// Takes a record that the run has applied. Most records change nothing.
  mutating func take(_ record: borrowing Record) {
    switch copy record {
    case .target(let change, _): take(change)
    case .program(let change, _): program = change
    case .interval(let nanoseconds, _): interval = nanoseconds
    case .listener(let listener, _): self.listener = listener
    case .clock(let offset, _): wallClockOffset = offset
    case .loadingEnded: (loading, loadingGroup) = (nil, nil)
    case .loadingGroup(let group, _): loadingGroup = group
    case .mark: takePhase(source.phaseOfMark())
    case .event(let event, _):
      switch event.kind {
      case .phase: takePhase(event)
      case .loading: (loading, loadingGroup) = (event, nil)
      case .loadingDone: (loading, loadingGroup) = (nil, nil)
      case .action, .frame, .toast, .value: return
      }
    default: return
    }
    changes += 1
  }

  private mutating func takePhase(_ event: Event) {
    if source.leads(event.origin, chosen: origins) { phase = event }
  }

  private mutating func take(_ change: TargetChange) {
    target = change
    program = nil
    source.changeTarget()
    if change.isRestart || !change.isMark { (loading, loadingGroup) = (nil, nil) }
    // The job is a phase of its own, which begins with the target's record.
    if !change.isRestart, source.leads(.job, chosen: origins) { phase = nil }
  }
}
