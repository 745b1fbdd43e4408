import CMallocCount
import Metrics
import PerfHUDBase
import Sampler

/// A process made of numbers. Each call of `read` is one reading of it, taken in by a run.
struct MadeUpProcess {
  static let start = Instant(nanoseconds: 5_000_000_000_000)

  var run: Run
  /// What the next reading says; a reading changes what it is about and leaves the rest.
  var sample = Sample()

  init(
    milliseconds interval: UInt64 = 100, memory: MemoryMetric = .footprint,
    tickPeriod: UInt64? = nil, framesFromTerminal: Bool = false, command: String = "",
    budgets: [Budget] = []
  ) {
    var header = RunHeader(
      start: MadeUpProcess.start, wallClockOffset: 1_000, interval: interval * 1_000_000,
      memory: memory, tickPeriod: tickPeriod, command: command,
      framesFromTerminal: framesFromTerminal)
    header.budgets = budgets
    run = Run(header)
    sample.pid = 42
    sample.startTicks = 7
  }

  /// The instant at a time in seconds after the start.
  static func time(_ seconds: Double) -> Instant {
    start.advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
  }

  /// A reading at `seconds` after the start, when the process had used `cpu` seconds.
  mutating func read(
    at seconds: Double, cpu: Double? = nil, _ change: (inout Sample) -> Void = { _ in }
  ) {
    sample.time = MadeUpProcess.time(seconds)
    if let cpu { sample.cpuNanoseconds = .value(UInt64((cpu * 1e9).rounded())) }
    change(&sample)
    run.apply(.sample(sample))
    sample.sequence += 1
  }

  subscript(metric: Metric) -> Reading<Double>? { run.latest?[metric] }
}

/// A value, as close as the arithmetic of a test allows.
func isClose(_ reading: Reading<Double>?, _ expected: Double, within tolerance: Double = 1e-6)
  -> Bool
{
  guard let value = reading?.value else { return false }
  return (value - expected).magnitude <= tolerance
}

/// How often the body allocates the second time: the first time the Swift runtime makes its own tables.
func allocations(_ body: () -> Void) -> UInt64 {
  body()
  let before = perfhud_malloc_count()
  body()
  return perfhud_malloc_count() - before
}
