import Glibc
import PerfHUDBase

/// A program on a terminal that does only what the test says: it takes as many bytes as it is told to,
/// and can be pulled away. The program is killed at the end of its life.
public final class ManualTerminal {
  private var pair: PtyPair?
  private var child: ChildProcess

  /// For the parameters see ``Pty/init(_:columns:rows:environment:directory:)``.
  public init(
    _ argv: [String], columns: Int = 80, rows: Int = 24, environment: [String: String?] = [:]
  ) throws(ToolError) {
    let defaults: [String: String?] = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"]
    let pair = try PtyPair(columns: columns, rows: rows)
    child = try ChildProcess(
      argv, environment: defaults.merging(environment) { $1 }, directory: nil,
      standard: .terminal(path: pair.name))
    self.pair = consume pair
  }

  public var pid: Int { Int(child.pid) }

  /// Takes what is there, at most so many bytes.
  public func take(atMost count: Int = 1 << 16) -> [UInt8] {
    guard let master = pair?.master.raw else { return [] }
    var chunk = [UInt8](repeating: 0, count: count)
    let taken = unsafe chunk.withUnsafeMutableBytes {
      unsafe Glibc.read(master, $0.baseAddress, $0.count)
    }
    return Array(chunk.prefix(max(0, taken)))
  }

  /// Takes all that is there: one reading of a terminal gives 4096 bytes at most.
  public func takeAll() -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = take()
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  /// Types the bytes that the kernel takes now, and returns how many these are.
  public func type(_ bytes: ArraySlice<UInt8>) -> Int {
    guard let master = pair?.master.raw else { return 0 }
    var rest = bytes
    _ = writeSome(master, &rest)
    return bytes.count - rest.count
  }

  /// The side of the terminal, to be waited for; -1 once it has gone.
  public var descriptor: Int32 { pair?.master.raw ?? -1 }

  /// Sets the size, in cells; the program gets `SIGWINCH`.
  public func resize(columns: Int, rows: Int) { pair?.resize(columns: columns, rows: rows) }

  /// The terminal goes away: the program gets `SIGHUP`, and an end of its input.
  public func hangUp() { pair = nil }

  public func signal(_ number: Int32) { child.signal(number) }

  /// How it ended; `nil` while it runs.
  public var status: ExitStatus? { child.wait(until: Instant.now()) }
}
