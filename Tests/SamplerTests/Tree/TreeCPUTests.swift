import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// The CPU time and the faults of trees, those of short-lived children included.
@Suite struct TreeCPUTests {
  @Test func `a child that burns 200 ms between two samples is in the CPU time`() throws {
    let load = try Load()
    var sampler = try treeSampler(load.pid)
    let before = try #require(sampler.sample().cpuNanoseconds.value)
    let truth = try load.command("burn-child 200")
    let after = try #require(sampler.sample().cpuNanoseconds.value)
    let difference = Double(after - before)
    #expect(difference > Double(truth[2]) - 20e6)
    #expect(difference < Double(truth[2]) + 50e6)
  }

  @Test func `50 short-lived children, sampled all the time, are counted to the tick`() throws {
    let load = try Load()
    var sampler = try treeSampler(load.pid)
    let before = try #require(sampler.sample().cpuNanoseconds.value)
    var last = before
    var truth = 0
    for number in 0..<50 {
      try load.start("burn-child \(number % 7 + 1)")
      for _ in 0..<20 {
        let now = try #require(sampler.sample().cpuNanoseconds.value)
        #expect(now >= last)
        last = now
      }
      truth += try load.answer()[2]
    }
    let own = try #require(readClock(clockid_t(~Int32(load.pid) << 3 | 2)))
    let difference = try #require(sampler.sample().cpuNanoseconds.value) - before
    #expect(Double(difference) > Double(truth) - 20e6)
    #expect(Double(difference) < Double(truth) + Double(own) + 20e6)
  }

  @Test func `faults of children that were waited for are in the sum, which never falls`() throws {
    let load = try Load()
    var sampler = try treeSampler(load.pid, statEverySample: true)
    let before = try #require(sampler.sample().minorFaults.value)
    try load.command("burn-child 1")
    let after = try #require(sampler.sample().minorFaults.value)
    // A forked child copies pages.
    #expect(after > before + 10)
    let child = Int32(try load.command("child")[0])
    try waitUntil("2 processes") { sampler.sample().processes == 2 }
    let with = try #require(sampler.sample().minorFaults.value)
    kill(child, SIGKILL)
    try waitUntil("1 process") { sampler.sample().processes == 1 }
    #expect(try #require(sampler.sample().minorFaults.value) >= with)
  }

  @Test func `faults of grandchildren that a child has waited for are in the sum`() throws {
    let child =
      "echo ready; read x; for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done; echo done; read x"
    let shell = try RunningTool(["sh", "-c", "sh -c '\(child)'; exit 0"])
    _ = try shell.readLine()
    var sampler = try treeSampler(shell.pid, statEverySample: true)
    let before = try #require(sampler.sample().minorFaults.value)
    try shell.send("")
    #expect(try shell.readLine() == "done")
    // The start of a program takes more than 40 faults of its own.
    #expect(try #require(sampler.sample().minorFaults.value) > before + 400)
    shell.closeInput()
  }
}
