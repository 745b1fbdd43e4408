import PerfHUDBase
import PerfHUDEvents
import TestSupport
import Testing

@testable import Metrics
@testable import Recording
@testable import Report

struct ReportTests {
  private let budgets: [Budget]

  init() throws {
    budgets = [
      try Budget("footprint.peak <= 500MiB"), try Budget("frame.p99 <= 50ms"),
      try Budget("phase(canvas).kept <= 2MiB"),
    ]
  }

  @Test func `the page of a made-up run is the golden one`() {
    expectGolden(
      HTMLPage([MadeUpReport.report(budgets: budgets)]).text, file: "Golden/page.html")
  }

  @Test func `the page of two runs has the verdicts first`() throws {
    let page = HTMLPage([MadeUpReport.report(), MadeUpReport.report(keeps: 0)]).text
    let bad = try #require(page.firstRange(of: "canvas keeps 12.00 MiB a visit (allocator"))
    let good = try #require(page.firstRange(of: "No phase keeps memory."))
    let firstGraph = try #require(page.firstRange(of: "<svg"))
    #expect(bad.lowerBound < good.lowerBound)
    #expect(good.lowerBound < firstGraph.lowerBound)
  }

  @Test func `the Markdown of a made-up run is the golden one`() {
    expectGolden(
      MarkdownReport([MadeUpReport.report(budgets: budgets)]).text, file: "Golden/report.md")
  }

  @Test func `the picture of a made-up run is the golden one`() {
    expectGolden(SVGReport([MadeUpReport.report()]).text, file: "Golden/report.svg")
  }

  @Test func `the CSV of a made-up run has a line for each column of the graphs`() {
    let lines = CSVReport([MadeUpReport.report()]).text.split(separator: "\n")
    #expect(lines.count == 81)
    #expect(lines[1] == "run.phr,0.000,gallery,4194304,4194304,,,")
    #expect(lines[10] == "run.phr,4.500,canvas,10485760,10485760,30.00,30.00,49.85")
  }

  @Test func `the verdict names what keeps memory, budgets and the peak`() {
    let report = MadeUpReport.report(budgets: budgets)
    #expect(
      report.verdict == [
        "Budget fails: phase(canvas).kept <= 2 MiB.",
        "canvas keeps 12.00 MiB a visit (allocator may hold it).",
        "Peak 88.00 MiB in canvas.",
      ])
    #expect(report.hasProblem)
    #expect(!MadeUpReport.report(keeps: 0).hasProblem)
  }

  @Test func `only times are in doubt where other programs held the run up`() {
    let busy = MadeUpReport.report(keeps: 0, waits: true)
    #expect(
      busy.verdict.last?.hasPrefix("Times and rates are uncertain: CPU wait ") == true)
    #expect(busy.verdict.last?.hasSuffix(". Memory is not affected.") == true)
    #expect(HTMLPage([busy]).text.contains("<strong>Times not certain</strong>"))
    let forked = MadeUpReport.report(keeps: 0, waits: true, uncertain: 20)
    #expect(
      forked.verdict.contains { $0.hasPrefix("Peak ≥ ") }
        && !forked.verdict.contains { $0.contains("not affected") })
    #expect(
      forked.verdict.last
        == "The peak is a lower bound: memory of child processes may be missing.")
    #expect(HTMLPage([forked]).text.contains("<strong>Not certain</strong>"))
    var damage = RecordingDamage()
    damage.isCut = true
    let cut = MadeUpReport.report(keeps: 0, damage: damage)
    #expect(cut.verdict.last == "The recording is cut: the end of the run is not in it.")
    #expect(HTMLPage([cut]).text.contains("<strong>Not certain</strong>"))
  }

  @Test func `memory that ran out is in the verdict and among the facts`() {
    let report = MadeUpReport.report(keeps: 0, kills: 2)
    #expect(report.verdict.contains("Memory ran out, 2 killed (512.0 MiB, memory.max)."))
    #expect(report.facts.contains { $0.name == "Memory limit" && $0.isWarning })
    #expect(report.hasProblem)
  }

  @Test func `a few frame times have no rate and no percentiles`() {
    var times = FrameHistogram()
    func names() -> [String] { RunReport.metrics(times, rates: true).map(\.name) }
    for _ in 0..<30 { times.addFrame() }
    for _ in 0..<9 { times.add(4_300_000) }
    #expect(names() == ["Longest", "Frames"])
    times.add(4_300_000)
    #expect(names() == ["p50", "p99", "1 % low", "Mean", "Longest", "Frames"])
  }

  @Test func `where frames may be several, rates are lower bounds and times upper bounds`() {
    var times = FrameHistogram()
    for _ in 0..<20 {
      times.addFrame()
      times.add(4_194_304)
    }
    let facts = RunReport.metrics(times, rates: true, isBound: true)
    #expect(
      facts.filter { $0.value.hasPrefix("≥ ") }.map(\.name) == ["1 % low", "Mean", "Frames"])
    #expect(facts.filter { $0.value.hasPrefix("≤ ") }.map(\.name) == ["p50", "p99", "Longest"])
  }

  @Test func `a peak that readings have missed is in a phase only if it can be in no other`() {
    // The last visit to canvas is from 36 to 40 s; the one to gallery ends there.
    let known = MadeUpReport.report(keeps: 0, mark: (mebibytes: 300, from: 37, to: 38))
    #expect(known.verdict.contains("Peak ≥ 40.00 MiB in canvas."), "\(known.verdict)")
    let unknown = MadeUpReport.report(keeps: 0, mark: (mebibytes: 300, from: 35, to: 38))
    #expect(unknown.verdict.contains("Peak ≥ 40.00 MiB."), "\(unknown.verdict)")
    let peaks = unknown.phaseTable.rows.map { $0[4] }
    #expect(peaks.count == 2 && peaks.allSatisfy { $0.hasPrefix("≥ ") }, "\(peaks)")
    let none = MadeUpReport.report(keeps: 0).phaseTable.rows.map { $0[4] }
    #expect(none.allSatisfy { !$0.hasPrefix("≥ ") })
  }

  @Test func `events that were lost may have begun visits`() {
    let rows = MadeUpReport.report(lost: 3).phaseTable.rows
    #expect(rows.allSatisfy { $0[1].hasPrefix("≥ ") && $0[2].hasPrefix("about ") }, "\(rows)")
  }

  @Test func `a phase has the color that the program asks for, and the others have others`() {
    let report = MadeUpReport.report(colors: [nil, .blue])
    #expect(report.style(ofPhase: 1) == "p0")
    #expect(report.style(ofPhase: 0) == "p1")
    #expect(report.style(ofPhase: nil) == "pn")
    let red = MadeUpReport.report(colors: [.red, nil])
    #expect(red.style(ofPhase: 0) == "p8" && HTMLPage([red]).text.contains(".p8{fill:"))
    #expect(red.style(ofPhase: 1) == "p1")
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "\"onload=\"x", "a&b", "\u{202E}evil", "a\u{1}b\u{7F}\n",
    "]]>--><!--", "'|`*_",
  ])
  func `a hostile name is text in every form`(_ name: String) {
    let report = MadeUpReport.report(command: name, phases: ["gallery", name], action: name)
    let plain = MadeUpReport.report(command: "c", phases: ["gallery", "p"], action: "a")
    for (text, expected) in [
      (HTMLPage([report]).text, HTMLPage([plain]).text),
      (SVGReport([report]).text, SVGReport([plain]).text),
    ] {
      // The markup is the same, whatever the names are.
      #expect(text.count { $0 == "<" } == expected.count { $0 == "<" })
      #expect(text.count { $0 == "\"" } == expected.count { $0 == "\"" })
    }
    #expect(!MarkdownReport([report]).text.contains("<script>"))
    for text in [
      HTMLPage([report]).text, SVGReport([report]).text, MarkdownReport([report]).text,
      CSVReport([report]).text,
    ] {
      #expect(!text.contains("\u{202E}"))
      #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0.value == 127 })
    }
  }

  @Test func `a day of samples makes a page below 250 kB`() {
    let page = HTMLPage([MadeUpReport.report(seconds: 86_400, interval: 1000, frames: false)]).text
    #expect(page.utf8.count < 250_000, "\(page.utf8.count) bytes")
  }

  @Test func `the script is below 10 kB, and neither it nor the style has markup`() {
    #expect(PageScript.text.utf8.count < 10_000)
    for text in [PageScript.text, PageStyle.page] {
      #expect(!text.contains("<"))
      #expect(!text.contains("&"))
    }
  }

  @Test func `the page names no other file and has no inline style`() {
    let page = HTMLPage([MadeUpReport.report()]).text
    for text in ["src=", "url(", "@import", "style=", "onclick", "http-equiv=\"refresh"] {
      #expect(!page.contains(text), "\(text)")
    }
    let policy = page.split(separator: "\n").first { $0.contains("Content-Security-Policy") } ?? ""
    #expect(policy.contains("default-src 'none'"))
    #expect(policy.contains(SHA256.policySource(PageStyle.page)))
    #expect(policy.contains(SHA256.policySource(PageScript.text)))
  }
}

struct GraphScaleTests {
  @Test(
    arguments: [
      (0, 1024), (4_000_000, 4_194_304), (52_800_000, 62_914_560), (1_100_000_000, 1_572_864_000),
    ] as [(Double, Double)])
  func `an axis of bytes ends at a round number`(_ greatest: Double, _ end: Double) {
    let scale = GraphScale.bytes(greatest)
    #expect(scale.end == end)
    #expect(scale.ticks.count <= 6)
    #expect(scale.ticks.first == 0)
    #expect(scale.ticks.last == scale.end)
  }

  @Test func `times are in the units that a clock has`() {
    #expect(GraphScale.timeText(0) == "0")
    #expect(GraphScale.timeText(0.5) == "0.5 s")
    #expect(GraphScale.timeText(90) == "1 min 30 s")
    #expect(GraphScale.timeText(93_600) == "1 d 2 h")
  }

  @Test func `a logarithm is that of the C library`() {
    #expect((Histogram.doublings(10) - 3.321_928).magnitude < 1e-5)
    #expect((Histogram.doublings(0.1) + 3.321_928).magnitude < 1e-5)
    #expect(Histogram.doublings(8) == 3)
  }

  @Test func `the calendar knows leap days and time zones`() {
    #expect(
      CivilTime(unixSeconds: 1_709_164_800, secondsFromUTC: 3600).text
        == "2024-02-29 01:00:00 +01:00")
    #expect(
      CivilTime(unixSeconds: 0, secondsFromUTC: 0).text == "1970-01-01 00:00:00 +00:00")
  }
}
