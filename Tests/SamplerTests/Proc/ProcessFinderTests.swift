import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// Processes that are found by a pattern, and those that come later.
@Suite struct ProcessFinderTests {
  /// Links to programs, whose names are those of the processes; names of this test alone.
  private final class Names {
    let directory: String
    private let number = UInt32.random(in: 0...99_999)

    init() throws(ToolError) {
      let made = try Tool.run(["mktemp", "-d", "/tmp/perfhud-names-XXXXXX"])
      guard let path = made.lines.first else { throw ToolError("no directory: \(made.stderr)") }
      directory = path
    }

    deinit { _ = try? Tool.run(["rm", "-rf", directory]) }

    /// A program of this name, which is at most 15 bytes long with the number that it gets.
    func link(_ program: String, as name: String) throws(ToolError) -> (path: String, name: String)
    {
      let name = "\(name)\(number)"
      let path = "\(directory)/\(name)"
      let made = try Tool.run(["ln", "-sf", program, path])
      guard made.status == .exit(0) else { throw ToolError("ln: \(made.stderr)") }
      return (path, name)
    }
  }

  private static let shell = "/bin/sh"

  /// A program that sleeps, once it has executed.
  private func sleep(_ path: String, _ seconds: String = "60") throws -> RunningTool {
    let tool = try RunningTool([path, seconds])
    try waitUntil("the program") { () throws(ToolError) in
      (try? ProcessFacts(pid: Int32(tool.pid)))?.commandLine.hasSuffix(" \(seconds)") == true
    }
    return tool
  }

  private func find(_ pattern: String, joins: Bool = false) throws -> [FoundProcess] {
    var finder = try ProcessFinder(pattern)
    return try finder.all(joinsDescendants: joins)
  }

  @Test func `a name goes before command lines that hold it, and the newest comes first`() throws {
    let names = try Names()
    let program = try names.link("/bin/sleep", as: "phn")
    let shell = try RunningTool([ProcessFinderTests.shell, "-c", "read x; : \(program.name)"])
    try waitUntil("the shell") { () throws(ToolError) in
      (try? ProcessFacts(pid: Int32(shell.pid)))?.commandLine.contains(program.name) == true
    }
    #expect(try find(program.name).map(\.target.pid) == [Int32(shell.pid)])
    let first = try sleep(program.path)
    // Starts are told apart by ticks of 10 ms.
    usleep(30_000)
    let second = try sleep(program.path)
    let found = try find(program.name)
    #expect(found.map(\.target.pid) == [Int32(second.pid), Int32(first.pid)])
    #expect(found.map(\.isByName) == [true, true])
    #expect(found.first?.commandLine == "\(program.path) 60")
  }

  @Test func `a regular expression matches the command line`() throws {
    let names = try Names()
    let program = try names.link("/bin/sleep", as: "phr")
    let tool = try sleep(program.path, "61")
    let found = try find("^.*/\(program.name) 6[01]$")
    #expect(found.map(\.target.pid) == [Int32(tool.pid)])
    #expect(found.first?.isByName == false)
    #expect(try find("\(program.name) 62").isEmpty)
  }

  @Test func `a name of more than 15 bytes is found by the first argument`() throws {
    let names = try Names()
    let program = try names.link("/bin/sleep", as: "perfhud-finder-long-name-")
    let tool = try sleep(program.path)
    #expect(try find(program.name).first?.target.pid == Int32(tool.pid))
    #expect(try find(program.name).first?.isByName == true)
    // What the kernel has kept of the name is that of a process, too.
    #expect(try find(String(program.name.prefix(15))).contains { $0.target.pid == Int32(tool.pid) })
  }

  @Test(arguments: [
    ("web", "web", "/usr/bin/web\0-x", true), ("web", "web", "", true),
    ("web", "worker", "/usr/bin/web\0-x", true), ("web", "worker", "/opt/webber", false),
    ("/usr/bin/web", "worker", "/usr/bin/web\0-x", true), ("we", "web", "web", false),
    ("a-script-with-a-long-name", "a-script-with-a", "/bin/sh\0./a-script-with-a-long-name", true),
    (
      "a-script-with-a-long-name", "a-script-with-a", "/bin/sh\0./a-script-with-a-short-name", false
    ),
  ])
  func `the pattern is the name of a process`(
    pattern: String, name: String, line: String, expected: Bool
  ) throws {
    var kernelName = ProcessName()
    for byte in name.utf8 { kernelName.append(byte) }
    #expect(try ProcessFinder(pattern).isNamed(kernelName, Array(line.utf8)) == expected)
  }

  @Test func `this process and what started it are not found by their command lines`() throws {
    // All of them have a command line, and this matches any.
    let found = try find(".")
    var ancestor = getpid()
    while ancestor > 0, let facts = try? ProcessFacts(pid: ancestor) {
      let pid = ancestor
      #expect(!found.contains { $0.target.pid == pid && !$0.isByName })
      ancestor = facts.parent
    }
  }

  @Test func `with descendants counted, one below another of the name is no target of its own`()
    throws
  {
    let names = try Names()
    let program = try names.link("/bin/sh", as: "pht")
    let tool = try RunningTool(
      [program.path, "-c", "\(program.path) -c 'read x; :'; :"])
    try waitUntil("both shells") { () throws(ToolError) in
      ((try? find(program.name)) ?? []).count == 2
    }
    #expect(try find(program.name, joins: true).map(\.target.pid) == [Int32(tool.pid)])
    // The inner shell reads to the end of the input.
    tool.closeInput()
    _ = try tool.wait()
  }

  @Test func `a captured process is found by name and line, a zombie is not`() throws {
    let fixture = try Fixture("linux-6.18/process")
    var byName = try ProcessFinder("perfhud-load", root: fixture.root)
    #expect(try byName.all().map(\.target.pid) == [fixture.pid])
    var byLine = try ProcessFinder("load serve$", root: fixture.root)
    #expect(try byLine.all().map(\.isByName) == [false])
    let zombie = try Fixture("linux-6.18/zombie")
    var ended = try ProcessFinder("perfhud-load", root: zombie.root)
    #expect(try ended.all().isEmpty)
  }

  @Test func `a root that is no proc is an error`() throws {
    var finder = try ProcessFinder("x", root: "/nonexistent/proc")
    let error = #expect(throws: SamplerError.self) { _ = try finder.all() }
    #expect(error == .procUnusable(root: "/nonexistent/proc"))
  }

  @Test func `a pattern that is no regular expression says what is wrong`() {
    #expect(throws: LinePattern.Mistake.self) { _ = try ProcessFinder("a(b") }
  }

  // MARK: Who comes later

  @Test
  func
    `the next one is not the one before, but may be older; a number given anew is another process`()
    throws
  {
    let fixture = try Fixture("linux-6.18/process")
    let start = try ProcessFacts(pid: fixture.pid, root: fixture.root).target.startTicks
    func next(pid: Int32, _ startTicks: UInt64) throws -> Int32? {
      var finder = try ProcessFinder("perfhud-load", root: fixture.root)
      return finder.next(
        after: Target(pid: pid, startTicks: startTicks), now: Instant(nanoseconds: 1))
    }
    #expect(try next(pid: fixture.pid, start) == nil)
    #expect(try next(pid: fixture.pid, start - 1) == fixture.pid)
    #expect(try next(pid: 7, start) == fixture.pid)
    #expect(try next(pid: 7, start + 1) == fixture.pid)
  }

  @Test func `when one ends, another that was there all the time is taken`() throws {
    let names = try Names()
    let program = try names.link("/bin/sleep", as: "pho")
    let old = try sleep(program.path)
    usleep(30_000)
    let young = try sleep(program.path)
    var finder = try ProcessFinder(program.name)
    #expect(try finder.all().map(\.target.pid) == [Int32(young.pid), Int32(old.pid)])
    let target = try ProcessFacts(pid: Int32(young.pid)).target
    finder.begin(target, now: .now())
    young.signal(SIGKILL)
    _ = try young.wait()
    #expect(finder.next(after: target, now: .now()) == Int32(old.pid))
  }

  /// A shell with the command line of its program in its own, which matches as that does.
  private func wrapped(_ pattern: String) throws -> (shell: RunningTool, program: Int32) {
    let outer = try RunningTool(
      [ProcessFinderTests.shell, "-c", "env \(pattern)=1 sh -c 'echo $$; read x; : \(pattern)'; :"])
    guard let line = try outer.readLine(), let program = Int32(line) else {
      throw ToolError("the program did not begin")
    }
    return (outer, program)
  }

  @Test func `a wrapper is left out for its program, and replaced by it`() throws {
    let pattern = "phw\(UInt32.random(in: 0...999_999))"
    let (shell, program) = try wrapped(pattern)
    #expect(try find(pattern).map(\.target.pid) == [program])
    // With descendants counted the wrapper stands for both.
    #expect(try find(pattern, joins: true).map(\.target.pid) == [Int32(shell.pid)])
    // Found before its program had begun.
    var finder = try ProcessFinder(pattern)
    finder.begin(try ProcessFacts(pid: Int32(shell.pid)).target, now: .now())
    #expect(finder.replacement(now: .now()) == program)
    let late = Instant.now().advanced(byNanoseconds: ProcessFinder.wrapperTime + 1_000_000_000)
    #expect(finder.replacement(now: late) == nil)
    // When the program ends, the shell that has started it is not it.
    let target = try ProcessFacts(pid: program).target
    finder.begin(target, now: .now())
    #expect(finder.next(after: target, now: .now()) == nil)
    shell.closeInput()
    _ = try shell.wait()
  }

  @Test func `a program that is executed after its process began is found within a look or two`()
    throws
  {
    let names = try Names()
    let program = try names.link("/bin/sleep", as: "phx")
    let shell = try RunningTool([ProcessFinderTests.shell, "-c", "read x; exec \(program.path) 60"])
    var finder = try ProcessFinder(program.name)
    // By its name, so that the shell with the name in its command line is not meant.
    let former = try sleep(program.path)
    #expect(try finder.all().first?.target.pid == Int32(former.pid))
    let target = try ProcessFacts(pid: Int32(former.pid)).target
    former.signal(SIGKILL)
    _ = try former.wait()
    var now = Instant.now()
    #expect(finder.next(after: target, now: now) == nil)
    // Younger than the one before, since its start is what counts.
    let young = try RunningTool([ProcessFinderTests.shell, "-c", "read x; exec \(program.path) 60"])
    #expect(finder.next(after: target, now: now) == nil)
    try young.send("go")
    try waitUntil("the program") { () throws(ToolError) in
      // Where many processes begin at the same time, some wait for the look at all, once a second.
      now = max(now.advanced(byNanoseconds: 1_000_000), Instant.now())
      return finder.next(after: target, now: now) == Int32(young.pid)
    }
    shell.closeInput()
  }

  // MARK: The thread

  private func wait(
    _ thread: SamplerThread, _ condition: (Sample) -> Bool
  ) throws -> Sample {
    var found: Sample?
    try waitUntil("the sample") { () throws(ToolError) in
      thread.acknowledge()
      while found == nil, let sample = thread.next() {
        if condition(sample) { found = sample }
      }
      return found != nil
    }
    guard let found else { throw ToolError("no sample") }
    return found
  }

  @Test func `a program that is killed and started again is followed, with the next number`() throws
  {
    let names = try Names()
    let program = try names.link("/bin/sleep", as: "phf")
    let options = SamplerOptions(intervalNanoseconds: 20_000_000, provisionalFirst: false)
    // Nothing is there at first: no reading is made.
    let thread = try SamplerThread(
      pid: nil, followedBy: try ProcessFinder(program.name), options: options)
    #expect(thread.facts.target.pid == 0 && thread.facts.commandLine == program.name)
    try thread.start()
    for number in 0..<3 {
      let tool = try sleep(program.path)
      let first = try wait(thread) { $0.pid == Int32(tool.pid) }
      #expect(first.targetNumber == UInt32(number) && !first.hasEnded)
      let cpu = try #require(first.cpuNanoseconds.value)
      #expect(cpu < 2_000_000_000)
      _ = try wait(thread) { $0.pid == Int32(tool.pid) && $0.sequence > first.sequence }
      tool.signal(SIGKILL)
      _ = try tool.wait()
      let last = try wait(thread) { $0.hasEnded }
      #expect(last.pid == Int32(tool.pid) && last.targetNumber == UInt32(number))
    }
    thread.stop()
  }
}
