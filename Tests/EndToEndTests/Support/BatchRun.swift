import Glibc
import PerfHUDBase
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

/// Lets another perfhud make `count` readings of 20 ms: what is due on a grid meanwhile is known,
/// however slow the machine is.
func pass(readings count: Int) throws(ToolError) {
  let other = try RunningTool(["sleep", "1000"])
  let run = try BatchRun("--pid", "\(other.pid)", "--interval", "20ms", "--samples", "\(count)")
  let lines = try run.rest()
  other.signal(SIGKILL)
  guard lines.count == count else { throw ToolError("\(lines.count) lines: \(run.stderr)") }
}
