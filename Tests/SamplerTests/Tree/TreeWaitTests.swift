import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// How long the processes of a tree have waited for a processor.
@Suite struct TreeWaitTests {
  // MARK: Made processes

  /// A parent that has waited for 1 s and two children that have for 5 s and 7 s.
  private func made() throws -> MadeProcesses {
    let processes = try MadeProcesses()
    try processes.write(100, parent: 1, waited: [100: 1_000_000_000])
    try processes.write(101, parent: 100, waited: [101: 5_000_000_000])
    try processes.write(102, parent: 100, waited: [102: 7_000_000_000])
    return processes
  }

  private func sampler(_ processes: MadeProcesses) throws -> ProcessSampler {
    try ProcessSampler(
      pid: 100, options: SamplerOptions(pss: .off, includesChildren: true), root: processes.root)
  }

  /// Samples with all files due, after a search for new processes; the wait in milliseconds.
  private func wait(_ sampler: inout ProcessSampler) -> UInt64? {
    let now = Instant(nanoseconds: 0)
    (sampler.due.lowRate, sampler.due.threads, sampler.due.stat) = (now, now, now)
    sampler.tree?.discovery.nextScan = now
    return sampler.sample().cpuWaitNanoseconds.value.map { $0 / 1_000_000 }
  }

  @Test func `the wait is the sum over the processes, and stays until all are read again`() throws {
    let processes = try made()
    var sampler = try sampler(processes)
    let first = sampler.sample()
    #expect(first.cpuWaitNanoseconds == .value(13_000_000_000))
    try processes.write(101, parent: 100, waited: [101: 5_500_000_000])
    sampler.due.lowRate = Instant(nanoseconds: .max)
    let between = sampler.sample()
    #expect(between.cpuWaitNanoseconds == first.cpuWaitNanoseconds)
    #expect(between.threadTime == first.threadTime)
    #expect(wait(&sampler) == 13_500)
    #expect(sampler.combined.sample.threadTime > first.threadTime)
  }

  @Test func `while the process itself has no new value, that of its children waits for it`() throws
  {
    let processes = try made()
    var sampler = try sampler(processes)
    let first = sampler.sample()
    try processes.write(101, parent: 100, waited: [101: 5_500_000_000])
    // The threads of the process are read less often, if there are many.
    (sampler.due.lowRate, sampler.due.threads) = (
      Instant(nanoseconds: 0), Instant(nanoseconds: .max)
    )
    let second = sampler.sample()
    #expect(second.cpuWaitNanoseconds == first.cpuWaitNanoseconds)
    #expect(second.threadTime == first.threadTime)
    #expect(wait(&sampler) == 13_500)
  }

  @Test func `a process that joins late adds no earlier wait, and one that has just begun all`()
    throws
  {
    let processes = try made()
    var sampler = try sampler(processes)
    #expect(wait(&sampler) == 13_000)
    try processes.write(103, parent: 100, waited: [103: 900_000_000_000])
    #expect(wait(&sampler) == 13_000)
    #expect(sampler.combined.sample.mayMissThreads)
    try processes.write(103, parent: 100, waited: [103: 900_250_000_000])
    #expect(wait(&sampler) == 13_250)
    let sinceBoot = try #require(readClock(CLOCK_BOOTTIME))
    try processes.write(
      104, parent: 100, start: sinceBoot / KernelUnits().tickNanoseconds,
      waited: [104: 40_000_000])
    #expect(wait(&sampler) == 13_290)
  }

  @Test func `a process that leaves takes nothing from the sum`() throws {
    let processes = try made()
    var sampler = try sampler(processes)
    #expect(wait(&sampler) == 13_000)
    try processes.write(102, parent: 1, start: 2000, waited: [102: 1_000_000])
    #expect(wait(&sampler) == 13_000)
    try processes.write(101, parent: 100, waited: [101: 5_100_000_000])
    #expect(wait(&sampler) == 13_100)
  }

  @Test func `the threads of a child count, and an ended one takes nothing from the sum`() throws {
    let processes = try made()
    try processes.write(101, parent: 100, waited: [101: 5_000_000_000, 111: 20_000_000_000])
    var sampler = try sampler(processes)
    #expect(wait(&sampler) == 33_000)
    try processes.write(101, parent: 100, waited: [101: 5_100_000_000, 111: 20_300_000_000])
    #expect(wait(&sampler) == 33_400)
    try processes.write(101, parent: 100, waited: [101: 5_200_000_000])
    #expect(wait(&sampler) == 33_400)
    try processes.write(101, parent: 100, waited: [101: 5_300_000_000])
    #expect(wait(&sampler) == 33_500)
  }

  @Test func `a child with more than 64 threads is left out`() throws {
    let processes = try made()
    var many: [Int32: UInt64] = [101: 5_000_000_000]
    for thread: Int32 in 200..<264 { many[thread] = 1_000_000_000 }
    try processes.write(101, parent: 100, waited: many)
    var sampler = try sampler(processes)
    #expect(wait(&sampler) == 8_000)
    // Once it is read again, what it waited for until then does not count.
    try processes.write(101, parent: 100, waited: [101: 6_000_000_000])
    #expect(wait(&sampler) == 8_000)
    try processes.write(101, parent: 100, waited: [101: 6_500_000_000])
    #expect(wait(&sampler) == 8_500)
  }

  // MARK: What is missing

  @Test func `an increase is a part if a thread or a former value is missing`() {
    var wait = MemberWait()
    #expect(wait.take(500, threads: 7) == (0, false))
    #expect(wait.take(700, threads: 7) == (200, true))
    #expect(wait.take(800, threads: 9) == (100, false))
    #expect(wait.take(300, threads: 9) == (0, false))
    #expect(wait.take(310, threads: 9) == (10, true))
    wait.forget()
    #expect(wait.take(900, threads: 9) == (0, false))
    var child = MemberWait()
    child.noteBirth()
    #expect(child.take(500, threads: 7) == (500, true))
  }

  @Test func `a number that was given and is gone makes the sum a lower bound`() {
    var waits = TreeWaits()
    let time = Instant(nanoseconds: 1)
    func isLowerBound(_ last: Int32?, gone: Int32 = 0) -> Bool {
      waits.take(lastPid: last, time: time) { $0 != gone }.isLowerBound
    }
    #expect(!isLowerBound(100) && !isLowerBound(102))
    #expect(isLowerBound(104, gone: 103))
    #expect(!isLowerBound(104))
    waits.noteMissing()
    #expect(isLowerBound(104) && !isLowerBound(104))
    #expect(isLowerBound(nil))
  }

  @Test func `between two reads of all, 128 files a second are read of young processes`() {
    var waits = TreeWaits()
    var read = 0
    for step in 0..<100 {
      let now = Instant(nanoseconds: UInt64(1 + step) * 100_000_000)
      waits.begin(now: now, sinceBoot: 60_000_000_000)
      #expect(!waits.reads(54_000_000_000))
      for _ in 0..<40 where waits.reads(55_000_000_000) {
        waits.spend(1, now: now)
        read += 1
      }
    }
    #expect(read > 900 && read <= 1320, "\(read)")
  }

  // MARK: Real processes

  @Test func `children that burn on one processor wait for it, though the parent sleeps`() throws {
    let load = try Products.path("perfhud-load")
    let burn = "\(load) duty --percent 100 --seconds 8 --truth /dev/null"
    let shell = try readyShell(
      "taskset -pc 0 $$ >/dev/null; \(burn) & \(burn) & \(burn) --threads 2 & wait")
    var sampler = try treeSampler(shell.pid)
    var last = sampler.sample()
    var waits: [UInt64] = []
    var seconds = 0.0
    // The first interval has the start of the processes.
    try waitUntil("four reads of all processes") { () throws(ToolError) in
      let sample = sampler.sample()
      guard sample.threadTime != last.threadTime, let wait = sample.cpuWaitNanoseconds.value else {
        return false
      }
      if waits.count > 1 { seconds += sample.threadTime.seconds(since: last.threadTime) }
      waits.append(wait)
      last = sample
      return waits.count == 4
    }
    let waited = Double(waits[3] - waits[1]) * 1e-9
    // At each moment one of the four runs at most.
    #expect(waited > 2.7 * seconds && waited < 4.1 * seconds, "\(waited) s in \(seconds) s")
    #expect(sampler.latest.cpuWaitNanoseconds.value ?? .max < waits[0])
    shell.signal(9)
  }
}
