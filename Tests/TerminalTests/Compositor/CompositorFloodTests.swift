import PerfHUDBase
import Testing

@testable import Terminal

/// The HUD in a flood, and while the link has no room for it; by a clock of the test.
@Suite struct CompositorFloodTests {
  private static let hud = Rect(row: 1, column: 12, rows: 2, columns: 7)

  /// A HUD that is shown over the first line of a program.
  private func overlay(hasUpdates: Bool = false) -> Overlay {
    let overlay = Overlay()
    overlay.compositor.pausesFloods = true
    overlay.compositor.hasSynchronizedUpdates = hasUpdates
    overlay.show(Self.hud)
    overlay.pass("CSI 6;1H")
    overlay.settle()
    return overlay
  }

  private func advance(_ overlay: Overlay, milliseconds: Int64) {
    overlay.now = overlay.now.advanced(byNanoseconds: milliseconds * 1_000_000)
  }

  private func settle(_ overlay: Overlay, isIdle: Bool) {
    overlay.compositor.settle(now: overlay.now, isIdle: isIdle, to: &overlay.queue)
    overlay.deliver()
  }

  private func deadline(_ overlay: Overlay) -> Instant? {
    overlay.compositor.deadline(now: overlay.now, isIdle: true)
  }

  private func takeRest(_ overlay: Overlay) -> Bool { overlay.compositor.takeFloodRest() }

  /// Lines that scroll, one a millisecond, and each is all that there is for the moment: how often the HUD was
  /// painted, and how often the command was to rest.
  private func flood(_ overlay: Overlay, milliseconds: Int) -> (paints: Int, rests: Int) {
    var paints = 0
    var rests = 0
    for _ in 0..<milliseconds {
      overlay.pass("line\r\n")
      let wasDrawn = overlay.isPainted
      settle(overlay, isIdle: true)
      if overlay.isPainted, !wasDrawn { paints += 1 }
      if overlay.compositor.takeFloodRest() { rests += 1 }
      advance(overlay, milliseconds: 1)
    }
    return (paints, rests)
  }

  @Test func `a flood of 10 s: painted a few times at first, then 22 times, each with a rest`() {
    let overlay = overlay()
    let (paints, rests) = flood(overlay, milliseconds: 10_000)
    #expect(rests == 22)
    #expect(paints == rests + FloodPace.limit - 1)
    #expect(overlay.lateErases == 0)
  }

  @Test func `with synchronized updates each painting is seen: nothing rests`() {
    let overlay = overlay(hasUpdates: true)
    let (paints, rests) = flood(overlay, milliseconds: 1000)
    #expect(rests == 0 && paints > 20, "\(paints)")
  }

  @Test func `when the flood pauses the HUD is back 30 ms later, and at once from then on`() throws
  {
    let overlay = overlay()
    _ = flood(overlay, milliseconds: 100)
    #expect(!overlay.isPainted)
    let due = try #require(deadline(overlay))
    // The last line came a millisecond ago.
    #expect(due == overlay.now.advanced(byNanoseconds: FloodPace.calm - 1_000_000))
    overlay.now = due
    settle(overlay, isIdle: true)
    #expect(overlay.isPainted && !takeRest(overlay))
    advance(overlay, milliseconds: 100)
    overlay.pass("line\r\n")
    settle(overlay, isIdle: true)
    #expect(overlay.isPainted)
  }

  @Test func `lines at 60 Hz are no flood: the HUD is there after each`() {
    let overlay = overlay()
    for _ in 0..<200 {
      overlay.pass("line\r\n")
      settle(overlay, isIdle: true)
      #expect(overlay.isPainted)
      advance(overlay, milliseconds: 16)
    }
    #expect(!takeRest(overlay))
  }

  @Test
  func `while the link has no room the HUD is neither painted nor repaired, but erased and hidden`()
  {
    let overlay = overlay()
    overlay.compositor.isPaused = true
    overlay.sent = []
    overlay.show(Self.hud, text: "@")
    overlay.settle()
    #expect(overlay.sent.isEmpty && overlay.isPainted)
    #expect(deadline(overlay) == nil)
    overlay.pass("\r\nscrolled")
    overlay.settle()
    #expect(!overlay.isPainted && overlay.difference(overlay.passed) == nil)
    overlay.compositor.isPaused = false
    overlay.settle()
    #expect(overlay.isPainted && overlay.line(2).contains("@"))
    overlay.compositor.isPaused = true
    overlay.compositor.hide()
    overlay.settle()
    #expect(!overlay.isPainted)
  }

  @Test func `an update of its own that is open ends while the link has no room`() {
    let overlay = overlay(hasUpdates: true)
    overlay.compositor.isPaused = true
    overlay.pass("\r\nscrolled")
    overlay.settle()
    #expect(!overlay.isPainted && !overlay.isUpdating)
  }
}
