import Metrics
import SVG

/// The distribution of frame times, or of times from keys to frames. The time axis is logarithmic.
struct Histogram {
  let times: FrameHistogram
  /// What is counted: `frames`, `answers`.
  let noun: String

  static let height = 206.0

  /// The bars; narrow ones if all times are similar.
  private var ranges: [(fromMilliseconds: Double, toMilliseconds: Double, count: UInt64)] {
    for count in [32, 16, 8] {
      let found = times.ranges(perDoubling: count)
      if found.count <= 48 { return found }
    }
    return times.ranges(perDoubling: 4)
  }

  /// - Parameter y: its position in a picture; `nil` in a page.
  func draw(_ svg: inout SVGText, y: Double? = nil) {
    let frame = GraphFrame(height: Histogram.height, top: 44)
    let ranges = self.ranges
    guard let first = ranges.first, let last = ranges.last else { return }
    // The end is at least four times the beginning, so that a single bar does not fill the plot.
    let middle = (first.fromMilliseconds * last.toMilliseconds).squareRoot()
    let from = min(first.fromMilliseconds, middle / 2)
    let to = max(last.toMilliseconds, middle * 2)
    func share(_ milliseconds: Double) -> Double {
      Histogram.doublings(milliseconds / from) / Histogram.doublings(to / from)
    }
    let scale = GraphScale.count(Double(ranges.map(\.count).max() ?? 1))
    let metrics = RunReport.metrics(times, rates: false).map { "\($0.name) \($0.value)" }
    frame.open(
      &svg, label: "Distribution of \(times.timed) \(noun): \(metrics.joined(separator: ", "))",
      kind: "histogram", y: y)
    frame.drawLevels(&svg, scale) { "\(NumberFormat.trimmed($0, unit: .count))" }
    var bars = SVGPath()
    for range in ranges where range.count > 0 {
      let left = frame.x(share(range.fromMilliseconds))
      let right = frame.x(share(range.toMilliseconds))
      // Make even a single frame visible.
      let top = min(frame.y(Double(range.count) / scale.end), frame.base - 1.5)
      bars.rectangle(
        x: left, y: top, width: max(1, GraphFrame.tenths(right - left - 1)),
        height: GraphFrame.tenths(frame.base - top))
    }
    svg.element("path", ["class": "bar", "d": bars.data])
    drawPercentiles(&svg, frame, share)
    frame.drawTicks(
      &svg,
      Histogram.ticks(from: from, to: to).map {
        (share($0), "\(ReportText.number($0, decimals: $0 < 0.1 ? 2 : $0 < 1 ? 1 : 0)) ms")
      })
    svg.close("svg")
  }

  private func drawPercentiles(
    _ svg: inout SVGText, _ frame: GraphFrame, _ share: (Double) -> Double
  ) {
    guard let median = times.milliseconds(percentile: 50),
      let p99 = times.milliseconds(percentile: 99)
    else { return }
    // One line of text each; no label where the other's line is.
    let width = 110.0
    let isLeft = frame.x(share(p99)) > frame.end - width
    let areLeft = isLeft && frame.x(share(median)) > GraphFrame.left + width
    func draw(_ name: String, _ value: Double, row: Double, isLeft: Bool) {
      let x = frame.x(share(value))
      let y = frame.top - 26 + row * 16
      var path = SVGPath()
      path.vertical(x, y - 10, length: frame.base - y + 10)
      svg.element("path", ["class": "percentile", "d": path.data])
      frame.label(
        &svg, "\(name) \(ReportText.milliseconds(value))", x: isLeft ? x - 5 : x + 5, y: y,
        anchor: isLeft ? "end" : "start", style: "label strong")
    }
    draw("p50", median, row: areLeft ? 1 : 0, isLeft: areLeft)
    draw("p99", p99, row: areLeft ? 0 : 1, isLeft: isLeft)
  }

  /// Round times between two limits, about ten at most: 1, 2, 5, 10, …; for a wide range 1, 10, …; for a narrow one 1,
  /// 1.5, 2, ….
  private static func ticks(from: Double, to: Double) -> [Double] {
    var found: [Double] = []
    for digits in [[1, 1.5, 2, 3, 4, 5, 6, 8], [1, 2, 5], [1]] {
      found = []
      var power = 0.01
      while power < 1e6 {
        found += digits.map { $0 * power }
        power *= 10
      }
      found = found.filter { $0 >= from && $0 <= to }
      if found.count <= 10 { break }
    }
    return found
  }

  /// The base-2 logarithm without a C library, exact to a tenth of a pixel.
  static func doublings(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return 0 }
    var rest = value.significand
    var result = Double(value.exponent)
    var bit = 0.5
    while bit > 1e-7 {
      rest *= rest
      if rest >= 2 {
        rest /= 2
        result += bit
      }
      bit /= 2
    }
    return result
  }

  var table: ReportTable {
    ReportTable(
      title: "Distribution", columns: ["From", "To", "Count"], isNumber: [true, true, true],
      rows: ranges.filter { $0.count > 0 }.map {
        [
          ReportText.milliseconds($0.fromMilliseconds), ReportText.milliseconds($0.toMilliseconds),
          "\($0.count)",
        ]
      })
  }
}
