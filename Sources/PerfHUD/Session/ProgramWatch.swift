import Glibc
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// Watches which program a process runs: an exec changes its command line and environment, and so where it looks for a
/// socket.
///
/// A process that was just started may not have executed its program yet (`prog & perfhud --pid $!`), and a wrapper
/// executes one program after another. So the process is checked for an exec every 100 ms until it is 5 s old, then once
/// a second. Each fifth check also finds a command line that the program has changed itself. That one takes 15 to 70 µs,
/// the others 5, and a separate wake-up takes more than that.
///
/// Source: `/proc/PID/environ`, `/proc/PID/cmdline`.
struct ProgramWatch {
  /// What a process runs, as far as it can be read.
  struct Program {
    /// The kernel's name of the process, and the command line, harmless for a terminal.
    let name: ProcessName
    let command: String
    /// The directories in which it looks for its socket, and the socket of the HUD below which it was started; `nil` if
    /// its environment cannot be read.
    let surroundings: (directories: SocketDirectories, socketAbove: String?)?
  }

  /// The age in seconds up to which a process is checked more often.
  private static let youth = 5.0
  private static let youngPeriod: Int64 = 100_000_000
  private static let period: Int64 = 1_000_000_000
  /// How many of these periods pass between two looks at the command line.
  private static let looksForExec = 5

  let process: Int32
  private let root: String
  /// Until its age is known, the process counts as just started.
  private var youngUntil: Instant
  private var knowsAge = false
  private var due: Instant
  /// The last read data, not parsed.
  private var environment: [UInt8]?
  private var arguments: [UInt8] = []
  private var name: [UInt8] = []
  private var environmentFile: EnvironmentFile?
  /// How many looks for an exec follow before one at the command line.
  private var looksLeft = 0

  init(process: Int32, now: Instant, root: String = "/proc") {
    self.process = process
    self.root = root
    youngUntil = now.advanced(bySeconds: ProgramWatch.youth)
    due = now
  }

  /// When the caller must wake up for the next check; `nil` once the check can wait until something else wakes the
  /// caller.
  var deadline: Instant? { due < youngUntil ? due : nil }

  /// Checks the process if that is due.
  ///
  /// - Returns: what it runs, if that has changed since the last check; always for the first check.
  mutating func look(now: Instant) -> Program? {
    guard now >= due else { return nil }
    setDue(after: now)
    if looksLeft > 0, environmentFile?.hasText == true {
      looksLeft -= 1
      return nil
    }
    looksLeft = 0
    // Opened before the rest is read, so that it does not belong to a program that is executed meanwhile.
    environmentFile = EnvironmentFile("\(root)/\(process)/environ")
    guard let arguments = try? readFile("\(root)/\(process)/cmdline"),
      let name = try? readFile("\(root)/\(process)/comm")
    else { return nil }
    let environment = try? readFile("\(root)/\(process)/environ")
    // In the middle of an exec, or after the process's end, there is neither.
    if arguments.isEmpty, environment?.isEmpty != false { return nil }
    looksLeft = ProgramWatch.looksForExec - 1
    guard arguments != self.arguments || environment != self.environment || name != self.name
    else { return nil }
    self.arguments = arguments
    self.environment = environment
    self.name = name
    guard let facts = try? ProcessFacts(pid: process, root: root) else { return nil }
    if !knowsAge {
      knowsAge = true
      youngUntil = now.advanced(bySeconds: max(0, ProgramWatch.youth - facts.target.age()))
      setDue(after: now)
    }
    return Program(
      name: facts.name, command: facts.commandLine,
      surroundings: SocketDirectories.surroundings(of: process, root: root))
  }

  private mutating func setDue(after now: Instant) {
    let isYoung = now < youngUntil
    due = now.advanced(byNanoseconds: isYoung ? ProgramWatch.youngPeriod : ProgramWatch.period)
  }
}

/// The environment of a process, open since a look at it.
///
/// The kernel binds the open file to the memory of the program that ran then: after an exec it is empty.
///
/// Source: `environ_open` and `environ_read` in fs/proc/base.c of Linux.
private final class EnvironmentFile: Sendable {
  private let descriptor: Descriptor

  /// - Returns: `nil` where the environment may not be read.
  init?(_ path: String) {
    guard let descriptor = try? Descriptor(open: path) else { return nil }
    self.descriptor = descriptor
  }

  /// Whether it has text: then there was no exec.
  var hasText: Bool {
    var byte: UInt8 = 0
    let count = unsafe withUnsafeMutableBytes(of: &byte) { try? unsafe descriptor.read(into: $0) }
    return count == 1
  }
}
