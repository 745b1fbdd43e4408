import CProcess
import Glibc
import HUD
import PerfHUDBase
import Report
import Sampler
import SystemPackage
import Terminal

/// Runs two commands in turn, and records each run.
///
/// Each run is a separate perfhud (`perfhud --batch --record FILE -- COMMAND`), so a recording contains the same as one
/// made by hand. The order of the two commands in each round is random, but the same every time.
struct InterleavedRuns: ~Copyable {
  /// What to run.
  struct Plan: Equatable {
    /// The commands before and after a change, as bytes.
    var base: [[UInt8]]
    var new: [[UInt8]]
    /// The number of runs of each command.
    var runs = InterleavedRuns.usualRuns
    /// The folder in which to keep the recordings; `nil` removes them.
    var folder: String?
    var showsOutput = false
    var ignoresFailure = false
    /// The time between two samples, as given to the option.
    var interval: String?
  }

  /// Enough for all metrics of some ten phases, which need nine on each side.
  static let usualRuns = 10
  static let mostRuns = 1000
  private static let seed: UInt64 = 0x636F_6D70_6172_6531

  private let plan: Plan
  private let folder: String
  private let mask: sigset_t
  private let signals: SignalDescriptor
  private let progress = RunProgress()
  /// The signal that ended the runs early.
  private(set) var stoppedBy: Int32?

  /// Makes the folder for the recordings.
  init(_ plan: Plan) throws(RunError) {
    let mask = Pty.signalMask()
    let signals = try InterleavedRuns.blockSignals()
    // This comes last: if something throws here, `deinit`, which removes the folder, does not run.
    let folder = try RecordingFolder.make(plan.folder)
    self.plan = plan
    self.folder = folder
    self.mask = mask
    self.signals = signals
    // The runs do not belong to a perfhud around this one, nor do their events.
    for name in ["PERFHUD", "PERFHUD_SOCKET"] { unsafe unsetenv(name) }
  }

  private static func blockSignals() throws(RunError) -> SignalDescriptor {
    do throws(SystemError) {
      // SIGCHLD replaces the descriptor that reports the end of a run, which old kernels do not have.
      return try SignalDescriptor([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD])
    } catch {
      throw RunError(error)
    }
  }

  deinit {
    if plan.folder == nil { RecordingFolder.remove(folder) }
  }

  /// Runs them all. Returns at once after a signal; see `stoppedBy`.
  ///
  /// - Returns: the paths of the recordings.
  /// - Throws: if a command fails, unless failures are ignored.
  mutating func run() throws -> (base: [String], new: [String]) {
    var numbers = SeededRandom(seed: InterleavedRuns.seed)
    var paths: (base: [String], new: [String]) = ([], [])
    defer { progress.end() }
    for round in 1...plan.runs {
      let isBaseFirst = numbers.next(below: 2) == 0
      for isBase in [isBaseFirst, !isBaseFirst] {
        let path = RecordingFolder.recordingPath(in: folder, isBase ? "base" : "new", round)
        progress.show(round, of: plan.runs, side: isBase ? "base" : "new")
        let end = try start(isBase ? plan.base : plan.new, recording: path)
        if stoppedBy != nil { return paths }
        try check(end, of: isBase ? plan.base : plan.new, round, recording: path)
        if isBase { paths.base.append(path) } else { paths.new.append(path) }
      }
    }
    return paths
  }

  // MARK: One run

  /// - Returns: how the run's perfhud ended, which is how its command ended.
  private mutating func start(_ command: [[UInt8]], recording: String) throws -> PtyStatus {
    var words = ["/proc/self/exe", "--batch", "--output", "/dev/null", "--config", "/dev/null"]
    words += ["--no-summary", "--record", recording]
    if let interval = plan.interval { words += ["--interval", interval] }
    let child = try StandardDescriptors.silenced(unless: plan.showsOutput) {
      try DirectCommand(
        command: words.map { Array($0.utf8) } + [Array("--".utf8)] + command, mask: mask)
    }
    let (end, signal) = UnmeasuredCommand.wait(for: child, signals)
    if let signal { stoppedBy = signal }
    return end
  }

  private func check(
    _ end: PtyStatus, of command: [[UInt8]], _ round: Int, recording: String
  ) throws(RunError) {
    let name = SafeText.clean(String(decoding: command.first ?? [], as: UTF8.self), limit: 200)
    switch end {
    case .exited(0) where !RecordingFolder.isWritten(recording):
      throw RunError(
        "run \(round) of \(name) could not be recorded in \(SafeText.clean(folder)): "
          + "make room there, or name another folder with --keep")
    case .exited(0): return
    case .exited(127): throw RunError("\(name) was not found")
    case .exited(126): throw RunError("\(name) cannot be executed")
    case .exited(ExitStatus.commandFailure):
      throw RunError("run \(round) of \(name) could not be measured; see: perfhud -b \(name)")
    case _ where plan.ignoresFailure: return
    case .exited(let code):
      throw RunError(
        "run \(round) of \(name) ended with status \(code); --show-output shows why, --ignore-failure goes on"
      )
    case .signaled(let number, _):
      throw RunError("run \(round) of \(name) was ended by signal \(number)")
    default: throw RunError("run \(round) of \(name) was lost")
    }
  }
}

/// The folder for the recordings of the runs.
private enum RecordingFolder {
  /// Creates a folder: the one that was named, or else a new one in `TMPDIR`.
  ///
  /// Source: `mkdir(2)`, `mkdtemp(3)`.
  static func make(_ named: String?) throws(RunError) -> String {
    if let named {
      guard unsafe mkdir(named, 0o700) == 0 || errno == EEXIST else {
        throw RunError(SystemError(call: "mkdir", subject: named, code: Errno(rawValue: errno)))
      }
      if let old = ["base", "new"].map({ recordingPath(in: named, $0, 1) }).first(where: isWritten)
      {
        throw RunError(
          "\(SafeText.clean(old)) is of another comparison: remove it, or name another folder")
      }
      return named
    }
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    var path = Array("\(parent.isEmpty ? "/tmp" : parent)/perfhud-compare-XXXXXX".utf8CString)
    let isMade = unsafe path.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe mkdtemp(start) != nil
    }
    let text = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard isMade else {
      throw RunError(SystemError(call: "mkdtemp", subject: text, code: Errno(rawValue: errno)))
    }
    return text
  }

  /// The recording of a run, numbered from 1.
  static func recordingPath(in folder: String, _ side: String, _ round: Int) -> String {
    "\(folder)/\(side)-\(round < 10 ? "0" : "")\(round).phr"
  }

  /// Whether there is a recording and it is not empty.
  static func isWritten(_ path: String) -> Bool {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 && facts.st_size > 0
  }

  /// Removes a folder and the recordings in it.
  static func remove(_ folder: String) {
    for side in ["base", "new"] {
      for round in 1...InterleavedRuns.mostRuns {
        let path = recordingPath(in: folder, side, round)
        // The runs are numbered without gaps, except for the last round.
        if unsafe unlink(path) != 0 { break }
      }
    }
    _ = unsafe rmdir(folder)
  }
}

/// Descriptors 0, 1 and 2 of this process.
private enum StandardDescriptors {
  /// Starts something with empty standard input and discarded output.
  ///
  /// - Parameter isShown: whether its output goes to this process's output instead.
  /// - Throws: what `start` throws, or if there are no descriptors left. The descriptors are restored in any case.
  ///
  /// Source: `dup2(2)`, `fcntl(2)`.
  static func silenced<Result: ~Copyable>(
    unless isShown: Bool, _ start: () throws -> Result
  ) throws -> Result {
    let null = try Descriptor(open: "/dev/null", .readWrite)
    let numbers = isShown ? [STDIN_FILENO] : [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    var kept: [(number: Int32, copy: Int32)] = []
    defer {
      for (number, copy) in kept {
        if copy >= 0 {
          while dup2(copy, number) < 0, errno == EINTR || errno == EBUSY {}
          close(copy)
        } else {
          close(number)
        }
      }
    }
    for number in numbers {
      let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
      // A descriptor that was closed is closed again.
      guard copy >= 0 || errno == EBADF else { throw failure(number) }
      kept.append((number, copy))
      while dup2(null.raw, number) < 0 {
        guard errno == EINTR || errno == EBUSY else { throw failure(number) }
      }
    }
    return try start()
  }
}

extension StandardDescriptors {
  private static func failure(_ number: Int32) -> RunError {
    RunError(
      SystemError(call: "keep", subject: "descriptor \(number)", code: Errno(rawValue: errno)))
  }
}

/// Shows the current run on standard error, if that is a terminal.
private struct RunProgress {
  private let isTerminal = isatty(STDERR_FILENO) == 1

  func show(_ round: Int, of runs: Int, side: String) {
    guard isTerminal else { return }
    Console.put("\r\u{1B}[Kperfhud: run \(round) of \(runs), \(side)", on: STDERR_FILENO)
  }

  func end() { if isTerminal { Console.put("\r\u{1B}[K", on: STDERR_FILENO) } }
}
