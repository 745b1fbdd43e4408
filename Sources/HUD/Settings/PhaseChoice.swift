import Events

/// Where the phases of a program come from (`--phase-from`); without a choice whatever tells most.
public enum PhaseChoice: String, CaseIterable, Sendable {
  /// What the program says itself, and `perfhud emit`.
  case app
  /// The title that it gives the terminal.
  case title
  /// The alternate screen.
  case screen
  /// The commands or jobs of a shell.
  case shell
  /// Lines of the file of `--events` that match `--phase-pattern`.
  case pattern
  case none
}

extension PhaseChoice {
  /// Who says what comes from there.
  public var origins: Set<EventOrigin> {
    switch self {
    case .app: [.app]
    case .title: [.title]
    case .screen: [.screen]
    case .shell: [.shell, .job]
    case .pattern: [.pattern]
    case .none: []
    }
  }
}
