import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Counters of each thread, added up.
@Suite struct ThreadCountersTests {
  @Test func `switches of 5 threads are in the sum, and stay in it when the threads have ended`()
    throws
  {
    let load = try Load()
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(statEverySample: true))
    let before = sampler.sample()
    #expect(before.voluntarySwitches.value != nil && before.involuntarySwitches.value != nil)
    #expect(before.threadTime == before.time)
    try load.command("threads 5")
    let directory = try ProcDirectory.ofProcess(Int32(load.pid), root: "/proc")
    var counters = ThreadCounters()
    var with = ThreadCounters.Counts()
    try waitUntil("the sleep of each thread") { () throws(ToolError) in
      with =
        counters.read(otherThan: Int32(load.pid), threads: 6, directory: directory) ?? with
      return with.voluntarySwitches >= 5
    }
    try load.command("threads 0")
    let second = counters.read(otherThan: Int32(load.pid), threads: 1, directory: directory)
    let after = try #require(second)
    #expect(after == with)
  }

  @Test func `numbers that were given and are gone may have been threads`() {
    var counters = ThreadCounters()
    func mayMiss(_ last: Int32?, gone: Set<Int32> = []) -> Bool {
      counters.begin()
      counters.note(lastNumber: last) { !gone.contains($0) }
      return counters.mayMissThreads
    }
    // What was before the first reading does not count.
    #expect(!mayMiss(100))
    #expect(!mayMiss(100) && !mayMiss(102))
    #expect(mayMiss(105, gone: [104]))
    #expect(!mayMiss(105, gone: [104]))
    // Too many to look for, and numbers that have begun again.
    #expect(mayMiss(500) && mayMiss(7) && !mayMiss(7))
    #expect(mayMiss(nil))
  }

  @Test func `a thread that lived between two readings is marked, and one that lives is not`()
    throws
  {
    let load = try Load()
    let directory = try ProcDirectory.ofProcess(Int32(load.pid), root: "/proc")
    var counters = ThreadCounters()
    func misses(_ threads: UInt32) -> Bool {
      _ = counters.read(otherThan: Int32(load.pid), threads: threads, directory: directory)
      return counters.mayMissThreads
    }
    #expect(!misses(1))
    try load.command("threads 3")
    #expect(!misses(4))
    try load.command("threads 0")
    #expect(misses(1))
    #expect(!misses(1))
  }

  @Test func `with more than 256 threads nothing is read, and the reason says so`() throws {
    let load = try Load()
    try load.command("threads 300")
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(statEverySample: true))
    let sample = sampler.sample()
    #expect(sample.voluntarySwitches == .absent(.manyThreads))
    #expect(sample.cpuWaitNanoseconds == .absent(.manyThreads))
    try load.command("threads 0")
  }

  @Test func `two threads that burn on one processor wait for it, though the main thread sleeps`()
    throws
  {
    let load = try RunningTool([
      "taskset", "-c", "0", try Products.path("perfhud-load"), "duty", "--percent", "100",
      "--threads", "2", "--seconds", "60", "--truth", "/dev/null",
    ])
    _ = try load.readLine()
    var sampler = try ProcessSampler(pid: Int32(load.pid))
    let first = sampler.sample()
    let before = try #require(first.cpuWaitNanoseconds.value)
    var last = first
    try waitUntil("the next reading of the threads") { () throws(ToolError) in
      last = sampler.sample()
      return last.threadTime != first.threadTime
    }
    let waited = Double(try #require(last.cpuWaitNanoseconds.value) - before)
    // At each moment one of the two waits, whatever else the processor has to do.
    #expect(waited > 0.5 * Double(last.threadTime.nanoseconds(since: first.threadTime)))
    load.signal(9)
  }
}
