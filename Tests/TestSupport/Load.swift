import PerfHUDBase

/// The load of `Tests/Load`, driven by commands: memory, threads, children and names at will.
public final class Load {
  private let tool: RunningTool

  /// Starts `perfhud-load serve` and waits until it is ready.
  ///
  /// - Parameter program: a link to it, whose name is that of the process; `nil` starts it as it is called.
  public init(program: String? = nil) throws(ToolError) {
    let path = if let program { program } else { try Products.path("perfhud-load") }
    tool = try RunningTool([path, "serve"])
    guard try tool.readLine() == "ready \(tool.pid)" else {
      throw ToolError("perfhud-load is not ready; its errors: \(tool.stderr)")
    }
  }

  public var pid: Int { tool.pid }

  /// Sends a command, such as `alloc 1000000`, and returns the numbers of its answer.
  ///
  /// - Throws: when it answers with an error or not in time.
  @discardableResult
  public func command(_ line: String, deadline: Double = 20) throws(ToolError) -> [Int] {
    try tool.send(line)
    let answer = try tool.readLine(deadline: deadline) ?? "end of the output"
    let words = answer.split(separator: " ")
    guard words.first == "ok" else { throw ToolError("\(line): \(answer)") }
    return words.dropFirst().compactMap { Int($0) }
  }

  /// Sends a command that has no answer in time, such as a long `burn`; read it with ``answer()``.
  public func start(_ line: String) throws(ToolError) { try tool.send(line) }

  /// The numbers of the next answer.
  public func answer(deadline: Double = 20) throws(ToolError) -> [Int] {
    let answer = try tool.readLine(deadline: deadline) ?? "end of the output"
    return answer.split(separator: " ").dropFirst().compactMap { Int($0) }
  }

  public func signal(_ number: Int32) { tool.signal(number) }

  /// Waits for its end and reaps it.
  public func wait(deadline: Double = 10) throws(ToolError) -> ExitStatus {
    try tool.wait(deadline: deadline)
  }
}

/// What a `perfhud-load duty` really used: the CPU time of all its threads at any moment.
public struct LoadTruth: Sendable {
  private var times: [UInt64] = []
  private var totals: [UInt64] = []
  /// By how much of it the sum differs from what the kernel counted; 1 where that is not known.
  public private(set) var doubt = 1.0

  /// Reads the file that `--truth` named.
  public init(file: String) throws(ToolError) {
    let bytes: [UInt8]
    do {
      bytes = try readFile(file, limit: 1 << 28)
    } catch {
      throw ToolError("no truth: \(error)")
    }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if line.first == UInt8(ascii: "#") {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.count == 5, words[1] == "busy_ns", let busy = Double(words[2]),
          let kernel = Double(words[4])
        else { continue }
        doubt = kernel > 0 ? abs(busy / kernel - 1) : 1
        continue
      }
      let numbers = line.split(separator: UInt8(ascii: " ")).map {
        UInt64(String(decoding: $0, as: UTF8.self)) ?? 0
      }
      guard numbers.count == 2 else { throw ToolError("a line of \(file) has not two numbers") }
      times.append(numbers[0])
      totals.append(numbers[1])
    }
    guard times.count > 1 else { throw ToolError("\(file) holds no truth") }
  }

  /// The time for which the truth is known.
  public var span: ClosedRange<Instant> {
    Instant(nanoseconds: times[0])...Instant(nanoseconds: times[times.count - 1])
  }

  /// CPU time up to the instant, in nanoseconds, linear between two lines of the file.
  public func busyNanoseconds(at instant: Instant) -> Double {
    var low = 0
    var high = times.count
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= instant.nanoseconds { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return 0 }
    guard low < times.count else { return Double(totals[totals.count - 1]) }
    let part =
      Double(instant.nanoseconds - times[low - 1]) / Double(times[low] - times[low - 1])
    return Double(totals[low - 1]) + part * Double(totals[low] - totals[low - 1])
  }

  /// The CPU use between the instants, in percent of one core.
  public func percent(from start: Instant, to end: Instant) -> Double {
    let busy = busyNanoseconds(at: end) - busyNanoseconds(at: start)
    return 100 * busy / Double(end.nanoseconds(since: start))
  }
}
