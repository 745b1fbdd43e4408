import Glibc
import Synchronization

/// A program in a tmux of its own: the real terminal of the tests. Both are ended at the end of its
/// life.
///
/// A missing tmux is a failure that says so, never a skipped test.
public final class Tmux {
  private static let servers = Atomic<Int>(0)
  private let server: String
  /// The client that asks, since the first question.
  private var control: TmuxControl?
  /// The last picture, with what tmux printed for it.
  var lastPicture: (printed: [[UInt8]], picture: TmuxPicture)?

  /// Starts a program in a window of the size, without a status line and any configuration.
  ///
  /// - Parameters:
  ///   - command: the program, found through `PATH`, and its arguments.
  ///   - environment: what is added to this process's environment; `nil` removes a variable.
  ///   - terminal: what the program finds as `TERM`, for instance `screen-256color`.
  ///   - history: how many lines that scroll out are kept.
  public init(
    columns: Int, rows: Int, command: [String], environment: [String: String?] = [:],
    terminal: String = "tmux-256color", directory: String? = nil, history: Int = 2000
  ) throws(ToolError) {
    let number = Tmux.servers.add(1, ordering: .relaxed).newValue
    server = "perfhud-test-\(getpid())-\(number)"
    var pane = ["env"]
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) where value == nil {
      pane += ["-u", name]
    }
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
      if let value { pane.append("\(name)=\(value)") }
    }
    pane += command
    var session = ["new-session", "-d", "-s", "test", "-x", "\(columns)", "-y", "\(rows)"]
    if let directory { session += ["-c", directory] }
    let options = [
      ["set-option", "-g", "default-terminal", terminal],
      ["set-option", "-g", "status", "off"],
      ["set-option", "-g", "remain-on-exit", "on"],
      ["set-option", "-gq", "remain-on-exit-format", ""],
      ["set-option", "-g", "default-size", "\(columns)x\(rows)"],
      ["set-option", "-s", "escape-time", "0"],
      ["set-option", "-g", "history-limit", "\(history)"],
    ]
    var arguments = ["start-server", ";"]
    for option in options { arguments += option + [";"] }
    arguments += session + ["--"] + pane.map(Tmux.escape)
    try run(arguments)
  }

  deinit { _ = try? run(["kill-server"]) }

  /// Presses keys by tmux's names: `Enter`, `C-c`, `F1`, `a`.
  public func sendKeys(_ keys: String...) throws(ToolError) {
    try run(["send-keys", "-t", "test", "--"] + keys.map(Tmux.escape))
  }

  /// Types the text as it is.
  public func sendText(_ text: String) throws(ToolError) {
    try run(["send-keys", "-t", "test", "-l", "--", Tmux.escape(text)])
  }

  /// The screen, a text a row without blanks at its end.
  ///
  /// - Parameter escapes: with the SGR sequences of the colors and attributes.
  public func capture(escapes: Bool = false) throws(ToolError) -> [String] {
    try ask([["capture-pane", "-p", "-t", "test"] + (escapes ? ["-e"] : [])])[0].lines
  }

  /// The screen and what has been scrolled out of it.
  public func captureHistory() throws(ToolError) -> [String] {
    try ask([["capture-pane", "-p", "-t", "test", "-S", "-"]])[0].lines
  }

  /// Waits until the condition on the screen holds, and returns that screen.
  @discardableResult
  public func waitFor(
    deadline seconds: Double = RunningTool.defaultDeadline, _ condition: ([String]) -> Bool
  ) throws(ToolError) -> [String] {
    var screen: [String] = []
    do {
      try waitUntil(deadline: seconds, "the screen") { () throws(ToolError) in
        screen = try capture()
        return condition(screen)
      }
    } catch {
      throw ToolError("\(error.description); it shows:\n\(screen.joined(separator: "\n"))")
    }
    return screen
  }

  /// Waits until the text stands in a row of the screen, and returns that screen.
  @discardableResult
  public func waitFor(
    _ text: String, deadline seconds: Double = RunningTool.defaultDeadline
  ) throws(ToolError) -> [String] {
    try waitFor(deadline: seconds) { $0.contains { $0.contains(text) } }
  }

  /// Sets the size of the window, in cells.
  public func resize(columns: Int, rows: Int) throws(ToolError) {
    try run(["resize-window", "-t", "test", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// Whether the program has ended.
  public var paneDead: Bool { get throws(ToolError) { try value("pane_dead") == "1" } }

  /// How the program ended; `nil` while it runs, and until tmux has learnt of it.
  public var status: ExitStatus? {
    get throws(ToolError) {
      let values = try value("pane_dead_signal} #{pane_dead_status")
        .split(separator: " ", omittingEmptySubsequences: false).map { Int($0) }
      guard values.count == 2, try paneDead else { return nil }
      if let signal = values[0] { return .signal(signal) }
      if let status = values[1] { return .exit(status) }
      try remindOfEnds()
      return nil
    }
  }

  /// Makes tmux look for programs that have ended.
  ///
  /// tmux 3.3a misses a SIGCHLD now and then, and never asks again: the pane is dead then, and has
  /// no status.
  public func remindOfEnds() throws(ToolError) {
    if let server = pid_t(try value("pid")) { kill(server, SIGCHLD) }
  }

  /// Waits until the program has ended; its last screen stays.
  public func waitForEnd(
    deadline seconds: Double = RunningTool.defaultDeadline
  ) throws(ToolError) -> ExitStatus {
    var ended: ExitStatus?
    try waitUntil(deadline: seconds, "the end of the program") { () throws(ToolError) in
      ended = try status
      return ended != nil
    }
    guard let ended else { throw ToolError("the program has no status") }
    return ended
  }

  /// The program's process.
  public var pid: Int { get throws(ToolError) { Int(try value("pane_pid")) ?? 0 } }

  /// Where the cursor stands, from 0.
  public var cursor: (column: Int, row: Int) {
    get throws(ToolError) {
      let values = try value("cursor_x} #{cursor_y").split(separator: " ").compactMap { Int($0) }
      return values.count == 2 ? (values[0], values[1]) : (0, 0)
    }
  }

  /// One of the variables in the section FORMATS of `tmux(1)`, for instance `alternate_on`.
  public func value(_ name: String) throws(ToolError) -> String {
    try ask([["display-message", "-p", "-t", "test", "#{\(name)}"]])[0].lines.first ?? ""
  }

  /// The variable in each pane of the window, from left to right and from top to bottom.
  public func valuesOfPanes(_ name: String) throws(ToolError) -> [String] {
    try ask([["list-panes", "-t", "test", "-F", "#{\(name)}"]])[0].lines
  }

  /// The screen of one of several panes, by its `pane_id`.
  public func capture(pane: String) throws(ToolError) -> [String] {
    try ask([["capture-pane", "-p", "-t", pane]])[0].lines
  }

  /// Runs commands at one moment, which print and have no line break in them; returns what each printed.
  func ask(_ commands: [[String]]) throws(ToolError) -> [[UInt8]] {
    if let control { return try control.run(commands) }
    let started = try TmuxControl(client, environment: Tmux.environment)
    control = started
    return try started.run(commands)
  }

  private var client: [String] { ["tmux", "-u", "-L", server, "-f", "/dev/null"] }
  private static let environment: [String: String?] = [
    "TMUX": nil, "TMUX_PANE": nil, "LC_ALL": "C.UTF-8",
  ]

  /// A `;` at the end of an argument would end tmux's command.
  static func escape(_ argument: String) -> String {
    argument.hasSuffix(";") ? argument.dropLast() + "\\;" : argument
  }

  /// Runs commands by a client of their own, whatever is in their arguments, and returns what they print.
  @discardableResult
  func run(_ arguments: [String]) throws(ToolError) -> String {
    let output: Tool.Output
    do {
      output = try Tool.run(client + arguments, environment: Tmux.environment)
    } catch {
      throw ToolError("this test needs tmux (make deps): \(error)")
    }
    guard output.status == .exit(0) else {
      throw ToolError("tmux \(arguments.first ?? ""): \(output.stderr)")
    }
    return output.stdout
  }
}
