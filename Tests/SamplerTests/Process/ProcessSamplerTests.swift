import CMallocCount
import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Samples processes that run while the test runs.
@Suite struct ProcessSamplerTests {
  @Test func `a sleeping program has all its figures at the first sample`() throws {
    let sleep = try RunningTool(["sleep", "60"])
    // Until it has executed sleep it is a copy of this process, and for a moment without arguments;
    // once it sleeps its CPU time is exact.
    try waitUntil {
      let facts = try? ProcessFacts(pid: Int32(sleep.pid))
      return facts?.commandLine == "sleep 60" && facts?.state == .sleeping
    }
    var sampler = try ProcessSampler(pid: Int32(sleep.pid))
    let sample = sampler.sample()
    #expect(sampler.facts.commandLine == "sleep 60")
    #expect(sampler.facts.parent == getpid())
    #expect(sampler.facts.user == geteuid())
    #expect(sampler.cpuSource == .processClock)
    #expect(sample.cpuNanoseconds.value ?? 0 > 0)
    #expect(sample.residentBytes.value ?? 0 > 0)
    #expect(sample.anonymousBytes.value ?? 0 > 0)
    #expect(sample.swapBytes.value != nil)
    #expect(sample.pageTableBytes.value ?? 0 > 0)
    #expect(sample.pssBytes.value ?? 0 > 0)
    #expect(sample.limitBytes.value ?? 0 > 0)
    #expect(sample.threads == .value(1))
    #expect(sample.usableProcessors.value ?? 0 > 0)
    #expect(sample.minorFaults.value ?? 0 > 0)
    #expect(sample.majorFaults.value != nil)
    #expect(sample.ownCPUNanoseconds > 0)
    #expect(sample.ownAnonymousBytes > 0)
    #expect(sample.sequence == 0)
    #expect(sampler.sample().sequence == 1)
  }

  @Test(.enabled(if: !isSanitized, "a sanitizer adds memory of its own to the load"))
  func `100 MiB that are touched are in the next sample, and gone in the one after`() throws {
    let load = try Load()
    try load.command("alloc 4096")
    var sampler = try ProcessSampler(pid: Int32(load.pid))
    let size = 100 << 20
    // Kernels before 6.16 round the counters to batches of pages for each processor.
    let tolerance = 1 << 20
    let before = Int(sampler.sample().anonymousBytes.value ?? 0)
    try load.command("alloc \(size)")
    let with = Int(sampler.sample().anonymousBytes.value ?? 0)
    #expect(abs(with - before - size) <= tolerance)
    try load.command("free \(size)")
    let after = Int(sampler.sample().anonymousBytes.value ?? 0)
    #expect(abs(after - before) <= tolerance)
  }

  @Test func `CPU time that a program used is in the next sample`() throws {
    let load = try Load()
    var sampler = try ProcessSampler(pid: Int32(load.pid))
    let before = try #require(sampler.sample().cpuNanoseconds.value)
    let truth = try load.command("burn 50")
    let after = try #require(sampler.sample().cpuNanoseconds.value)
    // The rest is the command's own work, and what the load could not see of its own time.
    let difference = Double(after - before)
    #expect(difference > Double(truth[2]) * 0.8)
    #expect(difference < Double(truth[2]) + 200e6)
  }

  @Test func `threads that are started are counted when stat is read at every sample`() throws {
    let load = try Load()
    var options = SamplerOptions()
    options.statEverySample = true
    var sampler = try ProcessSampler(pid: Int32(load.pid), options: options)
    let before = try #require(sampler.sample().threads.value)
    try load.command("threads 5")
    #expect(sampler.sample().threads == .value(before + 5))
  }

  @Test func `what stat says of a process that sleeps holds at every sample`() throws {
    let sleep = try RunningTool(["sleep", "60"])
    let options = SamplerOptions(statEverySample: true, pss: .off)
    var sampler = try ProcessSampler(pid: Int32(sleep.pid), options: options)
    try waitUntil("sleep") { sampler.sample().state == .sleeping }
    for _ in 0..<3 {
      let sample = sampler.sample()
      #expect(sample.statTime == sample.time)
      #expect(sample.state == .sleeping)
    }
    sleep.signal(SIGSTOP)
    try waitUntil("the stop") { sampler.sample().state == .stopped }
  }

  @Test func `of a process that sleeps slow figures are as new as of one that runs`() throws {
    let sleep = try RunningTool(["sleep", "60"])
    var sampler = try ProcessSampler(pid: Int32(sleep.pid))
    try waitUntil("sleep") { sampler.sample().state == .sleeping }
    var last = sampler.sample()
    // The first ones may be from before it slept.
    for number in 0..<3 {
      let before = last
      try waitUntil("slow figures") {
        last = sampler.sample()
        return last.lowRateTime != before.lowRateTime
      }
      guard number > 0 else { continue }
      #expect(last.threadTime == last.lowRateTime)
      #expect(last.ioTime == last.lowRateTime)
      #expect(last.residentBytes == before.residentBytes)
      #expect(last.swapBytes == before.swapBytes)
      #expect(last.cpuWaitNanoseconds == before.cpuWaitNanoseconds)
    }
  }

  @Test func `a child that was killed and not waited for has ended and keeps its figures`() throws {
    let load = try Load()
    let child = Int32(try load.command("child")[0])
    var sampler = try ProcessSampler(pid: child)
    let alive = sampler.sample()
    #expect(!alive.hasEnded)
    kill(child, SIGKILL)
    try waitUntil { (try? ProcessFacts(pid: child))?.state == .zombie }
    let ended = sampler.sample()
    #expect(ended.hasEnded)
    #expect(ended.state == .zombie && ended.unknownEnds == 0)
    #expect(alive.processEnd == .none && ended.processEnd == .signaled(9))
    #expect(ended.residentBytes == alive.residentBytes)
    #expect(ended.cpuNanoseconds.value ?? 0 >= alive.cpuNanoseconds.value ?? .max)
    #expect(sampler.sample().sequence == ended.sequence)
  }

  @Test func `what leaves the resident memory for swap is in the same sample`() throws {
    let tree = try TemporaryTree(copyOf: Fixture("linux-6.18/process"))
    var sampler = try ProcessSampler(pid: tree.pid, root: tree.root)
    let first = sampler.sample()
    #expect(first.anonymousBytes == .value(2547 * 4096) && first.swapBytes == .value(0))
    let status = try Tool.run(["cat", "\(tree.root)/\(tree.pid)/status"]).stdout
    try tree.write(
      status.replacing("VmSwap:\t       0 kB", with: "VmSwap:\t    4000 kB"),
      to: "proc/\(tree.pid)/status")
    try tree.write("5732 1500 1155 6 0 2885 0\n", to: "proc/\(tree.pid)/statm")
    #expect(sampler.sample().swapBytes == .value(4000 << 10))
  }

  @Test func `a process that was waited for has ended and its clock is not read again`() throws {
    let sleep = try RunningTool(["sleep", "60"])
    var sampler = try ProcessSampler(pid: Int32(sleep.pid))
    let alive = sampler.sample()
    sleep.signal(SIGKILL)
    _ = try sleep.wait()
    let ended = sampler.sample()
    #expect(ended.hasEnded)
    #expect(ended.state == .dead)
    #expect(ended.cpuNanoseconds == alive.cpuNanoseconds)
    // What it used since the last sample is not known.
    #expect(alive.unknownEnds == 0 && ended.unknownEnds == 1)
    #expect(ended.anonymousBytes == alive.anonymousBytes)
  }

  @Test func `a process whose main thread has ended lives until its last thread ends`() throws {
    let load = try Load()
    try load.command("alloc 20000000")
    var sampler = try ProcessSampler(pid: Int32(load.pid))
    try load.command("main-exit")
    let sample = sampler.sample()
    #expect(!sample.hasEnded)
    #expect(sample.anonymousBytes.value ?? 0 > 20_000_000)
    try load.command("alloc 10000000")
    #expect(sampler.sample().anonymousBytes.value ?? 0 > 30_000_000)
    try load.command("exit 7")
    #expect(try load.wait() == .exit(7))
    let last = sampler.sample()
    // It has been waited for, so nobody else can tell how it ended; the main thread alone ended with 0.
    #expect(last.hasEnded && last.processEnd != .exited(0))
  }

  @Test func `the number of a thread is refused and its process is named`() throws {
    let load = try Load()
    try load.command("threads 1")
    let pid = Int32(load.pid)
    let directory = try ProcDirectory.ofProcess(pid, root: "/proc")
    let found = directory.thread(otherThan: pid)
    let thread = try #require(found)
    let error = #expect(throws: SamplerError.self) { _ = try ProcessSampler(pid: thread) }
    #expect(error == .isThread(thread, of: pid))
    #expect(
      error?.description == "\(thread) is a thread of process \(pid); use --pid \(pid)")
  }

  @Test(arguments: [Int32.max, 0, -1, Int32.min])
  func `a number that no process can have is refused`(pid: Int32) {
    let error = #expect(throws: SamplerError.self) { _ = try ProcessSampler(pid: pid) }
    #expect(error == .noSuchProcess(pid))
    #expect(
      error?.description
        == "no process \(pid) (it may have ended); list candidates with: pgrep -a NAME")
  }

  @Test(.enabled(if: !isSanitized, "a sanitizer replaces malloc"))
  func `a sample allocates nothing, slow figures and PSS included`() throws {
    let sleep = try RunningTool(["sleep", "60"])
    var options = SamplerOptions()
    options.statEverySample = true
    var sampler = try ProcessSampler(pid: Int32(sleep.pid), options: options)
    let first = sampler.sample()
    var latest = sampler.sample()
    var allocations: UInt64 = 0
    try waitUntil("the slow figures") {
      let before = perfhud_malloc_count()
      sampler.requestPSS()
      latest = sampler.sample()
      allocations += perfhud_malloc_count() - before
      return latest.lowRateTime != first.lowRateTime
    }
    #expect(latest.pssTime == latest.time)
    #expect(allocations == 0)
  }

  @Test(arguments: [
    // clock, before, after in ms
    (0, 0, 0, true), (25, 0, 0, true), (1_000, 1_000, 1_000, true), (990, 1_010, 1_010, true),
    (5_000, 1_000, 1_000, false), (100, 1_000, 1_000, false), (0, 60_000, 60_000, false),
    (1_900, 1_000, 1_900, true),
  ])
  func `the clock of another process is told by utime and stime`(
    clock: UInt64, before: UInt64, after: UInt64, agrees: Bool
  ) {
    let ms: UInt64 = 1_000_000
    #expect(
      ProcessClock.agrees(clock: clock * ms, before: before * ms, after: after * ms, tick: 10 * ms)
        == agrees)
  }

  @Test func `errors of files are told apart`() {
    #expect(ProcError(code: ENOENT).absence == .unsupported)
    #expect(ProcError(code: EACCES).absence == .permission)
    #expect(ProcError(code: EPERM).absence == .permission)
    #expect(ProcError(code: ESRCH).absence == .ended)
    #expect(SamplerError(.denied, pid: 7, root: "/proc") == .notPermitted(7))
    #expect(SamplerError(.hidden, pid: 7, root: "/proc") == .notPermitted(7))
    #expect(SamplerError(.ended, pid: 7, root: "/proc") == .noSuchProcess(7))
    // A process that system calls know and /proc does not show is hidden.
    #expect(SamplerError(.notFound, pid: getpid(), root: "/proc") == .hidden(getpid()))
  }
}

private let isSanitized = perfhud_malloc_is_counted() == 0
