import PerfHUDBase
import Sampler

/// How much of the machine's cores processes other than the target and perfhud use.
struct OtherProcesses: Sendable {
  /// The counter of the machine has steps of 10 ms for each core, so a shorter time says little, in seconds.
  private static let leastTime = 0.9
  /// A longer one says nothing about now.
  private static let mostTime = 5.0

  private var time: Instant?
  private var busy: UInt64 = 0
  /// When the target was last sampled at that time, and the CPU time that it had, in seconds.
  private var sampled = Instant(nanoseconds: 0)
  private var cpuSeconds = 0.0
  /// Their CPU share, in percent of one core; `nil` if it is not known.
  private(set) var percent: Double?

  /// Takes the load of the machine, and the newest row of the target.
  mutating func take(_ load: MachineLoad, at time: Instant, row: Row?) {
    percent = nil
    guard let busy = load.busyNanoseconds.value, let row, !row.hasEnded,
      let cpuSeconds = row[.cpuTime].value
    else {
      self.time = nil
      return
    }
    defer {
      self.time = time
      self.busy = busy
      sampled = row.time
      self.cpuSeconds = cpuSeconds
    }
    guard let before = self.time, busy >= self.busy, cpuSeconds >= self.cpuSeconds else { return }
    let elapsed = time.seconds(since: before)
    let between = row.time.seconds(since: sampled)
    guard elapsed >= OtherProcesses.leastTime, elapsed <= OtherProcesses.mostTime,
      between > 0, between <= OtherProcesses.mostTime
    else { return }
    let all = 100e-9 * Double(busy - self.busy) / elapsed
    let target = 100 * (cpuSeconds - self.cpuSeconds) / between
    percent = max(0, all - target - (row.ownCPUPercent.value ?? 0))
  }

  /// Another target begins.
  mutating func restart() {
    time = nil
    percent = nil
  }
}
