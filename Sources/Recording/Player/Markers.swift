import Metrics
import PerfHUDBase

/// Something that begins or happens in a recording, to which a player can jump.
package enum MarkerKind: Int, CaseIterable, Sendable {
  case phase
  case alert
  case slowFrame
  case mark
}

/// The places of one kind, oldest first; if there are very many, only every second, fourth, … one.
struct MarkerList: Sendable {
  private(set) var times: [Instant] = []
  private var stride = 1
  private var seen = 0
  private static let capacity = 16384

  mutating func add(_ time: Instant) {
    defer { seen += 1 }
    guard seen.isMultiple(of: stride), times.last.map({ $0 < time }) ?? true else { return }
    if times.count == MarkerList.capacity {
      times = times.indices.filter { $0.isMultiple(of: 2) }.map { times[$0] }
      stride *= 2
    }
    times.append(time)
  }

  /// The number of places at or before a time. Complexity: logarithmic in their number.
  private func count(notAfter time: Instant) -> Int {
    partitionPoint(times.count) { times[$0] <= time }
  }

  func next(after time: Instant) -> Instant? {
    let index = count(notAfter: time)
    return index < times.count ? times[index] : nil
  }

  func previous(before time: Instant) -> Instant? {
    let index = count(notAfter: time.advanced(byNanoseconds: -1))
    return index > 0 ? times[index - 1] : nil
  }
}

/// The places of all kinds, found while the recording is folded.
struct Markers: Sendable {
  private var lists = MarkerKind.allCases.map { _ in MarkerList() }
  private var alerts: UInt64 = 0
  private var slowFrames: UInt64 = 0
  private var phase: Instant?

  subscript(_ kind: MarkerKind) -> MarkerList { lists[kind.rawValue] }

  /// Checks what a record has changed.
  mutating func note(_ record: borrowing Record, _ state: borrowing FoldedRun) {
    switch copy record {
    case .mark: add(.mark, state.clock)
    case .event, .target: break
    default: return
    }
    noteFrame(state)
    notePhase(state)
  }

  /// Checks what a sample has changed.
  mutating func noteSample(_ state: borrowing FoldedRun) {
    if state.run.alerts.raisedCount != alerts {
      alerts = state.run.alerts.raisedCount
      add(.alert, state.clock)
    }
    noteFrame(state)
    notePhase(state)
  }

  private mutating func notePhase(_ state: borrowing FoldedRun) {
    guard let border = state.run.phases.newestBegin, border != phase else { return }
    phase = border
    add(.phase, state.clock)
  }

  /// Checks what frames or output have changed.
  mutating func note(_ activity: Activity, _ state: borrowing FoldedRun) {
    switch activity {
    case .frame, .updateFrame, .mergedFrame: noteFrame(state)
    case .output, .cells: break
    }
  }

  private mutating func noteFrame(_ state: borrowing FoldedRun) {
    let total = state.run.frames?.slowFrames.total ?? 0
    if total > slowFrames, state.run.frames?.source != .tick { add(.slowFrame, state.clock) }
    slowFrames = total
  }

  private mutating func add(_ kind: MarkerKind, _ time: Instant) { lists[kind.rawValue].add(time) }
}
