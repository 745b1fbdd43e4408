import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording
import Report

// How often `perfhud compare` calls a change between runs of one program, and how often it finds a change that is there:
// `make bench-compare`. All numbers are random, the same each time. ARGS is the number of comparisons of each row.

/// How the values of one program vary. Shares are of the value.
struct Pool {
  var name: String
  /// From visit to visit, or from run to run where runs are compared.
  var spread = 0.02
  /// How much of a deviation the next visit has too, from 0 to 1.
  var memory = 0.0
  /// The share of values that are 1.2 to 5 times as large.
  var spikes = 0.0
  /// How likely a visit is in another state than the one before; 20 % slower in one of the two.
  var switches = 0.0
  /// By how much all values rise from the first visit to the last one.
  var drift = 0.0
  /// From run to run, for all visits of a run.
  var runSpread = 0.0
}

let pools = [
  Pool(name: "independent, 2 %"),
  Pool(name: "independent, 10 %", spread: 0.1),
  Pool(name: "autocorrelated 0.5, 5 %", spread: 0.05, memory: 0.5),
  Pool(name: "autocorrelated 0.8, 5 %", spread: 0.05, memory: 0.8),
  Pool(name: "autocorrelated 0.8, 15 %", spread: 0.15, memory: 0.8),
  Pool(name: "heavy tails, 1 in 10 up to 5 times", spikes: 0.1),
  Pool(name: "two states, rarely changing", switches: 0.1),
  Pool(name: "drift of 10 %", drift: 0.1),
  Pool(name: "runs differ by 2 %", runSpread: 0.02),
  Pool(name: "runs differ by 5 %", runSpread: 0.05),
]

struct Source {
  var numbers: SeededRandom

  mutating func uniform() -> Double { (Double(numbers.next() >> 11) + 0.5) / 9_007_199_254_740_992 }

  /// Source: G. E. P. Box, M. E. Muller (1958).
  mutating func normal() -> Double { (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform()) }

  /// Values in a row, around 1.
  ///
  /// - Parameter isMemory: memory varies a quarter as much as time.
  mutating func series(_ pool: Pool, _ count: Int, isMemory: Bool = false) -> [Double] {
    var pool = pool
    if isMemory {
      pool.spread /= 4
      pool.drift /= 4
      pool.runSpread /= 4
    }
    let run = 1 + pool.runSpread * normal()
    var deviation = normal()
    var isSlow = uniform() < 0.5
    return (0..<count).map { index in
      deviation =
        pool.memory * deviation + (1 - pool.memory * pool.memory).squareRoot() * normal()
      if uniform() < pool.switches { isSlow.toggle() }
      var value = run * (1 + pool.spread * deviation)
      if pool.switches > 0, isSlow, !isMemory { value *= 1.2 }
      if uniform() < pool.spikes { value *= 1.2 + 3.8 * uniform() }
      return max(0.01, value * (1 + pool.drift * Double(index) / Double(max(1, count - 1))))
    }
  }

  /// A run of a program with phases, each metric from a series of its own.
  mutating func run(
    _ pool: Pool, visits: Int, phases: Int, cpu: Double = 1, kept: Double = 0
  ) -> RunMetrics {
    let list = (0..<phases).map { phase in
      let time = series(pool, visits)
      let used = series(pool, visits)
      let taken = series(pool, visits, isMemory: true)
      let name = Event.Name("phase \(phase)")
      return PhaseMetrics(
        name: name,
        visits: (0..<visits).map { visit in
          VisitMetrics([
            .time: 0.5 * time[visit], .cpuTime: 0.2 * used[visit] * (phase == 0 ? cpu : 1),
            .kept: 50_000 * normal() + (phase == 0 ? kept : 0),
            .taken: 30_000_000 * taken[visit],
          ])
        })
    }
    return RunMetrics(
      title: "made up",
      host: HostFacts(kernel: "Linux", processors: 2, pageBytes: 4096, version: "0"),
      values: [
        .time: 4 * series(pool, 1)[0], .cpuTime: 1.5 * cpu * series(pool, 1)[0],
        .peak: 80_000_000 * series(pool, 1, isMemory: true)[0],
      ], phases: list)
  }
}

func pad(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(1, width - text.count))
}

func percent(_ count: Int, _ total: Int) -> String {
  let tenths = (1000 * count + total / 2) / total
  return "\(tenths / 10).\(tenths % 10) %"
}

let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 500

// MARK: False alarms

print("A program compared with itself, three phases, \(count) comparisons a row:")
print("any metric called a change; in parentheses: below 1 % by its probability alone\n")
let sizes = [(1, 8), (1, 13), (1, 31), (1, 101), (10, 3), (21, 3)]
print(pad("", 36) + sizes.map { pad($0.0 == 1 ? "\($0.1) visits" : "\($0.0) runs", 20) }.joined())
var called = 0
var compared = 0
for (number, pool) in pools.enumerated() {
  var line = pad(pool.name, 36)
  for (runs, visits) in sizes {
    var source = Source(numbers: SeededRandom(seed: UInt64(1000 * number + 100 * runs + visits)))
    var changes = 0
    var significant = 0
    for _ in 0..<count {
      let base = (0..<runs).map { _ in source.run(pool, visits: visits, phases: 3) }
      let new = (0..<runs).map { _ in source.run(pool, visits: visits, phases: 3) }
      let comparison = Comparison(base: base, new: new)
      if !comparison.changes.isEmpty { changes += 1 }
      let rows = comparison.subjects.flatMap(\.rows)
      if rows.contains(where: { $0.adjusted.map { $0 < TestFamily.level } == true }) {
        significant += 1
      }
    }
    called += changes
    compared += count
    line += pad("\(percent(changes, count)) (\(percent(significant, count)))", 20)
  }
  print(line)
}
print("\nIn all: \(called) of \(compared), \(percent(called, compared))")

// MARK: Changes that are there

print("\nChanges that are there, one phase, \(count) comparisons a row: found\n")
func power(_ name: String, _ runs: Int, _ visits: Int, _ pool: Pool, cpu: Double, kept: Double) {
  var source = Source(numbers: SeededRandom(seed: 99))
  var found = 0
  let metric: ComparedMetric = kept > 0 ? .kept : .cpuTime
  for _ in 0..<count {
    let base = (0..<runs).map { _ in source.run(pool, visits: visits, phases: 1) }
    let new = (0..<runs).map { _ in
      source.run(pool, visits: visits, phases: 1, cpu: cpu, kept: kept)
    }
    let comparison = Comparison(base: base, new: new)
    if comparison.changes.contains(where: { $0.row.metric == metric && $0.subject.phase != nil }) {
      found += 1
    }
  }
  print(pad(name, 60) + percent(found, count))
}
let mebibyte = 1_048_576.0
power("20 % more CPU time, 6 visits after the first, spread 2 %", 1, 7, pools[0], cpu: 1.2, kept: 0)
power(
  "20 % more CPU time, 6 visits after the first, spread 3 %", 1, 7,
  Pool(name: "", spread: 0.03), cpu: 1.2, kept: 0)
power(
  "20 % more CPU time, 6 visits after the first, spread 5 %", 1, 7,
  Pool(name: "", spread: 0.05), cpu: 1.2, kept: 0)
power(
  "20 % more CPU time, 12 visits after the first, spread 5 %", 1, 13,
  Pool(name: "", spread: 0.05), cpu: 1.2, kept: 0)
power("10 MiB kept, 6 visits after the first", 1, 7, pools[0], cpu: 1, kept: 10 * mebibyte)
power(
  "5 % more CPU time, 10 runs, spread 1 %", 10, 3, Pool(name: "", spread: 0.01), cpu: 1.05, kept: 0)
power("5 % more CPU time, 10 runs, spread 2 %", 10, 3, pools[0], cpu: 1.05, kept: 0)
power("10 % more CPU time, 10 runs, spread 2 %", 10, 3, pools[0], cpu: 1.1, kept: 0)
power(
  "20 % more CPU time, 10 runs, spread 5 %", 10, 3, Pool(name: "", spread: 0.05), cpu: 1.2, kept: 0)
