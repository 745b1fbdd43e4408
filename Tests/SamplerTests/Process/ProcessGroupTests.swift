import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Process groups: jobs of a shell, and the shell without its jobs.
@Suite(.serialized) struct ProcessGroupTests {
  /// A shell with job control, without a terminal, in a group of its own; it runs the lines that it is
  /// sent.
  private func shell() throws -> RunningTool {
    let tool = try RunningTool([
      "setsid", "bash", "--norc", "-c", "set -m; while read -r line; do eval \"$line\"; done",
    ])
    try tool.send("echo ready")
    #expect(try tool.readLine() == "ready")
    return tool
  }

  /// Runs a job in the background; its group has the number of its first process.
  private func start(_ job: String, in shell: RunningTool) throws -> [Int32] {
    try shell.send("\(job) & jobs -p %%; echo $!")
    return try [shell.readLine(), shell.readLine()].compactMap { $0.flatMap { Int32($0) } }
  }

  private func sampler(_ group: ProcessGroup) throws -> ProcessSampler {
    try ProcessSampler(
      pid: try #require(group.representative(root: "/proc")),
      options: SamplerOptions(
        statEverySample: true, pss: .onDemand, includesChildren: true, group: group))
  }

  @Test func `all members of a pipeline count, whose parent is the shell`() throws {
    let shell = try shell()
    let job = try start("sleep 61 | sleep 62 | sleep 63", in: shell)
    defer { kill(-job[0], SIGKILL) }
    var sampler = try sampler(ProcessGroup(job[0], includesOtherGroups: true))
    try waitUntil("3 processes") { sampler.sample().processes == 3 }
    #expect(sampler.sample().pid == job[0])
  }

  @Test func `a descendant in a session of its own counts with a job`() throws {
    let shell = try shell()
    let job = try start("(setsid -w sleep 61; true)", in: shell)
    try waitUntil("a session of its own") {
      TestSupport.ProcessTable.tree(Int(job[0])).contains {
        $0.pid != Int(job[0]) && $0.session == $0.pid
      }
    }
    var whole = try sampler(ProcessGroup(job[0], includesOtherGroups: true))
    #expect(whole.sample().processes == 2)
    var alone = try sampler(ProcessGroup(job[0], includesOtherGroups: false))
    #expect(alone.sample().processes == 1)
    _ = try Tool.run(["pkill", "-P", "\(job[0])"])
  }

  @Test func `without its leader the oldest one that lives stands for the group`() throws {
    let shell = try shell()
    let job = try start("true | sleep 61", in: shell)
    defer { kill(-job[0], SIGKILL) }
    let group = ProcessGroup(job[0], includesOtherGroups: true)
    try waitUntil("the end of the leader") { group.representative(root: "/proc") == job[1] }
    var sampler = try sampler(group)
    #expect(sampler.sample().processes == 1)
    kill(job[1], SIGKILL)
    try waitUntil("the end") { group.representative(root: "/proc") == nil }
  }

  @Test func `the group of a shell is without its jobs, and without what they used`() throws {
    let shell = try shell()
    var sampler = try sampler(ProcessGroup(Int32(shell.pid), includesOtherGroups: false))
    let before = try #require(sampler.sample().cpuNanoseconds.value)
    let job = try start(
      "perl -e '$|=1; $n++ while times < 0.4; print qq(burnt\\n); sleep 60'", in: shell)
    #expect(sampler.sample().processes == 1)
    #expect(try shell.readLine(deadline: 30) == "burnt")
    kill(-job[0], SIGKILL)
    try shell.send("wait; echo waited")
    while try shell.readLine(deadline: 30) != "waited" {}
    let after = try #require(sampler.sample().cpuNanoseconds.value)
    #expect(after - before < 300_000_000)
  }

  @Test func `a process that leaves the group of the shell is out of it`() throws {
    // In a session of its own: that of the tests has members of other tests.
    let shell = try RunningTool([
      "setsid", "perl", "-e",
      "$|=1; unless ($p = fork) { <STDIN>; setpgrp; print qq(left\\n); sleep 60 } "
        + "print qq($p\\n); wait; sleep 60",
    ])
    let child = try #require(try shell.readLine().flatMap { Int32($0) })
    defer { kill(child, SIGKILL) }
    let own = try #require(parse(readFile("/proc/\(shell.pid)/stat"), as: StatFields.self)).group
    let group = ProcessGroup(own, includesOtherGroups: false)
    var sampler = try ProcessSampler(
      pid: Int32(shell.pid),
      options: SamplerOptions(
        statEverySample: true, pss: .onDemand, includesChildren: true, group: group))
    try waitUntil("the child") { sampler.sample().processes == 2 }
    try shell.send("go")
    #expect(try shell.readLine() == "left")
    try waitUntil("without the child") { sampler.sample().processes == 1 }
  }

  // MARK: The thread

  private func thread(
    _ pid: Int32, interval: UInt64 = 20_000_000
  ) throws -> SamplerThread {
    let thread = try SamplerThread(
      pid: pid,
      options: SamplerOptions(
        intervalNanoseconds: interval, provisionalFirst: false, pss: .onDemand,
        includesChildren: true, group: ProcessGroup(pid, includesOtherGroups: false)),
      isRetargeted: true)
    try thread.start()
    return thread
  }

  @Test func `another target: its number, its pid, and the sequence goes on`() throws {
    let shell = try shell()
    let job = try start("sleep 61", in: shell)
    defer { kill(-job[0], SIGKILL) }
    let thread = try thread(Int32(shell.pid))
    let before = try wait(for: thread) { $0.sequence == 2 }
    #expect(before.targetNumber == 0)
    thread.request(.retarget(ProcessGroup(job[0], includesOtherGroups: true), number: 1))
    var last = before
    let sample = try wait(for: thread) { sample in
      #expect(sample.sequence == last.sequence + 1)
      last = sample
      return sample.targetNumber == 1
    }
    #expect(sample.pid == job[0])
    #expect(sample.name.text == "sleep")
    thread.stop()
  }

  @Test func `the end of a target is not that of the thread, and the next one is sampled`() throws {
    let shell = try shell()
    let job = try start("sleep 61", in: shell)
    let thread = try thread(Int32(shell.pid))
    thread.request(.retarget(ProcessGroup(job[0], includesOtherGroups: true), number: 1))
    _ = try wait(for: thread) { $0.targetNumber == 1 }
    kill(-job[0], SIGKILL)
    #expect(try wait(for: thread) { $0.hasEnded }.pid == job[0])
    thread.request(.retarget(ProcessGroup(Int32(shell.pid), includesOtherGroups: false), number: 2))
    let sample = try wait(for: thread) { $0.targetNumber == 2 }
    #expect(sample.pid == Int32(shell.pid))
    #expect(!sample.hasEnded)
    #expect(try wait(for: thread) { $0.sequence == sample.sequence + 2 }.targetNumber == 2)
    thread.stop()
  }

  @Test func `of two targets at once the last is sampled, under its own number`() throws {
    let shell = try shell()
    let job = try start("sleep 61", in: shell)
    defer { kill(-job[0], SIGKILL) }
    let thread = try thread(Int32(shell.pid))
    let group = ProcessGroup(job[0], includesOtherGroups: true)
    thread.request(.retarget(ProcessGroup(Int32(shell.pid), includesOtherGroups: false), number: 1))
    thread.request(.retarget(group, number: 2))
    #expect(try wait(for: thread) { $0.targetNumber == 2 }.pid == job[0])
    thread.stop()
  }

  @Test func `a group that nobody lives in gives one sample that says so`() throws {
    let shell = try shell()
    let job = try start("true", in: shell)
    let group = ProcessGroup(job[0], includesOtherGroups: true)
    try waitUntil("its end") { group.representative(root: "/proc") == nil }
    let thread = try thread(Int32(shell.pid))
    thread.request(.retarget(group, number: 1))
    #expect(try wait(for: thread) { $0.targetNumber == 1 }.hasEnded)
    #expect(!thread.hasNext)
    thread.stop()
  }

  @Test func `with an interval of an hour the first samples of a target come at once`() throws {
    let shell = try shell()
    let job = try start("sleep 61", in: shell)
    defer { kill(-job[0], SIGKILL) }
    let thread = try thread(Int32(shell.pid), interval: 3_600_000_000_000)
    thread.request(.retarget(ProcessGroup(job[0], includesOtherGroups: true), number: 1))
    #expect(try wait(for: thread) { $0.targetNumber == 1 }.pid == job[0])
    #expect(try wait(for: thread) { $0.isProvisional }.targetNumber == 1)
    thread.stop()
  }

  @Test func `50 targets in turn leave no descriptor behind`() throws {
    let shell = try shell()
    let job = try start("sleep 61 | sleep 62", in: shell)
    defer { kill(-job[0], SIGKILL) }
    let thread = try thread(Int32(shell.pid))
    func follow(_ number: UInt32) throws {
      let group =
        number % 2 == 1
        ? ProcessGroup(job[0], includesOtherGroups: true)
        : ProcessGroup(Int32(shell.pid), includesOtherGroups: false)
      thread.request(.retarget(group, number: number))
      _ = try wait(for: thread) { $0.targetNumber == number }
    }
    try follow(1)
    for number in 2...50 as ClosedRange<UInt32> { try follow(number) }
    // Another test that looks at all processes may have one open at this moment.
    try waitUntil("its files are closed") { () throws(ToolError) in
      try !hasFiles(of: Int(job[0]))
    }
    thread.stop()
  }
}
