import Metrics

/// An axis from zero to a round number, with a few round ticks.
struct GraphScale: Equatable {
  /// The value at the end of the axis.
  let end: Double
  let step: Double

  /// - Parameters:
  ///   - greatest: the greatest value to show.
  ///   - steps: the round distances, in ascending order.
  ///   - ticks: the approximate number of ticks.
  ///   - isWhole: whether the axis ends at a tick, instead of at `greatest`.
  init(greatest: Double, steps: [Double], ticks: Int, isWhole: Bool = true) {
    let step = steps.first { $0 * Double(ticks) >= greatest } ?? steps.last ?? 1
    self.step = step
    end = isWhole ? max(step, (greatest / step).rounded(.up) * step) : greatest
  }

  /// A scale for bytes: multiples of 1, 2, 5, … 500 of a binary unit.
  static func bytes(_ greatest: Double) -> GraphScale {
    var steps: [Double] = []
    var unit = 1024.0
    while unit < 1e16 {
      steps += [1, 2, 5, 10, 20, 50, 100, 200, 500].map { $0 * unit }
      unit *= 1024
    }
    return GraphScale(greatest: max(greatest, 1024), steps: steps, ticks: 5)
  }

  /// A scale for percentages and counts.
  static func count(_ greatest: Double) -> GraphScale {
    var steps: [Double] = []
    var power = 1.0
    while power < 1e15 {
      steps += [1, 2, 5].map { $0 * power }
      power *= 10
    }
    return GraphScale(greatest: max(greatest, 1), steps: steps, ticks: 5)
  }

  /// A scale for seconds: parts of minutes, hours and days.
  static func time(_ seconds: Double) -> GraphScale {
    let steps: [Double] = [
      0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600,
      43_200, 86_400, 172_800, 432_000, 864_000, 8_640_000, 86_400_000,
    ]
    return GraphScale(greatest: max(seconds, 0.1), steps: steps, ticks: 8, isWhole: false)
  }

  var ticks: [Double] {
    var values: [Double] = []
    while values.count < 40, Double(values.count) * step <= end * 1.000_001 {
      values.append(Double(values.count) * step)
    }
    return values
  }

  /// A value in the unit of its step: `64 MiB`.
  static func bytesText(_ value: Double) -> String {
    guard value > 0 else { return "0" }
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    var rest = value
    var unit = 0
    while rest >= 1024, unit < units.count - 1 {
      rest /= 1024
      unit += 1
    }
    let isWhole = (rest - rest.rounded()).magnitude < 0.005
    return ReportText.number(rest, decimals: isWhole ? 0 : rest < 10 ? 2 : 1) + " " + units[unit]
  }

  /// `0.5 s`, `30 s`, `2 min`, `1 h 30 min`.
  static func timeText(_ value: Double) -> String {
    guard value > 0 else { return "0" }
    guard value >= 60 else {
      return ReportText.number(value, decimals: value == value.rounded() ? 0 : 1) + " s"
    }
    let seconds = Int(min(value, 1e15).rounded())
    let parts = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"),
      (seconds % 60, "s"),
    ]
    return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
