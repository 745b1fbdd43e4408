import HUD
import PerfHUDBase
import Terminal
import Testing

@Suite struct UnwatchedTests {
  /// Pictures in ten seconds in which something is new every 10 ms, of which both periods are multiples.
  private func pictures(isUnwatched: Bool) -> Int {
    var hud = screen(80, 24, threeMinutes.run)
    hud.isUnwatched = isUnwatched
    var now = threeMinutes.now
    var count = 0
    for _ in 0..<1000 {
      now = now.advanced(byNanoseconds: 10_000_000)
      hud.invalidate()
      guard hud.needsDraw(now: now) else { continue }
      hud.draw(threeMinutes.run, now: now)
      count += 1
    }
    return count
  }

  @Test func `while nobody looks half as many pictures are drawn`() {
    let all = pictures(isUnwatched: false)
    let some = pictures(isUnwatched: true)
    #expect(all >= 70 && some >= 35)
    #expect(some <= all / 2 + 2, "\(some) of \(all)")
  }

  @Test func `a key is answered at once all the same`() {
    var hud = screen(80, 24, threeMinutes.run)
    hud.isUnwatched = true
    let now = threeMinutes.now.advanced(byNanoseconds: 1_000_000)
    _ = hud.handle(.character(","), run: threeMinutes.run)
    #expect(hud.needsDraw(now: now))
  }
}
