import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// System calls of perfhud fail, one or many: nothing hangs or spins, no byte of the program is lost or doubled, its
/// status arrives, the terminal's modes are those from before, and one line says what is missing.
@Suite(.disabled(if: Overlay.isControl), .waiting) struct FaultMatrixTests {
  private static let count = 1000
  /// Numbered sequences of the command's own, and text.
  private static let command = [
    "sh", "-c",
    #"awk 'BEGIN { for (i = 0; i < \#(count); i++) printf "\033]7777;%d\007line %d of a log\n", i, i }'; exit 42"#,
  ]
  /// What an xterm answers to perfhud's questions.
  private static let answers =
    "\u{1B}P>|XTerm(390)\u{1B}\\\u{1B}[?2026;2$y\u{1B}[?69;0$y\u{1B}[1;1R\u{1B}[?62;22c"
  private static let lastQuestion = Array("\u{1B}[c".utf8)

  private let directory: TemporaryDirectory
  private let untouched: [UInt32]

  init() throws {
    try requireTool("gcc")
    directory = try TemporaryDirectory()
    let pty = try Pty(["true"])
    _ = try pty.wait(deadline: Perfhud.deadline)
    untouched = words(of: pty.modes)
  }

  private func start(_ fault: Fault, _ arguments: [String]) throws -> Pty {
    try Pty(
      try fault.wrap([try Perfhud.path()] + arguments, report: directory.file("report")),
      environment: try Overlay.environment(["SHELL": "/bin/sh"]))
  }

  private static func numbers(in output: [UInt8]) -> [Int] {
    let mark = Array("\u{1B}]7777;".utf8)
    var found: [Int] = []
    var at = 0
    while at + mark.count < output.count {
      guard output[at] == 0x1B, output[at..<at + mark.count].elementsEqual(mark) else {
        at += 1
        continue
      }
      at += mark.count
      var number = 0
      while at < output.count, let digit = Optional(output[at]), (0x30...0x39).contains(digit) {
        number = number * 10 + Int(digit) - 0x30
        at += 1
      }
      found.append(number)
    }
    return found
  }

  /// The lines in which perfhud says something.
  private static func said(_ text: String) -> Int { text.components(of: "perfhud: ") }

  /// Whether the command has run as it would have alone, or perfhud has said why it could not.
  private func expectRun(_ pty: Pty, _ status: ExitStatus, _ fault: Fault) {
    let report = FaultReport(path: directory.file("report"))
    let numbers = Self.numbers(in: pty.output)
    let text = "\(fault) at \(report.targets.prefix(3)): \(status), \(numbers.count) numbers"
    #expect(!Fault.badEnds.contains(status), "\(text), \(quote(pty.output.suffix(300)))")
    #expect(words(of: pty.modes) == untouched, "\(text)")
    #expect(Self.said(pty.text) <= 1, "\(text), \(quote(pty.output.suffix(600)))")
    if fault.error == "EIO", report.hitsTerminal {
      // So a terminal says that it has gone. The command may have ended before.
      #expect([.signal(Int(SIGHUP)), .exit(42)].contains(status), "\(text)")
      #expect(numbers == Array(0..<numbers.count), "\(text)")
    } else if status == .exit(42) {
      #expect(numbers == Array(0..<Self.count), "\(text), \(quote(pty.output.suffix(300)))")
    } else {
      // It was not started, and that is said.
      #expect(status == .exit(125) && numbers.isEmpty, "\(text), \(quote(pty.output.suffix(300)))")
      #expect(Self.said(pty.text) == 1, "\(text), \(quote(pty.output.suffix(600)))")
    }
  }

  @Test(arguments: Fault.all)
  func `over a command`(fault: Fault) throws {
    let status = try runOverlay(fault)
    guard fault.isCertain, !Overlay.isLong else { return }
    #expect(
      !FaultReport(path: directory.file("report")).targets.isEmpty, "\(fault): never, \(status)")
  }

  @Test(arguments: [
    Fault(call: "pread64", error: "ESRCH", first: 3, each: 3, thread: "perfhud-sampler"),
    Fault(call: "openat", error: "ENOENT", first: 2, each: 3, thread: "perfhud-sampler"),
    Fault(call: "getdents64", error: "ENOENT", first: 1, each: 2, thread: "perfhud-sampler"),
    Fault(call: "mmap", error: "ENOMEM", first: 1, each: 1, thread: "perfhud-sampler"),
  ])
  func `files of /proc that vanish while they are sampled, and no memory for them`(
    fault: Fault
  ) throws {
    #expect(try runOverlay(fault) == .exit(42))
  }

  /// Runs the command below the HUD on a terminal that answers.
  private func runOverlay(_ fault: Fault) throws -> ExitStatus {
    let pty = try start(fault, ["--no-summary", "--"] + Self.command)
    var answers = Self.answers
    var searched = 0
    let status = try pty.wait(deadline: Perfhud.deadline) { pty in
      guard !answers.isEmpty else { return }
      // Part of a question may have come.
      let start = max(0, searched - Self.lastQuestion.count)
      searched = pty.output.count
      guard quote(pty.output[start...]).contains("\\e[c") else { return }
      try? pty.send(answers)
      answers = ""
    }
    expectRun(pty, status, fault)
    return status
  }

  @Test(arguments: Fault.all.filter { $0.error != "EIO" || $0.call != "ioctl" })
  func `a command that is measured`(fault: Fault) throws {
    let rows = directory.file("rows")
    let pty = try start(
      fault, ["--batch", "--no-summary", "--format", "csv", "--output", rows, "--"] + Self.command)
    expectRun(pty, try pty.wait(deadline: Perfhud.deadline), fault)
  }

  /// What fails at the start, or later for good, is one line.
  private func expectLine(_ status: ExitStatus, _ text: String, _ fault: Fault) {
    #expect(status == .exit(1) && Self.said(text) == 1, "\(fault): \(status), \(quote(text.utf8))")
  }

  @Test(arguments: Fault.all.filter { $0.call != "mmap" })
  func `attached, on the whole screen`(fault: Fault) throws {
    let load = try Load()
    let pty = try start(fault, ["--pid", "\(load.pid)"])
    var isAsked = false
    let status = try pty.wait(deadline: Perfhud.deadline) { pty in
      guard !isAsked, quote(pty.output.suffix(8192)).contains("iB") else { return }
      isAsked = true
      try? pty.send("q")
    }
    let report = FaultReport(path: directory.file("report"))
    #expect(!Fault.badEnds.contains(status), "\(fault), \(quote(pty.output.suffix(300)))")
    #expect(words(of: pty.modes) == untouched, "\(fault) at \(report.targets.prefix(3))")
    if status == .exit(0) { return }
    if fault.error == "EIO", report.hitsTerminal, status == .signal(Int(SIGHUP)) { return }
    expectLine(status, pty.text, fault)
  }

  @Test(arguments: Fault.all.filter { $0.call != "mmap" })
  func `attached, with rows into a file`(fault: Fault) throws {
    let load = try Load()
    let rows = directory.file("rows")
    let output = try Tool.run(
      try fault.wrap(
        [
          try Perfhud.path(), "--batch", "--pid", "\(load.pid)", "--interval", "20ms", "--samples",
          "10", "--format", "csv", "--output", rows,
        ], report: directory.file("report")), environment: Perfhud.environment(),
      timeout: Perfhud.deadline)
    #expect(!Fault.badEnds.contains(output.status), "\(fault), \(output.stderr)")
    // Each row is whole.
    let text =
      (try? readFile(rows, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let widths = text.split(separator: "\n").map(String.init).map { $0.components(of: ",") }
    if output.status == .exit(0) {
      #expect(widths.count == 11 && Set(widths).count == 1, "\(fault): \(text), \(output.stderr)")
    } else {
      expectLine(output.status, output.stderr, fault)
      #expect(Set(widths.dropLast()).count <= 1, "\(fault): \(text)")
    }
  }

  @Test func `a disk that fills up ends the rows, which one line says, and not the command`() throws
  {
    let rows = directory.file("rows")
    let fault = Fault(call: "write", error: "ENOSPC", first: 1, each: 1, file: rows)
    let pty = try start(
      fault, ["--no-summary", "--batch", "--output", rows, "--"] + Self.command)
    let status = try pty.wait(deadline: Perfhud.deadline)
    #expect(FaultReport(path: directory.file("report")).targets.contains { $0 == rows })
    expectRun(pty, status, fault)
    #expect(status == .exit(42) && Self.said(pty.text) == 1, "\(quote(pty.output.suffix(300)))")
  }

  @Test func `a disk that is full at the start leaves out the metrics, and not the command`() throws
  {
    let fault = Fault(call: "rename", error: "ENOSPC", first: 1, each: 1)
    let path = directory.file("run.prom")
    let pty = try start(
      fault,
      ["--no-summary", "--batch", "-o", "/dev/null", "--prometheus", path, "--"] + Self.command)
    let status = try pty.wait(deadline: Perfhud.deadline)
    #expect(!FaultReport(path: directory.file("report")).targets.isEmpty)
    expectRun(pty, status, fault)
    #expect(status == .exit(42) && Self.said(pty.text) == 1, "\(quote(pty.output.suffix(300)))")
    #expect(unsafe access(path, F_OK) != 0)
  }
}
