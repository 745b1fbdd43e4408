import Terminal

/// What a key asks of a list.
public enum ListCommand: Equatable, Sendable {
  case up, down, pageUp, pageDown, home, end
  /// Begin to type what is looked for, or which rows are to stay.
  case search, filter
  case nextMatch, previousMatch

  /// The keys of every list, in the ways of less and vi.
  public init?(_ key: Key) {
    switch key {
    case .up, .character("k"): self = .up
    case .down, .character("j"): self = .down
    case .pageUp, .character("b"), .control("b"): self = .pageUp
    case .pageDown, .character(" "), .control("f"): self = .pageDown
    case .home, .character("g"): self = .home
    case .end, .character("G"): self = .end
    case .character("/"): self = .search
    case .character("&"): self = .filter
    case .character("n"): self = .nextMatch
    case .character("N"): self = .previousMatch
    default: return nil
    }
  }
}
