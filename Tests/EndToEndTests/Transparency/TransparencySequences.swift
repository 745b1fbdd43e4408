/// Control sequences, played one after the other across the cells that the HUD covers: rows 1 to 9,
/// columns 44 to 79 of 80.
extension TransparencyCase {
  /// What all terminals of the tests have.
  static let sequences: [TransparencyCase] = moving + writing + switching + pieces

  /// What tmux lacks.
  static let xtermSequences: [TransparencyCase] = [
    played(
      "left and right margins", [fill], ["␛[?69h␛[10;60s␛[3;10H", "␛[2L", "␛[3M"],
      ["␛[4;50H␛[5@", "␛[5;50H␛[4P", "␛[3;20r␛[20;12H\n\n", "␛[3;12H␛M␛M"],
      ["␛[2;58Hwraps at the right margin ", "␛[s␛[?69l", "␛[r␛[24;1H"]),
    played(
      "protection", [fill], ["␛[3;40H␛[1\"qprotected text below the HUD␛[0\"q and not"],
      ["␛[?2J", "␛[2;40H␛[1\"qmore␛[0\"q rest␛[?K"], ["␛[3;50H␛[?1K", "␛[?J", "␛[2J"]),
    played(
      "rectangles", [fill], ["␛[2;40;6;70$z"], ["␛[42;1m␛[3;42;5;60;$x␛[43;3;50;6;75$x␛[m"],
      ["␛[1;1;4;30;1;5;45;1$v"], ["␛[2;44;7;78;1;7$r", "␛[2;44;4;60;4$t"], ["␛[1;60;9;70${"]
    ).losingHUD(),
    played(
      "columns", [fill], ["␛[3;50H␛[4'}", "␛[3'~"], ["␛[2 @", "␛[3 A"],
      ["␛[5;80H␛9␛9", "␛[5;1H␛6"],
      ["␛[2;12r␛[4;60H␛[2'}", "␛[2 @", "␛[r"]),
    played("tabs forward", [fill], ["␛[3;1H␛[2Iq", "␛[6Ir", "␛[Is"]),
    played("repeated beyond the edge", [fill], ["␛[24;70H=␛[20b", "."]),
    played(
      "wide cut by shifts", ["␛[2;43H日本語日本語␛[3;42H日本語␛[4;44H日本語"],
      ["␛[2;44H␛[@", "␛[3;43H␛[P", "␛[4;45H␛[2@"]),
    played("alignment test", [fill], ["␛#8", "␛[3;50H typed ␛[K"], ["␛[2;50H␛[J"]),
    played(
      "soft reset", [fill], ["␛[4h␛[3;10r␛[?6h␛[1;31m␛(0qqq", "␛[!p", "abc qqq␛[5;60H text ␛[m"]),
    played("columns mode", [fill], ["␛[?40h␛[?3h", "wide page"], ["␛[?3l", fill]).losingHUD(),
    played(
      "reset", [fill], ["␛[1;44m␛[3;9r␛[?6h␛)0\u{0E}text", "␛c", "after the reset qqq"], [fill]),
  ]

  /// Each row full of text up to its last column, in a color of its own.
  static let fill: String = (1...24).map { row in
    let letters = String(repeating: "\(Character(Unicode.Scalar(UInt8(96 + row))))", count: 6)
    let text = (0..<10).map { "\(letters)\(row % 10)\($0)" }.joined()
    return "␛[\(row);1H␛[3\(1 + row % 7)m\(text)␛[m"
  }.joined()

  private static let moving: [TransparencyCase] = [
    played(
      "scroll region", [fill], ["␛[3;7r␛[7;1Hnew\n", "newer\n", "newest"],
      ["␛[3;1H␛M", "above␛M", "upper"], ["␛[5;20r␛[20;1H\n\n\n", "␛[5;1H␛[2L", "␛[8;1H␛[3M"],
      ["␛[2S", "␛[T", "␛[r␛[24;1H"]),
    played(
      "origin", [fill], ["␛[4;12r␛[?6h␛[1;1Hfirst of the region", "␛[9;60Hlast", "␛[20;1H\r\n\n"],
      ["␛[2;50Hbelow the HUD ", "␛[2L", "␛[J"], ["␛[?6l␛[2;50Habsolute", "␛[r"]),
    played(
      "lines in and out", [fill], ["␛[2;30H␛[L", "␛[5;1H␛[3M", "␛[1;1H␛[2L"],
      ["␛[9;1H␛[M", "␛[10;1H␛[L"], ["␛[1;1H␛[99M"]),
    played(
      "characters in and out", [fill], ["␛[2;40H␛[4@", "␛[3;50H␛[6P", "␛[4;44H␛[5X"],
      ["␛[5;79H␛[3@", "␛[6;79H␛[P", "␛[7;80H␛[@"], ["␛[8;1H␛[99P", "␛[9;1H␛[99@"]),
    played(
      "insert mode", [fill], ["␛[4h␛[3;40Hinserted", " and more", "␛[5;78H++"], ["␛[6;1H日本語"],
      ["␛[4l␛[7;40Hreplaced"]),
    played(
      "index and reverse index", [fill], ["␛[24;1H␛D", "␛D", "␛E"], ["␛[1;1H␛M", "␛M", "␛M"],
      ["␛[24;40H\n\n\n"]),
    played(
      "scrolling log", [(1...60).map { "line \($0) of a log\r\n" }.joined()],
      (61...75).map { "line \($0) that is long enough to reach below what lies on top of it\r\n" }),
    played(
      "background color erase", [fill], ["␛[44m␛[2;50H␛[K", "␛[3;50H␛[1K", "␛[4;1H␛[2K"],
      ["␛[45m␛[5;10r␛[10;1H\n\n", "␛[5;1H␛M", "␛[r"], ["␛[46m␛[7;60H␛[J", "␛[42m␛[3;30H␛[1J␛[m"],
      ["␛[48;5;100m␛[2;40H␛[8X␛[3@␛[2P", "␛[48;2;9;90;200m␛[6;1H␛[L␛[m"]),
    played(
      "erase the whole screen", [fill], ["␛[2J"], ["␛[1;1Hsome text", "␛[H␛[J"], [fill, "␛[3J"],
      [fill, "␛[H␛[2J␛[3J", "last"]),
  ]

  private static let writing: [TransparencyCase] = [
    played(
      "pending wrap", [fill], ["␛[3;75H123456", "x"], ["␛[5;75Habcdef", "␛[1;31m", "red"],
      ["␛[7;75H789012", "\r", "at the start"], ["␛[8;75Huvwxyz", "␛[K", "end"],
      ["␛[9;75Hlast c", "\r\n", "next"]),
    played(
      "pending wrap under scrolling", [fill], ["␛[24;75H123456", "wraps and scrolls"],
      ["␛[24;79H日", "本", "語"], ["␛[24;80H_", "\n", "after"]),
    played(
      "no autowrap", [fill], ["␛[?7l␛[3;70H", "A", "␛[mB", "␛[5;80HC", "␛[mD"], ["␛[?7h␛[mE", "F"]),
    played(
      "saved cursor", [fill], ["␛[3;50H␛[1;34m␛7", "␛[10;1H␛[mtext", "␛8here"],
      ["␛[2;60H␛(0␛7␛(B␛[20;1Habc", "␛8qqq", "␛(B"], ["␛[5;79H␛7␛[1;1Hx", "␛8yz", "␛8!"]),
    played(
      "line drawing", [fill], ["␛(0␛[2;46Hlqqqqk␛[3;46Hx    x␛[4;46Hmqqqqj"], ["␛[3;48H␛(Babc"],
      ["␛)0␛[6;46H\u{0E}lqqk", "\u{0F}qqq", "\u{0E}x"], ["\u{0F}␛[1;1H␛M"]),
    played(
      "repeated character", [fill], ["␛[3;40Ha␛[10b"], ["␛[4;50H", "-␛[20b", "+"],
      ["␛[24;1H=␛[20b", "."]),
    played(
      "tabs", [fill], ["␛[3;1H\ta\tb\tc\td\te\tf\tg\th\ti\tj"],
      ["␛[3g␛[4;50H␛H␛[4;60H␛H␛[5;1H\tx\ty"],
      ["␛[6;70H␛[Zz␛[1Zw"]),
    played(
      "colors", ["␛[2;45H␛[38;5;200mindexed␛[48;5;30mground␛[m"],
      ["␛[3;45H␛[38;2;255;100;0mdirect␛[48;2;0;50;90mground␛[m"],
      ["␛[4;45H␛[91;104mbright␛[m ␛[1mbold␛[2mfaint␛[22m ␛[3mitalic␛[m ␛[7mreverse␛[27m"],
      ["␛[5;45H␛[4munder␛[24m ␛[4:3mcurly␛[m ␛[9mstruck␛[29m ␛[5mblink␛[25m ␛[8mhidden␛[28m"],
      ["␛[6;45H␛[1;31mbold red", "␛[24;1H\n", " still bold red", "␛[m"]),
    played(
      "combining", ["␛[2;44He\u{301}a\u{308}o\u{302} n\u{303}", "␛[24;1H\n"],
      ["␛[3;79Hxe", "\u{301}", "y"], ["␛[1;1H␛[L"]),
    played(
      "wide at the edges", ["␛[2;43H日本語日本語␛[3;42H日本語␛[4;44H日本語␛[5;77H日本語␛[6;78H日本"],
      ["␛[2;44Hx␛[3;43Hx␛[4;45Hx␛[5;78Hx␛[6;79Hx"], ["␛[24;1H\n", "␛[2;43H漢字␛[2;42H字"],
      ["␛[1;78H日本", "␛[7;79H🎨🚀"], ["␛[4;43H␛[X"]),
    played(
      "wide text over the screen", [String(repeating: "日本語の文", count: 120)],
      ["␛[1;1H" + String(repeating: "x日", count: 200), "␛[3;1Hy"], ["␛[1;1H␛M", "␛[24;1H\n"]),
    played(
      "soft wrap", [String(repeating: "a line that wraps softly at the right edge. ", count: 30)],
      ["\r\n", String(repeating: "0123456789", count: 20)],
      ["\r\nlast ", String(repeating: "日本", count: 30)],
      (1...30).map { "row \($0)\r\n" }),
    played(
      "links", ["␛[2;40H␛]8;;http://a.example/␛\\a link below the HUD␛]8;;␛\\ and text"],
      ["␛[3;40H␛]8;id=1;http://b.example/␛\\", "still open", "␛[24;1H\n", "and here␛]8;;␛\\ end"]),
  ]

  private static let switching: [TransparencyCase] = [
    played(
      "alternate screen 1049", [fill], ["␛[5;50H␛[1;32m␛[?1049h", "alternate", "␛[24;1H\n\n"],
      ["␛[2J␛[1;1H" + "second screen"], ["␛[?1049l", "back"], ["␛[?1049h", "␛[?1049l"]),
    played(
      "alternate screen 1047", [fill], ["␛[3;50H␛[?1047h", "alternate"], [fill],
      ["␛[?1047l", "back"], ["␛[?1047h", "␛[?1047l"]),
    played(
      "alternate screen 47", [fill], ["␛[3;50H␛[?47h", "␛[H␛[Jalternate"], ["␛[5;60Hmore"],
      ["␛[?47l", "back"], ["␛[?47h", "again", "␛[?47l"]),
    played(
      "modes", [fill], ["␛[?25l␛[?1h␛="], ["␛[?1000h␛[?1006h␛[?2004h"],
      ["␛[?25h␛[?1l␛>", "␛[24;1H\n"],
      ["␛[?1000l␛[?1006l␛[?2004l"]),
    played(
      "titles", ["␛]2;first title\u{07}text", "␛[24;1H\n"],
      ["␛]0;second ", "title␛\\", "more text"],
      ["␛]2;日本語の題␛\\"]),
    played(
      "synchronized update", [fill], ["␛[?2026h␛[3;1H␛[2L", "within␛[5;50Hthe update", "␛[?2026l"],
      ["␛[?2026h␛[2J␛[?2026l", "after"]),
    played("queries", [fill], ["␛[6n", "␛[c", "␛[3;50H␛[6nx", "␛[5n"], ["␛[24;1H\n␛[6n\n"]),
  ]

  private static let pieces: [TransparencyCase] = [
    played(
      "sequences in pieces", [fill], ["␛", "[3;5", "0H", "te", "xt"],
      ["␛[38;5", ";200mcol", "our␛[", "m"],
      ["␛[24", ";1H\n", "\n␛", "M"], ["␛]2;a ti", "tle", "\u{07}after"], ["␛(", "0qq␛(", "B"],
      ["\u{1B}[2", "J"]),
    played(
      "characters in pieces",
      bytes: [
        [Array(unescape(fill).utf8), [0x1B, 0x5B, 0x33, 0x3B, 0x35, 0x30, 0x48]],
        [[0xE6], [0x97, 0xA5, 0xE6, 0x9C], [0xAC, 0x78]],
        [[0xF0, 0x9F], [0x8E, 0xA8], [0x79, 0xC3], [0xA9]],
      ]),
    played(
      "large writes", [String(repeating: fill, count: 10)],
      [String(repeating: "0123456789abcdef日本\r\n", count: 2000)],
      [String(repeating: fill, count: 10)]),
  ]

  private static func played(_ name: String, bytes: [[[UInt8]]]) -> TransparencyCase {
    played(name, PlayerScript(steps: bytes.map { step in step.map { PlayerScript.Write($0) } }))
  }
}
