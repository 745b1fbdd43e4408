/// The state of a screen model without its cells: what another process's model needs to continue on the same terminal.
///
/// It is written and read as raw memory by the same program.
struct ScreenSnapshot: BitwiseCopyable {
  private var size: Size
  private var quirks: TerminalQuirks
  private var isAlternate: Bool
  private var row: Int
  private var column: Int
  private var isWrapPending: Bool
  private var region: Margins
  private var modes: ProgramModes
  private var protection: Protection
  private var certainty: Certainty
  private var characterSets: CharacterSets
  private var erasure: Erasure
  private var pen: Pen
  private var sentBackground: Color
  private var saved: SavedState
  private var hasStandardTabs: Bool
  private var singleShift: Int
  private var printed: PrintedCharacter

  /// The state after the last complete sequence or character that was fed.
  init(_ screen: borrowing Screen) {
    size = screen.size
    quirks = screen.options.quirks
    isAlternate = screen.isAlternate
    row = screen.row
    column = screen.column
    isWrapPending = screen.isWrapPending
    region = screen.region
    modes = screen.modes
    protection = screen.protection
    certainty = screen.certainty
    characterSets = screen.characterSets
    erasure = screen.erasure
    pen = screen.pen
    sentBackground = screen.penState.sentBackground
    saved = screen.saved
    hasStandardTabs = screen.tabs.isStandard
    singleShift = screen.feeding.singleShift
    printed = screen.printed
  }

  /// Gives this state to a newly created screen. Links and characters must be in the same tables.
  func restore(_ screen: inout Screen) {
    screen.setQuirks(quirks)
    if isAlternate { screen.lines.switchScreens() }
    screen.row = min(max(row, 0), size.rows - 1)
    screen.column = min(max(column, 0), size.columns - 1)
    screen.isWrapPending = isWrapPending
    screen.region = region
    screen.modes = modes
    screen.protection = protection
    screen.certainty = certainty
    screen.characterSets = characterSets
    screen.erasure = erasure
    screen.pen = pen
    screen.penState.sentBackground = sentBackground
    screen.saved = saved
    screen.feeding.singleShift = singleShift
    screen.printed = printed
    screen.setStale()
    screen.updateFastPath()
  }

  /// The same for the screen of another process. All of its cells become unknown, see `Cell.unknown`.
  fileprivate func apply(to screen: inout Screen) {
    restore(&screen)
    // Links are in a table of the other process,
    if pen.link != 0 {
      screen.pen.link = 0
      screen.certainty.isLinkUnknown = true
    }
    screen.saved.forgetLinks()
    // and so are styles and clusters.
    if printed.isClear {
      screen.printed = PrintedCharacter()
    } else {
      screen.printed.replace(by: Cell("?", width: printed.cell.width).unknown)
      screen.printed.makeUnknown()
    }
    if !hasStandardTabs { screen.tabs.forget() }
    screen.setStale()
    screen.forgetScreens(.unknown)
  }

  /// A screen for the terminal of the snapshot, without its cells.
  func screen(isUTF8: Bool) -> Screen {
    var options = Screen.Options()
    options.isUTF8 = isUTF8
    options.startsUnknown = true
    var screen = Screen(size, options: options)
    apply(to: &screen)
    return screen
  }
}

extension SavedState {
  /// Cursors that were saved with a link are restored with an unknown pen.
  fileprivate mutating func forgetLinks() {
    cursor.forgetLink()
    switchScreens()
    cursor.forgetLink()
    switchScreens()
    screenCursor?.forgetLink()
    screenPen.link = 0
  }
}

extension SavedCursor {
  fileprivate mutating func forgetLink() {
    guard pen.link != 0 else { return }
    pen.link = 0
    isPenUnknown = true
  }
}
