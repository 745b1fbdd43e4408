import Glibc
import HUD
import Metrics
import PerfHUDBase
import SystemPackage
import Terminal

/// The terminal of a full-screen view: curses → queue → terminal, terminal → keys. The picker hands it over to the
/// process view, so nothing flickers in between.
struct PaneTerminal: ~Copyable {
  private var tty: TTY
  private var curses: CursesScreen
  private var decoder = InputDecoder()
  private var queue = OutputQueue()
  private var input = [UInt8](repeating: 0, count: 4096)
  private let environment: Environment
  private(set) var theme: ThemeName
  private var background: Background
  /// Asks for the background color, and takes the answer.
  private var features = TerminalFeatures()
  /// Events that arrived while waiting for the answer.
  private var early: [InputEvent] = []
  /// The terminal modes that are set in addition to those of curses.
  private var modes: ScreenModes
  /// Whether the terminal has gone, so that nothing can be shown any more.
  private(set) var hasHungUp = false

  /// Takes over the terminal. Signals must be blocked before.
  ///
  /// - Throws: `CursesError.noCursorAddressing` if the terminal cannot place the cursor.
  init(
    tty: consuming TTY, settings: Settings, environment: Environment
  ) throws(CursesError) {
    var curses = try CursesScreen(
      size: tty.size().cells, term: environment["TERM"], directColors: environment.directColors,
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
    // In the background the line above has stopped this process; the size may have changed since.
    curses.resize(to: tty.size().cells)
    self.tty = tty
    self.curses = curses
    self.environment = environment
    theme = settings.theme
    background = environment.background
    self.modes = modes
    if self.curses.depth != .none { askBackground() }
    setModes()
  }

  var size: Size { tty.size().cells }
  /// Whether only ASCII can be drawn.
  var isASCII: Bool { !curses.isUTF8 }
  var inputDescriptor: Int32 { tty.inputDescriptor }
  var outputDescriptor: Int32 { tty.outputDescriptor }
  /// Whether bytes wait for the terminal to take them.
  var isWaiting: Bool { !queue.isEmpty }
  /// Whether it takes so little that no further picture should be drawn.
  var isAboveHighWater: Bool { queue.isAboveHighWater }

  // MARK: The background

  /// How long the first picture waits for the background color, in nanoseconds. If the terminal answers later, the
  /// colors on the screen change.
  private static let backgroundPatience: Int64 = 150_000_000

  /// Asks for the background color, and waits for the answer. Keeps keys that arrive meanwhile.
  private mutating func askBackground() {
    guard let question = features.onlyBackgroundQuestion(term: environment["TERM"]) else { return }
    queue.append(question)
    let end = Instant.now().advanced(byNanoseconds: PaneTerminal.backgroundPatience)
    var poller = Poller()
    _ = poller.add(tty.inputDescriptor)
    while features.isWaiting, !hasHungUp, case let now = Instant.now(), now < end {
      flush()
      poller.wait(until: end, now: now)
      var events: [InputEvent] = []
      _ = takeInput(into: &events, now: .now())
      early += events
    }
  }

  // MARK: Input

  /// When to read keys although nothing has arrived; `nil` if there is no need.
  func deadline(now: Instant) -> Instant? { early.isEmpty ? decoder.pendingDeadline : now }

  /// Reads what has arrived.
  ///
  /// - Parameter isReady: whether the terminal has sent something.
  /// - Returns: whether the colors have changed.
  mutating func read(isReady: Bool, into events: inout [InputEvent], now: Instant) -> Bool {
    events += early
    early.removeAll()
    if let deadline = decoder.pendingDeadline, now >= deadline {
      decoder.resolve(now: now) { events.append($0) }
    }
    return isReady && takeInput(into: &events, now: now)
  }

  /// Reads what has arrived, and takes the terminal's answer out of it.
  private mutating func takeInput(into events: inout [InputEvent], now: Instant) -> Bool {
    guard let count = readTerminal() else { return false }
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
    else { return false }
    background = found
    curses.setTheme(theme, background: background)
    return true
  }

  /// The number of bytes read; 0 when the terminal has gone, `nil` when there are none.
  private mutating func readTerminal() -> Int? {
    do {
      return try unsafe input.withUnsafeMutableBytes { try unsafe tty.read(into: $0) }
    } catch {
      return 0
    }
  }

  // MARK: Modes

  /// Sets the modes that curses does not know; `TTY` resets them on every way out.
  mutating func setModes() { queue.append(modes.setBytes) }

  /// Takes the mouse, or leaves it to the terminal.
  mutating func setMouse(_ isWanted: Bool) {
    guard isWanted != modes.contains(.mouse) else { return }
    if isWanted {
      // Store what undoes it first: a crash must not leave the mouse switched on.
      let restore = modes.union(.mouse).restoreBytes + curses.restoreBytes
      guard (try? tty.enter(restore: restore)) != nil else { return }
      modes.insert(.mouse)
    } else {
      modes.remove(.mouse)
    }
    queue.append(isWanted ? ScreenModes.mouse.setBytes : ScreenModes.mouse.resetBytes)
  }

  mutating func setTheme(_ name: ThemeName) {
    guard name != theme else { return }
    theme = name
    curses.setTheme(name, background: background)
  }

  mutating func ringBell() { queue.append(0x07) }

  // MARK: The job

  /// Stops the job, and takes over the terminal again when it is continued.
  mutating func suspend() throws(RunError) {
    queue.removeAll()
    do {
      try tty.suspend()
    } catch {
      throw RunError(error)
    }
    decoder.reset()
  }

  /// Takes over the terminal after `suspend`, once everything has been drawn again.
  mutating func enterAgain() { curses.enterAgain() }

  /// The job was stopped from outside, and has been continued.
  mutating func resume() throws(RunError) {
    do {
      try tty.makeRawAgain()
    } catch {
      throw RunError(error)
    }
  }

  // MARK: Pictures

  /// Adopts the terminal's size.
  mutating func resize() -> Size {
    let size = size
    curses.resize(to: size)
    return size
  }

  mutating func redrawAll() {
    setModes()
    curses.redrawAll()
  }

  mutating func present(_ picture: borrowing CellGrid) { curses.present(picture, to: &queue) }

  /// Presents windows over a program's screen, see `CursesScreen`.
  mutating func present(
    _ windows: borrowing CellGrid, over screen: borrowing Screen, cursor: Point?
  ) {
    curses.present(windows, over: screen, cursor: cursor, to: &queue)
  }

  /// Writes as much as the terminal takes.
  mutating func flush() {
    do throws(Errno) {
      try queue.flush(to: tty.outputDescriptor, mayBlock: tty.mayBlock)
    } catch {
      hasHungUp = true
    }
  }
}
