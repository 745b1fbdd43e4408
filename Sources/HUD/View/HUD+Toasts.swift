import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

/// Toasts, and the message while the program loads.
extension HUD {
  /// Shows toasts, each until its end, in place of the current ones.
  mutating func show(toasts lines: [ToastLine]) {
    var lines = lines
    for index in lines.indices { lines[index].text = SafeText.clean(lines[index].text, limit: 200) }
    let edge = edgeToast(of: lines)
    guard lines != messages.toasts || edge != state.edgeToast else { return }
    messages.toasts = lines
    state.edgeToast = edge
    let rows = toastsInRows
    state.highActionInRow = rows.last { $0.highAction != nil }?.highAction
    // The next picture of a pane places them over its blank cells.
    redrawAtOnce()
    guard state.family == .overlay else { return }
    if rows.isEmpty {
      close(.toast)
    } else {
      open(.toast, .toast)
    }
  }

  /// The toasts that are not in the lower edge.
  var toastsInRows: [ToastLine] {
    guard let edge = state.edgeToast else { return messages.toasts }
    return messages.toasts.filter { $0.text != edge.text }
  }

  /// The columns for a toast in the lower edge of an overlay; 0 without a visible edge.
  private var edgeToastColumns: Int {
    guard state.family == .overlay, let gauges = stack[.hud]?.frame,
      Layout.isFramed(gauges.size)
    else { return 0 }
    let edge = Rect(row: gauges.endRow - 1, column: gauges.column, rows: 1, columns: gauges.columns)
    let isCovered = stack.windows.contains {
      $0.level != .hud && $0.level != .toast && !$0.frame.intersection(edge).isEmpty
    }
    // Less the corners, a cell of the line and the blanks around the text.
    return isCovered ? 0 : gauges.columns - 5
  }

  /// The toast for the lower edge: the one that is there already, otherwise the newest that fits.
  ///
  /// While the HUD has the focus, only results of keys: the edge shows the way back to the program.
  private func edgeToast(of lines: [ToastLine]) -> ToastLine? {
    let columns = edgeToastColumns
    let fitting = lines.filter {
      Canvas.columns(of: $0.text) <= columns && !(state.hasKeys && $0.event != nil)
    }
    return fitting.first { $0.text == state.edgeToast?.text } ?? fitting.last
  }

  /// The text of a notice, in its short form if only that fits into the lower edge, or into a row.
  private func text(_ notice: Notice) -> String {
    let columns = edgeToastColumns
    let text = notice.text(state.language, columns: columns)
    return Canvas.columns(of: text) <= columns
      ? text : notice.text(state.language, columns: room.columns - 2)
  }

  /// Shows what the program is loading; `nil` when that is over. A message that the user has closed stays closed until
  /// something else is loading.
  mutating func show(loading line: LoadingLine?) {
    guard line != messages.loading else { return }
    let isNew = line?.text != messages.loading?.text
    messages.loading = line
    messages.loading?.text = SafeText.clean(line?.text ?? "", limit: 200)
    // All of a full-screen view belongs to the HUD.
    if state.family == .pane { messages.loading?.coversScreen = false }
    if line == nil {
      close(.loading)
    } else if isNew || stack.isOpen(.loading) {
      open(.loading, messages.loading?.coversScreen == true ? .cover : .loading)
    }
  }

  /// Closes the loading message if it covers the screen.
  ///
  /// - Returns: whether there was one.
  package mutating func dismissLoading() -> Bool {
    guard stack.isOpen(.loading), messages.loading?.coversScreen == true else { return false }
    messages.hasClosedCover = true
    close(.loading)
    return true
  }

  /// Closes the line of the loading message in a full-screen view.
  ///
  /// - Returns: whether there was one.
  mutating func dismissLine() -> Bool {
    guard state.family == .pane, stack.isOpen(.loading) else { return false }
    close(.loading)
    return true
  }

  /// The shown target.
  private func target(_ run: borrowing Run) -> (name: String, process: Int32) {
    guard let pid = run.latest?.pid, let name = run.latest?.name else {
      return (run.program.name.text, 0)
    }
    return (name.text, pid)
  }

  /// The text of a program, marked as a quotation: `"saved"` of the target, whose name the HUD shows anyway, and
  /// `cat: "saved"` of another process. A name that could be taken for perfhud's own is replaced by the pid.
  ///
  /// - Parameter alwaysNames: Whether the target is named too, as in a message that covers the screen.
  private func quotation(
    _ text: Event.Name, of speaker: Speaker, _ target: (name: String, process: Int32),
    alwaysNames: Bool = false
  ) -> String {
    let isKnown = speaker.process > 0 || !speaker.name.isEmpty
    let isTarget =
      !isKnown || speaker.process == target.process
      || (speaker.name.text == target.name && !OwnName.isLike(target.name))
    if isTarget, !alwaysNames { return "\"\(text.text)\"" }
    var name = speaker.name.text
    if name.isEmpty, isTarget { name = target.name }
    if name.isEmpty || OwnName.isLike(name) {
      name = "pid \(speaker.process > 0 ? speaker.process : target.process)"
    }
    return "\(name): \"\(text.text)\""
  }

  /// Shows the result of a key.
  ///
  /// - Parameter value: Replaces the `#` in the word.
  package mutating func note(
    _ word: Word, _ value: String = "", seconds: Double = HUD.toastSeconds
  ) {
    say(word.text(state.language, value: value), seconds: seconds)
  }

  /// The same for a time, with a blank before its unit.
  mutating func note(_ word: Word, nanoseconds: UInt64) {
    let text = DurationText.text(nanoseconds)
    let digits = text.prefix { $0.isNumber }
    note(word, "\(digits) \(text.dropFirst(digits.count))")
  }

  mutating func note(_ text: String) { say(text, seconds: HUD.toastSeconds) }

  /// Whether each key for the HUD comes after the prefix key: over a program, while that has the keys.
  var needsPrefixKey: Bool {
    state.family == .overlay && !focus.isKept && !state.prefixKey.isEmpty
  }

  /// Says that a key has no meaning here, and names the key that shows the keys.
  mutating func noteUnknownKey(_ key: Key) {
    let prefixKey = needsPrefixKey ? "\(state.prefixKey) " : ""
    // A recording has no list of processes.
    let isOfProcesses = state.replay == nil && KeyBinding.processCommand(for: key) != nil
    let isOfList = ListCommand(key) != nil || (isOfProcesses && state.page == .processes)
    let isPane = state.family == .pane
    if isPane, isOfProcesses { return note(.noteOnlyInProcesses) }
    if isOfList, stack.isOpen(.list), state.page != .frames {
      return note(.noteFocusList, prefixKey)
    }
    if isPane, isOfList { return note(.noteOnlyInList) }
    note(.noteNoKey, "\(prefixKey)?")
  }

  /// Shows one of perfhud's own lines for a time.
  package mutating func say(_ text: String, seconds: Double) {
    messages.note = (text, seconds)
    redrawAtOnce()
  }

  /// Removes a line that `say` shows, before its time is over.
  package mutating func endSaying(_ text: String) {
    if messages.note?.text == text { messages.note = nil }
    guard messages.keyResult?.text == text else { return }
    messages.keyResult = nil
    redrawAtOnce()
  }

  /// Updates the toasts: results of keys, toasts of the program and notices of the run.
  mutating func updateToasts(_ run: borrowing Run, now: Instant, asOf time: Instant) {
    if let (text, seconds) = messages.note {
      messages.keyResult = ToastLine(text, until: now.advanced(bySeconds: seconds))
    }
    messages.note = nil
    if let result = messages.keyResult, result.until <= now { messages.keyResult = nil }
    let results = messages.keyResult.map { [$0] } ?? []
    let reported = run.toasts(asOf: time)
    let found = run.notices(asOf: time)
    if results.isEmpty, reported.isEmpty, found.isEmpty, messages.toasts.isEmpty {
      return
    }
    // Toasts do not cover values; only results of keys do.
    guard hasFreeRow else { return show(toasts: results) }
    var lines: [ToastLine] = []
    for toast in reported {
      let times = toast.count > 1 ? " \(state.isASCII ? "x" : "×")\(toast.count)" : ""
      let began = now.advanced(byNanoseconds: toast.time.nanoseconds(since: time))
      var line = ToastLine(
        quotation(toast.text, of: toast.speaker, target(run)) + times,
        until: began.advanced(byNanoseconds: ToastQueue.lifetime))
      line.began = began
      lines.append(line)
    }
    // The end of an alert is only in the log.
    for notice in found where notice.kind != .alertEnded && !hasEnded(notice, found) {
      let began = now.advanced(byNanoseconds: notice.time.nanoseconds(since: time))
      var line = ToastLine(
        text(current(notice, run, asOf: time)),
        until: began.advanced(byNanoseconds: NoticeList.lifetime), notice: notice)
      line.began = began
      lines.append(line)
    }
    lines.sort { $0.began < $1.began }
    show(toasts: Array((lines + results).suffix(toastRows)))
  }

  /// A notice with the rate that the action has now, as in its row, while it is HIGH.
  private func current(_ notice: Notice, _ run: borrowing Run, asOf time: Instant) -> Notice {
    guard notice.kind == .actionHigh else { return notice }
    for index in 0..<run.actions.count {
      let total = run.actions.totals(index, asOf: time)
      guard total.name == notice.name, total.isHigh, total.rate > notice.limit else { continue }
      var current = notice
      current.rate = total.rate
      return current
    }
    return notice
  }

  /// Whether the alert of a notice has ended since, or a later notice names a likelier cause.
  private func hasEnded(_ notice: Notice, _ notices: Slice<BoundedList<Notice>>) -> Bool {
    notices.contains {
      notice.kind == .alert
        ? $0.kind == .alertEnded && $0.rule == notice.rule && $0.time >= notice.time
        : notice.isSuperseded(by: $0)
    }
  }

  /// Updates the loading message.
  mutating func updateLoading(_ run: borrowing Run, now: Instant, asOf time: Instant) {
    if messages.hasClosedCover {
      messages.hasClosedCover = false
      messages.noCoverUntil = now.advanced(byNanoseconds: Loading.lifetime)
    }
    guard let loading = run.reports.loading, !loading.isOver(asOf: time) else {
      if messages.loading != nil { show(loading: nil) }
      return
    }
    let isAllowed = allowsCover && messages.noCoverUntil.map { now >= $0 } ?? true
    let covers = isAllowed && loading.covers(asOf: time)
    // A message that asks to cover the screen always names its process, even while it is shown as a line.
    let text = quotation(
      loading.text, of: loading.speaker, target(run),
      alwaysNames: loading.coversScreen && state.family == .overlay)
    show(loading: LoadingLine(text, progress: loading.progress, coversScreen: covers))
  }
}
