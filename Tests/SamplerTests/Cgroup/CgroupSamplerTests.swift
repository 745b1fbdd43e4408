import CMallocCount
import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Cgroups as targets: captured and hand-made trees, and a real one where this machine allows it.
@Suite struct CgroupSamplerTests {
  private func sample(_ name: String, of fixture: String) throws -> Sample {
    let fixture = try Fixture(fixture)
    var sampler = try CgroupSampler(CgroupTarget(name, root: fixture.root), root: fixture.root)
    return sampler.sample()
  }

  // MARK: Figures

  @Test func `a v2 service has CPU time, memory, faults, I/O and processes of itself and below`()
    throws
  {
    let sample = try sample("app-web.service", of: "by-hand/cgroup-v2")
    #expect(sample.name.text == "app-web.service")
    #expect(sample.pid == 0 && !sample.hasEnded && sample.cpuSource == .cgroup)
    #expect(sample.cpuNanoseconds == .value(12_345_678_000))
    #expect(sample.systemNanoseconds == .value(2_345_678_000))
    #expect(sample.cgroupMemoryBytes == .value(1_288_490_188))
    #expect(sample.anonymousBytes == .value(524_288_000))
    #expect(sample.pageTableBytes == .value(3_145_728))
    #expect(sample.swapBytes == .value(4_194_304))
    #expect(sample.residentBytes == .value(524_288_000 + 209_715_200))
    #expect(sample.minorFaults == .value(81_234) && sample.majorFaults == .value(56))
    #expect(sample.readBytes == .value(1_000_024) && sample.writeBytes == .value(2_000_048))
    #expect(sample.threads == .value(9))
    #expect(sample.processes == 3)
    #expect(sample.throttledNanoseconds == .value(2_500_000_000))
  }

  @Test func `use, high and max are of the cgroup that sets the limit, kills of the cgroup itself`()
    throws
  {
    let service = try sample("/app.slice/app-web.service", of: "by-hand/cgroup-v2")
    #expect(service.limitBytes == .value(2_147_483_648) && service.limitSource == .cgroupHigh)
    #expect(service.limitUsedBytes == .value(1_288_490_188 - 314_572_800))
    #expect(service.memoryEvents.high == .value(12) && service.memoryEvents.max == .value(3))
    #expect(service.memoryEvents.oomKills == .value(1))
    #expect(service.usableProcessors == .value(2.5))
    // Below the service its limit holds for what is in it.
    let root = try Fixture("by-hand/cgroup-v2").root
    let location = try CgroupTarget("worker", root: root).location
    var reader = LimitReader(location: location, root: root)
    let limits = reader.read(now: Instant(nanoseconds: 0), affinity: nil)
    #expect(limits.memoryBytes == 2_147_483_648)
    #expect(limits.usedBytes == service.limitUsedBytes && limits.high == .value(12))
    #expect(reader.cgroup.memoryEvents.oomKills == .absent(.unsupported))
  }

  @Test func `a v2 service has the pressure of its own`() throws {
    let pressure = try sample("app-web.service", of: "by-hand/cgroup-v2").pressure
    #expect(pressure.isOfCgroup)
    #expect(pressure.cpuSome == .value(7_000_000) && pressure.cpuFull == .value(1_000_000))
    #expect(pressure.memorySome == .value(300) && pressure.memoryFull == .value(200))
    #expect(pressure.ioSome == .value(5000) && pressure.ioFull == .value(4000))
  }

  @Test func `a v1 container has the figures of its controllers and the machine's pressure`() throws
  {
    let sample = try sample("/docker/0123", of: "by-hand/cgroup-v1-container")
    #expect(sample.cpuNanoseconds == .value(9_876_543_210))
    #expect(sample.systemNanoseconds == .absent(.unsupported))
    #expect(sample.cgroupMemoryBytes == .value(900_000_000))
    #expect(sample.anonymousBytes == .value(500_000_000))
    #expect(sample.residentBytes == .value(550_000_000))
    #expect(sample.swapBytes == .value(8192))
    #expect(sample.minorFaults == .value(777) && sample.majorFaults == .value(5))
    #expect(sample.throttledNanoseconds == .value(123_456_789))
    #expect(sample.limitUsedBytes == .value(650_000_000))
    #expect(sample.memoryEvents.high == .absent(.unsupported))
    #expect(sample.memoryEvents.max == .value(17))
    #expect(sample.memoryEvents.oomKills == .value(2))
    #expect(sample.processes == 3)
    #expect(!sample.pressure.isOfCgroup && sample.pressure.cpuSome == .value(42))
    // A kernel that has no device even in the highest cgroup counts no storage.
    #expect(sample.readBytes == .absent(.unsupported))
    // The file has no line of the kind, and there is no file for memory.
    #expect(sample.pressure.cpuFull == .absent(.unsupported))
    #expect(sample.pressure.memorySome == .absent(.unsupported))
  }

  @Test func `a hybrid job is put together from the hierarchies that have it`() throws {
    let sample = try sample("perfhud-capture/job", of: "linux-6.18/cgroup-hybrid")
    #expect(sample.cpuNanoseconds == .value(4_000_000_000))
    #expect(sample.cgroupMemoryBytes == .value(200_000_000))
    #expect(sample.throttledNanoseconds == .value(5_000_000))
    #expect(sample.limitBytes == .value(268_435_456))
    #expect(sample.usableProcessors == .value(0.5))
  }

  @Test func `a process has the figures of the cgroup that it stands in`() throws {
    var sampler = try Fixture("by-hand/cgroup-v2").sampler()
    let sample = sampler.sample()
    #expect(sample.cgroupMemoryBytes == .value(1_288_490_188))
    #expect(sample.throttledNanoseconds == .value(2_500_000_000))
    #expect(sample.limitUsedBytes == .value(1_288_490_188 - 314_572_800))
    #expect(sample.pressure.isOfCgroup && sample.pressure.ioSome == .value(5000))
    #expect(sample.memoryEvents.high == .value(12))
  }

  @Test func `a reading of a cgroup allocates nothing`() throws {
    let fixture = try Fixture("by-hand/cgroup-v2")
    var sampler = try CgroupSampler(
      CgroupTarget("app-web.service", root: fixture.root), root: fixture.root)
    for _ in 0..<2 { _ = sampler.sample() }
    let before = perfhud_malloc_count()
    _ = sampler.sample()
    #expect(perfhud_malloc_count() == before)
  }

  @Test func `processes of a cgroup are counted beyond the first page of their file`() throws {
    let tree = try TemporaryTree(copyOf: Fixture("by-hand/cgroup-v2"))
    let text = (0..<5000).map { "\(100_000 + $0)\n" }.joined()
    try tree.write(text, to: "sys/fs/cgroup/app.slice/app-web.service/worker/cgroup.procs")
    let target = try CgroupTarget("app-web.service", root: tree.root)
    var sampler = try CgroupSampler(target, root: tree.root)
    let sample = sampler.sample()
    #expect(sample.processes == 5002 && sample.countsAllProcesses)
  }

  @Test func `with more cgroups below than are looked at the count is not all`() throws {
    let tree = try TemporaryTree(copyOf: Fixture("by-hand/cgroup-v2"))
    let directory = tree.root.dropLast("/proc".count) + "/sys/fs/cgroup/app.slice/app-web.service"
    for index in 0..<300 {
      #expect(unsafe mkdir("\(directory)/\(index)", 0o755) == 0)
    }
    let target = try CgroupTarget("app-web.service", root: tree.root)
    var sampler = try CgroupSampler(target, root: tree.root)
    let sample = sampler.sample()
    #expect(!sample.countsAllProcesses)
  }

  @Test func `of a cgroup no list of processes is made`() throws {
    let root = try Fixture("by-hand/cgroup-v2").root
    let cgroup = try CgroupSampler(CgroupTarget("app-web.service", root: root), root: root)
    var sampler = TargetSampler(cgroup, isFollowed: false)
    sampler.setTable(ProcessTableRequest(.processes))
    _ = sampler.sample()
    var buffer = ProcessTableBuffer()
    let hasList = sampler.readTable(into: &buffer)
    #expect(!hasList)
  }

  // MARK: Names

  @Test(arguments: [
    ("app-web.service", "/app.slice/app-web.service"), ("app-web", "/app.slice/app-web.service"),
    ("/app.slice", "/app.slice"), ("app.slice/app-web.service/", "/app.slice/app-web.service"),
    ("/sys/fs/cgroup/app.slice", "/app.slice"), ("/sys/fs/cgroup", "/"), ("app", "/app.slice"),
    ("worker", "/app.slice/app-web.service/worker"),
  ])
  func `a cgroup is found by`(text: String, path: String) throws {
    #expect(try CgroupTarget(text, root: Fixture("by-hand/cgroup-v2").root).path == path)
  }

  @Test(arguments: ["nothing", "/app.slice/none", "../etc", "app.slice/../x", ""])
  func `there is no cgroup called`(text: String) throws {
    let root = try Fixture("by-hand/cgroup-v2").root
    let error = #expect(throws: SamplerError.self) { _ = try CgroupTarget(text, root: root) }
    #expect(error == .noSuchCgroup(text))
    #expect(error?.description.contains("systemd-cgls") == true)
  }

  @Test func `two units of a name are told by their paths`() throws {
    let root = try Fixture("linux-6.18/cgroup-hybrid").root
    let error = #expect(throws: SamplerError.self) { _ = try CgroupTarget("web", root: root) }
    let paths = ["/system.slice/web.service", "/user.slice/user-1.slice/web.service"]
    #expect(error == .severalCgroups("web", paths))
    #expect(error?.description.contains("/system.slice/web.service") == true)
  }

  @Test func `a cgroup without CPU and memory says so`() throws {
    let root = try Fixture("linux-6.18/cgroup-hybrid").root
    let target = try CgroupTarget("db", root: root)
    let error = #expect(throws: SamplerError.self) { _ = try CgroupSampler(target, root: root) }
    #expect(error == .cgroupWithoutMetrics("/system.slice/db.service"))
  }

  @Test func `without a mounted hierarchy the error says how to mount one`() throws {
    let root = try Fixture("linux-6.18/name-empty").root
    let error = #expect(throws: SamplerError.self) { _ = try CgroupTarget("x", root: root) }
    #expect(error == .noCgroups)
  }

  // MARK: A real one

  @Test func `a real cgroup: CPU time to the millisecond, a process more, and its end`() throws {
    guard let made = RealCgroup() else {
      withKnownIssue("no cgroup may be made on this machine") { Issue.record("not tested") }
      return
    }
    let target = try CgroupTarget(made.path)
    var sampler = try CgroupSampler(target)
    #expect(sampler.sample().processes == 0)
    let load = try Load()
    try made.add(load.pid)
    try waitUntil("the first process") { sampler.sample().processes == 1 }
    let other = try Load()
    try made.add(other.pid)
    try waitUntil("the second process") { sampler.sample().processes == 2 }
    other.signal(SIGKILL)
    _ = try other.wait()
    try waitUntil("its end") { sampler.sample().processes == 1 }
    let before = try #require(sampler.sample().cpuNanoseconds.value)
    let truth = try load.command("burn 100")
    let after = sampler.sample()
    let used = Double(try #require(after.cpuNanoseconds.value) - before)
    #expect(used > Double(truth[2]) * 0.8 && used < Double(truth[2]) + 200e6)
    #expect(!after.hasEnded)
    load.signal(SIGKILL)
    _ = try load.wait()
    try waitUntil("the removal") { () throws(ToolError) in made.remove() }
    let last = sampler.sample()
    #expect(last.hasEnded && last.cpuNanoseconds.value ?? 0 >= after.cpuNanoseconds.value ?? .max)
  }

  @Test func `a real cgroup that is made anew is followed, with the next number`() throws {
    guard let made = RealCgroup() else {
      withKnownIssue("no cgroup may be made on this machine") { Issue.record("not tested") }
      return
    }
    let thread = try SamplerThread(
      cgroup: CgroupTarget(made.path), isFollowed: true,
      options: SamplerOptions(intervalNanoseconds: 20_000_000))
    try thread.start()
    var samples: [Sample] = []
    func wait(_ condition: (Sample) -> Bool) throws {
      try waitUntil("the sample") { () throws(ToolError) in
        thread.acknowledge()
        while let sample = thread.next() {
          samples.append(sample)
          if condition(sample) { return true }
        }
        return false
      }
    }
    try wait { $0.sequence == 2 }
    #expect(made.remove())
    try wait { $0.hasEnded }
    #expect(made.make())
    try wait { $0.targetNumber == 1 && !$0.hasEnded }
    #expect(samples.map(\.sequence) == (0..<UInt32(samples.count)).map { $0 })
    thread.stop()
  }
}

/// A cgroup at the root of a hierarchy that counts CPU time; removed at its end.
private final class RealCgroup {
  let path: String
  private let directory: String

  init?() {
    path = "/perfhud-test-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let candidates = [
      "/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/unified",
      "/sys/fs/cgroup",
    ]
    guard let root = candidates.first(where: { unsafe access("\($0)/cgroup.procs", W_OK) == 0 })
    else { return nil }
    directory = root + path
    guard make() else { return nil }
  }

  deinit { remove() }

  func make() -> Bool { unsafe mkdir(directory, 0o755) == 0 }

  @discardableResult
  func remove() -> Bool { unsafe rmdir(directory) == 0 }

  func add(_ pid: Int) throws {
    let file = try Descriptor(open: "\(directory)/cgroup.procs", .writeOnly)
    let text = Array("\(pid)".utf8)
    try unsafe text.withUnsafeBytes { try unsafe file.writeAll($0) }
  }
}
