import Metrics
import PerfHUDEvents
import Sampler

/// Memory, CPU and frames over the time of a run, in columns of equal length.
///
/// At first each column covers one interval. When there are too many columns, every two are merged, so a run of any
/// length has between half of `capacity` and `capacity` columns.
package struct TimeSeries: Sendable {
  /// The values of one column; `nil` if nothing was measured.
  package struct Column: Sendable, Equatable {
    /// The least and the greatest value of the leading memory metric, in bytes.
    package var leastBytes: Double?
    package var greatestBytes: Double?
    /// The greatest CPU share of a sample, in percent of one core.
    package var greatestCPU: Double?
    /// The greatest number of frames a second.
    package var framesPerSecond: Double?
    /// The index in `phaseNames` of the phase of most samples.
    package var phase: Int?
    var cpuSum = 0.0
    var cpuCount = 0.0
    /// The number of samples in that phase, minus those in other phases.
    var phaseLead = 0

    /// The mean CPU share, in percent of one core.
    package var meanCPU: Double? { cpuCount > 0 ? cpuSum / cpuCount : nil }

    mutating func merge(_ other: Column) {
      leastBytes = TimeSeries.least(leastBytes, other.leastBytes)
      greatestBytes = TimeSeries.greatest(greatestBytes, other.greatestBytes)
      greatestCPU = TimeSeries.greatest(greatestCPU, other.greatestCPU)
      framesPerSecond = TimeSeries.greatest(framesPerSecond, other.framesPerSecond)
      cpuSum += other.cpuSum
      cpuCount += other.cpuCount
      add(phase: other.phase, samples: other.phaseLead)
    }

    /// The majority vote of Boyer and Moore: exact if one phase has more than half of the samples.
    mutating func add(phase new: Int?, samples: Int) {
      if phase == new {
        phaseLead += samples
      } else if phaseLead < samples {
        phase = new
        phaseLead = samples - phaseLead
      } else {
        phaseLead -= samples
      }
    }
  }

  package static let capacity = 720
  /// Further phases share the last entry.
  package static let phaseCapacity = 64

  package private(set) var columns: [Column] = []
  package private(set) var secondsPerColumn: Double
  /// The phases in the order in which they were first entered.
  package private(set) var phaseNames: [Event.Name] = []
  private let memory: Metric

  /// - Parameter interval: the time between samples, in seconds.
  init(interval: Double, memory: Metric) {
    secondsPerColumn = max(interval, 0.01)
    self.memory = memory
  }

  /// - Parameter elapsed: the time since the start of the run, in seconds.
  mutating func take(_ row: Row, elapsed: Double) {
    guard elapsed >= 0, elapsed < 1e9, !row.hasEnded else { return }
    while elapsed >= secondsPerColumn * Double(TimeSeries.capacity) { halve() }
    let index = Int(elapsed / secondsPerColumn)
    while columns.count <= index { columns.append(Column()) }
    let bytes = row[memory].value
    columns[index].leastBytes = TimeSeries.least(columns[index].leastBytes, bytes)
    columns[index].greatestBytes = TimeSeries.greatest(columns[index].greatestBytes, bytes)
    if let cpu = row[.cpu].value {
      columns[index].cpuSum += cpu
      columns[index].cpuCount += 1
      columns[index].greatestCPU = TimeSeries.greatest(columns[index].greatestCPU, cpu)
    }
    // The tick is perfhud's own and not the program's.
    if !row.isIdle, row.fpsSource != .tick {
      columns[index].framesPerSecond = TimeSeries.greatest(
        columns[index].framesPerSecond, row[.fps].value)
    }
    columns[index].add(phase: row.phase.map { number(of: $0.name) }, samples: 1)
  }

  private mutating func number(of name: Event.Name) -> Int {
    if let index = phaseNames.firstIndex(of: name) { return index }
    guard phaseNames.count < TimeSeries.phaseCapacity else { return TimeSeries.phaseCapacity - 1 }
    phaseNames.append(name)
    return phaseNames.count - 1
  }

  private mutating func halve() {
    columns = TimeSeries.merged(columns, by: 2)
    secondsPerColumn *= 2
  }

  /// Merges groups of `count` columns.
  static func merged(_ columns: [Column], by count: Int) -> [Column] {
    stride(from: 0, to: columns.count, by: count).map { start in
      var column = columns[start]
      for other in columns[start..<min(start + count, columns.count)].dropFirst() {
        column.merge(other)
      }
      return column
    }
  }

  static func least(_ first: Double?, _ second: Double?) -> Double? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
  }

  static func greatest(_ first: Double?, _ second: Double?) -> Double? {
    guard let first, let second else { return first ?? second }
    return max(first, second)
  }
}
