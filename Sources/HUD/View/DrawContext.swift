import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// Everything that a widget may read.
package struct DrawContext: Sendable {
  package let run: Run
  /// The values to show; `nil` before the first sample.
  package let row: Row?
  package let state: HUDState
  /// The order of the rows on shown pages.
  let order: PageOrder
  /// Whether the list to draw has a frame, not only a heading; `nil` if its size decides.
  var listHasFrame: Bool?

  package init(run: Run, row: Row?, state: HUDState) {
    self.init(run: run, row: row, state: state, order: PageOrder())
  }

  init(run: Run, row: Row?, state: HUDState, order: PageOrder) {
    self.run = run
    self.row = row
    self.state = state
    self.order = order
  }

  var language: Language { state.language }

  /// The divisor of CPU shares: 1, or the number of processors that the target may use (key I).
  var cpuScale: Double {
    state.showsCPUOfAllProcessors ? max(row?.usableProcessors.value ?? 1, 0.01) : 1
  }

  /// The peaks to show: those with the values, except just after a key has reset them.
  var peaks: Peaks {
    guard let shown = state.values.peaks.memoryHigh, let latest = run.peaks.memoryHigh,
      latest >= shown
    else { return run.peaks }
    return state.values.peaks
  }

  var isOverlay: Bool { state.family == .overlay }

  /// Whether the memory is above nine tenths of its limit. The memory of the machine is no limit of one program.
  var isNearMemoryLimit: Bool {
    guard let row = row ?? state.values.row, row.limitSource != .physical,
      let limit = row[.memoryLimit].value, limit > 0
    else { return false }
    return row[run.header.memory.metric].value ?? 0 > 0.9 * limit
  }

  /// Whether a metric is known only for the first of several processes: the other values include all of them.
  func isOfFirstProcess(_ metric: Metric) -> Bool {
    switch metric {
    case .involuntarySwitches, .voluntarySwitches:
      row?[.processes].value ?? 1 > 1
    default: false
    }
  }

  /// Whether a wait or the switches of several processes are a lower bound, because those of some are missing.
  func lacksProcesses(_ metric: Metric) -> Bool {
    if isOfFirstProcess(metric) { return true }
    guard metric == .cpuWait, let row, row[.processes].value ?? 1 > 1 else { return false }
    return row.lowerBounds.contains(metric)
  }

  /// Whether frames say more about the target than its reads and writes do: the target draws frames, or a program under
  /// the overlay uses the alternate screen. All sizes follow this.
  var showsFrames: Bool {
    guard isOverlay else {
      return row?.fpsSource == .app || (row?.fpsSource == .terminal && row?.drawsFrames == true)
    }
    return row?.drawsFrames == true || state.programFillsScreen
  }

  /// What is shown in place of a frame rate that says nothing about the program: `idle`, or `keys` for one that draws
  /// only in answer to keys.
  var frameWord: Word? {
    guard let row else { return nil }
    return row.isIdle ? .idle : row.drawsOnlyAfterKeys ? .keyed : nil
  }

  /// The glyph, or its ASCII replacement.
  func glyph(_ scalar: Unicode.Scalar, _ plain: Unicode.Scalar) -> Unicode.Scalar {
    state.isASCII ? plain : scalar
  }

  /// Marks a lower bound.
  var atLeast: Unicode.Scalar { glyph("≥", ">") }
  var atLeastText: StaticString { state.isASCII ? ">" : "≥" }
  /// Stands for a value that does not exist.
  var dash: Unicode.Scalar { glyph("–", "-") }
  var dashText: StaticString { state.isASCII ? "-" : "–" }
  /// Ends a text that was cut.
  var ellipsis: Unicode.Scalar { glyph("…", "~") }
  var ellipsisText: StaticString { state.isASCII ? "~" : "…" }

  /// The notice to show, which says why the values do not change.
  var notice: Word? {
    if state.frozen != nil { return .paused }
    guard let row, row.hasEnded else { return nil }
    return row.isZombie ? .zombie : .ended
  }

  /// The mark for alerts that were raised since their page or the log was last shown, `!2`; `nil` without any. It stays
  /// after the alerts have ended, until the user has looked.
  var alertMark: ShortText? {
    let count = run.alerts.raisedCount
    guard count > state.seenAlerts else { return nil }
    var mark = ShortText("!")
    mark.append(decimal: count - state.seenAlerts)
    return mark
  }

  /// Whether something needs a mark where there is no room for a word; see `RowPen.noticeMark`.
  var hasNoticeMark: Bool {
    notice != nil || run.unansweredSince != nil || run.alerts.raised > 0 || alertMark != nil
  }

  /// The state of a widget for a metric.
  func widgetState(_ metric: Metric) -> WidgetState {
    guard let row else { return .placeholder }
    switch row[metric] {
    case .absent(.pending): return .placeholder
    case .absent(let reason): return .error(reason)
    case .value: return row.hasEnded ? .stale : .data
    }
  }
}

/// What a widget has to show.
package enum WidgetState: Equatable, Sendable {
  /// No value yet.
  case placeholder
  case data
  /// The value is the last one of a target that has ended.
  case stale
  /// There is no value, for this reason.
  case error(Absence)

  /// Why there is no value.
  var reason: Absence {
    if case .error(let reason) = self { return reason }
    return .pending
  }
}
