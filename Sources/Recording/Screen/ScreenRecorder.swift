import Glibc
import PerfHUDBase
import Synchronization
import SystemPackage

/// Records what a program writes to its terminal: asciicast v3, in a file beside the recording.
///
/// The thread that handles the program's output only copies bytes to memory. The recorder's own thread converts them to
/// lines and writes them twice a second, always in complete lines. If writing fails, the recording of the screen ends
/// with its last complete line: `takeProblem` has the reason.
///
/// At most `burstLimit` bytes wait. Output beyond that is omitted, and a mark in the file says so; then `needsPicture`
/// requests what the screen shows instead. So a flood takes neither unlimited time nor unlimited disk space.
package final class ScreenRecorder: Sendable {
  private let shared: SharedOutput
  private let start: Instant
  private let thread = Mutex<pthread_t?>(nil)

  /// The maximum number of bytes of output that wait for the thread, which takes all of them twice a second.
  package static let burstLimit = 4 << 20

  /// - Parameters:
  ///   - output: an empty file, see `ScreenFile.open`.
  ///   - name: the file's name, for messages.
  ///   - start: the start of the recording beside it; times are relative to it.
  package init(
    output: consuming Descriptor, name: String, start: Instant, columns: Int, rows: Int,
    _ origin: AsciicastWriter.Origin
  ) throws(SystemError) {
    self.start = start
    let writer = AsciicastWriter(columns: columns, rows: rows, origin)
    shared = try SharedOutput(ScreenFile(output, name: name, writer: writer))
    let argument = unsafe Unmanaged.passRetained(shared)
    do {
      let created = try unsafe WorkerThread.start(
        "screen recorder", argument.toOpaque(), screenRecorderMain)
      thread.withLock { $0 = created }
    } catch {
      unsafe argument.release()
      throw error
    }
  }

  deinit { finish() }

  /// Adds output of the program.
  package func add(_ output: UnsafeRawBufferPointer, at time: Instant) {
    unsafe shared.add(.output, output, milliseconds(time))
  }

  /// Adds the bytes that reproduce the screen, after output was omitted.
  package func add(picture: [UInt8], at time: Instant) {
    shared.endGap()
    unsafe picture.withUnsafeBytes { unsafe shared.add(.output, $0, milliseconds(time)) }
  }

  /// Adds a new size of the terminal.
  package func add(columns: Int, rows: Int, at time: Instant) {
    add(.size, "\(columns)x\(rows)", at: time)
  }

  /// Adds a mark, such as the beginning of a phase.
  package func add(mark: String, at time: Instant) { add(.mark, mark, at: time) }

  private func add(_ kind: ScreenEntry.Kind, _ text: String, at time: Instant) {
    var text = text
    text.withUTF8 { unsafe shared.add(kind, UnsafeRawBufferPointer($0), milliseconds(time)) }
  }

  private func milliseconds(_ time: Instant) -> UInt64 {
    UInt64(max(0, time.nanoseconds(since: start))) / 1_000_000
  }

  /// Whether output was omitted, and there is room again.
  package var needsPicture: Bool { shared.needsPicture }

  /// Writes everything that waits, and ends the thread.
  package func finish() {
    guard let running = thread.withLock({ $0.take() }) else { return }
    shared.end()
    pthread_join(running, nil)
  }

  /// Why the recording of the screen has ended early; returned only once.
  package func takeProblem() -> String? { shared.problem.withLock { $0.take() } }
}

/// An entry that waits for the thread.
struct ScreenEntry {
  enum Kind { case output, size, mark }
  var kind: Kind
  /// Where its bytes end. They begin at the end of the previous entry's.
  var end: Int
  /// The time since the start, in milliseconds.
  var time: UInt64
}

/// The data shared by both threads.
private final class SharedOutput: Sendable {
  private struct Waiting {
    var bytes: [UInt8] = []
    var entries: [ScreenEntry] = []
    /// The number of bytes omitted since the last picture.
    var left = 0
    var hasEnded = false
  }

  private let waiting = Mutex(Waiting())
  /// Whether writing has failed, so that nothing more is kept.
  private let isBroken = Atomic<Bool>(false)
  private let needsPictureFlag = Atomic<Bool>(false)
  private let wake: EventDescriptor
  let problem = Mutex<String?>(nil)
  private let file: Mutex<ScreenFile?>

  init(_ file: consuming ScreenFile) throws(SystemError) {
    wake = try EventDescriptor()
    self.file = Mutex(file)
  }

  var needsPicture: Bool { needsPictureFlag.load(ordering: .relaxed) }

  func takeFile() -> ScreenFile? { file.withLock { $0.take() } }

  /// Adds bytes, unless too many are waiting.
  func add(_ kind: ScreenEntry.Kind, _ more: UnsafeRawBufferPointer, _ time: UInt64) {
    guard !isBroken.load(ordering: .relaxed), unsafe !more.isEmpty else { return }
    let isFirst = waiting.withLock { waiting in
      guard kind != .output || waiting.left == 0 else {
        waiting.left += more.count
        return false
      }
      if kind == .output, waiting.bytes.count + more.count > ScreenRecorder.burstLimit {
        waiting.left = more.count
        return false
      }
      unsafe waiting.bytes.append(contentsOf: more)
      let end = waiting.bytes.count
      // Output within the same millisecond becomes one event.
      if kind == .output, let last = waiting.entries.last, last.kind == .output, last.time == time {
        waiting.entries[waiting.entries.count - 1].end = end
      } else {
        waiting.entries.append(ScreenEntry(kind: kind, end: end, time: time))
      }
      return waiting.entries.count == 1
    }
    if isFirst { wake.signal() }
  }

  /// Notes that a picture of the screen follows, which replaces the omitted output.
  func endGap() {
    needsPictureFlag.store(false, ordering: .relaxed)
    let left = waiting.withLock { waiting in
      defer { waiting.left = 0 }
      return (count: waiting.left, time: waiting.entries.last?.time ?? 0)
    }
    guard left.count > 0 else { return }
    let text = Array("output left out: \(left.count) bytes".utf8)
    unsafe text.withUnsafeBytes { unsafe add(.mark, $0, left.time) }
  }

  func end() {
    waiting.withLock { $0.hasEnded = true }
    wake.signal()
  }

  /// Waits for something to write.
  ///
  /// - Parameters:
  ///   - bytes: cleared, then swapped with the waiting bytes.
  ///   - pause: the minimum time to wait, in milliseconds, unless the end comes.
  /// - Returns: whether this is the last time.
  func take(_ bytes: inout [UInt8], _ entries: inout [ScreenEntry], pause: Int32) -> Bool {
    wait(milliseconds: -1)
    let hasEnded = waiting.withLock { $0.hasEnded }
    // Only the end can wake it meanwhile.
    if !hasEnded { wait(milliseconds: pause) }
    bytes.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    return waiting.withLock { waiting in
      swap(&waiting.bytes, &bytes)
      swap(&waiting.entries, &entries)
      if waiting.left > 0 { needsPictureFlag.store(true, ordering: .relaxed) }
      return waiting.hasEnded
    }
  }

  private func wait(milliseconds: Int32) {
    var entry = pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&entry, 1, milliseconds) < 0, errno == EINTR {}
    wake.drain()
  }

  func giveUp(_ reason: String) {
    isBroken.store(true, ordering: .relaxed)
    problem.withLock { $0 = reason }
    waiting.withLock {
      $0.bytes = []
      $0.entries = []
    }
  }
}

/// How long output is gathered before it is written, in milliseconds. Including the time for writing, less than a
/// second is lost if the process is killed.
private let gathering: Int32 = 500

private func screenRecorderMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument = unsafe argument else { return nil }
  let shared = unsafe Unmanaged<SharedOutput>.fromOpaque(argument).takeRetainedValue()
  WorkerThread.setName("perfhud-screen")
  guard var file = shared.takeFile() else { return nil }
  var bytes: [UInt8] = []
  var entries: [ScreenEntry] = []
  var isLast = false
  // The first line already exists at the start.
  var failure = file.writeLines()
  while failure == nil, !isLast {
    isLast = shared.take(&bytes, &entries, pause: gathering)
    failure = file.write(bytes, entries, isLast: isLast)
  }
  if let failure { shared.giveUp(failure) }
  return nil
}
