import CProcess
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Recording
import Sampler
import SystemPackage
import Terminal

/// Batch output: one row for each sample, to standard output or a file.
///
/// It never waits for a reader that has stopped reading: rows wait in the queue. When the queue is full, samples wait
/// in the ring and are then counted as missed.
struct BatchFrontend: Frontend, ~Copyable {
  private let output: Descriptor
  private let name: String
  private var writer: RowWriter
  private var queue = OutputQueue()
  private(set) var outputSlot = 0
  /// The longest time from a sample to its row in a file, in nanoseconds.
  static let patience: UInt64 = 1_000_000_000
  /// The maximum number of bytes written at once.
  private let piece: Int
  private var left: Int?
  /// Whether nobody reads the rows any more, or they can no longer be written.
  private(set) var hasLostReader = false
  private let hasCommand: Bool
  private var alertRouting: AlertRouting
  private var alerts = AlertLines()

  /// When alerts are written to standard error.
  enum AlertRouting {
    case atOnce
    /// Rows and alerts go to the same file. They share a queue, so they do not mix.
    case amongRows
    /// A command may draw on standard error.
    case afterCommand
    /// Standard error has rows for a program to read, and nothing else may be written there.
    case never

    /// - Parameter hasRows: whether rows are written to `output`.
    init(output: Int32, hasCommand: Bool, hasRows: Bool) {
      let isSame = BatchFrontend.isSameFile(output, STDERR_FILENO)
      if !hasCommand {
        self = isSame ? .amongRows : .atOnce
      } else if !hasRows || TTY.isTerminal(STDERR_FILENO) {
        self = .afterCommand
      } else if isSame {
        self = .never
      } else {
        self = .atOnce
      }
    }
  }

  /// Opens the output for the rows. Opening a FIFO waits for its reader, so call this before signals are blocked.
  ///
  /// - Parameters:
  ///   - path: the file to create or overwrite; `nil` for `standard`.
  ///   - standard: standard output or standard error.
  ///   - permissions: those of a new file, as far as the umask allows.
  static func open(
    path: String?, standard: Int32 = STDOUT_FILENO,
    permissions: FilePermissions = FilePermissions(rawValue: 0o666)
  ) throws(SystemError) -> Descriptor {
    if let path {
      return try Descriptor(
        open: path, .writeOnly, options: [.create, .truncate], permissions: permissions)
    }
    let subject = standard == STDOUT_FILENO ? "standard output" : "standard error"
    // With a command, nobody misses the rows if standard error is closed.
    guard standard == STDERR_FILENO || perfhud_is_closed(standard) == 0 else {
      throw SystemError(
        call: "write to", subject: subject, code: .badFileDescriptor,
        advice: "name a file with --output FILE")
    }
    return try Descriptor(duplicating: standard, subject: subject)
  }

  /// - Parameters:
  ///   - output: see `open`.
  ///   - samples: the number of rows after which the run is over.
  ///   - hasCommand: whether a command runs meanwhile and shares this process's descriptors.
  init(
    output: consuming Descriptor, name: String, format: LineFormat, header: RunHeader,
    samples: Int?, hasCommand: Bool = false
  ) {
    alertRouting = AlertRouting(
      output: output.raw, hasCommand: hasCommand, hasRows: samples != 0)
    piece = BatchFrontend.piece(of: output.raw)
    self.hasCommand = hasCommand
    self.output = output
    self.name = name
    writer = RowWriter(format: format, header: header)
    left = samples
  }

  /// Whether rows are stored, instead of being read by a program that waits for them.
  var isStored: Bool { piece == OutputQueue.filePiece }

  mutating func register(with poller: inout Poller) {
    outputSlot = poller.add(output.raw, events: Int32(POLLOUT))
    poller.replace(nil, slot: outputSlot)
  }

  mutating func readInput(
    _ poller: borrowing Poller, run: inout LiveRun, now: Instant, into requests: inout LoopRequests
  ) {}
  mutating func resize() {}
  mutating func resume() {}
  mutating func redrawAll() {}
  func deadline(now: Instant) -> Instant? { nil }

  /// There is nothing to restore.
  mutating func suspend() { TTY.stopGroup(by: SIGTSTP) }

  /// The run ends with the last row.
  func admit(_ sample: inout Sample, includesDescendants: Bool) -> Bool { left != 0 }

  mutating func take(_ row: Row, run: borrowing Run) {
    // The first reading starts the first interval. A target that has already ended has no second reading.
    guard left != 0, !hasLostReader, row.sequence > 0 || row.hasEnded else { return }
    writer.write(row, wallClockOffset: run.wallClockOffset)
    let line = writer.line
    unsafe queue.append(line.span.bytes)
    if let count = left { left = count - 1 }
  }

  mutating func present(
    run: borrowing Run, now: Instant, poller: inout Poller
  ) throws(RunError) {
    if alertRouting == .atOnce { alerts.flush() }
    guard !queue.isEmpty else { return }
    try flush()
    poller.replace(queue.isEmpty ? nil : output.raw, slot: outputSlot)
  }

  /// Writes as much as the output takes now.
  ///
  /// - Throws: when the output can no longer be written to. While a command runs, which must not suffer from this, it
  ///   prints a line on standard error instead.
  mutating func flush() throws(RunError) {
    do {
      // The file description is shared, so its mode stays as it is. It is polled before each write.
      try queue.flush(to: output.raw, mayBlock: true, piece: piece)
    } catch {
      hasLostReader = true
      queue.removeAll()
      // The reader has stopped reading.
      if error == .brokenPipe { return }
      let failure = SystemError(
        call: "write to", subject: name, code: error,
        advice: hasCommand ? "the rows end there" : "the last line may be cut")
      guard hasCommand else { throw RunError(failure) }
      say(failure.description)
    }
  }

  mutating func noteAlerts(_ lines: [String], rings: Bool) {
    for line in lines { say(line) }
  }

  /// Prints a line on standard error as soon as the run allows it.
  private mutating func say(_ line: String) {
    switch alertRouting {
    case .atOnce:
      alerts.append(line)
      alerts.flush()
    case .amongRows: if !hasLostReader { queue.append(AlertLines.text(line)) }
    case .afterCommand: alerts.append(line)
    case .never: break
    }
  }

  mutating func flushLast() throws(RunError) {
    try flush()
    if alertRouting == .atOnce { alerts.finish() }
  }

  /// Writes the alerts that have waited for the command's end.
  mutating func close() {
    if alertRouting == .afterCommand { alertRouting = .atOnce }
    alerts.finish()
  }

  /// The piece size: a whole row, or small pieces for terminals, pipes and sockets, whose readers may stop.
  ///
  /// Source: `fstat(2)`.
  private static func piece(of descriptor: Int32) -> Int {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK,
      status.st_mode & S_IFMT != S_IFIFO, !TTY.isTerminal(descriptor)
    else { return OutputQueue.blockingPiece }
    return OutputQueue.filePiece
  }

  /// Whether two descriptors have the same file open. Source: `fstat(2)`.
  private static func isSameFile(_ one: Int32, _ other: Int32) -> Bool {
    var a = stat()
    var b = stat()
    guard unsafe fstat(one, &a) == 0, unsafe fstat(other, &b) == 0 else { return false }
    return (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)
  }

  var isDone: Bool { hasLostReader || (left == 0 && queue.isEmpty) }
  var isDrained: Bool { queue.isEmpty }
  var isFull: Bool { queue.isAboveHighWater }
  var showsFrames: Bool { true }
  var showsEachFrame: Bool { false }
}
