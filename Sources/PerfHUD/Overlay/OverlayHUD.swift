import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The HUD over a command: its windows, where they are, whether they are shown, and what keys do to them.
struct OverlayHUD: ~Copyable {
  private var hud: HUD
  private var pad: CursesPad
  private var size: HUDSize
  private var avoidance: CursorAvoidance
  private var avoidsCursor: Bool
  private var theme: ThemeName
  private var background: Background
  private let environment: Environment
  private var visibility: Visibility
  /// Whether a line says what a job of the shell has used.
  private let saysJobs: Bool
  /// Whether the terminal has more cells than the screen model follows: then there is no HUD.
  var isTooLarge = false
  /// The prefix key shows a hidden HUD; without another key it is hidden again.
  private var isShownForKeys = false
  /// The line that says what the last job used.
  private var jobLine: String?
  /// Until then the HUD shows its prefix key.
  private var hintEnd: Instant?
  /// Whether the HUD shows that a key has not been answered.
  private var showsUnansweredKey = false
  /// The bell is to ring as soon as it cuts nothing of the command.
  private var isBellDue = false

  private static let hintSeconds = 15.0
  private static let summarySeconds = Double(Visibility.stay) * 1e-9

  /// - Parameters:
  ///   - prefixKey: the key that gives the HUD the focus; `nil`: none does.
  ///   - isShell: whether the command is a shell whose foreground job is shown.
  init(
    pad: consuming CursesPad, settings: Settings, environment: Environment, prefixKey: PrefixKey?,
    isShell: Bool, now: Instant
  ) {
    let isASCII = !pad.isUTF8
    var state = HUDState(
      language: isASCII ? .english : settings.language(in: environment),
      graphStyle: settings.graph, isASCII: isASCII, interval: settings.interval, family: .overlay)
    state.prefixKey = prefixKey?.label ?? ""
    hud = HUD(size: pad.cells.size, state: state)
    hud.begin(with: settings)
    self.pad = pad
    size = settings.size
    avoidance = CursorAvoidance(wish: settings.corner)
    avoidsCursor = settings.avoidsCursor
    theme = settings.theme
    background = environment.background
    self.environment = environment
    saysJobs = settings.summary != false
    visibility = Visibility(
      isHidden: settings.isHidden,
      delay: isShell && settings.autoShow > 0 ? Int64(settings.autoShow) : nil, now: now)
    if let prefixKey {
      hud.prefixKeyHint = prefixKey.label
      hintEnd = now.advanced(bySeconds: OverlayHUD.hintSeconds)
    }
  }

  // MARK: Keys

  /// Where in the HUD its keys go.
  var focus: KeyFocus { hud.focus }

  /// Whether the HUD had the focus when keys were last served.
  var hasKeys: Bool { hud.hasKeys }

  /// Serves the keys for the HUD; what the loop has to do for them goes into `requests`.
  mutating func serve(
    _ keys: [Key], _ compositor: inout Compositor, run: borrowing Run,
    into requests: inout [HUDRequest]
  ) {
    if !hud.hasKeys, isHidden { isShownForKeys = true }
    for key in keys {
      let wasHidden = isShownForKeys
      if wasHidden { visibility.choose(true) }
      isShownForKeys = false
      guard let request = hud.handle(key, run: run) else { continue }
      switch request {
      // A HUD that only the prefix key shows is to stay.
      case .hide: visibility.choose(wasHidden)
      case .corner(let step):
        avoidance.wish = step.applied(to: avoidance.corner)
        hud.note(corner: avoidance.wish)
      case .nextSize:
        size = size.next
        hud.note(size: size)
      case .apply(let settings):
        apply(settings, &compositor)
        requests.append(request)
      case .save, .signal, .renice: hud.serve(request, environment)
      case .interval, .mark, .resetPeaks, .readPSS, .recordLast, .redraw: requests.append(request)
      // The focus has gone back already.
      case .back, .quit, .suspend, .replay: break
      }
    }
  }

  /// Serves what the mouse did in the windows; the HUD has the focus.
  mutating func serve(_ mouse: [MouseEvent], run: borrowing Run) {
    hud.hasKeys = true
    for event in mouse { hud.handle(event, run: run) }
  }

  /// The focus goes back to the command.
  mutating func endFocus() {
    isShownForKeys = false
    hud.endKeys()
    _ = hud.dismissLoading()
    hud.hasKeys = false
  }

  /// Keys go to the command: nothing of the HUD covers what they do.
  mutating func noteKeys() {
    _ = hud.dismissLoading()
    visibility.noteKeys()
  }

  /// Sets whether what the command loads may cover its screen.
  mutating func setAllowsCover(_ allowsCover: Bool) { hud.allowsCover = allowsCover }

  /// Hides the HUD, or shows it.
  mutating func toggle() {
    visibility.choose(isHidden)
    isShownForKeys = false
  }

  /// Shows what became of the last part of the run.
  mutating func note(_ result: LastRecording) { hud.note(result) }

  /// A job of the shell has the terminal since a time. Removes the line about the previous one.
  mutating func noteJob(since start: Instant) {
    visibility.noteJob(since: start)
    if let jobLine { hud.endSaying(jobLine) }
    jobLine = nil
  }

  /// The shell has the terminal again.
  ///
  /// - Parameter summary: what the job has used; said if the HUD was shown for it.
  mutating func notePrompt(_ summary: JobSummary?, now: Instant) {
    visibility.notePrompt(now: now)
    guard let summary, saysJobs, !isHidden else { return }
    let line = summary.text(hud.state.language)
    jobLine = line
    hud.say(line, seconds: OverlayHUD.summarySeconds)
  }

  /// Takes over what the window of the settings has changed.
  private mutating func apply(_ settings: Settings, _ compositor: inout Compositor) {
    if settings.theme != theme {
      theme = settings.theme
      setStyles(&compositor)
    }
    // To set it, even to the same corner, undoes stepping aside.
    if settings.corner != avoidance.wish { avoidance.wish = settings.corner }
    size = settings.size
    avoidsCursor = settings.avoidsCursor
  }

  /// The terminal has said which background it has.
  mutating func note(background color: UInt32, _ compositor: inout Compositor) {
    let background = Background(color: color)
    guard background != self.background else { return }
    self.background = background
    setStyles(&compositor)
  }

  private func setStyles(_ compositor: inout Compositor) {
    compositor.setStyles(Theme(depth: pad.depth, name: theme, background: background).styles)
  }

  // MARK: What it shows

  var isHidden: Bool { !isShownForKeys && !visibility.isShown }
  var showsFrames: Bool { !isHidden && hud.showsFrames }
  var showsEachFrame: Bool { !isHidden && hud.showsEachFrame }
  var showsUnchangedCells: Bool { !isHidden && hud.showsUnchangedCells }
  var wantedTable: ProcessTableRequest? { isHidden ? nil : hud.wantedTable }

  /// Whether nobody looks, so that fewer pictures will do.
  mutating func setUnwatched(_ isUnwatched: Bool) { hud.isUnwatched = isUnwatched }

  /// Events have come: a toast does not wait for the next sample.
  mutating func noteEvents() { hud.invalidateForEvents() }

  mutating func redrawAll() { hud.invalidateAll() }

  /// A new row has come.
  mutating func noteRow(run: borrowing Run) {
    hud.invalidate()
    // Whether a key is unanswered does not wait for the values' turn.
    let isUnanswered = run.unansweredSince != nil
    if isUnanswered != showsUnansweredKey { hud.invalidateAll() }
    showsUnansweredKey = isUnanswered
  }

  mutating func ringBell(_ compositor: borrowing Compositor) { isBellDue = !compositor.isGhost }

  /// Rings the bell if it is due; in the middle of a sequence it would belong to that.
  mutating func ring(_ compositor: inout Compositor, _ output: inout TerminalOutput) {
    guard isBellDue, compositor.screen.isAtGround else { return }
    isBellDue = false
    output.queue.append(0x07)
    compositor.noteInjection()
  }

  // MARK: The picture

  /// Where the gauges are; `nil` where there is no room for them.
  func place(in screen: Size) -> Rect? {
    isTooLarge ? nil : Placement.place(size, at: avoidance.corner, in: screen)
  }

  /// When the picture or the place of the HUD is to change if nothing happens.
  ///
  /// - Parameter isCalm: the HUD may move out of the cursor's way, see `show`.
  func deadline(in screen: Size, isCalm: Bool, now: Instant) -> Instant? {
    // Where there is no room for the HUD, its picture is never due.
    guard place(in: screen) != nil else { return nil }
    guard !isHidden else { return visibility.deadline }
    let move = isCalm && avoidsCursor ? avoidance.deadline : nil
    return earliest(
      earliest(hud.deadline(now: now), hintEnd), earliest(move, visibility.deadline))
  }

  /// Hands the picture to the compositor, where it or its place has changed.
  ///
  /// - Parameter isCalm: the command is quiet and the HUD does not have the focus: only then does the HUD move
  ///   out of the cursor's way.
  /// - Returns: whether the HUD is to be seen.
  mutating func show(
    on compositor: inout Compositor, run: borrowing Run, isCalm: Bool, now: Instant
  ) -> Bool {
    visibility.update(now: now)
    hud.noteProgramScreen(isAlternate: compositor.screen.isAlternate)
    guard !isHidden, !isTooLarge else {
      compositor.hide()
      return false
    }
    guard let place = findPlace(compositor, isCalm: isCalm, now: now) else { return false }
    if needsPicture(at: place, compositor, now: now) {
      drawWindows(around: place, compositor: &compositor, run: run, now: now)
    }
    return true
  }

  /// Shows for a while that this HUD follows one that died.
  mutating func noteRestart(now: Instant) {
    hud.isRestarted = true
    hintEnd = now.advanced(bySeconds: OverlayHUD.hintSeconds)
  }

  /// Moves the HUD off the cursor where that rests; not while the user is busy with the HUD.
  private mutating func findPlace(
    _ compositor: borrowing Compositor, isCalm: Bool, now: Instant
  ) -> Rect? {
    if let end = hintEnd, now >= end {
      hintEnd = nil
      hud.prefixKeyHint = ""
      hud.isRestarted = false
    }
    let screen = compositor.screen.size
    guard isCalm, avoidsCursor else { return place(in: screen) }
    let isSeen =
      compositor.screen.isCursorKnown && compositor.screen.modes.contains(.visibleCursor)
    return avoidance.update(
      size: size, screen: screen, cursor: isSeen ? compositor.screen.cursor : nil, now: now)
  }

  /// Whether the picture of the windows, or their place, may differ from that of the last turn: while output
  /// streams it hardly ever does.
  private func needsPicture(
    at place: Rect, _ compositor: borrowing Compositor, now: Instant
  ) -> Bool {
    let room = OverlayHUD.room(in: compositor.screen.size)
    if !compositor.isWanted || hud.needsDraw(now: now) || !hud.isPlaced(at: place, in: room) {
      return true
    }
    // Where a window can be may depend on what is beneath it.
    return hud.stack.windows.count > 1
  }

  private mutating func drawWindows(
    around place: Rect, compositor: inout Compositor, run: borrowing Run, now: Instant
  ) {
    let room = OverlayHUD.room(in: compositor.screen.size)
    hud.place(at: place, in: room, blocked: blockedWindows(&compositor))
    if hud.needsDraw(now: now) { hud.draw(run, now: now) }
    let bounds = hud.bounds
    pad.resize(to: Size(rows: bounds.rows, columns: bounds.columns))
    pad.present(hud.picture)
    compositor.show(pad.cells, parts: hud.parts, at: bounds)
  }

  /// Where windows may be: everywhere but in the last column.
  private static func room(in screen: Size) -> Rect {
    Rect(row: 0, column: 0, rows: screen.rows, columns: max(0, screen.columns - 1))
  }

  /// The windows that would cover what could not be restored, such as an image: with one of them there the
  /// whole HUD could not be drawn.
  private func blockedWindows(_ compositor: inout Compositor) -> [WindowID] {
    var blocked: [WindowID] = []
    for window in hud.stack.windows where window.id != .hud {
      if let frame = hud.wishes(window.id), !compositor.canCover(frame) {
        blocked.append(window.id)
      }
    }
    return blocked
  }

  /// Sets which reports of the mouse are the HUD's while it has the focus. A report in pixels that cannot be
  /// turned into a cell stays the command's.
  func setMouseWindows(
    of input: inout TerminalInput, _ compositor: borrowing Compositor, _ tty: borrowing TTY
  ) {
    let modes = compositor.screen.modes
    guard input.hasHUDFocus, compositor.isPainted, modes.contains(.mouseReports) else {
      return input.setWindows(RectList())
    }
    guard modes.contains(.pixelMouse) else { return input.setWindows(hud.parts) }
    guard let size = tty.reportedSize(), size.rows > 0, size.columns > 0,
      size.pixelHeight >= size.rows, size.pixelWidth >= size.columns
    else { return input.setWindows(RectList()) }
    input.setWindows(
      hud.parts,
      pixels: Size(rows: size.pixelHeight / size.rows, columns: size.pixelWidth / size.columns))
  }
}
