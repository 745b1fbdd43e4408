import PerfHUDBase
import TestSupport

@testable import Terminal

/// What is compared between xterm and the model: the state of a terminal as its answers report it.
///
/// Source: XTerm Control Sequences: DECRQPSR (DECCIR, DECTABSR), DECRQSS, DECRQM, DECRQCRA with XTCHECKSUM,
/// XTREPORTSGR.
struct OracleState {
  /// Cursor, pending wrap, sets, pen, margins, modes, tabs, each with its name.
  var values: [(name: String, value: String)] = []
  /// The cells of `area`, row by row.
  var cells: [OracleCell] = []
  /// What combines with others and the attributes, summed up by row.
  var rowSums: [Int] = []

  /// Rows and columns.
  var size: String? { values.first { $0.name == "size" }?.value }

  /// The modes that are asked for.
  static let modes: [(question: String, name: String, mode: ProgramModes?)] = [
    ("4", "IRM", .insert), ("20", "LNM", .newLine), ("?6", "DECOM", .origin),
    ("?7", "DECAWM", .autowrap), ("?25", "DECTCEM", .visibleCursor),
    ("?45", "reverse wrap", .reverseWrap), ("?69", "DECLRMM", .sideMargins),
    ("?41", "tabs wrap", .tabsWrap), ("?1046", "no alternate screen", .noAlternate),
    ("?5", "DECSCNM", .reverseVideo), ("?95", "DECNCSM", .keepsOnColumnChange),
    ("?47", "alternate screen", nil),
  ]

  /// The cells that can be asked for: with DECOM those within the margins.
  static func area(_ screen: borrowing Screen) -> Rect {
    screen.modes.contains(.origin) ? screen.margins : Rect(screen.size)
  }

  /// How many of the answers come before those for the modes.
  private static let reports = 7

  // MARK: Questions

  static func questions(_ area: Rect, origin: Point, withCells: Bool) -> [UInt8] {
    var text = "\u{1B}[1$w\u{1B}[2$w\u{1B}P$qm\u{1B}\\\u{1B}P$qr\u{1B}\\\u{1B}P$qs\u{1B}\\"
    text += "\u{1B}P$q\"q\u{1B}\\\u{1B}[18t"
    for mode in modes { text += "\u{1B}[\(mode.question)$p" }
    guard withCells else { return Array(text.utf8) }
    // Not negated, without attributes, not trimmed, without what was never drawn, all of a character.
    text += "\u{1B}[31#y"
    for row in area.row..<area.endRow {
      let line = row - origin.row + 1
      for column in area.column..<area.endColumn {
        let place = column - origin.column + 1
        text += "\u{1B}[1;1;\(line);\(place);\(line);\(place)*y"
        text += "\u{1B}[\(line);\(place);\(line);\(place)#|"
      }
    }
    text += "\u{1B}[5#y"
    for row in area.row..<area.endRow {
      let line = row - origin.row + 1
      text += "\u{1B}[1;1;\(line);\(area.column - origin.column + 1);\(line);"
      text += "\(area.endColumn - origin.column)*y"
    }
    return Array(text.utf8)
  }

  /// The state that the answers to `questions` tell.
  ///
  /// - Parameter all: all answers; what the bytes in front have asked is answered first.
  init(_ all: [OracleAnswer], _ area: Rect, withCells: Bool) throws {
    let head = OracleState.reports + OracleState.modes.count
    let cells = withCells ? 2 * area.rows * area.columns + area.rows : 0
    guard all.count >= head + cells + 1 else {
      throw ToolError("\(all.count) answers instead of \(head + cells + 1)")
    }
    let answers = Array(all.suffix(head + cells + 1))
    let report = String(decoding: answers[0].text, as: UTF8.self).split(
      separator: ";", omittingEmptySubsequences: false)
    guard report.count >= 10, let flags = report[5].utf8.first else { throw ToolError("DECCIR") }
    let place = report[0].split(separator: "u")
    values.append(("cursor", "\(place.last ?? ""),\(report[1])"))
    values.append(("wrap", flags & 8 != 0 ? "pending" : "no"))
    values.append(("sets", "GL \(report[6]), GR \(report[7]), \(report[9])"))
    let columns = area.endColumn
    values.append(("tabs", "\(answers[1].numbers(from: 3).filter { $0 <= columns })"))
    values.append(("pen", OracleLook(sgr: answers[2].text.dropFirst(3)).description))
    values.append(("rows", String(decoding: answers[3].text.dropFirst(3), as: UTF8.self)))
    values.append(("columns", String(decoding: answers[4].text.dropFirst(3), as: UTF8.self)))
    values.append(("protection", String(decoding: answers[5].text.dropFirst(3), as: UTF8.self)))
    values.append(("size", "\(answers[6].numbers().prefix(3).dropFirst())"))
    for (index, mode) in OracleState.modes.enumerated() {
      let numbers = answers[OracleState.reports + index].numbers()
      let setting = numbers.dropFirst(mode.question.hasPrefix("?") ? 2 : 1)
      values.append((mode.name, setting.first == 1 ? "on" : "off"))
    }
    guard withCells else { return }
    var index = head
    for _ in 0..<area.rows * area.columns {
      self.cells.append(
        OracleCell(
          code: max(0x20, OracleState.checksum(answers[index])),
          look: OracleLook(sgr: answers[index + 1].text)))
      index += 2
    }
    for _ in 0..<area.rows {
      rowSums.append(OracleState.checksum(answers[index]))
      index += 1
    }
  }

  /// The characters of the rows, for a person to look at.
  func picture(_ area: Rect) -> String {
    (0..<area.rows).map { row in
      let line = cells[row * area.columns..<(row + 1) * area.columns].map { cell -> String in
        if cell.isUnknown { return "?" }
        return cell.code == 0xFFFF ? "<" : Unicode.Scalar(UInt16(cell.code)).map { "\($0)" } ?? "!"
      }
      return "\(area.row + row + 1)|" + line.joined() + "|"
    }.joined(separator: "\n")
  }

  private static func checksum(_ answer: OracleAnswer) -> Int {
    Int(String(decoding: answer.text.suffix(4), as: UTF8.self), radix: 16) ?? -1
  }

  // MARK: The model

  /// What the model says; `nil` where it says that it does not know.
  init(_ screen: borrowing Screen, _ area: Rect, withCells: Bool) {
    let isKnown =
      screen.isCursorKnown && !screen.isColumnUncertain && !screen.hasDoubleSizeLines
    let cursor = screen.cursor
    values.append(("cursor", isKnown ? "\(cursor.row + 1),\(cursor.column + 1)" : "?"))
    values.append(("wrap", isKnown ? (screen.isWrapPending ? "pending" : "no") : "?"))
    let sets = screen.characterSets
    let names = (0..<4).map { index in
      switch sets[index] {
      case .ascii: "B"
      case .specialGraphics: "0"
      case .unitedKingdom: "A"
      case .other: "?"
      }
    }
    let designated = names.contains("?") ? "?" : names.joined()
    values.append(
      ("sets", designated == "?" ? "?" : "GL \(sets.left), GR \(sets.right), \(designated)"))
    let tabs = (0..<area.endColumn).filter { screen.tabs[$0] }.map { $0 + 1 }
    values.append(("tabs", screen.tabs.isKnown ? "\(tabs)" : "?"))
    values.append(
      ("pen", screen.isPenUnknown ? "?" : OracleLook(screen.pen.style).description))
    let margins = screen.margins
    values.append(("rows", "\(margins.row + 1);\(margins.endRow)r"))
    values.append(("columns", "\(margins.column + 1);\(margins.endColumn)s"))
    let isProtected = screen.protection == .selective && screen.pen.isProtected
    values.append(
      ("protection", screen.isProtectionKnown ? (isProtected ? "1\"q" : "0\"q") : "?"))
    values.append(("size", "\([screen.size.rows, screen.size.columns])"))
    for mode in OracleState.modes {
      let isOn = mode.mode.map { screen.modes.contains($0) } ?? screen.isAlternate
      values.append((mode.name, isOn ? "on" : "off"))
    }
    guard withCells else { return }
    for row in area.row..<area.endRow {
      var sum = 0
      for column in area.column..<area.endColumn {
        let cell = screen.cell(row: row, column: column)
        let expected = OracleCell(cell, screen)
        cells.append(expected)
        let left = column > 0 ? screen.cell(row: row, column: column - 1) : .clear
        sum += expected.isUnknown ? -1_000_000 : OracleCell.rowSum(cell, after: left, screen)
      }
      // The sums are of codes that are read in the set of GR.
      rowSums.append(sum < 0 || sets[sets.right] != .ascii ? -1 : sum & 0xFFFF)
    }
  }

  /// The sums of the rows are not to be compared.
  mutating func forgetSums() { for index in rowSums.indices { rowSums[index] = -1 } }

  /// What differs from the model's view, by name; empty if nothing.
  func differences(from model: OracleState, area: Rect) -> [String] {
    var result: [String] = []
    for (mine, theirs) in zip(values, model.values)
    where theirs.value != "?" && mine.value != theirs.value {
      result.append("\(mine.name): xterm \(mine.value), the model \(theirs.value)")
    }
    for (index, mine) in cells.enumerated() {
      let theirs = model.cells[index]
      if theirs.isUnknown || mine == theirs { continue }
      let place = "\(area.row + index / area.columns + 1),\(area.column + index % area.columns + 1)"
      result.append("cell \(place): xterm \(mine), the model \(theirs)")
    }
    guard result.isEmpty else { return result }
    for (index, mine) in rowSums.enumerated()
    where model.rowSums[index] >= 0 && model.rowSums[index] != mine {
      result.append(
        "sum of row \(area.row + index + 1): xterm \(mine), the model \(model.rowSums[index])")
    }
    return result
  }
}

/// A cell as the checksum and the rendition tell it.
struct OracleCell: Equatable, CustomStringConvertible {
  /// The scalar's lower 16 bits; 0 for a blank that was erased, 0xFFFF for the right half of a wide
  /// character.
  var code: Int
  var look: OracleLook
  var isUnknown = false

  init(code: Int, look: OracleLook) {
    self.code = code
    self.look = look
  }

  init(_ cell: Cell, _ screen: borrowing Screen) {
    isUnknown = cell.isUnknown
    look = OracleLook(screen.style(cell.style))
    if cell.isContinuation {
      code = 0xFFFF
    } else if cell.isErased {
      code = 0x20
    } else {
      code = OracleCell.shown(cell, screen)
    }
  }

  /// The character that xterm keeps: line drawing as C0 codes in the form of its fonts.
  private static func shown(_ cell: Cell, _ screen: borrowing Screen) -> Int {
    let scalar = Int(screen.scalars(of: cell)[0].value)
    switch cell.characterSet {
    case .specialGraphics: return Int(Screen.graphic(UInt32(scalar)).value) & 0xFFFF
    case .unitedKingdom: return scalar | 0x80
    default: return scalar & 0xFFFF
    }
  }

  /// What the cell adds to the sum of its row, with attributes and what combines; with a wide character xterm
  /// keeps that in its right half.
  ///
  /// - Parameter left: the cell to its left.
  static func rowSum(_ cell: Cell, after left: Cell, _ screen: borrowing Screen) -> Int {
    var sum = cell.isErased ? 0x20 : cell.isContinuation ? 0xFF : shown(cell, screen) & 0xFF
    let look = OracleLook(screen.style(cell.style))
    for (code, value) in [(4, 0x10), (7, 0x20), (5, 0x40), (1, 0x80)]
    where look.attributes.contains(code) { sum += value }
    guard cell.width != 2 else { return sum }
    let joined = screen.scalars(of: cell.isContinuation ? left : cell).dropFirst()
    return joined.reduce(sum) { $0 + (Int($1.value) & 0xFFFF) }
  }

  var description: String {
    if isUnknown { return "unknown" }
    let name = code == 0 ? "blank" : code == 0xFFFF ? "right half" : "U+\(String(code, radix: 16))"
    return "\(name) \(look)"
  }
}

/// Attributes and colors, in the one form that xterm reports.
struct OracleLook: Equatable, CustomStringConvertible {
  var attributes: Set<Int> = []
  var foreground = ""
  var background = ""

  /// From an SGR sequence without its introducer.
  init(sgr: some Sequence<UInt8>) {
    let text = String(decoding: Array(sgr), as: UTF8.self)
    for part in text.dropLast().split(separator: ";") {
      let numbers = part.split(separator: ":").compactMap { Int($0) }
      guard let code = numbers.first else { continue }
      switch code {
      case 0: break
      case 38: foreground = OracleLook.color(numbers)
      case 48: background = OracleLook.color(numbers)
      case 30...37: foreground = "\(code - 30)"
      case 40...47: background = "\(code - 40)"
      case 90...97: foreground = "\(code - 82)"
      case 100...107: background = "\(code - 92)"
      default: attributes.insert(code)
      }
    }
  }

  private static func color(_ numbers: [Int]) -> String {
    if numbers.count > 1, numbers[1] == 5 { return "\(numbers.last ?? 0)" }
    return "rgb " + numbers.suffix(3).map { "\($0)" }.joined(separator: ",")
  }

  init(_ style: Style) {
    let names: [(Attributes, Int)] = [
      (.bold, 1), (.dim, 2), (.italic, 3), (.blink, 5), (.rapidBlink, 5), (.reverse, 7),
      (.invisible, 8), (.strike, 9),
    ]
    for (attribute, code) in names where style.attributes.contains(attribute) {
      attributes.insert(code)
    }
    switch style.attributes.underlineStyle {
    case .none: break
    case .double:
      attributes.insert(21)
      if style.attributes.contains(.singleBesideDouble) { attributes.insert(4) }
    default: attributes.insert(4)
    }
    // xterm shows the first eight colors of a bold character as the second eight, and keeps them so.
    let isBright = style.attributes.contains(.bold) && style.foreground.raw >> 24 == 1
    foreground = OracleLook.name(style.foreground, isBright: isBright)
    background = OracleLook.name(style.background, isBright: false)
  }

  private static func name(_ color: Color, isBright: Bool) -> String {
    let value = Int(color.raw & 0xFF_FFFF)
    switch color.raw >> 24 {
    case 1: return "\(isBright && value < 8 ? value + 8 : value)"
    case 2: return "\(value)"
    case 3: return "rgb \(value >> 16),\(value >> 8 & 255),\(value & 255)"
    default: return ""
    }
  }

  var description: String {
    let parts =
      attributes.sorted().map { "\($0)" } + (foreground.isEmpty ? [] : ["fg \(foreground)"])
      + (background.isEmpty ? [] : ["bg \(background)"])
    return "<\(parts.joined(separator: " "))>"
  }
}
