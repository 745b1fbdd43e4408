import Testing

@testable import Terminal

/// Rectangles of cells (DECERA, DECSERA, DECFRA, DECCRA, DECCARA, DECRARA) are not modeled: the rows that they
/// may change become unknown.
@Suite struct ScreenRectangleTests {
  private func filled(_ quirks: TerminalQuirks = .xterm) -> TestScreen {
    let screen = makeScreen(columns: 8, rows: 4, quirks: quirks)
    screen.feed("abcdefgh\r\nijklmnop\r\nqrstuvwx\r\nyz012345CSI H")
    return screen
  }

  /// The rows that a sequence leaves unknown, as a whole.
  private func unknownRows(_ sequence: String, _ quirks: TerminalQuirks = .xterm) -> [Int] {
    let screen = filled(quirks)
    screen.feed(sequence)
    return (1...4).filter { row in
      let unknown = (1...8).filter { screen.cell(row, $0).isUnknown }
      #expect(unknown.isEmpty || unknown.count == 8, "row \(row)")
      return !unknown.isEmpty
    }
  }

  @Test(arguments: [
    ("CSI 2;3;3;5$z", [2, 3]), ("CSI 2;3;3;5${", [2, 3]), ("CSI 42;2;3;3;5$x", [2, 3]),
    ("CSI 1;3;2;5;7$r", [1, 2]), ("CSI 1;3;2;5;7$t", [1, 2]), ("CSI 2;3$z", [2, 3, 4]),
    ("CSI 2;3;99;99$z", [2, 3, 4]), ("CSI $z", [1, 2, 3, 4]), ("CSI 3;3;2;5$z", []),
    ("CSI 9;9$z", []), ("CSI 5;2;3;3;5$x", [2, 3]), ("CSI 1;1;2;3;1;2;4;1$v", [2, 3]),
    ("CSI 1;1;1;3;1;4;7;1$v", [4]), ("CSI 1;1;3;8;1;2;1;1$v", [2, 3, 4]),
    ("CSI 1;1;1;8;1;99;1;1$v", []), ("CSI 2;3rCSI ?6hCSI 1;1;1;2$z", [1, 2, 3, 4]),
    ("CSI 2*x", []), ("CSI 1;1;2;2$w", []),
  ]) func `a rectangle leaves the rows unknown that it may change`(sequence: String, rows: [Int]) {
    #expect(unknownRows(sequence) == rows)
  }

  @Test func `DECSERA leaves protected cells unknown too`() {
    let screen = filled()
    screen.feed("CSI 1\"qabCSI 0\"qCSI 1;1;1;4${")
    #expect(screen.cell(1, 1).isUnknown)
  }

  @Test func `a row that a rectangle has left unknown is known when it is erased or written`() {
    let screen = filled()
    screen.feed("CSI 1;1;2;8$zCSI 1;1HCSI KCSI 2;1HABCDEFGH")
    screen.expectLines("", "ABCDEFGH", "qrstuvwx", "yz012345")
  }

  @Test func `cursor, pen and modes stay known after a rectangle`() {
    let screen = filled()
    screen.feed("CSI 2;3HCSI 31mCSI 1;1;4;8$z")
    #expect(screen.isRestorable)
    screen.expectCursor(2, 3)
  }

  @Test func `tmux has no rectangles`() {
    #expect(unknownRows("CSI 2;3;3;5$zCSI 42;1;1;4;8$x", .tmux) == [])
  }
}
