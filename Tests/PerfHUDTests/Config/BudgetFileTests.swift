import HUD
import Metrics
import Testing

@testable import PerfHUD

@Suite struct BudgetFileTests {
  @Test func `a rule a line, with comments and the ends of lines of Windows`() throws {
    let budgets = try BudgetFile.parse(
      "# limits\r\n\r\nrss.peak <= 1MiB # all\r\n  phase(a #1).kept <= 1MiB optional",
      name: "f")
    #expect(budgets.map(\.text) == ["rss.peak <= 1 MiB", "phase(a #1).kept <= 1 MiB"])
    #expect(budgets.map(\.place) == [3, 4].map { Budget.Place(file: "f", line: $0) })
    #expect(budgets[1].isOptional)
  }

  @Test(arguments: [
    ("\nwall <= 1", "f:2: column 10: the number needs a unit: wall is counted in s, ms, m, h"),
    (
      "wall <= 1s; rss.peak <= 1B",
      "f:1: column 11: '; rss.peak <= 1B' does not belong to a "
        + "budget; after the limit only: warn, optional"
    ),
  ])
  func `a mistake has its line`(text: String, message: String) {
    #expect(throws: UsageError(message)) { try BudgetFile.parse(text, name: "f") }
  }

  @Test func `there is room for 64`() throws {
    let rule = "wall <= 1s\n"
    #expect(try BudgetFile.parse(String(repeating: rule, count: 64), name: "f").count == 64)
    #expect(throws: UsageError("f:65: more than 64 budgets")) {
      try BudgetFile.parse(String(repeating: rule, count: 65), name: "f")
    }
  }

  @Test(arguments: [
    (SettingOrigin.option, "cannot open /nope: No such file or directory; check --budgets"),
    (.variable, "cannot open /nope: No such file or directory; check PERFHUD_BUDGETS"),
    (
      .line("p.conf:3"),
      "p.conf:3: cannot open /nope: No such file or directory; correct or remove the line 'budgets'"
    ),
  ])
  func `what is said of a missing file names what has named it`(
    origin: SettingOrigin, message: String
  ) {
    #expect(throws: UsageError(message)) { try BudgetFile.read("/nope", namedBy: origin) }
  }

  @Test func `a missing file of the configuration file is a mistake of its line`() throws {
    let environment = Environment(["PERFHUD_CONFIG": "/home/u/p.conf"])
    var settings = Settings()
    try settings.set("budgets", "/nope", from: .file, line: 12)
    let origin = SettingOrigin(of: "budgets", settings, environment)
    #expect(origin == .line("/home/u/p.conf:12"))
    try settings.set("budgets", "/nope", from: .environment)
    #expect(SettingOrigin(of: "budgets", settings, environment) == .variable)
  }
}
