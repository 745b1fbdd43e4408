import Metrics
import PerfHUDBase

/// Toasts, and the message while the program loads.
extension HUD {
  /// Shows toasts, each until its end, in place of those that are shown.
  mutating func show(toasts lines: [ToastLine]) {
    guard lines != messages.toasts else { return }
    messages.toasts = lines.map { ToastLine(SafeText.clean($0.text, limit: 200), until: $0.until) }
    if lines.isEmpty {
      close(.toast)
    } else {
      open(.toast, .toast)
    }
  }

  /// Shows what the program loads; `nil` when that is over. What the user has closed stays closed until
  /// something else is loaded.
  mutating func show(loading line: LoadingLine?) {
    guard line != messages.loading else { return }
    let isNew = line?.text != messages.loading?.text
    messages.loading = line
    messages.loading?.text = SafeText.clean(line?.text ?? "", limit: 200)
    if line == nil {
      close(.loading)
    } else if isNew || stack.isOpen(.loading) {
      open(.loading, .loading)
    }
  }

  /// Closes the loading message if it covers the screen.
  ///
  /// - Returns: whether there was one.
  public mutating func dismissLoading() -> Bool {
    guard stack.isOpen(.loading), messages.loading?.coversScreen == true else { return false }
    close(.loading)
    return true
  }

  /// Shows the result of a key where nothing else would show it.
  mutating func note(_ text: String) { messages.notes.append(text) }

  /// Updates the toasts: results of keys, toasts of the program and notices of the run.
  mutating func updateToasts(_ run: borrowing Run, now: Instant) {
    let until = now.advanced(bySeconds: HUD.toastSeconds)
    messages.keyResults =
      messages.keyResults.filter { $0.until > now }
      + messages.notes.map { ToastLine($0, until: until) }
    messages.notes.removeAll()
    let reported = run.toasts(asOf: now)
    let found = run.notices(asOf: now)
    if messages.keyResults.isEmpty, reported.isEmpty, found.isEmpty, messages.toasts.isEmpty {
      return
    }
    // Toasts do not cover values; only results of keys do.
    guard hasFreeRow else { return show(toasts: Array(messages.keyResults.suffix(HUD.toastLimit))) }
    var lines = reported.map { toast in
      let times = toast.count > 1 ? " \(state.isASCII ? "x" : "×")\(toast.count)" : ""
      return ToastLine(
        toast.text.text + times, until: toast.time.advanced(byNanoseconds: ToastQueue.lifetime))
    }
    lines += found.map { notice in
      ToastLine(
        notice.text(state.language),
        until: notice.time.advanced(byNanoseconds: NoticeList.lifetime))
    }
    show(toasts: Array((lines + messages.keyResults).suffix(HUD.toastLimit)))
  }

  /// Updates the loading message.
  mutating func updateLoading(_ run: borrowing Run) {
    guard run.reports.loading != nil || messages.loading != nil else { return }
    show(
      loading: run.reports.loading.map {
        LoadingLine($0.text.text, progress: $0.progress, coversScreen: $0.coversScreen)
      })
  }
}
