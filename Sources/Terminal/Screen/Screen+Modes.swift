/// Modes, saved state, the two screens, resets, size.
extension Screen {
  // MARK: ANSI and DEC modes

  /// SM and RM.
  mutating func setANSIModes(_ isOn: Bool) {
    for index in 0..<parser.valueCount {
      switch parser.value(index) {
      case 4:
        setMode(.insert, isOn)
        settleMode(.insert)
      case 20: if !options.quirks.contains(.noForwardTabs) { setMode(.newLine, isOn) }
      default: break
      }
    }
    updateFastPath()
  }

  /// DECSET and DECRST.
  mutating func setPrivateModes(_ isOn: Bool) {
    for index in 0..<parser.valueCount { setPrivateMode(parser.value(index), isOn) }
    updateFastPath()
  }

  mutating func setMode(_ mode: ProgramModes, _ isOn: Bool) {
    if isOn { modes.insert(mode) } else { modes.remove(mode) }
  }

  mutating func setPrivateMode(_ number: Int, _ isOn: Bool) {
    if options.quirks.contains(.alternateAsTmux), number == 47 || number == 1047 || number == 1049 {
      return switchAsTmux(isOn, keepsCursor: number == 1049)
    }
    if modes.contains(.noAlternate), number == 47 || 1047...1049 ~= number { return }
    if isUnknownTerminal, number == 47 || 1047...1049 ~= number {
      return switchUncertainly(number, isOn)
    }
    setKnownMode(number, isOn)
  }

  mutating func setKnownMode(_ number: Int, _ isOn: Bool) {
    switch number {
    case 47: showAlternate(isOn)
    case 1047:
      if !isOn, isAlternate {
        clearScreen()
      }
      showAlternate(isOn)
    case 1048:
      if options.quirks.contains(.noForwardTabs) { return }
      if isOn { saveCursor() } else { restoreCursor() }
    case 1049:
      if isOn {
        saveCursor()
        showAlternate(true)
        clearScreen()
      } else {
        showAlternate(false)
        restoreCursor()
      }
    // Only the last set format of mouse reports is in effect.
    case 1005, 1006, 1015: modes.remove(.pixelMouse)
    case 2: if !isOn, !options.quirks.contains(.noVT52) { enterVT52() }
    case 3: changeColumns(isOn)
    case 1046 where options.quirks.contains(.isXterm): allowAlternate(isOn)
    case 42: if !options.quirks.contains(.twoCharacterSets) { useNationalSets(isOn) }
    default:
      guard let mode = ProgramModes.privateMode(number) else { return }
      if mode == .sideMargins, options.quirks.contains(.noSideMargins) { return }
      if mode == .tabsWrap, !options.quirks.contains(.isXterm) { return }
      if mode == .extendedReverseWrap, options.quirks.contains(.reverseWrapsAnywhere) { return }
      if mode == .synchronizedUpdate, !isOn, isUpdating {
        reported.updateEnds &+= 1
        noteFrameEnd()
      }
      setMode(mode, isOn)
      if mode == .origin { home() }
      if isUnknownTerminal { noteSetMode(number) }
      if mode == .sideMargins, !isOn {
        region.resetColumns()
      }
    }
  }

  /// Blanks the current screen, even protected cells.
  mutating func clearScreen() {
    let kept = protection
    protection = .none
    eraseRows(0..<rows)
    protection = kept
    isWrapPending = false
  }

  /// Without an alternate screen the primary one is shown, and switching does nothing.
  mutating func allowAlternate(_ isOn: Bool) {
    setMode(.noAlternate, !isOn)
    if !isOn { showAlternate(false) }
  }

  private mutating func switchAsTmux(_ isOn: Bool, keepsCursor: Bool) {
    if isOn {
      guard !isAlternate else { return }
      let slot = saved.cursor
      if keepsCursor {
        saveCursor()
        saved.screenCursor = saved.cursor
      }
      saved.screenPen = pen
      showAlternate(true)
      saved.cursor = slot
      let kept = pen
      pen = Pen()
      setStale()
      eraseRows(0..<rows)
      pen = kept
      setStale()
      return
    }
    let slot = saved.cursor
    if keepsCursor, let back = saved.screenCursor {
      row = min(back.row, rows - 1)
      column = min(back.column, columns - 1)
      // It may have been saved before the terminal had reported it.
      certainty.takePlace(of: back)
      let link = pen.link
      pen = saved.screenPen
      pen.link = link
      setStale()
    }
    if !isAlternate { isWrapPending = false }
    showAlternate(false)
    isWrapPending = false
    saved.cursor = slot
    resume(keepsCursor: keepsCursor)
    updateFastPath()
  }

  // MARK: Screens

  /// Shows the alternate or the primary screen; the cursor stays where it is.
  mutating func showAlternate(_ isOn: Bool) {
    guard isOn != isAlternate else { return }
    if !isOn, isPastLineEnd { isWrapPending = false }
    lines.switchScreens()
    saved.switchScreens()
    certainty.isAllUnknown = false
    reported.hasDrawn = true
    forgetDoubleSize()
    if frames.redundant.isOn { forgetPicture() }
    for row in 0..<rows { noteChange(row, 0, columns) }
    // Some terminals move the cursor home.
    if isUnknownTerminal { loseCursor() }
  }

  // MARK: Saved cursor

  /// DECSC: saves into the slot of the current screen.
  mutating func saveCursor() {
    saved.cursor = SavedCursor(
      row: row, column: column, isWrapPending: isWrapPending, pen: pen,
      characterSets: characterSets, isOrigin: modes.contains(.origin), isPenUnknown: isPenUnknown,
      isKnown: isCursorKnown, isColumnUncertain: isColumnUncertain,
      columnExcess: certainty.columnExcess)
    // The link is not part of the saved state.
    saved.cursor.pen.link = 0
    saved.cursor.isFilled = true
  }

  /// Where DECRC puts the cursor. As in xterm it is limited to the screen whatever the margins are; with DECOM also to
  /// the bottom and right margins.
  var savedPlace: Point {
    let isOrigin = saved.cursor.isOrigin && options.quirks.contains(.isXterm)
    return Point(
      row: min(saved.cursor.row, isOrigin ? region.bottom : rows - 1),
      column: min(saved.cursor.column, isOrigin ? region.right : columns - 1))
  }

  /// DECRC. A slot that was never filled contains the home position, a plain pen and ASCII.
  mutating func restoreCursor() {
    let link = pen.link
    pen = saved.cursor.pen
    pen.link = link
    certainty.restore(saved.cursor)
    characterSets = saved.cursor.characterSets
    setMode(.origin, saved.cursor.isOrigin)
    let place = savedPlace
    row = place.row
    column = place.column
    isWrapPending = saved.cursor.isWrapPending && !options.quirks.contains(.cursorPastLineEnd)
    // Most other terminals do not restore a pending wrap, and differ in the contents of an unfilled slot.
    certainty.isCursorKnown = saved.cursor.isKnown && (saved.cursor.isFilled || !isUnknownTerminal)
    if isUnknownTerminal, !saved.cursor.isFilled { certainty.isPenUnknown = true }
    if isWrapPending, isUnknownTerminal { makeWrapUncertain() }
    setStale()
    updateFastPath()
  }

  // MARK: Resets

  /// RIS: everything but the title and the saved cursor of the alternate screen.
  mutating func reset() {
    if isAlternate, !options.quirks.contains(.resetsAsTmux) { showAlternate(false) }
    // xterm keeps the permission for DECCOLM, and the settings of tabs and of the alternate screen.
    let isXterm = options.quirks.contains(.columnModeNeedsPermission)
    let kept: ProgramModes =
      isXterm ? [.allowsColumnChange, .tabsWrap, .noAlternate, .smoothScroll] : []
    modes = ProgramModes.initial.union(modes.intersection(kept))
    reported.keyboards = Keyboards()
    // xterm keeps the modes that XTSAVE has saved.
    if !options.quirks.contains(.isXterm) { saved.modes = .initial }
    resetMargins()
    characterSets = CharacterSets()
    feeding.singleShift = 0
    protection = .none
    pen = Pen()
    penState.sentBackground = .standard
    setStale()
    let savedOrigin = saved.cursor.isOrigin
    saved.cursor = SavedCursor()
    if options.quirks.contains(.resetsAsTmux) { saved.cursor.isOrigin = savedOrigin }
    tabs.reset()
    certainty.reset()
    home()
    pushScreen()
    eraseRows(0..<rows)
    updateFastPath()
  }

  /// DECSTR, as xterm does it: the cursor stays, and so does its pending wrap.
  mutating func softReset() {
    let before = pen
    let uncertain = isUnknownTerminal ? resetUncertainty : nil
    modes.subtract([
      .insert, .origin, .sideMargins, .applicationCursorKeys, .reverseWrap, .extendedReverseWrap,
    ])
    modes.formUnion([.autowrap, .visibleCursor])
    resetMargins()
    characterSets = CharacterSets()
    protection = .none
    certainty.isProtectionKnown = true
    pen.isProtected = false
    let kept: Attributes = [.dim, .strike]
    let isDouble = pen.style.attributes.underlineStyle == .double
    pen.style = Style(attributes: pen.style.attributes.intersection(kept))
    if isDouble { pen.style.attributes.underlineStyle = .double }
    penState.sentBackground = .standard
    setStale()
    let row = row
    let column = column
    saveCursor()
    saved.cursor.row = 0
    saved.cursor.column = 0
    self.row = row
    self.column = column
    if let uncertain { noteUncertainReset(uncertain, before) }
    updateFastPath()
  }

  /// DECALN: fills the screen with `E`, resets margins and DECOM, and moves the cursor home.
  mutating func alignmentPattern() {
    let keepsState = options.quirks.contains(.resetsAsTmux)
    if !keepsState { modes.remove(.origin) }
    resetMargins()
    home()
    if !keepsState { resetPenForPattern() }
    let isXterm = options.quirks.contains(.remembersBackground)
    for row in 0..<rows {
      let index = lineIndex(row)
      cells.fill(lines[index].start, columns, with: Cell("E"))
      lines[index].used = Int32(columns)
      lines[index].hasWide = false
      lines[index].isWrapped = false
      // The pattern of xterm and tmux has no colors; other terminals differ in how they use the pen's colors.
      if pen.style != .plain, !isXterm, !keepsState { makeUnknown(row, 0, columns) }
      noteChange(row, 0, columns)
    }
    certainty.isAllUnknown = false
    // Some terminals leave the cursor where it is.
    if isUnknownTerminal { certainty.isCursorKnown = false }
    updateFastPath()
  }

  private mutating func resetPenForPattern() {
    // From here on xterm takes a direct color of the pen for an index, and drops the bright color of bold.
    let style = pen.style
    if style.foreground.raw >> 24 == 3 || style.background.raw >> 24 == 3
      || (style.attributes.contains(.bold) && style.foreground.raw >> 24 == 1)
    {
      certainty.isPenUnknown = true
    }
    pen.style.attributes = []
    setStale()
  }

  // MARK: Size

  /// Follows the terminal to another size.
  ///
  /// As in xterm and tmux, rows are lost at the bottom as long as they are below the cursor, then at the top. Margins
  /// are reset, tabs stay. New parts are blank, or unknown.
  ///
  /// - Parameter isKnown: whether the terminal is known to do exactly that. If not, everything becomes unknown,
  ///   including the cursor.
  package mutating func resize(to wanted: Size, isKnown: Bool) {
    let new = Screen.clamped(wanted)
    guard new != size else { return }
    suspend()
    let freshCells = UncheckedBuffer<Cell>(zeroed: Screen.cellCount(new, lines.historyLimit))
    let blank = isKnown ? Cell.erased() : .unseen
    let limit = lines.historyLimit
    var freshLines = LineRing(new, historyLimit: limit, mayGoOn: true, blank: blank)
    let shift = max(0, row - new.rows + 1)
    for screen in 0..<2 {
      let isShown = (screen == 1) == isAlternate
      for row in 0..<new.rows {
        let place = screen * (new.rows + limit) + row
        let source = row + (isShown ? shift : 0)
        guard source < rows else { continue }
        let old = lines[lines.index(of: source, isAlternate: screen == 1)]
        let used = min(Int(old.used), new.columns)
        var line = LineRing.Line(
          start: place * new.columns, used: used, hasWide: old.hasWide, mayGoOn: true,
          blank: old.blank)
        freshCells.copy(from: cells, old.start, to: line.start, used)
        if used > 0, new.columns < columns, freshCells[line.start + used - 1].width == 2 {
          freshCells[line.start + used - 1] = .erased()
        }
        if new.columns > columns {
          // The new columns differ from the end of the old line.
          freshCells.fill(line.start + used, columns - used, with: old.blank)
          line.used = Int32(columns)
          line.blank = blank
        }
        freshLines[place] = line
      }
    }
    cells = freshCells
    makeHidden(false)
    if isAlternate { freshLines.switchScreens() }
    lines = freshLines
    past = PastLines(startsUnknown: true)
    size = new
    resetMargins()
    row = min(max(0, row - shift), rows - 1)
    isWrapPending = isWrapPending && column < columns
    column = min(column, columns - 1)
    certainty.awaitsResize = false
    if !isKnown { forgetEverything() }
    keepPicture()
    forgetDamage()
    updateFastPath()
  }
}
