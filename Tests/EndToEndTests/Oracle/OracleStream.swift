import PerfHUDBase

@testable import Terminal

/// A random stream over everything that a screen follows, one operation after another.
///
/// Where xterm itself depends on how its input is cut into reads (it treats the characters of one read
/// as one in insert mode, without autowrap, and after a single shift) a string terminator stands between
/// any two characters. REP and what combines come together with their character, since questions stand
/// between operations.
struct OracleStream {
  private var numbers: SeededRandom
  let columns: Int
  let rows: Int
  /// Whether DECCRA is played: after half a wide character was copied, xterm keeps no combining characters
  /// in that line for the rest of its life.
  let copies: Bool
  /// Left out: what only some terminals have.
  let isPlain: Bool
  /// Modes that make another terminal of it are played too; each second operation is one of them.
  private let hasRareModes: Bool
  private var isRareTurn = false
  /// From seed 1000 on: also what the streams before do not hold, so that those stay as they are.
  private let isWide: Bool
  /// From seed 5000 on, DECSCLM too.
  private let scrollsSmoothly: Bool

  init(
    seed: Int, columns: Int, rows: Int, isPlain: Bool = false, hasRareModes: Bool = false
  ) {
    numbers = SeededRandom(scatteredSeed: UInt64(truncatingIfNeeded: seed))
    self.hasRareModes = hasRareModes
    isWide = seed >= 1000
    scrollsSmoothly = seed >= 5000
    self.columns = columns
    self.rows = rows
    self.isPlain = isPlain
    copies = seed % 4 == 0 && !isPlain && !hasRareModes
  }

  /// Both screens, the saved cursors and what was saved of modes, as at the start.
  static let reset = Array(
    ("\u{1B}[?4;40;41l\u{1B}[?1046h\u{1B}c\u{1B}[?1047h\u{1B}[!p\u{1B}7\u{1B}[2J\u{1B}[?1047l\u{1B}c"
      + "\u{1B}[?1;5;6;7;25;41;45;69;95;1046;1047s").utf8)

  /// A screen that is not empty, so that all that moves is seen.
  static func fill(columns: Int, rows: Int) -> [UInt8] {
    var text = ""
    for row in 0..<rows {
      text += "\u{1B}[\(row + 1)H\u{1B}[3\(row % 8)m"
      text += String(
        (0..<columns).map { Character(Unicode.Scalar(UInt8(0x41 + (row * 5 + $0) % 58))) })
    }
    return Array((text + "\u{1B}[m\u{1B}[H").utf8)
  }

  mutating func pick(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &numbers)
  }

  mutating func pick(_ texts: String...) -> String { texts[pick(0...texts.count - 1)] }

  /// The next operation.
  ///
  /// - Parameter modes: those of the screen, on which the form of text depends.
  mutating func next(_ modes: ProgramModes) -> [UInt8] {
    let bytes = operation(modes)
    guard modes.contains(.allowsColumnChange), changesWidth(bytes) else { return bytes }
    return Array("\u{1B}[?40l".utf8) + bytes
  }

  /// Whether DECCOLM, where it is allowed, would ask xterm for another width: it would get as much of it as
  /// its screen has room for, and keep it.
  private func changesWidth(_ bytes: [UInt8]) -> Bool {
    guard !isPlain else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("?3h") || (columns != 80 && text.contains("?3l"))
  }

  private mutating func operation(_ modes: ProgramModes) -> [UInt8] {
    let isCut = modes.contains(.insert) || !modes.contains(.autowrap)
    if isWide, pick(0...7) == 0 {
      return Array((isPlain || pick(0...2) > 0 ? wide(isCut) : wideInXterm()).utf8)
    }
    if hasRareModes {
      isRareTurn.toggle()
      if isRareTurn, isPlain || columns == 80, pick(0...4) == 0 { return otherCode() }
      if isRareTurn { return Array(isPlain ? rareInTmux().utf8 : rare().utf8) }
    }
    return Array(isPlain ? plain(isCut).utf8 : any(isCut).utf8)
  }

  private mutating func any(_ isCut: Bool) -> String {
    switch pick(0...99) {
    case 0..<62: plain(isCut)
    case 62..<66: sideMargins()
    case 66..<70: rectangle()
    case 70..<73: attributes()
    case 73..<77: "\u{1B}[\(count())\(pick("'}", "'~", " @", " A"))"
    case 77..<79: pick("\u{1B}6", "\u{1B}9")
    case 79..<83: protection(isCut)
    case 83..<85: "\u{1B}[\(pick("?6h", "?6l", "?6h", "?6l", "?45h", "?45l", "?5h", "?5l"))"
    case 85..<87: resets()
    case 87..<89: saving()
    case 89..<91: strings()
    case 91..<93: pick("\u{1B}n", "\u{1B}o", "\u{1B}~", "\u{1B}}", "\u{1B}|", "\u{E}", "\u{F}")
    case 93..<95: pick(0...5) == 0 ? singleShift() : protection(isCut)
    case 95..<97: harmless()
    default: tabs()
    }
  }

  /// What every terminal has.
  private mutating func plain(_ isCut: Bool) -> String {
    switch pick(0...99) {
    case 0..<28: print(isCut)
    case 28..<42: "\u{1B}[\(row());\(column())H"
    case 42..<52: rendition()
    case 52..<59: "\u{1B}[\(pick(0...2))\(pick("J", "K", "K"))"
    case 59..<67: "\u{1B}[\(count())\(pick("L", "M", "@", "P", "X"))"
    case 67..<70: "\u{1B}[\(count())\(pick("S", "T", "^"))"
    case 70..<74: region()
    case 74..<81: pick("\n", "\r\n", "\u{1B}D", "\u{1B}M", "\u{1B}E", "\n\n", "\r", "\u{B}")
    case 81..<84: pick("\u{1B}7", "\u{1B}8", "\u{1B}[s", "\u{1B}[u")
    case 84..<87:
      pick("\u{1B}[4h", "\u{1B}[4l", "\u{1B}[?7l", "\u{1B}[?7h", "\u{1B}[20h", "\u{1B}[20l")
    case 87..<90: pick("\t", "\u{1B}[Z", "\u{8}", "\u{1B}[2I")
    case 90..<92: pick("\u{1B}(0", "\u{1B}(B", "\u{1B})0", "\u{1B}(A", "\u{E}", "\u{F}")
    case 92..<94: screenSwitch()
    default: "\u{1B}[\(count())\(pick("A", "B", "C", "D", "E", "F", "G", "d", "a", "e", "`"))"
    }
  }

  /// What is seldom seen, and may be taken in different ways.
  private mutating func wide(_ isCut: Bool) -> String {
    switch pick(0...11) {
    case 0:
      return pick("\r\u{8}", "\u{8}\u{8}\u{8}", "\u{1B}[G\u{8}", "\r\u{1B}[D", "\u{1B}[;H\u{8}")
    // Not more: with reverse wrap xterm may come to a row below its last one, and ends there.
    case 1: return "\u{1B}[\(columns)\(pick("A", "B", "C", "D", "E", "F"))"
    case 2:
      return pick("\u{1B}[;H", "\u{1B}[0;0H", "\u{1B}[999;999H", "\u{1B}[2;3;4H", "\u{1B}[;5f")
    case 3: return pick("\u{1B}[!p", "\u{1B}c", "\u{1B}#8", "\u{1B}[?1049h\u{1B}c")
    case 4: return "\u{1B}[?\(pick("7", "6", "25", "1047"))\(pick("s", "r"))"
    // What tmux copies of a row with many cut halves lies too far left.
    case 5:
      let text = pick("abc", isPlain ? "xyz" : "日x")
      return cut(String(repeating: text, count: columns), isCut)
    case 6:
      return pick("\u{1B}[3J", "\u{1B}[5J", "\u{1B}[3K", "\u{1B}[2g", "\u{1B}[3g\t", "\u{1B}H\r\t")
    case 7: return pick("\u{0}", "\u{7F}", "\u{7}", "\u{1A}", "\u{18}", "\u{1B}[3\u{1A}b")
    case 8:
      return pick(
        "\u{1B}[3r", "\u{1B}[;3r", "\u{1B}[1;1r", "\u{1B}[0;0r", "\u{1B}[2;0r", "\u{1B}[2;r",
        "\u{1B}[2;99r")
    case 9: return "\u{1B}[0\(pick("A", "C", "L", "P", "@", "X", "S", "G", "d", "J", "K"))"
    case 10:
      return pick(
        "\u{1B}[\(row())H\u{1B}l", "\u{1B}m", "\u{1B} L", "\u{1B} M", "\u{1B} N", "\u{1B}%G")
    default:
      return pick(
        "\u{1B}]4;1;red\u{7}", "\u{1B}]10;white\u{7}", "\u{1B}]104\u{7}", "\u{1B}]110\u{7}",
        "\u{1B}[>4;1m", "\u{1B}[?1003;1016h", "\u{1B}[?1005l", "\u{1B}[?1045h", "\u{1B}[?66h")
    }
  }

  private mutating func smoothScroll() -> String {
    pick(
      "\u{1B}[?4h", "\u{1B}[?4l", "\u{1B}[\(rows)S", "\u{1B}[\(rows)T", "\u{1B}[?4s",
      "\u{1B}[?4r")
  }

  private mutating func wideInXterm() -> String {
    if scrollsSmoothly, pick(0...4) == 0 { return smoothScroll() }
    return unusual()
  }

  private mutating func unusual() -> String {
    switch pick(0...3) {
    case 0: pick("\u{1B}[?41h", "\u{1B}[?41h", "\u{1B}[?41l", "\u{1B}[\(rows)H\u{1B}[?41h")
    case 1:
      pick("\u{1B}[?1046l", "\u{1B}[?1046h", "\u{1B}[?1046h", "\u{1B}[?1046s", "\u{1B}[?1046r")
    case 2: "\u{1B}[?\(pick("1047", "1049", "47", "1048"))\(pick("s", "r"))"
    default:
      pick(
        "\u{1B}[?45h\u{1B}[\(columns)D", "\u{1B}[?45h\u{1B}[3D", "\u{1B}[\(columns)Gx\t",
        "\u{1B}[2Gx\u{1B}[20I")
    }
  }

  private mutating func row() -> Int { pick(1...rows + 1) }
  private mutating func column() -> Int {
    pick(0...2) == 0 ? columns - pick(0...2) : pick(1...columns + 1)
  }
  private mutating func count() -> String {
    switch pick(0...9) {
    case 0: ""
    case 1: "\(pick(0...columns + 3))"
    default: "\(pick(1...5))"
    }
  }

  private mutating func print(_ isCut: Bool) -> String {
    var text = ""
    for _ in 0..<pick(1...4) {
      text += pick(
        "lorem", "ipsum dolor", "sit amet consectetur", "x", "~tail", "0123456789", "日本語", "漢字かな",
        "a日b本c", "ＡＢＣ", "🎨", "🚀x", "q\u{301}z\u{30B}", "한국어", "日\u{301}", "#q#")
      text += pick("", " ", "")
    }
    if pick(0...7) == 0 { return cut("\(text)y", true) + "\u{1B}[\(pick(1...columns + 2))b" }
    return cut(text, isCut)
  }

  /// Between any two characters something stands that has no effect.
  private func cut(_ text: String, _ isCut: Bool) -> String {
    isCut ? text.map { "\($0)" }.joined(separator: "\u{1B}\\") : text
  }

  private mutating func rendition() -> String {
    let parts: [String] = (0..<pick(1...3)).map { _ in
      switch pick(0...15) {
      case 0, 1: return pick("0", "", "0")
      case 2: return pick("1", "2", "3", "4", "5", "6", "7", "8", "9", "21")
      case 3: return pick("22", "23", "24", "25", "27", "28", "29")
      case 4: return "3\(pick(0...7))"
      case 5: return "4\(pick(0...7))"
      case 6: return "9\(pick(0...7))"
      case 7: return "10\(pick(0...7))"
      case 8: return "38;5;\(pick(0...255))"
      case 9: return "48;5;\(pick(0...255))"
      case 10: return "\(pick("38", "48"));2;\(pick(0...255));\(pick(0...255));\(pick(0...255))"
      case 11: return "\(pick("38", "48")):2::\(pick(0...255)):\(pick(0...255)):\(pick(0...255))"
      case 12: return "\(pick("38", "48"))\(pick(":5:", ":5:", ":2:1:2:"))\(pick(0...255))"
      case 13 where !isPlain:
        return pick(
          "4:3", "4:0", "4:1", "58;5;3", "58:5:9", "59", "53", "55", "58;2;1;2;3", "10", "99")
      default: return pick("39", "49")
      }
    }
    return "\u{1B}[\(parts.joined(separator: ";"))m"
  }

  private mutating func region() -> String {
    if pick(0...2) == 0 { return "\u{1B}[r" }
    let top = pick(1...rows - 1)
    return "\u{1B}[\(top);\(pick(top...rows))r"
  }

  private mutating func screenSwitch() -> String {
    "\u{1B}[?\(pick("1049", "1049", "1047", "47", "1048"))\(pick("h", "l"))"
  }

  // MARK: Not everywhere

  private mutating func sideMargins() -> String {
    if pick(0...2) == 0 { return pick("\u{1B}[?69l", "\u{1B}[?69h", "\u{1B}[s") }
    let left = pick(1...columns - 1)
    return "\u{1B}[?69h\u{1B}[\(left);\(pick(left...columns))s"
  }

  private mutating func rectangle() -> String {
    let top = row()
    let left = column()
    var place = "\(top);\(left);\(pick(top...rows + 2));\(pick(left...columns + 3))"
    if pick(0...5) == 0 { place = pick("", ";;3", ";\(left)", "\(top);3;\(top)") }
    switch pick(0...5) {
    case 0: return "\u{1B}[\(place)$z"
    case 1: return "\u{1B}[\(place)${"
    case 2: return "\u{1B}[\(pick("42", "120", "32", "5", "200", "233", "255"));\(place)$x"
    default: return copies ? copy() : "\u{1B}[\(place)$z"
    }
  }

  /// DECCRA to a place where the copy fits: xterm writes past the last column.
  private mutating func copy() -> String {
    let height = pick(1...rows)
    let width = pick(1...columns)
    let top = pick(1...rows - height + 1)
    let left = pick(1...columns - width + 1)
    let target = "\(pick(1...rows));\(pick(1...columns - width + 1))"
    return "\u{1B}[\(top);\(left);\(top + height - 1);\(left + width - 1);1;\(target);1$v"
  }

  private mutating func attributes() -> String {
    if pick(0...3) == 0 { return "\u{1B}[\(pick("0", "1", "2", "2"))*x" }
    let top = pick(1...rows)
    let left = column()
    let codes = (0..<pick(1...2)).map { _ in
      pick("0", "1", "4", "5", "7", "8", "22", "24", "25", "27", "28", "31")
    }
    let place = "\(top);\(left);\(pick(top...rows + 1));\(pick(1...columns))"
    return "\u{1B}[\(place);\(codes.joined(separator: ";"))$\(pick("r", "t"))"
  }

  private mutating func protection(_ isCut: Bool) -> String {
    switch pick(0...7) {
    case 0...1: return "\u{1B}[\(pick("1", "0", "2", "1"))\"q"
    case 2: return "\u{1B}[1\"q\(cut("protected", isCut))\u{1B}[0\"q"
    case 3: return pick("\u{1B}V", "\u{1B}W", "\u{1B}V\(cut("ab", isCut))\u{1B}W")
    default: return "\u{1B}[?\(pick(0...2))\(pick("J", "K"))"
    }
  }

  private mutating func resets() -> String {
    switch pick(0...9) {
    case 0: return "\u{1B}c"
    case 1...3: return "\u{1B}#8"
    default: return "\u{1B}[!p"
    }
  }

  private mutating func saving() -> String {
    switch pick(0...3) {
    case 0: return "\u{1B}[#{"
    case 1: return "\u{1B}[#}"
    default:
      return "\u{1B}[?\(pick("6", "7", "69", "25", "45", "5", "6;7", "1;5"))\(pick("s", "r"))"
    }
  }

  private mutating func strings() -> String {
    pick(
      "\u{1B}]2;title\u{7}", "\u{1B}]0;title\u{1B}\\", "\u{1B}_apc\u{1B}\\", "\u{1B}^pm\n\u{1B}\\",
      "\u{1B}Xsos\u{1B}[5C\u{1B}\\", "\u{1B}]8;;http://a\u{1B}\\", "\u{1B}]8;;\u{1B}\\",
      "\u{1B}P1;2|17/abc\u{1B}\\", "\u{1B}P=1s\u{1B}\\", "\u{1B}_Gi=1,a=d\u{1B}\\",
      "\u{1B}]2;cut\u{18}", "\u{1B}[5\u{18}", "\u{1B}[5\u{1A}", "\u{1B}]133;A\u{7}")
  }

  private mutating func singleShift() -> String {
    let text = pick("q", "x", "#", "日")
    let shift = pick("\u{1B}N", "\u{1B}O")
    // After a character of another width xterm prints more than one.
    return "\u{1B}*\(pick("0", "B", "A"))\(text)\(shift)\(text)\u{1B}\\\u{1B}*B"
  }

  /// What must change nothing that is seen: keys, mouse, paste, focus, unknown sequences.
  private mutating func harmless() -> String {
    pick(
      "\u{1B}[>1u", "\u{1B}[<u", "\u{1B}[<1u", "\u{1B}[=1;1u", "\u{1B}[?u", "\u{1B}[>4;2m",
      "\u{1B}[>4m", "\u{1B}[?4m", "\u{1B}[?1000h", "\u{1B}[?1006h", "\u{1B}[?1002;1015l",
      "\u{1B}[?2004h", "\u{1B}[?1004h", "\u{1B}[?1004l", "\u{1B}[2 q", "\u{1B}[>0s", "\u{1B}[>2T",
      "\u{1B}[?1h", "\u{1B}[?3h", "\u{1B}[?2026h", "\u{1B}[?2026l", "\u{1B}[1;2;3;4;5T", "\u{1B}=",
      "\u{1B}>", "\u{1B}[?12h", "\u{1B}[?80l", "\u{1B}[?1;2S", "\u{1B}[!q", "\u{1B}[ q",
      "\u{1B}[1+z",
      "\u{1B}[?9$q", "\u{1B}#5", "\u{1B}%G", "\u{1B} F", "\u{1B}[?7;1q", "\u{1B}[1$~", "\u{1B}[?0s")
  }

  private mutating func tabs() -> String {
    switch pick(0...6) {
    case 0: return "\u{1B}[g"
    case 1: return "\u{1B}[3g"
    case 2: return "\u{1B}[?5W"
    case 3: return "\u{1B}H"
    case 4: return "\u{1B}[\(count())Z"
    case 5: return "\u{1B}[\(count())I"
    default: return "\t"
    }
  }
}
