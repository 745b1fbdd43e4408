import Testing

@testable import Metrics

@Suite struct BudgetParserTests {
  private func mistake(_ text: String) -> String? {
    do {
      _ = try Budget(text)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(
    arguments: [
      ("rss.peak <= 500MiB", 524_288_000, "rss.peak <= 500 MiB"),
      ("memory.peak<=1 GiB", 1_073_741_824, "memory.peak <= 1 GiB"),
      ("cpu-time <= 2m", 120, "cpu-time <= 2 m"),
      ("cpu_time <= 90s", 90, "cpu-time <= 90 s"),
      ("cpu_time_s <= 90s", 90, "cpu-time-s <= 90 s"),
      ("wall < 500ms", 0.5, "wall < 500 ms"),
      ("CPU.mean <= 150%", 150, "cpu.mean <= 150 %"),
      ("cpu.peak <= 50", 50, "cpu.peak <= 50"),
      ("frame.p99 <= 16ms", 16, "frame.p99 <= 16 ms"),
      ("frame p99.9 <= 0.1s", 100, "frame.p99.9 <= 0.1 s"),
      ("frame.mean <= 16ms", 16, "frame.mean <= 16 ms"),
      ("frame-p99.peak <= 16ms", 16, "frame-p99.peak <= 16 ms"),
      ("key-to-frame.p95 <= 50ms warn", 50, "key-to-frame.p95 <= 50 ms"),
      ("fps.mean >= 55", 55, "fps.mean >= 55"),
      ("fps.p5 > 20fps", 20, "fps.p5 > 20 fps"),
      ("hitches <= 5ms/s", 5, "hitches <= 5 ms/s"),
      ("threads.peak <= 8 warn", 8, "threads.peak <= 8"),
      ("io.written <= 10MB", 1e7, "io.written <= 10 MB"),
      ("io.read <= 0", 0, "io.read <= 0"),
      ("oom-kills <= 0", 0, "oom-kills <= 0"),
      ("missed <= 5", 5, "missed <= 5"),
      ("phase(canvas).kept <= 2MiB", 2_097_152, "phase(canvas).kept <= 2 MiB"),
      ("phase(*).grows <= 64KiB/visit", 65536, "phase(*).grows <= 64 KiB/visit"),
      ("phase(my scene).grows <= 64KiB", 65536, "phase(my scene).grows <= 64 KiB"),
      ("phase(X).peak <= 1MiB", 1_048_576, "phase(X).peak <= 1 MiB"),
      ("phase(X).visits >= 3", 3, "phase(X).visits >= 3"),
      ("action(redraw).rate <= 60/s optional", 60, "action(redraw).rate <= 60/s"),
      ("Action(*).count <= 1000", 1000, "action(*).count <= 1000"),
    ] as [(String, Double, String)])
  func `a budget is read`(text: String, limit: Double, canonical: String) throws {
    let budget = try Budget(text)
    #expect((budget.limit - limit).magnitude <= 1e-9 * limit)
    #expect(budget.text == canonical)
    #expect(try Budget(budget.source) == budget, "the text is the budget again")
  }

  @Test(
    arguments: [
      ("cpu-time <= +5% of base.phr", "cpu-time <= +5 % of base.phr", .percent(5)),
      ("fps.mean>=-5 %  of a/b.phr warn", "fps.mean >= -5 % of a/b.phr", .percent(-5)),
      ("rss.peak <= +10MiB of b", "rss.peak <= +10 MiB of b", .amount(10 * 1_048_576)),
      ("threads.peak <= +2 of b", "threads.peak <= +2 of b", .amount(2)),
      ("cpu.mean <= +5% of b", "cpu.mean <= +5 % of b", .percent(5)),
      (
        "phase(a).grows <= +64KiB/visit of \"my base.phr\" optional",
        "phase(a).grows <= +64 KiB/visit of \"my base.phr\"", .amount(65536)
      ),
    ] as [(String, String, Budget.Base.Change)])
  func `a limit may be that of an earlier run`(
    text: String, canonical: String, change: Budget.Base.Change
  ) throws {
    let budget = try Budget(text)
    #expect(budget.text == canonical && budget.base?.change == change)
    #expect(budget.base?.value == nil)
    #expect(try Budget(budget.source) == budget, "the text is the budget again")
  }

  @Test(
    arguments: [
      ("cpu-time <= 5% of o.phr", "is a change from it: write +5% of o.phr"),
      ("cpu-time <= 105 % OF o.phr warn", "write +5% of o.phr warn"),
      ("fps.mean >= 95% of o.phr", "write -5% of o.phr"),
      ("fps.mean >= 5% of o.phr", "write -5% of o.phr"),
      ("rss.peak <= 10MiB of o.phr", "write +10MiB of o.phr"),
      ("rss.peak <= 10 MiB of o.phr", "write +10 MiB of o.phr"),
      ("cpu-time <= of o.phr", "is no number"),
      ("cpu-time <= +5%", "of which run? write +5% of base.phr, with a recording"),
      ("cpu-time <= +5% off base.phr", "of which run?"),
      ("cpu-time <= +5% of", "a recording is missing after 'of'"),
      ("cpu-time <= +5% of -", "a recording is missing after 'of'"),
      ("cpu-time <= +5% of \"base.phr", "a quotation mark is missing"),
      ("cpu-time <= -100% of base.phr", "a limit that is 100 % less or more is none"),
      ("cpu-time <= +5MiB of base.phr", "'MiB' is no unit of cpu-time"),
      ("cpu-time <= + of base.phr", "is no number"),
      ("cpu-time <= +5% of base.phr or", "'or' does not belong to a budget"),
      ("cpu-time <= +5% of a\u{1B}b", "characters that are not printed"),
    ])
  func `a mistake in the limit of an earlier run is named`(text: String, words: String) {
    #expect(mistake(text)?.contains(words) == true, "\(mistake(text) ?? "none")")
  }

  @Test func `warn and optional come after the limit, in any order`() throws {
    let both = try Budget("wall <= 1s optional warn")
    #expect(both.isWarning && both.isOptional && both.source == "wall <= 1 s warn optional")
    let none = try Budget("wall <= 1s")
    #expect(!none.isWarning && !none.isOptional)
  }

  @Test(
    arguments: [
      (
        "", "column 1: a budget begins with what it limits, such as rss.peak, cpu-time or frame.p99"
      ),
      ("rsss.peak <= 1MiB", "column 1: unknown 'rsss'; did you mean rss?"),
      (
        "rss <= 1MiB",
        "column 5: rss changes during the run: write rss.peak, rss.mean or rss.p95"
      ),
      ("rss.peek <= 1MiB", "column 5: unknown statistic 'peek'; did you mean peak?"),
      ("rss. <= 1MiB", "column 5: a statistic is missing after the point"),
      (
        "mem.growth <= 1MiB/s",
        "column 5: growth is for alerts; write phase(*).grows or mem.peak"
      ),
      ("cpu-time.peak <= 1s", "column 10: cpu-time is a total: leave out '.peak'"),
      (
        "frame <= 16ms",
        "column 7: frame has many times: write frame.p99, frame.p95, frame.median, frame.mean or "
          + "frame.peak"
      ),
      ("io <= 1MiB", "column 4: write io.read or io.written"),
      ("rss.peak 1MiB", "column 10: '1MiB' is no comparison: one of > >= < <="),
      ("rss.peak", "column 9: a comparison is missing: one of > >= < <="),
      ("rss.peak <=", "column 12: a number is missing"),
      ("rss.peak <= much", "column 13: 'much' is no number"),
      (
        "rss.peak <= 500",
        "column 16: the number needs a unit: rss.peak is counted in B, KiB, MiB, GiB"
      ),
      (
        "wall <= 5MiB",
        "column 10: 'MiB' is no unit of wall, which is counted in s, ms, m, h"
      ),
      (
        "rss.peak <= 1MiB for 10s",
        "column 18: a budget is judged at the end of the run: leave out 'for'"
      ),
      (
        "rss.peak <= 1MiB soon",
        "column 18: 'soon' does not belong to a budget; after the limit only: warn, optional"
      ),
      (
        "phase.kept <= 1MiB",
        "column 6: which phase? write phase(NAME).kept, or phase(*).kept for all"
      ),
      ("phase(a <= 1MiB", "column 7: a ) is missing after the name"),
      ("phase().kept <= 1MiB", "column 7: a name is missing: write phase(NAME).kept"),
      ("phase(a) <= 1MiB", "column 9: one of these is missing: .kept, .grows, .peak, .visits"),
      ("phase(a).keeps <= 1MiB", "column 10: unknown 'keeps'; known: kept, grows, peak, visits"),
      ("action(a).kept <= 1", "column 11: unknown 'kept'; known: rate, count"),
      (
        "phase(a).kept <= 1MiB/visits",
        "column 19: 'MiB/visits' is no unit of phase(a).kept, which is counted in B, KiB, MiB, GiB"
      ),
    ])
  func `a mistake says what to write`(text: String, message: String) {
    #expect(mistake(text) == message)
  }

  @Test func `text that is too long or no text is refused`() {
    #expect(mistake("phase(" + String(repeating: "x", count: 300) + ").kept <= 1MiB") != nil)
    #expect(mistake("\u{1B}[2J\u{0}") != nil)
  }

  @Test func `an alert does not take the words of a budget`() {
    #expect(throws: RuleError.self) { try Rule("threads > 8 warn") }
    #expect(throws: RuleError.self) { try Rule("cpu-time > 8s") }
  }
}
