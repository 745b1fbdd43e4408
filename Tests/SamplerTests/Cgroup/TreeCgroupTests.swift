import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// A tree that has a cgroup for itself.
@Suite(.serialized) struct TreeCgroupTests {
  /// A v2 cgroup of the machine, gone with its owner.
  private final class Cgroup {
    let path: String
    static let canBeMade = Cgroup("probe") != nil

    /// - Returns: `nil` where the machine lets nobody make one.
    init?(_ name: String) {
      let text = (try? readFile("/proc/self/mountinfo", limit: 1 << 24)) ?? []
      let mounts = CgroupMount.parse(String(decoding: text, as: UTF8.self))
      guard let mount = mounts.first(where: \.isUnified) else { return nil }
      path = "\(mount.point)/perfhud-test-\(name)-\(getpid())"
      guard unsafe mkdir(path, 0o755) == 0 else { return nil }
    }

    deinit {
      for _ in 0..<100 where unsafe rmdir(path) != 0 { usleep(20_000) }
    }

    /// A command in the cgroup.
    func start(_ command: [String]) throws(ToolError) -> RunningTool {
      try RunningTool(
        ["sh", "-c", "echo $$ > \"$0/cgroup.procs\" && exec \"$@\"", path] + command)
    }

    /// CPU time of all that ever were in it, in nanoseconds.
    var usage: UInt64 {
      parse((try? readFile("\(path)/cpu.stat")) ?? [], as: CgroupUsageFields.self)?.nanoseconds ?? 0
    }
  }

  @Test(
    .enabled(if: Cgroup.canBeMade, "needs a v2 hierarchy that may be written"),
    arguments: ["orphan", "ignore"])
  func `in a cgroup of its own nothing of a storm is lost, whoever waits`(kind: String) throws {
    let cgroup = try #require(Cgroup(kind))
    let tool = try cgroup.start([Products.path("perfhud-load"), "storm", "200", "--kind", kind])
    #expect(try tool.readLine() == "ready \(tool.pid)")
    var sampler = try ProcessSampler(
      pid: Int32(tool.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    let first = try #require(sampler.sample().cpuNanoseconds.value)
    // Two looks that agree, before it begins.
    _ = sampler.sample()
    let before = cgroup.usage
    try tool.send("go")
    var line: String?
    let deadline = Instant.now().advanced(bySeconds: 60)
    while line == nil, Instant.now() < deadline {
      _ = sampler.sample()
      line = (try? tool.readLine(deadline: 0.1)) ?? nil
    }
    #expect(line?.hasPrefix("ok") == true, "\(tool.stderr)")
    let last = sampler.sample()
    let truth = Double(cgroup.usage - before)
    let measured = Double(try #require(last.cpuNanoseconds.value) - first)
    #expect(measured >= 0.999 * truth - 10e6)
    #expect(measured <= truth + 50e6)
    #expect(last.unknownEnds == 0)
  }

  @Test(.enabled(if: Cgroup.canBeMade, "needs a v2 hierarchy that may be written"))
  func `a cgroup with an older process in it is not the tree's`() throws {
    let cgroup = try #require(Cgroup("shared"))
    let older = try cgroup.start(["sleep", "60"])
    try waitUntil("it is in the cgroup") {
      (try? readFile("\(cgroup.path)/cgroup.procs"))?.isEmpty == false
    }
    // The start of a process is told in ticks of 10 ms: the next one is to be in a later tick.
    let start = try ProcessFacts(pid: Int32(older.pid)).target.startTicks
    try waitUntil("a later tick") {
      (readClock(CLOCK_BOOTTIME) ?? 0) / KernelUnits().tickNanoseconds > start + 1
    }
    let tool = try cgroup.start([Products.path("perfhud-load"), "serve"])
    #expect(try tool.readLine() == "ready \(tool.pid)")
    var tree = try ProcessTree(
      pid: Int32(tool.pid), usesClock: true, units: KernelUnits(), root: "/proc")
    let hasCgroup = tree.cgroup != nil
    #expect(hasCgroup)
    for _ in 0..<3 {
      _ = tree.begin(now: .now())
      _ = tree.read(readsStat: true)
      _ = tree.end(hasReadStat: true, now: .now())
      let isExact = tree.cgroup?.isExact
      #expect(isExact == false)
    }
    older.signal(SIGKILL)
  }

  @Test(.enabled(if: Cgroup.canBeMade, "needs a v2 hierarchy that may be written"))
  func `a cgroup with another one below it is not the tree's`() throws {
    let cgroup = try #require(Cgroup("outer"))
    let tool = try cgroup.start([Products.path("perfhud-load"), "serve"])
    #expect(try tool.readLine() == "ready \(tool.pid)")
    var tree = try ProcessTree(
      pid: Int32(tool.pid), usesClock: true, units: KernelUnits(), root: "/proc")
    func isExact(_ tree: inout ProcessTree) -> Bool {
      for step in 0..<2 {
        _ = tree.begin(now: .now())
        _ = tree.read(readsStat: true)
        // Each look comes a second after the one before.
        let now = Instant.now().advanced(byNanoseconds: Int64(step) * 2_000_000_000)
        _ = tree.end(hasReadStat: true, now: now)
      }
      return tree.cgroup?.isExact ?? false
    }
    let wasExact = isExact(&tree)
    #expect(wasExact)
    let inner = "\(cgroup.path)/inner"
    #expect(unsafe mkdir(inner, 0o755) == 0)
    defer { unsafe rmdir(inner) }
    var second = try ProcessTree(
      pid: Int32(tool.pid), usesClock: true, units: KernelUnits(), root: "/proc")
    let isStillExact = isExact(&second)
    #expect(!isStillExact)
  }

  @Test func `the directory is that of the cgroup, v2 before v1, and none at the root`() {
    let mounts = CgroupMount.parse(
      """
      30 24 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
      31 24 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
      """)
    func path(_ text: String) -> String? {
      TreeCgroup.path(memberships: CgroupMembership.parse(text), mounts: mounts)?.directory
    }
    #expect(path("4:cpu,cpuacct:/a\n0::/b/c\n") == "/sys/fs/cgroup/unified/b/c")
    #expect(path("4:cpu,cpuacct:/a\n0::/\n") == "/sys/fs/cgroup/cpu,cpuacct/a")
    #expect(path("4:cpu,cpuacct:/\n0::/\n") == nil)
    #expect(path("4:memory:/a\n") == nil)
  }

  @Test(arguments: [("usage_usec 12345\nuser_usec 1\n", 12_345_000), ("987654321\n", 987_654_321)])
  func `CPU time of v2 in microseconds, of v1 in nanoseconds`(text: String, nanoseconds: UInt64) {
    #expect(parse(text, as: CgroupUsageFields.self)?.nanoseconds == nanoseconds)
  }
}
