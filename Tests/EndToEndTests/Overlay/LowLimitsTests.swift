import TestSupport
import Testing

/// Limits that are too low for perfhud: the command runs as without it, with one line on why.
@Suite struct LowLimitsTests {
  private static let options = ["--no-summary", "--batch --no-summary"]

  /// Runs a command below a limit: under the HUD, or without a terminal.
  private func run(_ limit: String, _ options: String, before: String = "") throws -> String {
    // "here" is in the command's output, and not in the command line that a message may name.
    let script =
      "exec 2>&1; \(limit); \(before)\"$perfhud\" \(options) -- sh -c 'echo he\"\"re; exit 6'; echo status $?"
    guard !options.contains("--batch") else { return try Perfhud.shell(script).stdout }
    let pty = try Overlay.script(script)
    _ = try pty.wait(deadline: Perfhud.deadline)
    return pty.text
  }

  private func expectRun(_ output: String, isMeasured: Bool) {
    #expect(output.contains("here") && output.contains("status 6"), "\(output)")
    #expect(output.contains("the command runs without perfhud") == !isMeasured, "\(output)")
  }

  @Test(arguments: options, [5, 7, 9, 12, 16, 20, 30, 44, 200])
  func `few files`(options: String, limit: Int) throws {
    expectRun(try run("ulimit -n \(limit)", options), isMeasured: limit > 100)
  }

  @Test func `without the means the command takes the place of perfhud`() throws {
    let pty = try Overlay.script(
      "ulimit -n 20; echo \"was $$\"; exec \"$perfhud\" -- sh -c 'echo \"is $$\"; exit 6'")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(6))
    let ids = pty.text.matches(of: #/(?:was|is) (\d+)/#).map(\.output.1)
    #expect(ids.count == 2 && ids.first == ids.last, "\(pty.text)")
  }

  @Test(arguments: options, [("-s 64", false), ("-s 128", false), ("-s 1024", true)])
  func `a small stack`(options: String, limit: (String, Bool)) throws {
    expectRun(try run("ulimit \(limit.0)", options), isMeasured: limit.1)
  }

  /// Below some 19 MB, and 3 MB of data, the kernel itself cannot load the program.
  @Test(arguments: options, [("-v 23000", false), ("-v 40000", false), ("-v 100000", true)])
  func `little address space`(options: String, limit: (String, Bool)) throws {
    expectRun(try run("ulimit \(limit.0)", options), isMeasured: limit.1)
  }

  @Test(arguments: options, [("-d 5000", false), ("-d 10000", false), ("-d 100000", true)])
  func `little data memory`(options: String, limit: (String, Bool)) throws {
    expectRun(try run("ulimit \(limit.0)", options), isMeasured: limit.1)
  }

  @Test(arguments: options)
  func `no more processes`(options: String) throws {
    try requireRoot()
    // A user of this test alone, whose processes are counted.
    let user = options.contains("--batch") ? 54321 : 54322
    let change = "setpriv --reuid \(user) --regid \(user) --clear-groups --bounding-set=-all "
    expectRun(try run(":", options, before: "prlimit --nproc=1 " + change), isMeasured: false)
    expectRun(try run(":", options, before: "prlimit --nproc=100 " + change), isMeasured: true)
  }

  @Test(arguments: ["ulimit -n 16", "ulimit -n 12", "ulimit -s 128", "ulimit -v 23000"])
  func `without a command it is one line that says what to do`(limit: String) throws {
    let output = try Perfhud.shell("\(limit); exec \"$perfhud\" --pid $$ --samples 1")
    #expect([.exit(1), .exit(125)].contains(output.status), "\(output)")
    #expect(output.stdout.isEmpty && splitCount(output.stderr) == 1, "\(output)")
    #expect(output.stderr.hasPrefix("perfhud: ") && output.stderr.contains("ulimit"), "\(output)")
  }

  @Test func `a command that is not there: 127 and a line as ever`() throws {
    let output = try Perfhud.shell("ulimit -s 128; exec \"$perfhud\" -- ./no-such-program")
    #expect(output.status == .exit(127))
    #expect(output.stderr.contains("./no-such-program"))
  }
}
