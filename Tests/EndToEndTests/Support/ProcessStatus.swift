import Glibc
import PerfHUDBase
import TestSupport

/// A process as /proc shows it now.
struct ProcessStatus {
  let state: String
  /// Of the main thread, since its start.
  let switches: Int
  let residentBytes: Int

  /// `nil` if there is none of that number.
  init?(_ pid: Int) {
    guard let bytes = try? readFile("/proc/\(pid)/status", limit: 1 << 16) else { return nil }
    var fields: [Substring: Substring] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[parts[0]] = parts[1].drop { $0 == "\t" || $0 == " " } }
    }
    guard let state = fields["State"]?.first else { return nil }
    self.state = String(state)
    func number(_ key: Substring) -> Int {
      fields[key]?.split(separator: " ").first.flatMap { Int($0) } ?? 0
    }
    switches = number("voluntary_ctxt_switches")
    residentBytes = number("VmRSS") * 1024
  }

  /// Voluntary switches of all threads of a process.
  static func allSwitches(_ pid: Int) throws(ToolError) -> Int {
    try Tool.run(["ls", "/proc/\(pid)/task"]).lines
      .compactMap { Int($0).flatMap { ProcessStatus($0) } }.reduce(0) { $0 + $1.switches }
  }

  /// Memory that a process alone has written, to the page; VmRSS may lag by some.
  static func privateBytes(_ pid: Int) throws -> Int {
    let text = String(decoding: try readFile("/proc/\(pid)/smaps_rollup"), as: UTF8.self)
    guard let kilobytes = text.firstMatch(of: #/Private_Dirty: *(\d+) kB/#).flatMap({ Int($0.1) })
    else { throw ToolError("no Private_Dirty: \(text)") }
    return kilobytes * 1024
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
