/// One cell of a screen: its character with what combines with it, and how it is drawn.
public struct GridCell: Equatable, Sendable {
  /// Empty in the right half of a wide character.
  public var text: String
  public var style: String

  public static let blank = GridCell(text: " ", style: "")
}

/// A screen as cells, made from rows of text with SGR sequences as `capture-pane -e` writes them.
public enum Grid {
  /// The rows as cells. An attribute lasts into the next row, as tmux has it.
  ///
  /// - Parameter earlier: the rows before them, whose attributes may last too.
  public static func parse(_ rows: [String], after earlier: [String] = []) -> [[GridCell]] {
    var pen = Pen()
    for row in earlier where row.utf8.contains(where: { $0 == 0x1B || $0 == 0x0E || $0 == 0x0F }) {
      _ = parseRow(row, &pen)
    }
    return rows.map { parseRow($0, &pen) }
  }

  private static func parseRow(_ row: String, _ pen: inout Pen) -> [GridCell] {
    var cells: [GridCell] = []
    var scalars = row.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\u{1B}" where scalars.first == "[":
        scalars.removeFirst()
        let end = scalars.firstIndex { (0x40...0x7E).contains($0.value) } ?? scalars.endIndex
        pen.apply(String(scalars[..<end]))
        scalars = end < scalars.endIndex ? scalars[scalars.index(after: end)...] : scalars[end...]
      case "\u{0E}": pen.isLineDrawing = true
      case "\u{0F}": pen.isLineDrawing = false
      default:
        switch columns(of: scalar) {
        case 0 where !cells.isEmpty:
          let owner = cells.lastIndex { !$0.text.isEmpty } ?? 0
          cells[owner].text.unicodeScalars.append(scalar)
        case 2:
          cells.append(GridCell(text: String(scalar), style: pen.text))
          cells.append(GridCell(text: "", style: pen.text))
        default:
          // A blank is the same in every set of characters.
          cells.append(GridCell(text: String(scalar), style: pen.style(of: scalar)))
        }
      }
    }
    return cells
  }

  /// Columns of a character; the tests use no character whose width is in doubt.
  static func columns(of scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x300...0x36F, 0x200B...0x200D, 0xFE00...0xFE0F: 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
      0x1F900...0x1FAFF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }

  /// The attributes in force, in one form however they were set.
  private struct Pen {
    var isLineDrawing = false
    private var attributes: Set<String> = []
    private var foreground = ""
    private var background = ""
    private var underlineColor = ""

    var text: String { style(of: "x") }

    func style(of scalar: Unicode.Scalar) -> String {
      var parts = attributes.sorted()
      if !foreground.isEmpty { parts.append("fg \(foreground)") }
      if !background.isEmpty { parts.append("bg \(background)") }
      if !underlineColor.isEmpty { parts.append("ul \(underlineColor)") }
      if isLineDrawing, scalar != " " { parts.append("lines") }
      return parts.joined(separator: ", ")
    }

    mutating func apply(_ sequence: String) {
      guard sequence.hasSuffix("m") || !sequence.contains(where: \.isLetter) else { return }
      var parameters = sequence.split(separator: ";", omittingEmptySubsequences: false)[...]
      while let parameter = parameters.popFirst() {
        let number = Int(parameter.prefix { $0 != ":" }) ?? 0
        switch number {
        case 0: (attributes, foreground, background, underlineColor) = ([], "", "", "")
        case 1...9, 21, 53: attributes.insert(String(parameter))
        case 22: attributes.subtract(["1", "2"])
        case 24: attributes = attributes.filter { !$0.hasPrefix("4") && $0 != "21" }
        case 23, 25, 27, 28, 29: attributes.remove(String(number - 20))
        case 55: attributes.remove("53")
        case 30...37, 90...97: foreground = String(number)
        case 40...47, 100...107: background = String(number - 10)
        case 38: foreground = color(parameter, &parameters)
        case 48: background = color(parameter, &parameters)
        case 58: underlineColor = color(parameter, &parameters)
        case 39: foreground = ""
        case 49: background = ""
        case 59: underlineColor = ""
        default: attributes.insert(String(parameter))
        }
      }
    }

    /// A color that takes more numbers, which follow after `:` or `;`.
    private func color(_ parameter: Substring, _ rest: inout ArraySlice<Substring>) -> String {
      var numbers = parameter.split(separator: ":").dropFirst().map(String.init)
      if numbers.isEmpty {
        let count = rest.first == "5" ? 2 : 4
        numbers = rest.prefix(count).map(String.init)
        rest = rest.dropFirst(count)
      }
      return numbers.joined(separator: ".")
    }
  }
}
