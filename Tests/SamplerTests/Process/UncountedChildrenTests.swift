import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// The children that the values of a process alone do not include.
@Suite struct UncountedChildrenTests {
  /// Waits for a line, starts two children, writes their pids and waits for another line.
  private static let script =
    "echo ready; read x; sleep 60 & a=$!; sleep 60 & echo $a $!; read x; kill $a $!; wait"

  @Test func `children are counted where the values do not include them, and only there`() throws {
    let shell = try RunningTool(["sh", "-c", UncountedChildrenTests.script])
    _ = try shell.readLine()
    var alone = try ProcessSampler(pid: Int32(shell.pid))
    #expect(alone.sample().uncountedChildren == 0)
    try shell.send("")
    _ = try shell.readLine()
    var tree = try treeSampler(shell.pid, statEverySample: true)
    try waitUntil("both children") { alone.sample().uncountedChildren == 2 }
    #expect(tree.sample().uncountedChildren == 0)
    try shell.send("")
  }

  @Test func `a thread counts them from the next sample on if it is told to, and no longer`() throws
  {
    let shell = try RunningTool(["sh", "-c", UncountedChildrenTests.script])
    _ = try shell.readLine()
    let thread = try SamplerThread(
      pid: Int32(shell.pid),
      options: SamplerOptions(
        intervalNanoseconds: 20_000_000, statEverySample: true, provisionalFirst: false))
    try thread.start()
    #expect(try wait(for: thread) { $0.sequence == 2 }.includesChildren == false)
    try shell.send("")
    _ = try shell.readLine()
    thread.request(.countChildren(true))
    var last: UInt32 = 2
    let tree = try wait(for: thread) { sample in
      #expect(sample.sequence > last && sample.targetNumber == 0)
      last = sample.sequence
      return sample.includesChildren && sample.processes == 3
    }
    #expect(tree.pid == Int32(shell.pid))
    thread.request(.countChildren(false))
    #expect(try wait(for: thread) { !$0.includesChildren }.processes == 1)
    thread.stop()
    try shell.send("")
  }

  @Test(arguments: [("", 0), ("12 ", 1), ("12 345 6789 ", 3)] as [(String, UInt32)])
  func `each pid of the file is a child`(text: String, count: UInt32) {
    let bytes = Array(text.utf8)
    #expect(unsafe ChildrenFields(bytes.span.bytes).count == count)
  }
}
