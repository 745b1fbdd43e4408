import PerfHUDBase

/// The current phase, read without copying the phase tracker.
extension Run {
  /// When the newest phase began; `nil` without one.
  package var newestPhaseBegin: Instant? { phases.newestBegin }
  /// The name of the current phase; empty without one.
  package var phaseName: String { phases.current?.name.text ?? "" }
}
