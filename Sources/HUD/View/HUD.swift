import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// A request of the HUD to the main loop.
package enum HUDRequest: Equatable, Sendable {
  case quit
  /// Sample at another interval, in nanoseconds.
  case interval(UInt64)
  case mark
  case resetPeaks
  /// Read PSS now, whatever it costs.
  case readPSS
  /// Write the last part of the run to a file.
  case recordLast
  /// Measure the target with its children from now on, or without them.
  case countChildren(Bool)
  case suspend
  case redraw
  /// Hide the HUD and return the keys to the program.
  case hide
  /// Move to another corner.
  case corner(CornerStep)
  /// Change to the next size.
  case nextSize
  /// Return the keys to the program.
  case back
  /// Apply these settings.
  case apply(Settings)
  /// Send a signal to a process, then call `HUD.finish` with the name.
  case signal(Int32, Target, name: String)
  /// Add this to the nice value of a process, then call `HUD.finish` with the name.
  case renice(Int32, Target, name: String)
  /// Play, go to another time, and so on; only in a replay.
  case replay(ReplayAction)
  /// Write these settings to the file, then call `HUD.finishSaving`.
  case save([SettingChange])
}

/// The HUD: it handles keys and draws a run on a canvas. It has no clock and no terminal.
package struct HUD: Sendable {
  package internal(set) var state: HUDState
  private let anchor = Anchor()
  /// Whether the message of a loading program may cover the program's screen, if it asks for that.
  package var allowsCover = true {
    didSet { if allowsCover != oldValue { redrawAtOnce() } }
  }
  /// Whether nobody is looking, so that the HUD is drawn half as often.
  package var isUnwatched = false
  /// The gauges and graphs; `picture` also has the other windows.
  package internal(set) var canvas: Canvas
  var layout: [PlacedWidget]
  var change = Change.everything

  /// Whether the list over a program was open before it got the focus.
  var keepsList = false

  // MARK: Tabs

  /// The movement of the tabs' underline.
  var slide: TabSlide?
  /// The greatest number of threads of a process alone so far.
  var mostThreads = 0
  /// The greatest number of processes so far.
  var mostProcesses = 0
  /// The most rows that the list of the page has had since it was opened, and how many of them were of living processes or
  /// threads.
  var mostListed = (page: ListPage.log, living: 0, rows: 0)
  /// The rows that a tree of all processes has needed on the overview.
  var treeRows = ListHeight()
  /// Whether the target has read from storage or written to it so far.
  var hasHadStorage = false

  // MARK: Windows

  /// Which windows are open, and where.
  package internal(set) var stack = WindowStack()
  /// The area for windows, in cells of the screen.
  var room: Rect
  /// Windows that have no room next to the gauges.
  var blocked: [WindowID] = []
  /// The contents of the windows other than the gauges.
  var surfaces: [Surface] = []
  var composed = CellGrid(Size(rows: 0, columns: 0))
  /// Which window has the focus, while the HUD has it.
  package internal(set) var focus: KeyFocus {
    get {
      var focus = keyFocus
      focus.hasProcesses = state.page == .processes
      return focus
    }
    set { keyFocus = newValue }
  }
  private var keyFocus: KeyFocus
  var list = ListView()
  var listHeight = ListHeight()
  /// The order of the rows on shown pages.
  var order = PageOrder()
  /// The first visible line of the help.
  var helpTop = 0
  var messages = Messages()
  var settingsState = SettingsState()
  /// The process that the user has selected in the list.
  var chosenProcess: Target?
  /// The one that was chosen when the user began to type a search or a filter.
  var promptOrigin: Target?
  /// The menu of signals; `nil` while it is closed.
  var signals: SignalMenu?

  /// What was drawn last.
  var drawn = DrawnPicture()

  /// How much of the picture is outdated.
  enum Change: Comparable {
    case nothing
    /// A sample has come.
    case sample
    /// Events have come.
    case event
    case everything
  }

  package init(size: Size, state: HUDState) {
    self.state = state
    canvas = Canvas(size, isASCII: state.isASCII)
    self.state.view.hasProgress = state.replay != nil
    layout = Layout.place(in: size, family: state.family, view: self.state.view)
    keyFocus = KeyFocus(state.family, keys: state.keys)
    room = Rect(size)
    stack.show(Window(id: .hud, level: .hud, frame: room))
    fitCellDuration()
  }

  /// Resizes a full-screen view.
  package mutating func resize(to size: Size) {
    room = Rect(size)
    stack.move(.hud, to: room)
    setSize(size)
    placeWindows()
  }

  /// Resizes the gauges.
  mutating func setSize(_ size: Size) {
    canvas.resize(to: size)
    relayout()
  }

  /// Makes the next picture redraw everything, and due at once.
  mutating func redrawAtOnce() {
    change = .everything
    drawn.time = nil
  }

  /// The run that the picture shows, which may be frozen.
  func shown(_ run: borrowing Run) -> Run {
    if let frozen = state.frozen { return frozen.run }
    return copy run
  }

  /// Handles a key. A key without a meaning does nothing.
  package mutating func handle(_ key: Key, run: borrowing Run) -> HUDRequest? {
    if state.replay?.typed != nil { return typeTime(key) }
    if key == .escape, focus.target == .hud, dismissLine() { return nil }
    // The user points at the picture, which may be frozen.
    let pointed = shown(run)
    if state.family == .pane {
      switch takeInPane(key, run: pointed) {
      case .isHandled: return nil
      case .asks(let command): return perform(command, run: run)
      case .isNotMeant: break
      }
    }
    let isForGauges = focus.target == .hud
    switch focus.take(key) {
    case .none: if isForGauges { noteUnknownKey(key) }
    case .closeHelp: close(.help)
    case .scrollHelp(let command): scrollHelp(command)
    case .leaveList: leaveList()
    case .settings(let command): return perform(command)
    case .signals(let command): return perform(command)
    case .typed: return typeSetting(key)
    case .list:
      let size = stack[.list]?.frame.size ?? room.size
      let columns = listInner(size, state).columns - 1
      updateOrder(pointed)
      let context = DrawContext(run: pointed, row: state.values.row, state: state, order: order)
      let rows = PageRows(state.page, context, columns: columns)
      handleInList(key, rows)
      followList()
      redrawAtOnce()
    case .command(let command): return perform(command, run: run)
    }
    return nil
  }

  private mutating func perform(_ command: HUDCommand, run: borrowing Run) -> HUDRequest? {
    change = .everything
    switch command {
    case .quit: return .quit
    case .pause:
      state.frozen = state.frozen == nil ? FrozenRun(run) : nil
      // A frozen picture shows this itself.
      if state.frozen == nil { note(.noteLive) }
      state.values.expire()
    case .faster: return changeInterval(by: -1)
    case .slower: return changeInterval(by: 1)
    case .graphStyle:
      state.nextGraphStyle()
      note(.noteGraph, state.graphStyle.rawValue)
    case .cpuScale:
      state.showsCPUOfAllProcessors.toggle()
      note(state.showsCPUOfAllProcessors ? .noteAllCores : .noteOneCore)
    case .mark:
      note(.noteMark)
      return .mark
    case .resetPeaks:
      note(.notePeaks)
      return .resetPeaks
    case .help:
      helpTop = 0
      open(.help, .help)
    case .page(let page): toggle(page)
    case .processOrder: sortProcesses()
    case .processView: toggleProcessTree()
    case .commandLine: toggleCommandLines()
    case .signals: openSignals()
    case .renice(let step): return renice(by: step)
    case .tab(let tab): choose(tab)
    case .leave: choose(.overview)
    case .moveTab(let step): choose(state.view.tab.moved(by: step))
    case .moveFocus(let step): moveFocus(by: step)
    case .zoom(let step): zoom(by: step, run: shown(run))
    case .logScale:
      state.graph.isLog.toggle()
      note(state.graph.isLog ? .noteLogScale : .noteLinearScale)
      state.axes.resetMemory()
    case .baseline: keepBaseline(shown(run))
    case .forgetBaseline:
      if state.graph.baseline != nil { note(.noteNoBaseline) }
      state.graph.baseline = nil
    case .focusList: focusList()
    case .settings: openSettings()
    case .readPSS:
      note(.notePSS)
      return .readPSS
    case .recordLast: return .recordLast
    case .countChildren: return countChildren(run)
    case .suspend: return .suspend
    case .redraw: return .redraw
    case .hide: return .hide
    case .corner(let step): return .corner(step)
    case .nextSize: return .nextSize
    case .back: return .back
    // The edge shows the focus.
    case .keepFocus: break
    case .replay(let command): return perform(command)
    }
    return nil
  }

  /// Whether the picture shows the frame rate and is not frozen.
  package var showsFrames: Bool {
    guard state.frozen == nil else { return false }
    return layout.contains { placed in
      switch placed.id {
      case .fps, .frames: true
      case .line: placed.frame.columns >= Layout.lineWithFrames
      case .strip: placed.frame.columns >= Layout.stripWithFrames
      default: false
      }
    }
  }

  /// Whether the picture shows each frame and is not frozen.
  package var showsEachFrame: Bool {
    guard state.frozen == nil else { return false }
    return (stack.isOpen(.list) && state.page == .frames) || layout.contains { $0.id == .frames }
  }

  /// Whether the picture shows the share of unchanged cells.
  package var showsUnchangedCells: Bool {
    guard state.frozen == nil else { return false }
    if stack.isOpen(.list), state.page == .frames { return true }
    return layout.contains { $0.id == .output && $0.frame.columns >= OverlayGrid.least }
  }

  /// Whether the HUD has the focus. Set it when that changes, so that an overlay shows it.
  package var hasKeys: Bool {
    get { state.hasKeys }
    set {
      guard newValue != state.hasKeys else { return }
      state.hasKeys = newValue
      change = .everything
    }
  }

  /// The name of the prefix key while the frame shows it; empty otherwise.
  package var prefixKeyHint: String {
    get { state.prefixKeyHint }
    set {
      guard newValue != state.prefixKeyHint else { return }
      state.prefixKeyHint = newValue
      change = .everything
    }
  }

  /// Whether the frame shows that this HUD follows one that died.
  package var isRestarted: Bool {
    get { state.isRestarted }
    set {
      guard newValue != state.isRestarted else { return }
      state.isRestarted = newValue
      change = .everything
    }
  }

  /// Marks that a sample has arrived. A frozen picture stays as it is.
  package mutating func invalidate() {
    if state.frozen == nil { change = max(change, .sample) }
  }

  /// Marks that events have come: a toast does not wait for the next sample.
  package mutating func invalidateForEvents() {
    if state.frozen == nil { change = max(change, .event) }
  }

  /// Marks the whole picture as outdated.
  package mutating func invalidateAll() { change = .everything }
}
