import PerfHUDBase
import Testing

@testable import Metrics

/// The statistics of frame times over the last 5 s and over the whole run.
@Suite struct FrameTimeSummaryTests {
  /// Frames of the given lengths, 16 ms apart.
  private func statistics(_ milliseconds: [Double]) -> FrameStatistics {
    var frames = FrameStatistics(source: .app)
    for (index, length) in milliseconds.enumerated() {
      frames.add(time(index), missed: 0, milliseconds: length)
    }
    _ = frames.summary(asOf: time(milliseconds.count - 1))
    return frames
  }

  private func time(_ index: Int) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000 + UInt64(index) * 16_000_000)
  }

  @Test func `without a frame there are no statistics`() {
    let frames = FrameStatistics(source: .app)
    #expect(frames.recentSummary == nil && frames.totalSummary == nil)
  }

  @Test func `of 200 frames two of 40 ms are the slowest 1 %, and hitches`() throws {
    let frames = statistics((0..<200).map { $0 == 100 || $0 == 150 ? 40 : 10 })
    let recent = try #require(frames.recentSummary)
    #expect(recent.count == 200)
    #expect((recent.meanRate - 1000 * 200 / 2060).magnitude < 1e-3)
    #expect(recent.onePercentLow.map { ($0 - 25).magnitude < 1e-6 } == true)
    #expect(recent.pointOnePercentLow == nil)
    #expect(recent.median == 10 && recent.p95 == 10 && recent.p99 == 40 && recent.longest == 40)
    #expect(recent.slowFrames == 2 && recent.slowPercent == 1)
    let total = try #require(frames.totalSummary)
    #expect(total.count == 200 && total.slowFrames == 2 && total.longest == 40)
    #expect((total.median - 10).magnitude < 0.16)
    #expect(total.p99 <= total.longest)
    #expect(total.onePercentLow.map { $0 >= 25 && $0 < 25.4 } == true)
  }

  @Test func `lows need 100 and 1000 frames`() {
    #expect(statistics([Double](repeating: 10, count: 99)).recentSummary?.onePercentLow == nil)
    #expect(statistics([Double](repeating: 10, count: 99)).totalSummary?.onePercentLow == nil)
    #expect(statistics([Double](repeating: 10, count: 100)).recentSummary?.onePercentLow == 100)
    let many = statistics([Double](repeating: 10, count: 1000))
    // Of these only 312 are of the last 5 s.
    #expect(many.recentSummary?.pointOnePercentLow == nil)
    #expect(many.totalSummary?.pointOnePercentLow != nil)
  }

  @Test func `the last 5 s forget what the whole run keeps`() {
    let frames = statistics((0..<1000).map { $0 == 100 ? 90 : 10 })
    #expect(frames.recentSummary?.longest == 10 && frames.recentSummary?.slowFrames == 0)
    #expect(frames.totalSummary?.longest == 90 && frames.totalSummary?.slowFrames == 1)
  }

  @Test func `frame times up to a length are counted`() {
    let frames = statistics([10, 20, 20, 30])
    let lengths = [5.0, 10, 19.9, 20, 29, 30, 99]
    #expect(lengths.map { frames.recentCount(upTo: $0) } == [0, 1, 1, 3, 3, 4, 4])
  }
}
