import CMallocCount
import Metrics
import PerfHUDBase
import TestSupport
import Testing

private let kibibyte = 1024.0
private let mebibyte = 1024.0 * 1024
private let gibibyte = 1024.0 * 1024 * 1024

@Suite struct NumberFormatTests {
  @Test(
    arguments: [
      (0, "  0.0 %"), (7.06, "  7.1 %"), (37.2, " 37.2 %"), (99.94, " 99.9 %"), (99.95, "100.0 %"),
      (100, "100.0 %"), (999.94, "999.9 %"), (999.95, " 1000 %"), (1540.4, " 1540 %"),
      (99_999, "99999 %"), (-0.01, "  0.0 %"), (-3.25, " -3.3 %"), (.nan, "    - %"),
      (.infinity, "    - %"),
    ] as [(Double, String)])
  func `a share`(value: Double, text: String) {
    #expect(NumberFormat.percent(value).description == text)
  }

  @Test(
    arguments: [
      (0, "      0 B"), (1, "      1 B"), (512, "    512 B"), (1023, "   1023 B"),
      (1023.6, "1.000 KiB"), (1024, "1.000 KiB"), (10_238.9, "9.999 KiB"), (10_240, "10.00 KiB"),
      (99.994 * kibibyte, "99.99 KiB"), (99.996 * kibibyte, "100.0 KiB"),
      (182.4 * mebibyte, "182.4 MiB"), (999.94 * mebibyte, "999.9 MiB"),
      (999.96 * mebibyte, " 1000 MiB"), (1023 * mebibyte, " 1023 MiB"),
      (1023.6 * mebibyte, "1.000 GiB"), (1023.95 * mebibyte, "1.000 GiB"),
      (1.834 * gibibyte, "1.834 GiB"), (1024 * gibibyte, "1.000 TiB"),
      (1.8e19, "15987 PiB"), (-2048, "-2.000 KiB"), (.nan, "      - B"), (.infinity, "    - PiB"),
    ] as [(Double, String)])
  func `bytes`(value: Double, text: String) {
    #expect(NumberFormat.bytes(value).description == text)
    #expect(NumberFormat.rate(value).description == text + "/s")
  }

  @Test(
    arguments: [
      (0, "    0"), (312, "  312"), (99_999, "99999"), (99_999.5, " 100k"), (123_400, " 123k"),
      (999_400, " 999k"), (999_500, " 1.0M"), (12_340_000, "12.3M"), (1e9, " 1.0G"),
      (-5, "   -5"), (.nan, "    -"),
    ] as [(Double, String)])
  func `a count`(value: Double, text: String) {
    #expect(NumberFormat.count(value).description == text)
  }

  @Test(
    arguments: [
      (0, " 0.00 ms"), (16.667, "16.67 ms"), (99.994, "99.99 ms"), (99.995, "100.0 ms"),
      (999.94, "999.9 ms"), (999.95, " 1000 ms"), (9999, " 9999 ms"), (9999.5, " 10.0  s"),
      (60_000, " 60.0  s"), (.nan, "    -  s"),
    ] as [(Double, String)])
  func `a frame time`(value: Double, text: String) {
    #expect(NumberFormat.milliseconds(value).description == text)
  }

  @Test(
    arguments: [
      (20, "20 ms"), (100, "100 ms"), (1000, "1 s"), (1020, "1.02 s"), (2500, "2.5 s"),
      (10_000, "10 s"), (3_600_000, "3600 s"),
    ] as [(UInt64, String)])
  func `an interval has no more decimals than it needs`(milliseconds: UInt64, text: String) {
    #expect(NumberFormat.interval(nanoseconds: milliseconds * 1_000_000).description == text)
  }

  @Test(
    arguments: [
      (0, "0s"), (-4, "0s"), (8.9, "8s"), (59.9, "59s"), (60, "1m00s"), (192, "3m12s"),
      (3599, "59m59s"), (3600, "1h00m"), (7500, "2h05m"), (86_399, "23h59m"), (86_400, "1d00h"),
      (273_600, "3d04h"),
    ] as [(Double, String)])
  func `a duration`(seconds: Double, text: String) {
    #expect(NumberFormat.duration(seconds: seconds).description == text)
  }

  @Test(
    arguments: [
      (0, "0"), (512, "512B"), (64 * mebibyte, "64M"), (1.5 * gibibyte, "1.5G"),
      (1.25 * gibibyte, "1.25G"), (1023 * kibibyte, "1023K"), (100.5 * mebibyte, "100.5M"),
      (20.75 * mebibyte, "20.75M"),
    ] as [(Double, String)])
  func `a value on an axis`(value: Double, text: String) {
    let label = NumberFormat.axis(value).description
    #expect(label == (text.count <= 5 ? text : label))
    #expect(label.count <= 5)
  }

  @Test func `frames a second`() {
    #expect(NumberFormat.framesPerSecond(60).description == " 60")
    #expect(NumberFormat.framesPerSecond(59.5).description == " 60")
    #expect(NumberFormat.framesPerSecond(240).description == "240")
    #expect(NumberFormat.framesPerSecond(0).description == "  0")
  }

  @Test(
    arguments: [
      (512, "    512 B"), (1024, " 1.00 KiB"), (9.994 * mebibyte, " 9.99 MiB"),
      (9.996 * mebibyte, " 10.0 MiB"), (72.91 * mebibyte, " 72.9 MiB"),
      (100.04 * mebibyte, "  100 MiB"), (1023 * mebibyte, " 1023 MiB"),
      (1023.6 * mebibyte, " 1.00 GiB"),
    ] as [(Double, String)])
  func `bytes after a mark have three digits`(value: Double, text: String) {
    #expect(NumberFormat.bytesAfterMark(value).description == text)
  }

  @Test func `every value in practice has the width of its kind`() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<20_000 {
      // From a thousandth to 100 000, as often small as large.
      let share = exp10(Double.random(in: -3...4.99, using: &random))
      #expect(NumberFormat.percent(share).count == NumberFormat.percentWidth)
      let bytes = exp10(Double.random(in: 0...18, using: &random))
      #expect(NumberFormat.bytes(bytes).count == NumberFormat.bytesWidth)
      #expect(NumberFormat.bytesAfterMark(bytes).description.hasPrefix(" "))
      #expect(NumberFormat.bytesAfterMark(bytes).count == NumberFormat.bytesWidth)
      #expect(NumberFormat.rate(bytes).count == NumberFormat.bytesWidth + 2)
      #expect(NumberFormat.count(bytes).count == NumberFormat.countWidth)
      let time = exp10(Double.random(in: -3...6, using: &random))
      #expect(NumberFormat.milliseconds(time).count == 8)
    }
  }

  @Test(.enabled(if: perfhud_malloc_is_counted() != 0))
  func `10000 values allocate nothing`() {
    var length = 0
    let count = allocations {
      for number in 0..<2000 {
        let value = Double(number) * 1234.5
        length += NumberFormat.percent(value).count + NumberFormat.bytes(value).count
        length += NumberFormat.count(value).count + NumberFormat.milliseconds(value).count
        length += NumberFormat.duration(seconds: value).count + NumberFormat.axis(value).count
      }
    }
    #expect(count == 0)
    #expect(length > 50_000)
  }

  /// Powers of ten without the C library, which this target has no other use for.
  private func exp10(_ exponent: Double) -> Double {
    var result = 1.0
    let whole = Int(exponent.rounded(.down))
    for _ in 0..<whole.magnitude { result = whole < 0 ? result / 10 : result * 10 }
    // The fraction by its linear mean: only the spread matters.
    return result * (1 + 9 * (exponent - Double(whole)))
  }

  @Test func `round bytes have no zeros at the end of a fraction`() {
    for (value, text) in [
      (0.0, "0 B"), (100, "100 B"), (48 * 1_048_576.0, "48 MiB"),
      (1.25 * 1_073_741_824, "1.25 GiB"),
      (200 * 1024.0, "200 KiB"), (2_147_483_648, "2 GiB"),
    ] {
      #expect(NumberFormat.roundBytes(value).description == text)
    }
  }
}
