import Metrics
import PerfHUDBase
import Sampler
import Testing

/// What other processes use of the machine's cores.
@Suite struct OtherProcessesTests {
  /// A target that uses half of a core on a machine whose cores are busy for 1.8 s a second.
  private func process(step: Double = 1, until end: Double) -> MadeUpProcess {
    var process = MadeUpProcess()
    var second = 0.0
    while second <= end + 1e-6 {
      process.read(at: second, cpu: second / 2) { $0.ownCPUNanoseconds = UInt64(second * 1e7) }
      if (second / step - (second / step).rounded()).magnitude < 1e-6 { note(second, &process) }
      second += 0.1
    }
    return process
  }

  private func note(_ second: Double, _ process: inout MadeUpProcess) {
    var load = MachineLoad()
    load.busyNanoseconds = .value(UInt64(second * 1.8e9))
    process.run.apply(.machine(load, MadeUpProcess.time(second)))
  }

  @Test func `it is what is busy without the target and perfhud`() throws {
    #expect(process(until: 0.5).run.othersCPUPercent == nil)
    let percent = try #require(process(until: 3).run.othersCPUPercent)
    #expect((percent - 129).magnitude < 0.5, "\(percent)")
  }

  @Test(arguments: [0.5, 6])
  func `too short a time and too long a one say nothing`(step: Double) {
    #expect(process(step: step, until: 12).run.othersCPUPercent == nil)
  }

  @Test func `it is not known of a target that has ended, or after a change of the target`() {
    var process = process(until: 3)
    process.run.apply(
      .target(TargetChange(name: ProcessName(), pid: 43, isMark: false), MadeUpProcess.time(3)))
    #expect(process.run.othersCPUPercent == nil)
    process = self.process(until: 3)
    process.read(at: 3.5) { $0.hasEnded = true }
    note(4, &process)
    #expect(process.run.othersCPUPercent == nil)
  }
}
