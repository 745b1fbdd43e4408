import PerfHUDBase
import Terminal
import Testing

@testable import PerfHUD

/// When the terminal is asked for its cursor, and which answers count.
@Suite struct CursorPositionQueryTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private let place = Point(row: 4, column: 2)

  private func after(_ milliseconds: Int64) -> Instant {
    start.advanced(byNanoseconds: milliseconds * 1_000_000)
  }

  private func report(_ number: Int) -> InputRouter.CursorReport {
    InputRouter.CursorReport(question: number, place: place)
  }

  @Test func `output waits 300 ms for the answer, and the answer counts for 10 s`() {
    var inquiry = CursorPositionQuery(number: 0, now: start)
    #expect(inquiry.holdsOutput && inquiry.deadline == after(300))
    inquiry.expire(now: after(299))
    #expect(inquiry.holdsOutput)
    inquiry.expire(now: after(300))
    #expect(!inquiry.holdsOutput && inquiry.deadline == after(10_000))
    inquiry.expire(now: after(9999))
    #expect(inquiry.answer(report(0), passedBytes: 0) == .current(place))
    #expect(inquiry.deadline == nil)
  }

  @Test func `the first answer after output is about the start, a later one of no use`() {
    var inquiry = CursorPositionQuery(number: 0, now: start)
    #expect(inquiry.answer(report(0), passedBytes: 7) == .start(place))
    inquiry.ask(number: 1, passedBytes: 7, now: after(1))
    #expect(inquiry.answer(report(1), passedBytes: 8) == nil)
    inquiry.ask(number: 2, passedBytes: 8, now: after(2))
    #expect(inquiry.answer(report(1), passedBytes: 8) == nil)
    #expect(inquiry.answer(report(2), passedBytes: 8) == .current(place))
  }

  @Test func `a terminal that does not answer such questions is not asked again`() {
    var inquiry = CursorPositionQuery(number: 0, now: start)
    #expect(inquiry.nextQuestion(now: after(1), answers: true) == nil)
    inquiry.stop()
    #expect(!inquiry.holdsOutput && inquiry.deadline == nil)
    #expect(inquiry.nextQuestion(now: after(60_000), answers: true) == nil)
  }

  @Test func `after a change of size nothing passes or is asked until tmux rests`() {
    var inquiry = CursorPositionQuery(number: 0, now: start)
    inquiry.startOver(after: after(270))
    #expect(inquiry.holdsOutput && inquiry.deadline == after(570))
    #expect(inquiry.nextQuestion(now: after(1), answers: true) == after(270))
    inquiry.expire(now: after(569))
    #expect(inquiry.holdsOutput)
    // It cannot be asked while a sequence is not whole.
    var other = inquiry
    other.expire(now: after(570))
    #expect(!other.holdsOutput && other.deadline == nil)
    inquiry.ask(number: 1, passedBytes: 0, now: after(270))
    #expect(inquiry.deadline == after(570))
    inquiry.expire(now: after(570))
    #expect(!inquiry.holdsOutput)
  }
}
