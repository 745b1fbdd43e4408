import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Memory that outlives, in forked processes, the process or the use that they inherited it from.
///
/// The programs know what they hold, in MiB; their processes end when the first one does.
@Suite struct ForkedMemoryTests {
  /// `take(NAME, MIB)` and `give(NAME)`, and `child { … }`, which does this in a forked process and stays.
  private static let prelude = """
    $| = 1;
    $^F = 10;
    pipe(R, W);
    sub take { vec($held{$_[0]}, $_[1] << 20, 8) = 1 }
    sub give { delete $held{$_[0]} }
    sub stay { print "ready\\n"; while (read(R, my $byte, 1)) {} exit }
    sub child(&) { return if fork; close W; $_[0]->(); stay() }
    sub rest { sleep 60 while 1 }

    """

  /// - Parameter lines: how many lines it writes before it can be sampled.
  private func program(_ script: String, lines: Int) throws -> RunningTool {
    let tool = try RunningTool(["setsid", "perl", "-e", ForkedMemoryTests.prelude + script])
    for _ in 0..<lines {
      guard try tool.readLine() != nil else { throw ToolError("perl: \(tool.stderr)") }
    }
    return tool
  }

  /// The private memory in MiB, with what is shared counted once.
  private func mebibytes(_ sample: Sample) -> UInt64 {
    let sum = sample.anonymousBytes.value ?? 0
    return (sum - min(sample.sharedPrivateBytes, sum)) >> 20
  }

  /// Each process of perl has up to 2 MiB besides.
  private func expect(
    _ truth: UInt64, _ sampler: inout ProcessSampler, processes: UInt32,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    try waitUntil("\(processes) processes") { sampler.sample().processes == processes }
    let sample = sampler.sample()
    let found = mebibytes(sample)
    #expect(found >= truth && found < truth + 10, sourceLocation: location)
    #expect(sample.uncertainSharedBytes < 6 << 20, sourceLocation: location)
  }

  @Test func `what a process inherited whose parent was never seen is counted once`() throws {
    let tool = try program(
      """
      take("x", 50);
      unless (fork) { child { take("y", 20) }; exit }
      wait;
      print "gone\\n";
      rest();
      """, lines: 2)
    var sampler = try treeSampler(tool.pid)
    try expect(70, &sampler, processes: 2)
  }

  @Test func `an orphan of a program that has ended shares with its own kind only`() throws {
    let tool = try program(
      """
      take("x", 50);
      unless (fork) {
        exec "perl", "-e", q{
          $| = 1;
          vec($x, 30 << 20, 8) = 1;
          for (1, 2) { next if fork; print "ready\\n"; sleep 60 while getppid != $$; exit }
        };
      }
      wait;
      print "gone\\n";
      rest();
      """, lines: 3)
    defer { _ = try? Tool.run(["pkill", "-KILL", "-s", "\(tool.pid)"]) }
    var sampler = try treeSampler(tool.pid)
    try expect(80, &sampler, processes: 3)
  }

  /// A process that has taken 50 MiB and has 3 children with 10 MiB more each, before and after it handles a signal.
  private func expect(_ mebibytes: UInt64, after handler: String) throws {
    let tool = try program(
      """
      $SIG{TERM} = sub { \(handler) };
      take("x", 50);
      child { take("y", 10) } for 1 .. 3;
      rest();
      """, lines: 3)
    var sampler = try treeSampler(tool.pid)
    try expect(80, &sampler, processes: 4)
    kill(Int32(tool.pid), SIGTERM)
    #expect(try tool.readLine() == "done")
    try expect(mebibytes, &sampler, processes: 4)
  }

  @Test func `what a parent releases counts as long as a child has it`() throws {
    try expect(80, after: #"give("x"); print "done\n""#)
  }

  @Test func `what a parent had before it executed a program counts for a child`() throws {
    try expect(
      110,
      after: #"exec "perl", "-e", '$| = 1; vec($x, 30 << 20, 8) = 1; print "done\n"; sleep 60'"#)
  }

  @Test func `what processes had that have ended counts for their children`() throws {
    let tool = try program(
      """
      take("x", 50);
      $SIG{TERM} = sub { kill 9, @children; wait for @children; print "done\\n" };
      for (1, 2) {
        my $pid = fork;
        if ($pid) { push @children, $pid; next }
        close W;
        take("y", 10);
        child { } for 1, 2;
        stay();
      }
      rest();
      """, lines: 6)
    var sampler = try treeSampler(tool.pid)
    try expect(70, &sampler, processes: 7)
    kill(Int32(tool.pid), SIGTERM)
    #expect(try tool.readLine() == "done")
    try expect(70, &sampler, processes: 5)
  }

  /// A process of 1000 pages, and one with 300 pages whose parent has ended.
  private func orphan(stack: UInt64) throws -> Sample {
    let processes = try MadeProcesses()
    try processes.write(100, parent: 1, privatePages: 1000, stack: min(stack, 4096))
    try processes.write(101, parent: 100, privatePages: 0, isForked: true, stack: min(stack, 4096))
    try processes.write(102, parent: 101, privatePages: 300, isForked: true, stack: stack)
    var sampler = try ProcessSampler(
      pid: 100, options: SamplerOptions(pss: .off, includesChildren: true), root: processes.root)
    return sampler.sample()
  }

  @Test func `an orphan of the same execution has inherited from the largest process`() throws {
    let sample = try orphan(stack: 4096)
    #expect(sample.processes == 3)
    #expect(sample.sharedPrivateBytes == 300 * UInt64(getpagesize()))
    #expect(sample.uncertainSharedBytes == 0)
  }

  @Test func `an orphan of another execution counts in full`() throws {
    #expect(try orphan(stack: 8192).sharedPrivateBytes == 0)
  }

  @Test func `an orphan of unknown origin makes a lower bound`() throws {
    let sample = try orphan(stack: 0)
    #expect(sample.sharedPrivateBytes == 300 * UInt64(getpagesize()))
    #expect(sample.uncertainSharedBytes == 300 * UInt64(getpagesize()))
  }
}
