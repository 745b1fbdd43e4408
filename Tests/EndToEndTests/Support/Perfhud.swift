import Glibc
import TestSupport

/// The program under test, as a user runs it: a binary, arguments, an environment.
enum Perfhud {
  /// Seconds for which a test waits at most: long, since the machine may be slow and busy.
  static let deadline: Double = 30

  /// The binary: `PERFHUD_BINARY`, which `scripts/test.sh` sets to the static release build, else the
  /// one beside the tests.
  static func path() throws(ToolError) -> String {
    guard let value = unsafe getenv("PERFHUD_BINARY") else { return try Products.path("perfhud") }
    let path = unsafe String(cString: value)
    guard unsafe access(path, X_OK) == 0 else {
      throw ToolError("PERFHUD_BINARY: no program \(path); build it with: make build")
    }
    return path
  }

  /// Nothing of the caller's settings reaches the program; a test adds what it is about.
  static func environment(_ changes: [String: String?] = [:]) -> [String: String?] {
    let standard: [String: String?] = [
      "HOME": "/proc/nonexistent", "LC_ALL": nil, "LC_CTYPE": nil, "LC_MESSAGES": nil,
      "LANG": "C.UTF-8", "NO_COLOR": nil, "COLORTERM": nil, "XTERM_VERSION": nil, "TZ": "UTC",
      "XDG_CONFIG_HOME": nil,
      "PERFHUD": nil, "PERFHUD_CONFIG": nil, "COLUMNS": nil, "LINES": nil,
    ]
    return standard.merging(changes) { $1 }
  }

  /// Runs it to its end.
  static func run(
    _ arguments: String..., environment changes: [String: String?] = [:]
  ) throws(ToolError) -> Tool.Output {
    try Tool.run(
      [try path()] + arguments, environment: environment(changes), timeout: deadline)
  }

  /// Runs a shell script to its end; `$perfhud` in it is the program.
  static func shell(
    _ script: String, environment changes: [String: String?] = [:]
  ) throws(ToolError) -> Tool.Output {
    let all = environment(changes).merging(["perfhud": try path()]) { $1 }
    return try Tool.run(["sh", "-c", script], environment: all, timeout: deadline)
  }

  /// Starts the HUD on a pty, whose bytes the test sees.
  static func pty(
    _ arguments: String..., columns: Int = 80, rows: Int = 24,
    environment changes: [String: String?] = [:]
  ) throws(ToolError) -> Pty {
    let standard: [String: String?] = ["LC_ALL": nil, "LANG": "C.UTF-8"]
    return try Pty(
      [try path()] + arguments, columns: columns, rows: rows,
      environment: environment(standard.merging(changes) { $1 }))
  }

  /// Starts the HUD in tmux, whose screen the test sees.
  static func tmux(
    _ arguments: String..., columns: Int = 80, rows: Int = 24,
    environment changes: [String: String?] = [:]
  ) throws(ToolError) -> Tmux {
    try Tmux(
      columns: columns, rows: rows, command: [try path()] + arguments,
      environment: environment(changes))
  }
}

/// Swift Testing has one of this name too.
typealias ExitStatus = TestSupport.ExitStatus

/// Fails with the reason where a test needs root, which CI has: it changes users and mounts.
func requireRoot() throws(ToolError) {
  guard geteuid() == 0 else {
    throw ToolError("this test changes users or mounts: run it as root (CI does)")
  }
}

/// Fails with the reason where no namespaces can be made: a container needs `--privileged` for that.
func requireNamespaces() throws(ToolError) {
  try requireRoot()
  let made = try Tool.run(["unshare", "-m", "-p", "-f", "true"])
  guard made.status == .exit(0) else {
    throw ToolError("this test makes namespaces, which needs CAP_SYS_ADMIN: \(made.stderr)")
  }
}

/// Fails with the reason where a program of the tests is missing.
func requireTool(_ name: String) throws(ToolError) {
  guard try Tool.run(["sh", "-c", "command -v \"$0\"", name]).status == .exit(0) else {
    throw ToolError("this test needs \(name); install it with: make deps-test")
  }
}
