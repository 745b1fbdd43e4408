import HUD
import Metrics
import PerfHUDBase
import Recording
import Terminal

/// Plays a recording in a terminal: keys → player, its run → HUD → terminal.
///
/// The file is first folded in slices of some milliseconds, between which keys are handled.
struct ReplayLoop: PaneLoop, ~Copyable {
  private var player: RecordingPlayer
  private let path: String
  var terminal: PaneTerminal
  /// What is shown: the full-screen view, or the HUD over the recorded screen.
  private var hud: HUD
  /// The other one of the two.
  private var otherHUD: HUD?
  private var screen: ReplayScreen?
  private var showsScreen = false
  /// Whether more of the screen must be read before it can be shown at the position.
  private var isScreenLate = false
  private var clock: PlayClock
  private let environment: Environment
  /// Whether the file may still grow.
  private var follows: Bool
  /// Whether the end of the file is shown as it grows.
  private var isLive: Bool
  /// Whether the run has jumped to another time.
  private var hasJumped = true
  /// Whether the user has been told what could not be read.
  private var saidRemark = false
  private var lookDue = Instant(nanoseconds: 0)
  private var positionDue = Instant(nanoseconds: 0)

  /// How long to fold the file before checking for keys, in nanoseconds.
  private static let slice: Int64 = 8_000_000
  /// The number of records that are folded between two reads of the clock.
  private static let sliceRecords = 256
  /// How often to check a file that is still being written, in nanoseconds.
  private static let lookPeriod: Int64 = 200_000_000
  /// How often the position on the screen is updated, in nanoseconds.
  private static let positionPeriod: Int64 = 100_000_000
  /// The same over a recorded screen; and how many of its bytes are read between two reads of the clock.
  private static let screenPeriod: Int64 = 33_000_000
  private static let sliceScreen = 256 << 10
  /// How long a line about the file itself is shown, in seconds.
  private static let remarkSeconds = 8.0

  /// - Parameters:
  ///   - path: the path of the played file.
  ///   - terminal: already taken over.
  ///   - screen: the recorded screen, if there is one.
  ///   - startsAtEnd: whether to show the end of the file as it grows.
  init(
    player: consuming RecordingPlayer, path: String, terminal: consuming PaneTerminal,
    screen: consuming ReplayScreen?, settings: Settings,
    environment: Environment, clock: PlayClock, follows: Bool, startsAtEnd: Bool
  ) {
    let isASCII = terminal.isASCII
    let size = terminal.resize()
    let interval = player.run.interval
    func makeHUD(_ family: HUDFamily) -> HUD {
      var state = HUDState(
        language: isASCII ? .english : settings.language(in: environment),
        graphStyle: settings.graph, isASCII: isASCII, interval: interval, family: family)
      state.replay = ReplayState()
      var hud = HUD(size: size, state: state)
      hud.begin(with: settings)
      return hud
    }
    if var found = screen.take() {
      otherHUD = makeHUD(.pane)
      hud = makeHUD(.overlay)
      found.place(&hud, in: size)
      showsScreen = true
      self.screen = .some(found)
    } else {
      hud = makeHUD(.pane)
      self.screen = nil
    }
    self.player = player
    self.path = path
    self.terminal = terminal
    self.environment = environment
    self.clock = clock
    self.follows = follows
    isLive = startsAtEnd
  }

  /// One line about what could not be read; `nil` if everything was, or while the file is still being written.
  var remark: String? { follows ? nil : player.remark }

  /// Shows a line for a while.
  mutating func say(_ line: String) { hud.say(line, seconds: ReplayLoop.remarkSeconds) }

  // MARK: The loop

  mutating func handle(_ event: InputEvent, now: Instant) throws -> Bool {
    switch event {
    case .key(let key):
      if let request = hud.handle(key, run: player.run) { return try serve(request, now: now) }
    case .mouse(let event): hud.handle(event, run: player.run)
    default: break
    }
    return false
  }

  /// Whether the whole screen was read once; `nil` if there is none.
  private var isScreenRead: Bool? {
    switch screen {
    case .some(let screen): screen.player.isIndexed
    case .none: nil
    }
  }

  func deadline(now: Instant) -> Instant? {
    var next = terminal.isAboveHighWater ? nil : hud.deadline(now: now)
    if !player.isIndexed || isScreenLate { next = now }
    if isScreenRead == false { next = now }
    if follows { next = earliest(next, lookDue) }
    let moves = !clock.isPaused && player.target == nil && player.position < player.end
    return moves ? earliest(next, positionDue) : next
  }

  /// Continues reading for a while, and moves the position.
  private mutating func work(now: Instant) {
    if follows, player.isIndexed, now >= lookDue {
      lookDue = now.advanced(byNanoseconds: ReplayLoop.lookPeriod)
      // The new file contains what was not yet read from the old one.
      if player.isReplaced { playReplacement() } else { follows = player.follow() }
      screen?.player.follow()
      if !follows { isLive = false }
    }
    let end = now.advanced(byNanoseconds: ReplayLoop.slice)
    while !player.isIndexed, Instant.now() < end {
      if player.index(ReplayLoop.sliceRecords) { hasJumped = true }
    }
    while screen?.player.isIndexed == false, Instant.now() < end {
      screen?.player.index(ReplayLoop.sliceScreen)
    }
    sayRemark()
    let elapsed = clock.elapsed(now: now)
    if isLive, clock.isPaused {
      // If it was paused from the start, it stays at the end as it was then.
      if player.isIndexed {
        player.advance(to: player.end)
        isLive = false
        hasJumped = true
      }
    } else if isLive {
      if player.isIndexed, player.position < player.end { player.advance(to: player.end) }
    } else if elapsed > 0, player.target == nil {
      player.advance(to: player.position.advanced(byNanoseconds: elapsed))
      if player.isIndexed, player.position >= player.end { reachEnd() }
    }
    guard now >= positionDue else { return }
    positionDue = now.advanced(
      byNanoseconds: showsScreen ? ReplayLoop.screenPeriod : ReplayLoop.positionPeriod)
  }

  /// Continues at the same time in the file that has replaced the followed one.
  private mutating func playReplacement() {
    guard var next = try? RecordingPlayer(path: path),
      next.header.began ?? next.start == player.header.began ?? player.start
    else {
      follows = false
      return
    }
    next.seek(to: player.target ?? player.position)
    player = next
    follows = true
    hasJumped = true
  }

  /// At the end of a complete file, stops. In a file that is still being written, shows what is added.
  private mutating func reachEnd() {
    if follows { isLive = true } else { clock.pause(true) }
  }

  /// Says once what could not be read.
  private mutating func sayRemark() {
    guard !saidRemark, player.isIndexed, !follows else { return }
    saidRemark = true
    if let remark = player.remark { hud.say(remark, seconds: ReplayLoop.remarkSeconds) }
  }

  mutating func present(now: Instant) {
    work(now: now)
    var replay = ReplayState()
    func elapsed(_ time: Instant) -> UInt64 {
      UInt64(max(0, time.nanoseconds(since: player.start)))
    }
    replay.position = elapsed(player.position)
    replay.length = elapsed(player.end)
    replay.read = elapsed(player.read)
    replay.target = player.target.map { min(elapsed($0), replay.length) }
    replay.speed = clock.speed
    replay.isPaused = clock.isPaused
    replay.isLive = isLive && follows
    replay.phases = player.phases.map(elapsed)
    hud.update(replay, interval: player.run.interval, hasJumped: hasJumped)
    hasJumped = false
    if showsScreen { return presentScreen(at: replay.position, now: now) }
    guard hud.needsDraw(now: now), !terminal.isAboveHighWater else { return }
    hud.draw(player.run, now: now, asOf: player.position)
    terminal.present(hud.picture)
  }

  // MARK: The screen

  private mutating func presentScreen(at position: UInt64, now: Instant) {
    isScreenLate = screen?.player.seek(to: position) == false
    if let line = screen?.remark(in: terminal.size, hud.state.language) {
      hud.say(line, seconds: ReplayLoop.remarkSeconds)
    }
    if !isScreenLate, let isAlternate = screen?.player.isAlternate {
      hud.noteProgramScreen(isAlternate: isAlternate)
    }
    let isDue = hud.needsDraw(now: now)
    guard isDue || screen?.hasChanged == true, !terminal.isAboveHighWater else { return }
    screen?.place(&hud, in: terminal.size)
    if isDue { hud.draw(player.run, now: now, asOf: player.position) }
    let progress = hud.progressRow(player.run, columns: terminal.size.columns)
    screen?.present(hud, progress, on: &terminal)
  }

  /// Switches between the full-screen view and the recorded screen.
  private mutating func toggleScreen() {
    guard screen != nil, let other = otherHUD else { return hud.note(.noteNoScreen) }
    otherHUD = hud
    hud = other
    showsScreen.toggle()
    isScreenLate = false
    hasJumped = true
    layOut(terminal.size)
    hud.invalidateAll()
    screen?.invalidate()
  }

  /// Adopts the terminal's size.
  private mutating func layOut(_ size: Size) {
    if showsScreen {
      screen?.place(&hud, in: size)
      screen?.invalidate()
    } else {
      hud.resize(to: size)
    }
  }

  // MARK: Keys

  /// - Returns: whether the user quits.
  private mutating func serve(_ request: HUDRequest, now: Instant) throws(RunError) -> Bool {
    switch request {
    case .quit: return true
    case .replay(let command): play(command, now: now)
    case .save: hud.serve(request, environment)
    case .apply(let settings):
      otherHUD?.begin(with: settings)
      terminal.setTheme(settings.theme)
      terminal.setMouse(settings.hasMouse)
    case .suspend: try suspend()
    case .redraw: redrawAll()
    case .interval, .mark, .resetPeaks, .readPSS, .recordLast, .countChildren, .signal, .renice:
      hud.note(.noteNotInReplay)
    case .hide, .corner, .nextSize: screen?.take(request, &hud)
    case .back: break
    }
    return false
  }

  private mutating func play(_ command: ReplayAction, now: Instant) {
    switch command {
    case .togglePause:
      // After the end it starts again, as players do.
      if clock.isPaused, player.isIndexed, player.position >= player.end, !follows {
        jump(to: player.start)
      }
      clock.pause(!clock.isPaused)
      isLive = false
    case .speed(let direction): clock.changeSpeed(direction)
    case .normalSpeed: clock.setNormalSpeed()
    case .step(let direction):
      clock.pause(true)
      isLive = false
      if !player.step(direction) { hud.note(.noteNoMarker) }
      hasJumped = true
    case .skip(let seconds):
      let base = player.target ?? player.position
      jump(to: base.advanced(byNanoseconds: Int64(seconds) * 1_000_000_000))
    case .start: jump(to: player.start)
    case .end:
      jump(to: player.isIndexed ? player.end : player.start.advanced(byNanoseconds: .max))
      if follows {
        clock.pause(false)
        isLive = true
      }
    case .seek(let time):
      jump(to: player.start.advanced(byNanoseconds: Int64(clamping: time)))
    case .toggleScreen: toggleScreen()
    case .typeTime, .refuse: break
    case .marker(let kind, let direction):
      guard let time = player.marker(MarkerKind(kind), direction) else {
        hud.note(player.isIndexed || direction < 0 ? .noteNoMarker : .noteNoMarkerYet)
        return
      }
      jump(to: time)
    }
  }

  private mutating func jump(to time: Instant) {
    isLive = false
    player.seek(to: time)
    hasJumped = true
  }

  // MARK: The terminal

  mutating func resize() { layOut(terminal.resize()) }

  mutating func invalidate() { hud.invalidateAll() }

  /// The time of a stop does not count.
  mutating func noteContinued() { _ = clock.elapsed(now: .now()) }
}

extension MarkerKind {
  init(_ marker: ReplayMarker) {
    self =
      switch marker {
      case .phase: .phase
      case .alert: .alert
      case .slowFrame: .slowFrame
      case .mark: .mark
      }
  }
}
