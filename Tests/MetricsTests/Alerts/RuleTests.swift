import Metrics
import PerfHUDBase
import Sampler
import TestSupport
import Testing

@Suite struct RuleTests {
  private func mistake(_ text: String) -> String? {
    do {
      _ = try Rule(text)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(
    arguments: [
      ("cpu > 90% for 10s", .metric(.cpuWindow), .value, .above, 90, 10_000, "cpu > 90% for 10s"),
      (
        "mem growth > 1MiB/s for 30s", .leadingMemory, .growth, .above, 1_048_576, 30_000,
        "mem.growth > 1MiB/s for 30s"
      ),
      ("fps < 30 for 2s", .metric(.fps), .value, .below, 30, 2_000, "fps < 30 for 2s"),
      ("rss.peak<500MiB", .metric(.resident), .peak, .below, 524_288_000, 0, "rss.peak < 500MiB"),
      ("  CPU>=50", .metric(.cpuWindow), .value, .atLeast, 50, 0, "cpu >= 50"),
      ("cpu.p95 > 80 %", .metric(.cpuWindow), .percentile(95), .above, 80, 0, "cpu.p95 > 80%"),
      ("cpu mean<=12.5%", .metric(.cpuWindow), .mean, .atMost, 12.5, 0, "cpu.mean <= 12.5%"),
      (
        "pss.median < 1 gib", .metric(.pss), .percentile(50), .below, 1_073_741_824, 0,
        "pss.median < 1gib"
      ),
      (
        "read > 2MB/s for 1m", .metric(.readRate), .value, .above, 2e6, 60_000,
        "read > 2MB/s for 1m"
      ),
      ("threads > 8", .metric(.threads), .value, .above, 8, 0, "threads > 8"),
      (
        "threads growth > 1/min", .metric(.threads), .growth, .above, 1.0 / 60, 10_000,
        "threads.growth > 1/min"
      ),
      ("frame_p99_ms > 33ms", .metric(.frameP99), .value, .above, 33, 0, "frame-p99-ms > 33ms"),
      ("swap > 0", .metric(.swap), .value, .above, 0, 0, "swap > 0"),
      (
        "actions > 30/s for 500ms", .metric(.actions), .value, .above, 30, 500,
        "actions > 30/s for 500ms"
      ),
    ] as [(String, Rule.Subject, Rule.Statistic, Rule.Comparison, Double, UInt64, String)])
  func `a rule is read`(
    text: String, subject: Rule.Subject, statistic: Rule.Statistic, comparison: Rule.Comparison,
    threshold: Double, milliseconds: UInt64, canonical: String
  ) throws {
    let rule = try Rule(text)
    #expect(rule.subject == subject && rule.statistic == statistic)
    #expect(rule.comparison == comparison)
    #expect((rule.threshold - threshold).magnitude < 1e-9 * max(1, threshold))
    #expect(rule.duration == milliseconds * 1_000_000)
    #expect(rule.text == canonical)
    #expect(try Rule(canonical) == rule, "the text is the rule again")
  }

  @Test(arguments: [
    ("", "column 1: a rule begins with a metric, such as cpu, mem or fps"),
    ("cpux > 3", "column 1: unknown metric 'cpux'; did you mean cpu?"),
    ("cpu", "column 4: a comparison is missing: one of > >= < <="),
    ("cpu 90%", "column 5: a comparison is missing: one of > >= < <="),
    ("cpu = 90%", "column 5: '= 90%' is no comparison: one of > >= < <="),
    ("cpu >", "column 6: a number is missing"),
    ("cpu > x", "column 7: 'x' is no number"),
    ("cpu > 1.2.3%", "column 7: '1.2.3%' is no number"),
    ("cpu > 90MiB", "column 9: 'MiB' is no unit of cpu, which is counted in %"),
    (
      "rss > 500",
      "column 10: the number needs a unit: rss is counted in B, KiB, MiB, GiB"
    ),
    (
      "mem growth > 1MiB",
      "column 15: 'MiB' is no unit of the growth of mem, which is counted in "
        + "B/s, B/min, B/h, KiB/s"
    ),
    ("mem growht > 1MiB/s", "column 5: unknown statistic 'growht'; did you mean growth?"),
    ("mem. > 1MiB", "column 5: a statistic is missing after the point"),
    (
      "cpu.p100 > 1%",
      "column 5: unknown statistic 'p100'; known: growth, peak, min, mean, median, p95, p99"
    ),
    ("cpu > 90% for", "column 14: a time is missing after 'for', such as 10s"),
    ("cpu > 90% for ever", "column 15: 'ever' is not a time from 1ms to 24h, such as 10s"),
    (
      "cpu > 90% during 3s",
      "column 11: 'during 3s' does not belong to a rule; it ends with: for 10s"
    ),
    ("cpu > 90% for 10s now", "column 19: 'now' does not belong to a rule; it ends with: for 10s"),
    ("rss.peak > 1MiB for 3s", "column 17: peak is taken over the whole run: leave out 'for'"),
    ("cpu > \u{1B}[2J", "column 7: '\u{241B}[2J' is no number"),
  ])
  func `a mistake comes with its column and the nearest name`(text: String, error: String) {
    #expect(mistake(text) == error)
  }

  @Test func `every value has a name, and its key is one too`() throws {
    for metric in Metric.allCases {
      let unit =
        switch metric.unit {
        case .bytes: "MiB"
        case .bytesPerSecond: "MiB/s"
        case .milliseconds: "ms"
        case .millisecondsPerSecond: "ms/s"
        case .seconds: "s"
        case .percent: "%"
        case .count, .perSecond, .framesPerSecond: ""
        }
      #expect(try Rule("\(metric.key) > 1\(unit)").subject == .metric(metric))
      #expect(try Rule("\(metric.key).growth > 1\(unit)/s").statistic == .growth)
    }
  }

  @Test func `random texts are rules or mistakes with a column in them`() {
    let parts = [
      "cpu", "mem", "rss", "fps", "for", ">", "<", ">=", " ", " ", "90", "1.5", "%", "MiB", "/s",
      "growth", "peak", ".", "p99", "10s", "\u{1B}", "é", "#", ";", "\0", "日",
    ]
    var random = SeededRandom(seed: 11)
    var rules = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<12, using: &random)
      let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      do {
        let rule = try Rule(text)
        rules += 1
        #expect((try? Rule(rule.text)) == rule, "\(text)")
      } catch {
        #expect((1...text.unicodeScalars.count + 1).contains(error.column), "\(text)")
      }
    }
    #expect(rules > 0)
  }
}
