import Sampler
import Testing

@testable import Metrics

@Suite struct BottlenecksTests {
  private func reasons(_ values: [Metric: Double], cpu: Double = 10) -> Bottlenecks {
    var row = Row()
    for metric in Bottlenecks.metrics { row[metric] = .value(0) }
    for (metric, value) in values { row[metric] = .value(value) }
    row[.cpuWindow] = .value(cpu)
    row.isPressureOfCgroup = true
    return Bottlenecks(row)
  }

  @Test func `reasons keep the order of the metrics, and the worst is named`() {
    let found = reasons([.ioPressure: 40, .throttled: 20, .majorFaults: 300, .cpuWait: 0.4])
    #expect(found.reasons.map(\.metric) == Bottlenecks.metrics)
    #expect(found.named.metric == .ioPressure && found.named.grade == .felt)
    #expect(found.reasons.map(\.metric)[found.namedIndex] == .ioPressure)
    // Of the same grade the first one, which is the most direct sign.
    #expect(reasons([.ioPressure: 40, .throttled: 110]).named.metric == .throttled)
    #expect(reasons([.ioPressure: 2, .majorFaults: 30]).named.metric == .ioPressure)
  }

  @Test(
    arguments: [
      (.cpuWait, 9.9, .seen), (.cpuWait, 10, .felt), (.throttled, 9.9, .calm),
      (.throttled, 10, .seen),
      (.throttled, 100, .felt), (.majorFaults, 100, .felt), (.involuntarySwitches, 99, .calm),
      (.involuntarySwitches, 1000, .felt),
      (.readRate, 1e9, .calm), (.voluntarySwitches, 1e6, .calm),
    ] as [(Metric, Double, Bottlenecks.Grade)])
  func `a value has the grade of the share of time that it represents`(
    metric: Metric, value: Double, grade: Bottlenecks.Grade
  ) {
    #expect(Bottlenecks.grade(metric, .value(value)) == grade)
  }

  @Test func `a program that fills a core and is held back by nothing does its own work`() {
    #expect(reasons([:], cpu: 99).isOwnWork)
    #expect(!reasons([.cpuWait: 20], cpu: 99).isOwnWork)
    #expect(!reasons([:], cpu: 50).isOwnWork)
  }

  @Test func `what costs less than 10 percent is no reason to name`() {
    #expect(reasons([.cpuWait: 0.9], cpu: 89.9).verdictWithoutReason == .slowNothing)
    #expect(reasons([.cpuWait: 9.9], cpu: 81).verdictWithoutReason == .slowLittle)
    #expect(reasons([.cpuWait: 9.9], cpu: 95).verdictWithoutReason == .slowOwnWork)
  }

  @Test func `a program that is not held back sleeps while it neither runs nor waits for a core`() {
    #expect(reasons([.cpuWait: 1], cpu: 4).sleep == .percent(95, isLowerBound: false))
    #expect(reasons([.cpuWait: 1], cpu: 4).verdictWithoutReason == .slowAsleep)
    #expect(reasons([.cpuWait: 9], cpu: 81).sleep == .percent(10, isLowerBound: false))
    #expect(reasons([.cpuWait: 9], cpu: 82).sleep == nil)
    #expect(reasons([.cpuWait: 10], cpu: 4.9).sleep == nil)
    #expect(reasons([:], cpu: 95).sleep == nil)
    // What else it waits for is no sleep; of the whole machine that is not known.
    let waits: [Metric: Double] = [.ioPressure: 9, .memoryPressure: 5, .majorFaults: 60]
    #expect(reasons(waits, cpu: 50).sleep == .percent(30, isLowerBound: false))
    var row = Row()
    row[.cpuWait] = .value(0)
    #expect(Bottlenecks(row).sleep == nil)
    row[.cpuWindow] = .value(2)
    row[.ioPressure] = .value(9)
    #expect(Bottlenecks(row).sleep == .percent(98, isLowerBound: false))
    row.state = .diskSleep
    #expect(Bottlenecks(row).sleep == nil)
  }

  @Test func `several threads sleep at least that long, and without all waits no share is known`() {
    var row = Row()
    row[.cpuWindow] = .value(40)
    #expect(Bottlenecks(row).sleep == .mostly)
    row[.cpuWait] = .value(1)
    row[.threads] = .value(2)
    #expect(Bottlenecks(row).sleep == .percent(59, isLowerBound: true))
    // The mark of a thread that has come and gone.
    row.lowerBounds = [.cpuWait]
    #expect(Bottlenecks(row).sleep == .percent(59, isLowerBound: true))
    row[.processes] = .value(2)
    #expect(Bottlenecks(row).sleep == .mostly)
    row[.cpuWindow] = .value(50)
    #expect(Bottlenecks(row).sleep == nil)
    row.lowerBounds = []
    #expect(Bottlenecks(row).sleep == .percent(49, isLowerBound: true))
  }

  @Test func `pressure on the machine is worth reading from a tenth of the time on`() {
    var row = Row()
    row[.ioPressure] = .value(9.9)
    let io = Bottlenecks.metrics.firstIndex(of: .ioPressure) ?? 0
    #expect(Bottlenecks(row).reasons[io].grade == .calm)
    row[.ioPressure] = .value(10)
    #expect(Bottlenecks(row).reasons[io].grade == .seen)
    row.isPressureOfCgroup = true
    #expect(Bottlenecks(row).reasons[io].grade == .felt)
  }

  @Test func `over several processes a busy machine is named if their wait is a lower bound`() {
    var row = Row()
    for metric in Bottlenecks.metrics { row[metric] = .value(0) }
    row[.cpuWindow] = .value(89.5)
    row[.cpuWait] = .value(0.9)
    row[.cpuPressure] = .value(96)
    row[.processes] = .value(1)
    #expect(Bottlenecks(row).verdictWithoutReason == .slowNothing)
    row[.processes] = .value(5)
    #expect(Bottlenecks(row).verdictWithoutReason == .slowNothing)
    row.lowerBounds = [.cpuWait]
    #expect(Bottlenecks(row).named.metric == .cpuPressure)
    #expect(Bottlenecks(row).verdictWithoutReason == .slowMachine)
    row[.cpuWait] = .value(6)
    #expect(Bottlenecks(row).named.metric == .cpuPressure)
    #expect(Bottlenecks(row).verdictWithoutReason == .slowMachine)
    row[.cpuPressure] = .value(4)
    #expect(Bottlenecks(row).verdictWithoutReason == .slowLittle)
    row[.cpuWait] = .value(20)
    #expect(Bottlenecks(row).named.metric == .cpuWait)
  }

  @Test func `a wait is shown from 2 % on and down to 0.5 %, and gives way to one twice as long`() {
    var row = Row()
    func shown(_ values: [Metric: Double], after former: Metric?) -> Metric? {
      for metric in Bottlenecks.metrics { row[metric] = .value(values[metric] ?? 0) }
      return Bottlenecks.wait(in: row, after: former)
    }
    #expect(shown([.cpuWait: 1.9], after: nil) == nil)
    #expect(shown([.cpuWait: 2], after: nil) == .cpuWait)
    #expect(shown([.cpuWait: 0.5], after: .cpuWait) == .cpuWait)
    #expect(shown([.cpuWait: 0.4], after: .cpuWait) == nil)
    #expect(shown([.cpuWait: 3, .majorFaults: 50], after: .cpuWait) == .cpuWait)
    #expect(shown([.cpuWait: 3, .majorFaults: 70], after: .cpuWait) == .majorFaults)
    #expect(shown([.ioPressure: 50], after: nil) == nil, "that of the machine")
    row.isPressureOfCgroup = true
    #expect(shown([.ioPressure: 50], after: nil) == .ioPressure)
  }

  @Test(
    arguments: [
      (90, 830, true), (70, 550, true), (49, 180, true), (30, 80, true), (720, 1700, true),
      // Little of the wait, or next to nothing.
      (80, 110, false), (18.3, 42, false), (3, 9, false),
    ] as [(wait: Double, throttled: Double, isOfQuota: Bool)])
  func `of a wait for a core that a quota explains, the quota is named`(
    wait: Double, throttled: Double, isOfQuota: Bool
  ) {
    let found = reasons([.cpuWait: wait, .throttled: throttled])
    let cause: Metric = isOfQuota ? .throttled : .cpuWait
    #expect(found.named.metric == cause)
    #expect(found.reasons.map(\.metric)[found.namedIndex] == cause)
    #expect(found.named.grade == (wait >= 10 ? .felt : .seen))
    var row = Row()
    row[.cpuWait] = .value(wait)
    row[.throttled] = .value(throttled)
    #expect(Bottlenecks.isWaitOfQuota(in: row) == isOfQuota)
    for former in [nil, Metric.cpuWait] {
      #expect(Bottlenecks.wait(in: row, after: former) == cause)
    }
    #expect(Bottlenecks.isFelt(cause, in: row) == (wait >= 10))
  }

  @Test func `a quota that is shown stays until it explains less than an eighth of the wait`() {
    var row = Row()
    row[.cpuWait] = .value(60)
    row[.throttled] = .value(80)
    #expect(Bottlenecks.wait(in: row, after: .throttled) == .throttled)
    row[.throttled] = .value(70)
    #expect(Bottlenecks.wait(in: row, after: .throttled) == .cpuWait)
  }

  @Test func `pressure on the whole machine ranks below what the program itself shows`() {
    var row = Row()
    for metric in Bottlenecks.metrics { row[metric] = .value(0) }
    row[.cpuPressure] = .value(95)
    row[.ioPressure] = .value(50)
    row[.throttled] = .value(110)
    #expect(Bottlenecks(row).named.metric == .throttled)
    #expect(Bottlenecks(row).reasons.first { $0.metric == .ioPressure }?.grade == .seen)
    // Its own wait says that the busy cores do not hold it up; without that value they may.
    #expect(Bottlenecks(row).reasons.first { $0.metric == .cpuPressure }?.grade == .calm)
    row[.cpuWait] = .absent(.unsupported)
    #expect(Bottlenecks(row).reasons.first { $0.metric == .cpuPressure }?.grade == .seen)
  }

  @Test func `what cannot be read keeps its place, with its reason`() {
    var row = Row()
    for metric in Bottlenecks.metrics { row[metric] = .value(0) }
    row[.cpuWait] = .absent(.permission)
    let first = Bottlenecks(row).reasons.first
    #expect(first?.metric == .cpuWait && first?.reading == .absent(.permission))
    #expect(first?.grade == .missing)
    #expect(Bottlenecks(row).named.metric == .throttled)
  }
}
