import Metrics
import Terminal

/// The characters of graphs.
package enum GraphStyle: String, CaseIterable, Sendable {
  /// Cells of two by four dots (Unicode 2800–28FF).
  case braille
  /// Eighths of a cell (Unicode 2581–2588).
  case block
  /// Only ASCII.
  case ascii

  /// The number of data columns in a cell.
  package var columnsPerCell: Int { self == .braille ? 2 : 1 }
  /// The number of height steps in a cell.
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
  /// Styles with one column per cell use the greater of the two.
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
  ///   - left: the step of the left half, counted from 1; a step outside the cell draws nothing.
  ///   - right: the step of the right half.
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
  ///   - left: the steps of the left half; steps outside the cell draw nothing; `nil` for no value.
  ///   - right: the steps of the right half.
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

  /// The number of steps for a value in a graph with a number of rows. A value above the least one takes at least one
  /// step, so that "little" does not look like "nothing".
  @inline(__always)
  static func steps(_ value: Float, axis: Axis, rows: Int, style: GraphStyle) -> Int {
    let full = rows * style.stepsPerCell
    let share = axis.share(Double(value))
    guard share > 0 else { return value > 0 && (axis.low == 0 || axis.isLog) ? 1 : 0 }
    return Int(max(1, min(Double(full), (share * Double(full)).rounded())))
  }
}
