import Metrics
import PerfHUDBase

/// The ranges of the graphs' axes, kept as long as the values fit, and the thresholds that the graphs show.
package struct GraphAxes: Sendable {
  /// From this share of the memory limit on, the range of the graph includes the limit.
  private static let nearLimit = 0.6
  private static let leastMemory = Axis(low: 0, high: 1_048_576)
  private static let leastCPU = Axis(low: 0, high: 100)
  /// The factor by which the share of a tree may exceed all processors, and still count as all of them: the time of a
  /// child that has ended is that of one sample, though it used some of it before.
  private static let childExcess = 1.25

  package private(set) var memory = GraphAxes.leastMemory
  package private(set) var cpu = GraphAxes.leastCPU
  package var thresholds: [GraphThreshold] = []
  /// The newest sample when the axes were last chosen.
  private var time = Instant(nanoseconds: 0)

  subscript(series: Series) -> Axis { series == .memory ? memory : cpu }

  /// Keeps the axes as long as the visible values are in their range and use a good part of it.
  ///
  /// - Parameters:
  ///   - now: the end of the history.
  ///   - limit: of memory, in bytes; infinite without one.
  ///   - processors: those that a tree may use; infinite for a single process, or if unknown.
  mutating func update(
    now: Instant, cpu cpuExtent: Extent, memory memoryExtent: Extent, limit: Double,
    processors: Double = .infinity, isLog: Bool
  ) {
    // After a replay went back, the axes are those of the moment, not of what came later.
    if now < time {
      memory = GraphAxes.leastMemory
      cpu = GraphAxes.leastCPU
    }
    time = now
    updateCPU(cpuExtent, processors: processors, isLog: isLog)
    if !memoryExtent.isEmpty { updateMemory(memoryExtent, limit: limit, isLog: isLog) }
  }

  private mutating func updateCPU(_ extent: Extent, processors: Double, isLog: Bool) {
    var busiest = extent.isEmpty ? 100 : Double(extent.max)
    let most = 100 * processors
    if busiest > most, busiest <= most * GraphAxes.childExcess { busiest = most }
    let fills = busiest > 0.4 * cpu.high && cpu.holds(Extent(Float(busiest)))
    if isLog {
      cpu = Axis.logPercent(to: busiest)
    } else if cpu.isLog || extent.isEmpty || !fills {
      cpu = Axis.cpu(to: busiest)
    }
  }

  private mutating func updateMemory(_ extent: Extent, limit: Double, isLog: Bool) {
    // The graph includes the limit once the memory is close to it.
    let isNear = Double(extent.max) >= GraphAxes.nearLimit * limit
    let greatest = isNear ? max(Double(extent.max), limit) : Double(extent.max)
    if isLog {
      memory = Axis.logBytes(from: Double(extent.min), to: greatest)
      return
    }
    var whole = extent
    whole.merge(Extent(Float(greatest)))
    let fills = Double(extent.max) - memory.low > 0.4 * (memory.high - memory.low)
    let difference = (greatest - Double(extent.min)) / max(greatest, 1)
    // Far enough from where the axis changes that values that swing around that do not change it again and again.
    let hasGoodStart =
      memory.low == 0
      ? difference < Axis.leastZoom || difference >= Axis.leastOfZero / 2
      : difference >= Axis.leastZoom / 2
    if memory.holds(whole), fills, hasGoodStart { return }
    memory = Axis.bytes(from: Double(extent.min), to: greatest)
  }

  /// Chooses the range of the memory axis anew.
  mutating func resetMemory() { memory = GraphAxes.leastMemory }
}

extension PlacedWidget {
  /// What a graph over the time of the run shows.
  var series: Series { id == .memoryGraph ? .memory : .cpu }
}

extension HUD {
  /// Updates the axes for the visible part of the run.
  mutating func updateAxes(_ run: Run) {
    guard let graph = firstGraph else { return }
    // The rules of a run never change.
    if state.axes.thresholds.isEmpty, !run.alerts.isEmpty {
      state.axes.thresholds = GraphThreshold.all(of: run)
    }
    let timeRange = GraphTimeRange(graph, run.history, state)
    var cpu = timeRange.extent(.cpu, run.history)
    var memory = timeRange.extent(.memory, run.history)
    if let baseline = state.graph.baseline {
      cpu.merge(timeRange.extent(.cpu, baseline, run))
      memory.merge(timeRange.extent(.memory, baseline, run))
    }
    let processors =
      run.header.includesChildren ? state.values.row?.usableProcessors.value?.rounded(.up) : nil
    state.axes.update(
      now: run.history.end, cpu: cpu, memory: memory,
      limit: state.values.row?[.memoryLimit].value ?? .infinity,
      processors: processors ?? .infinity, isLog: state.graph.isLog)
  }
}
