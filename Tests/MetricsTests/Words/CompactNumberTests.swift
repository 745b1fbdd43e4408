import Metrics
import PerfHUDBase
import Testing

private let mebibyte = 1024.0 * 1024

/// The shortest forms of values.
@Suite struct CompactNumberTests {
  @Test(
    arguments: [
      (0, "0 %"), (0.04, "0 %"), (0.06, "0.1 %"), (6.24, "6.2 %"), (9.94, "9.9 %"),
      (9.96, "10 %"), (194.4, "194 %"), (1540, "1540 %"),
    ] as [(Double, String)])
  func `a share`(value: Double, text: String) {
    #expect(NumberFormat.compactPercent(value).description == text)
  }

  @Test(
    arguments: [(0, "0 %"), (999.4, "999 %"), (999.6, "1000%"), (1540, "1540%")]
      as [(Double, String)])
  func `a share in five columns`(value: Double, text: String) {
    #expect(NumberFormat.shortPercent(value).description == text)
  }

  @Test(
    arguments: [
      (0, "<1 ms"), (0.06, "0.1 ms"), (9.94, "9.9 ms"), (9.96, "10 ms"), (16.67, "17 ms"),
      (999.4, "999 ms"), (999.6, "1.0 s"), (9960, "10 s"),
    ] as [(Double, String)])
  func `a frame time in six columns`(value: Double, text: String) {
    #expect(NumberFormat.shortMilliseconds(value).description == text)
  }

  @Test(
    arguments: [
      (0, "0"), (512, "512B"), (1023.6, "1.00K"), (13.64 * mebibyte, "13.6M"),
      (99.96 * mebibyte, "100M"), (1023 * mebibyte, "1023M"), (1280 * mebibyte, "1.25G"),
    ] as [(Double, String)])
  func `an amount of memory`(value: Double, text: String) {
    #expect(NumberFormat.compactBytes(value).description == text)
  }

  @Test(
    arguments: [
      (0, "0/s"), (999, "999B/s"), (1000, "1.0K/s"), (69_632, "68K/s"), (999.6 * 1024, "1.0M/s"),
    ] as [(Double, String)])
  func `bytes a second`(value: Double, text: String) {
    #expect(NumberFormat.compactRate(value).description == text)
  }

  @Test(
    arguments: [
      (0, "0"), (999.4, "999"), (999.6, "1.0k"), (9940, "9.9k"), (9960, "10k"), (999_499, "999k"),
      (999_600, "1.0M"), (12_000_000, "12M"),
    ] as [(Double, String)])
  func `a count in four columns`(value: Double, text: String) {
    #expect(NumberFormat.shortCount(value).description == text)
  }

  @Test(
    arguments: [
      (0, "<0.1 ms"), (0.06, "0.1 ms"), (3.14, "3.1 ms"), (99.94, "99.9 ms"), (99.96, "100 ms"),
      (999.6, "1.0 s"), (65_400, "65.4 s"),
    ] as [(Double, String)])
  func `a frame time`(value: Double, text: String) {
    #expect(NumberFormat.compactMilliseconds(value).description == text)
  }

  @Test(
    arguments: [
      (0.4, false, "0s"), (12.4, false, "12s"), (12.44, true, "12.4s"), (72, false, "1m12s"),
      (72.4, true, "1m12s"), (599, false, "9m59s"), (723, false, "12m03s"), (7500, false, "2h05m"),
    ] as [(Double, Bool, String)])
  func `how long something has run`(seconds: Double, isFinal: Bool, text: String) {
    #expect(NumberFormat.elapsed(seconds: seconds, isFinal: isFinal).description == text)
  }

  @Test func `no value is wider than its columns`() {
    var value = 1.0
    while value < 1e14 {
      for factor in [1.0, 9.949, 9.951, 9.9951, 99.951, 999.51, 1023.51] {
        let bytes = value * factor
        #expect(NumberFormat.compactBytes(bytes).count <= 5)
        #expect(NumberFormat.shortBytes(bytes).count <= 4)
        #expect(NumberFormat.compactRate(bytes).count <= NumberFormat.compactWidth)
      }
      value *= 2
    }
  }
}
