import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal

@testable import HUD

/// A pane on the made-up process with what it says of itself, and keys, clicks and time.
struct PaneScreen: KeyedScreen {
  var hud: HUD
  var process: MadeUpProcess
  private(set) var now: Instant

  init(
    _ columns: Int = 80, _ rows: Int = 24, language: Language = .english, isASCII: Bool = false,
    process: MadeUpProcess = PaneScreen.busy, isAnimated: Bool = false
  ) {
    var state = HUDState(language: language, isASCII: isASCII)
    state.isAnimated = isAnimated
    hud = HUD(size: Size(rows: rows, columns: columns), state: state)
    self.process = process
    now = process.now
    draw()
  }

  /// Two minutes with two phases, and 60 actions of which the last is far too frequent.
  static let busy: MadeUpProcess = {
    var process = MadeUpProcess()
    for number in 0..<12 {
      var phase = Event(.phase)
      phase.name = Event.Name(number.isMultiple(of: 2) ? "gallery" : "canvas")
      process.apply(.event(phase, process.now))
      for action in 0..<5 {
        var event = Event(.action)
        event.name = Event.Name("action.\(number * 5 + action)")
        process.apply(.event(event, process.now))
      }
      process.pass(seconds: 10)
    }
    return process
  }()

  mutating func draw() { hud.draw(process.run, now: now) }

  mutating func mouse(_ action: MouseAction, row: Int, column: Int) {
    hud.handle(MouseEvent(action, at: Point(row: row, column: column)), run: process.run)
    draw()
  }

  mutating func click(row: Int, column: Int) {
    mouse(.press(button: 1), row: row, column: column)
  }

  /// Lets time pass and draws whatever is due meanwhile.
  ///
  /// - Returns: how many pictures there were.
  mutating func wait(milliseconds: Int64) -> Int {
    let end = now.advanced(byNanoseconds: milliseconds * 1_000_000)
    var count = 0
    while let due = hud.deadline(now: now), due <= end {
      now = due
      draw()
      count += 1
    }
    now = end
    return count
  }

  var text: String { hud.text }
  func line(_ row: Int) -> String { hud.picture.text(row: row) }
  func frame(_ id: WidgetID) -> Rect? { hud.layout.first { $0.id == id }?.frame }
  /// The columns of the second row that are thick.
  var underline: Range<Int> {
    let columns = (0..<hud.picture.size.columns).filter {
      hud.picture[1, $0].scalarValue == 0x2501
    }
    guard let first = columns.first, let last = columns.last else { return 0..<0 }
    return first..<last + 1
  }
}

/// A HUD on the made-up process that is drawn after each key.
protocol KeyedScreen {
  var hud: HUD { get set }
  var process: MadeUpProcess { get }
  mutating func draw()
}

extension KeyedScreen {
  /// Presses keys and draws; returns what the last of them asks for.
  @discardableResult
  mutating func press(_ keys: Key...) -> HUDRequest? {
    var request: HUDRequest?
    for key in keys { request = hud.handle(key, run: process.run) }
    draw()
    return request
  }

  mutating func type(_ text: String) {
    for scalar in text.unicodeScalars { press(.character(scalar)) }
  }
}
