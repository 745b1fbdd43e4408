import Metrics
import PerfHUDBase
import TestSupport
import Testing

/// Frames one after another, and the values at the end.
private struct Frames {
  var statistics: FrameStatistics
  var time = MadeUpProcess.start

  init(_ source: FrameSource, period: UInt64? = nil) {
    statistics = FrameStatistics(source: source, period: period)
    statistics.add(time, missed: 0)
  }

  /// A frame some milliseconds after the one before.
  mutating func frame(after milliseconds: Double, missed: UInt32 = 0, isMerged: Bool = false) {
    time = time.advanced(bySeconds: milliseconds / 1000)
    statistics.add(time, missed: missed, isMerged: isMerged)
  }

  /// The values some milliseconds after the last frame.
  func summary(after milliseconds: Double = 1) -> FrameStatistics.Summary {
    var copy = statistics
    return copy.summary(asOf: time.advanced(bySeconds: milliseconds / 1000))
  }
}

@Suite struct FrameStatisticsTests {
  private let period = 1000.0 / 60

  @Test func `60 Hz is 60 frames a second of 16.67 ms without a hitch`() {
    var frames = Frames(.tick, period: 16_666_666)
    for _ in 0..<600 { frames.frame(after: period) }
    let summary = frames.summary()
    #expect(isClose(summary.fps, 60, within: 0.001))
    #expect(isClose(summary.medianMilliseconds, 16.667, within: 0.001))
    #expect(isClose(summary.p99Milliseconds, 16.667, within: 0.001))
    #expect(isClose(summary.hitchMillisecondsPerSecond, 0))
    #expect(frames.statistics.missed == 0)
  }

  @Test func `a block of 100 ms once a second is 55 frames and 83.3 ms/s of hitches`() {
    var frames = Frames(.tick, period: 16_666_667)
    for _ in 0..<12 {
      for _ in 0..<54 { frames.frame(after: period) }
      frames.frame(after: 100, missed: 5)
    }
    let summary = frames.summary()
    #expect(isClose(summary.fps, 55, within: 0.001))
    #expect(isClose(summary.medianMilliseconds, 16.667, within: 0.001))
    #expect(isClose(summary.p99Milliseconds, 100, within: 0.001))
    // One frame a second takes 100 ms instead of 16.67.
    #expect(isClose(summary.hitchMillisecondsPerSecond, 83.33, within: 0.1))
    #expect(frames.statistics.missed == 60)
  }

  @Test func `frames that are read together at the start do not count in the mean`() {
    var frames = Frames(.terminal)
    for _ in 0..<9 { frames.frame(after: 0) }
    for _ in 0..<110 { frames.frame(after: 33) }
    #expect(frames.statistics.total.frames == 120)
    let mean = frames.statistics.total.meanMilliseconds ?? 0
    #expect((mean - 33).magnitude < 0.01)
  }

  @Test func `a frame of 1.5 periods is no hitch, a longer one is`() {
    for (milliseconds, expected) in [(29.9, 0.0), (30.1, 1.005)] {
      var frames = Frames(.tick, period: 20_000_000)
      for _ in 0..<600 { frames.frame(after: 20) }
      frames.frame(after: milliseconds)
      let ratio = frames.summary(after: 0).hitchMillisecondsPerSecond
      #expect(isClose(ratio, expected, within: 0.01))
    }
  }

  @Test func `the period of other sources is their median`() {
    var frames = Frames(.app)
    for number in 1...1000 { frames.frame(after: number % 50 == 0 ? 40 : 10) }
    // Of 10.6 s, 50 frames of 10 ms: one in 50 takes 30 ms more.
    let ratio = frames.summary().hitchMillisecondsPerSecond
    #expect(isClose(ratio, 30 / 0.53, within: 3))
  }

  @Test(arguments: [(25.0, 8.0), (50, 10), (10, 12)])
  func `an animation whose rate rises or changes a little has no hitches`(
    before: Double, after: Double
  ) {
    var frames = Frames(.terminal)
    var greatest = 0.0
    for milliseconds in [before, after] {
      for _ in 0..<30 {
        for _ in 0..<Int(200 / milliseconds) { frames.frame(after: milliseconds) }
        let summary = frames.statistics.summary(asOf: frames.time)
        greatest = max(greatest, summary.hitchMillisecondsPerSecond.value ?? 0)
      }
    }
    #expect(greatest == 0)
    #expect(frames.statistics.slowFrames.total == 0)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `the ratio is the sum of the hitches of the last 10 s`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var frames = Frames(.app)
    // Short frames fill the memory of 2048 frames in less than 10 s.
    let usual = seed % 2 == 0 ? 2.0 : 20
    var hitches: [(end: Instant, milliseconds: Double)] = []
    for number in 0..<6000 {
      let isHitch = number >= 100 && Int.random(in: 0..<50, using: &random) == 0
      frames.frame(after: isHitch ? usual * 5 : usual)
      if isHitch { hitches.append((frames.time, usual * 4)) }
      guard number >= 50, Int.random(in: 0..<20, using: &random) == 0 else { continue }
      let summary = frames.statistics.summary(asOf: frames.time)
      let kept = min(frames.statistics.recentCount, 2048)
      let oldest = frames.statistics.time(kept - 1)
      let recent = hitches.filter {
        $0.end >= oldest && frames.time.nanoseconds(since: $0.end) < 10_000_000_000
      }
      let span = min(10, max(1, frames.time.seconds(since: oldest)))
      let expected = recent.reduce(0) { $0 + $1.milliseconds } / span
      #expect(isClose(summary.hitchMillisecondsPerSecond, expected, within: expected * 0.01 + 0.01))
    }
  }

  @Test func `frames that may be several are no hitches and in no percentile`() {
    var frames = Frames(.terminal)
    for number in 1...1440 {
      // Now and then two of 144 frames a second are counted as one.
      let isMerged = number % 14 == 0
      frames.frame(after: isMerged ? 13.9 : number % 5 == 0 ? 8.5 : 6.5, isMerged: isMerged)
    }
    let summary = frames.summary()
    #expect(summary.isLowerBound)
    #expect(isClose(summary.medianMilliseconds, 6.5, within: 0.001))
    #expect(isClose(summary.p99Milliseconds, 8.5, within: 0.001))
    #expect(summary.hitchMillisecondsPerSecond == .value(0))
    let total = frames.statistics.total
    #expect(total.frames == 1441)
    #expect(total.timed == 1440 - 102)
    #expect(isClose(total.milliseconds(percentile: 99).map { .value($0) }, 8.5, within: 0.2))
    #expect(frames.statistics.milliseconds(0) != nil)
    frames.frame(after: 40, isMerged: true)
    #expect(frames.statistics.slowFrames.total == 0)
    #expect(frames.statistics.milliseconds(0) == nil)
    frames.frame(after: 40)
    #expect(frames.statistics.slowFrames.total == 1)
  }

  @Test func `if most frames may be several, their times count`() {
    var frames = Frames(.terminal)
    for _ in 0..<200 { frames.frame(after: 20, isMerged: true) }
    frames.frame(after: 50, isMerged: true)
    let summary = frames.summary()
    #expect(summary.isLowerBound)
    #expect(isClose(summary.medianMilliseconds, 20, within: 0.001))
    #expect(frames.statistics.slowFrames.total == 1)
    // Until more than half of the last 32 are like that, they do not.
    #expect(frames.statistics.total.timed == 201 - 16)
  }

  @Test func `a gap of 300 ms is idleness of a terminal and a hitch of the tick`() {
    for (source, ratio, slowest) in [(FrameSource.terminal, 0.0, 20.0), (.tick, 28, 300)] {
      var frames = Frames(source, period: source == .tick ? 20_000_000 : nil)
      for _ in 0..<600 { frames.frame(after: 20) }
      let missed: UInt32 = source == .tick ? 14 : 0
      frames.frame(after: 300, missed: missed)
      for _ in 0..<20 { frames.frame(after: 20) }
      let summary = frames.summary()
      #expect(isClose(summary.hitchMillisecondsPerSecond, ratio, within: 0.1))
      for _ in 0..<3 { frames.frame(after: 300, missed: missed) }
      #expect(isClose(frames.summary().p99Milliseconds, slowest, within: 0.1))
    }
  }

  @Test func `a source without a frame for 250 ms is idle, the tick never`() {
    for source in [FrameSource.terminal, .app, .tick] {
      var frames = Frames(source, period: source == .tick ? 20_000_000 : nil)
      for _ in 0..<100 { frames.frame(after: 20) }
      #expect(!frames.summary(after: 250).isIdle)
      #expect(frames.summary(after: 251).isIdle == (source != .tick))
    }
  }

  @Test(arguments: [FrameSource.terminal, .app])
  func `frames after a pause leave it idle until they have gone on for 250 ms`(
    source: FrameSource
  ) {
    var frames = Frames(source)
    #expect(frames.summary().isIdle && !frames.summary().isResting)
    for _ in 0..<5 {
      frames.frame(after: 251)
      #expect(frames.summary().isIdle)
    }
    #expect(frames.summary().fps == .value(4))
    frames.frame(after: 250)
    #expect(!frames.summary(after: 250).isIdle)
    #expect(frames.summary(after: 251).isIdle && frames.summary(after: 251).isResting)
    // Those before the pause are counted, and are no rate of what comes after it.
    frames.frame(after: 700)
    #expect(frames.summary(after: 0).fps == .value(3))
    #expect(frames.summary(after: 0).isIdle)
    frames.frame(after: 200)
    #expect(frames.summary(after: 0).isIdle)
    frames.frame(after: 50)
    #expect(!frames.summary(after: 0).isIdle)
  }

  @Test(arguments: [FrameSource.terminal, .app], [0, 3000.0])
  func `an animation never shows a lower rate at its start`(source: FrameSource, pause: Double) {
    var frames = Frames(source)
    if pause > 0 { frames.frame(after: pause) }
    var shown = 0
    for _ in 0..<120 {
      frames.frame(after: period)
      let summary = frames.summary(after: 5)
      if summary.isIdle { continue }
      shown += 1
      #expect(isClose(summary.fps, 60, within: 0.01))
    }
    #expect(shown > 100)
  }

  @Test
  func
    `a frame alone is a rate of 1 of the tick, and of a program that reports its long frame time`()
  {
    #expect(!Frames(.tick, period: 20_000_000).summary().isIdle)
    for (milliseconds, isIdle) in [(16.0, true), (900, false)] {
      var frames = Frames(.app)
      frames.statistics.add(
        frames.time.advanced(bySeconds: 1), missed: 0, milliseconds: milliseconds)
      #expect(frames.summary(after: 1001).isIdle == isIdle)
    }
  }

  @Test func `in the first second the rate is over the frames so far`() {
    var frames = Frames(.tick, period: 16_666_666)
    #expect(frames.summary().fps == .absent(.pending))
    for _ in 0..<10 { frames.frame(after: period) }
    #expect(isClose(frames.summary().fps, 60, within: 0.001))
    for _ in 0..<10 { frames.frame(after: period) }
    #expect(isClose(frames.summary(after: 5).fps, 60, within: 0.001))
  }

  @Test(arguments: [FrameSource.terminal, .app])
  func `a program's own frames are counted from the first one on`(source: FrameSource) {
    var frames = Frames(source)
    #expect(frames.summary().fps == .value(1))
    #expect(frames.summary().medianMilliseconds == .absent(.pending))
    #expect(frames.summary(after: 1001).fps == .value(0))
    // Two bursts of one screen are two frames and not a rate of 100.
    frames.frame(after: 10)
    #expect(frames.summary().fps == .value(2))
    #expect(frames.summary().isIdle)
    for _ in 0..<8 { frames.frame(after: 10) }
    #expect(frames.summary(after: 900).fps == .value(10))
    #expect(frames.summary(after: 920).fps == .value(8))
  }

  @Test func `a program that has drawn nothing yet is idle, the tick never`() {
    for (source, isIdle) in [(FrameSource.terminal, true), (.app, true), (.tick, false)] {
      var statistics = FrameStatistics(source: source)
      let summary = statistics.summary(asOf: MadeUpProcess.start)
      #expect(summary.isIdle == isIdle)
      #expect(summary.fps == .absent(.pending))
    }
  }

  @Test func `an animation after an idle gap counts its own frames only`() {
    var frames = Frames(.terminal)
    for _ in 0..<10 { frames.frame(after: 20) }
    frames.frame(after: 900)
    for _ in 0..<9 { frames.frame(after: 20) }
    // The last two before the gap are less than 1.1 s old, but not less than 1 s.
    #expect(frames.summary(after: 0).fps == .value(10))
    #expect(isClose(frames.summary().p99Milliseconds, 20, within: 1e-3))
  }

  @Test func `the frame times of the whole run leave idle gaps and stops out`() {
    var frames = Frames(.terminal)
    for _ in 0..<100 { frames.frame(after: 20) }
    frames.frame(after: 5000)
    for _ in 0..<100 { frames.frame(after: 10) }
    frames.statistics.restart()
    frames.frame(after: 100)
    let total = frames.statistics.total
    #expect(total.frames == 203)
    #expect(isClose(total.meanRate.map { .value($0) }, 1000 / 15, within: 1e-6))
    #expect(isClose(total.milliseconds(percentile: 99).map { .value($0) }, 20, within: 0.4))
    #expect(isClose(total.milliseconds(percentile: 25).map { .value($0) }, 10, within: 0.2))
  }

  @Test func `without frames the rate falls to 0`() {
    var frames = Frames(.tick, period: 20_000_000)
    for _ in 0..<100 { frames.frame(after: 20) }
    #expect(isClose(frames.summary(after: 501).fps, 50, within: 0.001))
    #expect(frames.summary(after: 1001).fps == .value(0))
    #expect(frames.summary(after: 6000).medianMilliseconds == .absent(.pending))
  }

  @Test func `a restart forgets the frames`() {
    var frames = Frames(.tick, period: 20_000_000)
    for _ in 0..<100 { frames.frame(after: 20) }
    frames.statistics.restart()
    #expect(frames.summary().fps == .absent(.pending))
    frames.frame(after: 5000)
    frames.frame(after: 20)
    #expect(isClose(frames.summary().fps, 50, within: 0.001))
    #expect(isClose(frames.summary().hitchMillisecondsPerSecond, 0))
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `median and p99 are those of the sorted times`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var frames = Frames(.tick, period: 16_666_666)
    var durations: [Int64] = []
    // Few different values too: equal elements are where a selection goes wrong.
    let values = seed % 4 == 0 ? 3 : 100_000
    for _ in 0..<Int.random(in: 1...400, using: &random) {
      let before = frames.time
      frames.frame(after: Double(Int.random(in: 1...values, using: &random)) * 12 / Double(values))
      durations.append(frames.time.nanoseconds(since: before))
    }
    durations.sort()
    let summary = frames.summary()
    let median = Double(durations[(durations.count - 1) / 2]) / 1e6
    let p99 = Double(durations[min(durations.count - 1, durations.count * 99 / 100)]) / 1e6
    #expect(isClose(summary.medianMilliseconds, median, within: 1e-5))
    #expect(isClose(summary.p99Milliseconds, p99, within: 1e-5))
  }

  @Test func `more frames than are kept shorten the window and nothing else`() {
    var frames = Frames(.app)
    for _ in 0..<(FrameStatistics.capacity * 3 + 17) { frames.frame(after: 1) }
    let summary = frames.summary()
    #expect(isClose(summary.fps, 1000, within: 1e-6))
    #expect(isClose(summary.medianMilliseconds, 1, within: 1e-5))
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `values are the same whether or not there were summaries before`(seed: UInt64) {
    var state = seed
    func pick(_ range: ClosedRange<Int>) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + Int((state >> 33) % UInt64(range.count))
    }
    var often = FrameStatistics(source: .terminal)
    var once = often
    var time = MadeUpProcess.start
    for step in 1...3000 {
      // Bursts that leave the ring between two summaries, pauses, and steady frames.
      let frames = pick(0...300) == 0 ? 2500 : pick(0...20)
      for _ in 0..<frames {
        let gap = pick(0...200) == 0 ? pick(100...700) * 1_000_000 : pick(0...30) * 500_000
        time = time.advanced(byNanoseconds: Int64(gap))
        let isMerged = pick(0...40) == 0
        often.add(time, missed: 0, isMerged: isMerged)
        once.add(time, missed: 0, isMerged: isMerged)
      }
      if pick(0...400) == 0 {
        often.restart()
        once.restart()
      }
      // Now and then the time of a summary is before that of the last one.
      let asOf = time.advanced(byNanoseconds: Int64(pick(-900...2000)) * 1_000_000)
      var fresh = once
      #expect(often.summary(asOf: asOf) == fresh.summary(asOf: asOf), "step \(step)")
    }
  }

  @Test func `a tick that pauses for most of each second has the values of one that does not`() {
    var frames = Frames(.tick, period: 20_000_000)
    for _ in 0..<20 {
      for number in 1...10 {
        let isLate = number == 5
        frames.frame(after: isLate ? 60 : 20, missed: isLate ? 2 : 0)
        // Of 240 ms there are 40 too many: 10 ticks where 12 were due, whenever one looks.
        let summary = frames.summary()
        #expect(summary.fps.value.map { $0 > 32 && $0 <= 50 } == true)
        #expect(!summary.isIdle)
      }
      #expect(isClose(frames.summary(after: 700).fps, 10 / 0.24, within: 0.001))
      frames.frame(after: 760)
    }
    let summary = frames.summary(after: 0)
    #expect(isClose(summary.fps, 10 / 0.24, within: 0.001))
    #expect(isClose(summary.p99Milliseconds, 60, within: 0.001))
    #expect(isClose(summary.hitchMillisecondsPerSecond, 40 / 0.24, within: 0.1))
    #expect(frames.statistics.missed == 40)
  }

  @Test func `a late first tick makes no rate above what is due`() {
    var frames = Frames(.tick, period: 16_666_667)
    frames.frame(after: 4)
    #expect(frames.summary().fps == .value(60))
    frames.frame(after: period)
    #expect(frames.summary().fps == .value(60))
    for _ in 0..<10 { frames.frame(after: 2 * period, missed: 1) }
    #expect(isClose(frames.summary().fps, 33.3, within: 1))
  }
}
