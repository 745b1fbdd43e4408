import PerfHUDBase
import Testing

@testable import HUD

@Suite struct HighRateTextTests {
  @Test(arguments: [
    (62.0, 30.0, "62/s", "> 30/s"), (30.4, 30, "30.4/s", "> 30/s"), (31, 30.5, "31/s", "> 30.5/s"),
    (0.31, 0.25, "0.3/s", "> 0.25/s"), (9.96, 8, "10.0/s", "> 8/s"),
    (2_000_000, 1_000_000, "2000000/s", "> 1000000/s"),
  ])
  func `the rate does not look like one within the limit`(
    rate: Double, limit: Double, rateText: String, limitText: String
  ) {
    let text = HighRateText(rate, above: limit)
    #expect(text.rate.description == rateText && text.limit.description == limitText)
  }
}
