import Glibc
import PerfHUDBase

/// A process as `/proc/PID/stat` shows it now.
public struct ProcessEntry: Sendable {
  public let pid: Int
  /// The process that started it, or that has adopted it.
  public let parent: Int
  /// The session that it belongs to.
  public let session: Int
  /// `R`, `S`, `D`, `T`, `Z`, ….
  public let state: Character
  public let name: String

  /// `nil` if there is none of that number.
  public init?(_ pid: Int) {
    guard let bytes = try? readFile("/proc/\(pid)/stat", limit: 1 << 16) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")") else {
      return nil
    }
    let fields = text[text.index(after: close)...].split(separator: " ")
    guard fields.count > 3, let state = fields[0].first, let parent = Int(fields[1]),
      let session = Int(fields[3])
    else { return nil }
    self.pid = pid
    self.parent = parent
    self.session = session
    self.state = state
    name = String(text[text.index(after: open)..<close])
  }

  /// Whether it lives: a zombie that nobody has reaped yet does not.
  public static func isAlive(_ pid: Int) -> Bool {
    guard let entry = ProcessEntry(pid) else { return false }
    return entry.state != "Z" && entry.state != "X"
  }
}

/// All processes that this process can see.
public enum ProcessTable {
  public static func all() -> [ProcessEntry] {
    guard let folder = unsafe opendir("/proc") else { return [] }
    defer { unsafe closedir(folder) }
    var entries: [ProcessEntry] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let pid = Int(name), let process = ProcessEntry(pid) { entries.append(process) }
    }
    return entries
  }

  /// The process and all below it that have not been adopted by another.
  public static func tree(_ root: Int) -> [ProcessEntry] {
    let all = all()
    var found = all.filter { $0.pid == root }
    var next = 0
    while next < found.count {
      let parent = found[next].pid
      found += all.filter { $0.parent == parent }
      next += 1
    }
    return found
  }

  /// Whether no process of the tree runs or waits for a disk.
  public static func isIdle(_ root: Int) -> Bool {
    tree(root).allSatisfy { $0.state != "R" && $0.state != "D" }
  }
}

/// Whether a process was sent a signal that it has not taken yet: another of the same would be lost in it.
///
/// Source: `ShdPnd` in `/proc/PID/status`.
public func isSignalPending(_ number: Int32, _ pid: pid_t) -> Bool {
  guard let bytes = try? readFile("/proc/\(pid)/status", limit: 1 << 16),
    let found = String(decoding: bytes, as: UTF8.self).firstMatch(of: #/ShdPnd:\s+([0-9a-f]+)/#),
    let set = UInt64(found.output.1, radix: 16)
  else { return false }
  return set >> UInt64(number - 1) & 1 == 1
}
