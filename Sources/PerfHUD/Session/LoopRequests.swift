import HUD

/// What a frontend asks of the loop in one turn.
struct LoopRequests {
  /// What the user has asked for with keys, in order.
  var hud: [HUDRequest] = []
  /// Another process group to sample from now on.
  var target: ForegroundFollower.Change?
  /// Signals that came for this process by another way than its own, in order.
  var signals: [Int32] = []
  /// What is shown has been stopped, and this process is to stop with it.
  var stops = false
  /// What is sampled has ended, and its last sample is waited for.
  var awaitsLastSample = false

  mutating func reset() {
    hud.removeAll(keepingCapacity: true)
    signals.removeAll(keepingCapacity: true)
    target = nil
    stops = false
    awaitsLastSample = false
  }
}
