import CProcess
import TestSupport
import Testing

@testable import Terminal

/// A screen model goes on in another process, without its cells.
@Suite struct ScreenSnapshotTests {
  private static let kinds: [TerminalQuirks] = [.xterm, .laterXterm, .tmux, []]

  private static func screen(_ quirks: TerminalQuirks) -> Screen {
    var options = Screen.Options()
    options.quirks = quirks
    return Screen(Size(rows: 6, columns: 20), options: options)
  }

  private static func feed(_ input: [UInt8], _ screen: inout Screen) {
    var index = 0
    while index < input.count {
      index = unsafe input.withUnsafeBytes { unsafe screen.feed($0, from: index).resume }
    }
  }

  /// Everything that has to be the same for the HUD to be drawn and the program's state to be restored.
  private static func state(_ screen: borrowing Screen) -> String {
    let pen = screen.pen
    return "\(screen.cursor) \(screen.isWrapPending) \(screen.margins) \(screen.modes.rawValue)"
      + " \(screen.characterSets) \(pen.style) \(pen.isProtected) \(screen.isAlternate)"
      + " \(screen.protection) \(screen.pendingSingleShift)"
  }

  @Test(arguments: 1...100, 0...3)
  func `a screen that goes on from a snapshot knows less, and nothing that is wrong`(
    seed: Int, kind: Int
  ) {
    let quirks = Self.kinds[kind]
    var first = Self.screen(quirks)
    let before = ScreenRandomTests.stream(UInt64(seed), steps: 60)
    Self.feed(before, &first)
    // Of an unfinished sequence nothing is in a snapshot, and all of it comes again.
    guard !first.hasExecutedPending else { return }
    let pending = first.pendingBytes
    var second = ScreenSnapshot(first).screen(isUTF8: true)
    #expect(Self.state(first) == Self.state(second), "seed \(seed)")
    Self.feed(Array(before.suffix(pending)), &second)
    let after = ScreenRandomTests.stream(UInt64(seed) + 5000, steps: 60)
    Self.feed(after, &first)
    Self.feed(after, &second)
    if second.isRestorable {
      let isRestorable = first.isRestorable
      #expect(isRestorable, "seed \(seed)")
      #expect(Self.state(first) == Self.state(second), "seed \(seed)")
    }
    for row in 0..<6 {
      for column in 0..<20 {
        let found = second.cell(row: row, column: column)
        let wanted = first.cell(row: row, column: column)
        if found.isUnknown || wanted.isUnknown { continue }
        let isSame =
          second.scalars(of: found) == first.scalars(of: wanted)
          && second.style(found.style) == first.style(wanted.style)
          && found.isContinuation == wanted.isContinuation
        #expect(isSame, "seed \(seed), row \(row), column \(column)")
      }
    }
  }

  @Test func `the state of a compositor has room in the journal`() {
    #expect(MemoryLayout<CompositorState>.size <= Int(PERFHUD_JOURNAL_STATE))
    #expect(MemoryLayout<CompositorState>.alignment <= 16)
  }

  @Test func `a snapshot has the pen, the margins and the saved cursor`() {
    var first = Self.screen(.xterm)
    Self.feed(bytes("CSI 2;5rCSI 3;4HCSI 1;31mESC 7CSI 4;8HCSI 32m"), &first)
    var second = ScreenSnapshot(first).screen(isUTF8: true)
    let (isRestorable, margins, pen) = (second.isRestorable, second.margins, second.pen.style)
    #expect(isRestorable)
    #expect(margins == Rect(row: 1, column: 0, rows: 4, columns: 20))
    #expect(pen == Style(foreground: .ansi(2), attributes: .bold))
    Self.feed(bytes("ESC 8"), &second)
    let (cursor, savedPen) = (second.cursor, second.pen.style)
    #expect(cursor == Point(row: 2, column: 3))
    #expect(savedPen == Style(foreground: .ansi(1), attributes: .bold))
    let cell = second.cell(row: 0, column: 0)
    #expect(cell.isUnknown && !cell.isUnseen)
  }

  @Test func `what is printed within a link that was open is not known`() {
    var first = Self.screen(.xterm)
    Self.feed(bytes("OSC 8;;http://a ST"), &first)
    var second = ScreenSnapshot(first).screen(isUTF8: true)
    let isRestorableWithin = second.isRestorable
    Self.feed(bytes("OSC 8;; ST"), &second)
    let isRestorableAfter = second.isRestorable
    #expect(!isRestorableWithin && isRestorableAfter)
  }

  @Test func `tab stops that were set are not known`() {
    var first = Self.screen(.xterm)
    var second = ScreenSnapshot(first).screen(isUTF8: true)
    let areKnownBefore = second.tabs.isKnown
    Self.feed(bytes("\tESC H"), &first)
    second = ScreenSnapshot(first).screen(isUTF8: true)
    let areKnownAfter = second.tabs.isKnown
    #expect(areKnownBefore && !areKnownAfter)
  }
}
