import ArgumentParser
import Glibc
import PerfHUDBase

/// `perfhud tmux`: shows the program of a tmux pane in a side pane, a popup or the status line.
struct TmuxCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tmux", _superCommandName: "perfhud",
    abstract: "Open a tmux pane that shows the program in this one.",
    discussion: """
      The program is the one in the foreground of the pane, whichever that is: perfhud follows it.

      In tmux.conf:
        bind H run-shell -b "perfhud tmux side --pane '#{pane_id}'"
        bind P run-shell -b "perfhud tmux popup --pane '#{pane_id}'"
        set -g status-right '#(perfhud tmux status #{pane_pid})'
      """,
    subcommands: [Side.self, Popup.self, Status.self, Follow.self])

  func run() throws {
    throw ValidationError("tmux needs one of: side, popup, status")
  }

  struct Pane: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "The pane whose program is shown. (default: this one)", valueName: "id"))
    var pane: String?
  }

  struct Side: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "Open a side pane that shows the program of this pane, or close it.")
    @OptionGroup var target: Pane
    @Option(help: ArgumentHelp("Its width.", valueName: "columns"))
    var width = 44

    func validate() throws {
      guard (1...1000).contains(width) else {
        throw ValidationError("width \(width) is not from 1 to 1000")
      }
    }

    func perform(_ environment: Environment) throws -> Int32 {
      let client = try TmuxClient()
      let here = try client.pane(target.pane)
      let panes = try client.panes(besides: here)
      if let open = here.isSide ? here : panes.first(where: { $0.sideOf == here.id }) {
        try client.run(["kill-pane", "-t", open.id])
        return ExitStatus.done
      }
      let side = try client.run(
        [
          "split-window", "-d", "-h", "-l", "\(width)", "-t", here.id, "-P", "-F", "#{pane_id}",
          "--",
        ]
          + TmuxCommand.follow(here.process))
      try client.run(["set-option", "-p", "-t", side, TmuxClient.sideOption, here.id])
      return ExitStatus.done
    }
  }

  struct Popup: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "Open a popup that shows the program of this pane; q closes it.")
    @OptionGroup var target: Pane

    func perform(_ environment: Environment) throws -> Int32 {
      let client = try TmuxClient()
      let here = try client.pane(target.pane)
      try client.run(
        ["display-popup", "-E", "-w", "90%", "-h", "80%", "-t", here.id, "--"]
          // This command is in the foreground of the pane if it was typed there, until the popup closes.
          + TmuxCommand.follow(here.process) + ["--waiting", "\(getpgrp())"])
      return ExitStatus.done
    }
  }

  struct Status: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the program, its CPU and its memory in a line, for status-right.",
      discussion: """
        CPU is over the time since the line before. The tree of the program counts. Prints nothing where \
        there is no such pane.
        """)
    @Argument(help: ArgumentHelp("The process of the pane: #{pane_pid}.", valueName: "pid"))
    var process: Int32?

    func perform(_ environment: Environment) throws -> Int32 {
      var process = process
      if process == nil { process = try TmuxClient().pane(nil).process }
      if let line = PaneStatus.line(of: process ?? 0) {
        try Console.print(line + "\n")
      }
      return ExitStatus.done
    }
  }

  /// The command that runs in the side pane and the popup.
  struct Follow: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the program in the foreground of a process's terminal.", shouldDisplay: false)
    @Argument(help: ArgumentHelp("A process of the terminal.", valueName: "pid")) var process: Int32
    @Option(help: ArgumentHelp("A process group that only waits for this.", valueName: "pgid"))
    var waiting: Int32?

    func perform(_ environment: Environment) throws -> Int32 {
      let context = LaunchContext.current()
      guard context.isTerminal else { throw UsageError("tmux follow needs a terminal") }
      let words = ["--pid", "\(process)", "--tree"]
      let arguments = try CommandLineArguments.parse(words)
      let request = try Request(
        arguments, ArgumentList(words.map { Array($0.utf8) }), context: context)
      return try Session.runFollowing(
        process, waiting: waiting, request, environment: environment)
    }
  }

  /// The command words that follow the foreground program of a process's terminal.
  fileprivate static func follow(_ process: Int32) -> [String] {
    [ownPath(), "tmux", "follow", "\(process)"]
  }

  /// The path of this program, which may not be in the PATH of the tmux server.
  ///
  /// Source: `readlink(2)` of `/proc/self/exe`.
  private static func ownPath() -> String {
    let path = AtomicFile.destination(of: "/proc/self/exe")
    return path == "/proc/self/exe" ? "perfhud" : path
  }
}
