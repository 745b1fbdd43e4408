import Metrics

/// The range of a graph's vertical axis.
package struct Axis: Equatable, Sendable {
  package var low: Double
  package var high: Double
  /// The factor of a step of a logarithmic axis; 0 for a linear one.
  private var base = 0.0
  /// The steps of a logarithmic axis.
  private var steps = 0
  /// The greatest value, by that of the end, that is still drawn at the upper edge.
  private var excess = Axis.rounding

  package init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }

  /// A logarithmic axis with `steps` steps.
  private init(low: Double, base: Double, steps: Int) {
    self.low = low
    self.base = base
    self.steps = steps
    high = low
    for _ in 0..<steps { high *= base }
  }

  package var isLog: Bool { steps > 0 }

  /// Whether the height of a value is proportional to it. If not, a line is drawn, because a filled area would be
  /// misleading.
  var isProportional: Bool { low == 0 }

  /// Whether it begins above 0.
  var isInterrupted: Bool { low > 0 && !isLog }

  /// The height of a value, from 0 at the bottom to 1 at the top.
  func share(_ value: Double) -> Double {
    guard isLog else { return (value - low) / (high - low) }
    guard value > 0 else { return 0 }
    return binaryLogarithm(value / low) / (Double(steps) * binaryLogarithm(base))
  }

  /// The value at the end of one of `parts` equal parts of the axis, counted from the bottom.
  func value(atPart part: Int, of parts: Int) -> Double {
    guard isLog else { return low + (high - low) * Double(part) / Double(parts) }
    var value = low
    for _ in 0..<steps * part / parts { value *= base }
    return value
  }

  /// Powers of two around the values. Their number is a multiple of four, so that the quarters are powers of two as
  /// well.
  static func logBytes(from least: Double, to greatest: Double) -> Axis {
    var low = 4096.0
    while low * 2 <= least { low *= 2 }
    var steps = 4
    var high = low * 16
    while high < greatest, steps < 60 {
      steps += 4
      high *= 16
    }
    return Axis(low: low, base: 2, steps: steps)
  }

  /// Four powers of ten: from 0.01 % to 100 %, or higher if necessary.
  static func logPercent(to greatest: Double) -> Axis {
    var low = 0.01
    while low * 1e4 * wholeCores < greatest, low < 1e6 { low *= 10 }
    var axis = Axis(low: low, base: 10, steps: 4)
    axis.excess = wholeCores
    return axis
  }

  /// From 0 to a power of two or half as much again, so that half and quarters are round too.
  ///
  /// The axis begins at 0, unless the values differ by a hundredth to an eighth. Then it begins below the least value, so
  /// that a change of a few percent is visible. Of a smaller change no such axis would show more than a level line. Round
  /// steps keep the range stable while values change. Neighboring ends have a ratio of at least 2 to 3, so the greatest
  /// value uses at least two thirds of the height. A value that exceeds a round end by less than a fiftieth is drawn at
  /// that end.
  package static func bytes(from least: Double, to greatest: Double) -> Axis {
    let high = max(greatest, 4096)
    let difference = high - least
    let isZoomed = difference < high * leastOfZero && difference >= high * leastZoom
    let wanted = isZoomed ? least - max(high - least, high / 32) : 0
    // 1024, 1536, 2048, 3072, …
    var power = 1024.0
    while true {
      for half in 2...3 {
        let step = power * Double(half) / 2
        let low = (wanted / step).rounded(.down) * step
        let slack = low == 0 ? rounding : 1
        if (low + 4 * step) * slack >= high { return Axis(low: low, high: low + 4 * step) }
      }
      power *= 2
    }
  }

  /// The share of the greatest value by which the values differ where an axis begins at 0 again, and where it begins
  /// below the values.
  static let leastOfZero = 1 / 8.0
  static let leastZoom = 1 / 100.0

  /// By how much a value may exceed a round end for the axis to end there.
  private static let rounding = 1.02
  /// By how much a value may exceed whole cores: the reading of a busy core may be slightly above its 100 %.
  private static let wholeCores = 1.05

  /// Whether the values fit the axis.
  func holds(_ extent: Extent) -> Bool {
    let fits = Double(extent.max) <= high * (low == 0 || isLog ? excess : 1)
    // Anything below a logarithmic axis is drawn as a low value.
    return fits && (isLog || Double(extent.min) >= low)
  }

  /// From 0 to the next of 4 %, 6 %, 8 %, 10 %, 20 %, 40 %, 60 %, 80 %, 100 %, 150 %, 200 %, 300 %, 400 %, 600 %, 800 %,
  /// and so on: round numbers whose halves are whole.
  package static func cpu(to greatest: Double) -> Axis {
    var power = 1.0
    while power < 1e12 {
      // The ends from 100 % on come again at each power of ten.
      for index in (power == 1 ? 0 : firstCPUEndAgain)..<cpuEnds.count {
        var axis = Axis(low: 0, high: power * cpuEnds[index])
        if axis.high.truncatingRemainder(dividingBy: 100) == 0 { axis.excess = wholeCores }
        if axis.high * axis.excess >= greatest { return axis }
      }
      power *= 10
    }
    return Axis(low: 0, high: greatest)
  }

  private static let cpuEnds: InlineArray<15, Double> = [
    4, 6, 8, 10, 20, 40, 60, 80, 100, 150, 200, 300, 400, 600, 800,
  ]
  private static let firstCPUEndAgain = 8

  /// The number of equal parts with labels between them, which are all in the row of their value: 4, 3, 2 or 1. Those of
  /// a logarithmic axis, and of one so high that half a row does not matter, are in the nearest row.
  ///
  /// - Parameters:
  ///   - rows: of the graph. The ends have the first and the last one.
  ///   - isRound: whether the label of a value is a round number.
  func labeledParts(rows: Int, isRound: (Double) -> Bool) -> Int {
    // Without its labels a logarithmic axis could not be read.
    if isLog { return rows >= 12 ? 4 : rows >= 5 ? 2 : 1 }
    let isHigh = rows >= Axis.highRows
    let isInQuarters = isHigh || (rows >= 13 && (rows - 1).isMultiple(of: 4))
    if isInQuarters, isRound(value(atPart: 1, of: 4)), isRound(value(atPart: 3, of: 4)) { return 4 }
    let isInThirds = isHigh || (rows >= 10 && (rows - 1).isMultiple(of: 3))
    if isInThirds, isRound(value(atPart: 1, of: 3)), isRound(value(atPart: 2, of: 3)) { return 3 }
    let isInHalves = isHigh || (rows >= 5 && !rows.isMultiple(of: 2))
    return isInHalves && isRound(value(atPart: 1, of: 2)) ? 2 : 1
  }

  /// From this number of rows on, labels may be half a row from their values.
  static let highRows = 20
}

/// The logarithm to base 2 of a finite value above 0, to 8 digits.
///
/// Source: the series of the inverse hyperbolic tangent; the standard library has no logarithm.
private func binaryLogarithm(_ value: Double) -> Double {
  let x = (value.significand - 1) / (value.significand + 1)
  let square = x * x
  var term = x
  var sum = 0.0
  for index in 0..<9 {
    sum += term / Double(2 * index + 1)
    term *= square
  }
  return Double(value.exponent) + 2 * sum * 1.442695040888963
}
