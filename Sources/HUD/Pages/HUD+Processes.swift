import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The selected process of the list: it stays selected while other rows move, and accepts signals and priorities.
extension HUD {
  /// The process in a row of the list; `nil` for a thread and for the rows at the end.
  private func process(inRow row: Int?) -> ProcessRow? {
    guard state.page == .processes, let row, let table = order.listing.table,
      table.request.kind == .processes, let entry = order.listing.entry(inRow: row)
    else { return nil }
    return table.rows[entry.index]
  }

  /// Shows another page in the list, starting at its top.
  mutating func showList(_ page: ListPage) {
    list = ListView(startsAtTop: page != .log)
    state.page = page
    chosenProcess = nil
    promptOrigin = nil
    closeSignals()
  }

  /// Remembers which process the user has selected.
  mutating func chooseProcess() {
    chosenProcess = process(inRow: list.selectedRow).map {
      Target(pid: $0.pid, startTicks: $0.startTicks)
    }
  }

  /// Selects that process again, because the rows may have changed.
  mutating func followProcess(_ rows: PageRows) {
    guard state.page == .processes, let chosenProcess else { return }
    list.update(height: list.visibleRowCount, rows: rows)
    list.select(chosenProcess, in: order.listing)
    if let promptOrigin { list.moveSearchOrigin(to: order.listing.row(of: promptOrigin)) }
  }

  /// Handles a key of the list, and remembers which process it selects.
  mutating func handleInList(_ key: Key, _ rows: PageRows) {
    followProcess(rows)
    let wasTyping = list.isTyping
    _ = list.handle(key, rows: rows)
    if wasTyping, !list.isTyping {
      // What the user has discarded selects nothing.
      if key != .enter, let promptOrigin { list.select(order.listing.row(of: promptOrigin)) }
      promptOrigin = nil
    }
    chooseProcess()
    if list.isTyping, !wasTyping { promptOrigin = chosenProcess }
  }

  /// Discards what is being typed in the list. The process that was selected before is selected in the next picture.
  mutating func cancelListPrompt() {
    guard list.isTyping else { return }
    list.cancelPrompt()
    if let promptOrigin { chosenProcess = promptOrigin }
    promptOrigin = nil
  }

  /// Opens the menu of signals for the selected process.
  mutating func openSignals() {
    guard let row = process(inRow: list.selectedRow) else {
      focus.leaveSignals()
      return note(.noteNoProcess)
    }
    chooseProcess()
    signals = SignalMenu(
      Target(pid: row.pid, startTicks: row.startTicks), title: "\(row.name.text) \(row.pid)")
    open(.signals, .help)
  }

  mutating func closeSignals() {
    signals = nil
    close(.signals)
  }

  /// Handles a key of the menu.
  mutating func perform(_ command: SignalCommand) -> HUDRequest? {
    guard let menu = signals else { return nil }
    redrawAtOnce()
    switch command {
    case .send:
      closeSignals()
      return .signal(menu.choice.number, menu.target, name: "\(menu.choice.name) → \(menu.title)")
    case .close: closeSignals()
    default: signals?.move(command)
    }
    return nil
  }

  /// Changes the nice value of the selected process.
  mutating func renice(by step: Int32) -> HUDRequest? {
    guard let row = process(inRow: list.selectedRow) else {
      note(.noteNoProcess)
      return nil
    }
    return .renice(
      step, Target(pid: row.pid, startTicks: row.startTicks), name: "\(row.name.text) \(row.pid)")
  }

  /// Shows the result of a signal or of a change of priority.
  ///
  /// - Parameter name: the name in the request.
  package mutating func finish(_ result: ProcessControlResult, name: String) {
    let name = state.isASCII ? name.replacingArrow : name
    switch result {
    case .sent: note(.noteSignal, name)
    case .reniced(let before, let after):
      note(.noteNice, "\(before) \(state.isASCII ? "->" : "→") \(after) (\(name))")
    case .ended: note(.noteProcessEnded, name)
    case .denied: note(.noteDenied, name)
    case .unsupported: note(.noteUnsupported, name)
    }
  }

  /// A click selects a signal; a click on the selected one sends it.
  mutating func handleInSignals(_ event: MouseEvent) {
    guard let frame = stack[.signals]?.frame, let point = stack.toWindow(event.point, .signals)
    else { return }
    switch event.action {
    case .wheelUp: signals?.move(.up)
    case .wheelDown: signals?.move(.down)
    case .press(button: 1):
      _ = signals?.click(point.row - (Layout.isFramed(frame.size) || frame.rows >= 2 ? 1 : 0))
    default: return
    }
    redrawAtOnce()
  }
}

extension ListView {
  /// Selects the row of a process. If it has none, because the process has ended or is no longer listed, no row is
  /// selected, so that the next signal does not reach another process.
  mutating func select(_ target: Target, in listing: ProcessListing) {
    guard listing.table != nil else { return }
    select(listing.row(of: target))
  }
}

extension String {
  /// The text with its arrow replaced by ASCII.
  fileprivate var replacingArrow: String {
    split(separator: "→", omittingEmptySubsequences: false).joined(separator: "->")
  }
}
