import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents

/// Ends a program's loading message when the program has gone, or when nobody renews the message.
struct LoadingWatch: Sendable {
  private static let period: Int64 = 250_000_000
  /// When to look again; `nil` while there is no message.
  private(set) var deadline: Instant?

  /// Checks whether the message is still valid. Source: `kill(2)` with signal 0 to the process group.
  mutating func look(_ run: inout LiveRun, now: Instant) {
    guard let loading = run.value.reports.loading else {
      deadline = nil
      return
    }
    if let deadline, now < deadline { return }
    deadline = now.advanced(byNanoseconds: LoadingWatch.period)
    if loading.isOver(asOf: now) || LoadingWatch.hasEnded(group: loading.speaker.group) {
      run.apply(.loadingEnded(now))
      deadline = nil
    }
  }

  private static func hasEnded(group: Int32) -> Bool {
    group > 1 && kill(-group, 0) != 0 && errno == ESRCH
  }
}

extension Speaker {
  /// A process that has sent an event; it may have ended already.
  ///
  /// Source: `/proc/PID/comm`, `getpgid(2)`.
  init(process: Int32) {
    guard process > 0 else {
      self.init()
      return
    }
    self.init(
      name: Speaker.name(of: process), process: process, group: max(0, getpgid(process)))
  }

  /// The process group that has the terminal, whose leader may already have ended; `nil` if the whole group has ended.
  init(foreground group: Int32?) {
    guard let group, group > 1 else {
      self.init()
      self.group = -1
      return
    }
    self.init(name: Speaker.name(of: group), process: group, group: group)
  }

  private static let shells: Set<String> = [
    "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "sh", "tcsh",
    "xonsh", "yash", "zsh",
  ]

  /// Whether a process is a shell that runs neither a script nor a command given as an argument, so that it shows a
  /// prompt.
  ///
  /// Source: `/proc/PID/comm`, `/proc/PID/cmdline`.
  static func isInteractiveShell(_ process: Int32) -> Bool {
    guard shells.contains(name(of: process)),
      let bytes = try? readFile("/proc/\(process)/cmdline", limit: 65536)
    else { return false }
    let words = bytes.split(separator: 0).dropFirst().map { String(decoding: $0, as: UTF8.self) }
    if words.contains("-i") || words.contains("--rcfile") { return true }
    return words.allSatisfy { word in
      word.hasPrefix("--") || (word.hasPrefix("-") && !word.contains("c"))
    }
  }

  private static func name(of process: Int32) -> String {
    guard let bytes = try? readFile("/proc/\(process)/comm", limit: 64) else { return "" }
    return SafeText.clean(bytes: bytes.last == 0x0A ? bytes.dropLast() : bytes)
  }
}
