import Glibc

/// What a signal means for a loop.
enum LoopSignal {
  case resize
  case suspend
  case resume
  /// A child process has ended or stopped.
  case child
  case ignore
  case end

  init(_ signal: Int32) {
    self =
      switch signal {
      case SIGWINCH: .resize
      case SIGTSTP: .suspend
      case SIGCONT: .resume
      case SIGCHLD: .child
      case SIGPIPE, SIGUSR1, SIGXFSZ: .ignore
      default: .end
      }
  }

  /// The signals that a loop reads. Block them before any thread starts, and before curses sets handlers.
  static var numbers: [Int32] {
    [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGPIPE, SIGUSR1, SIGUSR2,
      SIGALRM, SIGXCPU, SIGCHLD, SIGXFSZ,
    ]
  }
}

/// How a loop ended.
enum LoopOutcome: Equatable {
  /// The user or an option ended it.
  case done
  case targetEnded
  /// A signal that means "end": the process dies by it once everything is restored.
  case signal(Int32)
}
