import PerfHUDBase
import Testing

@testable import HUD

/// How the rows of a list follow what it shows.
@Suite struct ListHeightTests {
  private static func time(_ seconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000).advanced(bySeconds: seconds)
  }

  /// The rows after the list has needed some at some seconds.
  private func rows(_ needs: [(seconds: Double, rows: Int)]) -> Int {
    var height = ListHeight()
    var rows = 0
    for need in needs {
      rows = height.update(need.rows, page: .processes, now: ListHeightTests.time(need.seconds))
    }
    return rows
  }

  @Test func `a list that grows has its rows at once`() {
    #expect(rows([(0, 6), (0.1, 9)]) == 9)
  }

  @Test func `a list that has been shorter for ten seconds gives up what it has not needed`() {
    #expect(rows([(0, 9), (1, 6), (9.9, 6)]) == 9)
    #expect(rows([(0, 9), (1, 6), (5, 7), (6, 6), (10, 6)]) == 7)
    #expect(rows([(0, 9), (1, 6), (8, 9), (10, 6), (17, 6)]) == 9)
  }

  @Test func `another page has its own`() {
    var height = ListHeight()
    _ = height.update(9, page: .processes, now: ListHeightTests.time(0))
    #expect(height.update(6, page: .actions, now: ListHeightTests.time(0.1)) == 6)
  }

  @Test func `rows that were only expected are given up at once`() {
    var height = ListHeight()
    let time = ListHeightTests.time
    #expect(height.update(10, isGuess: true, page: .processes, now: time(0)) == 10)
    #expect(height.update(4, page: .processes, now: time(0.1)) == 4)
    #expect(height.update(3, page: .processes, now: time(0.2)) == 4)
  }
}
