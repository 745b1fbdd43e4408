import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

/// A window that takes another size, in a terminal that is played by the model of its lines: with the HUD in them it
/// has to end up with what it would show without.
@Suite struct CompositorReflowTests {
  /// A window with a program below the HUD, and one with the program alone.
  private final class Windows {
    let overlay: Overlay
    private var bare: Screen
    private let quirks: TerminalQuirks

    /// - Parameter earlier: what stood on the terminal before; `nil` if it was empty, which is known.
    init(_ size: Size, quirks: TerminalQuirks, earlier: String? = nil) {
      self.quirks = quirks
      var options = Screen.Options()
      options.quirks = quirks
      bare = Screen(size, options: options)
      overlay = Overlay(
        rows: size.rows, columns: size.columns, quirks: quirks, isUnknown: earlier != nil)
      if let earlier {
        let bytes = Array(earlier.utf8)
        _ = unsafe bare.feed(bytes.span.bytes)
        _ = unsafe overlay.terminal.feed(bytes.span.bytes)
        overlay.tellCursor(overlay.terminal.cursor)
      }
      show()
    }

    private func show() {
      let size = overlay.terminal.size
      let columns = min(12, size.columns - 2)
      overlay.show(
        Rect(row: 0, column: size.columns - 1 - columns, rows: min(3, size.rows), columns: columns))
      overlay.settle()
    }

    func pass(_ text: String) {
      overlay.pass(text)
      let bytes = Array(text.utf8)
      _ = unsafe bare.feed(bytes.span.bytes)
      overlay.settle()
    }

    /// The window takes several sizes, one after the other, of which the overlay sees the first and the last.
    func resize(to sizes: Size...) {
      for size in sizes {
        follow(&bare, size)
        follow(&overlay.terminal, size)
      }
      tell(sizes[0])
      if sizes.count > 1 { tell(sizes[sizes.count - 1]) }
      let isSilent = overlay.queue.isEmpty
      #expect(isSilent, "something is painted before the cursor is known")
      if overlay.compositor.hasPendingMove { overlay.tellCursor(overlay.terminal.cursor) }
      overlay.deliver()
      show()
    }

    private func tell(_ size: Size) {
      overlay.compositor.resize(to: size, reflow: .modeled, now: overlay.now, to: &overlay.queue)
      overlay.settle(isRead: false)
    }

    /// What the terminal itself does with its lines. All that it has are known to it.
    private func follow(_ screen: inout Screen, _ size: Size) {
      guard !screen.isAlternate else { return screen.resize(to: size, isKnown: true) }
      var grid = screen.reflowGrid
      grid.mayHaveMore = false
      grid.mayTakeMore = false
      var wanted = grid
      wanted.resize(to: size)
      if !wanted.rewraps, wanted.expected > 0 {
        let expected = wanted.expected
        wanted = grid
        wanted.resize(to: size, extra: expected)
      }
      screen.install(wanted)
    }

    /// What differs from the program alone once the HUD is hidden, until it is shown again.
    func difference() -> String? {
      overlay.compositor.hide()
      overlay.settle()
      var lines: [String] = []
      for row in 0..<bare.size.rows where bare.text(row: row) != overlay.terminal.text(row: row) {
        lines.append(
          "row \(row): |\(overlay.terminal.text(row: row))| not |\(bare.text(row: row))|")
      }
      if bare.cursor != overlay.terminal.cursor
        || bare.isWrapPending != overlay.terminal.isWrapPending
      {
        lines.append("cursor \(overlay.terminal.cursor), not \(bare.cursor)")
      }
      show()
      return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
  }

  private static func output(_ random: inout SeededRandom) -> String {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let letter = String(UnicodeScalar(UInt8(number(97...122))))
    switch number(0...9) {
    case 0...2: return String(repeating: letter, count: number(1...120)) + "\r\n$ "
    case 3, 4: return (1...number(1...20)).map { "\(letter)\($0)\r\n" }.joined() + "$ "
    case 5: return String(repeating: "日本", count: number(1...20)) + "\r\n$ "
    case 6: return "\r\u{1B}[K$ \(letter)"
    case 7: return "\(letter)\u{1B}[31m\(letter)\u{1B}[m\u{1B}[\(number(1...9))D\u{1B}[K"
    case 8: return "\r\u{1B}[A\u{1B}[J$ "
    default: return "\r\u{1B}[K" + String(repeating: letter, count: number(25...65))
    }
  }

  private static func play(
    _ seed: Int, quirks: TerminalQuirks, isUnknown: Bool = false, isBurst: Bool = false
  ) {
    var random = SeededRandom(scatteredSeed: UInt64(seed))
    let earlier =
      isUnknown
      ? (0...Int.random(in: 0...6, using: &random)).map { _ in output(&random) }.joined() + "\r"
      : nil
    let windows = Windows(Size(rows: 12, columns: 40), quirks: quirks, earlier: earlier)
    var steps = earlier.map { ["earlier \($0.debugDescription)"] } ?? []
    for _ in 0..<12 {
      if Bool.random(using: &random) {
        let text = output(&random)
        steps.append(text.debugDescription)
        windows.pass(text)
      } else {
        let sizes = (0..<(isBurst ? 3 : 1)).map { _ in
          Size(
            rows: Int.random(in: 5...20, using: &random),
            // What xterm keeps of a line above the screen that is too long, the played terminal does not.
            columns: quirks == .tmux ? Int.random(in: 20...60, using: &random) : 40)
        }
        steps += sizes.map { "\($0.columns)x\($0.rows)" }
        if isBurst {
          windows.resize(to: sizes[0], sizes[1], sizes[2])
        } else {
          windows.resize(to: sizes[0])
        }
      }
      let found = windows.difference()
      let isHUDAlone = isUnknown || (isBurst && quirks == .tmux)
      let difference = isHUDAlone && found?.contains("#") == false ? nil : found
      #expect(
        difference == nil,
        "seed \(seed), after \(steps.joined(separator: ", ")):\n\(difference ?? "")")
      if difference != nil { return }
    }
  }

  @Test(arguments: [TerminalQuirks.tmux, .xterm])
  func `the screen is what it would be without the HUD`(quirks: TerminalQuirks) {
    for seed in 1...30 { CompositorReflowTests.play(seed, quirks: quirks) }
  }

  /// A size between the first and the last is never seen. What it did to the lines of a tmux cannot always be told, but
  /// nothing of the HUD stays; in xterm nothing differs.
  @Test(arguments: [TerminalQuirks.tmux, .xterm])
  func `nothing of the HUD stays after several sizes at once`(quirks: TerminalQuirks) {
    for seed in 1...60 { CompositorReflowTests.play(seed, quirks: quirks, isBurst: true) }
  }

  /// What stood there may be lost or wrapped in another way, but nothing of the HUD stays.
  @Test(arguments: [TerminalQuirks.tmux, .xterm])
  func `nothing of the HUD stays in lines from before`(quirks: TerminalQuirks) {
    for seed in 1...150 { CompositorReflowTests.play(seed, quirks: quirks, isUnknown: true) }
  }
}
