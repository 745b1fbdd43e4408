import Metrics
import PerfHUDBase
import SVG

/// A page about one or more recordings. It needs no network, no script and no other file.
///
/// The page is also well-formed XML. It depends only on the recordings: the same ones produce the same bytes.
package struct HTMLPage {
  private let reports: [RunReport]
  private var svg = SVGText()

  package init(_ reports: [RunReport]) { self.reports = reports }

  /// The document.
  package var text: String {
    var page = self
    page.write()
    return page.svg.text
  }

  /// The headings of sections are one level lower if a page has several recordings.
  private var heading: String { reports.count == 1 ? "h2" : "h3" }

  private mutating func write() {
    svg.add(markup: "<!DOCTYPE html>\n")
    svg.open("html", ["lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"])
    writeHead()
    svg.open("body")
    svg.open("main")
    svg.newline()
    if let report = reports.first, reports.count == 1 {
      svg.element("h1", [:], report.title)
      writeVerdict(report)
      writeSections(report)
    } else {
      svg.element("h1", [:], title)
      for (index, report) in reports.enumerated() { writeVerdict(report, link: "run-\(index + 1)") }
      for (index, report) in reports.enumerated() {
        svg.open("section", ["id": "run-\(index + 1)"])
        svg.element("h2", [:], "\(index + 1). \(report.title) (\(report.file))")
        writeSections(report)
        svg.close("section")
      }
    }
    svg.close("main")
    svg.open("script")
    svg.add(markup: PageScript.text)
    svg.close("script")
    svg.close("body")
    svg.close("html")
  }

  private var title: String {
    reports.count == 1
      ? "\(reports[0].title): performance report" : "Performance of \(reports.count) runs"
  }

  private mutating func writeHead() {
    svg.open("head")
    svg.newline()
    svg.element("meta", ["charset": "utf-8"])
    let policy =
      "default-src 'none'; style-src \(SHA256.policySource(PageStyle.page)); "
      + "script-src \(SHA256.policySource(PageScript.text)); base-uri 'none'; form-action 'none'"
    svg.element("meta", ["http-equiv": "Content-Security-Policy", "content": policy])
    svg.element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
    svg.element("meta", ["name": "generator", "content": "perfhud report"])
    svg.element("title", [:], title)
    svg.open("style")
    svg.add(markup: PageStyle.page)
    svg.close("style")
    svg.close("head")
  }

  /// - Parameter link: the recording's section, in a page with several.
  private mutating func writeVerdict(_ report: RunReport, link: String? = nil) {
    // A run that cannot be trusted is not called good.
    let isCertain = !report.trustIsWarning && !report.budgets.isUndecided
    let kind = report.hasProblem ? "bad" : isCertain ? "good" : "uncertain"
    svg.open("div", ["class": "card verdict \(kind)"])
    svg.element(
      "strong", [:],
      report.hasProblem
        ? "Needs attention"
        : isCertain
          ? "No problem found" : report.doubtsOnlyTimes ? "Times not certain" : "Not certain")
    svg.open("p")
    if let link {
      svg.element("a", ["href": "#\(link)"], "\(report.title) (\(report.file))")
    }
    svg.open("span", ["class": "text"])
    svg.add(report.verdict.joined(separator: " "))
    svg.close("span")
    svg.close("p")
    svg.close("div")
  }

  private mutating func writeSections(_ report: RunReport) {
    writeMetrics(report)
    writeTimeGraphs(report)
    writeTimes(report)
    for table in report.tables {
      svg.open("section", ["class": "card"])
      svg.element(heading, [:], table.title)
      write(table, label: table.title)
      svg.close("section")
    }
    svg.open("div", ["class": "pair"])
    svg.newline()
    writeFacts("Reliability of the values", report.trust)
    writeFacts("The run", report.facts)
    svg.close("div")
  }

  private mutating func writeMetrics(_ report: RunReport) {
    var metrics = [Fact(name: "Duration", value: ReportText.seconds(report.seconds))]
    if let cpu = report.summary.cpuPercent {
      metrics.append(Fact(name: "CPU, of one core", value: ReportText.percent(cpu)))
    }
    if let peak = report.summary.peakBytes {
      let text = report.summary.peakBound + ReportText.bytes(peak)
      metrics.append(Fact(name: "Peak \(report.memoryName)", value: text))
    }
    if let p99 = report.frameTimes?.milliseconds(percentile: 99) {
      let bound = report.summary.framesAreLowerBound ? "≤ " : ""
      metrics.append(Fact(name: "Frame time p99", value: bound + ReportText.milliseconds(p99)))
    }
    if let median = report.answers.milliseconds(percentile: 50) {
      metrics.append(Fact(name: "Key to frame p50", value: ReportText.milliseconds(median)))
    }
    write(metrics, style: "figures", card: true)
  }

  private mutating func write(_ facts: [Fact], style: String, card: Bool = false) {
    svg.open("dl", ["class": style])
    svg.newline()
    for fact in facts {
      svg.open("div", ["class": card ? "card" : "figure"])
      svg.element("dt", [:], fact.name)
      svg.element("dd", [:], fact.value)
      svg.close("div")
    }
    svg.close("dl")
  }

  private mutating func writeFacts(_ title: String, _ facts: [Fact]) {
    svg.open("section", ["class": "card"])
    svg.element(heading, [:], title)
    svg.open("dl", ["class": "facts"])
    svg.newline()
    for fact in facts {
      svg.element("dt", [:], fact.name)
      svg.element(
        "dd", fact.isWarning ? ["class": "bad"] : [:],
        fact.isWarning ? "\(fact.value) (look here)" : fact.value)
    }
    svg.close("dl")
    svg.close("section")
  }

  // MARK: Graphs

  private mutating func writeTimeGraphs(_ report: RunReport) {
    guard !report.series.columns.isEmpty else { return }
    let graphs = TimeGraphs(report)
    let covered =
      Double(report.series.columns.count) * report.series.secondsPerColumn / graphs.seconds
    let hasPhases = !report.series.phaseNames.isEmpty
    writeGraph(
      "Memory",
      "\(report.memoryName) over time\(hasPhases ? "; colors and letters are phases" : "")",
      covered: covered, table: graphs.memoryTable, legend: report
    ) { graphs.memory(&$0) }
    writeGraph(
      "CPU", "Percent of one core: mean (dark) and greatest sample (light)", covered: covered,
      table: graphs.cpuTable
    ) { graphs.cpu(&$0) }
  }

  private mutating func writeTimes(_ report: RunReport) {
    if let times = report.frameTimes {
      let histogram = Histogram(times: times, noun: "frames")
      writeGraph(
        "Frame times", "Number of frames by their time, logarithmic", table: histogram.table,
        metrics: RunReport.metrics(
          times, rates: true, isBound: report.summary.framesAreLowerBound)
      ) { histogram.draw(&$0) }
    }
    guard report.answers.timed > 0 else { return }
    let histogram = Histogram(times: report.answers, noun: "answers")
    writeGraph(
      "Key to frame", "Number of keys by the time until a frame answered, logarithmic",
      table: histogram.table, metrics: RunReport.metrics(report.answers, rates: false)
    ) { histogram.draw(&$0) }
  }

  /// - Parameters:
  ///   - covered: for a graph over time, the share of the axis that the table's rows cover.
  ///   - legend: the recording whose phases are explained.
  private mutating func writeGraph(
    _ title: String, _ caption: String, covered: Double? = nil, table: ReportTable,
    metrics: [Fact] = [], legend: RunReport? = nil, _ draw: (inout SVGText) -> Void
  ) {
    svg.open("section", ["class": "card"])
    svg.element(heading, [:], title)
    if let covered {
      svg.open("figure", ["class": "timed", "data-covered": SVGText.number(covered)])
    } else {
      svg.open("figure")
    }
    svg.element("figcaption", [:], caption)
    if !metrics.isEmpty { write(metrics, style: "figures small") }
    svg.open(
      "div", ["class": "scroll", "tabindex": "0", "role": "group", "aria-label": "\(title) graph"])
    draw(&svg)
    svg.close("div")
    if covered != nil { svg.element("output", [:], "") }
    if let legend { writeLegend(legend) }
    svg.open("details")
    svg.element("summary", [:], "\(title) as a table")
    write(table, label: "\(title) as a table")
    svg.close("details")
    svg.close("figure")
    svg.close("section")
  }

  private mutating func writeLegend(_ report: RunReport) {
    guard !report.series.phaseNames.isEmpty else { return }
    svg.open("ul", ["class": "legend"])
    svg.newline()
    for (index, name) in report.series.phaseNames.enumerated() {
      svg.open("li")
      svg.open("svg", ["viewBox": "0 0 20 20", "aria-hidden": "true"])
      svg.element(
        "rect",
        ["class": report.style(ofPhase: index), "width": "20", "height": "20", "rx": "3"])
      svg.element(
        "text", ["class": "letter", "x": "10", "y": "14.5", "text-anchor": "middle"],
        PhaseLetter.text(index))
      svg.close("svg")
      svg.add(ReportText.name(name))
      svg.close("li")
    }
    svg.close("ul")
  }

  private mutating func write(_ table: ReportTable, label: String) {
    svg.open("div", ["class": "scroll", "tabindex": "0", "role": "group", "aria-label": label])
    svg.open("table")
    svg.open("thead")
    svg.open("tr")
    for (index, name) in table.columns.enumerated() {
      svg.element(
        "th", table.isNumber[index] ? ["scope": "col", "class": "n"] : ["scope": "col"], name)
    }
    svg.close("tr")
    svg.close("thead")
    svg.open("tbody")
    svg.newline()
    for (number, row) in table.rows.enumerated() {
      if table.marked.contains(number) { svg.open("tr", ["class": "bad"]) } else { svg.open("tr") }
      for (index, cell) in row.enumerated() {
        svg.add(markup: table.isNumber[index] ? "<td class=\"n\">" : "<td>")
        svg.add(cell)
        svg.add(markup: "</td>")
      }
      svg.close("tr")
    }
    svg.close("tbody")
    svg.close("table")
    svg.close("div")
  }
}
