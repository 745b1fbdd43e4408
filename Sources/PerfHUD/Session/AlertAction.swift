import CProcess
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Sampler
import SystemPackage

/// What perfhud does when an alert is raised, besides showing it: ring the bell, and run a command of the user.
///
/// The command runs detached in a shell, without a terminal. Its details are passed in the environment, never in the
/// text that the shell parses, because process names are untrusted.
struct AlertAction: ~Copyable {
  private var rings: Bool
  private var command: String?
  /// How often each rule had been raised at the last update.
  private var counts: [UInt32] = []
  /// The running commands, and the rules that have started them.
  private var running: [(pid: pid_t, rule: Int)] = []
  /// Reaps the commands of alerts if this process adopts orphans, which these commands are not.
  private let orphans: OrphanReaper?
  /// Whether it was reported that the command cannot be started.
  private var hasReportedFailure = false
  /// What the last lines about the memory limit have reported.
  private var limit = (killed: 0.0, timesNear: UInt32(0))

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
  /// - Returns: one line for each, and whether to ring the bell.
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

  /// What has happened at the memory limit since the last call, one line each.
  mutating func limitLines(_ report: LimitReport) -> [String] {
    var lines: [String] = []
    if report.timesNear > limit.timesNear { lines.append("limit: \(report.nearText(.english))") }
    if report.killed > limit.killed { lines.append("limit: \(report.killedText(.english))") }
    limit = (report.killed, report.timesNear)
    return lines
  }

  /// Starts the command, unless one is still running for this rule.
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
    // If too many are already running, none is started.
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
