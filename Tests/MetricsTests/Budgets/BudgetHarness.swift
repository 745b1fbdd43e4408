import PerfHUDBase
import Sampler

@testable import Metrics

/// A program of 5 s that uses half a processor, takes 100, 200 or 150 MiB, and may be disturbed.
struct DisturbedProcess {
  /// Shares of the time, from 0 to 1.
  var wait = 0.0
  var throttled = 0.0
  var pressure = 0.0
  /// What others use of the two processors.
  var others: Double? = 0.0
  var missed: UInt32 = 0
  var isLowerBound = false
  var hasThreads = true

  func run(_ budgets: [String]) throws -> MadeUpProcess {
    run(try budgets.map { try Budget($0) })
  }

  func run(_ budgets: [Budget]) -> MadeUpProcess {
    var process = MadeUpProcess(budgets: budgets)
    process.sample.ageNanoseconds = 1_000_000
    for number in 0...50 {
      let seconds = Double(number) / 10
      func nanoseconds(_ share: Double) -> Reading<UInt64> { .value(UInt64(share * seconds * 1e9)) }
      let time = MadeUpProcess.time(seconds)
      if let others {
        var load = MachineLoad()
        load.busyNanoseconds = nanoseconds(0.5 + 2 * others)
        load.cpuPressureMicroseconds = .value(UInt64(pressure * seconds * 1e6))
        process.run.apply(.machine(load, time))
      }
      process.read(at: seconds, cpu: seconds / 2) {
        $0.ageNanoseconds = UInt64(seconds * 1e9) + 1_000_000
        $0.residentBytes = .value(UInt64([100, 200, 150][number % 3]) << 20)
        $0.anonymousBytes = .value(UInt64([90, 180, 140][number % 3]) << 20)
        $0.threads = .value(hasThreads ? UInt32(1 + number % 4) : 1)
        $0.usableProcessors = .value(2)
        $0.processCPUNanoseconds = $0.cpuNanoseconds
        $0.cpuWaitNanoseconds = nanoseconds(wait)
        $0.threadTime = time
        $0.throttledNanoseconds = nanoseconds(throttled)
        $0.lowRateTime = time
        $0.ioTime = time
        $0.readBytes = .value(0)
        $0.writeBytes = .value(UInt64(number) << 20)
        $0.missed = missed
        $0.leftOutProcesses = isLowerBound ? 1 : 0
      }
    }
    return process
  }

  /// The results of budgets at the end.
  func results(_ budgets: String..., end: CommandEnd? = nil) throws -> [BudgetResult] {
    let process = try run(budgets)
    return BudgetReport(process.run, asOf: MadeUpProcess.time(5), end: end).results
  }

  /// The verdict on a budget with a limit that an earlier run sets, as it is printed.
  func text(
    _ rule: String, base: DisturbedProcess, baseEnd: CommandEnd? = nil
  ) throws -> String {
    var budget = try Budget(rule)
    let earlier = BudgetReport(
      base.run([budget]).run, asOf: MadeUpProcess.time(5), end: baseEnd)
    budget.setBase(earlier.results[0], earlier.disturbance)
    return BudgetReport(run([budget]).run, asOf: MadeUpProcess.time(5)).results[0].text(.english)
  }

  /// The verdict on one budget, as it is printed.
  func text(_ budget: String, end: CommandEnd? = nil) throws -> String {
    try results(budget, end: end)[0].text(.english)
  }
}

extension MadeUpProcess {
  /// The verdict on a budget that needs no statistics of samples.
  func text(of budget: String, at seconds: Double) throws -> String {
    let budget = try Budget(budget)
    let measured = BudgetMeasurement(
      run, asOf: MadeUpProcess.time(seconds), end: nil, missing: .none)
    return budget.judge(measured.finding(budget.metric, 0), measured.disturbance).text(.english)
  }
}
