import Terminal

/// The parts of a screen that are drawn as shapes, by color: backgrounds, blocks, dots and lines. `ScreenSVG` writes
/// the text.
///
/// A cell is 9 by 18 units, so that braille dots are equally spaced in both directions.
struct ScreenShapes {
  static let width = 9.0
  static let height = 18.0
  static let dotStep = 4.5

  struct Stroke: Hashable {
    var color: UInt32
    var width: Double
  }

  private(set) var backgrounds = OrderedLayers<UInt32, RectangleLayer>()
  private(set) var blocks = OrderedLayers<UInt32, RectangleLayer>()
  private(set) var dots = OrderedLayers<UInt32, DotLayer>()
  private(set) var lines = OrderedLayers<Stroke, LineLayer>()

  private static let light = 1.2
  private static let heavy = 2.6
  /// The distance from the middle to each line of a double line.
  private static let gap = 1.75

  init(_ picture: ScreenPicture, _ colors: TerminalColors) {
    for row in 0..<picture.size.rows {
      for column in 0..<picture.size.columns {
        let glyph = picture[row, column]
        let (front, back) = colors.colors(of: glyph.style)
        let cell = Cell(row: row, column: column, color: front)
        // The right half of a wide character has the same style as the left half.
        if back != colors.background { fill(&backgrounds, back, cell, BlockPart(0, 0, 8, 8)) }
        if let shape = GlyphShape(glyph.text) { add(shape, cell, background: back) }
        addMarks(glyph, cell, colors)
      }
    }
  }

  /// A position, and the color to draw there.
  private struct Cell {
    let row: Int
    let column: Int
    let color: UInt32

    var x: Double { Double(column) * width }
    var y: Double { Double(row) * height }
    var middleX: Double { x + width / 2 }
    var middleY: Double { y + height / 2 }
    var endX: Double { x + width }
    var endY: Double { y + height }
  }

  private mutating func add(_ shape: GlyphShape, _ cell: Cell, background: UInt32) {
    switch shape {
    case .blank: break
    case .blocks(let parts): for part in parts { fill(&blocks, cell.color, cell, part) }
    case .shade(let share):
      let color = TerminalColors.mix(background, cell.color, share)
      fill(&blocks, color, cell, BlockPart(0, 0, 8, 8))
    case .braille(let bits):
      dots[cell.color, default: DotLayer(step: ScreenShapes.dotStep)].add(
        bits, row: cell.row, column: cell.column)
    case .lines(let arms):
      if arms.dashes > 0 { addDashes(arms, cell) } else { addLines(arms, cell) }
    case .arc(let arms):
      var path = lines[stroke(.light, cell), default: LineLayer()].others
      path.move(arms.left == .none ? cell.endX : cell.x, cell.middleY)
      path.curve(
        by: cell.middleX, cell.middleY, to: cell.middleX, arms.up == .none ? cell.endY : cell.y)
      lines[stroke(.light, cell), default: LineLayer()].others = path
    case .diagonals(let rising, let falling):
      var path = lines[stroke(.light, cell), default: LineLayer()].others
      if rising {
        path.move(cell.x, cell.endY)
        path.line(cell.endX, cell.y)
      }
      if falling {
        path.move(cell.x, cell.y)
        path.line(cell.endX, cell.endY)
      }
      lines[stroke(.light, cell), default: LineLayer()].others = path
    }
  }

  private func fill(
    _ layers: inout OrderedLayers<UInt32, RectangleLayer>, _ color: UInt32, _ cell: Cell,
    _ part: BlockPart
  ) {
    layers[color, default: RectangleLayer()].add(
      RectangleLayer.Rectangle(
        x: cell.x + Double(part.column) * ScreenShapes.width / 8,
        y: cell.y + Double(part.row) * ScreenShapes.height / 8,
        width: Double(part.columns) * ScreenShapes.width / 8,
        height: Double(part.rows) * ScreenShapes.height / 8))
  }

  // MARK: Lines

  private func stroke(_ weight: BoxArms.Weight, _ cell: Cell) -> Stroke {
    Stroke(color: cell.color, width: weight == .heavy ? ScreenShapes.heavy : ScreenShapes.light)
  }

  private mutating func addLines(_ arms: BoxArms, _ cell: Cell) {
    let gap = ScreenShapes.gap
    // How far an arm reaches beyond the middle: to the far line of a double line at which it ends.
    func reach(_ across: (BoxArms.Weight, BoxArms.Weight)) -> Double {
      let hasDouble = across.0 == .double || across.1 == .double
      return hasDouble ? gap : 0
    }
    let vertical = reach((arms.up, arms.down))
    let horizontal = reach((arms.left, arms.right))
    addHorizontal(arms.left, cell, from: cell.x, to: cell.middleX + vertical, sides: arms)
    addHorizontal(arms.right, cell, from: cell.middleX - vertical, to: cell.endX, sides: arms)
    addVertical(arms.up, cell, from: cell.y, to: cell.middleY + horizontal, sides: arms)
    addVertical(arms.down, cell, from: cell.middleY - horizontal, to: cell.endY, sides: arms)
  }

  /// A double line leaves a gap where another double line crosses or joins it.
  private mutating func addHorizontal(
    _ weight: BoxArms.Weight, _ cell: Cell, from: Double, to: Double, sides: BoxArms
  ) {
    guard weight != .none else { return }
    guard weight == .double else {
      return lines[stroke(weight, cell), default: LineLayer()].addHorizontal(
        y: cell.middleY, from: from, to: to)
    }
    let isLeft = from == cell.x
    for (offset, side) in [(-ScreenShapes.gap, sides.up), (ScreenShapes.gap, sides.down)] {
      let inner = isLeft ? cell.middleX - ScreenShapes.gap : cell.middleX + ScreenShapes.gap
      let end = side == .double ? inner : isLeft ? to : from
      lines[stroke(weight, cell), default: LineLayer()].addHorizontal(
        y: cell.middleY + offset, from: isLeft ? from : end, to: isLeft ? end : to)
    }
  }

  private mutating func addVertical(
    _ weight: BoxArms.Weight, _ cell: Cell, from: Double, to: Double, sides: BoxArms
  ) {
    guard weight != .none else { return }
    guard weight == .double else {
      return lines[stroke(weight, cell), default: LineLayer()].addVertical(
        x: cell.middleX, from: from, to: to)
    }
    let isUpper = from == cell.y
    for (offset, side) in [(-ScreenShapes.gap, sides.left), (ScreenShapes.gap, sides.right)] {
      let inner = isUpper ? cell.middleY - ScreenShapes.gap : cell.middleY + ScreenShapes.gap
      let end = side == .double ? inner : isUpper ? to : from
      lines[stroke(weight, cell), default: LineLayer()].addVertical(
        x: cell.middleX + offset, from: isUpper ? from : end, to: isUpper ? end : to)
    }
  }

  /// Each dash has half a gap before and after it, so that neighboring cells look like one line.
  private mutating func addDashes(_ arms: BoxArms, _ cell: Cell) {
    let isHorizontal = arms.left != .none
    let stroke = stroke(isHorizontal ? arms.left : arms.up, cell)
    let step = (isHorizontal ? ScreenShapes.width : ScreenShapes.height) / Double(arms.dashes)
    for index in 0..<arms.dashes {
      let from = (isHorizontal ? cell.x : cell.y) + (Double(index) + 0.2) * step
      if isHorizontal {
        lines[stroke, default: LineLayer()].addHorizontal(
          y: cell.middleY, from: from, to: from + 0.6 * step)
      } else {
        lines[stroke, default: LineLayer()].addVertical(
          x: cell.middleX, from: from, to: from + 0.6 * step)
      }
    }
  }

  /// Lines under, through and over the text.
  private mutating func addMarks(
    _ glyph: ScreenPicture.Glyph, _ cell: Cell, _ colors: TerminalColors
  ) {
    let attributes = glyph.style.attributes
    guard !attributes.isDisjoint(with: [.underline, .strike, .overline]) else { return }
    func add(_ place: Double, _ color: UInt32, to lines: inout OrderedLayers<Stroke, LineLayer>) {
      lines[Stroke(color: color, width: 1), default: LineLayer()].addHorizontal(
        y: cell.y + place, from: cell.x, to: cell.endX)
    }
    if attributes.contains(.underline) {
      let color = colors.value(glyph.style.underlineColor) ?? cell.color
      add(15.5, color, to: &lines)
      if attributes.underlineStyle == .double { add(17.5, color, to: &lines) }
    }
    if attributes.contains(.strike) { add(9.5, cell.color, to: &lines) }
    if attributes.contains(.overline) { add(0.5, cell.color, to: &lines) }
  }
}
