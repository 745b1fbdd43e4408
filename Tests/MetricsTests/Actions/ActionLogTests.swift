import PerfHUDBase
import PerfHUDEvents
import Testing

@testable import Metrics

/// The log of actions.
@Suite struct ActionLogTests {
  @Test func `312 repeats are one line of the log`() {
    var process = MadeUpProcess()
    process.report(.action, "open", at: 1) { $0.detail = Event.Detail("a.png") }
    for number in 0..<312 {
      process.report(.action, "pen.move", at: 2 + Double(number) / 120) {
        $0.detail = Event.Detail("x=\(number)")
      }
    }
    process.report(.action, "open", at: 5) { $0.detail = Event.Detail("a.png") }
    let log = process.run.actions.log
    #expect(log.count == 3)
    #expect(log[1].count == 312)
    #expect(log[1].detail.text == "x=311")
    #expect(log[1].detailsDiffer)
    #expect(log[1].first == MadeUpProcess.time(2))
    #expect(log[0].count == 1 && log[2].count == 1)
    #expect(log[2].name.text == "open")
  }

  @Test func `two actions that take turns are two lines, and slow ones each their own`() {
    var process = MadeUpProcess()
    for number in 0..<100 {
      process.report(.action, number % 2 == 0 ? "a" : "b", at: 1 + Double(number) / 100)
    }
    #expect(process.run.actions.log.count == 2)
    for number in 0..<5 {
      process.report(.action, "save", at: 10 + Double(number)) {
        $0.detail = Event.Detail("file \(number)")
      }
    }
    #expect(process.run.actions.log.count == 7)
    for number in 0..<5 { process.report(.action, "quiet", at: 20 + Double(number) * 3) }
    #expect(process.run.actions.log.count == 12)
  }

  @Test func `the log keeps the last 512 lines`() {
    var process = MadeUpProcess()
    for number in 0..<600 { process.report(.action, "a \(number)", at: Double(number)) }
    let log = process.run.actions.log
    #expect(log.count == 512)
    #expect(log.dropped == 88)
    #expect(log[0].name.text == "a 599")
    #expect(log[511].name.text == "a 88")
  }
}
