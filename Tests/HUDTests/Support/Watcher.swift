import Metrics
import PerfHUDBase
import Terminal

@testable import HUD

/// A HUD of 80 by 24 that follows a made-up process.
struct Watcher {
  var process = MadeUpProcess()
  var hud: HUD

  init(_ columns: Int = 80, _ rows: Int = 24, state: HUDState = HUDState()) {
    hud = HUD(size: Size(rows: rows, columns: columns), state: state)
    process.pass(seconds: 5)
    hud.draw(process.run, now: process.now)
  }

  /// A sample comes, and what is due is drawn.
  ///
  /// - Returns: whether it was drawn.
  @discardableResult
  mutating func step() -> Bool {
    process.step()
    hud.invalidate()
    guard hud.needsDraw(now: process.now) else { return false }
    hud.draw(process.run, now: process.now)
    return true
  }

  mutating func press(_ key: Key) -> HUDRequest? { hud.handle(key, run: process.run) }

  /// Presses and draws.
  mutating func show(_ key: Key) {
    _ = press(key)
    hud.draw(process.run, now: process.now)
  }

  /// The value of the first gauge.
  var cpu: Substring { hud.lines.first { $0.hasPrefix("CPU") }?.prefix(13) ?? "" }
}
