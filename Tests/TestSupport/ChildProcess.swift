import CLinux
import Glibc
import PerfHUDBase
import SystemPackage

/// A program that was started; at the end of its life it is killed and reaped.
struct ChildProcess: ~Copyable {
  let pid: pid_t
  /// Readable when the program has ended. Source: `pidfd_open(2)`.
  let processDescriptor: Descriptor
  private var status: ExitStatus?

  /// What the program finds as its descriptors 0, 1 and 2.
  enum Standard {
    case descriptors(input: Int32, output: Int32, error: Int32)
    /// A terminal, which becomes the controlling terminal of a session of its own.
    case terminal(path: String)
  }

  /// Starts a program, found through `PATH`, with no signal blocked or ignored. Its home and its directories for
  /// sockets and temporary files are those of the tests.
  ///
  /// - Parameters:
  ///   - environment: what is added to this process's environment; `nil` removes a variable.
  ///   - directory: the working directory; `nil` keeps this process's.
  ///
  /// Source: `posix_spawnp(3)`.
  init(
    _ argv: [String], environment: [String: String?], directory: String?, standard: Standard
  ) throws(ToolError) {
    // What writes to a program that has ended gets EPIPE instead of a signal.
    _ = ChildProcess.ignoredBrokenPipe
    // chdir as an action of posix_spawn needs _GNU_SOURCE; env(1) does the same.
    let command = directory.map { ["env", "-C", $0] + argv } ?? argv

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)

    switch standard {
    case .descriptors(let input, let output, let error):
      unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
      unsafe posix_spawn_file_actions_adddup2(&actions, error, 2)
    case .terminal(let path):
      flags |= 0x80  // POSIX_SPAWN_SETSID, which <spawn.h> shows only with _GNU_SOURCE
      unsafe posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
      unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
    }

    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    var started: pid_t = 0
    let code = unsafe withCStrings(command) { arguments in
      unsafe withCStrings(ChildProcess.merge(environment)) { variables in
        unsafe posix_spawnp(&started, command[0], &actions, &attributes, arguments, variables)
      }
    }
    guard code == 0 else {
      throw ToolError("cannot start \(argv): \(Errno(rawValue: code))")
    }
    let descriptor = perfhud_pidfd_open(started)
    guard descriptor >= 0 else {
      kill(started, SIGKILL)
      waitpid(started, nil, 0)
      throw ToolError("cannot watch \(argv): \(Errno(rawValue: errno))")
    }
    pid = started
    processDescriptor = Descriptor(owning: descriptor)
  }

  deinit {
    guard status == nil else { return }
    kill(pid, SIGKILL)
    while waitpid(pid, nil, 0) < 0, errno == EINTR {}
  }

  /// Sends a signal, unless the program has been reaped.
  func signal(_ number: Int32) {
    if status == nil { kill(pid, number) }
  }

  /// Waits until the program has ended and reaps it; `nil` if it has not by the deadline.
  mutating func wait(until deadline: Instant) -> ExitStatus? {
    if let status { return status }
    var poller = Poller()
    let slot = poller.add(processDescriptor.raw)
    while true {
      let now = Instant.now()
      poller.wait(until: deadline, now: now)
      if poller.isReady(slot) { break }
      if now >= deadline { return nil }
    }
    var word: Int32 = 0
    while unsafe waitpid(pid, &word, 0) < 0, errno == EINTR {}
    status = ExitStatus(waitStatus: word)
    return status
  }

  private static let ignoredBrokenPipe: Void = { _ = Glibc.signal(SIGPIPE, SIG_IGN) }()

  /// This process's environment with the directories of the tests and the changes, as `NAME=value`.
  private static func merge(_ changes: [String: String?]) -> [String] {
    let changes = IsolatedDirectories.variables.merging(changes) { $1 }
    var result: [String] = []
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      let text = unsafe String(cString: entry)
      let name = String(text.prefix { $0 != "=" })
      if changes[name] == nil { result.append(text) }
      unsafe next += 1
    }
    for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
      if let value { result.append("\(name)=\(value)") }
    }
    return result
  }
}

/// Calls `body` with a C array of the texts that ends with a null pointer.
private func withCStrings<Result>(
  _ texts: [String],
  _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = unsafe texts.map { unsafe strdup($0) }
  unsafe pointers.append(nil)
  defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
  return unsafe pointers.withUnsafeBufferPointer { buffer in
    // Not empty: it ends with nil, so that it has an address.
    unsafe body(buffer.baseAddress!)
  }
}

/// A pipe whose ends no other program inherits. Source: `pipe2(2)`.
struct Pipe: ~Copyable {
  let readEnd: Descriptor
  let writeEnd: Descriptor

  init() throws(ToolError) {
    do {
      let ends = try FileDescriptor.pipe(options: .closeOnExec)
      readEnd = Descriptor(owning: ends.readEnd.rawValue)
      writeEnd = Descriptor(owning: ends.writeEnd.rawValue)
    } catch {
      throw ToolError("cannot make a pipe: \(error)")
    }
  }
}
