import HUD
import Metrics
import Testing

@testable import PerfHUD

@Suite struct EnvironmentTests {
  @Test func `a setting has its variable`() {
    #expect(Environment.variable("interval") == "PERFHUD_INTERVAL")
    #expect(Environment.variable("exit-with-target") == "PERFHUD_EXIT_WITH_TARGET")
  }

  @Test func `command line over environment over file over what is built in`() throws {
    try withFile("tick = 10\nmemory = rss\ngraph = block\n") { path in
      let environment = [
        "PERFHUD_CONFIG": path, "PERFHUD_MEMORY": "pss", "PERFHUD_GRAPH": "ascii",
      ]
      let settings = try request("--pid 1 --graph braille", environment: environment).settings
      #expect(settings.tick == 10)
      #expect(settings.memory == .pss)
      #expect(settings.graph == .braille)
      #expect(settings.interval == 100_000_000)
    }
  }

  @Test func `a mistake in a variable names it`() {
    #expect(
      mistake("--pid 1", environment: ["PERFHUD_TICK": "x"])
        == "PERFHUD_TICK: tick 'x' is not a whole number from 0 (off) to 240")
  }

  @Test func `a mistake in a variable that the command line overrides is still one`() {
    #expect(mistake("--pid 1 --tick 5", environment: ["PERFHUD_TICK": "x"]) != nil)
  }

  @Test(arguments: [
    ("PERFHUD_INTERVALL", "PERFHUD_INTERVAL"), ("PERFHUD_CONFG", "PERFHUD_CONFIG"),
    ("PERFHUD_BUGDETS", "PERFHUD_BUDGETS"), ("PERFHUD_TICKS", "PERFHUD_TICK"),
    ("PERFHUD_SZIE", "PERFHUD_SIZE"),
    ("PERFHUD_EXIT_WITH_TARGE", "PERFHUD_EXIT_WITH_TARGET"),
  ])
  func `a misspelled variable is named with the one that was meant`(
    name: String, meant: String
  ) throws {
    let settings = try request("--pid 1", environment: [name: "x", "PERFHUD_TICK": "5"]).settings
    #expect(settings.notices == ["perfhud does not use \(name); did you mean \(meant)?"])
  }

  @Test func `variables of perfhud and of others are not named`() {
    let alerts = ["RULE", "VALUE", "TARGET", "PID", "COUNT"].map { "PERFHUD_ALERT_\($0)" }
    let others = [
      "SOCKET", "CONFIG", "LEADER", "BINARY", "BINARY_DIR", "SEED", "SEEDS", "STEPS",
      "UPDATE_GOLDEN", "SANITIZED", "CASE", "LOG", "CONTROL", "PROGRAM", "IMPLEMENTATION",
      "DATAGRAMS", "TEST", "KEY", "DOCS", "DIR", "HOME", "TOKEN",
    ].map { "PERFHUD_\($0)" }
    let known = Settings.keys.map(Environment.variable)
    for name in alerts + others + known + ["PERFHUD", "PERFHUDD", "MY_PERFHUD_TICKS"] {
      #expect(Environment([name: "x"]).misspelled.isEmpty, "\(name)")
    }
  }

  @Test func `an empty variable is none`() throws {
    let empty = ["PERFHUD_TICK": "", "PERFHUD_LANG": "", "PERFHUD_CONFIG": "", "NO_COLOR": ""]
    #expect(try request("--pid 1", environment: empty).settings == Settings())
    #expect(!Environment(empty).wantsNoColor)
    #expect(Environment(["NO_COLOR": "1"]).wantsNoColor)
  }

  @Test(
    arguments: [
      (["LANG": "C.UTF-8"], true), (["LANG": "ja_JP.utf8"], true), (["LANG": "C"], false),
      ([:], false),
      (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false),
      (["LC_ALL": "", "LC_CTYPE": "en_US.UTF-8", "LANG": "C"], true),
      (["LANG": "ja_JP.eucJP"], false),
    ] as [([String: String], Bool)])
  func `the locale says whether UTF-8 may be drawn`(variables: [String: String], isUTF8: Bool) {
    #expect(Environment(variables).isUTF8 == isUTF8)
  }

  @Test func `the language is that of the option, else of the locale`() throws {
    let japanese = Environment(["LC_ALL": "", "LC_MESSAGES": "ja_JP.UTF-8", "LANG": "en_US"])
    #expect(Settings().language(in: japanese) == .japanese)
    #expect(try request("--pid 1 --lang en").settings.language(in: japanese) == .english)
    #expect(Settings().language(in: Environment([:])) == .english)
  }
}
