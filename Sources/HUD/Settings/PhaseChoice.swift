import PerfHUDEvents

/// Where the phases of a program come from (`--phase-from`); by default the source that says most about the program.
package enum PhaseChoice: String, CaseIterable, Sendable {
  /// Reports from the program itself, and from `perfhud emit`.
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
  /// The origins of the events that this choice accepts.
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
