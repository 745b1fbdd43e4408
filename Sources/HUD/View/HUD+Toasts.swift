import Base
import Metrics

/// Short lines that come and go, and what is shown while something is waited for.
extension HUD {
  /// Shows lines for as long as each says; what is shown already goes, unless it is among them.
  mutating func show(toasts lines: [ToastLine]) {
    guard lines != messages.toasts else { return }
    messages.toasts = lines.map { ToastLine(SafeText.clean($0.text, limit: 200), until: $0.until) }
    if lines.isEmpty {
      close(.toast)
    } else {
      open(.toast, .toast)
    }
  }

  /// Shows what is being waited for; `nil` when that is over. What the user has closed stays closed until
  /// something else is waited for.
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

  /// Closes what covers the screen while something is waited for.
  ///
  /// - Returns: whether there was anything.
  public mutating func dismissLoading() -> Bool {
    guard stack.isOpen(.loading), messages.loading?.coversScreen == true else { return false }
    close(.loading)
    return true
  }

  /// A note to the user of what a key has done, where nothing else would show it.
  mutating func note(_ text: String) { messages.notes.append(text) }

  /// Toasts that are over go; the user's notes, what the program says and what the run has found come.
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
    // Where every row shows values they are worth more; what a key has done is shown all the same.
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

  /// What the program waits for.
  mutating func updateLoading(_ run: borrowing Run) {
    guard run.loading != nil || messages.loading != nil else { return }
    show(
      loading: run.loading.map {
        LoadingLine($0.text.text, progress: $0.progress, coversScreen: $0.coversScreen)
      })
  }
}
