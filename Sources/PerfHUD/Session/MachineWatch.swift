import Metrics
import PerfHUDBase
import Sampler

/// Records how busy the machine is, about once a second, for a screen, for recordings and for runs with budgets.
struct MachineWatch: ~Copyable {
  private static let period: Int64 = 1_000_000_000

  /// `nil` if this is not needed.
  private let reader: MachineLoadReader?
  private var due = Instant(nanoseconds: 0)

  /// - Parameter isShown: whether the run is shown on a screen, which says what other processes use.
  init(_ live: borrowing LiveRun, isShown: Bool) {
    let isAsked = isShown || live.isRecorded || !live.value.header.budgets.isEmpty
    reader = isAsked ? MachineLoadReader() : nil
  }

  func isDue(_ now: Instant) -> Bool { now >= due }

  mutating func record(into run: inout LiveRun) {
    let now = Instant.now()
    due = now.advanced(byNanoseconds: MachineWatch.period)
    if let load = reader?.read() { run.apply(.machine(load, now)) }
  }
}
