import Base
import Glibc
import TestSupport

/// perfhud printing JSON lines beside the test.
final class BatchRun {
  private let tool: RunningTool

  /// - Parameter arguments: besides `--batch --format jsonl`.
  init(_ arguments: String..., environment: [String: String?] = [:]) throws(ToolError) {
    tool = try RunningTool(
      [try Perfhud.path(), "--batch", "--format", "jsonl"] + arguments,
      environment: Perfhud.environment(environment))
  }

  var pid: Int { tool.pid }
  var stderr: String { tool.stderr }

  /// The next line; `nil` at the end of the output.
  func next() throws(ToolError) -> JSONLine? {
    guard let line = try tool.readLine(deadline: Perfhud.deadline) else { return nil }
    return try JSONLine(line)
  }

  /// The next line for which the condition holds.
  func next(
    where condition: (JSONLine) throws(ToolError) -> Bool
  ) throws(ToolError) -> JSONLine {
    let deadline = Instant.now().advanced(bySeconds: Perfhud.deadline)
    while let line = try next() {
      if try condition(line) { return line }
      guard Instant.now() < deadline else { throw ToolError("no such line: \(line)") }
    }
    throw ToolError("the lines ended before such a line; stderr: \(stderr)")
  }

  /// The first line of a reading that began after the moment, in nanoseconds of CLOCK_MONOTONIC.
  ///
  /// A row has the time of the wall clock. perfhud follows a step of that clock when it is
  /// over 10 ms, so that the two scales agree to that much; 20 ms are on the safe side.
  func next(after moment: Int) throws(ToolError) -> JSONLine {
    let border = Double(moment) * 1e-9 + BatchRun.wallClockOffset() + 0.02
    return try next { line throws(ToolError) in try line.number("t") ?? 0 > border }
  }

  /// All lines up to the end.
  func rest() throws(ToolError) -> [JSONLine] {
    var lines: [JSONLine] = []
    while let line = try next() { lines.append(line) }
    return lines
  }

  func signal(_ number: Int32) { tool.signal(number) }

  func wait() throws(ToolError) -> ExitStatus { try tool.wait(deadline: Perfhud.deadline) }

  /// Unix time at monotonic zero, in seconds.
  static func wallClockOffset() -> Double {
    var real = timespec()
    var monotonic = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &real)
    unsafe clock_gettime(CLOCK_MONOTONIC, &monotonic)
    return Double(real.tv_sec - monotonic.tv_sec) + 1e-9 * Double(real.tv_nsec - monotonic.tv_nsec)
  }
}

/// How far the kernel's own values of a process's memory may differ from the truth.
///
/// Since Linux 6.16 statm is exact. Before, up to 64 pages of each processor or thread are not yet in
/// the sum. 64 KiB are for what the load itself touches by and by (its buffers, its stack).
enum KernelMemory {
  static let pageBytes = Double(sysconf(Int32(_SC_PAGESIZE)))

  static let noise: Double = {
    let processors = Double(sysconf(Int32(_SC_NPROCESSORS_CONF)))
    return 65536 + (isExact ? 0 : 64 * pageBytes * (processors + 1))
  }()

  private static let isExact: Bool = {
    guard let release = try? Tool.run(["uname", "-r"]).stdout else { return false }
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 16)
  }()
}
