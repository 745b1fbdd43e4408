import Metrics
import Terminal

/// What a key asks for.
public enum HUDCommand: Equatable, Sendable {
  case quit
  case pause
  case faster
  case slower
  case graphStyle
  case cpuScale
  case mark
  case resetPeaks
  case readPSS
  case help
  /// Leave the terminal to the shell until the job is continued.
  case suspend
  /// Draw everything anew.
  case redraw
}

/// The one list of keys; the help is made from it.
public struct KeyBinding: Sendable {
  public let keys: [Key]
  /// As the help shows them.
  public let label: StaticString
  public let command: HUDCommand
  public let word: Word

  public static let all: [KeyBinding] = [
    KeyBinding(
      keys: [.character("q"), .character("Q"), .control("c")], label: "q", command: .quit,
      word: .helpQuit),
    KeyBinding(keys: [.character(" ")], label: "space", command: .pause, word: .helpPause),
    KeyBinding(
      keys: [.character("+"), .character("=")], label: "+", command: .faster, word: .helpFaster),
    KeyBinding(
      keys: [.character("-"), .character("_")], label: "-", command: .slower, word: .helpSlower),
    KeyBinding(keys: [.character("g")], label: "g", command: .graphStyle, word: .helpGraph),
    KeyBinding(
      keys: [.character("I"), .character("i")], label: "I", command: .cpuScale, word: .helpScale),
    KeyBinding(keys: [.character("m")], label: "m", command: .mark, word: .helpMark),
    KeyBinding(keys: [.character("r")], label: "r", command: .resetPeaks, word: .helpReset),
    KeyBinding(keys: [.character("P")], label: "P", command: .readPSS, word: .helpPSS),
    KeyBinding(
      keys: [.character("?"), .character("h")], label: "?", command: .help, word: .helpHelp),
    KeyBinding(keys: [.control("l")], label: "^L", command: .redraw, word: .helpRedraw),
    KeyBinding(keys: [.control("z")], label: "^Z", command: .suspend, word: .helpSuspend),
  ]

  /// The command of a key, or `nil` if it has none.
  public static func command(for key: Key) -> HUDCommand? {
    all.first { $0.keys.contains(key) }?.command
  }
}
