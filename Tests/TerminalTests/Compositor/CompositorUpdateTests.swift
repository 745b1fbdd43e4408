import PerfHUDBase
import Testing

@testable import Terminal

private let hud = Rect(row: 1, column: 12, rows: 2, columns: 7)

/// Synchronized updates (`?2026`), the program's and perfhud's own.
@Suite struct CompositorUpdateTests {
  @Test func `before the end of the program's update the HUD is repaired`() {
    let overlay = Overlay()
    overlay.show(hud)
    overlay.settle()
    overlay.pass("CSI ?2026hCSI 2JxyzCSI ?2026l")
    #expect(overlay.line(2) == "            #######")
    #expect(overlay.sent.suffix(8) == bytes("CSI ?2026l")[...])
  }

  @Test func `of several updates in one pass the last one brings the HUD back`() {
    let overlay = Overlay()
    overlay.compositor.joinsUpdates = true
    overlay.show(hud)
    overlay.settle()
    let update = "CSI ?2026hCSI 2JxyzCSI ?2026l"
    overlay.sent = []
    overlay.pass(update + update + update)
    let end = String(decoding: bytes("CSI ?2026l"), as: UTF8.self)
    let parts = overlay.text.split(separator: end, omittingEmptySubsequences: false)
    #expect(parts.map { $0.contains("#") } == [false, false, true, false])
    #expect(overlay.line(2) == "            #######")
    // After a while the first one does not wait either.
    overlay.now = overlay.now.advanced(byNanoseconds: RepaintPace.streamPeriod)
    overlay.sent = []
    overlay.pass(update + update + update)
    let later = overlay.text.split(separator: end, omittingEmptySubsequences: false)
    #expect(later.map { $0.contains("#") } == [true, false, true, false])
  }

  @Test func `an update of our own ends when somebody else has had the terminal`() {
    let overlay = Overlay()
    overlay.compositor.hasSynchronizedUpdates = true
    overlay.show(hud)
    overlay.settle()
    // The HUD is erased within an update, which stays open until the HUD is painted again.
    overlay.pass("CSI 6;1Hline\n")
    #expect(overlay.isUpdating && !overlay.isPainted)
    overlay.forgetTerminal()
    #expect(!overlay.isUpdating)
    overlay.pass("more\n")
    overlay.settle()
    #expect(!overlay.isUpdating)
  }

  @Test func `an update of our own that is open ends after the sequence that has begun`() {
    let overlay = Overlay()
    overlay.compositor.hasSynchronizedUpdates = true
    overlay.show(hud)
    overlay.settle()
    let image = "DCS q" + String(repeating: "~", count: Compositor.heldLimit + 100)
    overlay.pass("CSI 6;1Hline\n" + image)
    overlay.forgetTerminal()
    #expect(!overlay.text.hasSuffix("\u{1B}[?2026l"))
    overlay.pass(" ST")
    overlay.tellCursor(Point(row: 0, column: 0))
    overlay.settle()
    #expect(!overlay.isUpdating)
  }

  /// A HUD that was just drawn, and joins updates.
  private func overlayAmidUpdates() -> Overlay {
    let overlay = Overlay()
    overlay.compositor.joinsUpdates = true
    overlay.show(hud)
    overlay.settle()
    overlay.sent = []
    return overlay
  }

  @Test func `while more is at hand the end of an update waits for a later one`() {
    let overlay = overlayAmidUpdates()
    let update = "CSI ?2026hCSI 2JxyzCSI ?2026l"
    overlay.pass(update, hasMore: true)
    #expect(overlay.isUpdating)
    #expect(!overlay.text.contains("#"))
    overlay.pass(update + "CSI H", hasMore: true)
    #expect(overlay.isUpdating)
    #expect(!overlay.text.contains("#"))
    overlay.pass(update + "CSI 6;1Hend")
    #expect(!overlay.isUpdating)
    #expect(overlay.line(2) == "            #######")
    #expect(overlay.line(6) == "end")
    let ends = overlay.text.split(
      separator: String(decoding: bytes("CSI ?2026l"), as: UTF8.self),
      omittingEmptySubsequences: false)
    #expect(ends.map { $0.contains("#") } == [false, false, true, false])
  }

  @Test func `the end of an update that waits goes out when the program pauses`() {
    let overlay = overlayAmidUpdates()
    overlay.pass("CSI ?2026hCSI 2JxyzCSI ?2026lend", hasMore: true)
    #expect(overlay.isUpdating)
    overlay.compositor.settle(now: overlay.now, isIdle: true, to: &overlay.queue)
    overlay.deliver()
    #expect(!overlay.isUpdating)
    #expect(overlay.line(1) == "xyzend")
    #expect(overlay.line(2) == "            #######")
  }

  @Test func `the end of an update waits for 4 ms, and 16 ms after the HUD at most`() {
    let overlay = overlayAmidUpdates()
    let update = "CSI ?2026hCSI 2JxyzCSI ?2026l"
    overlay.pass(update, hasMore: true)
    overlay.now = overlay.now.advanced(byNanoseconds: Compositor.heldEndLimit - 1)
    overlay.compositor.settle(now: overlay.now, isIdle: false, to: &overlay.queue)
    overlay.deliver()
    #expect(overlay.isUpdating)
    let due = overlay.now.advanced(byNanoseconds: 1)
    let deadline = overlay.compositor.deadline(now: overlay.now, isIdle: false)
    #expect(deadline == due)
    overlay.now = due
    overlay.compositor.settle(now: overlay.now, isIdle: false, to: &overlay.queue)
    overlay.deliver()
    #expect(!overlay.isUpdating)
    #expect(overlay.line(2) == "            #######")
    overlay.now = overlay.now.advanced(byNanoseconds: RepaintPace.updatePeriod)
    overlay.pass(update, hasMore: true)
    #expect(!overlay.isUpdating)
    #expect(overlay.line(2) == "            #######")
  }

  @Test func `what waits after the end of an update goes out with the release`() {
    let overlay = overlayAmidUpdates()
    overlay.pass("CSI ?2026hCSI 2JxyzCSI ?2026lendCSI 3", hasMore: true)
    #expect(overlay.isUpdating)
    overlay.compositor.release(now: overlay.now, to: &overlay.queue)
    overlay.deliver()
    #expect(!overlay.isUpdating)
    #expect(overlay.line(1) == "xyzend")
    #expect(overlay.sent.suffix(3) == bytes("CSI 3")[...])
  }

  @Test func `an update after another one is open for as long as it is itself`() {
    let overlay = overlayAmidUpdates()
    overlay.pass("CSI ?2026hCSI 2Jxyz")
    overlay.now = overlay.now.advanced(byNanoseconds: Compositor.openUpdateLimit / 2)
    overlay.pass("CSI ?2026lCSI ?2026hCSI 2J")
    let deadline = overlay.compositor.deadline(now: overlay.now, isIdle: true)
    #expect(deadline == overlay.now.advanced(byNanoseconds: Compositor.openUpdateLimit))
  }

  @Test func `an update that erases the HUD can wait for a later one too`() {
    let overlay = Overlay()
    overlay.compositor.joinsUpdates = true
    overlay.compositor.hasSynchronizedUpdates = true
    overlay.show(hud)
    overlay.settle()
    overlay.pass("CSI 6;1H\r\nCSI ?2026hCSI 6;1H\r\nCSI ?2026lCSI ?2026h\r\nendCSI ?2026l")
    #expect(overlay.isPainted)
    #expect(!overlay.isUpdating)
    #expect(overlay.line(2) == "            #######")
    #expect(overlay.line(6) == "end")
    overlay.compositor.hide()
    overlay.settle()
    #expect(overlay.line(2) == "")
  }

  @Test func `with updates of the terminal the HUD is erased within one, and a question ends it`() {
    let overlay = Overlay()
    overlay.compositor.hasSynchronizedUpdates = true
    overlay.show(hud)
    overlay.settle()
    overlay.sent = []
    overlay.pass("CSI 6;1H\r\nCSI 5n")
    #expect(overlay.text.contains("\u{1B}[?2026h"))
    #expect(overlay.text.contains("\u{1B}[?2026l\u{1B}[5n"))
    overlay.settle()
    #expect(!overlay.isUpdating)
  }

  @Test func `before the VT52 mode the HUD is erased once, and the update is ended`() {
    for isShown in [true, false] {
      let overlay = Overlay()
      overlay.compositor.hasSynchronizedUpdates = true
      overlay.show(hud)
      overlay.settle()
      // What scrolls has erased it, and the update is open.
      if !isShown { overlay.pass("CSI 6;1H\n") }
      overlay.sent = []
      overlay.pass("CSI ?2lx")
      #expect(overlay.text.hasSuffix("\u{1B}[?2026l\u{1B}[?2lx"))
      let ends = overlay.text.split(separator: "\u{1B}[?2026l").count - 1
      #expect(ends == (isShown ? 1 : 2))
      overlay.settle()
      #expect(overlay.text.hasSuffix("x"))
    }
  }
}
