import PerfHUDBase
import PerfHUDEvents
import TestSupport
import Testing

@testable import Metrics

@Suite struct ActionTrackerTests {
  private func total(_ process: MadeUpProcess, _ name: String, at seconds: Double) -> ActionTotal? {
    process.run.actions.index(of: Event.Name(name)).map {
      process.run.actions.totals($0, asOf: MadeUpProcess.time(seconds))
    }
  }

  /// Events at a rate from one second to another, with a reading each 0.1 s.
  private func events(
    _ rate: Double, from: Double, to: Double, jitter: Double = 0, seed: UInt64 = 1
  ) -> MadeUpProcess {
    var process = MadeUpProcess()
    var random = SeededRandom(seed: seed)
    var times = stride(from: from, to: to, by: 1 / rate).map {
      $0 + (jitter > 0 ? Double.random(in: 0...jitter, using: &random) : 0)
    }
    times.sort()
    for time in times { process.report(.action, "pen.move", at: time) }
    return process
  }

  // MARK: Rate and HIGH

  @Test func `the rate is that of the last 2 s, by the times of the events`() {
    let process = events(120, from: 1, to: 6)
    for seconds in stride(from: 2.1, to: 6, by: 0.17) {
      let rate = total(process, "pen.move", at: max(seconds, 6))?.rate ?? 0
      #expect((119...121).contains(rate), "\(rate)")
    }
    let rate = total(process, "pen.move", at: 7)?.rate ?? 0
    #expect((59...61).contains(rate), "\(rate)")
    #expect(total(process, "pen.move", at: 8.05)?.rate == 0)
    let all = process.run.actions.rate(asOf: MadeUpProcess.time(7))
    #expect((59...61).contains(all), "\(all)")
  }

  @Test(arguments: [0, 1_234_567, 31_250_000, 999_999_999])
  func `35 actions every 2 s read 17.5/s all the time and are never HIGH`(offset: UInt64) {
    var process = MadeUpProcess()
    for burst in 0..<6 {
      let time = 1 + Double(burst) * 2 + Double(offset) * 1e-9
      process.report(.action, "save", at: time, count: 35)
      // Where a burst comes to the edge of the window it counts in part.
      for step in 0..<39 {
        let now = time + (Double(step) + 0.8) / 20
        process.memory(1, at: now)
        // The same in the list, in the column and for rules.
        let rate = total(process, "save", at: now)?.rate
        #expect(rate == 17.5 && process.run.latest?[.actions].value == 17.5, "\(now)")
        #expect(total(process, "save", at: now)?.isHigh == false)
      }
    }
    #expect(total(process, "save", at: 20)?.timesHigh == 0)
  }

  @Test func `a single burst is HIGH if it is worth more than the threshold over 2 s`() {
    for (count, isHigh) in [(60, false), (62, true)] as [(UInt32, Bool)] {
      var process = MadeUpProcess()
      process.report(.action, "save", at: 1, count: count)
      #expect(total(process, "save", at: 1.6)?.isHigh == isHigh)
      #expect(total(process, "save", at: 3.1)?.isHigh == false)
    }
  }

  // MARK: Losses

  @Test func `after a loss each count is a lower bound, and the rate for 2 s`() {
    var process = MadeUpProcess()
    process.report(.action, "a", at: 1)
    process.memory(1, at: 1.5)
    #expect(total(process, "a", at: 1.5)?.isExact == true)
    #expect(process.run.latest?.lowerBounds.isEmpty == true)
    process.run.apply(.eventsLost(3, MadeUpProcess.time(2)))
    process.report(.action, "b", at: 2.1)
    process.memory(1, at: 3.9)
    #expect(total(process, "a", at: 3.9)?.isExact == false)
    #expect(total(process, "b", at: 3.9)?.isExact == false)
    #expect(process.run.latest?.lowerBounds == [.actions])
    process.memory(1, at: 4.1)
    #expect(process.run.latest?.lowerBounds.isEmpty == true)
    #expect(total(process, "a", at: 4.1)?.isExact == false)
  }

  @Test func `the summary has the sign before a count after a loss`() {
    var process = MadeUpProcess()
    for number in 0..<300 { process.report(.action, "a", at: 1 + Double(number) / 100) }
    func line() -> Substring? {
      RunSummary(process.run, asOf: MadeUpProcess.time(5)).text(language: .english)
        .split(separator: "\n").first { $0.hasPrefix("  action ") }
    }
    #expect(line()?.contains("a: 300,") == true)
    process.run.apply(.eventsLost(1, MadeUpProcess.time(4)))
    #expect(line()?.contains("a: ≥ 300,") == true)
  }

  @Test func `120 a second are HIGH 1 s after they begin and not 1.5 s after they end`() {
    var process = MadeUpProcess()
    func isHigh(_ seconds: Double) -> Bool? { total(process, "pen.move", at: seconds)?.isHigh }
    for number in 0..<600 {
      let time = 1 + Double(number) / 120
      process.report(.action, "pen.move", at: time)
      let expected: Bool? = time < 1.95 ? false : time > 2.05 ? true : nil
      if let expected { #expect(isHigh(time) == expected, "\(time)") }
    }
    #expect(isHigh(7.45) == true)
    #expect(isHigh(7.55) == false)
    #expect(total(process, "pen.move", at: 9)?.timesHigh == 1)
    #expect(total(process, "pen.move", at: 9)?.count == 600)
    let peak = total(process, "pen.move", at: 9)?.peakRate ?? 0
    #expect((119...122).contains(peak), "\(peak)")
  }

  @Test(arguments: 0..<20) func `20 a second are never HIGH, however they jitter`(seed: UInt64) {
    // Bursts of 5, 10 and 20, and single ones.
    for burst in [1, 5, 10, 20] {
      var process = MadeUpProcess()
      var random = SeededRandom(seed: seed)
      let gap = Double(burst) / 20
      for number in 0..<(400 / burst) {
        let time = 1 + (Double(number) + Double.random(in: 0...0.3, using: &random)) * gap
        process.report(.action, "pen.move", at: time, count: UInt32(burst))
        process.memory(1, at: time)
        #expect(total(process, "pen.move", at: time + 0.01)?.isHigh == false)
      }
      #expect(total(process, "pen.move", at: 30)?.timesHigh == 0)
    }
  }

  @Test func `each time that it becomes HIGH is counted and noticed once`() {
    var process = MadeUpProcess()
    for start in [1.0, 20, 40] {
      for number in 0..<400 {
        let time = start + Double(number) / 100
        process.report(.action, "save", at: time)
        if number % 10 == 0 { process.memory(1, at: time) }
      }
      let notices = process.run.notices(asOf: MadeUpProcess.time(start + 4))
      #expect(notices.map(\.kind) == [.actionHigh])
      #expect(notices.first?.name.text == "save")
      #expect(abs((notices.first?.rate ?? 0) - 100) < 3 && notices.first?.limit == 30)
      #expect(process.run.notices(asOf: MadeUpProcess.time(start + 12)).isEmpty)
    }
    #expect(total(process, "save", at: 60)?.timesHigh == 3)
    #expect(process.run.noticeList.all.map(\.id) == [1, 2, 3])
  }

  @Test func `a notice has the rate at its time, not the mean since actions without a pause began`()
  {
    var process = MadeUpProcess()
    var time = 1.0
    for (rate, seconds) in [(200.0, 10.0), (20, 5), (40, 5)] {
      for number in 0..<Int(rate * seconds) {
        process.report(.action, "save", at: time)
        if number.isMultiple(of: 10) { process.memory(1, at: time) }
        time += 1 / rate
      }
    }
    let rates = process.run.noticeList.all.filter { $0.kind == .actionHigh }.map(\.rate)
    #expect(rates.count == 2)
    #expect(abs((rates.first ?? 0) - 200) < 6 && (rates.last ?? 0) < 45, "\(rates)")
  }

  @Test func `exactly 30 a second are not over the threshold of 30`() {
    let process = events(30, from: 1, to: 8)
    #expect(total(process, "pen.move", at: 8)?.timesHigh == 0)
    var header = RunHeader(start: MadeUpProcess.start, wallClockOffset: 0, interval: 100_000_000)
    header.highRate = 10
    var strict = Run(header)
    var event = Event(.action)
    event.name = Event.Name("x")
    for number in 0..<100 {
      strict.apply(.event(event, MadeUpProcess.time(1 + Double(number) / 30)))
    }
    #expect(strict.actions.totals(0, asOf: MadeUpProcess.time(4)).isHigh)
  }

  @Test func `the count of one event counts, and events in another order too`() {
    var process = MadeUpProcess()
    process.report(.action, "a", at: 2, count: 7)
    process.report(.action, "a", at: 1.7, count: 3)
    process.report(.action, "a", at: 0.2, count: 1)
    #expect(total(process, "a", at: 2)?.rate == 5.5)
    #expect(total(process, "a", at: 2)?.count == 11)
    #expect(total(process, "a", at: 2)?.last == MadeUpProcess.time(2))
    #expect(total(process, "a", at: 2.9)?.rate == 5)
    #expect(total(process, "a", at: 3.9)?.rate == 3.5)
    process.report(.action, "a", at: 3.95, count: .max)
    process.report(.action, "a", at: 3.95, count: .max)
    #expect(total(process, "a", at: 4)?.count == 11 + 2 * UInt64(UInt32.max))
  }

  // MARK: Bounded names

  @Test func `of 128 names each count is exact`() {
    var process = MadeUpProcess()
    for number in 0..<128 {
      process.report(.action, "action \(number)", at: 1, count: UInt32(number + 1))
    }
    for number in 0..<128 {
      let action = total(process, "action \(number)", at: 1)
      #expect(action?.count == UInt64(number + 1))
      #expect(action?.isExact == true)
    }
    let ranked = process.run.actions.ranking.map {
      process.run.actions.totals($0, asOf: MadeUpProcess.time(1)).name.text
    }
    #expect(ranked == (0..<128).reversed().map { "action \($0)" })
  }

  @Test func `the top names are exact although 50 000 others come and go`() {
    var process = MadeUpProcess()
    let top = (0..<20).map { "top \($0)" }
    for name in top { process.report(.action, name, at: 1) }
    for number in 0..<50_000 {
      let time = 1 + Double(number) / 10_000
      process.report(.action, "noise \(number)", at: time)
      if number % 50 == 0 {
        for (place, name) in top.enumerated() where (number / 50) % (place + 1) == 0 {
          process.report(.action, name, at: time)
        }
      }
    }
    let actions = process.run.actions
    #expect(actions.count == 128)
    // Those that happen more often than one in 128.
    for place in 0..<2 {
      let action = total(process, top[place], at: 7)
      let expected = 1 + (1000 + UInt64(place)) / UInt64(place + 1)
      #expect(action?.count == expected)
      #expect(action?.isExact == true)
    }
    // Nothing is lost: the rest is in the sum.
    let counts = (0..<actions.count).map { actions.totals($0, asOf: MadeUpProcess.time(7)).count }
    #expect(actions.total == counts.reduce(0, +) + actions.folded)
    #expect(actions.forgottenNames > 40_000)
    let late = total(process, "noise 49999", at: 7)
    #expect(late?.isExact == false)
    #expect(late?.count == 1)
  }

  // MARK: Memory and frames

  @Test func `memory is that of the process while the action ran, for each run`() {
    var process = MadeUpProcess()
    process.memory(100, at: 0.9)
    process.report(.action, "load", at: 1)
    process.memory(130, at: 1.2)
    process.report(.action, "load", at: 1.6)
    process.memory(150, at: 2.5)
    process.memory(300, at: 2.7)
    process.memory(300, at: 5)
    #expect(total(process, "load", at: 5)?.bytesPerRun == 50 * bytesPerMiB)
    process.report(.action, "load", at: 6)
    process.memory(290, at: 6.9)
    process.memory(290, at: 7.1)
    #expect(total(process, "load", at: 8)?.bytesPerRun == 20 * bytesPerMiB)
  }

  @Test func `memory is attributed to no action that another one overlaps`() {
    var process = MadeUpProcess()
    process.memory(100, at: 0.9)
    process.report(.action, "load", at: 1)
    // Within the second in which the first one still runs.
    process.report(.action, "move", at: 1.9)
    process.memory(150, at: 2)
    process.memory(150, at: 4)
    #expect(total(process, "load", at: 4)?.bytesPerRun == nil)
    #expect(total(process, "move", at: 4)?.bytesPerRun == nil)
    // The first one has ended, though no sample has come since.
    process.report(.action, "move", at: 5)
    process.report(.action, "load", at: 6)
    process.memory(170, at: 6.5)
    process.memory(170, at: 8)
    #expect(total(process, "load", at: 8)?.bytesPerRun == 20 * bytesPerMiB)
    #expect(total(process, "move", at: 8)?.bytesPerRun == 0)
  }

  @Test func `each second has its own step, twice as often for each more`() {
    var process = MadeUpProcess()
    for (second, count) in [(0, 3), (1, 1), (4, 70), (70, 2)] {
      for number in 0..<count {
        process.report(.action, "save", at: 1 + Double(second) + Double(number) / 100)
      }
      guard second < 70 else { continue }
      process.memory(1, at: 1 + Double(second) + 0.9)
      if second == 4 { #expect(steps(process, 0...4, at: 5.5) == [7, 0, 0, 1, 2]) }
    }
    // The newest second is the first one.
    #expect(steps(process, 0...2, at: 71.5) == [2, 0, 0])
    #expect(steps(process, 0...2, at: 72.5) == [0, 2, 0])
    // All before has been pushed out.
    #expect(steps(process, 0...60, at: 71.5).reduce(0, +) == 2)
    #expect(steps(process, 61...65, at: 71.5) == [0, 0, 0, 0, 0])
  }

  private func steps(_ process: MadeUpProcess, _ ages: ClosedRange<Int>, at seconds: Double)
    -> [Int]
  {
    let now = MadeUpProcess.time(seconds)
    return ages.map { process.run.actions.second(0, age: $0, asOf: now).step }
  }

  @Test(arguments: [(30, 5, false), (31, 5, true), (32, 6, true), (63, 6, true), (64, 7, true)])
  func `a second above the threshold is high`(count: Int, step: Int, isHigh: Bool) {
    var process = MadeUpProcess()
    for number in 0..<count { process.report(.action, "move", at: 2 + Double(number) / 100) }
    let second = process.run.actions.second(0, age: 0, asOf: MadeUpProcess.time(2.9))
    #expect(second.step == step && second.isHigh == isHigh)
  }

  @Test func `an event that comes late is added to the second before the newest one`() {
    var process = MadeUpProcess()
    for time in [1.1, 2.2, 3.3, 2.9, 1.9] { process.report(.action, "save", at: time) }
    #expect(steps(process, 0...3, at: 3.5) == [1, 2, 1, 0])
  }

  @Test func `a batch of events fills its second`() {
    var process = MadeUpProcess()
    for _ in 0..<2 { process.report(.action, "save", at: 1.5) { $0.count = .max } }
    #expect(steps(process, 0...1, at: 1.9) == [7, 0])
  }

  @Test func `slow frames count for the action that ran meanwhile`() {
    var process = MadeUpProcess()
    var time = 1.0
    func frames(_ count: Int, slow: Int) {
      for number in 0..<count {
        time += 0.016
        process.report(.frame, at: time) { $0.number = number < slow ? 50 : 16 }
        if number % 10 == 0 { process.memory(1, at: time) }
      }
    }
    frames(200, slow: 0)
    frames(100, slow: 3)
    process.report(.action, "zoom", at: time)
    frames(200, slow: 5)
    #expect(process.run.frames?.slowFrames.total == 8)
    #expect(total(process, "zoom", at: time)?.slowFrames == 5)
    #expect(process.run.frames?.slowFrames[0].milliseconds == 50)
  }

  // MARK: Bursts

  @Test(arguments: [(66.0, 0.9), (66, 0.6), (120, 1.9), (40, 5)])
  func `the peak of a burst is the rate within it`(rate: Double, seconds: Double) {
    let process = events(rate, from: 1, to: 1 + seconds)
    let peak = total(process, "pen.move", at: 8)?.peakRate ?? 0
    #expect((rate - 0.5...rate * 1.02).contains(peak), "\(peak)")
  }

  @Test func `events at once, and a burst of less than half a second, have the rate over 2 s`() {
    var process = MadeUpProcess()
    for burst in 0..<4 { process.report(.action, "save", at: 1 + Double(burst) * 2.5, count: 35) }
    #expect(total(process, "save", at: 11)?.peakRate == 17.5)
    let short = events(100, from: 1, to: 1.4)
    #expect(total(short, "pen.move", at: 4)?.peakRate == 20)
    // A pause of more than 0.25 s ends a burst.
    let slow = events(3, from: 1, to: 9)
    #expect((total(slow, "pen.move", at: 9)?.peakRate ?? 0) <= 3.5)
  }
}
