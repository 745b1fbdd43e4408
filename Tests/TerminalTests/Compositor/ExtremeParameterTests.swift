import PerfHUDBase
import Testing

@testable import Terminal

/// Parameters at the ends of their range, from the program and from the terminal. A trap in any of the arithmetic
/// ends the tests.
@Suite struct ExtremeParameterTests {
  private static let parameters = [
    "65535", "99999999999999999999", "65535;65535", "0;0;0;0;0;0;0;0", "65535;1;65535;1;65535",
    "1;1;65535;65535;2;65535;65535;2", "4294967296:4294967295:1", "38;5;99999999999",
    "38:2::999:-1:70000",
    "48;2;65535;65535;65535", ";65535;", "8;65535;65535", "-1",
  ]

  @Test(arguments: ["", "?", ">", "=", "<"])
  func `no control sequence traps, whatever its numbers`(prefix: String) {
    let overlay = Overlay()
    for intermediate in ["", " ", "!", "\"", "#", "$", "'", "*", "+", ",", "&"] {
      for final in UInt8(0x40)...0x7E {
        overlay.show(Rect(row: 1, column: 10, rows: 2, columns: 7))
        for parameter in Self.parameters {
          let end = String(decoding: [final], as: UTF8.self)
          overlay.pass("é\u{1B}[\(prefix)\(parameter)\(intermediate)\(end)x")
        }
        overlay.settle()
        overlay.pass("\u{1B}c")
      }
    }
    let cursor = overlay.compositor.screen.cursor
    #expect((0..<6).contains(cursor.row) && (0..<20).contains(cursor.column))
  }

  @Test func `no string traps, whatever its numbers`() {
    let overlay = Overlay()
    let numbers = [
      "0", "-1", "65536", "4294967296", "18446744073709551616", "9999999999999999999999",
    ]
    for number in numbers {
      for text in [
        "\(number);x", "4;\(number);rgb:ffff/0/0", "8;id=\(number);http://x", "133;D;\(number)",
        "1337;File=size=\(number);width=\(number):AAAA", "66;s=\(number):w=\(number);x",
        "52;c;\(number)",
      ] { overlay.pass("\u{1B}]\(text)\u{1B}\\") }
      for text in [
        "\(number);\(number)q!\(number)~\"\(number);\(number);\(number)", "$q\(number)m",
      ] {
        overlay.pass("\u{1B}P\(text)\u{1B}\\")
      }
      overlay.pass("\u{1B}_Gs=\(number),v=\(number),c=\(number),r=\(number);AAAA\u{1B}\\")
      overlay.settle()
    }
    let isAtGround = overlay.compositor.screen.isAtGround
    #expect(isAtGround)
  }

  @Test func `a terminal whose cursor is far outside its screen is believed up to the edge`() {
    for row in [0, 5, 6, 65_534, 0x1F_FFFE] {
      for column in [0, 19, 20, 65_534, 0x1F_FFFE] {
        let overlay = Overlay(isUnknown: true)
        overlay.pass("abc\r\n")
        overlay.compositor.placeStart(Point(row: row, column: column))
        overlay.tellCursor(Point(row: row, column: column))
        overlay.grow(by: 2, history: 1)
        overlay.tellCursor(Point(row: row, column: column))
        overlay.show(Rect(row: 1, column: 10, rows: 2, columns: 7))
        overlay.settle()
        let cursor = overlay.compositor.screen.cursor
        #expect((0..<8).contains(cursor.row) && (0..<20).contains(cursor.column))
      }
    }
  }

  @Test func `no answer, key or report of the mouse traps, whatever its numbers`() {
    var decoder = InputDecoder()
    var events = 0
    for prefix in ["", "?", "<", ">"] {
      for intermediate in ["", "$", " "] {
        for final in UInt8(0x40)...0x7E {
          for parameter in Self.parameters {
            let end = String(decoding: [final], as: UTF8.self)
            let bytes = Array("\u{1B}[\(prefix)\(parameter)\(intermediate)\(end)".utf8)
            unsafe decoder.feed(bytes.span.bytes, at: Instant(nanoseconds: 1)) { event, _ in
              events += 1
            }
          }
        }
      }
    }
    #expect(events > 0)
  }
}
