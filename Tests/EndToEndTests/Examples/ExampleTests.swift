import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Each of examples/ runs, and does what it is there to show.
@Suite(.waiting) struct ExampleTests {
  private static let clients = Repository.path("clients")

  /// The names of the phases in a summary, in order.
  /// The names in a summary; their order depends on what each takes.
  private func phases(_ summary: String) -> Set<String> {
    Set(summary.matches(of: #/  phase   ([a-z]+):/#).map { String($0.1) })
  }

  @Test func `the overlay of 150 lines draws over a program and ends with its status`() throws {
    let tmux = try Tmux(
      columns: 60, rows: 8,
      command: [
        try Products.path("example-overlay"), "sh", "-c",
        "for i in 1 2 3 4 5 6 7 8 9 10 11; do echo line $i; done; read answer; echo $answer; exit 3",
      ], environment: Perfhud.environment())
    // The program has scrolled; the HUD is in one row alone, and beneath it the program's text is whole.
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.count { $0.contains("CPU") } == 1 && rows[0].hasPrefix("line 5")
        && rows[0].contains("MEM")
        && rows[6] == "line 11"
    }
    try tmux.sendText("done\n")
    #expect(try tmux.waitForEnd(deadline: Perfhud.deadline) == .exit(3))
    #expect(try !tmux.capture().contains { $0.contains("CPU") }, "the HUD is erased at the end")
  }

  @Test func `the Swift program reports load, edit and close`() throws {
    let output = try Perfhud.run("--", try Products.path("example-phases"))
    #expect(output.status == .exit(0))
    #expect(phases(output.stderr) == ["load", "edit", "close"], "\(output.stderr)")
  }

  @Test func `the C program reports read, sort and report`() throws {
    let directory = try TemporaryDirectory()
    let program = directory.file("phases")
    let compiled = try Tool.run([
      "cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", ExampleTests.clients, "-o", program,
      Repository.path("examples/phases.c"),
    ])
    try #require(compiled.status == .exit(0), "\(compiled.stderr)")
    let output = try Perfhud.run("--", program)
    #expect(output.status == .exit(0) && output.stdout.hasPrefix("least "))
    #expect(phases(output.stderr) == ["read", "sort", "report"], "\(output.stderr)")
  }

  @Test func `the Python script reports read, count and report`() throws {
    let output = try Perfhud.run(
      "--", "python3", Repository.path("examples/phases.py"),
      environment: ["PYTHONPATH": ExampleTests.clients, "PYTHONDONTWRITEBYTECODE": "1"])
    #expect(output.status == .exit(0) && output.stdout.contains("perfhud"))
    #expect(phases(output.stderr) == ["read", "count", "report"], "\(output.stderr)")
  }

  @Test
  func `the build in a shell reports generate, compile and link, and builds without perfhud too`()
    throws
  {
    let script = Repository.path("examples/build-with-phases.sh")
    let output = try Perfhud.run(
      "--", script, environment: ["PERFHUD_PROGRAM": try Perfhud.path()])
    #expect(output.status == .exit(0) && output.stdout == "built 4 objects\n")
    #expect(phases(output.stderr) == ["generate", "compile", "link"], "\(output.stderr)")
    let bare = try Tool.run(
      [script], environment: ["PERFHUD_PROGRAM": "/nonexistent"], timeout: Perfhud.deadline)
    #expect(bare.status == .exit(0) && bare.stdout == "built 4 objects\n")
  }

  @Test func `the CI job passes below the limits, fails above, and keeps the command's status`()
    throws
  {
    func job(_ limits: String, _ command: String) throws -> Tool.Output {
      let directory = try TemporaryDirectory()
      let script = Repository.path("examples/ci-memory-limit.sh")
      return try Tool.run(
        ["sh", "-c", "cd '\(directory.path)' && '\(script)' \(limits) -- sh -c '\(command)'"],
        environment: Perfhud.environment(["PERFHUD_PROGRAM": try Perfhud.path()]),
        timeout: Perfhud.deadline)
    }
    let good = try job("500MiB 60s", "sleep 0.5")
    #expect(good.status == .exit(0) && good.stderr.contains("holds: "), "\(good.stderr)")
    let bad = try job("1KiB 60s", "sleep 0.5")
    #expect(
      bad.status == .exit(99) && bad.stderr.contains("budget  memory.peak <= 1 KiB  fails: "),
      "\(bad.stderr)")
    let failed = try job("500MiB 60s", "exit 7")
    #expect(failed.status == .exit(7))
  }
}
