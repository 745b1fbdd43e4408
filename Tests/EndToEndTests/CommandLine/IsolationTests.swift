import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Tests leave the user's own directories alone, whatever they start.
@Suite struct IsolationTests {
  /// The environment of a process. Source: `/proc/PID/environ`.
  private func environment(of pid: Int) throws -> [Substring: Substring] {
    let text = String(decoding: try readFile("/proc/\(pid)/environ"), as: UTF8.self)
    var found: [Substring: Substring] = [:]
    for entry in text.split(separator: "\0") {
      guard let sign = entry.firstIndex(of: "=") else { continue }
      found[entry[..<sign]] = entry[entry.index(after: sign)...]
    }
    return found
  }

  private func expectIsolated(_ pid: Int, _ way: String) throws {
    // The kernel shows it from the moment on in which the program has replaced the child that starts it.
    let names = ["HOME", "XDG_RUNTIME_DIR", "TMPDIR"]
    var found: [Substring: Substring] = [:]
    try waitUntil(deadline: Perfhud.deadline, "the directories of \(way)") {
      found = (try? environment(of: pid)) ?? [:]
      return names.allSatisfy {
        found[Substring($0)]?.hasPrefix(IsolatedDirectories.path + "/") == true
      }
    }
    #expect(found["DISPLAY"] == nil && found["XDG_CONFIG_HOME"] == nil, "\(way)")
  }

  @Test func `every way to start a program gives it the directories of the tests`() throws {
    let command = ["sleep", "1000"]
    let tool = try RunningTool(command)
    try expectIsolated(tool.pid, "a tool")
    let pty = try Pty(command, columns: 80, rows: 24)
    try expectIsolated(pty.pid, "a pty")
    let tmux = try Tmux(columns: 80, rows: 24, command: command)
    try expectIsolated(try tmux.pid, "tmux")
    let xterm = try Xterm(columns: 80, rows: 24, command: command, directory: "/")
    try expectIsolated(xterm.pid, "xterm")
    let output = try Tool.run(["sh", "-c", "echo $HOME $XDG_RUNTIME_DIR $TMPDIR"])
    #expect(
      output.stdout.split(separator: " ").count { $0.hasPrefix(IsolatedDirectories.path) } == 3)
    withExtendedLifetime((tool, pty, tmux, xterm)) {}
  }

  @Test func `perfhud writes to the home and the runtime directory of the tests alone`() throws {
    let load = try Load()
    let lines = try BatchRun("--pid", "\(load.pid)")
    #expect(try lines.next() != nil)
    let name = "\(load.pid).sock"
    #expect(unsafe access(IsolatedDirectories.runtime + "/perfhud/" + name, F_OK) == 0)
    var places = ["/tmp/perfhud-\(geteuid())", "/run/user/\(geteuid())/perfhud"]
    for variable in ["XDG_RUNTIME_DIR", "TMPDIR"] {
      guard let value = unsafe getenv(variable).map({ unsafe String(cString: $0) }) else {
        continue
      }
      places += [value + "/perfhud", value + "/perfhud-\(geteuid())"]
    }
    for place in places { #expect(unsafe access(place + "/" + name, F_OK) != 0, "\(place)") }
    let path = try Tool.run([try Perfhud.path(), "config", "path"])
    #expect(path.stdout.hasPrefix(IsolatedDirectories.path + "/home/"), "\(path.stdout)")
    withExtendedLifetime((load, lines)) {}
  }
}
