import Glibc
import PerfHUDBase
import SystemPackage

/// Reads a configuration file, which may also be a pipe (`<(…)` in a shell): at most 1 MiB, within 2 s. A pipe that
/// never ends, or that nobody writes to, must not keep perfhud from starting.
enum ConfigSource {
  static let limit = 1 << 20
  private static let patience = 2.0

  /// - Throws: `EFBIG` beyond the limit, `ETIMEDOUT` if it does not end in time.
  static func read(_ path: String) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(open: path, options: .nonBlocking)
    let deadline = Instant.now().advanced(bySeconds: patience)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe Glibc.read(file.raw, $0.baseAddress, $0.count)
      }
      let code = Errno(rawValue: errno)
      if count > 0 {
        bytes += chunk[..<count]
        guard bytes.count <= limit else {
          throw SystemError(
            call: "read", subject: path, code: .fileTooLarge,
            advice: "a configuration file has at most 1 MiB")
        }
      } else if count == 0, !bytes.isEmpty || !awaitsWriter(file.raw) {
        return bytes
      } else if count == 0 || code == .resourceTemporarilyUnavailable {
        try wait(for: file.raw, path, until: deadline)
      } else if code != .interrupted {
        throw SystemError(call: "read", subject: path, code: code)
      }
    }
  }

  /// Whether it is a FIFO that is empty and was not closed: nobody has opened it for writing yet.
  private static func awaitsWriter(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
      return false
    }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) == 0
  }

  private static func wait(
    for descriptor: Int32, _ path: String, until deadline: Instant
  ) throws(SystemError) {
    let left = deadline.nanoseconds(since: .now())
    guard left > 0 else {
      throw SystemError(
        call: "read", subject: path, code: .timedOut,
        advice: "nobody has written all of it within 2 s; name a file")
    }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&entry, 1, Int32(left / 1_000_000) + 1)
  }
}
