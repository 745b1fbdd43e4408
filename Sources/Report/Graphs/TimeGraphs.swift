import Metrics
import PerfHUDBase
import PerfHUDEvents
import SVG

/// The graphs of a run over time: memory by phase, and CPU.
struct TimeGraphs {
  let report: RunReport
  private var series: TimeSeries { report.series }
  /// The length of the time axis in seconds.
  let seconds: Double

  static let memoryHeight = 270.0
  static let cpuHeight = 200.0
  /// The least width of a phase that has room for its letter.
  private static let letterWidth = 14.0

  init(_ report: RunReport) {
    self.report = report
    let covered = Double(report.series.columns.count) * report.series.secondsPerColumn
    seconds = max(report.seconds, covered, 0.1)
  }

  /// - Parameter y: its position in a picture; `nil` in a page.
  func memory(_ svg: inout SVGText, y: Double? = nil) {
    let frame = GraphFrame(height: TimeGraphs.memoryHeight, top: 32)
    let greatest = series.columns.compactMap(\.greatestBytes).max() ?? 0
    let scale = GraphScale.bytes(greatest)
    let phase = report.peakPhase.map { " in \(ReportText.name($0))" } ?? ""
    frame.open(
      &svg,
      label: "\(report.memoryName) over \(ReportText.seconds(report.seconds)), "
        + "peak \(report.summary.peakBound)\(ReportText.bytes(report.summary.peakBytes ?? greatest))\(phase)",
      kind: "time", y: y)
    frame.drawLevels(&svg, scale, GraphScale.bytesText)
    var areas: [Int?: SVGPath] = [:]
    for run in runs({ $0.greatestBytes == nil ? nil : .some($0.phase) }) {
      areas[run.key, default: SVGPath()].addArea(
        run.columns.map { column in
          (
            frame.x(start(of: column)), frame.x(start(of: column + 1)),
            frame.y((series.columns[column].greatestBytes ?? 0) / scale.end)
          )
        }, base: frame.base)
    }
    for key in areas.keys.sorted(by: { $0 ?? -1 < $1 ?? -1 }) {
      svg.element(
        "path", ["class": "area \(report.style(ofPhase: key))", "d": areas[key]?.data ?? ""])
    }
    drawPhases(&svg, frame)
    drawMarks(&svg, frame)
    frame.drawTime(&svg, seconds: seconds)
    if y == nil { frame.drawCursor(&svg) }
    svg.close("svg")
  }

  /// The share of the axis at which a column begins.
  private func start(of column: Int) -> Double {
    Double(column) * series.secondsPerColumn / seconds
  }

  /// Groups of adjacent columns with the same key; columns without a key are left out.
  private func runs<Key: Equatable>(
    _ key: (TimeSeries.Column) -> Key?
  ) -> [(key: Key, columns: Range<Int>)] {
    var found: [(key: Key, columns: Range<Int>)] = []
    for (index, column) in series.columns.enumerated() {
      guard let new = key(column) else { continue }
      if let last = found.last, last.key == new, last.columns.upperBound == index {
        found[found.count - 1].columns = last.columns.lowerBound..<index + 1
      } else {
        found.append((new, index..<index + 1))
      }
    }
    return found
  }

  /// Draws the phases as a band above the plot.
  private func drawPhases(_ svg: inout SVGText, _ frame: GraphFrame) {
    var bands: [Int: SVGPath] = [:]
    var letters: [(text: String, x: Double)] = []
    for run in runs(\.phase) {
      let from = frame.x(start(of: run.columns.lowerBound))
      let to = frame.x(start(of: run.columns.upperBound))
      bands[run.key, default: SVGPath()].rectangle(
        x: from, y: 8, width: GraphFrame.tenths(to - from), height: 17)
      if to - from >= TimeGraphs.letterWidth {
        letters.append((PhaseLetter.text(run.key), (from + to) / 2))
      }
    }
    for key in bands.keys.sorted() {
      svg.element("path", ["class": report.style(ofPhase: key), "d": bands[key]?.data ?? ""])
    }
    for letter in letters {
      frame.label(&svg, letter.text, x: letter.x, y: 21, anchor: "middle", style: "letter")
    }
  }

  private func drawMarks(_ svg: inout SVGText, _ frame: GraphFrame) {
    var path = SVGPath()
    for mark in report.run.marks {
      let share = mark.seconds(since: report.run.header.start) / seconds
      path.vertical(frame.x(share), frame.top, length: frame.plotHeight)
    }
    if !path.isEmpty { svg.element("path", ["class": "mark", "d": path.data]) }
  }

  /// - Parameter y: its position in a picture; `nil` in a page.
  func cpu(_ svg: inout SVGText, y: Double? = nil) {
    let frame = GraphFrame(height: TimeGraphs.cpuHeight, top: 12)
    let greatest = series.columns.compactMap(\.greatestCPU).max() ?? 0
    let scale = GraphScale.count(greatest)
    frame.open(
      &svg,
      label: "CPU over \(ReportText.seconds(report.seconds)) in percent of one core, "
        + "greatest sample \(ReportText.percent(greatest))",
      kind: "time", y: y)
    frame.drawLevels(&svg, scale) { "\(ReportText.number($0, decimals: 0)) %" }
    var most = SVGPath()
    var mean = SVGPath()
    for run in runs({ $0.meanCPU == nil ? nil : true }) {
      func points(
        _ value: (TimeSeries.Column) -> Double?
      ) -> [(from: Double, to: Double, y: Double)] {
        run.columns.map {
          (
            frame.x(start(of: $0)), frame.x(start(of: $0 + 1)),
            frame.y((value(series.columns[$0]) ?? 0) / scale.end)
          )
        }
      }
      most.addArea(points(\.greatestCPU), base: frame.base)
      mean.addArea(points(\.meanCPU), base: frame.base)
    }
    if most != mean { svg.element("path", ["class": "cpu-most", "d": most.data]) }
    svg.element("path", ["class": "cpu", "d": mean.data])
    frame.drawTime(&svg, seconds: seconds)
    if y == nil { frame.drawCursor(&svg) }
    svg.close("svg")
  }

  // MARK: The values as tables

  /// The maximum number of rows in the table of a graph.
  static let rowLimit = 240

  /// Groups of columns, one for each row of a table, and their times.
  var rows: [(seconds: Double, column: TimeSeries.Column)] {
    let count = series.columns.count
    let group = max(1, (count + TimeGraphs.rowLimit - 1) / TimeGraphs.rowLimit)
    return TimeSeries.merged(series.columns, by: group).enumerated().map {
      (Double($0.offset * group) * series.secondsPerColumn, $0.element)
    }
  }

  private func timeText(_ value: Double) -> String {
    guard value >= 60 else {
      return ReportText.number(value, decimals: series.secondsPerColumn < 1 ? 1 : 0) + " s"
    }
    return GraphScale.timeText(value.rounded())
  }

  var memoryTable: ReportTable {
    let hasPhases = !series.phaseNames.isEmpty
    return ReportTable(
      title: "Memory", columns: ["Time"] + (hasPhases ? ["Phase"] : []) + ["Least", "Greatest"],
      isNumber: [true] + (hasPhases ? [false] : []) + [true, true],
      rows: rows.map { row in
        let column = row.column
        let phase = column.phase.map { PhaseLetter.text($0) } ?? "–"
        return [timeText(row.seconds)] + (hasPhases ? [phase] : []) + [
          column.leastBytes.map(ReportText.bytes) ?? "–",
          column.greatestBytes.map(ReportText.bytes) ?? "–",
        ]
      })
  }

  var cpuTable: ReportTable {
    ReportTable(
      title: "CPU", columns: ["Time", "Mean", "Greatest"], isNumber: [true, true, true],
      rows: rows.map {
        [
          timeText($0.seconds), $0.column.meanCPU.map(ReportText.percent) ?? "–",
          $0.column.greatestCPU.map(ReportText.percent) ?? "–",
        ]
      })
  }
}

extension SVGPath {
  /// Adds a stepped area between adjacent columns and a base.
  mutating func addArea(_ columns: [(from: Double, to: Double, y: Double)], base: Double) {
    guard let first = columns.first, let last = columns.last else { return }
    move(first.from, base)
    line(first.from, first.y)
    for (index, column) in columns.enumerated() {
      guard index + 1 < columns.count else { break }
      guard columns[index + 1].y != column.y else { continue }
      line(column.to, column.y)
      line(column.to, columns[index + 1].y)
    }
    line(last.to, last.y)
    line(last.to, base)
    close()
  }
}

extension RunReport {
  /// The number of colors for phases that request none; there is one more, red.
  private static let paletteCount = 8

  /// The CSS class of a phase by its index in the series; `nil` for no phase. A phase has the color that the program
  /// requests, or else one that the program requests for no phase. After the last color they start again, with another
  /// letter.
  func style(ofPhase index: Int?) -> String {
    guard let index else { return "pn" }
    let requested = series.phaseNames.map { name in
      (0..<run.phases.count).first { run.phases[$0].name == name }
        .flatMap { run.phases[$0].color }?.reportColor
    }
    if let color = requested[index] { return "p\(color)" }
    let free = (0..<RunReport.paletteCount).filter { !requested.contains($0) }
    return "p\(free.isEmpty ? index % RunReport.paletteCount : free[index % free.count])"
  }
}

extension EventColor {
  /// The index in `ReportColors.phases`.
  fileprivate var reportColor: Int {
    switch self {
    case .blue: 0
    case .orange: 1
    case .green: 2
    case .purple: 3
    case .yellow: 4
    case .cyan: 5
    case .pink: 6
    case .gray: 7
    case .red: 8
    }
  }
}
