/// A character that is drawn as shapes instead of text, so that its lines join those of neighboring cells in every
/// font.
enum GlyphShape: Equatable {
  case blank
  /// Lines from the middle of the cell: to the left, up, to the right, down.
  case lines(BoxArms)
  /// A quarter of a circle from the middle of one edge to that of another.
  case arc(BoxArms)
  /// From the lower left to the upper right corner, from the upper left to the lower right one, or both.
  case diagonals(rising: Bool, falling: Bool)
  /// Rectangles, in eighths of the cell.
  case blocks([BlockPart])
  /// The whole cell, in a mix of background and foreground; the value is the share of the foreground.
  case shade(Double)
  /// Dots: bits 0 to 7 as in the code of the character.
  case braille(UInt8)

  /// `nil` if the character is written as text.
  init?(_ text: String) {
    let scalars = text.unicodeScalars
    guard let scalar = scalars.first, scalars.count == 1 else {
      if text.isEmpty {
        self = .blank
        return
      }
      return nil
    }
    switch scalar.value {
    case 0x20, 0xA0, 0x2800, 0x3000: self = .blank
    case 0x2500...0x257F: self = GlyphShape.box(Int(scalar.value) - 0x2500)
    case 0x2591...0x2593: self = .shade(Double(scalar.value - 0x2590) / 4)
    case 0x2580...0x259F: self = .blocks(BlockPart.parts(scalar.value))
    case 0x2801...0x28FF: self = .braille(UInt8(scalar.value & 0xFF))
    default: return nil
    }
  }

  private static func box(_ index: Int) -> GlyphShape {
    switch index {
    case 0x6D: .arc(BoxArms(right: .light, down: .light))
    case 0x6E: .arc(BoxArms(left: .light, down: .light))
    case 0x6F: .arc(BoxArms(left: .light, up: .light))
    case 0x70: .arc(BoxArms(up: .light, right: .light))
    case 0x71...0x73: .diagonals(rising: index != 0x72, falling: index != 0x71)
    default: .lines(BoxArms.table(index))
    }
  }
}

/// The lines of a box character from the middle of its cell.
struct BoxArms: Equatable {
  enum Weight: UInt8 {
    case none, light, heavy, double
  }

  var left = Weight.none
  var up = Weight.none
  var right = Weight.none
  var down = Weight.none
  /// The number of dashes in a cell; 0 for solid lines.
  var dashes = 0

  /// The character U+2500 + `index`.
  static func table(_ index: Int) -> BoxArms {
    var arms = BoxArms()
    let digits = unsafe UnsafeBufferPointer(
      start: weights.utf8Start, count: weights.utf8CodeUnitCount)
    func weight(_ arm: Int) -> Weight {
      unsafe Weight(rawValue: digits[index * 5 + arm] - UInt8(ascii: "0")) ?? .none
    }
    arms.left = weight(0)
    arms.up = weight(1)
    arms.right = weight(2)
    arms.down = weight(3)
    switch index {
    case 0x04...0x07: arms.dashes = 3
    case 0x08...0x0B: arms.dashes = 4
    case 0x4C...0x4F: arms.dashes = 2
    default: break
    }
    return arms
  }

  /// The weights of the arms to the left, up, to the right and down, of all characters from U+2500 to U+257F.
  ///
  /// Source: the names of the characters in the Unicode Character Database.
  private static let weights: StaticString = """
    1010 2020 0101 0202 1010 2020 0101 0202 1010 2020 0101 0202 0011 0021 0012 0022 \
    1001 2001 1002 2002 0110 0120 0210 0220 1100 2100 1200 2200 0111 0121 0211 0112 \
    0212 0221 0122 0222 1101 2101 1201 1102 1202 2201 2102 2202 1011 2011 1021 2021 \
    1012 2012 1022 2022 1110 2110 1120 2120 1210 2210 1220 2220 1111 2111 1121 2121 \
    1211 1112 1212 2211 1221 2112 1122 2221 2122 2212 1222 2222 1010 2020 0101 0202 \
    3030 0303 0031 0013 0033 3001 1003 3003 0130 0310 0330 3100 1300 3300 0131 0313 \
    0333 3101 1303 3303 3031 1013 3033 3130 1310 3330 3131 1313 3333 0000 0000 0000 \
    0000 0000 0000 0000 1000 0100 0010 0001 2000 0200 0020 0002 1020 0102 2010 0201 
    """
}

/// A rectangle in a cell, in eighths of its width and height.
struct BlockPart: Equatable {
  var column: Int
  var row: Int
  var columns: Int
  var rows: Int

  init(_ column: Int, _ row: Int, _ columns: Int, _ rows: Int) {
    self.column = column
    self.row = row
    self.columns = columns
    self.rows = rows
  }

  /// The rectangles of a character from U+2580 to U+259F, except the shades.
  static func parts(_ code: UInt32) -> [BlockPart] {
    let index = Int(code) - 0x2580
    switch index {
    case 0: return [BlockPart(0, 0, 8, 4)]
    case 1...8: return [BlockPart(0, 8 - index, 8, index)]
    case 9...0x0F: return [BlockPart(0, 0, 0x10 - index, 8)]
    case 0x10: return [BlockPart(4, 0, 4, 8)]
    case 0x14: return [BlockPart(0, 0, 8, 1)]
    case 0x15: return [BlockPart(7, 0, 1, 8)]
    case 0x16...0x1F:
      // Upper left, upper right, lower left, lower right.
      let quadrants = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14][index - 0x16]
      let places = [(0, 0), (4, 0), (0, 4), (4, 4)]
      return places.enumerated().filter { quadrants >> $0.offset & 1 == 1 }
        .map { BlockPart($0.element.0, $0.element.1, 4, 4) }
    default: return []
    }
  }
}
