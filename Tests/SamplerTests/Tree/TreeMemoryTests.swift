import CMallocCount
import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// The memory of trees, and what sampling them allocates.
@Suite struct TreeMemoryTests {
  @Test func `100 MiB of a child are in the memory of the tree`() throws {
    let size = 100 << 20
    let shell = try readyShell(
      "perl -e '$|=1; $x = \"x\" x \(size); print \"ready\\n\"; sleep 60' & wait; read x")
    var sampler = try treeSampler(shell.pid)
    try waitUntil("the memory") { sampler.sample().anonymousBytes.value ?? 0 > UInt64(size) }
    let child = try #require(try Tool.run(["pgrep", "-P", "\(shell.pid)"]).lines.first)
    kill(Int32(child) ?? 0, SIGKILL)
    try waitUntil("its end") { sampler.sample().anonymousBytes.value ?? .max < 20 << 20 }
  }

  @Test func `a reading between two samples leaves out a child that has been reaped since`() throws
  {
    let size = 100 << 20
    let shell = try readyShell(
      "perl -e '$|=1; $x = \"x\" x \(size); print \"ready\\n\"; sleep 60' & wait; read x")
    var sampler = try treeSampler(shell.pid)
    try waitUntil("the memory") { sampler.sample().anonymousBytes.value ?? 0 > UInt64(size) }
    let first = sampler.readMemoryNow()
    let before = try #require(first)
    #expect(before.anonymousBytes > UInt64(size))
    let line = try #require(try Tool.run(["pgrep", "-P", "\(shell.pid)"]).lines.first)
    let child = try #require(Int32(line))
    kill(child, SIGKILL)
    try waitUntil("its end") { kill(child, 0) != 0 }
    let second = sampler.readMemoryNow()
    let after = try #require(second)
    #expect(after.anonymousBytes < 20 << 20 && after.residentBytes < 40 << 20)
  }

  @Test
  func `100 MiB that three forked processes share are counted once, and what one takes is added`()
    throws
  {
    let script = """
      $| = 1;
      my $x = "x" x (50 << 20);
      for my $index (0, 1) {
        next if fork;
        $SIG{TERM} = sub { $y = "y" x (20 << 20); print "taken\\n" };
        print "ready\\n";
        sleep 60 while 1;
      }
      sleep 60 while 1;
      """
    let tool = try RunningTool(["perl", "-e", script])
    for _ in 0..<2 { #expect(try tool.readLine() == "ready") }
    var sampler = try treeSampler(tool.pid)
    try waitUntil("3 processes") { sampler.sample().processes == 3 }
    func once(_ sample: Sample) -> UInt64 {
      (sample.anonymousBytes.value ?? 0)
        - min(
          sample.sharedPrivateBytes, sample.anonymousBytes.value ?? 0)
    }
    let first = sampler.sample()
    // perl holds the string twice.
    let sum = try #require(first.anonymousBytes.value)
    #expect(once(first) < sum / 2 && once(first) > 50 << 20)
    let pid = try Tool.run(["pgrep", "-P", "\(tool.pid)"]).lines.first ?? ""
    kill(Int32(pid) ?? 0, SIGTERM)
    #expect(try tool.readLine() == "taken")
    let second = sampler.sample()
    #expect(once(second) >= once(first) + (20 << 20))
    _ = try Tool.run(["pkill", "-KILL", "-P", "\(tool.pid)"])
  }

  @Test func `PSS of a tree above 300 MiB is not read unasked, though each of it is below`() throws
  {
    let child =
      "perl -e '$|=1; $x = \"x\" x \(170 << 20); print \"ready\\n\"; sleep 60'"
    let shell = try RunningTool(["sh", "-c", "\(child) & \(child) & wait"])
    for _ in 0..<2 { #expect(try shell.readLine(deadline: 30) == "ready") }
    var sampler = try ProcessSampler(
      pid: Int32(shell.pid), options: SamplerOptions(pss: .onBudget, includesChildren: true))
    try waitUntil("both") { sampler.sample().residentBytes.value ?? 0 > PSSReader.largestUnasked }
    #expect(sampler.sample().pssBytes == .absent(.tooCostly))
    sampler.requestPSS()
    #expect(sampler.sample().pssBytes.value ?? 0 > PSSReader.largestUnasked)
    _ = try Tool.run(["pkill", "-P", "\(shell.pid)"])
  }

  @Test func `PSS that is asked for is that of all processes`() throws {
    let size = 50 << 20
    let shell = try readyShell(
      "perl -e '$|=1; $x = \"x\" x \(size); print \"ready\\n\"; sleep 60' & wait")
    var sampler = try treeSampler(shell.pid)
    try waitUntil("2 processes") { sampler.sample().processes == 2 }
    sampler.requestPSS()
    let sample = sampler.sample()
    #expect(sample.pssBytes.value ?? 0 > UInt64(size))
    #expect(sample.pssTime == sample.time)
    _ = try Tool.run(["pkill", "-P", "\(shell.pid)"])
  }

  @Test(.enabled(if: perfhud_malloc_is_counted() != 0, "a sanitizer replaces malloc"))
  func `a sample of a tree allocates nothing, births and slow figures included`() throws {
    // The Swift runtime of a debug build allocates once per process where a generic call is first made, which may be in
    // any sample. What a sample allocates itself is there the second time too.
    let first = try allocationsOfSamples()
    #expect(try first == 0 || allocationsOfSamples() == 0)
  }

  /// The allocations in the samples of a tree, from its first births until its slow figures have been read.
  private func allocationsOfSamples() throws -> UInt64 {
    let load = try Load()
    for _ in 0..<20 { try load.command("child") }
    var sampler = try treeSampler(load.pid)
    try waitUntil("21 processes") { sampler.sample().processes == 21 }
    let first = sampler.sample()
    var allocations: UInt64 = 0
    var number = 0
    try waitUntil("the slow figures") { () throws(ToolError) in
      if number < 5 { try load.command("child") }
      number += 1
      let before = perfhud_malloc_count()
      let sample = sampler.sample()
      allocations += perfhud_malloc_count() - before
      return sample.lowRateTime != first.lowRateTime && sample.processes == 26
    }
    return allocations
  }
}
