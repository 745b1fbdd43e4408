import PerfHUDBase
import SVG

/// The graphs of a report as one picture: title and verdict, memory by phase, CPU, frame times.
///
/// The colors are plain rules without variables, so that programs other than browsers can draw them too.
package struct SVGReport {
  private let reports: [RunReport]
  private static let headHeight = 62.0
  private static let legendHeight = 26.0
  private static let titleHeight = 24.0

  package init(_ reports: [RunReport]) { self.reports = reports }

  package var text: String {
    var svg = SVGText()
    let total = reports.reduce(0.0) { $0 + height(of: $1) }
    let size = (SVGText.number(GraphFrame.width), SVGText.number(total))
    svg.open(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "width": size.0, "height": size.1,
        "viewBox": "0 0 \(size.0) \(size.1)", "role": "img",
      ])
    svg.newline()
    svg.element("title", [:], reports.map(\.title).joined(separator: ", "))
    svg.open("style")
    let colors = ReportColors.light
    svg.add(
      markup: PageStyle.graph + colors.graphRules
        + ".title{fill:\(colors.text);font-size:18px;font-weight:600}"
        + ".name{fill:\(colors.text);font-weight:600}.verdict{fill:\(colors.text);font-size:13.5px}"
    )
    svg.close("style")
    svg.element(
      "rect", ["width": size.0, "height": size.1, "fill": colors.card])
    var y = 0.0
    for report in reports {
      draw(report, &svg, y: y)
      y += height(of: report)
    }
    svg.close("svg")
    return svg.text
  }

  private func height(of report: RunReport) -> Double {
    SVGReport.headHeight + TimeGraphs.memoryHeight + TimeGraphs.cpuHeight
      + (report.frameTimes == nil ? 0 : Histogram.height)
      + SVGReport.titleHeight * (report.frameTimes == nil ? 2 : 3)
      + (report.series.phaseNames.isEmpty ? 0 : SVGReport.legendHeight) + 16
  }

  private func draw(_ report: RunReport, _ svg: inout SVGText, y: Double) {
    func text(_ style: String, _ content: String, x: Double, y: Double) {
      svg.element(
        "text", ["class": style, "x": SVGText.number(x), "y": SVGText.number(y)], content)
    }
    text("title", SafeText.clean(report.title, limit: 80), x: 16, y: y + 28)
    let verdict = report.verdict.joined(separator: " ")
    text("verdict", SafeText.clean(verdict, limit: 112), x: 16, y: y + 50)
    var top = y + SVGReport.headHeight
    let graphs = TimeGraphs(report)
    func title(_ content: String) {
      text("name", content, x: 16, y: top + 17)
      top += SVGReport.titleHeight
    }
    title("Memory: \(report.memoryName)")
    graphs.memory(&svg, y: top)
    top += TimeGraphs.memoryHeight
    if !report.series.phaseNames.isEmpty {
      drawLegend(report, &svg, y: top)
      top += SVGReport.legendHeight
    }
    title("CPU: percent of one core")
    graphs.cpu(&svg, y: top)
    top += TimeGraphs.cpuHeight
    if let times = report.frameTimes {
      title("Frame times: number of frames by their time")
      Histogram(times: times, noun: "frames").draw(&svg, y: top)
    }
  }

  /// Draws as many phases as there is room for, each with a fixed width.
  private func drawLegend(_ report: RunReport, _ svg: inout SVGText, y: Double) {
    let width = 140.0
    let names = report.series.phaseNames
    for (index, name) in names.prefix(5).enumerated() {
      let x = GraphFrame.left + Double(index) * width
      svg.element(
        "rect",
        [
          "class": report.style(ofPhase: index), "x": SVGText.number(x), "y": SVGText.number(y + 2),
          "width": "18", "height": "18", "rx": "3",
        ])
      svg.element(
        "text",
        [
          "class": "letter", "x": SVGText.number(x + 9), "y": SVGText.number(y + 15.5),
          "text-anchor": "middle",
        ], PhaseLetter.text(index))
      svg.element(
        "text", ["class": "label", "x": SVGText.number(x + 25), "y": SVGText.number(y + 15.5)],
        index == 4 && names.count > 5
          ? "and \(names.count - 4) more" : SafeText.clean(name.text, limit: 14))
    }
  }
}
