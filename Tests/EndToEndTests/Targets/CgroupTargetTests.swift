import Glibc
import TestSupport
import Testing

/// Cgroups as targets, on the hierarchies that this machine has.
@Suite struct CgroupTargetTests {
  /// The path of this process in a hierarchy that counts what can be shown; `nil` where there is none.
  private func ownCgroup() throws -> String? {
    let text = try Tool.run(["cat", "/proc/self/cgroup"]).stdout
    let lines = text.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 2) }
    let memory = lines.first { $0.count == 3 && $0[1].split(separator: ",").contains("memory") }
    let unified = lines.first { $0.first == "0" }
    let path = memory.map { String($0[2]) } ?? unified.map { String($0.last ?? "/") }
    guard let path, path.hasPrefix("/"), path != "/" else { return nil }
    return path
  }

  @Test func `lines of a cgroup have its memory and no pid`() throws {
    guard let path = try ownCgroup() else {
      withKnownIssue("no cgroup of its own on this machine") { Issue.record("not tested") }
      return
    }
    let output = try Perfhud.run("--cgroup", path, "--format", "jsonl", "--samples", "2")
    #expect(output.status == .exit(0), "\(output.stderr)")
    let line = try JSONLine(try #require(output.lines.last))
    #expect(try line["pid"] == .null)
    #expect(try line.number("cgroup_memory_bytes") ?? 0 > 0)
    #expect(try line.number("footprint_bytes") ?? 0 > 0)
    #expect(try line.number("processes") ?? 0 >= 1)
    #expect(try line["pss_bytes"] == .null)
    let explained = try Perfhud.run("--cgroup", path, "--explain")
    #expect(explained.stdout.contains("cgroup        \(path)"))
    #expect(explained.stdout.contains("rss           memory.stat "))
  }

  @Test func `a cgroup that is not there: one line that says how to list them`() throws {
    let output = try Perfhud.run("--cgroup", "no-such-unit", "--samples", "1")
    #expect(output.status == .exit(1))
    #expect(output.stderr.hasPrefix("perfhud: no cgroup "))
    #expect(output.stderr.split(separator: "\n").count == 1)
  }

  @Test func `the HUD of a cgroup names it and counts its processes`() throws {
    guard let path = try ownCgroup() else {
      withKnownIssue("no cgroup of its own on this machine") { Issue.record("not tested") }
      return
    }
    let tmux = try Perfhud.tmux("--cgroup", path, columns: 120, rows: 40)
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.bytes("MEM") != nil && screen.title.contains(#/ cgroup +\d+ process/#)
    }
    #expect(screen.title.contains(path.suffix(10)))
    try tmux.sendText("y")
    try tmux.waitFor("cpu pressure", deadline: Perfhud.deadline)
    try tmux.sendText("q")
    try tmux.waitForEnd(.exit(0))
  }
}
