import PerfHUDEvents

/// Where the phases of a program come from (`--phase-from`); without a choice the source that reports most.
package enum PhaseChoice: String, CaseIterable, Sendable {
  /// Reports of the program itself, and of `perfhud emit`.
  case app
  /// The title that it gives the terminal.
  case title
  /// The commands or jobs of a shell.
  case shell
  /// Lines of the file of `--events` that match `--phase-pattern`.
  case pattern
  case none
}

extension PhaseChoice {
  /// The origins of its events.
  package var origins: Set<EventOrigin> {
    switch self {
    case .app: [.app]
    case .title: [.title]
    case .shell: [.shell, .job]
    case .pattern: [.pattern]
    case .none: []
    }
  }
}
