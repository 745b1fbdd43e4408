import Metrics
import PerfHUDBase
import Sampler
import Testing

@Suite struct CounterRatesTests {
  @Test(arguments: [20, 100, 1000, 2000] as [UInt64])
  func `half a processor is 50 % at every interval`(milliseconds: UInt64) {
    var process = MadeUpProcess(milliseconds: milliseconds)
    let interval = Double(milliseconds) / 1000
    for number in 0...60 {
      let time = Double(number) * interval
      process.read(at: time, cpu: time / 2)
    }
    #expect(isClose(process[.cpu], 50))
    #expect(isClose(process[.cpuWindow], 50))
    #expect(isClose(process[.cpuTime], 30 * interval))
  }

  @Test func `100 ms of load show 100 % raw and 20 % over the window of 0.5 s`() {
    var process = MadeUpProcess()
    for number in 0...10 { process.read(at: Double(number) / 10, cpu: 0) }
    process.read(at: 1.1, cpu: 0.1)
    #expect(isClose(process[.cpu], 100))
    #expect(isClose(process[.cpuWindow], 20))
  }

  @Test func `20 ms of load at 20 ms show 4 % over the window of 0.5 s`() {
    var process = MadeUpProcess(milliseconds: 20)
    for number in 0...50 { process.read(at: Double(number) / 50, cpu: 0) }
    process.read(at: 1.02, cpu: 0.02)
    #expect(isClose(process[.cpu], 100))
    #expect(isClose(process[.cpuWindow], 4))
  }

  @Test func `load leaves the window after 0.5 s`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0)
    process.read(at: 0.1, cpu: 0.1)
    for number in 2...5 { process.read(at: Double(number) / 10) }
    #expect(isClose(process[.cpuWindow], 20))
    process.read(at: 0.6)
    #expect(isClose(process[.cpuWindow], 0))
  }

  @Test func `the measured interval divides, not the chosen one`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0)
    process.read(at: 0.25, cpu: 0.1)
    #expect(isClose(process[.cpu], 40))
    #expect(isClose(process[.cpuWindow], 40))
  }

  @Test(arguments: [500, 1000, 2000, 10_000] as [UInt64])
  func `a late reading does not make the window two intervals long`(milliseconds: UInt64) {
    let interval = Double(milliseconds) / 1000
    var process = MadeUpProcess(milliseconds: milliseconds)
    process.read(at: 0, cpu: 0)
    process.read(at: interval, cpu: 0)
    process.read(at: 2 * interval + 0.02, cpu: 0)
    process.read(at: 3 * interval, cpu: interval)
    #expect(isClose(process[.cpuWindow], 100 * interval / (interval - 0.02)))
  }

  @Test func `the window follows the interval that the user chooses`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 0)
    process.run.apply(.interval(2_000_000_000, MadeUpProcess.time(0)))
    process.read(at: 2, cpu: 0)
    process.read(at: 4, cpu: 1)
    #expect(process.run.interval == 2_000_000_000)
    #expect(isClose(process[.cpuWindow], 50))
  }

  @Test func `the first reading gives no rate`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 3)
    #expect(process[.cpu] == .absent(.pending))
    #expect(process[.cpuWindow] == .absent(.pending))
    #expect(process.run.latest?.ownCPUPercent == .absent(.pending))
    #expect(isClose(process[.cpuTime], 3))
  }

  @Test func `another process gives no rate`() {
    for change in [{ $0.startTicks += 1 }, { $0.pid += 1 }] as [(inout Sample) -> Void] {
      var process = MadeUpProcess()
      process.read(at: 0, cpu: 1) { $0.minorFaults = .value(10) }
      process.read(at: 0.1, cpu: 1.05) {
        $0.statTime = $0.time
        $0.minorFaults = .value(20)
      }
      process.read(at: 0.2, cpu: 5) {
        change(&$0)
        $0.statTime = $0.time
        $0.minorFaults = .value(1000)
      }
      #expect(process[.cpu] == .absent(.pending))
      #expect(process[.cpuWindow] == .absent(.pending))
      #expect(process[.minorFaults] == .absent(.pending))
    }
  }

  @Test func `a CPU clock that steps back is 0 %, not a huge value`() {
    var process = MadeUpProcess()
    process.read(at: 0, cpu: 1)
    process.read(at: 0.1, cpu: 0.9)
    #expect(isClose(process[.cpu], 0))
    #expect(isClose(process[.cpuWindow], 0))
  }

  @Test func `a counter that steps back gives no rate`() {
    var process = MadeUpProcess()
    for (second, faults) in [(1, 100), (2, 40), (3, 50)] as [(Double, UInt64)] {
      process.read(at: second) {
        $0.statTime = $0.time
        $0.minorFaults = .value(faults)
      }
      if second == 2 { #expect(process[.minorFaults] == .absent(.pending)) }
    }
    #expect(isClose(process[.minorFaults], 10))
  }

  @Test func `two readings at one time give no rate`() {
    var process = MadeUpProcess()
    process.read(at: 1, cpu: 1)
    process.read(at: 1, cpu: 2)
    #expect(process[.cpu] == .absent(.pending))
  }

  @Test func `slow counters divide by the time between their own readings`() {
    var process = MadeUpProcess()
    process.read(at: 1) {
      ($0.lowRateTime, $0.ioTime, $0.statTime) = ($0.time, $0.time, $0.time)
      ($0.readBytes, $0.writeBytes) = (.value(0), .value(500))
      ($0.minorFaults, $0.majorFaults) = (.value(0), .value(1))
      ($0.threadTime, $0.cpuWaitNanoseconds) = ($0.time, .value(0))
    }
    for number in 1...4 { process.read(at: 1 + Double(number) / 10) }
    #expect(process[.readRate] == .absent(.pending))
    process.read(at: 1.5) {
      ($0.lowRateTime, $0.ioTime, $0.statTime) = ($0.time, $0.time, MadeUpProcess.time(1.4))
      ($0.readBytes, $0.writeBytes) = (.value(1000), .value(500))
      ($0.minorFaults, $0.majorFaults) = (.value(40), .value(3))
      ($0.threadTime, $0.cpuWaitNanoseconds) = ($0.time, .value(50_000_000))
    }
    #expect(isClose(process[.readRate], 2000))
    #expect(isClose(process[.writeRate], 0))
    #expect(isClose(process[.minorFaults], 100))
    #expect(isClose(process[.majorFaults], 5))
    #expect(isClose(process[.cpuWait], 10))
    process.read(at: 1.6)
    #expect(isClose(process[.readRate], 2000), "kept until the next reading")
  }

  @Test(arguments: [(1, 100.0), (3, 110)] as [(UInt32, Double)])
  func `the wait of a second in several threads is never above 100 % of each`(
    threads: UInt32, percent: Double
  ) {
    var process = MadeUpProcess()
    for (second, wait) in [(1, 0), (2, 1_100_000_000)] as [(Double, UInt64)] {
      process.read(at: second) {
        ($0.threadTime, $0.ioTime) = ($0.time, $0.time)
        $0.cpuWaitNanoseconds = .value(wait)
        $0.threads = .value(threads)
      }
    }
    #expect(isClose(process[.cpuWait], percent))
  }

  @Test func `switches, throttling and pressure are rates of their own readings`() {
    var process = MadeUpProcess()
    for second in [1.0, 3] {
      process.read(at: second) {
        ($0.threadTime, $0.lowRateTime) = ($0.time, $0.time)
        let number = UInt64(second)
        $0.voluntarySwitches = .value(number * 100)
        $0.involuntarySwitches = .value(number * 7)
        $0.throttledNanoseconds = .value(number * 30_000_000)
        $0.pressure.memorySome = .value(number * 250_000)
        $0.pressure.cpuFull = .absent(.unsupported)
      }
    }
    #expect(isClose(process[.voluntarySwitches], 100))
    #expect(isClose(process[.involuntarySwitches], 7))
    #expect(isClose(process[.throttled], 30))
    #expect(isClose(process[.memoryPressure], 25))
    #expect(process[.cpuPressureFull] == .absent(.unsupported))
    // From the machine's to the cgroup's: the two totals make no rate.
    process.read(at: 4) {
      $0.lowRateTime = $0.time
      $0.pressure.isOfCgroup = true
      $0.pressure.memorySome = .value(5_000_000)
    }
    #expect(process[.memoryPressure] == .absent(.pending))
  }

  @Test(arguments: Absence.allCases)
  func `an absent value keeps its reason`(reason: Absence) {
    var process = MadeUpProcess()
    process.read(at: 1) {
      ($0.lowRateTime, $0.ioTime, $0.statTime) = ($0.time, $0.time, $0.time)
      $0.cpuNanoseconds = .absent(reason)
      ($0.residentBytes, $0.anonymousBytes) = (.absent(reason), .absent(reason))
      ($0.pssBytes, $0.swapBytes, $0.limitBytes) = (
        .absent(reason), .absent(reason), .absent(reason)
      )
      ($0.readBytes, $0.writeBytes) = (.absent(reason), .absent(reason))
      ($0.minorFaults, $0.majorFaults) = (.absent(reason), .absent(reason))
      $0.systemNanoseconds = .absent(reason)
      ($0.threadTime, $0.cpuWaitNanoseconds) = ($0.time, .absent(reason))
      $0.threads = .absent(reason)
    }
    let values: [Metric] = [
      .cpu, .cpuWindow, .cpuTime, .resident, .footprint, .pss, .swap, .memoryLimit, .threads,
      .minorFaults, .majorFaults, .systemCPU, .cpuWait, .readRate, .writeRate,
    ]
    for metric in values { #expect(process[metric] == .absent(reason), "\(metric)") }
  }

  @Test func `perfhud's own share is over a second`() {
    var process = MadeUpProcess()
    for number in 0...30 {
      process.read(at: Double(number) / 10, cpu: 0) {
        $0.ownCPUNanoseconds = UInt64(max(0, number - 20)) * 1_000_000
      }
    }
    #expect(isClose(process.run.latest?.ownCPUPercent, 1))
  }
}
