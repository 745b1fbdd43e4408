import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The HUD over a command: its windows, their places and visibility, and what keys do to them.
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
  /// Whether a line reports what a job of the shell has used.
  private let saysJobs: Bool
  /// Whether the terminal has more cells than the screen model supports. Then there is no HUD.
  var isTooLarge = false
  /// Whether a hidden HUD is shown because of the prefix key. It is hidden again unless another key follows.
  private var isShownForKeys = false
  /// The line that reports what the last job has used.
  private var jobLine: String?
  /// Until when the HUD shows its prefix key.
  private var hintEnd: Instant?
  /// Whether the HUD shows that a key has not been answered.
  private var showsUnansweredKey = false
  /// Whether to ring the bell as soon as that does not interrupt the command's output.
  private var isBellDue = false

  private static let hintSeconds = 15.0
  private static let summarySeconds = Double(Visibility.stay) * 1e-9

  /// - Parameters:
  ///   - prefixKey: the key that gives the HUD the focus; `nil` for none.
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

  /// Whether the HUD had the focus when keys were last handled.
  var hasKeys: Bool { hud.hasKeys }

  /// Handles keys for the HUD. Appends what the loop must do to `requests`.
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
      // If only the prefix key has shown the HUD, it should stay visible.
      case .hide: visibility.choose(wasHidden)
      case .corner(let step):
        avoidance.wish = step.applied(to: avoidance.corner)
        hud.note(corner: avoidance.wish)
      case .nextSize:
        size = nextSize(on: compositor)
        hud.note(size: size)
      case .apply(let settings):
        apply(settings, &compositor)
        requests.append(request)
      case .save, .signal, .renice: hud.serve(request, environment)
      case .interval, .mark, .resetPeaks, .readPSS, .recordLast, .redraw: requests.append(request)
      // The focus has already been returned.
      case .back, .quit, .suspend, .countChildren, .replay: break
      }
    }
  }

  /// The next size that can be shown in some corner: another one would make the HUD vanish.
  private func nextSize(on compositor: borrowing Compositor) -> HUDSize {
    let screen = compositor.screen.size
    var next = size.next
    while next != size {
      for corner in Corner.allCases {
        if let place = Placement.place(next, at: corner, in: screen), compositor.canRestore(place) {
          return next
        }
      }
      next = next.next
    }
    return size.next
  }

  /// Handles mouse events in the windows. The HUD has the focus.
  mutating func serve(_ mouse: [MouseEvent], run: borrowing Run) {
    hud.hasKeys = true
    for event in mouse { hud.handle(event, run: run) }
  }

  /// Moves the focus back to the command.
  mutating func endFocus() {
    isShownForKeys = false
    hud.endKeys()
    _ = hud.dismissLoading()
    hud.hasKeys = false
  }

  /// Notes keys for the command: nothing of the HUD may cover what they do.
  mutating func noteKeys() {
    _ = hud.dismissLoading()
    visibility.noteKeys()
  }

  /// Sets whether a loading message may cover the command's screen.
  mutating func setAllowsCover(_ allowsCover: Bool) { hud.allowsCover = allowsCover }

  /// Toggles whether the HUD is hidden.
  mutating func toggle() {
    visibility.choose(isHidden)
    isShownForKeys = false
  }

  /// Shows the result of writing the last part of the run.
  mutating func note(_ result: LastRecording) { hud.note(result) }

  /// Notes that a job of the shell has had the terminal since a time. Removes the line about the previous job.
  mutating func noteJob(since start: Instant) {
    visibility.noteJob(since: start)
    if let jobLine { hud.endSaying(jobLine) }
    jobLine = nil
  }

  /// Notes that the shell has the terminal again.
  ///
  /// - Parameter summary: what the job has used; shown if the HUD was visible during the job.
  mutating func notePrompt(_ summary: JobSummary?, now: Instant) {
    visibility.notePrompt(now: now)
    guard let summary, saysJobs, !isHidden else { return }
    let line = summary.text(hud.state.language)
    jobLine = line
    hud.say(line, seconds: OverlayHUD.summarySeconds)
  }

  /// Applies the changes made in the settings window.
  private mutating func apply(_ settings: Settings, _ compositor: inout Compositor) {
    if settings.theme != theme {
      theme = settings.theme
      setStyles(&compositor)
    }
    // Setting the corner, even to the same one, would undo moving out of the cursor's way.
    if settings.corner != avoidance.wish { avoidance.wish = settings.corner }
    size = settings.size
    avoidsCursor = settings.avoidsCursor
  }

  /// Notes the background color that the terminal has reported.
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

  /// Sets whether nobody is watching, so that fewer pictures suffice.
  mutating func setUnwatched(_ isUnwatched: Bool) { hud.isUnwatched = isUnwatched }

  /// Notes events: a toast does not wait for the next sample.
  mutating func noteEvents() { hud.invalidateForEvents() }

  mutating func redrawAll() { hud.invalidateAll() }

  /// Notes a new row.
  mutating func noteRow(run: borrowing Run) {
    hud.invalidate()
    // An unanswered key is shown immediately, not with the next update of the values.
    let isUnanswered = run.unansweredSince != nil
    if isUnanswered != showsUnansweredKey { hud.invalidateAll() }
    showsUnansweredKey = isUnanswered
  }

  mutating func ringBell(_ compositor: borrowing Compositor) { isBellDue = !compositor.isGhost }

  /// Rings the bell if it is due. Within a sequence, the bell would become part of that.
  mutating func ring(_ compositor: inout Compositor, _ output: inout TerminalOutput) {
    guard isBellDue, compositor.screen.isAtGround else { return }
    isBellDue = false
    output.queue.append(0x07)
    compositor.noteInjection()
  }

  // MARK: The picture

  /// The place of the gauges; `nil` if there is no room for them.
  func place(in screen: Size) -> Rect? {
    isTooLarge ? nil : Placement.place(size, at: avoidance.corner, in: screen)
  }

  /// When the HUD's picture or place will change if nothing happens.
  ///
  /// - Parameter isCalm: the HUD may move out of the cursor's way, see `show`.
  func deadline(in screen: Size, isCalm: Bool, now: Instant) -> Instant? {
    // If there is no room for the HUD, no picture is ever due.
    guard place(in: screen) != nil else { return nil }
    guard !isHidden else { return visibility.deadline }
    let move = isCalm && avoidsCursor ? avoidance.deadline : nil
    return earliest(
      earliest(hud.deadline(now: now), hintEnd), earliest(move, visibility.deadline))
  }

  /// Hands the picture to the compositor if the picture or its place has changed.
  ///
  /// - Parameter isCalm: whether the command is quiet and the HUD does not have the focus. Only then does the HUD move
  ///   out of the cursor's way.
  /// - Returns: whether the HUD should be visible.
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

  /// Shows for a while that this HUD follows one that has died.
  mutating func noteRestart(now: Instant) {
    hud.isRestarted = true
    hintEnd = now.advanced(bySeconds: OverlayHUD.hintSeconds)
  }

  /// Moves the HUD away from a resting cursor, but not while the user is using the HUD.
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
      size: size, screen: screen, cursor: isSeen ? compositor.screen.cursor : nil, now: now
    ) { compositor.canRestore($0) }
  }

  /// Whether the windows' picture or place may differ from the last turn. While output streams, this is rare.
  private func needsPicture(
    at place: Rect, _ compositor: borrowing Compositor, now: Instant
  ) -> Bool {
    let room = OverlayHUD.room(in: compositor.screen.size)
    if !compositor.isWanted || hud.needsDraw(now: now) || !hud.isPlaced(at: place, in: room) {
      return true
    }
    // The place of a window may depend on what is beneath it.
    return hud.stack.windows.count > 1
  }

  private mutating func drawWindows(
    around place: Rect, compositor: inout Compositor, run: borrowing Run, now: Instant
  ) {
    let room = OverlayHUD.room(in: compositor.screen.size)
    if hud.needsDraw(now: now) { hud.fitOverlayList(run) }
    hud.place(at: place, in: room, blocked: blockedWindows(&compositor))
    if hud.needsDraw(now: now) { hud.draw(run, now: now) }
    let bounds = hud.bounds
    pad.resize(to: Size(rows: bounds.rows, columns: bounds.columns))
    pad.present(hud.picture)
    compositor.show(pad.cells, parts: hud.parts, at: bounds)
  }

  /// The area for windows: everything except the last column.
  private static func room(in screen: Size) -> Rect {
    Rect(row: 0, column: 0, rows: screen.rows, columns: max(0, screen.columns - 1))
  }

  /// The windows that would cover something that cannot be restored, such as an image. With one of them in place, the
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

  /// Sets which mouse reports belong to the HUD while it has the focus. A report in pixels that cannot be converted to
  /// a cell belongs to the command.
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
