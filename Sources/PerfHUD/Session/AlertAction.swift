import CProcess
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Sampler
import SystemPackage

/// What perfhud does when an alert is raised, beside showing it: the bell, and a command of the user's.
///
/// The command runs by itself in a shell, without a terminal. What it is about is in its environment,
/// never in the text that the shell reads: names of processes are not the user's.
struct AlertAction: ~Copyable {
  private var rings: Bool
  private var command: String?
  /// How often each rule had been raised when it was looked at last.
  private var counts: [UInt32] = []
  /// The commands that run, and the rules that have started them.
  private var running: [(pid: pid_t, rule: Int)] = []
  /// Reaps the commands of alerts where this process takes orphans over, and does not take them for orphans.
  private let orphans: OrphanReaper?
  /// Whether it was reported that the command cannot be started.
  private var hasReportedFailure = false

  init(_ settings: Settings = Settings(), orphans: OrphanReaper? = nil) {
    rings = settings.alertBell
    command = settings.alertCommand
    self.orphans = orphans
  }

  mutating func apply(_ settings: Settings) {
    rings = settings.alertBell
    if settings.alertCommand != command { hasReportedFailure = false }
    command = settings.alertCommand
  }

  /// Runs the command for each alert that was raised since the last call.
  ///
  /// - Returns: a line on each, and whether the bell is wanted.
  mutating func update(_ alerts: AlertList, _ row: Row?) -> (lines: [String], rings: Bool) {
    reap()
    if counts.count != alerts.trackers.count {
      counts = Array(repeating: 0, count: alerts.trackers.count)
    }
    var lines: [String] = []
    for (index, tracker) in alerts.trackers.enumerated() where tracker.count != counts[index] {
      counts[index] = tracker.count
      let value = "\(tracker.rule.formatted(tracker.value ?? 0))"
      lines.append("alert: \(tracker.rule.text): \(value)")
      let name = SafeText.clean(row?.name.text ?? "", limit: 100)
      let failure = start(index, tracker, value: value, target: name, pid: row?.pid ?? 0)
      if let failure { lines.append("alert: \(failure)") }
    }
    return (lines, rings && !lines.isEmpty)
  }

  /// A command that still runs for the rule is not joined by another one.
  ///
  /// - Returns: why it could not be started, the first time.
  private mutating func start(
    _ index: Int, _ tracker: RuleTracker, value: String, target: String, pid: Int32
  ) -> SystemError? {
    guard let command, !running.contains(where: { $0.rule == index }) else { return nil }
    let variables = [
      "PERFHUD_ALERT_RULE=\(tracker.rule.text)", "PERFHUD_ALERT_VALUE=\(value)",
      "PERFHUD_ALERT_COUNT=\(tracker.count)", "PERFHUD_ALERT_TARGET=\(target)",
      "PERFHUD_ALERT_PID=\(pid)",
    ]
    let texts = variables.map { Array($0.utf8CString) }
    // Where too many run already none is started.
    var code = EAGAIN
    func run() -> pid_t {
      let pid = AlertAction.run(command, texts)
      if pid <= 0 { code = errno }
      return pid
    }
    let started = orphans.map { $0.startHelper(run) ?? -1 } ?? run()
    guard started <= 0 else {
      running.append((started, index))
      return nil
    }
    defer { hasReportedFailure = true }
    return hasReportedFailure
      ? nil : SystemError(call: "start", subject: "the alert command", code: Errno(rawValue: code))
  }

  private static func run(_ command: String, _ variables: [[CChar]]) -> pid_t {
    var all = variables.flatMap(\.self)
    return unsafe all.withUnsafeMutableBufferPointer { buffer in
      var list: [UnsafePointer<CChar>?] = unsafe []
      var offset = 0
      for variable in variables {
        unsafe list.append(UnsafePointer(buffer.baseAddress?.advanced(by: offset)))
        offset += variable.count
      }
      return unsafe perfhud_run_detached(command, list, Int32(list.count))
    }
  }

  /// Waits for the commands that have ended, without sleeping; call it on every `SIGCHLD`.
  mutating func reap() {
    let orphans = orphans
    running.removeAll { command in
      if let orphans { return !orphans.isRunning(helper: command.pid) }
      return waitpid(command.pid, nil, WNOHANG) != 0
    }
  }
}
