import Testing

@testable import Terminal

/// What has a fast way of its own gives what the plain way gives.
@Suite struct ScreenFastPathTests {
  @Test(arguments: 0...5)
  func `a region scrolls its own lines, wherever the ring of lines begins`(shift: Int) {
    let rows = 6
    for top in 0..<rows - 1 {
      for bottom in top + 1..<rows {
        for count in -rows...rows where count != 0 {
          let screen = makeScreen(rows: rows)
          screen.feed("CSI 6;1H" + String(repeating: "\n", count: shift))
          for row in 1...rows { screen.feed("CSI \(row);1H\(row)") }
          screen.feed("CSI \(top + 1);\(bottom + 1)rCSI \(abs(count))\(count > 0 ? "S" : "T")")
          for row in 0..<rows {
            let source = row + count
            let isInside = row >= top && row <= bottom
            let isKept = source >= top && source <= bottom
            screen.expectLine(
              row + 1, isInside ? (isKept ? "\(source + 1)" : "") : "\(row + 1)")
          }
        }
      }
    }
  }

  @Test func `parameters beyond the limit are dropped in one piece as in single bytes`() {
    for count in [1, 2, 31, 32, 33, 34, 40] {
      for last in ["1", "31", "", "99999999999", "4294967297"] {
        let list = Array(repeating: "", count: count - 1) + [last]
        let text = bytes("CSI \(list.joined(separator: ";"))mxCSI 2;99999999999Hy")
        let whole = makeScreen()
        let pieces = makeScreen()
        whole.feed(text)
        for byte in text { pieces.feed([byte]) }
        expectSame(whole.picture, pieces.picture, "\(count) parameters, the last \(last)")
      }
    }
  }

  @Test func `an empty parameter is 0, whatever stood there in the sequence before`() {
    let screen = makeScreen()
    screen.feed("CSI 1;2mCSI ;4mx")
    #expect(screen.style(1, 1).attributes == .underline)
    screen.feed("CSI 3;3HCSI ;2Hy")
    screen.expectLine(1, "xy")
  }

  @Test func `more styles than the table begins with are all kept`() {
    let screen = makeScreen(columns: 100, rows: 100)
    for turn in 0..<3 {
      var text = "CSI H"
      for number in 0..<10_000 {
        text += "CSI 38;2;\(turn);\(number / 100);\(number % 100)mx"
      }
      screen.feed(text)
      for number in 0..<10_000 {
        let style = screen.style(number / 100 + 1, number % 100 + 1)
        let wanted = Color.rgb(UInt8(turn), UInt8(number / 100), UInt8(number % 100))
        guard style.foreground == wanted else {
          Issue.record("turn \(turn), cell \(number): \(style.foreground)")
          return
        }
      }
    }
  }
}
