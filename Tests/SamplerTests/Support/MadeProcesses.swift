import Glibc
import TestSupport

/// Processes in a /proc of their own, whose files a test writes.
final class MadeProcesses {
  private let directory: TemporaryDirectory
  var root: String { directory.path }

  init() throws {
    directory = try TemporaryDirectory()
    try makeDirectory("self")
  }

  /// Writes the files of a process.
  ///
  /// - Parameters:
  ///   - start: another start means another process with the same number.
  ///   - read: bytes read from storage.
  ///   - privatePages: resident pages of private memory.
  ///   - isForked: whether it has executed no program since it was forked.
  ///   - stack: the address of its stack, 0 if this user may not read it.
  ///   - waited: for how long each of its threads has waited for a processor, in nanoseconds.
  func write(
    _ pid: Int32, parent: Int32, start: UInt64 = 1000, read: UInt64 = 0, written: UInt64 = 0,
    privatePages: Int = 400, isForked: Bool = false, stack: UInt64 = 0,
    waited: [Int32: UInt64] = [:]
  ) throws {
    try makeDirectory("\(pid)")
    let threads = max(1, waited.count)
    let numbers =
      "\(parent) \(pid) \(pid) 0 -1 \(isForked ? 64 : 0) 0 0 0 0 1 1 0 0 20 0 \(threads) 0"
    let zeros = String(repeating: " 0", count: 24)
    try write(
      "\(pid) (program) S \(numbers) \(start) 0 0 0 1 1 \(stack)\(zeros)", pid, "stat")
    try write("1000 \(privatePages + 100) 100 1 0 600 0", pid, "statm")
    try write("Tgid:\t\(pid)\nVmPTE:\t    40 kB\nVmSwap:\t     0 kB\n", pid, "status")
    try write("program\0", pid, "cmdline")
    try write(
      "rchar: 0\nwchar: 0\nsyscr: 0\nsyscw: 0\nread_bytes: \(read)\nwrite_bytes: \(written)\n"
        + "cancelled_write_bytes: 0\n", pid, "io")
    try makeDirectory("\(pid)/task")
    for (thread, nanoseconds) in waited {
      let line = "1000 \(nanoseconds) 5\n"
      if thread == pid { try write(line, pid, "schedstat") }
      try makeDirectory("\(pid)/task/\(thread)")
      try write(line, pid, "task/\(thread)/schedstat")
    }
  }

  private func write(_ text: String, _ pid: Int32, _ name: String) throws {
    try TestFile.write(Array(text.utf8), to: directory.file("\(pid)/\(name)"))
  }

  private func makeDirectory(_ name: String) throws {
    guard unsafe mkdir(directory.file(name), 0o755) == 0 || errno == EEXIST else {
      throw ToolError("mkdir \(directory.file(name))")
    }
  }
}
