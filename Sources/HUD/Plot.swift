import Metrics
import Terminal

/// How graphs and gauges are drawn.
public enum GraphStyle: String, CaseIterable, Sendable {
  /// Two by four dots a cell (Unicode 2800–28FF).
  case braille
  /// Eighths of a cell (Unicode 2581–2588).
  case block
  /// Nothing but ASCII.
  case ascii

  /// Columns of data in a cell.
  public var columnsPerCell: Int { self == .braille ? 2 : 1 }
  /// Steps of height in a cell.
  public var stepsPerCell: Int {
    switch self {
    case .braille: 4
    case .block: 8
    case .ascii: 3
    }
  }
}

/// An area graph: columns of cells filled from the bottom up to a height.
public enum Plot {
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

  /// Steps that a value takes in a graph of so many rows; a value above the least one shows at least
  /// one step, so that "little" does not look like "nothing".
  @inline(__always)
  static func steps(_ value: Float, axis: Axis, rows: Int, style: GraphStyle) -> Int {
    let full = rows * style.stepsPerCell
    let share = (Double(value) - axis.low) / (axis.high - axis.low)
    guard share > 0 else { return value > 0 && axis.low == 0 ? 1 : 0 }
    return Int(max(1, min(Double(full), (share * Double(full)).rounded())))
  }
}

/// The range of a graph's vertical axis.
public struct Axis: Equatable, Sendable {
  public var low: Double
  public var high: Double

  public init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }

  /// Four round steps in binary units around what is shown, so that ends and quarters are round.
  ///
  /// It begins at 0 unless all of it lies far above: then it begins below the least value, so that a
  /// change of a few percent is seen. Round steps keep the range still while values move.
  public static func bytes(from least: Double, to greatest: Double) -> Axis {
    let high = max(greatest, 4096)
    let below = least - 2 * max(high - least, high / 16)
    let wanted = below > high / 2 ? below : 0
    // 1024, 1536, 2048, 3072, 4096, …
    var step = 1024.0
    var isPowerOfTwo = true
    while true {
      let low = (wanted / step).rounded(.down) * step
      if low + 4 * step >= high { return Axis(low: low, high: low + 4 * step) }
      step *= isPowerOfTwo ? 1.5 : 4 / 3.0
      isPowerOfTwo.toggle()
    }
  }

  /// Whether the values can be drawn; a reading of a busy core may lie a little above its 100 %.
  func holds(_ extent: Extent) -> Bool {
    Double(extent.min) >= low && Double(extent.max) <= high * (low == 0 ? Axis.excess : 1)
  }

  /// How far above its end a graph that begins at 0 shows a value at its upper edge.
  private static let excess = 1.05

  /// From 0 to a whole number of processors: 100 %, 200 %, ….
  public static func percent(to greatest: Double) -> Axis {
    Axis(low: 0, high: max(100, (greatest / 100 - 0.05).rounded(.up) * 100))
  }
}
