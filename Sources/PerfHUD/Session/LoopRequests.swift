import HUD

/// What a frontend asks the loop to do in one turn.
struct LoopRequests {
  /// The user's requests by keys, in order.
  var hud: [HUDRequest] = []
  /// Another process group to sample from now on.
  var target: ForegroundFollower.Change?
  /// Signals for this process that did not come through its own descriptor, in order.
  var signals: [Int32] = []
  /// Whether the shown command was stopped, so that this process should stop with it.
  var stops = false
  /// Whether the sampled process has ended, so that its last sample is needed.
  var awaitsLastSample = false

  mutating func reset() {
    hud.removeAll(keepingCapacity: true)
    signals.removeAll(keepingCapacity: true)
    target = nil
    stops = false
    awaitsLastSample = false
  }
}
