import Glibc
import HUD
import Metrics
import PerfHUDBase
import Sampler
import SystemPackage
import Terminal

/// The full-screen view in a terminal or pane: keys → HUD, HUD → curses → queue → terminal.
struct AttachFrontend: Frontend, ~Copyable {
  private var tty: TTY
  private var curses: CursesScreen
  private var hud: HUD
  private var decoder = InputDecoder()
  private var queue = OutputQueue()
  private var input = [UInt8](repeating: 0, count: 4096)
  private var inputSlot = 0
  private var outputSlot = 0
  private var hasHungUp = false
  private let environment: Environment
  private var theme: ThemeName
  private var background: Background
  /// The question for the background, and its answer.
  private var features = TerminalFeatures()
  /// What came while the answer was waited for.
  private var early: [InputEvent] = []
  /// Whether the terminal has reported that it has lost the focus.
  private(set) var isUnwatched = false
  /// What is switched on at the terminal beside what curses does.
  private var modes: ScreenModes

  /// Takes over the terminal. Signals must be blocked before.
  ///
  /// - Throws: `CursesError.noCursorAddressing` for a terminal on which nothing can be placed.
  init(
    tty: consuming TTY, settings: Settings, environment: Environment
  ) throws(CursesError) {
    var curses = try CursesScreen(
      size: tty.size().cells, term: environment["TERM"], colorTerm: environment["COLORTERM"],
      colors: !environment.wantsNoColor,
      isUTF8: environment.isUTF8 && !settings.isASCII, theme: settings.theme,
      background: environment.background)
    var modes: ScreenModes = .focusReports
    if settings.hasMouse { modes.insert(.mouse) }
    do {
      try tty.enter(restore: modes.restoreBytes + curses.restoreBytes)
    } catch {
      throw .system(error)
    }
    // In the background the line before has stopped this process; the size may be another one now.
    let size = tty.size().cells
    curses.resize(to: size)
    let isASCII = !curses.isUTF8
    self.tty = tty
    self.curses = curses
    let state = HUDState(
      language: isASCII ? .english : settings.language(in: environment), graphStyle: settings.graph,
      isASCII: isASCII, interval: settings.interval)
    hud = HUD(size: size, state: state)
    hud.begin(with: settings)
    self.environment = environment
    theme = settings.theme
    background = environment.background
    self.modes = modes
    if self.curses.depth != .none { askBackground() }
    setModes()
  }

  /// How long the first picture waits for the color of the background, in milliseconds. A terminal that answers later
  /// changes the colors of what is shown.
  private static let backgroundPatience: Int64 = 150

  /// Asks for the background, and waits for the answer. Keys that come meanwhile are kept.
  private mutating func askBackground() {
    guard let question = features.onlyBackgroundQuestion(term: environment["TERM"]) else { return }
    for byte in question { queue.append(byte) }
    let end = Instant.now().advanced(byNanoseconds: AttachFrontend.backgroundPatience * 1_000_000)
    while features.isWaiting, !hasHungUp, case let now = Instant.now(), now < end {
      do throws(Errno) {
        try queue.flush(to: tty.outputDescriptor, mayBlock: tty.mayBlock)
      } catch {
        hasHungUp = true
      }
      tty.waitForInput(milliseconds: Int32(end.nanoseconds(since: now) / 1_000_000 + 1))
      var events: [InputEvent] = []
      takeInput(into: &events, now: .now())
      early += events
    }
  }

  /// Reads what has come, and takes the answer of the terminal out of it.
  private mutating func takeInput(into events: inout [InputEvent], now: Instant) {
    guard let count = readTerminal() else { return }
    if count == 0 { hasHungUp = true }
    let bytes = input
    var features = features
    unsafe decoder.feed(bytes.span.extracting(first: count).bytes, at: now) { event, token in
      if case .answer(let answer) = event { _ = features.take(answer, token) }
      events.append(event)
    }
    self.features = features
    guard let color = features.background, case let found = Background(color: color),
      found != background
    else { return }
    background = found
    curses.setTheme(theme, background: background)
    hud.invalidateAll()
  }

  /// Switches on what curses does not know of; `TTY` switches it off on every way out.
  private mutating func setModes() {
    for byte in modes.setBytes { queue.append(byte) }
  }

  /// Takes the mouse, or leaves it to the terminal.
  private mutating func setMouse(_ isWanted: Bool) {
    guard isWanted != modes.contains(.mouse) else { return }
    if isWanted {
      // First what undoes it: a crash must not leave it switched on.
      let restore = modes.union(.mouse).restoreBytes + curses.restoreBytes
      guard (try? tty.enter(restore: restore)) != nil else { return }
      modes.insert(.mouse)
    } else {
      modes.remove(.mouse)
    }
    let bytes = isWanted ? ScreenModes.mouse.setBytes : ScreenModes.mouse.resetBytes
    for byte in bytes { queue.append(byte) }
  }

  mutating func register(with poller: inout Poller) {
    inputSlot = poller.add(tty.inputDescriptor)
    outputSlot = poller.add(tty.outputDescriptor, events: Int32(POLLOUT))
    poller.replace(nil, slot: outputSlot)
  }

  mutating func readInput(
    _ poller: borrowing Poller, run: inout Run, now: Instant, into requests: inout LoopRequests
  ) {
    var inputEvents = early
    early.removeAll()
    if let deadline = decoder.pendingDeadline, now >= deadline {
      decoder.resolve(now: now) { inputEvents.append($0) }
    }
    var hasFocus = !isUnwatched
    if poller.isReady(inputSlot) { takeInput(into: &inputEvents, now: now) }
    for event in inputEvents {
      switch event {
      case .key(let key):
        // Who types is there, whatever the terminal has reported.
        hasFocus = true
        if let request = hud.handle(key, run: run) { serve(request, into: &requests.hud) }
      case .mouse(let event): hud.handle(event, run: run)
      case .focusGained: hasFocus = true
      case .focusLost: hasFocus = false
      default: break
      }
    }
    setUnwatched(!hasFocus)
  }

  private mutating func setUnwatched(_ value: Bool) {
    guard value != isUnwatched else { return }
    isUnwatched = value
    hud.isUnwatched = value
  }

  /// Serves what concerns the picture; the rest is the loop's.
  private mutating func serve(_ request: HUDRequest, into requests: inout [HUDRequest]) {
    switch request {
    case .save(let changes): hud.save(changes, environment)
    case .apply(let settings):
      if settings.theme != theme {
        theme = settings.theme
        curses.setTheme(theme, background: background)
      }
      setMouse(settings.hasMouse)
      requests.append(request)
    default: requests.append(request)
    }
  }

  mutating func noteAlerts(_ lines: [String], rings: Bool) { if rings { queue.append(0x07) } }

  /// The number of bytes that were read; 0 when the terminal has gone, `nil` when there are none.
  private mutating func readTerminal() -> Int? {
    do {
      return try unsafe input.withUnsafeMutableBytes { try unsafe tty.read(into: $0) }
    } catch {
      return 0
    }
  }

  mutating func resize() {
    let size = tty.size().cells
    hud.resize(to: size)
    curses.resize(to: size)
  }

  mutating func suspend() throws(RunError) {
    queue.removeAll()
    do {
      try tty.suspend()
    } catch {
      throw RunError(error)
    }
    decoder.reset()
    redrawAll()
    curses.enterAgain()
    setUnwatched(false)
  }

  mutating func resume() throws(RunError) {
    do {
      try tty.makeRawAgain()
    } catch {
      throw RunError(error)
    }
    redrawAll()
  }

  mutating func redrawAll() {
    resize()
    setModes()
    curses.redrawAll()
    hud.invalidateAll()
  }

  mutating func take(_ row: Row, run: borrowing Run) { hud.invalidate() }

  /// A toast does not wait for the next sample.
  mutating func noteEvents() { hud.invalidate() }

  func deadline(now: Instant) -> Instant? {
    // A terminal that takes nothing more is waited for, not drawn for.
    if !early.isEmpty { return now }
    let picture = queue.isAboveHighWater ? nil : hud.deadline(now: now)
    guard let escape = decoder.pendingDeadline else { return picture }
    return min(escape, picture ?? escape)
  }

  mutating func present(
    run: borrowing Run, now: Instant, poller: inout Poller
  ) throws(RunError) {
    if hud.needsDraw(now: now), !queue.isAboveHighWater {
      hud.draw(run, now: now)
      curses.present(hud.picture, to: &queue)
    }
    guard !queue.isEmpty else { return }
    do throws(Errno) {
      try queue.flush(to: tty.outputDescriptor, mayBlock: tty.mayBlock)
    } catch {
      hasHungUp = true
    }
    poller.replace(queue.isEmpty ? nil : tty.outputDescriptor, slot: outputSlot)
  }

  /// The terminal has gone: there is nobody left to show anything to.
  var isDone: Bool { hasHungUp }
  var showsFrames: Bool { hud.showsFrames }
  var wantedTable: ProcessTableRequest? { hud.wantedTable }
}
