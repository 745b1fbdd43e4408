import CMallocCount
import PerfHUDBase
import Testing

@testable import Sampler

@Suite struct CgroupTests {
  @Test func `a v2 service has the least limit of itself and its slice`() throws {
    let limits = try Fixture("by-hand/cgroup-v2").limits()
    #expect(limits.memoryBytes == 2_147_483_648)
    #expect(limits.memorySource == .cgroupHigh)
    // 250 ms of each 100 ms, within 8 of the 16 processors that are there.
    #expect(limits.processors == 2.5)
  }

  @Test func `a v1 container whose cgroup is mounted as the root finds its limit there`() throws {
    let limits = try Fixture("by-hand/cgroup-v1-container").limits()
    #expect(limits.memoryBytes == 1_073_741_824)
    #expect(limits.memorySource == .cgroupMax)
    // No quota; 4 processors of cpuset.cpus, below a mount point with a space in its name.
    #expect(limits.processors == 4)
  }

  @Test func `on a host with v1 and v2 the limits of v1 and of its ancestors count`() throws {
    let limits = try Fixture("linux-6.18/cgroup-hybrid").limits()
    #expect(limits.memoryBytes == 268_435_456)
    #expect(limits.memorySource == .cgroupMax)
    #expect(limits.processors == 0.5)
  }

  @Test func `a cgroup outside of the namespace leaves the machine's memory and processors`() throws
  {
    let limits = try Fixture("by-hand/no-limits").limits()
    #expect(limits.memoryBytes == 16_384_000_000)
    #expect(limits.memorySource == .physical)
    #expect(limits.processors == 16)
  }

  @Test func `a tree with a process alone leaves its affinity to 1 processor`() throws {
    #expect(try Fixture("linux-6.18/name-empty").limits() == ResourceLimits(processors: 1))
  }

  @Test func `limits are taken again when the process stands in another cgroup after 5 s`() throws {
    let copy = try TemporaryTree(copyOf: Fixture("by-hand/cgroup-v2"))
    let directory = try ProcDirectory.ofProcess(copy.pid, root: copy.root)
    var reader = LimitReader(directory: directory, root: copy.root, ownLimitPid: nil)
    let start = Instant(nanoseconds: 1)
    #expect(reader.read(now: start, affinity: nil).memoryBytes == 2_147_483_648)
    try copy.write("0::/app.slice\n", to: "proc/\(copy.pid)/cgroup")
    let soon = start.advanced(bySeconds: 4.9)
    #expect(reader.read(now: soon, affinity: nil).memoryBytes == 2_147_483_648)
    let later = start.advanced(bySeconds: 5)
    var hasMoved = [reader.hasMoved]
    #expect(reader.read(now: later, affinity: nil).memoryBytes == 4_294_967_296)
    hasMoved.append(reader.hasMoved)
    _ = reader.read(now: later.advanced(bySeconds: 6), affinity: nil)
    hasMoved.append(reader.hasMoved)
    #expect(hasMoved == [false, true, false])
  }

  @Test func `the kill of a process counts among the memory events of its last sample`() throws {
    let copy = try TemporaryTree(copyOf: Fixture("by-hand/cgroup-v2"))
    var sampler = try ProcessSampler(pid: copy.pid, root: copy.root)
    let before = sampler.sample()
    #expect(!before.hasEnded && before.memoryEvents.oomKills == .value(1))
    let events = "sys/fs/cgroup/app.slice/app-web.service/memory.events"
    try copy.write("low 0\nhigh 12\nmax 4\noom 2\noom_kill 2\n", to: events)
    try copy.write("0 0 0 0 0 0 0\n", to: "proc/\(copy.pid)/statm")
    let fields = "1 1 1 0 -1 0" + String(repeating: " 0", count: 10) + " 0 0 1 0 225121"
    try copy.write(
      "\(copy.pid) (load) Z \(fields)" + String(repeating: " 0", count: 30) + "\n",
      to: "proc/\(copy.pid)/stat")
    sampler.noteExit()
    let last = sampler.sample()
    #expect(last.hasEnded)
    #expect(last.memoryEvents.oomKills == .value(2))
  }

  @Test func `looking after 5 s whether the process has moved allocates nothing`() throws {
    let fixture = try Fixture("by-hand/cgroup-v2")
    let directory = try ProcDirectory.ofProcess(fixture.pid, root: fixture.root)
    var reader = LimitReader(directory: directory, root: fixture.root, ownLimitPid: nil)
    for seconds in [1.0, 2] {
      _ = reader.read(now: Instant(nanoseconds: 0).advanced(bySeconds: seconds), affinity: nil)
    }
    let before = perfhud_malloc_count()
    let limits = reader.read(now: Instant(nanoseconds: 9_000_000_000), affinity: nil)
    #expect(perfhud_malloc_count() == before)
    #expect(limits.memoryBytes == 2_147_483_648)
  }

  @Test func `a limit that changes is seen after 5 s, and other processors at once`() throws {
    let copy = try TemporaryTree(copyOf: Fixture("by-hand/cgroup-v2"))
    let directory = try ProcDirectory.ofProcess(copy.pid, root: copy.root)
    var reader = LimitReader(directory: directory, root: copy.root, ownLimitPid: nil)
    let now = Instant(nanoseconds: 1)
    _ = reader.read(now: now, affinity: nil)
    try copy.write("1048576\n", to: "sys/fs/cgroup/app.slice/app-web.service/memory.max")
    let soon = reader.read(now: now.advanced(bySeconds: 4), affinity: nil)
    #expect(soon.memoryBytes != 1_048_576)
    let limits = reader.read(now: now.advanced(byNanoseconds: 4_999_800_000), affinity: nil)
    #expect(limits.memoryBytes == 1_048_576)
    #expect(limits.memorySource == .cgroupMax)
    let one = processors(Array("0".utf8))
    let bound = reader.read(now: now.advanced(bySeconds: 6), affinity: one)
    #expect(bound.processors == 1 && limits.processors != 1)
  }

  @Test func `a limit that was raised when the use came near it is read at once`() throws {
    let copy = try TemporaryTree(copyOf: Fixture("by-hand/cgroup-v2"))
    let directory = try ProcDirectory.ofProcess(copy.pid, root: copy.root)
    let group = "sys/fs/cgroup/app.slice/app-web.service"
    try copy.write("1000000\n", to: "\(group)/memory.max")
    try copy.write("1000\n", to: "\(group)/memory.current")
    var reader = LimitReader(directory: directory, root: copy.root, ownLimitPid: nil)
    let now = Instant(nanoseconds: 1)
    #expect(reader.read(now: now, affinity: nil).memoryBytes == 1_000_000)
    try copy.write("1200000\n", to: "\(group)/memory.max")
    try copy.write("1100000\n", to: "\(group)/memory.current")
    try copy.write("anon 0\ninactive_file 0\n", to: "\(group)/memory.stat")
    let limits = reader.read(now: now.advanced(bySeconds: 1), affinity: nil)
    #expect(limits.memoryBytes == 1_200_000)
    #expect(limits.usedBytes == .value(1_100_000))
  }

  @Test func `lines of proc PID cgroup are told apart by controllers and hierarchy`() {
    let text = """
      9:name=systemd:/
      4:cpu,cpuacct:/a:b
      0::/x (deleted)
      nonsense
      1:memory:relative
      """
    #expect(
      CgroupMembership.parse(text) == [
        CgroupMembership(controllers: ["name=systemd"], isUnified: false, path: "/"),
        CgroupMembership(controllers: ["cpu", "cpuacct"], isUnified: false, path: "/a:b"),
        CgroupMembership(controllers: [], isUnified: true, path: "/x (deleted)"),
      ])
  }

  @Test func `mountinfo gives the cgroup mounts, with and without optional fields`() {
    let text = """
      22 27 0:21 / /proc rw,relatime - proc proc rw
      35 31 0:32 /docker/1 /sys/fs/cgroup/a\\040b rw shared:9 master:1 - cgroup cgroup rw,memory
      41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw
      cut off -
      """
    #expect(
      CgroupMount.parse(text) == [
        CgroupMount(
          controllers: ["rw", "memory"], isUnified: false, root: "/docker/1",
          point: "/sys/fs/cgroup/a b"),
        CgroupMount(controllers: ["rw"], isUnified: true, root: "/", point: "/sys/fs/cgroup"),
      ])
  }

  @Test func `a path below the mounted root has its ancestors up to the mount point`() {
    let mount = CgroupMount(controllers: [], isUnified: true, root: "/docker", point: "/m")
    #expect(mount.directories(of: "/docker/a/b") == ["/m/a/b", "/m/a", "/m"])
    #expect(mount.directories(of: "/docker") == ["/m"])
    #expect(mount.directories(of: "/dockerish").isEmpty)
    #expect(mount.directories(of: "/docker/../x").isEmpty)
  }

  @Test func `the v1 limit 9223372036854771712 is none`() {
    let bytes = Array("9223372036854771712\n".utf8)
    guard case .nothing = unsafe LimitFile.parse(bytes.span.bytes, kind: .memoryV1) else {
      Issue.record("taken for a limit")
      return
    }
  }
}
