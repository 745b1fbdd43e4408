import Glibc
import PerfHUDBase
import TestSupport

/// perfhud over a command on terminals of the tests.
extension Overlay {
  /// The environment, with `$perfhud` for shells.
  static func environment(_ changes: [String: String?] = [:]) throws(ToolError) -> [String:
    String?]
  {
    let own: [String: String?] = [
      "perfhud": try path(), "PS1": "ready> ", "ENV": nil, "HISTFILE": nil, "LESSHISTFILE": "-",
    ]
    return Perfhud.environment(own.merging(changes) { $1 })
  }

  /// On a pty whose bytes the test sees; it answers no query.
  static func pty(
    _ command: String..., options: [String] = [], columns: Int = 80, rows: Int = 24
  ) throws(ToolError) -> Pty {
    try Pty(
      try wrap(command, options: options), columns: columns, rows: rows,
      environment: try environment())
  }

  /// A shell script on a pty, in which `"$perfhud" --` precedes commands.
  static func script(_ script: String) throws(ToolError) -> Pty {
    try Pty(["bash", "-c", script], environment: try environment())
  }

  /// On a terminal whose every byte the test takes itself.
  static func manual(
    _ command: String..., options: [String] = []
  ) throws(ToolError) -> ManualTerminal {
    try ManualTerminal(try wrap(command, options: options), environment: try environment())
  }

  /// A shell at its prompt, in tmux.
  static func shell(_ command: [String] = ["bash", "--norc", "-i"]) throws(ToolError) -> Tmux {
    let tmux = try Tmux(
      columns: 80, rows: 24, command: command, environment: try environment())
    try tmux.waitFor("ready>", deadline: Perfhud.deadline)
    return tmux
  }
}

extension Tmux {
  /// Waits for a process of the name below the one that was started.
  func waitForProcess(_ name: String) throws(ToolError) -> Int {
    try EndToEndTests.waitForProcess(name, below: try pid)
  }

  /// Stops the job of a shell with Ctrl-Z.
  func stopJob() throws(ToolError) {
    try sendKeys("C-z")
    try waitFor("Stopped", deadline: Perfhud.deadline)
  }

  /// Types a key until the screen is as wanted, for a program whose size changes at that time.
  ///
  /// less loses a key that comes together with a change of the size: its handler of the signal
  /// leaves the read. Whoever takes over a pty makes two such changes.
  func type(_ key: String, until condition: ([String]) -> Bool) throws(ToolError) {
    try waitUntil(deadline: Perfhud.deadline, "the screen after \(key)") { () throws(ToolError) in
      if condition(try capture()) { return true }
      try sendText(key)
      return false
    }
  }

  /// Waits until the last row with text is the prompt and nothing else.
  @discardableResult
  func waitForPrompt() throws(ToolError) -> [String] {
    try waitFor(deadline: Perfhud.deadline) { $0.last { !$0.isEmpty } == "ready>" }
  }
}

/// Waits until none of the processes lives.
func waitForEnd(of pids: [Int]) throws(ToolError) {
  try waitUntil(deadline: Perfhud.deadline, "the end of \(pids)") {
    !pids.contains { ProcessEntry.isAlive($0) }
  }
}

/// Waits for a process of the name below another, and returns its number.
func waitForProcess(_ name: String, below root: Int) throws(ToolError) -> Int {
  var found: Int?
  try waitUntil(deadline: Perfhud.deadline, "a process \(name)") {
    found = ProcessTable.tree(root).first { $0.name == name }?.pid
    return found != nil
  }
  return found ?? 0
}
