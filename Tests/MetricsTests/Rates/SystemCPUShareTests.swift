import Metrics
import PerfHUDBase
import Sampler
import Testing

@Suite struct SystemCPUShareTests {
  /// Reads stat at a time.
  private func read(
    _ process: inout MadeUpProcess, at seconds: Double, cpu: Double, system: Double
  ) {
    process.read(at: seconds, cpu: cpu) {
      $0.statTime = $0.time
      // Whole clock ticks, as the kernel reports them.
      $0.systemNanoseconds = .value(UInt64(system * 100 + 1e-6) * 10_000_000)
    }
  }

  @Test func `a quarter of a core in the kernel is 25 %, first after half a second`() {
    var process = MadeUpProcess(milliseconds: 500)
    read(&process, at: 0, cpu: 0, system: 0)
    #expect(process[.systemCPU] == .absent(.pending))
    for number in 1...10 {
      let time = Double(number) / 2
      read(&process, at: time, cpu: time, system: time / 4)
      #expect(isClose(process[.systemCPU], 25, within: number == 1 ? 2 : 1), "at \(time)")
    }
  }

  @Test(arguments: [20, 100, 300, 500, 1000, 2000])
  func `the share is over a second or more, however often stat is read`(milliseconds: Int) {
    var process = MadeUpProcess(milliseconds: UInt64(milliseconds))
    for number in 0...(10_000 / milliseconds) {
      let time = Double(number * milliseconds) / 1000
      read(&process, at: time, cpu: time, system: 0.123 * time)
      if time > 2.5 { #expect(isClose(process[.systemCPU], 12.3, within: 1.1), "at \(time)") }
    }
  }

  @Test func `less than half a second gives no share`() {
    var process = MadeUpProcess(milliseconds: 20)
    for number in 0..<22 {
      let time = Double(number) / 50
      read(&process, at: time, cpu: time, system: time)
      #expect(process[.systemCPU] == .absent(.pending))
    }
  }

  @Test func `a load shows half a second after it begins, and is gone after one that ends`() {
    var process = MadeUpProcess(milliseconds: 500)
    read(&process, at: 0, cpu: 0, system: 0)
    let steps: [(time: Double, system: Double, percent: Double)] = [
      (0.5, 0, 0), (1, 0.5, 50), (1.5, 1, 100), (2, 1, 50), (2.5, 1, 0),
    ]
    for step in steps {
      read(&process, at: step.time, cpu: step.system, system: step.system)
      #expect(isClose(process[.systemCPU], step.percent), "at \(step.time)")
    }
  }

  @Test func `the share is never more than that of all CPU time`() {
    var process = MadeUpProcess(milliseconds: 500)
    // A tick may end in this second that began in the one before.
    read(&process, at: 0, cpu: 0.009, system: 0)
    read(&process, at: 0.5, cpu: 0.011, system: 0.01)
    #expect(isClose(process[.systemCPU], 0.4))
    read(&process, at: 1, cpu: 0.013, system: 0.01)
    #expect(isClose(process[.systemCPU], 0.4))
    read(&process, at: 1.5, cpu: 0.015, system: 0.01)
    #expect(isClose(process[.systemCPU], 0))
  }

  @Test func `several threads in the kernel are more than 100 %`() {
    var process = MadeUpProcess(milliseconds: 1000)
    for number in 0...3 {
      let time = Double(number)
      read(&process, at: time, cpu: 4 * time, system: 3 * time)
    }
    #expect(isClose(process[.systemCPU], 300))
  }

  @Test func `samples without a new reading keep the share`() {
    var process = MadeUpProcess()
    read(&process, at: 0, cpu: 0, system: 0)
    read(&process, at: 1, cpu: 1, system: 0.5)
    for number in 1...4 {
      process.read(at: 1 + Double(number) / 10, cpu: 1)
      #expect(isClose(process[.systemCPU], 50))
    }
  }

  @Test func `a counter that steps back begins anew`() {
    var process = MadeUpProcess(milliseconds: 500)
    read(&process, at: 0, cpu: 1, system: 1)
    read(&process, at: 0.5, cpu: 1.5, system: 1.5)
    read(&process, at: 1, cpu: 2, system: 0.5)
    #expect(process[.systemCPU] == .absent(.pending))
    read(&process, at: 1.5, cpu: 2.5, system: 0.75)
    #expect(isClose(process[.systemCPU], 50))
  }

  @Test func `another process begins anew`() {
    var process = MadeUpProcess(milliseconds: 500)
    read(&process, at: 0, cpu: 0, system: 0)
    read(&process, at: 0.5, cpu: 0.5, system: 0.5)
    process.sample.startTicks += 1
    read(&process, at: 1, cpu: 5, system: 4)
    #expect(process[.systemCPU] == .absent(.pending))
  }
}
