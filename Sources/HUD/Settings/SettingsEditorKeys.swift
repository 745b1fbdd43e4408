import Terminal

/// What a key asks of the sheet of settings.
public enum SettingsCommand: Equatable, Sendable {
  case up, down, pageUp, pageDown, home, end
  /// Take the value before, or behind.
  case previous, next
  /// Begin to type a value.
  case type
  /// Leave it with the settings as they were.
  case undo
  /// Leave it with the settings as they are now.
  case keep
  case save

  public init?(_ key: Key) {
    switch key {
    case .up, .character("k"): self = .up
    case .down, .character("j"), .tab: self = .down
    case .pageUp, .control("b"): self = .pageUp
    case .pageDown, .control("f"): self = .pageDown
    case .home, .character("g"): self = .home
    case .end, .character("G"): self = .end
    case .left, .character("h"), .character("-"): self = .previous
    case .right, .character("l"), .character("+"), .character(" "): self = .next
    case .enter: self = .type
    case .escape, .control("c"): self = .undo
    case .character(","), .character("q"): self = .keep
    case .character("S"), .character("s"): self = .save
    default: return nil
    }
  }
}
