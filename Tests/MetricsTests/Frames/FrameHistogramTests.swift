import PerfHUDBase
import TestSupport
import Testing

@testable import Metrics

@Suite struct FrameHistogramTests {
  @Test func `without a frame time there is no value`() {
    var histogram = FrameHistogram()
    histogram.addFrame()
    #expect(histogram.frames == 1)
    #expect(histogram.meanRate == nil)
    #expect(histogram.milliseconds(percentile: 99) == nil)
  }

  @Test(arguments: [0.02, 0.3, 1, 8.33, 16.666, 33.4, 250, 1999, 60_000])
  func `a frame time is found again to 1.6 percent`(milliseconds: Double) throws {
    var histogram = FrameHistogram()
    histogram.add(Int64(milliseconds * 1e6))
    let found = try #require(histogram.milliseconds(percentile: 50))
    #expect(abs(found / milliseconds - 1) < 0.016)
    #expect(abs(try #require(histogram.meanRate) * milliseconds - 1000) < 0.1)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, 1 << 40, .max])
  func `a time beyond the buckets is counted in the last one`(nanoseconds: Int64) {
    var histogram = FrameHistogram()
    histogram.add(nanoseconds)
    #expect(histogram.milliseconds(percentile: 99) != nil)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `percentiles are those of the sorted times to 1.6 percent`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var histogram = FrameHistogram()
    var times: [Int64] = []
    for _ in 0..<Int.random(in: 1...2000, using: &random) {
      let time = Int64.random(in: 1_000_000...100_000_000, using: &random)
      times.append(time)
      histogram.add(time)
    }
    times.sort()
    for percent in [0.0, 25, 50, 90, 99, 100] {
      let rank = min(times.count - 1, Int(Double(times.count) * percent / 100))
      let found = try #require(histogram.milliseconds(percentile: percent))
      #expect(abs(found * 1e6 / Double(times[rank]) - 1) < 0.016)
    }
  }
}
