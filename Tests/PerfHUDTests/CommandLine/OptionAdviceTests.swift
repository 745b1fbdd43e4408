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
    ("-d", "-d-1"), ("--interval", "--interval=-1"),
  ])
  func `a value that begins with a hyphen is named, with a way to write it`(
    option: String, written: String
  ) {
    let line = OptionAdvice.improved(
      "Missing value for '\(option)'", words: ["--batch", option, "-1"])
    #expect(
      line == "Missing value for '\(option)': '-1' looks like an option; "
        + "if it is the value, write \(written)")
  }

  @Test(arguments: [
    "Unknown option '--intervall'. Did you mean '--interval'?", "Unknown option '--zzzzzz'",
    "Unknown option '-x'", "Missing value for '--pid <N>'",
  ])
  func `any other mistake keeps its words`(line: String) {
    #expect(OptionAdvice.improved(line) == line)
  }
}
