import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Storms of short-lived processes against a load that knows what they used.
@Suite(.serialized) struct ProcessStormTests {
  /// What a storm is said to have used, and what it has.
  private struct Outcome {
    var measured = 0.0
    var own = 0.0
    var children = 0.0
    var last = Sample()
    var truth: Double { own + children }
  }

  /// Samples ten times a second while the storm rages, and once more when it is over.
  private func sample(_ kind: String, processes: Int = 300) throws -> Outcome {
    let tool = try RunningTool([
      Products.path("perfhud-load"), "storm", "\(processes)", "--kind", kind,
    ])
    #expect(try tool.readLine() == "ready \(tool.pid)")
    var sampler = try ProcessSampler(
      pid: Int32(tool.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    let first = try #require(sampler.sample().cpuNanoseconds.value)
    try tool.send("go")
    var previous = first
    let line = try sampleUntilLine(of: tool) {
      let now = sampler.sample().cpuNanoseconds.value ?? 0
      #expect(now >= previous)
      previous = now
    }
    let words = line.split(separator: " ").compactMap { Double($0) }
    #expect(words.count == 3, "\(line)")
    // What is owed comes with the next readings.
    for _ in 0..<4 { _ = sampler.sample() }
    var outcome = Outcome(own: words[0], children: words[1], last: sampler.sample())
    // Both from the start of the load on: what that takes belongs to the truth too.
    outcome.measured = Double(try #require(outcome.last.cpuNanoseconds.value))
    return outcome
  }

  private func sampleUntilLine(of tool: RunningTool, _ body: () -> Void) throws -> String {
    let deadline = Instant.now().advanced(bySeconds: 120)
    while Instant.now() < deadline {
      body()
      if let line = try? tool.readLine(deadline: 0.1) { return line }
    }
    throw ToolError("the storm does not end: \(tool.stderr)")
  }

  @Test func `300 processes that are waited for: 99.9 % and the two ticks that stat cuts off`()
    throws
  {
    let outcome = try sample("wait")
    #expect(outcome.measured >= 0.999 * outcome.truth - 20e6)
    #expect(outcome.measured <= outcome.truth + 20e6)
    #expect(outcome.last.unknownEnds == 0)
    #expect(outcome.last.processes == 1)
  }

  @Test func `300 processes that the kernel reaps: a lower bound, and it says so`() throws {
    let outcome = try sample("ignore")
    #expect(outcome.measured <= outcome.truth + 20e6)
    #expect(outcome.last.unknownEnds > 0)
  }

  @Test(arguments: ["orphan", "daemon"])
  func `300 orphans that somebody else takes over: never more than they used`(kind: String) throws {
    let outcome = try sample(kind)
    #expect(outcome.measured >= outcome.own - 20e6)
    #expect(outcome.measured <= outcome.truth + 20e6)
  }

  @Test func `an orphan of a process that leads its session is found by the session`() throws {
    let shell = try RunningTool([
      "setsid", "sh", "-c", "(sleep 61 & echo $!); echo $$; read x",
    ])
    let numbers = try [shell.readLine(), shell.readLine()].compactMap { $0.flatMap { Int32($0) } }
    try #require(numbers.count == 2)
    defer { kill(numbers[0], SIGKILL) }
    try waitUntil("an orphan") { (try? ProcessFacts(pid: numbers[0]))?.parent != numbers[1] }
    var sampler = try ProcessSampler(
      pid: numbers[1], options: SamplerOptions(includesChildren: true))
    let sample = sampler.sample()
    #expect(sample.processes == 2)
    // Of other orphans nothing may have been seen.
    #expect(sample.unknownEnds == 1)
    kill(numbers[0], SIGKILL)
    try waitUntil("its end") { sampler.sample().processes == 1 }
  }

  @Test func `processes that do not run are not read, and their memory is seen all the same`()
    throws
  {
    let load = try Load()
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(includesChildren: true))
    for _ in 0..<5 { try load.command("child") }
    try waitUntil("6 processes") { sampler.sample().processes == 6 }
    let sum = try #require(sampler.sample().anonymousBytes.value)
    var truth: UInt64 = 0
    for entry in TestSupport.ProcessTable.tree(load.pid) {
      let bytes = try readFile("/proc/\(entry.pid)/statm")
      let pages = try #require(parse(bytes, as: StatmFields.self)).anonymousPages
      truth += pages * UInt64(KernelUnits().pageBytes)
    }
    #expect(sum == truth)
  }

  @Test func `a number that was given to another process is not taken for the one before`() throws {
    // In a pid namespace of its own the next number can be chosen.
    let script = """
      mount -t proc none /proc
      perl -e 'sleep 60' & first=$!
      echo $first; read x
      kill $first; wait $first 2>/dev/null
      echo $((first - 1)) > /proc/sys/kernel/ns_last_pid
      perl -e '$n++ while times < 0.2; sleep 60' & echo $!; read x; kill $!
      """
    let tool = try RunningTool(["unshare", "-m", "-p", "-f", "--mount-proc", "sh", "-c", script])
    let first = try #require(try tool.readLine(), "needs namespaces: \(tool.stderr)")
    // From outside the numbers differ; what counts here is that a member that has gone stays gone.
    let shell = try #require(
      TestSupport.ProcessTable.tree(tool.pid).first { $0.name == "sh" }?.pid)
    var sampler = try ProcessSampler(
      pid: Int32(shell), options: SamplerOptions(includesChildren: true))
    #expect(sampler.sample().processes == 2)
    try tool.send("")
    #expect(try tool.readLine() == first)
    try waitUntil("the new process") {
      (sampler.sample().cpuNanoseconds.value ?? 0) > 200_000_000
    }
    let sample = sampler.sample()
    #expect(sample.processes == 2)
    #expect(sample.cpuNanoseconds.value ?? 0 < 2_000_000_000)
    try tool.send("")
  }

  @Test func `1000 processes: all are counted`() throws {
    let tool = try RunningTool([Products.path("perfhud-load"), "processes", "1000"])
    #expect(try tool.readLine(deadline: 60) == "ready \(tool.pid)")
    var sampler = try ProcessSampler(
      pid: Int32(tool.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    let sample = sampler.sample()
    #expect(sample.processes == 1001)
    #expect(sample.leftOutProcesses == 0)
    #expect(sample.threads == .value(1001))
  }

  @Test func `of more than 100 descendants stat is not read at every sample`() throws {
    let tool = try RunningTool([Products.path("perfhud-load"), "processes", "130"])
    #expect(try tool.readLine(deadline: 60) == "ready \(tool.pid)")
    var sampler = try ProcessSampler(
      pid: Int32(tool.pid),
      options: SamplerOptions(statEverySample: true, pss: .off, includesChildren: true))
    var sample = sampler.sample()
    #expect(sample.statTime == sample.time)
    // Whenever any process was born it is read all the same.
    try waitUntil("a sample without it") {
      sample = sampler.sample()
      return sample.statTime != sample.time
    }
    #expect(sample.threads == .value(131))
  }

  @Test func `with room for 100 descendants the others are counted as left out`() throws {
    let tool = try RunningTool([Products.path("perfhud-load"), "processes", "130"])
    #expect(try tool.readLine(deadline: 60) == "ready \(tool.pid)")
    var tree = try ProcessTree(
      pid: Int32(tool.pid), usesClock: true, units: KernelUnits(), root: "/proc", limit: 100)
    _ = tree.begin(now: .now())
    _ = tree.read(readsStat: true)
    let totals = tree.end(hasReadStat: true)
    #expect(totals.processes == 100)
    #expect(tree.leftOut == 30)
  }

  @Test func `the lower bound of a ledger: ends whose last part nobody tells`() {
    var ledger = CPULedger(tickNanoseconds: 10_000_000)
    ledger.remove(CPUAccount(own: 5), isWhole: true)
    #expect(ledger.losses == 0)
    ledger.remove(CPUAccount(own: 5))
    #expect(ledger.losses == 1)
    var parent = CPUAccount()
    ledger.remove(CPUAccount(own: 300_000_000), heir: &parent)
    for _ in 0..<3 {
      ledger.begin()
      ledger.add(&parent, hasReadReaped: true)
      _ = ledger.end()
    }
    #expect(ledger.losses == 2)
    #expect(ledger.total == 300_000_010)
  }
}
