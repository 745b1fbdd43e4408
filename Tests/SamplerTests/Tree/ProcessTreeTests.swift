import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Which processes belong to trees that come and go while the test runs.
@Suite struct ProcessTreeTests {
  @Test func `children and grandchildren that are there at the attach are counted`() throws {
    let shell = try readyShell("sh -c 'sleep 61 & sleep 62 & echo ready; wait' & wait")
    var sampler = try treeSampler(shell.pid)
    try waitUntil("4 processes") { sampler.sample().processes == 4 }
    let sample = sampler.sample()
    #expect(sample.threads == .value(4))
    #expect(sample.pid == Int32(shell.pid))
    #expect(sample.leftOutProcesses == 0)
    var alone = try ProcessSampler(pid: Int32(shell.pid))
    let single = alone.sample()
    #expect(single.processes == 1)
    #expect(sample.residentBytes.value ?? 0 > 2 * (single.residentBytes.value ?? .max))
    _ = try Tool.run(["pkill", "-P", "\(shell.pid)"])
  }

  @Test func `a child is counted when it is born and when it has ended`() throws {
    let load = try Load()
    var sampler = try treeSampler(load.pid)
    #expect(sampler.sample().processes == 1)
    let child = Int32(try load.command("child")[0])
    try waitUntil("2 processes") { sampler.sample().processes == 2 }
    kill(child, SIGKILL)
    // A zombie uses nothing, and it is not one of the processes.
    try waitUntil("1 process") { sampler.sample().processes == 1 }
    try load.command("reap")
    #expect(sampler.sample().processes == 1)
  }

  @Test func `an orphan stays as long as it lives, and its CPU time after that`() throws {
    let shell = try readyShell(
      "exec 3<&0; sh -c 'perl -e \"\\$|=1; \\$n=0; \\$n++ while times < 0.3; "
        + "print qq(burnt \\$\\$\\n); sleep 60\" & read line' <&3 & echo ready; wait; echo alone; read x"
    )
    var sampler = try treeSampler(shell.pid)
    let burnt = try #require(try shell.readLine(deadline: 20))
    let orphan = try #require(Int32(burnt.dropFirst(6)))
    sampler.setTable(ProcessTableRequest(.processes))
    var buffer = ProcessTableBuffer()
    // With its parent, which ends then.
    #expect(sampler.sample().processes == 3)
    sampler.readTable(into: &buffer)
    #expect(buffer.table().rows.count == 3 && buffer.table().rows.allSatisfy { !$0.isOrphan })
    try shell.send("end")
    #expect(try shell.readLine(deadline: 20) == "alone")
    let sample = sampler.sample()
    #expect(sample.processes == 2)
    let cpu = try #require(sample.cpuNanoseconds.value)
    #expect(cpu > 300_000_000 - 20_000_000)
    // It sleeps, so its parent is read rarely.
    try waitUntil("the mark of the orphan") {
      _ = sampler.sample()
      sampler.readTable(into: &buffer)
      return buffer.table().rows.filter(\.isOrphan).map(\.pid) == [orphan]
    }
    kill(orphan, SIGKILL)
    try waitUntil("its end") { sampler.sample().processes == 1 }
    #expect(sampler.sample().cpuNanoseconds.value ?? 0 >= cpu)
  }

  @Test func `a process that nobody saw with its parent is found by a session started here`() throws
  {
    // As below an overlay: the leader of the session is a child of this process, the command is its
    // child, and the parent of the sleeping process has ended at once.
    let command = "sh -c '(sleep 60 & echo $!); read x' <&3"
    let leader = try RunningTool(["setsid", "sh", "-c", "exec 3<&0; \(command) & echo $!; wait"])
    let numbers = try [leader.readLine(), leader.readLine()].compactMap { $0.flatMap { Int32($0) } }
    let stats = try numbers.map { pid in
      try #require(parse(readFile("/proc/\(pid)/stat"), as: StatFields.self))
    }
    let root = try #require(stats.first { $0.parent == Int32(leader.pid) }?.pid)
    let orphan = try #require(numbers.first { $0 != root })
    defer { kill(orphan, SIGKILL) }
    try waitUntil("the end of its parent") { (try? ProcessFacts(pid: orphan))?.parent != root }
    try waitUntil("an orphan") {
      let parent = (try? ProcessFacts(pid: orphan))?.parent ?? 0
      return (try? ProcessFacts(pid: parent))?.parent != root
    }
    var sampler = try treeSampler(Int(root))
    // The root and the orphan; not the leader.
    #expect(sampler.sample().processes == 2)
    kill(orphan, SIGKILL)
    try waitUntil("its end") { sampler.sample().processes == 1 }
    #expect(!sampler.sample().hasEnded)
  }

  @Test func `a session that was not started here tells nothing`() throws {
    // The leader is not a child of this process but a grandchild, as the shell of a terminal.
    let shell = try RunningTool([
      "sh", "-c",
      "setsid --fork sh -c 'sleep 61 & echo $!; sleep 62 & echo $!; read x; wait' <&0; read x",
    ])
    let numbers = try [shell.readLine(), shell.readLine()].compactMap { $0.flatMap { Int32($0) } }
    defer { for number in numbers { kill(number, SIGKILL) } }
    var sampler = try treeSampler(Int(try #require(numbers.first)))
    #expect(sampler.sample().processes == 1)
  }

  @Test func `the process that samples is no descendant, and neither is what it started`() throws {
    let sleep = try RunningTool(["sleep", "60"])
    var sampler = try treeSampler(Int(getppid()))
    let children = try Tool.run(["pgrep", "-P", "\(getppid())"]).lines.compactMap { Int32($0) }
    #expect(children.contains(getpid()))
    // The parent itself, and its children without this one; for a moment also orphans of other tests that this process
    // takes over.
    try waitUntil("the parent's own") { Int(sampler.sample().processes) <= children.count }
    sleep.signal(SIGKILL)
  }

  @Test func `the end of the root ends the sample, and the CPU time is that of all`() throws {
    let load = try Load()
    for _ in 0..<3 { try load.command("child") }
    var sampler = try treeSampler(load.pid)
    let before = sampler.sample()
    #expect(before.processes == 4)
    let truth = try load.command("burn-child 150")
    try load.command("exit 0")
    // It has not been waited for: its stat still tells what its children used.
    try waitUntil("the zombie") { sampler.sample().hasEnded }
    let ended = sampler.sample()
    #expect(ended.state == .zombie)
    // The memory that all of them had, not that of those that may outlive it.
    #expect(ended.processes > 1)
    #expect(ended.residentBytes.value ?? 0 > (before.residentBytes.value ?? .max) / 2)
    let difference = (ended.cpuNanoseconds.value ?? 0) - (before.cpuNanoseconds.value ?? 0)
    #expect(Double(difference) > Double(truth[2]) - 20e6)
    #expect(sampler.sample().sequence == ended.sequence)
  }

  @Test func `a command that has ended before the attach has an ended sample with its CPU time`()
    throws
  {
    let load = try Load()
    let truth = try load.command("burn-child 100")
    try load.command("exit 0")
    try waitUntil("the zombie") { (try? ProcessFacts(pid: Int32(load.pid)))?.state == .zombie }
    for includesChildren in [false, true] {
      var sampler = try ProcessSampler(
        pid: Int32(load.pid), options: SamplerOptions(includesChildren: includesChildren))
      let sample = sampler.sample()
      #expect(sample.hasEnded)
      #expect(sample.residentBytes == .absent(.ended))
      let cpu = Double(try #require(sample.cpuNanoseconds.value))
      #expect((cpu > Double(truth[2]) - 20e6) == includesChildren)
    }
  }

  @Test func `a thread of its own delivers the ended sample of a command that has ended`() throws {
    let load = try Load()
    try load.command("exit 0")
    try waitUntil("the zombie") { (try? ProcessFacts(pid: Int32(load.pid)))?.state == .zombie }
    let thread = try SamplerThread(
      pid: Int32(load.pid), options: SamplerOptions(includesChildren: true))
    #expect(thread.next()?.hasEnded == true)
    try thread.start()
    thread.stop()
  }

  @Test func `600 children: all are read, more than descriptors are held for`() throws {
    let tool = try RunningTool([Products.path("perfhud-load"), "processes", "600"])
    #expect(try tool.readLine(deadline: 30) == "ready \(tool.pid)")
    var tree = try ProcessTree(
      pid: Int32(tool.pid), usesClock: true, units: KernelUnits(), root: "/proc",
      heldLimit: 100)
    var sums: [UInt64] = []
    for _ in 0..<3 {
      _ = tree.begin(now: .now())
      _ = tree.read(readsStat: true)
      let totals = tree.end(hasReadStat: true)
      #expect(totals.processes == 600)
      sums.append(totals.anonymousPages)
    }
    #expect(tree.leftOut == 0)
    #expect(tree.held == 100)
    #expect(sums[0] > 600)
    let child = try #require(TestSupport.ProcessTable.tree(tool.pid).last)
    kill(Int32(child.pid), SIGKILL)
    try waitUntil("a zombie") {
      _ = tree.begin(now: .now())
      _ = tree.read(readsStat: true)
      return tree.end(hasReadStat: true).processes == 599
    }
  }

  @Test func `a process of others is looked at once, and a child born behind it is found`() throws {
    let load = try Load()
    var tree = try ProcessTree(
      pid: Int32(load.pid), usesClock: true, units: KernelUnits(), root: "/proc")
    for _ in 0..<2 { _ = tree.begin(now: .now()) }
    let sleep = try RunningTool(["sleep", "60"])
    _ = tree.begin(now: .now())
    let others = tree.discovery.knownOutsiders
    // Behind the end of the numbers its parent may be one of those to come.
    let settled = tree.discovery.settledPid
    #expect(others.contains(Int32(sleep.pid)) || getpid() > settled)
    let child = Int32(try load.command("child")[0])
    _ = tree.begin(now: .now())
    let pids = tree.pids
    #expect(pids == [child])
    for _ in 0..<2 { _ = tree.begin(now: .now()) }
    let rest = tree.discovery.knownOutsiders
    #expect(!rest.contains(Int32(sleep.pid)))
  }

  @Test func `without sampling children nothing of them is counted`() throws {
    let load = try Load()
    try load.command("child")
    var sampler = try ProcessSampler(pid: Int32(load.pid))
    #expect(sampler.sample().processes == 1)
  }
}
