import Glibc
import PerfHUDBase
import Terminal

/// Lines about alerts for standard error. They wait here until it takes them, and delay nothing.
struct AlertLines: ~Copyable {
  /// The maximum number of waiting lines; further lines are only counted.
  static let capacity = 20
  /// The maximum number of characters in a line.
  private static let lengthLimit = 200

  private var queue = OutputQueue()
  private var waiting = 0
  /// The number of lines without room.
  private var omitted = 0

  /// A line as it is written, including its end.
  static func text(_ line: String) -> String {
    "perfhud: \(SafeText.clean(line, limit: lengthLimit))\n"
  }

  mutating func append(_ line: String) {
    guard waiting < AlertLines.capacity else {
      omitted += 1
      return
    }
    waiting += 1
    queue.append(AlertLines.text(line))
  }

  /// Writes as much as the descriptor takes now.
  mutating func flush(to descriptor: Int32 = STDERR_FILENO) {
    guard waiting > 0 else { return }
    write(to: descriptor)
    guard queue.isEmpty, omitted > 0 else { return }
    append("\(omitted) more alert\(omitted == 1 ? "" : "s")")
    omitted = 0
    write(to: descriptor)
  }

  /// Writes everything, as long as the descriptor makes progress within a second.
  mutating func finish(to descriptor: Int32 = STDERR_FILENO) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    flush(to: descriptor)
    while waiting > 0, unsafe poll(&entry, 1, 1000) > 0 { flush(to: descriptor) }
  }

  private mutating func write(to descriptor: Int32) {
    do {
      // The file description is shared, so its mode stays as it is. It is polled before each write.
      try queue.flush(to: descriptor, mayBlock: true)
    } catch {
      // Nobody reads it any more.
      queue.removeAll()
    }
    if queue.isEmpty { waiting = 0 }
  }
}
