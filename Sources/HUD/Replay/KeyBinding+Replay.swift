import Metrics
import Terminal

/// Which table of keys applies.
package enum KeySet: Sendable, CaseIterable {
  /// A full-screen view of something that runs.
  case pane
  /// A HUD over a program.
  case overlay
  /// A full-screen view of a recording.
  case replay
  /// The HUD over the recorded screen of a program.
  case replayOverlay

  init(_ family: HUDFamily, isReplay: Bool = false) {
    self =
      family == .pane ? (isReplay ? .replay : .pane) : (isReplay ? .replayOverlay : .overlay)
  }

  /// Whether the HUD is over a program, and has no tabs.
  var isOverlay: Bool { self == .overlay || self == .replayOverlay }

  /// Whether nothing is sampled.
  var isReplay: Bool { self == .replay || self == .replayOverlay }
}

/// The command of a key in a replay, for the player of the recording.
package enum ReplayAction: Equatable, Sendable {
  case togglePause
  /// Play at the next higher speed, or with -1 at the next lower one.
  case speed(Int)
  case normalSpeed
  /// Go to the next sample, or with -1 to the previous one.
  case step(Int)
  /// Move forward by this number of seconds, or back if negative.
  case skip(Int)
  case start
  case end
  /// Start typing a time to go to.
  case typeTime
  /// Go to the time that was typed: nanoseconds from the start.
  case seek(UInt64)
  /// Go to the next marker of a kind, or with -1 to the previous one.
  case marker(ReplayMarker, Int)
  /// Show the recorded screen below the HUD, or the full-screen view.
  case toggleScreen
  /// Show that there is nothing to do in a replay.
  case refuse
}

/// A kind of marker that a replay can go to.
package enum ReplayMarker: Equatable, Sendable {
  case phase, alert, slowFrame, mark
}

extension KeyBinding {
  private init(
    _ keys: (Key, Key), _ label: StaticString, plain: StaticString? = nil, _ word: Word,
    _ command: (Int) -> ReplayAction
  ) {
    self.init([(keys.0, .replay(command(-1))), (keys.1, .replay(command(1)))], label, word)
    plainLabel = plain
  }

  private static func marker(_ kind: ReplayMarker) -> (Int) -> ReplayAction {
    { .marker(kind, $0) }
  }

  /// The keys that control playback: those of mpv, if it has a key for the purpose.
  private static let player: [KeyBinding] = [
    KeyBinding([.character(" ")], "space", .replay(.togglePause), .helpPlay),
    KeyBinding(
      [
        (.character("["), .replay(.speed(-1))), (.character("]"), .replay(.speed(1))),
        (.backspace, .replay(.normalSpeed)),
      ], "[ ]", .helpSpeed),
    KeyBinding((.character(","), .character(".")), ", .", .helpStep) { .step($0) },
    KeyBinding((.left, .right), "← →", plain: "<- ->", .helpSeek) { .skip(5 * $0) },
    KeyBinding((.pageUp, .pageDown), "Pg", .helpSeekMinute) { .skip(60 * $0) },
    KeyBinding([(.home, .replay(.start)), (.end, .replay(.end))], "Home", .helpSeekEnds),
    KeyBinding([.character(":")], ":", .replay(.typeTime), .helpSeekTime),
    KeyBinding([.character("V")], "V", .replay(.toggleScreen), .helpScreen),
    KeyBinding((.character("{"), .character("}")), "{ }", .helpNextPhase, marker(.phase)),
    KeyBinding((.character("<"), .character(">")), "< >", .helpNextSlowFrame, marker(.slowFrame)),
    KeyBinding((.character("("), .character(")")), "( )", .helpNextAlert, marker(.alert)),
    KeyBinding((.character("\""), .character("'")), "\" '", .helpNextUserMark, marker(.mark)),
  ]

  /// Whether a replay cannot execute a command, because nothing is sampled and there is no process.
  private static func isRefused(_ command: HUDCommand) -> Bool {
    switch command {
    case .faster, .slower, .mark, .resetPeaks, .readPSS, .recordLast, .countChildren, .signals,
      .renice:
      true
    default: false
    }
  }

  /// Whether a key has a command in a full-screen view that a replay refuses.
  static func isRefused(_ key: Key) -> Bool {
    command(for: key, in: .pane).map(isRefused) ?? false
  }

  /// The keys of the full-screen view of a recording.
  package static let replay = [pane[0]] + player + withoutRefused(pane.dropFirst())

  /// The keys of the HUD over a recorded screen.
  package static let replayOverlay = [pane[0]] + player + withoutRefused(overlay[...])

  /// The keys that a replay does not refuse, without those that it uses otherwise.
  private static func withoutRefused(_ bindings: ArraySlice<KeyBinding>) -> [KeyBinding] {
    bindings.compactMap { binding -> KeyBinding? in
      let first = binding.commands.first?.command
      switch first {
      case .pause, .keepFocus, .back: return nil
      case .corner: return binding.withoutArrows(.helpCorner)
      case .settings: return KeyBinding([.character("S")], "S", .settings, .helpSettings)
      case .tab: return binding.withoutArrows(.helpTabsByNumber)
      case let command? where isRefused(command): return nil
      case nil where [.helpSignal, .helpRenice, .helpPrefixKey].contains(binding.word): return nil
      default: return binding
      }
    }
  }

  /// The same without the arrow keys.
  private func withoutArrows(_ word: Word) -> KeyBinding {
    let arrows: [Key] = [.left, .right, .up, .down]
    return KeyBinding(
      commands.filter { !arrows.contains($0.key) }.map { ($0.key, $0.command) }, label, word)
  }
}
