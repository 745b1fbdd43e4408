import CMallocCount
import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// The list of processes and threads, as the sampler's thread makes it.
@Suite struct ProcessTableTests {
  private func table(
    _ sampler: inout ProcessSampler, _ buffer: inout ProcessTableBuffer
  ) -> Sampler.ProcessTable {
    _ = sampler.sample()
    sampler.readTable(into: &buffer)
    return buffer.table()
  }

  @Test(arguments: [true, false])
  func `children are in the list, whether or not the samples count them`(isTree: Bool) throws {
    let load = try Load()
    let child = try load.command("child")[0]
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(pss: .off, includesChildren: isTree))
    sampler.setTable(ProcessTableRequest(.processes))
    var buffer = ProcessTableBuffer()
    let first = table(&sampler, &buffer)
    #expect(Set(first.rows.map(\.pid)) == [Int32(load.pid), Int32(child)])
    // One reading tells no share.
    #expect(first.rows.allSatisfy { $0.cpuPercent == nil })
    let burnt = UInt64(try load.command("burn 50")[2])
    let second = table(&sampler, &buffer)
    let own = try #require(second.rows.first { $0.pid == Int32(load.pid) })
    let other = try #require(second.rows.first { $0.pid == Int32(child) })
    #expect(own.cpuNanoseconds - own.cpuNanosecondsBefore >= burnt - burnt / 10)
    #expect(own.cpuPercent ?? 0 > 0)
    #expect(other.cpuPercent == 0)
    #expect(other.parent == Int32(load.pid))
    #expect(other.name.text == "perfhud-load")
    #expect(other.footprintBytes > 0)
    #expect(second.others == 0)
  }

  @Test func `rows have their command lines, also after an exec`() throws {
    let tool = try RunningTool(["/bin/sh", "-c", "read x; exec sleep 63 # \u{1B}[2J"])
    defer { tool.signal(SIGKILL) }
    var sampler = try ProcessSampler(
      pid: Int32(tool.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    sampler.setTable(ProcessTableRequest(.processes))
    var buffer = ProcessTableBuffer()
    let first = table(&sampler, &buffer)
    #expect(first.commandLines.map { $0.text } == ["sh -c read x; exec sleep 63 # ␛[2J"])
    try tool.send("go")
    try waitUntil("the exec") { () throws(ToolError) in
      table(&sampler, &buffer).commandLines.first?.text == "sleep 63"
    }
  }

  @Test func `what has ended is counted and summed up`() throws {
    let load = try Load()
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    sampler.setTable(ProcessTableRequest(.processes))
    var buffer = ProcessTableBuffer()
    #expect(table(&sampler, &buffer).ended.count == 0)
    for count in 1...2 {
      let child = try load.command("child")[0]
      try waitUntil("the child") { () throws(ToolError) in
        table(&sampler, &buffer).rows.contains { $0.pid == Int32(child) && $0.footprintBytes > 0 }
      }
      kill(pid_t(child), SIGKILL)
      try waitUntil("its end") { () throws(ToolError) in
        try load.command("reap")
        return table(&sampler, &buffer).ended.count == count
      }
    }
    let last = table(&sampler, &buffer).ended
    #expect(last.greatestBytes > 0)
    #expect(last.lastName.text == "perfhud-load")
  }

  @Test(arguments: [true, false])
  func `CPU time of children that no sample saw is in that of the ended ones`(
    isTree: Bool
  ) throws {
    let load = try Load()
    _ = try load.command("burn-child 100")
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(pss: .off, includesChildren: isTree))
    var buffer = ProcessTableBuffer()
    _ = sampler.sample()
    sampler.setTable(ProcessTableRequest(.processes))
    // What ended before the list was opened is not part of it.
    #expect(table(&sampler, &buffer).ended.count == 0)
    #expect(table(&sampler, &buffer).ended.cpuNanoseconds == 0)
    var truth = 0
    for _ in 0..<3 { truth += try load.command("burn-child 100")[2] }
    sampler.due.stat = Instant(nanoseconds: 0)
    let ended = table(&sampler, &buffer).ended
    #expect(Double(ended.cpuNanoseconds) > Double(truth) - 30e6)
    #expect(Double(ended.cpuNanoseconds) < Double(truth) + 60e6)
    #expect(ended.count == 1 && ended.isCountLowerBound && !ended.isCPULowerBound)
    #expect(ended.lastEnd == .none)
  }

  @Test func `memory that a process takes after it was first seen is its growth`() throws {
    let load = try Load()
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    sampler.setTable(ProcessTableRequest(.processes, by: .growth))
    var buffer = ProcessTableBuffer()
    _ = table(&sampler, &buffer)
    try load.command("alloc 20000000")
    let row = try #require(table(&sampler, &buffer).rows.first)
    #expect(row.growthBytes >= 20_000_000)
    #expect(row.growthBytes < 24_000_000)
  }

  @Test(arguments: [
    ("exit 7", ProcessEnd.exited(7)), ("exit 0", .exited(0)), ("kill -9 $$", .signaled(9)),
  ])
  func `a zombie tells how it has ended`(script: String, end: ProcessEnd) throws {
    let shell = try RunningTool([
      "perl", "-e", "$|=1; unless (fork) { exec 'sh', '-c', $ARGV[0] } print qq(ready\\n); <STDIN>",
      script,
    ])
    _ = try shell.readLine()
    var sampler = try ProcessSampler(
      pid: Int32(shell.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    sampler.setTable(ProcessTableRequest(.processes))
    var buffer = ProcessTableBuffer()
    try waitUntil("the zombie") {
      table(&sampler, &buffer).rows.contains { $0.state == .zombie && $0.end == end }
    }
  }

  @Test func `one that was waited for stays in the list, with what its zombie told`() throws {
    let load = try Load()
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    sampler.setTable(ProcessTableRequest(.processes))
    var buffer = ProcessTableBuffer()
    let child = Int32(try load.command("child")[0])
    try waitUntil("the child") { table(&sampler, &buffer).rows.count == 2 }
    kill(child, SIGKILL)
    try waitUntil("its zombie") {
      table(&sampler, &buffer).rows.contains { $0.end == .signaled(9) }
    }
    try load.command("reap")
    let rows = table(&sampler, &buffer).rows
    // Its zombie had told already.
    let ended = try #require(rows.first { $0.pid == child })
    #expect(ended.state == .dead && ended.end == .signaled(9))
    sampler.setTable(nil)
    sampler.setTable(ProcessTableRequest(.processes))
    #expect(table(&sampler, &buffer).rows.count == 1)
  }

  @Test func `of 600 processes the 256 with the greatest keys are in the list`() throws {
    let tool = try RunningTool([Products.path("perfhud-load"), "processes", "600"])
    #expect(try tool.readLine(deadline: 60) == "ready \(tool.pid)")
    var sampler = try ProcessSampler(
      pid: Int32(tool.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    sampler.setTable(ProcessTableRequest(.processes, by: .memory))
    var buffer = ProcessTableBuffer()
    let found = table(&sampler, &buffer)
    #expect(found.rows.count == Sampler.ProcessTable.capacity)
    #expect(found.others == 601 - Sampler.ProcessTable.capacity)
    #expect(found.rows.contains { $0.pid == Int32(tool.pid) })
  }

  @Test func `the rows with the greatest keys stay, whatever the order in which they come`() {
    var buffer = ProcessTableBuffer()
    buffer.begin(ProcessTableRequest(.processes, by: .memory), at: .now())
    for number in 0..<2000 {
      var row = ProcessRow()
      row.pid = Int32(number)
      row.footprintBytes = UInt64((number * 7919) % 2000)
      buffer.add(row)
    }
    let kept = Set(buffer.table().rows.map(\.footprintBytes))
    #expect(kept == Set((2000 - 256)..<2000))
    #expect(buffer.others == 2000 - 256)
  }

  @Test func `threads are in the list with their names, CPU time and wait`() throws {
    let load = try Load()
    try load.command("threads 5")
    var sampler = try ProcessSampler(pid: Int32(load.pid))
    sampler.setTable(ProcessTableRequest(.threads))
    var buffer = ProcessTableBuffer()
    #expect(table(&sampler, &buffer).rows.count == 6)
    let truth = try load.command("burn 60")
    let rows = table(&sampler, &buffer).rows
    let main = try #require(rows.first { $0.pid == Int32(load.pid) })
    #expect(Int(main.cpuNanoseconds - main.cpuNanosecondsBefore) >= truth[2] - 5_000_000)
    #expect(main.waitPercent != nil)
    #expect(rows.filter { $0.pid != main.pid }.allSatisfy { $0.cpuPercent == 0 })
    try load.command("threads 0")
    try waitUntil("the end of the threads") { table(&sampler, &buffer).rows.count == 1 }
  }

  @Test func `the threads of all processes of a tree are in the list`() throws {
    let load = try Load()
    let child = Int32(try load.command("child")[0])
    try load.command("threads 3")
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    sampler.setTable(ProcessTableRequest(.threads))
    var buffer = ProcessTableBuffer()
    let first = table(&sampler, &buffer)
    #expect(first.rows.count == 5 && first.others == 0)
    #expect(first.rows.filter { $0.parent == child }.map(\.pid) == [child])
    #expect(first.rows.filter { $0.parent == Int32(load.pid) }.count == 4)
    kill(child, SIGKILL)
    // Its zombie has no threads.
    try waitUntil("its end") { table(&sampler, &buffer).rows.allSatisfy { $0.parent != child } }
    try load.command("reap")
    #expect(table(&sampler, &buffer).rows.count == 4)
  }

  @Test func `the mappings of a tree are those of its greatest process`() throws {
    let load = try Load()
    let child = Int32(try load.command("child")[0])
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    sampler.setTable(ProcessTableRequest(.mappings))
    var buffer = ProcessTableBuffer()
    let first = table(&sampler, &buffer)
    #expect(first.rows.map(\.pid) == [Int32(load.pid)] && !first.mappings.groups.isEmpty)
    // A child that is greater than the process itself, and then is no longer there.
    let script = "my $x = 'x' x 40_000_000; print qq(ready\n); <STDIN>"
    let shell = try RunningTool(["sh", "-c", "perl -e '$|=1; \(script)'; read x; :"])
    _ = try shell.readLine()
    var other = try ProcessSampler(
      pid: Int32(shell.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    other.setTable(ProcessTableRequest(.mappings))
    let perl = table(&other, &buffer)
    let row = try #require(perl.rows.first)
    #expect(perl.rows.count == 1 && row.name.text == "perl" && row.footprintBytes > 40_000_000)
    #expect(perl.mappings.groups.contains { $0.privateBytes > 40_000_000 })
    try shell.send("end")
    try waitUntil("the mappings of the shell") { () throws(ToolError) in
      other.requestMappings()
      let found = table(&other, &buffer)
      return found.rows.map(\.pid) == [Int32(shell.pid)]
        && !found.mappings.groups.contains { $0.privateBytes > 40_000_000 }
    }
    kill(child, SIGKILL)
  }

  @Test(arguments: [("threads", 1000), ("processes", 400)])
  func `many threads, also of a tree, are read some at a time, until all are there`(
    kind: String, count: Int
  ) throws {
    let tool = try RunningTool([Products.path("perfhud-load"), kind, "\(count)"])
    #expect(try tool.readLine(deadline: 60) == "ready \(tool.pid)")
    var sampler = try ProcessSampler(
      pid: Int32(tool.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    sampler.setTable(ProcessTableRequest(.threads))
    var buffer = ProcessTableBuffer()
    var readings = 0
    try waitUntil("\(count + 1) threads") {
      readings += 1
      let found = table(&sampler, &buffer)
      return found.rows.count == Sampler.ProcessTable.capacity
        && found.others == count + 1 - Sampler.ProcessTable.capacity
    }
    #expect(readings > 1)
  }

  @Test(.enabled(if: perfhud_malloc_is_counted() != 0, "a sanitizer replaces malloc"))
  func `a list allocates nothing once it is shown`() throws {
    let load = try Load()
    for _ in 0..<10 { try load.command("child") }
    try load.command("threads 10")
    var sampler = try ProcessSampler(
      pid: Int32(load.pid), options: SamplerOptions(pss: .off, includesChildren: true))
    var buffer = ProcessTableBuffer()
    for kind in [ProcessTableRequest.Kind.processes, .threads] {
      sampler.setTable(ProcessTableRequest(kind))
      _ = table(&sampler, &buffer)
      _ = sampler.sample()
      let before = perfhud_malloc_count()
      for _ in 0..<5 { sampler.readTable(into: &buffer) }
      #expect(perfhud_malloc_count() == before)
    }
  }

  @Test func `a list comes from the thread while it is asked for, and goes with the request`()
    throws
  {
    let load = try Load()
    let thread = try SamplerThread(
      pid: Int32(load.pid), options: SamplerOptions(intervalNanoseconds: 20_000_000, pss: .off))
    try thread.start()
    #expect(thread.nextTable() == nil)
    thread.request(.showTable(ProcessTableRequest(.processes)))
    var found: Sampler.ProcessTable?
    try waitUntil("a list with shares") {
      found = thread.nextTable() ?? found
      return found?.rows.first?.cpuPercent != nil
    }
    // At most twice a second.
    #expect(found?.rows.first?.intervalNanoseconds ?? 0 >= 480_000_000)
    thread.request(.showTable(ProcessTableRequest(.threads)))
    try waitUntil("the threads") {
      found = thread.nextTable() ?? found
      return found?.request.kind == .threads
    }
    thread.stop()
  }
}
