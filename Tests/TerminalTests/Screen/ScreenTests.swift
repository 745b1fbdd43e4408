import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// A screen under test. Rows and columns count from 1, as in the sequences.
final class TestScreen {
  var screen: Screen

  init(_ size: Size, _ options: Screen.Options) { screen = Screen(size, options: options) }

  /// Feeds text as one piece. `ESC` and `CSI` in it are written out: see `bytes`.
  @discardableResult func feed(_ text: String, hudRegion: HUDRegion = HUDRegion()) -> ScreenStop {
    feed(bytes(text), hudRegion: hudRegion)
  }

  @discardableResult func feed(
    _ bytes: [UInt8], from start: Int = 0, hudRegion: HUDRegion = HUDRegion()
  ) -> ScreenStop {
    unsafe screen.feed(bytes.span.bytes, from: start, hudRegion: hudRegion)
  }

  var size: Size { screen.size }
  var cursor: Point { screen.cursor }
  var title: String { screen.title }
  var pendingBytes: Int { screen.pendingBytes }
  var isAtGround: Bool { screen.isAtGround }
  var hasExecutedPending: Bool { screen.hasExecutedPending }
  var isWrapPending: Bool { screen.isWrapPending }
  var isVT52: Bool { screen.certainty.isVT52 }
  var isRestorable: Bool { screen.isRestorable }
  var isColumnUncertain: Bool { screen.isColumnUncertain }
  var isCursorKnown: Bool { screen.isCursorKnown }
  var margins: Rect { screen.margins }
  var modes: ProgramModes { screen.modes }
  var pen: Pen { screen.pen }
  var characterSets: CharacterSets { screen.characterSets }
  var isAlternate: Bool { screen.isAlternate }
  var isUpdating: Bool { screen.isUpdating }
  var hasDamage: Bool { screen.hasDamage }
  var lastPrinted: Cell { screen.lastPrinted }
  var shell: ShellMarks { screen.reported.shell }
  func scalars(of cell: Cell) -> [Unicode.Scalar] { screen.scalars(of: cell) }
  func link(_ number: UInt16) -> [UInt8] { screen.link(number) }
  func isWrapped(row: Int) -> Bool { screen.isWrapped(row: row) }
  func damage(row: Int) -> Range<Int> { screen.damage(row: row - 1) }
  func resize(to size: Size, isKnown: Bool) { screen.resize(to: size, isKnown: isKnown) }
  func setCursor(_ place: Point) { screen.setCursor(place) }
  var ownSequence: String {
    screen.withOwnSequence { text in
      var bytes: [UInt8] = []
      for index in 0..<text.byteCount { bytes.append(FieldCursor.byte(at: index, in: text)) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  func cell(_ row: Int, _ column: Int) -> Cell { screen.cell(row: row - 1, column: column - 1) }
  func style(_ row: Int, _ column: Int) -> Style { screen.style(cell(row, column).style) }

  func expectLine(
    _ row: Int, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let line = screen.text(row: row - 1)
    #expect(line == text, sourceLocation: sourceLocation)
  }

  func expectLines(_ texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    for (index, text) in texts.enumerated() {
      expectLine(index + 1, text, sourceLocation: sourceLocation)
    }
  }

  func expectCursor(
    _ row: Int, _ column: Int, pending: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let place = "\(screen.cursor.row + 1);\(screen.cursor.column + 1)"
    #expect(place == "\(row);\(column)", sourceLocation: sourceLocation)
    #expect(isWrapPending == pending, "pending wrap", sourceLocation: sourceLocation)
  }

  /// Everything that can be asked of a screen, to compare two of them: the state, then the rows.
  var picture: [String] {
    var state = "\(cursor.row);\(cursor.column) \(isWrapPending) \(margins) \(modes.rawValue)"
    state += " \(name(pen.style)) \(pen.isProtected) \(screen.link(pen.link)) \(characterSets)"
    state += " \(isAlternate) \(title) \(screen.protection) known: \(isCursorKnown)"
    state += " \(isColumnUncertain) \(screen.isPenUnknown) \(screen.hasDoubleSizeLines)"
    var picture = [state]
    for row in 0..<size.rows {
      var line = isWrapped(row: row) ? "~" : ""
      for column in 1...size.columns {
        let cell = cell(row + 1, column)
        for scalar in scalars(of: cell) { line.unicodeScalars.append(scalar) }
        let flags = cell.raw >> 21 & 0x1FF
        if flags != 1 { line += String(flags, radix: 16) }
        let style = screen.style(cell.style)
        if style != .plain { line += name(style) }
        if cell.link != 0 { line += String(decoding: link(cell.link), as: UTF8.self) }
        line += "|"
      }
      picture.append(line)
    }
    return picture
  }

  private func name(_ style: Style) -> String {
    let colors = [style.foreground, style.background, style.underlineColor]
    return "<" + colors.map { String($0.raw, radix: 16) }.joined(separator: ",")
      + ",\(style.attributes.rawValue)>"
  }
}

/// Records the first lines in which two pictures differ.
func expectSame(
  _ picture: [String], _ other: [String], _ what: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  for (line, otherLine) in zip(picture, other) where line != otherLine {
    Issue.record("\(what):\n\(line)\n\(otherLine)", sourceLocation: sourceLocation)
    return
  }
  #expect(picture.count == other.count)
}

func makeScreen(
  columns: Int = 20, rows: Int = 6, quirks: TerminalQuirks = .xterm, isUnknown: Bool = false,
  isUTF8: Bool = true
) -> TestScreen {
  var options = Screen.Options()
  options.quirks = quirks
  options.startsUnknown = isUnknown
  options.isUTF8 = isUTF8
  return TestScreen(Size(rows: rows, columns: columns), options)
}

/// The bytes of a text in which `CSI `, `OSC `, `DCS `, `ESC ` and ` ST` stand for themselves.
func bytes(_ text: String) -> [UInt8] {
  var result: [UInt8] = []
  var rest = Substring(text)
  let names = [
    ("CSI ", "\u{1B}["), ("OSC ", "\u{1B}]"), ("DCS ", "\u{1B}P"), ("APC ", "\u{1B}_"),
    ("ESC ", "\u{1B}"), (" ST", "\u{1B}\\"), (" LF ", "\n"), (" CR ", "\r"),
  ]
  outer: while !rest.isEmpty {
    for (name, code) in names where rest.hasPrefix(name) {
      result += Array(code.utf8)
      rest.removeFirst(name.count)
      continue outer
    }
    result += Array(String(rest.unicodeScalars.removeFirst()).utf8)
  }
  return result
}

/// A cover over columns and rows, counted from 1.
func hudRegion(rows: ClosedRange<Int>, columns: ClosedRange<Int>) -> HUDRegion {
  HUDRegion(
    Rect(
      row: rows.lowerBound - 1, column: columns.lowerBound - 1, rows: rows.count,
      columns: columns.count))
}
