import Metrics
import PerfHUDBase
import Terminal

/// The canvas of a window.
struct Surface: Sendable {
  let id: WindowID
  var canvas: Canvas
}

/// The windows other than the gauges: their positions, and all windows as one picture.
extension HUD {
  private static let toastLimit = 3
  /// Below this number of rows only the newest toast is shown, and a page over a program covers the gauges.
  private static let fewRows = 8
  package static let toastSeconds = 2.0
  /// From this number of columns on the help has two columns.
  private static let wideHelpColumns = 100
  /// The least columns and rows of the picture beside and below the help.
  private static let leastBesideHelp = 24
  private static let leastBelowHelp = 4
  static let usualListRows = 10
  /// The most rows of a list beside the gauges.
  private static let mostListRows = 24
  /// The rows that a list over a program needs to be of use.
  private static let usefulListRows = 8
  private static let leastListColumns = 36
  /// A list is as wide as the gauges unless it can have this many columns more.
  private static let leastMoreColumns = 8
  /// With fewer rows beside it a page covers the graphs of a large HUD.
  private static let leastListRows = 8
  /// The rows of a large HUD above its graphs: its edge and the values.
  private static let valueRows = 6

  // MARK: The picture

  /// The rectangle around all windows, in cells of the screen.
  package var bounds: Rect { stack.bounds }

  /// The positions of the windows.
  package var parts: RectList { stack.covered }

  /// All windows in painter's order, at `bounds`; clear where there is no window.
  package var picture: CellGrid { stack.windows.count == 1 ? canvas.grid : composed }

  /// Paints the windows over one another.
  mutating func compose() {
    guard stack.windows.count > 1 else { return }
    let bounds = bounds
    if composed.size != bounds.size {
      composed = CellGrid(bounds.size)
    } else {
      composed.fill(.clear)
    }
    for window in stack.windows {
      if window.id == .hud {
        composed.paint(canvas.grid, at: window.frame, in: bounds)
      } else if let surface = surfaces.first(where: { $0.id == window.id }) {
        composed.paint(surface.canvas.grid, at: window.frame, in: bounds)
      }
    }
  }

  /// Draws all windows except the gauges.
  mutating func drawWindows(_ context: DrawContext) {
    guard stack.windows.count > 1 || !messages.toasts.isEmpty else { return }
    for index in surfaces.indices {
      let id = surfaces[index].id
      guard let window = stack[id] else { continue }
      surfaces[index].canvas.resize(to: window.frame.size)
      surfaces[index].canvas.clip = Rect(window.frame.size)
      surfaces[index].canvas.erase()
      switch id {
      case .help: drawHelp(&surfaces[index].canvas, &helpTop, context)
      case .list:
        drawListWindow(&surfaces[index].canvas, &list, focus, context, chosen: chosenProcess)
      case .toast where state.family == .overlay:
        drawToasts(&surfaces[index].canvas, toastsInRows, context)
      case .settings:
        if var editor = settingsState.editor {
          drawSettings(&surfaces[index].canvas, &editor, settingsState, context)
          settingsState.editor = editor
        }
      case .signals:
        if let signals { drawSignalMenu(&surfaces[index].canvas, signals, context) }
      case .loading:
        if let loading = messages.loading { drawLoading(&surfaces[index].canvas, loading, context) }
      default: break
      }
    }
    guard state.family == .pane else { return }
    placeToasts(context.run)
    drawPlacedToasts(context)
  }

  // MARK: Positions

  /// Moves the gauges to a frame on the screen, and the other windows around them.
  ///
  /// - Parameters:
  ///   - frame: The frame of the gauges. If its size has changed, they are drawn again.
  ///   - room: The area for windows.
  ///   - blocked: The windows that have no room next to the gauges and are drawn over them instead.
  package mutating func place(at frame: Rect, in room: Rect, blocked: [WindowID] = []) {
    let isSame = stack[.hud]?.frame == frame && self.room == room && self.blocked == blocked
    guard !isSame else { return }
    if frame.size != canvas.grid.size { setSize(frame.size) }
    stack.move(.hud, to: frame)
    self.room = room
    self.blocked = blocked
    placeWindows()
    if stack.windows.count > 1 { redrawAtOnce() }
  }

  /// The preferred frame of a window.
  package func wishes(_ id: WindowID) -> Rect? { stack.isOpen(id) ? wishedFrame(id) : nil }

  /// Whether gauges and windows already have these positions.
  package func isPlaced(at frame: Rect, in room: Rect) -> Bool {
    stack[.hud]?.frame == frame && self.room == room
  }

  mutating func placeWindows() {
    for window in stack.windows where window.id != .hud {
      // Those of a pane are placed when it is drawn, over what is blank then.
      if state.family == .pane, window.level == .toast { continue }
      var frame = wishedFrame(window.id)
      if blocked.contains(window.id), let gauges = stack[.hud]?.frame {
        frame = frame.clamped(to: gauges)
      }
      stack.move(window.id, to: frame)
    }
    stack.fit(into: room)
  }

  private func wishedFrame(_ id: WindowID) -> Rect {
    let gauges = stack[.hud]?.frame ?? room
    switch id {
    case .help: return coveringStrips(room.centered(helpSize(in: room.size)))
    case .list: return listFrame(beside: gauges)
    case .settings where settingsState.editor?.parts != nil:
      // At the right end, so that its effects are visible.
      var frame = room.centered(partsBoxSize)
      frame.column = room.endColumn - frame.columns
      return frame
    case .settings:
      return coveringStrips(
        room.centered(
          settingsBoxSize(state.family, isReplay: state.replay != nil, in: room.size)))
    case .signals: return signals.map { room.centered($0.size(state.language)) } ?? room
    case .toast:
      let columns = min(
        room.columns, toastsInRows.reduce(0) { max($0, Canvas.columns(of: $1.text)) } + 2)
      let rows = min(toastsInRows.count, toastRows)
      let size = Size(rows: rows, columns: columns)
      let neighbor = stack.isOpen(.list) ? gauges.union(listFrame(beside: gauges)) : gauges
      return beside(neighbor, size)
    case .loading:
      guard let loading = messages.loading, !loading.coversScreen else { return room }
      // Not over the title of a page.
      let neighbor =
        stack.isOpen(.list) && state.family == .overlay
        ? gauges.union(listFrame(beside: gauges)) : gauges
      return beside(neighbor, Size(rows: 1, columns: max(gauges.columns, min(room.columns, 30))))
    default: return gauges
    }
  }

  /// The most rows and columns beside a window that it covers too, because nobody could use what they show.
  private static let mostStripRows = 4
  private static let mostStripColumns = 8

  /// A window that covers nearly all of the HUD covers the strips beside it too, and one that has nearly all columns of
  /// the screen has them all.
  private func coveringStrips(_ frame: Rect) -> Rect {
    let whole = frame.union(stack[.hud]?.frame ?? room)
    let isNearlyWhole =
      whole.rows - frame.rows <= HUD.mostStripRows
      && whole.columns - frame.columns <= HUD.mostStripColumns
    var frame = isNearlyWhole ? whole : frame
    if room.columns - frame.columns <= HUD.mostStripColumns {
      (frame.column, frame.columns) = (room.column, room.columns)
    }
    return frame
  }

  /// The number of toasts that are shown together.
  var toastRows: Int { room.rows < HUD.fewRows ? 1 : HUD.toastLimit }

  /// The widgets of values.
  private static let valueWidgets: Set<WidgetID> = [.line, .strip, .cpu, .memory, .fps]

  /// Whether there is a row for toasts: in a pane one without a value.
  var hasFreeRow: Bool {
    state.family == .overlay
      ? room.rows > 1
      : layout.contains { placed in
        // The only row of a page counts as a value.
        placed.id == .list
          ? placed.frame.rows > 1
          : !HUD.valueWidgets.contains(placed.id) && placed.id != .progress
      }
  }

  /// The size of the help in a room, including its box if there is room for one.
  func helpSize(in room: Size) -> Size {
    let wanted = helpBoxSize(state.language, state.keys)
    var pair = helpBoxSize(state.language, state.keys, columns: 2)
    let spaced = pair.rows + HelpLines.of(state.keys).blankRows
    if room.rows >= spaced + HUD.leastBelowHelp { pair.rows = spaced }
    let fits = room.rows >= wanted.rows && room.columns >= wanted.columns
    let fitsInPair = room.rows >= pair.rows && room.columns >= pair.columns
    // Two columns need half of the rows, and a wide room has columns to spare.
    if fitsInPair, !fits || room.columns >= HUD.wideHelpColumns { return covering(pair, room) }
    if fits { return covering(wanted, room) }
    // Without a box, a half-covered pane would look like part of the list.
    guard state.family == .overlay else { return room }
    let box = room.columns >= pair.columns ? pair : wanted
    // The rest of an overlay without a frame would look like part of the list.
    return Layout.isFramed(room) ? box : Size(rows: box.rows - 3, columns: room.columns)
  }

  /// The size of a box in a pane. Where only a sliver of the picture would be left beside it, it takes all columns.
  private func covering(_ box: Size, _ room: Size) -> Size {
    guard state.family == .pane, room.columns - box.columns < HUD.leastBesideHelp else {
      return box
    }
    return room.rows - box.rows < HUD.leastBelowHelp
      ? room : Size(rows: box.rows, columns: room.columns)
  }

  private func listFrame(beside gauges: Rect) -> Rect {
    // A pane has a place for the list.
    if let placed = layout.first(where: { $0.id == .list }) { return placed.frame }
    // With few rows it gets all of them.
    if room.rows < HUD.fewRows {
      let columns = max(gauges.columns, min(room.columns, HUD.leastListColumns))
      return beside(gauges, Size(rows: room.rows, columns: columns))
    }
    let free = room.rows - gauges.rows
    if free < 2 * HUD.leastListRows, gauges.rows >= HUD.usualListRows + HUD.valueRows {
      // There is little room beside a large HUD: the page covers its graphs.
      return Rect(
        row: gauges.endRow - HUD.usualListRows, column: gauges.column, rows: HUD.usualListRows,
        columns: gauges.columns)
    }
    // Half of the free rows; in a low room more, as long as two of the program's stay.
    let most = max(free / 2, min(free - 2, HUD.usefulListRows))
    let rows = min(room.rows, max(3, min(HUD.mostListRows, most, state.view.listRows)))
    let wanted = min(room.columns / 2, state.page.columnsOverProgram)
    let columns = wanted < gauges.columns + HUD.leastMoreColumns ? gauges.columns : wanted
    let least = min(room.columns, HUD.leastListColumns)
    return beside(gauges, Size(rows: rows, columns: max(columns, least)))
  }

  /// Places a window below gauges at the top of the room, otherwise above them, on the same side.
  ///
  /// If the gauges fill the room, it covers their last rows.
  private func beside(_ neighbor: Rect, _ size: Size) -> Rect {
    let isAbove = neighbor.row > room.row
    let isLeft = neighbor.column == room.column && neighbor.columns < room.columns
    return Rect(
      row: isAbove ? neighbor.row - size.rows : neighbor.endRow,
      column: isLeft ? neighbor.column : neighbor.endColumn - size.columns, rows: size.rows,
      columns: size.columns
    ).clamped(to: room)
  }

  // MARK: Opening and closing

  mutating func open(_ id: WindowID, _ level: WindowLevel) {
    stack.show(Window(id: id, level: level, frame: room))
    if !surfaces.contains(where: { $0.id == id }) {
      surfaces.append(
        Surface(id: id, canvas: Canvas(Size(rows: 0, columns: 0), isASCII: state.isASCII)))
    }
    placeWindows()
    redrawAtOnce()
  }

  mutating func close(_ id: WindowID) {
    guard stack.isOpen(id) else { return }
    if id == .list { listHeight = ListHeight() }
    stack.close(id)
    surfaces.removeAll { $0.id == id }
    placeWindows()
    redrawAtOnce()
  }

  mutating func scrollHelp(_ command: ListCommand) {
    let page = max(1, (stack[.help]?.frame.rows ?? 1) - 2)
    switch command {
    case .up: helpTop -= 1
    case .down: helpTop += 1
    case .pageUp: helpTop -= page
    case .pageDown: helpTop += page
    case .home: helpTop = 0
    default: helpTop = HelpLines.of(state.keys).lines.count
    }
    redrawAtOnce()
  }

  /// Shows a page of the list. Closes the list if it already shows that page and does not have the focus.
  mutating func toggle(_ page: ListPage) {
    guard state.family == .overlay else { return togglePage(page) }
    if stack.isOpen(.list), state.page == page {
      if !focus.isInList { close(.list) }
    } else {
      if state.page != page { showList(page) }
      // Pages differ in their columns.
      if stack.isOpen(.list) { placeWindows() } else { open(.list, .list) }
      redrawAtOnce()
    }
    keepsList = stack.isOpen(.list)
  }

  private var showsProcesses: Bool {
    layout.contains { $0.id == .processes } || (stack.isOpen(.list) && state.page == .processes)
  }

  /// Sorts the processes by the next metric; shows their list if they are not shown.
  mutating func sortProcesses() {
    guard showsProcesses else {
      // Threads have one order.
      let isOfThreads = stack.isOpen(.list) && state.page == .threads
      return isOfThreads
        ? note(.noteSorted, "\(Word.cpu.text(state.language))") : toggle(.processes)
    }
    state.processList.order = state.processList.order.next
    note(.noteSorted, "\(state.processList.order.word.text(state.language))")
    redrawAtOnce()
  }

  /// Shows the processes as a tree or in one list; shows their list if they are not shown, or have no room for a tree.
  mutating func toggleProcessTree() {
    guard showsProcesses, !isTooLowForTree else { return toggle(.processes) }
    state.processList.isTree.toggle()
    note(state.processList.isTree ? .noteTree : .noteFlat)
    redrawAtOnce()
  }

  /// Shows the processes with command lines or names; shows their list if they are not shown.
  mutating func toggleCommandLines() {
    guard showsProcesses else { return toggle(.processes) }
    state.processList.showsCommandLine.toggle()
    note(state.processList.showsCommandLine ? .noteCommandLine : .noteName)
    redrawAtOnce()
  }

  /// Opens and focuses the list.
  mutating func focusList() {
    let isOpen = stack.isOpen(.list)
    if !isOpen { keepsList = false }
    if state.family == .pane {
      state.graph.leave()
      if !state.view.hasList { choose(.actions, page: .log) }
      state.view.isListAsked = true
      relayout()
      // A pane that is too low for a list keeps the focus.
      guard stack.isOpen(.list) else { return focus.reset() }
    } else if !isOpen {
      open(.list, .list)
    }
    redrawAtOnce()
  }

  /// Returns the focus from the list. Over a program it stays only if it was open before.
  mutating func leaveList() {
    cancelListPrompt()
    if state.family == .pane {
      relayout()
    } else if !keepsList {
      close(.list)
    }
    redrawAtOnce()
  }

  /// Closes the windows that only keys can close, because the HUD no longer has the focus.
  package mutating func endKeys() {
    if focus.isInList { leaveList() }
    close(.help)
    closeSettings()
    closeSignals()
    focus.reset()
  }
}

extension ListPage {
  /// The columns, with the frame, in which nothing of a list is cut that a user looks for over a program.
  fileprivate var columnsOverProgram: Int {
    switch self {
    case .processes, .mappings: 72
    case .bottlenecks: 64
    case .actions, .frames, .phases: 60
    case .alerts: PageRows.alertHeadColumns + 3
    case .threads: 48
    case .log: 44
    }
  }
}
