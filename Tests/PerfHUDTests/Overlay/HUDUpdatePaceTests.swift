import PerfHUDBase
import Testing

@testable import PerfHUD

/// How much of the HUD a link gets.
@Suite struct HUDUpdatePaceTests {
  private func at(milliseconds: Int64) -> Instant {
    Instant(nanoseconds: 1_000_000_000).advanced(byNanoseconds: milliseconds * 1_000_000)
  }

  /// A link whose answer to the start took so long.
  private func pace(answeredAfter milliseconds: Int64) -> HUDUpdatePace {
    var pace = HUDUpdatePace(number: 0, now: at(milliseconds: 0))
    pace.noteAnswers(now: at(milliseconds: milliseconds)) { $0 == 0 }
    return pace
  }

  @Test func `a fast terminal is asked behind the first update, and never again`() {
    var pace = pace(answeredAfter: 2)
    #expect(pace.allowsUpdate(now: at(milliseconds: 3), isAwaited: false) && pace.wantsQuestion)
    pace.ask(number: 1, now: at(milliseconds: 3))
    #expect(pace.allowsUpdate(now: at(milliseconds: 100), isAwaited: false))
    pace.noteAnswers(now: at(milliseconds: 6)) { $0 == 1 }
    #expect(!pace.wantsQuestion && !pace.isSlow)
    #expect(pace.allowsUpdate(now: at(milliseconds: 6), isAwaited: false))
  }

  @Test func `a narrow link that answers at once is found by its first update`() {
    var pace = pace(answeredAfter: 40)
    pace.ask(number: 1, now: at(milliseconds: 100))
    #expect(!pace.allowsUpdate(now: at(milliseconds: 260), isAwaited: true))
    pace.noteAnswers(now: at(milliseconds: 740)) { $0 == 1 }
    #expect(pace.isSlow && pace.wantsQuestion)
    // 600 ms for the bytes: three times as long is the program's.
    #expect(pace.deadline == at(milliseconds: 740 + 1800))
    #expect(!pace.allowsUpdate(now: at(milliseconds: 2539), isAwaited: false))
    #expect(pace.allowsUpdate(now: at(milliseconds: 2540), isAwaited: false))
    #expect(pace.allowsUpdate(now: at(milliseconds: 741), isAwaited: true))
  }

  @Test func `a long way alone delays no update once its answer is there`() {
    var pace = pace(answeredAfter: 600)
    #expect(pace.isSlow && pace.allowsUpdate(now: at(milliseconds: 600), isAwaited: false))
    pace.ask(number: 1, now: at(milliseconds: 600))
    #expect(!pace.allowsUpdate(now: at(milliseconds: 601), isAwaited: true))
    pace.noteAnswers(now: at(milliseconds: 1200)) { $0 == 1 }
    #expect(pace.allowsUpdate(now: at(milliseconds: 1200), isAwaited: false))
  }

  @Test func `three quick answers end a slow link`() {
    var pace = pace(answeredAfter: 600)
    for number in 1...3 {
      let now = Int64(number) * 10_000
      #expect(pace.isSlow)
      pace.ask(number: number, now: at(milliseconds: now))
      pace.noteAnswers(now: at(milliseconds: now + 10)) { $0 == number }
    }
    #expect(!pace.isSlow && !pace.wantsQuestion)
  }

  @Test func `a terminal that answers nothing is not asked, and holds nothing up`() {
    var pace = HUDUpdatePace(number: 0, now: at(milliseconds: 0))
    #expect(pace.allowsUpdate(now: at(milliseconds: 5000), isAwaited: false))
    pace.noteAnswers(now: at(milliseconds: 10_000)) { _ in false }
    pace.noteSlowTerminal()
    #expect(!pace.isSlow && !pace.wantsQuestion)
    #expect(pace.allowsUpdate(now: at(milliseconds: 10_000), isAwaited: false))
  }

  @Test func `an answer that never comes holds updates up for 10 s, and nothing is asked later`() {
    var pace = pace(answeredAfter: 600)
    pace.ask(number: 1, now: at(milliseconds: 1000))
    #expect(pace.deadline == at(milliseconds: 11_000))
    pace.noteAnswers(now: at(milliseconds: 11_000)) { _ in false }
    #expect(pace.allowsUpdate(now: at(milliseconds: 11_000), isAwaited: false))
    #expect(!pace.wantsQuestion)
  }

  @Test func `a terminal that begins to leave bytes waiting is asked again`() {
    var pace = pace(answeredAfter: 2)
    pace.ask(number: 1, now: at(milliseconds: 3))
    pace.noteAnswers(now: at(milliseconds: 4)) { $0 == 1 }
    pace.noteSlowTerminal()
    #expect(pace.wantsQuestion)
  }
}
