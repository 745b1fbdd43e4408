import SVG

/// The size and parts common to all graphs of a report: axes, ticks, labels.
struct GraphFrame {
  static let width = 800.0
  static let left = 66.0
  static let right = 12.0
  static let bottom = 26.0

  let height: Double
  /// The top of the plot; the phases are above it.
  let top: Double

  var plotWidth: Double { GraphFrame.width - GraphFrame.left - GraphFrame.right }
  var plotHeight: Double { height - top - GraphFrame.bottom }
  /// The y of zero.
  var base: Double { height - GraphFrame.bottom }
  var end: Double { GraphFrame.width - GraphFrame.right }

  /// - Parameter share: the position on the axis, from 0 to 1.
  func x(_ share: Double) -> Double {
    GraphFrame.tenths(GraphFrame.left + min(max(share, 0), 1) * plotWidth)
  }

  func y(_ share: Double) -> Double {
    GraphFrame.tenths(base - min(max(share, 0), 1) * plotHeight)
  }

  static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

  /// - Parameters:
  ///   - label: a description of the graph, for users who cannot see it.
  ///   - kind: a CSS class: `time` for graphs with a cursor.
  func open(_ svg: inout SVGText, label: String, kind: String, y: Double? = nil) {
    let number = SVGText.number
    if let y {
      svg.open(
        "svg",
        ["y": number(y), "width": number(GraphFrame.width), "height": number(height)])
    } else {
      svg.open(
        "svg",
        [
          "class": kind, "viewBox": "0 0 \(number(GraphFrame.width)) \(number(height))",
          "role": "img", "aria-label": label,
        ])
    }
    svg.newline()
  }

  /// Draws horizontal lines, with their values on the left.
  func drawLevels(_ svg: inout SVGText, _ scale: GraphScale, _ text: (Double) -> String) {
    var grid = SVGPath()
    for tick in scale.ticks where tick > 0 {
      grid.horizontal(GraphFrame.left, y(tick / scale.end), length: plotWidth)
    }
    svg.element("path", ["class": "grid", "d": grid.data])
    for tick in scale.ticks {
      label(
        &svg, text(tick), x: GraphFrame.left - 8, y: y(tick / scale.end) + 4, anchor: "end")
    }
    var axis = SVGPath()
    axis.horizontal(GraphFrame.left, base, length: plotWidth)
    svg.element("path", ["class": "axis", "d": axis.data])
  }

  /// Draws ticks below the plot.
  func drawTicks(_ svg: inout SVGText, _ ticks: [(share: Double, text: String)]) {
    var path = SVGPath()
    for tick in ticks { path.vertical(x(tick.share), base, length: 5) }
    svg.element("path", ["class": "axis", "d": path.data])
    for tick in ticks {
      let isLast = tick.share > 0.96
      label(
        &svg, tick.text, x: isLast ? end : x(tick.share), y: base + 19,
        anchor: isLast ? "end" : "middle")
    }
  }

  func drawTime(_ svg: inout SVGText, seconds: Double) {
    let scale = GraphScale.time(seconds)
    drawTicks(
      &svg, scale.ticks.map { ($0 / scale.end, GraphScale.timeText($0)) })
  }

  func label(
    _ svg: inout SVGText, _ text: String, x: Double, y: Double, anchor: String,
    style: String = "label"
  ) {
    svg.element(
      "text",
      [
        "class": style, "x": SVGText.number(GraphFrame.tenths(x)),
        "y": SVGText.number(GraphFrame.tenths(y)), "text-anchor": anchor,
      ], text)
  }

  /// Draws the line that a script moves.
  func drawCursor(_ svg: inout SVGText) {
    svg.element(
      "line",
      [
        "class": "cursor", "visibility": "hidden", "x1": SVGText.number(GraphFrame.left),
        "x2": SVGText.number(GraphFrame.left), "y1": SVGText.number(top),
        "y2": SVGText.number(base),
      ])
  }
}
