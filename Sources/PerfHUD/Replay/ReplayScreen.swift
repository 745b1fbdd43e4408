import HUD
import Metrics
import PerfHUDBase
import Recording
import Terminal

/// The recorded screen in a replay, and where the HUD is on it.
struct ReplayScreen: ~Copyable {
  var player: ScreenPlayer
  var hudSize: HUDSize
  var corner: Corner
  var isHidden = false
  /// Whether the terminal has a cell for the HUD; its bounds are those of a larger one otherwise.
  private var hasRoom = true
  /// The size of the screen that was last said to be cut.
  private var saidSize: Size?
  /// What was shown last.
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

  /// Whether another screen is to be seen than the one that was shown last.
  var hasChanged: Bool { shown != player.stamp }

  /// A line on a screen that does not fit, when that begins.
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

  /// Places the HUD as it would be over the program.
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

  /// What a key does to the HUD.
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
  /// Copies the cells of another grid that are not clear, as far as they are within this one.
  fileprivate mutating func add(_ other: CellGrid, at place: Rect) {
    for row in 0..<max(0, min(other.size.rows, size.rows - place.row)) {
      for column in 0..<max(0, min(other.size.columns, size.columns - place.column)) {
        let cell = other[row, column]
        if !cell.isClear { self[place.row + row, place.column + column] = cell }
      }
    }
  }
}
