import Metrics

/// Chooses the ranges of the graphs' axes, and the thresholds on them.
extension HUD {
  /// Keeps the axes as long as the visible values are in their range and use a good part of it.
  mutating func updateAxes(_ run: Run) {
    guard let graph = firstGraph else { return }
    // After a replay went back, the axes are those of the moment, not of what came later.
    if run.history.end < state.axisTime {
      state.memoryAxis = Axis(low: 0, high: 1_048_576)
      state.cpuAxis = Axis(low: 0, high: 100)
    }
    state.axisTime = run.history.end
    // The rules of a run never change.
    if state.thresholds.isEmpty, !run.alerts.isEmpty {
      state.thresholds = GraphThreshold.all(of: run)
    }
    let timeRange = GraphTimeRange(graph.frame, run.history, state)
    var cpu = timeRange.extent(.cpu, run.history)
    var memory = timeRange.extent(.memory, run.history)
    if let baseline = state.graph.baseline {
      cpu.merge(timeRange.extent(.cpu, baseline, run))
      memory.merge(timeRange.extent(.memory, baseline, run))
    }
    let isLog = state.graph.isLog
    let busiest = cpu.isEmpty ? 100 : Double(cpu.max)
    let fillsCPU = busiest > 0.4 * state.cpuAxis.high && state.cpuAxis.holds(cpu)
    if isLog {
      state.cpuAxis = Axis.logPercent(to: busiest)
    } else if state.cpuAxis.isLog || cpu.isEmpty || !fillsCPU {
      state.cpuAxis = Axis.cpu(to: busiest)
    }
    guard !memory.isEmpty else { return }
    // The graph includes the limit once the memory is close to it.
    let limit = state.shown?[.memoryLimit].value ?? .infinity
    let isNear = Double(memory.max) >= HUD.nearLimit * limit
    let greatest = isNear ? max(Double(memory.max), limit) : Double(memory.max)
    if isLog {
      state.memoryAxis = Axis.logBytes(from: Double(memory.min), to: greatest)
      return
    }
    let axis = state.memoryAxis
    var whole = memory
    whole.merge(Extent(Float(greatest)))
    let fits = axis.holds(whole)
    let fills = Double(memory.max) - axis.low > 0.4 * (axis.high - axis.low)
    if fits, fills { return }
    state.memoryAxis = Axis.bytes(from: Double(memory.min), to: greatest)
  }
}
