import Metrics
import Terminal

/// The characters of graphs.
package enum GraphStyle: String, CaseIterable, Sendable {
  /// Two by four dots a cell (Unicode 2800–28FF).
  case braille
  /// Eighths of a cell (Unicode 2581–2588).
  case block
  /// Nothing but ASCII.
  case ascii

  /// Columns of data in a cell.
  package var columnsPerCell: Int { self == .braille ? 2 : 1 }
  /// Steps of height in a cell.
  package var stepsPerCell: Int {
    switch self {
    case .braille: 4
    case .block: 8
    case .ascii: 3
    }
  }
}

/// An area graph: columns of cells filled from the bottom up to a height.
package enum GraphRasterizer {
  /// The character of a cell whose left and right half are filled up to `left` and `right` steps.
  ///
  /// Styles with one column a cell use the greater of the two.
  @inline(__always)
  static func glyph(left: Int, right: Int, style: GraphStyle) -> Unicode.Scalar {
    switch style {
    case .braille:
      // Dots of the left column from the bottom: 7, 3, 2, 1; of the right one: 8, 6, 5, 4.
      let lefts: InlineArray<5, UInt32> = [0, 0x40, 0x44, 0x46, 0x47]
      let rights: InlineArray<5, UInt32> = [0, 0x80, 0xA0, 0xB0, 0xB8]
      let dots = lefts[min(4, max(0, left))] | rights[min(4, max(0, right))]
      return dots == 0 ? " " : Unicode.Scalar(0x2800 + dots) ?? " "
    case .block:
      let height = min(8, max(0, max(left, right)))
      return height == 0 ? " " : Unicode.Scalar(UInt32(0x2580 + height)) ?? " "
    case .ascii:
      switch max(left, right) {
      case ...0: return " "
      case 1: return "."
      case 2: return ":"
      default: return "#"
      }
    }
  }

  /// The character of a line at a height in steps: where `glyph` would end.
  ///
  /// - Parameters:
  ///   - left: the step of the left half, from 1; anything that is not in the cell draws nothing.
  ///   - right: that of the right half.
  static func line(left: Int, right: Int, style: GraphStyle) -> Unicode.Scalar {
    let steps = 1...style.stepsPerCell
    switch style {
    case .braille:
      let lefts: InlineArray<5, UInt32> = [0, 0x40, 0x04, 0x02, 0x01]
      let rights: InlineArray<5, UInt32> = [0, 0x80, 0x20, 0x10, 0x08]
      let dots =
        (steps.contains(left) ? lefts[left] : 0) | (steps.contains(right) ? rights[right] : 0)
      return dots == 0 ? " " : Unicode.Scalar(0x2800 + dots) ?? " "
    case .block: return steps.contains(max(left, right)) ? "─" : " "
    case .ascii: return steps.contains(max(left, right)) ? "-" : " "
    }
  }

  /// The character of a line that goes through steps of the left half and of the right half, counted from 1.
  ///
  /// - Parameters:
  ///   - left: the steps of the left half; those that are not in the cell draw nothing. `nil`: no value.
  ///   - right: those of the right half.
  static func span(
    left: ClosedRange<Int>?, right: ClosedRange<Int>?, style: GraphStyle
  ) -> Unicode.Scalar {
    let cell = 1...style.stepsPerCell
    guard style == .braille else {
      let isHigh = isIn(left, cell, longer: true) || isIn(right, cell, longer: true)
      if isHigh { return style == .block ? "│" : "|" }
      let isFlat = isIn(left, cell, longer: false) || isIn(right, cell, longer: false)
      return isFlat ? (style == .block ? "─" : "-") : " "
    }
    let lefts: InlineArray<4, UInt32> = [0x40, 0x04, 0x02, 0x01]
    let rights: InlineArray<4, UInt32> = [0x80, 0x20, 0x10, 0x08]
    var dots: UInt32 = 0
    for step in cell {
      if left?.contains(step) == true { dots |= lefts[step - 1] }
      if right?.contains(step) == true { dots |= rights[step - 1] }
    }
    return dots == 0 ? " " : Unicode.Scalar(0x2800 + dots) ?? " "
  }

  private static func isIn(
    _ steps: ClosedRange<Int>?, _ cell: ClosedRange<Int>, longer: Bool
  ) -> Bool {
    guard let steps, steps.overlaps(cell) else { return false }
    return longer == (steps.count > 1)
  }

  /// Steps that a value takes in a graph of a number of rows; a value above the least one shows at least
  /// one step, so that "little" does not look like "nothing".
  @inline(__always)
  static func steps(_ value: Float, axis: Axis, rows: Int, style: GraphStyle) -> Int {
    let full = rows * style.stepsPerCell
    let share = axis.share(Double(value))
    guard share > 0 else { return value > 0 && (axis.low == 0 || axis.isLog) ? 1 : 0 }
    return Int(max(1, min(Double(full), (share * Double(full)).rounded())))
  }
}

/// The range of a graph's vertical axis.
package struct Axis: Equatable, Sendable {
  package var low: Double
  package var high: Double
  /// The factor of a step of a logarithmic axis; 0 for a linear one.
  private var base = 0.0
  /// The steps of a logarithmic axis.
  private var steps = 0

  package init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }

  /// A logarithmic axis with this number of steps.
  private init(low: Double, base: Double, steps: Int) {
    self.low = low
    self.base = base
    self.steps = steps
    high = low
    for _ in 0..<steps { high *= base }
  }

  package var isLog: Bool { steps > 0 }

  /// Whether the height of a value is in proportion to it; else a filled area would show a wrong proportion, and a line
  /// is drawn.
  var isProportional: Bool { low == 0 }

  /// The height of a value, from 0 at the lower end to 1 at the upper one.
  func share(_ value: Double) -> Double {
    guard isLog else { return (value - low) / (high - low) }
    guard value > 0 else { return 0 }
    return binaryLogarithm(value / low) / (Double(steps) * binaryLogarithm(base))
  }

  /// The value at a part of the axis, counted from its lower end.
  func value(atPart part: Int, of parts: Int) -> Double {
    guard isLog else { return low + (high - low) * Double(part) / Double(parts) }
    var value = low
    for _ in 0..<steps * part / parts { value *= base }
    return value
  }

  /// Powers of two around what is shown; their number is a multiple of four, so that the quarters are powers too.
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

  /// Four powers of ten: from 0.1 % up to 1000 %, or as much higher as it must be.
  static func logPercent(to greatest: Double) -> Axis {
    var low = 0.1
    while low * 1e4 * excess < greatest, low < 1e6 { low *= 10 }
    return Axis(low: low, base: 10, steps: 4)
  }

  /// Four round steps in binary units around what is shown, so that ends and quarters are round.
  ///
  /// It begins at 0 unless all of it is far above: then it begins below the least value, so that a
  /// change of a few percent is seen. Round steps keep the range still while values move; they are as near to one
  /// another as 4 to 5, so that the greatest value uses four fifths of the height. A value that is above a round end by
  /// less than a fiftieth is drawn at that end.
  package static func bytes(from least: Double, to greatest: Double) -> Axis {
    let high = max(greatest, 4096)
    let below = least - 2 * max(high - least, high / 16)
    let wanted = below > high / 2 ? below : 0
    // 1024, 1280, 1536, 1792, 2048, 2560, …
    var power = 1024.0
    while true {
      for quarters in 4..<8 {
        let step = power * Double(quarters) / 4
        let low = (wanted / step).rounded(.down) * step
        let slack = low == 0 ? rounding : 1
        if (low + 4 * step) * slack >= high { return Axis(low: low, high: low + 4 * step) }
      }
      power *= 2
    }
  }

  /// How far above a round end a value may be for which the axis ends there.
  private static let rounding = 1.02

  /// Whether the values fit the axis; a reading of a busy core may be a little above its 100 %.
  func holds(_ extent: Extent) -> Bool {
    let fits = Double(extent.max) <= high * (low == 0 ? Axis.excess : 1)
    // Whatever is below a logarithmic axis is drawn as little.
    return fits && (isLog || Double(extent.min) >= low)
  }

  /// How far above its end a graph that begins at 0 shows a value at its upper edge.
  private static let excess = 1.05

  /// From 0 to the next of 20 %, 40 %, 60 %, 80 %, 100 %, 120 %, 160 %, 200 %, 240 %, 320 %, 400 %, and so on: their
  /// quarters are whole numbers.
  package static func cpu(to greatest: Double) -> Axis {
    var power = 1.0
    while power < 1e12 {
      for index in cpuEnds.indices where index >= 6 || power == 1 {
        let high = power * cpuEnds[index]
        if high * excess >= greatest { return Axis(low: 0, high: high) }
      }
      power *= 2
    }
    return Axis(low: 0, high: greatest)
  }

  /// The last three of them are doubled again and again.
  private static let cpuEnds: InlineArray<9, Double> = [20, 40, 60, 80, 100, 120, 160, 200, 240]

  /// From 0 to a whole number of processors: 100 %, 200 %, ….
  package static func percent(to greatest: Double) -> Axis {
    Axis(low: 0, high: max(100, (greatest / 100 - 0.05).rounded(.up) * 100))
  }
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
