import PerfHUDBase
import Recording
import Terminal

/// The screen of a recording at any of its times, also backward.
///
/// The file is fed to two screen models. The first is fed once from start to end, in pieces between which keys are
/// handled (`index`), and leaves keyframes. The second is at the position, and is fed from the keyframe before it.
/// Memory is bounded: if there are too many keyframes, every other one is removed.
struct ScreenPlayer: ~Copyable {
  private var current: ScreenCursor
  private var front: ScreenCursor
  private var keyframes: ScreenKeyframes
  /// Whether the whole file has been fed once.
  private(set) var isIndexed = false

  /// - Parameters:
  ///   - stride: the distance of two keyframes, in bytes of output.
  ///   - capacity: the memory of all keyframes, in bytes.
  init(
    path: String, of recording: RecordingHeader, stride: Int = 128 << 10, capacity: Int = 48 << 20
  ) throws(RecordingError) {
    let first = try AsciicastReader(path: path, of: recording)
    let second = try AsciicastReader(path: path, of: recording)
    current = ScreenCursor(first)
    front = ScreenCursor(second)
    keyframes = ScreenKeyframes(stride: stride, capacity: capacity)
    if let first = front.keyframe { keyframes.add(first) }
  }

  /// Gives access to the screen at the position.
  borrowing func withScreen<Result>(_ body: (borrowing Screen) -> Result) -> Result {
    body(current.screen)
  }

  /// The size of the terminal at the position.
  var size: Size { current.screen.size }
  /// Whether the terminal's cursor was hidden at the position.
  var hidesCursor: Bool {
    !current.screen.modes.contains(.visibleCursor) || !current.screen.isCursorKnown
  }
  var cursor: Point { current.screen.cursor }
  /// Whether the program had the alternate screen at the position.
  var isAlternate: Bool { current.screen.isAlternate }
  /// Differs whenever another screen may be shown.
  struct Stamp: Equatable {
    fileprivate var fed: Int
    fileprivate var time: UInt64
  }

  var stamp: Stamp { Stamp(fed: current.fed, time: current.time) }
  /// The memory used by the keyframes.
  var keyframeBytes: Int { keyframes.bytes }

  /// Feeds the next part of the file for the first time.
  ///
  /// - Parameter budget: the approximate number of output bytes to feed.
  mutating func index(_ budget: Int) {
    var left = budget
    while left > 0 {
      guard front.nextTime() != nil else {
        isIndexed = true
        return
      }
      left -= front.applyNext()
      if keyframes.isDue(front.fed), let keyframe = front.keyframe { keyframes.add(keyframe) }
    }
  }

  /// Checks again whether the file has grown.
  mutating func follow() { isIndexed = false }

  /// The approximate number of output bytes that a call of `seek` feeds: a damaged or forged file may have no
  /// keyframes.
  private static let seekBudget = 8 << 20

  /// Goes to a time, in nanoseconds from the start.
  ///
  /// - Returns: whether it is there; if not, call it again.
  mutating func seek(to time: UInt64) -> Bool {
    if let keyframe = keyframes.last(notAfter: time),
      current.time > time || keyframe.fed > current.fed
    {
      current.resume(keyframe)
    }
    var left = ScreenPlayer.seekBudget
    while let next = current.nextTime(), next <= time {
      left -= current.applyNext()
      if left <= 0 { return false }
    }
    return true
  }
}

/// A place in the screen file from which it can be fed again.
private struct ScreenPlace {
  var time: UInt64
  var offset: Int64
  /// The number of output bytes before it.
  var fed: Int
  var screen: ScreenKeyframe
}

/// Feeds the screen file to a model.
private struct ScreenCursor: ~Copyable {
  private var reader: AsciicastReader
  private(set) var screen: Screen
  /// The time of the last applied event.
  private(set) var time: UInt64 = 0
  /// Where the next line begins.
  private var offset: Int64
  /// The number of output bytes so far.
  private(set) var fed = 0
  /// The event that has been read but not applied.
  private var held: AsciicastCode?

  init(_ reader: consuming AsciicastReader) {
    var options = Screen.Options()
    options.quirks = ScreenCursor.quirks(of: reader.header.terminal)
    screen = Screen(
      ScreenCursor.limited(columns: reader.header.columns, rows: reader.header.rows),
      options: options)
    offset = reader.offset
    self.reader = reader
  }

  /// The terminal is known only by its name. What matters here is what a cell shows, not whether it is certain.
  private static func quirks(of terminal: String) -> TerminalQuirks {
    terminal.hasPrefix("tmux") || terminal.hasPrefix("screen") ? .tmux : .laterXterm
  }

  /// Limits a size to what terminals have: a forged one must not take all memory.
  private static func limited(columns: Int, rows: Int) -> Size {
    Size(rows: min(max(1, rows), 1000), columns: min(max(1, columns), 1000))
  }

  /// The current place; `nil` within a sequence.
  var keyframe: ScreenPlace? {
    ScreenKeyframe(screen).map {
      ScreenPlace(time: time, offset: offset, fed: fed, screen: $0)
    }
  }

  mutating func resume(_ place: ScreenPlace) {
    reader.resume(at: place.offset, time: place.time)
    screen = place.screen.screen()
    time = place.time
    offset = place.offset
    fed = place.fed
    held = nil
  }

  /// The time of the next event; `nil` at the end of the file.
  mutating func nextTime() -> UInt64? {
    if held == nil { held = reader.next() }
    return held == nil ? nil : reader.time
  }

  /// Applies the event whose time was requested.
  ///
  /// - Returns: its size in bytes.
  mutating func applyNext() -> Int {
    guard let code = held.take() else { return 0 }
    switch code {
    case .output: feed()
    case .size: resize()
    case .mark, .other: break
    }
    time = reader.time
    offset = reader.offset
    fed += reader.data.count + 1
    return reader.data.count + 1
  }

  private mutating func feed() {
    let data = reader.data
    var index = 0
    // It stops at the program's messages to perfhud, which terminals do not receive.
    while index < data.count { index = unsafe screen.feed(data.span.bytes, from: index).resume }
  }

  private mutating func resize() {
    let parts = String(decoding: reader.data, as: UTF8.self).split(separator: "x")
    guard parts.count == 2, let columns = Int(parts[0]), let rows = Int(parts[1]),
      columns > 0, rows > 0
    else { return }
    screen.resize(to: ScreenCursor.limited(columns: columns, rows: rows), isKnown: true)
  }
}

/// Keyframes along the screen file, at equal distances of output.
private struct ScreenKeyframes {
  private var list: [ScreenPlace] = []
  private var stride: Int
  private let capacity: Int
  private(set) var bytes = 0

  init(stride: Int, capacity: Int) {
    self.stride = stride
    self.capacity = capacity
  }

  /// Whether to keep a keyframe after this many bytes of output.
  func isDue(_ fed: Int) -> Bool { fed - (list.last?.fed ?? 0) >= stride }

  mutating func add(_ place: ScreenPlace) {
    // If a followed file is read again, the keyframes exist already.
    if let last = list.last, place.fed <= last.fed { return }
    list.append(place)
    bytes += place.screen.bytes
    guard bytes > capacity, list.count > 2 else { return }
    // The first one, at the start of the file, stays.
    list = list.indices.filter { $0.isMultiple(of: 2) }.map { list[$0] }
    bytes = list.reduce(0) { $0 + $1.screen.bytes }
    stride *= 2
  }

  /// The last keyframe at or before a time. Complexity: logarithmic in their number.
  func last(notAfter time: UInt64) -> ScreenPlace? {
    let count = partitionPoint(list.count) { list[$0].time <= time }
    return count > 0 ? list[count - 1] : nil
  }
}
