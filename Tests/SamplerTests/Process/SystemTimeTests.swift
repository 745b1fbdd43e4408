import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// The CPU time that is spent in the kernel.
@Suite struct SystemTimeTests {
  private static let tick: UInt64 = KernelUnits().tickNanoseconds

  /// Waits for a line, reads /dev/zero in a child, waits for the child, writes a line and waits for another.
  private static let script =
    "echo ready; read x; dd if=/dev/zero of=/dev/null bs=64k count=120000 2>/dev/null; "
    + "echo done; read x"

  @Test func `a captured process has field 15 of its stat`() throws {
    let fixture = try Fixture("linux-6.18/process")
    let stat = try #require(StatFields(path: "\(fixture.root)/\(fixture.pid)/stat"))
    var sampler = try fixture.sampler()
    #expect(sampler.sample().systemNanoseconds == .value(stat.systemTicks * SystemTimeTests.tick))
  }

  @Test func `a child that ended is in the sum of the tree, to the tick, and the sum never falls`()
    throws
  {
    let shell = try RunningTool(["sh", "-c", SystemTimeTests.script])
    _ = try shell.readLine()
    var sampler = try treeSampler(shell.pid, statEverySample: true)
    var last = try #require(sampler.sample().systemNanoseconds.value)
    try shell.send("")
    let children = {
      StatFields(path: "/proc/\(shell.pid)/stat").map { $0.childrenSystemTicks } ?? 0
    }
    try waitUntil("the end of the child") {
      let now = sampler.sample().systemNanoseconds.value ?? 0
      #expect(now >= last)
      last = now
      return children() > 0
    }
    _ = try shell.readLine()
    let stat = try #require(StatFields(path: "/proc/\(shell.pid)/stat"))
    let truth = (stat.systemTicks + stat.childrenSystemTicks) * SystemTimeTests.tick
    #expect(truth >= 3 * SystemTimeTests.tick)
    let sum = try #require(sampler.sample().systemNanoseconds.value)
    #expect(sum >= truth && sum <= truth + 2 * SystemTimeTests.tick)
    shell.closeInput()
  }

  @Test func `without descendants the time of children is left out`() throws {
    let shell = try RunningTool(["sh", "-c", SystemTimeTests.script])
    _ = try shell.readLine()
    try shell.send("")
    _ = try shell.readLine()
    var sampler = try ProcessSampler(pid: Int32(shell.pid))
    let sample = sampler.sample()
    let stat = try #require(StatFields(path: "/proc/\(shell.pid)/stat"))
    #expect(sample.systemNanoseconds == .value(stat.systemTicks * SystemTimeTests.tick))
    #expect(stat.childrenSystemTicks > 0)
    shell.closeInput()
  }

  /// Three children in turn, each with 0.3 s in the kernel, whose parent does not wait for them; then a line.
  private static let unwaited = """
    import os, signal
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    input()
    for _ in range(3):
        if os.fork() == 0:
            zeros = os.open("/dev/zero", os.O_RDONLY)
            while os.times().system < 0.3:
                os.read(zeros, 1 << 20)
            os._exit(0)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            pass
    os.mkdir(os.environ["END"])
    input()
    """

  @Test func `children that nobody waits for stay in the sum, also if others follow`() throws {
    let directory = try TemporaryDirectory()
    let end = "\(directory.path)/end"
    let tool = try RunningTool(
      ["python3", "-c", SystemTimeTests.unwaited], environment: ["END": end])
    _ = try tool.readLine()
    var sampler = try treeSampler(tool.pid, statEverySample: true)
    _ = sampler.sample()
    try tool.send("")
    var sum: UInt64 = 0
    try waitUntil("the end of the children") {
      sum = sampler.sample().systemNanoseconds.value ?? 0
      return unsafe access(end, F_OK) == 0
    }
    // Each may lose the time since the sample before its end.
    #expect(sum >= 600_000_000, "\(sum)")
    tool.closeInput()
  }

  @Test func `the sum never falls, and what comes back with a parent counts once`() {
    var process = Sample()
    process.systemNanoseconds = .value(10)
    var combined = CombinedSample()
    var totals = ProcessTree.Totals()
    func sum(_ ofMembers: UInt64, reaped: UInt64 = 0, hasReadStat: Bool = true) -> UInt64? {
      totals.systemNanoseconds = ofMembers
      combined.reapedSystemNanoseconds = reaped
      combined.update(process, totals, leftOut: 0, pageBytes: 4096, hasReadStat: hasReadStat)
      return combined.sample.systemNanoseconds.value
    }
    #expect(sum(30) == 40)
    #expect(sum(99, hasReadStat: false) == 40)
    #expect(sum(5, reaped: 30) == 45)
    #expect(sum(0) == 45)
    #expect(sum(20, reaped: 15) == 45)
    #expect(sum(30, reaped: 15) == 55)
  }
}
