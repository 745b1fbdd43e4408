import HUD
import Metrics
import PerfHUDBase
import Recording
import Terminal

/// The recorded screen in a replay, and the HUD's place on it.
struct ReplayScreen: ~Copyable {
  var player: ScreenPlayer
  var hudSize: HUDSize
  var corner: Corner
  var isHidden = false
  /// Whether the terminal has room for the HUD. If not, the HUD's bounds are those for a larger terminal.
  private var hasRoom = true
  /// The screen size for which the user was last told that the screen is cut.
  private var saidSize: Size?
  /// What was last shown.
  private var shown: ScreenPlayer.Stamp?

  /// - Returns: `nil` if the recording has no screen.
  /// - Throws: why it cannot be shown.
  static func open(
    _ recording: String, _ header: RecordingHeader, _ settings: Settings
  ) throws(RecordingError) -> ReplayScreen? {
    let path = ScreenFile.path(of: recording)
    guard ScreenFile.isThere(path) else { return nil }
    return ReplayScreen(
      player: try ScreenPlayer(path: path, of: header), hudSize: settings.size,
      corner: settings.corner)
  }

  private init(player: consuming ScreenPlayer, hudSize: HUDSize, corner: Corner) {
    self.player = player
    self.hudSize = hudSize
    self.corner = corner
  }

  /// Draws everything again.
  mutating func invalidate() { shown = nil }

  /// Whether the screen differs from the one that was last shown.
  var hasChanged: Bool { shown != player.stamp }

  /// A line that says that the screen does not fit, the first time this is so.
  mutating func remark(in terminal: Size, _ language: Language) -> String? {
    let size = player.size
    guard size.rows > terminal.rows || size.columns > terminal.columns else {
      saidSize = nil
      return nil
    }
    guard saidSize != size else { return nil }
    saidSize = size
    return Word.replayTopLeft.text(language, value: "\(size.columns)x\(size.rows)")
  }

  /// Places the HUD as it would be placed over the program.
  mutating func place(_ hud: inout HUD, in terminal: Size) {
    let place = Placement.place(hudSize, at: corner, in: terminal)
    hasRoom = place != nil
    guard let place else { return }
    let room = Rect(row: 0, column: 0, rows: terminal.rows, columns: max(0, terminal.columns - 1))
    hud.place(at: place, in: room)
  }

  /// Shows the screen with the HUD over it, and the position in the last row.
  mutating func present(_ hud: HUD, _ progress: CellGrid, on terminal: inout PaneTerminal) {
    let size = terminal.size
    var windows = CellGrid(size)
    if !isHidden, hasRoom { windows.add(hud.picture, at: hud.bounds) }
    if !isHidden || hud.state.replay?.isTyped == true {
      windows.add(progress, at: Rect(row: size.rows - 1, column: 0, rows: 1, columns: size.columns))
    }
    let cursor = player.hidesCursor ? nil : player.cursor
    player.withScreen { terminal.present(windows, over: $0, cursor: cursor) }
    shown = player.stamp
  }

  /// Applies a key to the HUD.
  mutating func take(_ request: HUDRequest, _ hud: inout HUD) {
    switch request {
    case .hide: isHidden.toggle()
    case .corner(let step):
      corner = step.applied(to: corner)
      hud.note(corner: corner)
    case .nextSize:
      hudSize = hudSize.next
      hud.note(size: hudSize)
    default: return
    }
    hud.invalidateAll()
    invalidate()
  }
}

extension CellGrid {
  /// Copies all cells of another grid that are not clear and are within this grid.
  fileprivate mutating func add(_ other: CellGrid, at place: Rect) {
    for row in 0..<max(0, min(other.size.rows, size.rows - place.row)) {
      for column in 0..<max(0, min(other.size.columns, size.columns - place.column)) {
        let cell = other[row, column]
        if !cell.isClear { self[place.row + row, place.column + column] = cell }
      }
    }
  }
}
