import Metrics
import PerfHUDBase
import Terminal

/// What the HUD shows about the player of a recording. Times are nanoseconds from the start of the recording.
package struct ReplayState: Equatable, Sendable {
  package var position: UInt64 = 0
  package var length: UInt64 = 0
  /// How far the recording has been read; later parts cannot be shown yet.
  package var read: UInt64 = 0
  /// The position to go to once it has been read.
  package var target: UInt64?
  package var speed = 1.0
  package var isPaused = false
  /// Whether the end of a file that is still being written is shown.
  package var isLive = false
  /// Whether the time is being typed.
  package var isTyped: Bool { typed != nil }
  /// Where phases begin.
  package var phases: [UInt64] = []
  /// The time that is being typed; `nil` if there is none.
  var typed: String?

  package init() {}

  /// Parses a time in a recording: `83s`, `1:23`, `1:23:45`, `1h2m3s`; in nanoseconds. `nil` if it is not a time.
  package static func time(_ text: String) -> UInt64? {
    let text = text.filter { $0 != " " }
    guard !text.isEmpty, text.utf8.count <= 20 else { return nil }
    if text.contains(":") {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count <= 3 else { return nil }
      var seconds = 0.0
      for (index, part) in parts.enumerated() {
        let isLast = index == parts.count - 1
        guard let value = number(part), isLast || !part.contains(".") else { return nil }
        seconds = seconds * 60 + value
      }
      return nanoseconds(seconds)
    }
    if let seconds = number(text) { return nanoseconds(seconds) }
    var seconds = 0.0
    var digits = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      if character.isNumber || character == "." {
        digits.append(character)
        continue
      }
      var unit = String(character)
      if character == "m", rest.first == "s" {
        rest.removeFirst()
        unit = "ms"
      }
      guard let value = number(digits), let factor = factor(unit) else { return nil }
      seconds += value * factor
      digits = ""
    }
    return digits.isEmpty ? nanoseconds(seconds) : nil
  }

  private static func factor(_ unit: String) -> Double? {
    switch unit {
    case "ms": 0.001
    case "s": 1
    case "m": 60
    case "h": 3600
    case "d": 86_400
    default: nil
    }
  }

  /// Parses digits with at most one point.
  private static func number(_ text: String) -> Double? {
    guard let first = text.utf8.first, (0x30...0x39).contains(first),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
    else { return nil }
    return Double(text)
  }

  private static func nanoseconds(_ seconds: Double) -> UInt64? {
    seconds <= 1e9 ? UInt64(seconds * 1e9) : nil
  }
}

/// The keys of a replay, and the effects of a jump.
extension HUD {
  mutating func perform(_ command: ReplayAction) -> HUDRequest? {
    switch command {
    case .refuse: note(.noteNotInReplay)
    case .typeTime:
      state.replay?.typed = ""
      redrawAtOnce()
    default: return .replay(command)
    }
    return nil
  }

  /// Handles a key while a time is being typed.
  mutating func typeTime(_ key: Key) -> HUDRequest? {
    var text = state.replay?.typed ?? ""
    redrawAtOnce()
    switch key {
    case .backspace where !text.isEmpty: text.removeLast()
    case .escape, .control("c"), .control("g"), .backspace:
      state.replay?.typed = nil
      return nil
    case .enter:
      state.replay?.typed = nil
      if text.isEmpty { return nil }
      guard let time = ReplayState.time(text) else {
        note(.noteNoTime, SafeText.clean(text))
        return nil
      }
      return .replay(.seek(time))
    default:
      guard case .character(let scalar) = key.code, key.modifiers.isEmpty, scalar.isASCII,
        text.utf8.count < 12
      else { return nil }
      text.unicodeScalars.append(scalar)
    }
    state.replay?.typed = text
    return nil
  }

  /// The position in the recording as a row, for a view that has none.
  package func progressRow(_ run: borrowing Run, columns: Int) -> CellGrid {
    var canvas = Canvas(Size(rows: 1, columns: columns), isASCII: state.isASCII)
    let context = DrawContext(run: copy run, row: state.values.row, state: state)
    var frame = Rect(row: 0, column: 0, rows: 1, columns: columns)
    let hint = Word.replayFullView.text(state.language)
    let width = Canvas.width(hint) + 4
    if columns >= width + 40 {
      frame.columns -= width
      canvas.text(" V ", row: 0, column: frame.columns, role: .label)
      canvas.text(hint, row: 0, column: frame.columns + 3, role: .dim)
    }
    drawProgress(&canvas, frame, context)
    return canvas.grid
  }

  /// Takes the new state of the player.
  ///
  /// - Parameter hasJumped: whether the run has jumped to another time, instead of advancing a little.
  package mutating func update(_ replay: ReplayState, interval: UInt64, hasJumped: Bool) {
    var replay = replay
    replay.typed = state.replay?.typed
    state.interval = interval
    guard replay != state.replay || hasJumped else { return }
    let isKey = state.replay?.isPaused != replay.isPaused || state.replay?.speed != replay.speed
    state.replay = replay
    change = .everything
    if hasJumped {
      // Before the first sample there is no row, whatever was shown.
      state.values.forget()
      drawn.graphEnd = nil
      drawn.table = nil
    }
    if hasJumped || isKey { drawn.time = nil }
  }
}
