import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Terminal

/// What perfhud does, decided once at launch and only from values.
enum LaunchMode: Equatable {
  /// The full-screen view of a process or cgroup.
  case attach(Selection)
  /// A list of processes, then the full-screen view of the chosen one.
  case pick
  /// Batch output: one row for each sample.
  case batch(Selection, BatchOptions)
  /// The HUD is drawn over a command.
  case overlay(Overlay)
  /// The command runs as it would without perfhud, which only measures it.
  case direct(Direct)
  /// A shell was requested below another HUD: perfhud ends. Otherwise a perfhud in the shell's startup file would start
  /// shells endlessly.
  case nothing

  /// What to show, as it was named.
  enum Selection: Equatable {
    case pid(Int32)
    /// A process with this name or a matching command line; with `waits`, waits until there is one.
    case name(String, waits: Bool)
    /// A cgroup by its path, or a systemd unit.
    case cgroup(String)
  }

  struct BatchOptions: Equatable {
    var format = LineFormat.text
    /// `nil` for standard output; with a command for standard error, since standard output belongs to the command.
    var path: String?
    var samples: Int?
  }

  struct Overlay: Equatable {
    /// Program and arguments, as bytes.
    var command: [[UInt8]]
    /// Whether the command is the user's shell because none was named.
    var isShell = false
    /// What the HUD shows; `nil` for the command.
    var selection: Selection?
    /// Whether to draw what is beneath the HUD instead of the HUD.
    var isGhost = false
    /// The rows to write to a file while the HUD is drawn, if requested.
    var rows: BatchOptions?
  }

  struct Direct: Equatable {
    /// Program and arguments, as bytes.
    var command: [[UInt8]]
    /// What is measured; `nil` for the command.
    var selection: Selection?
    var reason: DirectReason
  }

  /// Why there is no HUD over a command.
  enum DirectReason: Equatable {
    /// Batch output was requested.
    case batch(BatchOptions)
    /// Standard output is not a terminal.
    case noTerminal
    /// Another perfhud draws on this terminal; its PID, from `PERFHUD`.
    case nested(below: String)
    /// The terminal belongs to another job.
    case background
    /// There is nothing to read keys from.
    case noKeys
    /// The terminal has no sequences to draw with; the name, from `TERM`.
    case noSequences(term: String)
    /// The terminal or ncurses failed, which is known only after this decision.
    case noScreen
  }

  /// What was named to be shown; `nil` for the command.
  var selection: Selection? {
    switch self {
    case .attach(let selection), .batch(let selection, _): selection
    case .overlay(let overlay): overlay.selection
    case .direct(let direct): direct.selection
    case .pick, .nothing: nil
    }
  }

  /// The process that was named by its PID.
  var pid: Int32? {
    if case .pid(let pid) = selection { pid } else { nil }
  }

  /// Program and arguments of the command; `nil` if none is run.
  var command: [[UInt8]]? {
    switch self {
    case .overlay(let overlay): overlay.command
    case .direct(let direct): direct.command
    case .attach, .pick, .batch, .nothing: nil
    }
  }
}

/// What the launch depends on besides the command line.
struct LaunchContext {
  var environment: Environment
  /// Whether standard output is a terminal.
  var isTerminal = true
  /// Whether that terminal belongs to this job.
  var isForeground = true
  /// Whether there is a terminal to read keys from.
  var hasKeys = true

  /// Source: `isatty(3)`, `tcgetpgrp(3)`, `open(2)` of /dev/tty.
  static func current() -> LaunchContext {
    var hasKeys = TTY.isTerminal(STDIN_FILENO)
    if !hasKeys {
      let descriptor = unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      hasKeys = descriptor >= 0
      if descriptor >= 0 { close(descriptor) }
    }
    return LaunchContext(
      environment: .current(), isTerminal: TTY.isTerminal(STDOUT_FILENO),
      isForeground: TTY.isForeground(STDOUT_FILENO), hasKeys: hasKeys)
  }

  /// Applies the options that correspond to environment variables.
  func applying(_ arguments: CommandLineArguments) -> LaunchContext {
    var context = self
    context.environment.configFile = arguments.config
    context.environment.refusesColor = arguments.display.noColor
    return context
  }

  /// The PID of the perfhud above, from `PERFHUD`, made harmless.
  var outer: String? {
    environment["PERFHUD"].flatMap { $0.isEmpty ? nil : SafeText.clean($0, limit: 20) }
  }

  /// The name of a terminal that only prints, such as an editor's shell or a build log.
  var dumbTerminal: String? {
    environment["TERM"].flatMap { ["dumb", "emacs"].contains($0) ? $0 : nil }
  }

  /// The user's shell.
  var shell: String { environment.first(of: ["SHELL"]) ?? "/bin/sh" }
}
