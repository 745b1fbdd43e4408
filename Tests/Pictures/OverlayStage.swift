import HUD
import Metrics
import PerfHUDBase
import Terminal

/// A program's output and the HUD over it on a terminal, as `perfhud` does it: what the compositor sends goes to a
/// screen model, which is the picture.
struct OverlayStage: ~Copyable {
  private var compositor: Compositor
  private(set) var terminal: Screen
  private var queue = OutputQueue()
  private var hud: HUD
  private let place: Rect
  private let room: Rect

  /// - Parameter size: Of the HUD.
  init(
    _ screen: Size, size: HUDSize = .medium, corner: Corner = .topRight,
    background: Background = .dark
  ) {
    terminal = Screen(screen)
    compositor = Compositor(
      size: screen, options: Screen.Options(),
      styles: Theme(depth: .direct, background: background).styles)
    compositor.hasSynchronizedUpdates = true
    var state = HUDState(family: .overlay)
    state.prefixKey = "F12"
    hud = HUD(size: Size(rows: 5, columns: 38), state: state)
    hud.begin(with: Settings())
    room = Rect(row: 0, column: 0, rows: screen.rows, columns: screen.columns - 1)
    place = Placement.place(size, at: corner, in: screen) ?? room
  }

  /// The program writes.
  ///
  /// - Returns: what goes to the terminal.
  mutating func pass(_ bytes: [UInt8], now: Instant) -> [UInt8] {
    var from = 0
    while from < bytes.count {
      let count = min(Compositor.chunk, bytes.count - from)
      unsafe compositor.space.copyBytes(from: bytes[from..<from + count])
      compositor.pass(count, now: now, to: &queue)
      from += count
    }
    return deliver()
  }

  /// The HUD shows the run.
  ///
  /// - Returns: what goes to the terminal.
  mutating func show(_ run: borrowing Run, now: Instant) -> [UInt8] {
    hud.invalidate()
    hud.place(at: place, in: room)
    if hud.needsDraw(now: now) { hud.draw(run, now: now) }
    compositor.show(hud.picture, parts: hud.parts, at: hud.bounds)
    compositor.settle(now: now, isIdle: true, to: &queue)
    return deliver()
  }

  private mutating func deliver() -> [UInt8] {
    let output = queue.bytes
    queue.removeAll()
    var from = 0
    while from < output.count { from = unsafe terminal.feed(output.span.bytes, from: from).resume }
    return output
  }
}
