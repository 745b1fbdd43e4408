import Metrics
import PerfHUDBase
import Sampler
import Testing

/// The rates that a screen shows in place of those of one sample.
@Suite struct RecentRatesTests {
  private func smoothed(_ process: MadeUpProcess) -> Row? {
    guard var row = process.run.latest else { return nil }
    process.run.recentRates.smooth(&row)
    return row
  }

  /// Reads a process at an interval of 100 ms whose minor faults all come in every tenth interval: 1000 a second.
  private func process(until end: Int) -> MadeUpProcess {
    var process = MadeUpProcess()
    for number in 0...end {
      process.read(at: Double(number) / 10, cpu: 0) {
        $0.statTime = $0.time
        $0.minorFaults = .value(UInt64(number / 10) * 1000)
      }
    }
    return process
  }

  @Test(arguments: 20...45)
  func `bursts once a second have a steady rate`(number: Int) {
    let process = process(until: number)
    let raw = process[.minorFaults]?.value ?? -1
    #expect((raw - (number.isMultiple(of: 10) ? 10_000 : 0)).magnitude < 1)
    // The period is between one and two seconds long, and has one burst or two.
    let mean = smoothed(process)?[.minorFaults].value ?? -1
    #expect(mean >= 500 && mean <= 2000, "\(mean)")
  }

  @Test func `at an interval of a second or more they are those of the last sample`() {
    var process = MadeUpProcess(milliseconds: 1000)
    for (number, faults) in [0, 100, 100, 400].enumerated() {
      process.read(at: Double(number), cpu: 0) {
        $0.statTime = $0.time
        $0.minorFaults = .value(UInt64(faults))
      }
      let rate = process[.minorFaults]?.value
      #expect(smoothed(process)?[.minorFaults].value == rate, "\(number)")
    }
  }

  @Test func `a rate that is not known stays so`() {
    var process = process(until: 20)
    process.read(at: 2.1) {
      $0.statTime = $0.time
      $0.minorFaults = .absent(.permission)
    }
    #expect(smoothed(process)?[.minorFaults] == .absent(.permission))
  }
}
