import PerfHUDBase
import TestSupport

/// System calls of perfhud that fail: see `Tests/Programs/faults.c`.
struct Fault: Sendable, CustomStringConvertible {
  let call: String
  let error: String
  /// The number of the first one that fails.
  let first: Int
  /// After that every n-th one fails too; 0: none.
  var each = 0
  /// Only calls with a descriptor of this file; `nil`: all.
  var file: String?
  /// Only calls of threads of this name; `nil`: all of perfhud.
  var thread: String?

  var description: String {
    each == 0 ? "\(call) \(first): \(error)" : "each \(each)th \(call): \(error)"
  }

  /// Whether a command below the HUD meets it however long it takes.
  var isCertain: Bool {
    // Reports go into pipes, and how often the terminal is written to depends on the time.
    if call == "write", error == "EIO" { return first < 5 }
    return error != "short" && (first < 10 || (call == "openat" && first < 25))
  }

  /// The command line that has the calls of a command fail.
  func wrap(_ command: [String], report: String) throws(ToolError) -> [String] {
    let options = ["-k", "\(first)", "-e", "\(each)", "-m", "\(Fault.mostCalls)", "-o", report]
    let filter = (file.map { ["-f", $0] } ?? []) + (thread.map { ["-p", $0] } ?? [])
    return [try Programs.compile("faults")] + options + filter + [call, error, "--"] + command
  }

  /// What no run of these tests needs: some 2000 to 6000 calls are usual. With reads of one byte each sample takes
  /// thousands, and a busy machine has time for more samples.
  private static let mostCalls = 250_000

  /// The statuses of the program that has the calls fail: something hangs, something spins, it failed itself.
  static let badEnds: [ExitStatus] = [.exit(96), .exit(97), .exit(98)]

  /// The calls on the way of a command's output, of its start, and of samples.
  ///
  /// Left out is what the kernel never does: a pipe that cannot be read or written, a terminal that is full.
  static let all: [Fault] =
    calls("read", ["EINTR", "EAGAIN", "short"], [1, 4, 9, 40, 90], upTo: 300)
    + calls("write", ["EINTR", "EAGAIN", "short"], [1, 3, 5, 9], upTo: 60)
    + calls("write", ["EIO"], [4, 9], upTo: 30)
    + calls("ppoll", ["EINTR", "ENOMEM"], [1, 2, 9], upTo: 30)
    + calls("poll", ["EINTR", "ENOMEM"], [1, 3, 5], upTo: 12)
    + calls("openat", ["EMFILE"], [4, 5, 6, 10, 12, 19, 20, 23, 27, 40, 80], upTo: 120)
    + calls("openat", ["EIO", "ENOMEM"], [8, 20, 30], upTo: 120)
    + calls("ioctl", ["EIO"], [1, 7, 20, 40], upTo: 140)
    + calls("ioctl", ["EINTR"], [3, 9], upTo: 140)
    + calls("pread64", ["EIO", "ENOMEM"], [1, 5, 30], upTo: 100)
    + calls("recvmsg", ["EINTR", "EAGAIN", "ENOMEM"], [1, 2], upTo: 4)
    + calls("sendmsg", ["EINTR", "ENOBUFS"], [1, 2], upTo: 2)
    + calls("sendto", ["EINTR", "ENOBUFS"], [1], upTo: 2)
    + calls("eventfd2", ["EMFILE"], [1, 2], upTo: 2)
    + calls("signalfd4", ["EMFILE"], [1], upTo: 1)
    + calls("memfd_create", ["EMFILE", "ENOMEM"], [1], upTo: 1)
    + calls("pidfd_open", ["EMFILE"], [1], upTo: 1)
    + calls("socketpair", ["EMFILE"], [1], upTo: 1)
    + calls("fcntl", ["EMFILE"], [4, 8, 9, 10, 11], upTo: 14)
    + calls("socket", ["EMFILE"], [1, 2], upTo: 2)
    + calls("bind", ["ENOMEM"], [1, 2], upTo: 2)
    + calls("clone", ["EAGAIN"], [1, 4, 5], upTo: 5)
    + calls("clone3", ["EAGAIN"], [1], upTo: 1)
    + calls("pipe2", ["EMFILE"], [1], upTo: 1)
    + calls("mmap", ["ENOMEM"], [4, 6, 8, 9], upTo: 13)
    + calls("getdents64", ["EIO", "EINTR"], [1, 4], upTo: 9)
    + calls("wait4", ["EINTR"], [1, 6], upTo: 8)
    + calls("waitid", ["EINTR"], [1, 3], upTo: 7)
    + [
      Fault(call: "read", error: "EINTR", first: 1, each: 2),
      Fault(call: "read", error: "short", first: 1, each: 1),
      Fault(call: "write", error: "EINTR", first: 1, each: 2),
      Fault(call: "write", error: "EAGAIN", first: 3, each: 2),
      Fault(call: "write", error: "short", first: 1, each: 2),
      Fault(call: "ppoll", error: "EINTR", first: 1, each: 2),
      Fault(call: "poll", error: "EINTR", first: 1, each: 2),
    ]

  /// The same for each error and number: those of the sample, or with `LONG_TESTS=1` all up to a last one.
  private static func calls(
    _ call: String, _ errors: [String], _ sample: [Int], upTo last: Int
  ) -> [Fault] {
    let numbers = Overlay.isLong ? Array(1...last) : sample
    return errors.flatMap { error in
      numbers.map { Fault(call: call, error: error, first: $0) }
    }
  }
}

/// What the program of the faults has reported.
struct FaultReport {
  /// The descriptor of each call that failed: a path, `socket:[…]`, or nothing.
  private(set) var targets: [Substring] = []

  init(path: String) {
    let bytes = (try? readFile(path, limit: 1 << 22)) ?? []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.first != "calls" else { continue }
      targets.append(words.count > 2 ? words[2] : "")
    }
  }

  /// Whether a call failed on a terminal.
  var hitsTerminal: Bool { targets.contains { $0.hasPrefix("/dev/pts/") } }
}
