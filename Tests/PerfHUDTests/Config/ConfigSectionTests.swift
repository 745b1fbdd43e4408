import Glibc
import HUD
import PerfHUDBase
import TestSupport
import Testing

@testable import PerfHUD

/// Settings for a program: `[vim]` in the configuration file.
@Suite struct ConfigSectionTests {
  private static let file = """
    corner = top-left
    tick = 10
    alert = cpu > 90%

    # For an editor.
    [vim]
    corner = bottom-left
    alert = cpu > 50%

    [ make ]
    interval = 30ms   # a build is long
    tick = 0
    alert = none
    """

  private func read(_ program: String...) throws -> Settings {
    var settings = Settings()
    try ConfigFile.apply(Self.file, path: "p", to: &settings, program: { program })
    return settings
  }

  @Test func `a section applies to its program alone, after what is for all`() throws {
    let none = try read()
    #expect(none.corner == .topLeft && none.tick == 10 && none.alerts.count == 1)
    let vim = try read("vim")
    #expect(vim.corner == .bottomLeft && vim.tick == 10 && vim.alerts.count == 2)
    #expect(vim.section(of: "corner") == "vim" && vim.line(of: "corner") == 7)
    #expect(vim.section(of: "tick") == nil)
    let make = try read("gmake", "make")
    #expect(make.corner == .topLeft && make.tick == 0 && make.alerts.isEmpty)
    #expect(make.interval == 40_000_000 && make.notices.count == 1)
    #expect(none.notices.isEmpty, "what is for another program says nothing")
    #expect(vim.unset("tick").section(of: "corner") == "vim")
  }

  @Test(arguments: [
    ("[vim]\ncolour = red", "p:2: unknown setting 'colour'; known: "),
    ("[vim]\ntick = fast", "p:2: tick 'fast' is not a whole number from 0 (off) to 240"),
    ("\n[vim", "p:2: '[vim' is not [program]"),
    ("[ ]", "p:1: '[ ]' is not [program]"),
    ("[vim] x", "p:1: '[vim] x' is not [program]"),
  ])
  func `a mistake in a section for another program is one`(text: String, error: String) {
    var settings = Settings()
    let found = #expect(throws: UsageError.self) {
      try ConfigFile.apply(text, path: "p", to: &settings)
    }
    #expect(found?.description.hasPrefix(error) == true, "\(found?.description ?? "")")
  }

  // MARK: Which program

  @Test(
    arguments: [
      ("vim x", Corner.bottomLeft), ("/usr/bin/vim x", .bottomLeft), ("-- vim", .bottomLeft),
      ("vi", .topLeft), ("", .topLeft), ("--corner top-right vim", .topRight),
    ] as [(String, Corner)])
  func `the program is the base name of the command`(line: String, corner: Corner) throws {
    try withFile(Self.file) { path throws in
      #expect(try request("-C \(path) \(line)").settings.corner == corner)
    }
  }

  @Test func `without a command the program is the shell`() throws {
    try withFile("[fish]\ncorner = bottom-left") { path throws in
      let environment = ["PERFHUD_CONFIG": path, "SHELL": "/usr/bin/fish"]
      #expect(try request("", environment: environment).settings.corner == .bottomLeft)
      #expect(
        try request("", environment: ["PERFHUD_CONFIG": path]).settings.corner == .topRight)
    }
  }

  @Test func `variables and options go before a section`() throws {
    try withFile(Self.file) { path throws in
      let environment = ["PERFHUD_CONFIG": path, "PERFHUD_CORNER": "bottom-right"]
      #expect(try request("vim", environment: environment).settings.corner == .bottomRight)
      #expect(
        try request("--corner top-left vim", environment: environment).settings.corner == .topLeft)
    }
  }

  @Test func `a process has the name that the kernel keeps, and that of its first argument`() throws
  {
    // A copy of sleep with a name of more than the kernel's 15 bytes.
    let directory = try Tool.run(["mktemp", "-d"]).lines.first ?? ""
    defer { _ = try? Tool.run(["rm", "-r", directory]) }
    let program = directory + "/perfhud-section-program"
    _ = try Tool.run(["cp", "/bin/sleep", program])
    let tool = try RunningTool([program, "1000"])
    defer { tool.signal(SIGKILL) }
    try waitUntil(deadline: 30, "the program") {
      (try? readFile("/proc/\(tool.pid)/comm")).map {
        String(decoding: $0, as: UTF8.self).hasPrefix("perfhud-section")
      } ?? false
    }
    for name in ["perfhud-section", "perfhud-section-program"] {
      try withFile("[\(name)]\ntick = 7") { path throws in
        #expect(try request("-C \(path) \(tool.pid)").settings.tick == 7)
        #expect(try request("-C \(path) --name perfhud-section-program").settings.tick == 7)
      }
    }
    try withFile("[no-such-program]\ntick = 7") { path throws in
      #expect(try request("-C \(path) --name no-such-program --wait").settings.tick == 7)
      #expect(try request("-C \(path) --cgroup no-such-program").settings.tick == 60)
      #expect(try request("-C \(path) --pid 2147483647").settings.tick == 60)
    }
  }

  // MARK: Saving

  @Test(
    arguments: [
      // What the section sets is changed there.
      (
        "corner = top-left\n[vim]\ncorner = top-left\n", "corner", "top-right",
        "corner = top-left\n[vim]\ncorner = top-right\n"
      ),
      // What it does not set is for all programs, and goes before all sections.
      ("[vim]\ncorner = top-left\n", "tick", "30", "tick = 30\n[vim]\ncorner = top-left\n"),
      (
        "lang = en\n\n# Vim\n[vim]\ncorner = top-left\n", "tick", "30",
        "lang = en\ntick = 30\n\n# Vim\n[vim]\ncorner = top-left\n"
      ),
      (
        "# tick = 60\n\n[vim]\n# tick = 5\n", "tick", "30",
        "# tick = 60\ntick = 30\n\n[vim]\n# tick = 5\n"
      ),
      // That of another program stays.
      ("tick = 5\n[make]\ntick = 6\n", "tick", "30", "tick = 30\n[make]\ntick = 6\n"),
      ("[make]\ntick = 6\n", "tick", nil, "[make]\ntick = 6\n"),
      ("tick = 5\n[vim]\ntick = 6\n", "tick", nil, "# tick = 5\n[vim]\n# tick = 6\n"),
      // A list of the section replaces that for all, which stays for others.
      (
        "alert = cpu > 1%\n[vim]\nalert = cpu > 2%\nalert = cpu > 3%\n", "alert", "swap > 0",
        "alert = cpu > 1%\n[vim]\n# alert = cpu > 2%\nalert = none\nalert = swap > 0\n"
      ),
      (
        "alert = cpu > 1%\n[vim]\nalert = none\nalert = cpu > 3%\n", "alert", "swap > 0",
        "alert = cpu > 1%\n[vim]\nalert = none\nalert = swap > 0\n"
      ),
      ("[vim]\nalert = cpu > 3%\n", "alert", "swap > 0", "[vim]\nalert = swap > 0\n"),
    ] as [(String, String, String?, String)])
  func `saving changes the section, or what is for all`(
    text: String, key: String, value: String?, result: String
  ) throws {
    var config = ConfigText(text)
    try config.set(key, to: value, program: ["vim", "nvim"])
    #expect(String(decoding: config.bytes, as: UTF8.self) == result)
    guard let value else { return }
    var settings = Settings()
    try ConfigFile.apply(result, path: "p", to: &settings, program: { ["vim"] })
    #expect(settings.text(of: key) == value)
  }
}
