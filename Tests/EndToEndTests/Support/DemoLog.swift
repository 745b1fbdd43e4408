import PerfHUDBase
import TestSupport

/// What the demo has written down of itself (`perfhud-demo --log`): the truth of its tests.
struct DemoLog {
  /// From one of its places to the next.
  struct Stretch {
    /// `gallery` or `canvas`.
    var name: String
    var start: Instant
    var end: Instant
  }

  /// One visit to the canvas.
  struct Visit {
    var stretch: Stretch
    var frames: Int
    var moves: Int
    /// Mebibytes that its layers held when it was left, and what of them is still held after it.
    var held: Int
    var kept: Int
  }

  private(set) var stretches: [Stretch] = []
  private(set) var visits: [Visit] = []
  private(set) var end = Instant(nanoseconds: 0)
  private(set) var frames = 0
  private(set) var moves = 0
  /// When each frame had been painted, with all moves of the pen in it.
  private(set) var frameTimes: [Instant] = []

  init(path: String) throws(ToolError) {
    let text = try Tool.run(["cat", path]).stdout
    var before = (frames: 0, moves: 0, kept: 0)
    for line in text.split(separator: "\n").map(String.init) {
      let words = line.split(separator: " ").map(String.init)
      guard words.count >= 2, let nanoseconds = UInt64(words[0]) else {
        throw ToolError("no line of the demo: \(line)")
      }
      let time = Instant(nanoseconds: nanoseconds)
      let numbers = DemoLog.numbers(words.dropFirst(2))
      switch words[1] {
      case "gallery", "canvas":
        close(time)
        stretches.append(Stretch(name: words[1], start: time, end: time))
        guard words[1] == "gallery", let kept = numbers["holding"], !visits.isEmpty else { break }
        visits[visits.count - 1].kept = kept - before.kept
        before.kept = kept
      case "frame": frameTimes.append(time)
      case "leaving":
        // Until the gallery begins it gives its memory back, and draws no more.
        guard var stretch = stretches.last, let frames = numbers["frames"],
          let moves = numbers["moves"], let held = numbers["holding"]
        else { throw ToolError("a visit without its figures: \(line)") }
        stretch.end = time
        visits.append(
          Visit(
            stretch: stretch, frames: frames - before.frames, moves: moves - before.moves,
            held: held, kept: 0))
        before.frames = frames
        before.moves = moves
      case "end":
        close(time)
        end = time
        frames = numbers["frames"] ?? -1
        moves = numbers["moves"] ?? -1
      default: throw ToolError("no line of the demo: \(line)")
      }
    }
    guard end.nanoseconds > 0 else { throw ToolError("the demo has not come to its end: \(text)") }
  }

  private mutating func close(_ time: Instant) {
    if !stretches.isEmpty { stretches[stretches.count - 1].end = time }
  }

  private static func numbers(_ words: some Sequence<String>) -> [String: Int] {
    var found: [String: Int] = [:]
    for word in words {
      let parts = word.split(separator: "=")
      if parts.count == 2 { found[String(parts[0])] = Int(parts[1]) }
    }
    return found
  }

  /// The places that it was in between two instants, in any of that time; `nil` is none.
  func places(from start: Instant, to last: Instant) -> Set<String?> {
    var found: Set<String?> = []
    if start < stretches.first?.start ?? end || last > end { found.insert(nil) }
    for stretch in stretches where stretch.start <= last && start <= stretch.end {
      found.insert(stretch.name)
    }
    return found
  }

  /// The stretch that holds all the time between two instants; `nil` where it changed meanwhile.
  func stretch(from start: Instant, to last: Instant) -> Stretch? {
    stretches.first { $0.start <= start && last <= $0.end }
  }

  /// How many frames it has painted between two instants.
  func frames(from start: Instant, to last: Instant) -> Int {
    frameTimes.count { start < $0 && $0 <= last }
  }

  /// The number of frames that have, without the first, more moves of the pen than make an action HIGH.
  private static let manyFrames = 9
  /// Seconds for which nobody may pause where places are distinguished.
  private static let longestPause = 0.5

  /// Whether the pen has moved so fast in each second of each visit that HIGH lasts to its end, also for
  /// somebody who did not look meanwhile.
  ///
  /// - Parameter pauses: from one look at what the demo has sent to the next.
  func isSteady(pauses: [ClosedRange<Instant>]) -> Bool {
    func isFast(_ start: Instant, _ last: Instant) -> Bool {
      frames(from: start, to: last) >= DemoLog.manyFrames
    }
    for pause in pauses
    where pause.upperBound.seconds(since: pause.lowerBound) > DemoLog.longestPause {
      return false
    }
    for visit in visits.map(\.stretch) {
      func isInside(_ time: Instant) -> Bool {
        visit.start.advanced(bySeconds: 1) <= time && time <= visit.end
      }
      for time in frameTimes + [visit.end] where isInside(time) {
        guard isFast(time.advanced(bySeconds: -1), time) else { return false }
      }
      for pause in pauses where isInside(pause.upperBound) {
        guard isFast(pause.upperBound.advanced(bySeconds: -1), pause.lowerBound) else {
          return false
        }
      }
    }
    return true
  }
}

/// The summary that perfhud prints at the end of the demo.
struct DemoSummary {
  let text: String
  private let lines: [String]

  init(_ text: String) {
    self.text = text
    lines = text.split(separator: "\n").map(String.init)
  }

  /// The line that says a thing, without its first word: `canvas: 3 visits, …`.
  func line(_ kind: String, _ start: String = "") throws(ToolError) -> String {
    for line in lines where line.hasPrefix("  \(kind) ") {
      let rest = line.dropFirst(2 + kind.count).drop { $0 == " " }
      if rest.hasPrefix(start) { return String(rest) }
    }
    throw ToolError("no line \(kind) \(start) in:\n\(text)")
  }

  /// Events that did not arrive.
  var lost: Int {
    get throws(ToolError) {
      try line("events").wholeMatch(of: #/\d+, (\d+) lost.*/#).flatMap { Int($0.1) } ?? 0
    }
  }
}
