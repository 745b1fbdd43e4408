import Testing

@testable import PerfHUD

/// The advice for an option that perfhud does not have.
@Suite struct OptionAdviceTests {
  @Test(arguments: [
    ("--colr", "use --no-color or --theme"), ("--color", "use --no-color or --theme"),
    ("--json", "use --format jsonl"), ("--folow", "it belongs to: perfhud replay"),
    ("--speed", "it belongs to: perfhud replay"),
  ])
  func `an option of another program or of a subcommand says where to look`(
    option: String, advice: String
  ) {
    let line = OptionAdvice.improved("Unknown option '\(option)'. Did you mean '--corner'?")
    #expect(line == "Unknown option '\(option)'; \(advice)")
  }

  @Test(arguments: [
    "Unknown option '--intervall'. Did you mean '--interval'?", "Unknown option '--zzzzzz'",
    "Unknown option '-x'", "Missing value for '--pid <N>'",
  ])
  func `any other mistake keeps its words`(line: String) {
    #expect(OptionAdvice.improved(line) == line)
  }
}
