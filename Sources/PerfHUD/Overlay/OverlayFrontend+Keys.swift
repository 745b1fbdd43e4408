import Base
import HUD
import Metrics
import Terminal

/// The keys that the HUD has between its leader and Esc.
extension OverlayFrontend {
  /// Passes on what has waited for the clock.
  mutating func resolveInput(now: Instant) {
    var passed: [UInt8] = []
    typed.resolve(now: now, into: &passed)
    if !passed.isEmpty { unsafe pty?.write(passed.span.bytes) }
  }

  /// Reads what was typed, of which the loop has just been told, and serves the keys for the HUD.
  mutating func takeInput(now: Instant, run: borrowing Run, into requests: inout [HUDRequest]) {
    guard var typing = readTyping(isReady: true) else { return }
    while takeNext(&typing, now: now) { serveKeys(run: run, into: &requests) }
    pass(typing, now: now)
  }

  /// The same, if there is anything; keys for the HUD are not kept.
  mutating func takeInputOfCommand(now: Instant) {
    guard var typing = readTyping(isReady: false) else { return }
    while takeNext(&typing, now: now) {
      _ = typed.takeKeys()
      _ = typed.takeMouse()
    }
    pass(typing, now: now)
  }

  /// What was typed, on its way to the command and the HUD.
  struct Typing {
    let bytes: [UInt8]
    let count: Int
    var index = 0
    var passed: [UInt8] = []
    let keysBefore: Int
  }

  private mutating func readTyping(isReady: Bool) -> Typing? {
    guard let count = readTerminal(isReady: isReady) else { return nil }
    if count == 0 { hasHungUp = true }
    return Typing(bytes: input, count: count, keysBefore: typed.passedKeys)
  }

  /// Takes what comes next, up to a key for the HUD: the keys behind it may be for somebody else.
  ///
  /// - Returns: whether there was something.
  private mutating func takeNext(_ typing: inout Typing, now: Instant) -> Bool {
    guard typing.index < typing.count else { return false }
    typed.follow(hud.focus)
    let bytes = typing.bytes
    let rest = bytes.span.extracting(typing.index..<typing.count)
    typing.index += unsafe typed.take(rest.bytes, at: now, into: &typing.passed)
    return true
  }

  private mutating func pass(_ typing: Typing, now: Instant) {
    if typed.passedKeys > typing.keysBefore {
      if countsFrames { answers.noteKey(at: now, &compositor) }
      if silentKey == nil { silentKey = now }
      follower?.noteActivity()
    }
    if !typing.passed.isEmpty { unsafe pty?.write(typing.passed.span.bytes) }
  }

  /// The number of bytes that were typed; 0 when the terminal has gone, `nil` when there are none.
  private mutating func readTerminal(isReady: Bool) -> Int? {
    do {
      return try unsafe input.withUnsafeMutableBytes {
        try unsafe tty.read(into: $0, isReady: isReady)
      }
    } catch {
      return 0
    }
  }

  /// Serves the keys that were typed for the HUD; what the loop has to do for them goes into `requests`.
  mutating func serveKeys(run: borrowing Run, into requests: inout [HUDRequest]) {
    let keys = typed.takeKeys()
    let mouse = typed.takeMouse()
    guard typed.isLeading || hud.hasKeys || !keys.isEmpty else { return }
    if !hud.hasKeys, isHidden {
      isHidden = false
      isShownForKeys = true
    }
    for key in keys {
      isShownForKeys = false
      guard let request = hud.handle(key, run: run) else { continue }
      switch request {
      case .hide: isHidden = true
      case .corner(let step):
        keeper.wish = step.applied(to: keeper.corner)
        hud.note(setting: "corner", keeper.wish.rawValue)
      case .nextSize:
        wantedSize = wantedSize.next
        hud.note(setting: "size", "\(wantedSize)")
      case .apply(let settings):
        apply(settings)
        requests.append(request)
      case .save(let changes): hud.save(changes, environment)
      case .interval, .mark, .resetPeaks, .readPSS, .redraw: requests.append(request)
      // The keys have gone back already.
      case .back, .quit, .suspend: break
      }
    }
    if typed.isLeading {
      hud.hasKeys = true
      for event in mouse { hud.handle(event, run: run) }
    } else {
      giveKeysBack()
    }
  }

  /// The keys go to the command again.
  mutating func giveKeysBack() {
    typed.endLeading()
    if isShownForKeys { isHidden = true }
    isShownForKeys = false
    hud.endKeys()
    _ = hud.dismissLoading()
    hud.hasKeys = false
  }

  /// Brings what the HUD draws onto the screen, with the gauges at a place.
  mutating func showWindows(around place: Rect, run: borrowing Run, now: Instant) {
    hud.place(at: place, in: room, blocked: blockedWindows())
    if hud.needsDraw(now: now) { hud.draw(run, now: now) }
    let bounds = hud.bounds
    pad.resize(to: Size(rows: bounds.rows, columns: bounds.columns))
    pad.present(hud.picture)
    compositor.show(pad.cells, parts: hud.parts, at: bounds)
  }

  /// Whether the picture of the windows, or where they lie, may be another than at the last turn: while
  /// output streams it hardly ever is.
  func needsPicture(at place: Rect, now: Instant) -> Bool {
    if !compositor.isShown || hud.needsDraw(now: now) || !hud.isPlaced(at: place, in: room) {
      return true
    }
    // What lies beneath may say where a window can be.
    return hud.stack.windows.count > 1
  }

  /// Says which of the mouse's reports are the HUD's while it has the keys. Of one in pixels that cannot be
  /// turned into a cell it is not known where it is, so that it stays the command's.
  mutating func giveWindowsMouse() {
    let modes = compositor.screen.modes
    guard typed.isLeading, compositor.isDrawn, modes.contains(.mouseReports) else {
      return typed.setWindows(RectList())
    }
    guard modes.contains(.pixelMouse) else { return typed.setWindows(hud.parts) }
    guard let size = tty.reportedSize(), size.rows > 0, size.columns > 0,
      size.pixelHeight >= size.rows, size.pixelWidth >= size.columns
    else { return typed.setWindows(RectList()) }
    typed.setWindows(
      hud.parts,
      pixels: Size(rows: size.pixelHeight / size.rows, columns: size.pixelWidth / size.columns))
  }

  /// Where windows may lie: all but the last column.
  private var room: Rect {
    let size = compositor.screen.size
    return Rect(row: 0, column: 0, rows: size.rows, columns: max(0, size.columns - 1))
  }

  /// The windows that would lie on what could not be brought back, such as an image: the whole HUD could
  /// not be drawn with one of them there.
  private mutating func blockedWindows() -> [WindowID] {
    var blocked: [WindowID] = []
    for window in hud.stack.windows where window.id != .hud {
      if let frame = hud.wishes(window.id), !compositor.canCover(frame) {
        blocked.append(window.id)
      }
    }
    return blocked
  }
}
