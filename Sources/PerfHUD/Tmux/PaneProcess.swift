import PerfHUDBase

/// What `perfhud tmux` reads of a process, from `/proc/PID/stat`; the numbers of the fields are those of proc(5).
struct PaneProcess: Equatable {
  var pid: Int32
  /// The name that the kernel keeps; not made harmless.
  var name: String
  var hasEnded: Bool
  /// Field 5: the process group.
  var group: Int32
  /// Field 8: the process group in the foreground of its terminal; -1 without a terminal.
  var foreground: Int32
  /// Fields 14 to 17: CPU time, with that of descendants that were waited for, in clock ticks.
  var ticks: UInt64
  /// Field 22: its start, in clock ticks since boot.
  var start: UInt64

  /// - Returns: `nil` for bytes that are cut off or make no sense.
  init?(_ bytes: some Collection<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    // The name may contain both parentheses and spaces.
    guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close,
      let pid = Int32(text[..<open].split(separator: " ").first ?? "")
    else { return nil }
    let fields = text[text.index(after: close)...].split(separator: " ")
    guard fields.count > 19, let group = Int32(fields[2]), let foreground = Int32(fields[5]),
      let start = UInt64(fields[19])
    else { return nil }
    var ticks: UInt64 = 0
    for field in fields[11...14] {
      guard let value = UInt64(field) else { return nil }
      let (sum, overflows) = ticks.addingReportingOverflow(value)
      if overflows { return nil }
      ticks = sum
    }
    self.pid = pid
    name = String(text[text.index(after: open)..<close])
    hasEnded = ["Z", "X", "x"].contains(fields[0])
    self.group = group
    self.foreground = foreground
    self.ticks = ticks
    self.start = start
  }

  /// Reads a process; `nil` if there is none.
  init?(pid: Int32) {
    guard let bytes = try? readFile("/proc/\(pid)/stat"), let found = PaneProcess(bytes) else {
      return nil
    }
    self = found
  }

  /// Its private memory in bytes, as MEM in the HUD but without swap and page tables.
  ///
  /// Source: fields 2 and 3 of `/proc/PID/statm`.
  func privateBytes(pageSize: UInt64) -> UInt64 {
    guard let bytes = try? readFile("/proc/\(pid)/statm") else { return 0 }
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ").prefix(3).compactMap {
      UInt64($0)
    }
    guard fields.count == 3, fields[1] > fields[2] else { return 0 }
    let (size, overflows) = (fields[1] - fields[2]).multipliedReportingOverflow(by: pageSize)
    return overflows ? 0 : size
  }

  /// The processes that its main thread has started; empty where the kernel does not list them.
  ///
  /// Source: `/proc/PID/task/PID/children`.
  static func children(of pid: Int32) -> [Int32] {
    guard let bytes = try? readFile("/proc/\(pid)/task/\(pid)/children") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
  }
}
