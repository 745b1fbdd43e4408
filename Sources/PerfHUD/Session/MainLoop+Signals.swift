import Glibc

extension MainLoop where Front: ~Copyable {
  /// The signals that the loop reads; blocked before any thread starts and before curses sets handlers.
  static var signalNumbers: [Int32] {
    [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGPIPE, SIGUSR1, SIGUSR2,
      SIGALRM, SIGXCPU, SIGCHLD, SIGXFSZ,
    ]
  }
}
