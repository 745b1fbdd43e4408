/// Modes that make another terminal of it.
extension OracleStream {
  /// National sets only with the way back after them: what is printed in them is not known.
  mutating func rare() -> String {
    switch pick(0...12) {
    // Of the width that it has, DECCOLM clears; of another one xterm would get.
    case 0: return "\u{1B}[?40h"
    case 1: return columns == 80 ? "\u{1B}[?3l" : "\u{1B}[?40l\u{1B}[?3\(pick("h", "l"))"
    case 2: return columns == 80 ? "\u{1B}[?6h\u{1B}[?3l" : "\u{1B}[?40l\u{1B}[?3h"
    case 3: return "\u{1B}[?\(pick("5h", "5l"))"
    case 4: return "\u{1B}(\(pick("4", "C", "K", "R", "Z", "<", ">"))#[q]\u{1B}\\\u{1B}(B"
    case 5: return "\u{1B}[20h\(pick("a\nb", "\u{B}", "\u{1B}D", "\u{1B}Ex"))\u{1B}[20l"
    case 6, 7: return "\u{1B}[?1048\(pick("h", "l"))"
    // As characters of UTF-8 controls of eight bits are none.
    case 8: return pick("\u{84}", "\u{85}x", "\u{8D}", "\u{9B}2A", "\u{88}", "x\u{90}y")
    case 9: return "\u{1B}#\(pick("3", "4", "6"))ab\u{1B}#5"
    case 10: return "\u{1B}#\(pick("3", "6"))\u{1B}[2J\u{1B}[H"
    case 11: return "\u{1B}\(pick(" F", "%G"))\u{1B}[2A"
    default: return "q\u{1B}[\(pick("", "1;31", "7"))m\u{301}"
    }
  }

  /// Bytes that are no UTF-8, and modes in which bytes are read in another way, with the way back after
  /// them.
  mutating func otherCode() -> [UInt8] {
    switch pick(0...9) {
    // Controls of eight bits, which are none where UTF-8 is read.
    case 0: return [[0x84], [0x85], [0x88], [0x8D], [0x8E], [0x96], [0x97]][pick(0...6)] + [0x78]
    case 1: return [0x9B, 0x32, 0x41, 0x79]
    case 2: return [0x9B, 0x33, 0x3B, 0x35, 0x48]
    case 3: return [0x90, 0x24, 0x71, 0x6D, 0x9C, 0x7A]
    case 4: return [0x9D, 0x32, 0x3B, 0x74, 0x07, 0x9C]
    // Characters that are cut, too long, or none.
    case 5: return [[0xC3], [0xE6, 0x97], [0xF0, 0x9F, 0x8E], [0xFF]][pick(0...3)] + [0x61]
    case 6: return [0xE6, 0x97, 0x1B, 0x5B, 0x31, 0x6D, 0xC0, 0xAF, 0x62]
    case 7: return [0xED, 0xA0, 0x80, 0xE0, 0x80, 0xAF, 0x63]
    // The way back (DECSCL) leads to 80 columns.
    case 8 where isPlain || columns == 80:
      let inside = pick(
        "", "ab", "\u{1B}A", "\u{1B}Y#%x", "\u{1B}H\u{1B}J", "\u{1B}I", "\u{1B}Fq\u{1B}G")
      // After it xterm is a VT100, which answers less.
      let level = isPlain ? "" : "\u{1B}[64;1\"p"
      return Array("\u{1B}[?2l\(inside)\u{1B}<\(level)".utf8)
    default:
      let set = pick("", "\u{1B}(K", "\u{1B}(R", "\u{1B}(A")
      return Array("\u{1B}[?42h\(set)\(pick("", "a[\\]", "#é", "x"))\u{1B}[?42l\u{1B}(B".utf8)
    }
  }

  mutating func rareInTmux() -> String {
    switch pick(0...7) {
    case 0: return "\u{1B}[?3\(pick("h", "l"))"
    case 1: return "\u{1B}[?6\(pick("h", "l"))"
    case 2: return "\u{1B}[?6h\u{1B}[\(pick(1...rows - 1));\(rows)r"
    case 3: return "\u{1B}[20h\n\u{1B}[20l"
    case 4: return pick("\u{1B}*0\u{1B}n", "\u{1B}o", "\u{1B}(A", "\u{1B}(1", "\u{1B}N", "\u{1B}O")
    case 5: return "\u{1B}[?2l"
    case 6: return "\u{1B}[?1048\(pick("h", "l"))"
    default: return pick("\u{1B}[?J", "\u{1B}[?2K", "\u{1B}#6", "\u{1B}V", "\u{1B}[1\"q")
    }
  }
}
