import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Processes that are born while nobody of the tree runs.
@Suite struct PutOffBirthTests {
  @Test func `births beside a tree that sleeps are looked at once it has run`() throws {
    let load = try Load()
    let first = Int32(try load.command("child")[0])
    var tree = try ProcessTree(
      pid: Int32(load.pid), usesClock: true, units: KernelUnits(), root: "/proc")
    func read(rootHasRun: Bool) {
      let readsStat = tree.begin(now: .now(), rootHasRun: rootHasRun)
      _ = tree.read(readsStat: readsStat)
      _ = tree.end(hasReadStat: readsStat)
    }
    try waitUntil("births that were put off") { () throws(ToolError) in
      _ = try Tool.run(["true"])
      read(rootHasRun: false)
      return tree.discovery.hasPutOff && tree.pids == [first]
    }
    let settled = tree.discovery.settledPid
    let sleep = try RunningTool(["sleep", "60"])
    for _ in 0..<3 { read(rootHasRun: false) }
    let settledLater = tree.discovery.settledPid
    let others = tree.discovery.knownOutsiders
    // The numbers may have begun anew.
    #expect(settledLater == settled || settledLater == 0)
    #expect(!others.contains(Int32(sleep.pid)))
    let second = Int32(try load.command("child")[0])
    read(rootHasRun: true)
    let pids = tree.pids
    let hasPutOff = tree.discovery.hasPutOff
    #expect(pids.sorted() == [first, second].sorted())
    #expect(!hasPutOff)
  }

  @Test func `a child of a child that had slept long is in the sample after it was born`() throws {
    // It has a child for each line. A signal could come just before it sleeps, and would wait for the end of that.
    let parent =
      "perl -e '$|=1; print \"$$\\n\"; while (<STDIN>) { exec \"sleep\", 60 unless fork }'"
    let shell = try RunningTool(["sh", "-c", "exec 3<&0; \(parent) <&3 & wait"])
    let parentPid = try #require(Int32(try shell.readLine(deadline: 30) ?? ""))
    var sampler = try ProcessSampler(
      pid: Int32(shell.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    // Long enough for births of others to have been put off, if there were any.
    for _ in 0..<5 { _ = sampler.sample() }
    for number in 1...5 {
      try shell.send("")
      try waitUntil("\(number) children") { sampler.sample().processes == 2 + UInt32(number) }
    }
    _ = try Tool.run(["pkill", "-P", "\(parentPid)"])
    kill(parentPid, SIGKILL)
  }
}
