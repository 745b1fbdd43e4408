import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// One after the other: a thread is looked for by its name among those of the whole process.
@Suite(.serialized) struct SamplerThreadTests {
  private let hour: UInt64 = 3_600_000_000_000

  private func options(
    interval: UInt64, provisional: Bool = false, pss: PSSPolicy = .onDemand
  ) -> SamplerOptions {
    SamplerOptions(
      intervalNanoseconds: interval, provisionalFirst: provisional, pss: pss)
  }

  @Test func `the first sample is there before the thread starts`() throws {
    let thread = try SamplerThread(pid: getpid())
    let sample = try wait(for: thread) { _ in true }
    #expect(sample.sequence == 0)
    #expect(sample.residentBytes.value != nil)
    #expect(thread.next() == nil)
  }

  @Test func `samples at 20 ms lie on a grid of 20 ms`() throws {
    let thread = try SamplerThread(pid: getpid(), options: options(interval: 20_000_000))
    try thread.start()
    var samples: [Sample] = []
    _ = try wait(for: thread) { sample in
      samples.append(sample)
      return samples.count == 6
    }
    thread.stop()
    #expect(samples.map(\.sequence) == [0, 1, 2, 3, 4, 5])
    #expect(samples.allSatisfy { !$0.isProvisional })
    // The first sample is made before the grid begins.
    let due = samples.dropFirst().map { $0.time.nanoseconds - UInt64($0.lateNanoseconds) }
    for (index, time) in due.enumerated() {
      #expect((time - due[0]) % 20_000_000 == 0)
      let passed = UInt64(samples[index + 1].missed - samples[1].missed) + UInt64(index)
      #expect(time - due[0] == passed * 20_000_000)
    }
  }

  @Test func `a pause has no samples and none that were missed`() throws {
    let thread = try SamplerThread(pid: getpid(), options: options(interval: 20_000_000))
    try thread.start()
    let before = try wait(for: thread) { $0.sequence >= 2 }
    thread.request(.pause)
    // A hundred steps of the grid.
    let end = Instant.now().advanced(bySeconds: 2)
    try waitUntil("two seconds") { Instant.now() >= end }
    while thread.next() != nil {}
    thread.request(.resume)
    let after = try wait(for: thread) { _ in true }
    #expect(after.time > end && after.sequence > before.sequence)
    #expect(after.missed - before.missed < 50, "\(after.missed) missed")
  }

  @Test func `with an interval of an hour the second sample is provisional`() throws {
    let thread = try SamplerThread(
      pid: getpid(), options: options(interval: hour, provisional: true))
    try thread.start()
    let sample = try wait(for: thread) { $0.sequence == 1 }
    #expect(sample.isProvisional)
    #expect(sample.missed == 0)
  }

  @Test func `readEnd makes a reading at once although the next sample is due in an hour`() throws {
    let thread = try SamplerThread(pid: getpid(), options: options(interval: hour))
    try thread.start()
    thread.request(.readEnd)
    let sample = try wait(for: thread) { $0.sequence == 1 }
    #expect(!sample.hasEnded)
  }

  @Test func `a process that exits is reported although the next sample is due in an hour`() throws
  {
    let load = try Load()
    let thread = try SamplerThread(pid: Int32(load.pid), options: options(interval: hour))
    try thread.start()
    try load.command("exit 0")
    let sample = try wait(for: thread) { $0.hasEnded }
    #expect(sample.cpuNanoseconds.value != nil)
    #expect(sample.residentBytes.value ?? 0 > 0)
    thread.stop()
    #expect(thread.next() == nil)
  }

  @Test func `a process that its parent does not reap is a zombie first, and then gone`() throws {
    let parent = try RunningTool(
      [
        "python3", "-c",
        """
        import os, sys
        pid = os.fork()
        if pid == 0:
            sys.stdin.readline()
            os._exit(0)
        print(pid, flush=True)
        sys.stdin.readline()
        os.waitpid(pid, 0)
        print("reaped", flush=True)
        sys.stdin.readline()
        """,
      ])
    let child = Int32(try parent.readLine() ?? "") ?? 0
    var chosen = options(interval: hour)
    chosen.watchesZombie = true
    let thread = try SamplerThread(pid: child, options: chosen)
    try thread.start()
    kill(child, SIGKILL)
    let zombie = try wait(for: thread) { $0.hasEnded }
    #expect(zombie.state == .zombie)
    try parent.send("reap")
    #expect(try parent.readLine() == "reaped")
    let gone = try wait(for: thread) { $0.state == .dead }
    #expect(gone.hasEnded && gone.sequence > zombie.sequence && gone.pid == child)
    thread.stop()
  }

  @Test func `a main thread that exits ends nothing`() throws {
    let load = try Load()
    let thread = try SamplerThread(pid: Int32(load.pid), options: options(interval: 20_000_000))
    try thread.start()
    try load.command("main-exit")
    let sample = try wait(for: thread) { $0.state == .zombie }
    #expect(!sample.hasEnded)
    try load.command("exit 0")
    #expect(try wait(for: thread) { $0.hasEnded }.hasEnded)
  }

  @Test func `an interval of an hour is changed to 20 ms at once`() throws {
    let thread = try SamplerThread(pid: getpid(), options: options(interval: hour))
    try thread.start()
    thread.request(.setInterval(nanoseconds: 20_000_000))
    #expect(try wait(for: thread) { $0.sequence == 3 }.missed < .max)
  }

  @Test func `PSS that is asked for arrives before the next sample in an hour`() throws {
    let thread = try SamplerThread(pid: getpid(), options: options(interval: hour))
    let first = try wait(for: thread) { _ in true }
    #expect(first.pssBytes == .absent(.notRequested))
    try thread.start()
    thread.request(.readPSS)
    let sample = try wait(for: thread) { $0.pssBytes.value != nil }
    #expect(sample.pssTime == sample.time)
    #expect(sample.lateNanoseconds == 0)
  }

  @Test func `a policy of reading PSS by itself takes effect at the next sample`() throws {
    let thread = try SamplerThread(pid: getpid(), options: options(interval: 20_000_000))
    try thread.start()
    thread.request(.setPSSPolicy(.onBudgetAnySize))
    #expect(try wait(for: thread) { $0.pssBytes.value != nil }.pssBytes.value ?? 0 > 0)
  }

  @Test func `the thread blocks all signals except those of a fault`() throws {
    let thread = try SamplerThread(pid: getpid(), options: options(interval: 20_000_000))
    try thread.start()
    _ = try wait(for: thread) { $0.sequence == 1 }
    var found = 0
    // Other tests have threads of that name too, all with the same mask.
    for task in subdirectories(of: "/proc/self/task") {
      guard let name = try? readFile("/proc/self/task/\(task)/comm"),
        name == Array("perfhud-sampler\n".utf8),
        let status = try? readFile("/proc/self/task/\(task)/status")
      else { continue }
      let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
      let line = try #require(lines.first { $0.hasPrefix("SigBlk:") })
      let mask = try #require(UInt64(line.dropFirst(7).drop { $0 == "\t" }, radix: 16))
      func isBlocked(_ signal: Int32) -> Bool { mask >> UInt64(signal - 1) & 1 == 1 }
      for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS] {
        #expect(!isBlocked(signal), "signal \(signal)")
      }
      for signal in [SIGINT, SIGTERM, SIGCHLD, SIGWINCH] {
        #expect(isBlocked(signal), "signal \(signal)")
      }
      found += 1
    }
    #expect(found > 0)
    thread.stop()
  }

  @Test func `stop joins the thread, twice and before the start too`() throws {
    let thread = try SamplerThread(pid: getpid(), options: options(interval: 20_000_000))
    try thread.start()
    try thread.start()
    _ = try wait(for: thread) { $0.sequence == 2 }
    thread.stop()
    while thread.next() != nil {}
    thread.stop()
    #expect(thread.next() == nil)
    try SamplerThread(pid: getpid()).stop()
  }

  @Test func `a sampler that is given up ends its thread`() throws {
    let sleep = try RunningTool(["sleep", "60"])
    var thread: SamplerThread? = try SamplerThread(
      pid: Int32(sleep.pid), options: options(interval: 20_000_000))
    try thread?.start()
    _ = try thread.map { try wait(for: $0) { $0.sequence == 1 } }
    #expect(try hasFiles(of: sleep.pid))
    thread = nil
    // Other samplers live beside it; a thread that went on would keep its files open.
    try waitUntil("its files are closed") { () throws(ToolError) in try !hasFiles(of: sleep.pid) }
  }

  @Test func `a number that no process has is refused before a thread is made`() {
    let error = #expect(throws: SamplerError.self) { _ = try SamplerThread(pid: Int32.max) }
    #expect(error == .noSuchProcess(Int32.max))
  }

  @Test func `a captured process without a clock and a pidfd is sampled too`() throws {
    let fixture = try Fixture("linux-6.18/process")
    let thread = try SamplerThread(
      pid: fixture.pid, options: options(interval: 20_000_000), root: fixture.root)
    try thread.start()
    #expect(try wait(for: thread) { $0.sequence == 2 }.cpuSource == .stat)
  }
}
