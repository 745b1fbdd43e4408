import Glibc
import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The full-screen view in a terminal or pane: keys → HUD, HUD → curses → queue → terminal.
struct AttachFrontend: Frontend, PaneView, ~Copyable {
  var terminal: PaneTerminal
  private var hud: HUD
  private var inputSlot = 0
  private var outputSlot = 0
  private let environment: Environment
  /// The jobs of another terminal, whose foreground job is shown.
  private let jobs: TerminalJobs?
  /// Whether the terminal has reported that it has lost the focus.
  private(set) var isUnwatched = false

  /// - Parameters:
  ///   - terminal: already taken over.
  ///   - jobs: what to follow; `nil` stays with the first target.
  ///   - mayCountChildren: whether a key counts the children of the target, or no longer does.
  init(
    terminal: consuming PaneTerminal, settings: Settings, environment: Environment,
    jobs: TerminalJobs? = nil, mayCountChildren: Bool = false
  ) {
    let isASCII = terminal.isASCII
    let state = HUDState(
      language: isASCII ? .english : settings.language(in: environment), graphStyle: settings.graph,
      isASCII: isASCII, interval: settings.interval)
    hud = HUD(size: terminal.resize(), state: state)
    hud.begin(with: settings)
    hud.mayCountChildren = mayCountChildren
    self.terminal = terminal
    self.environment = environment
    self.jobs = jobs
  }

  mutating func register(with poller: inout Poller) {
    inputSlot = poller.add(terminal.inputDescriptor)
    outputSlot = poller.add(terminal.outputDescriptor, events: Int32(POLLOUT))
    poller.replace(nil, slot: outputSlot)
  }

  mutating func readInput(
    _ poller: borrowing Poller, run: inout LiveRun, now: Instant, into requests: inout LoopRequests
  ) {
    var inputEvents: [InputEvent] = []
    let isReady = poller.isReady(inputSlot)
    if terminal.read(isReady: isReady, into: &inputEvents, now: now) { hud.invalidateAll() }
    var hasFocus = !isUnwatched
    for event in inputEvents {
      switch event {
      case .key(let key):
        // Whoever types is there, whatever the terminal has reported.
        hasFocus = true
        if let request = hud.handle(key, run: run.value) { serve(request, into: &requests.hud) }
      case .mouse(let event): hud.handle(event, run: run.value)
      case .focusGained: hasFocus = true
      case .focusLost: hasFocus = false
      default: break
      }
    }
    setUnwatched(!hasFocus)
    if let change = jobs?.look(now: now) { requests.target = change }
  }

  mutating func admit(_ sample: inout Sample, includesDescendants: Bool) -> Bool {
    jobs?.note(sample) ?? true
  }

  private mutating func setUnwatched(_ value: Bool) {
    guard value != isUnwatched else { return }
    isUnwatched = value
    hud.isUnwatched = value
  }

  /// Handles requests that concern the picture, and leaves the rest to the loop.
  private mutating func serve(_ request: HUDRequest, into requests: inout [HUDRequest]) {
    switch request {
    case .save, .signal, .renice: hud.serve(request, environment)
    case .apply(let settings):
      terminal.setTheme(settings.theme)
      terminal.setMouse(settings.hasMouse)
      requests.append(request)
    default: requests.append(request)
    }
  }

  mutating func noteAlerts(_ lines: [String], rings: Bool) {
    hud.invalidateForEvents()
    if rings { terminal.ringBell() }
  }

  var showsMessages: Bool { true }

  mutating func noteLast(_ result: LastRecording) { hud.note(result) }

  mutating func resize() { hud.resize(to: terminal.resize()) }

  mutating func invalidate() { hud.invalidateAll() }

  mutating func noteContinued() { setUnwatched(false) }

  mutating func take(_ row: Row, run: borrowing Run) {
    if row.hasEnded || row.isZombie { hud.invalidateAll() } else { hud.invalidate() }
  }

  mutating func noteStartedAnew() { hud.startAnew() }

  mutating func noteEvents() { hud.invalidateForEvents() }

  func deadline(now: Instant) -> Instant? {
    // If the terminal takes no more, wait for it instead of drawing.
    let picture = terminal.isAboveHighWater ? nil : hud.deadline(now: now)
    return earliest(earliest(terminal.deadline(now: now), picture), jobs?.deadline)
  }

  mutating func present(
    run: borrowing Run, now: Instant, poller: inout Poller
  ) throws(RunError) {
    if hud.needsDraw(now: now), !terminal.isAboveHighWater {
      hud.draw(run, now: now)
      terminal.present(hud.picture)
    }
    guard terminal.isWaiting else { return }
    terminal.flush()
    poller.replace(terminal.isWaiting ? terminal.outputDescriptor : nil, slot: outputSlot)
  }

  var hasHungUp: Bool { terminal.hasHungUp }
  var isDone: Bool { terminal.hasHungUp || jobs?.hasEnded == true }
  var listensToTarget: Bool { jobs != nil }
  var showsFrames: Bool { hud.showsFrames }
  var showsEachFrame: Bool { hud.showsEachFrame }
  var gathering: UInt64 { UInt64(HUD.samplePeriod - HUD.sampleSlack) }
  var wantedTable: ProcessTableRequest? { hud.wantedTable }
  var wantsProcessDetails: Bool { hud.wantsProcessDetails }
  var showsProcessDetails: Bool { hud.showsProcessDetails }
}
