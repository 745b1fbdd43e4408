import Glibc
import Metrics
import PerfHUDBase
import Sampler
import SystemPackage

/// Writes the records of a run to a file, a block at a time.
///
/// A block is written at the latest one second after its first record, so a process that is killed loses no more. Where
/// writing fails, the recording ends and the run goes on: `takeProblem` has the reason. A pipe whose reader stops loses
/// blocks, which readers see from the numbers of the blocks.
package struct RecordingWriter: ~Copyable {
  private var output: Descriptor?
  private let name: String
  private var header: RecordingHeader
  private let keepsCommands: Bool
  /// Whether a write always takes everything at once: a file, not a pipe.
  private let isRegular: Bool
  private var encoder = RecordEncoder()
  /// The first sample of the first block: what each block starts with.
  private var firstSample: Sample?
  private var firstBlock: [Record] = []
  private var hasWrittenHead = false
  private var number: UInt32 = 0
  /// The first time of the open block; `nil` if it has no record.
  private var opened: Instant?
  private var index = BlockIndex()
  private var written: UInt64 = 0
  /// What a pipe has not taken yet.
  private var pending: [UInt8] = []
  private var problem: String?
  /// Blocks that a pipe had no room for.
  private var lostBlocks = 0

  /// How long a block may be open, in nanoseconds: with the time until the loop wakes, less than a second.
  package static let blockNanoseconds: Int64 = 900_000_000
  /// A pipe may be late by this many bytes.
  private static let pendingLimit = 1 << 20
  /// A pipe that can be written to takes at least this many bytes at once. Source: pipe(7), PIPE_BUF.
  private static let pipePiece = 4096
  private static let retryNanoseconds: Int64 = 50_000_000

  /// - Parameters:
  ///   - output: see `open`.
  ///   - name: of the file, for messages.
  ///   - keepsCommand: whether arguments are kept; else the name of the program alone.
  package init(
    output: consuming Descriptor, name: String, header: RunHeader, host: HostFacts,
    keepsCommand: Bool
  ) {
    isRegular = RecordingWriter.isRegular(output.raw)
    self.output = consume output
    self.name = name
    keepsCommands = keepsCommand
    var run = header
    if !keepsCommand { run.command = run.isCgroup ? run.command : run.name.text }
    self.header = RecordingHeader(run: run, host: host)
    firstBlock.reserveCapacity(256)
  }

  /// Opens a file for a recording, mode 0600. A file that is there already has to be a recording that nobody writes.
  ///
  /// Source: `open(2)`, `fstat(2)`, `flock(2)`.
  package static func open(path: String) throws(RecordingError) -> Descriptor {
    let file = try create(path)
    if isRegular(file.raw) { try clear(file.raw, path: path) }
    return file
  }

  private static func create(_ path: String) throws(RecordingError) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(
        open: path, isSpecial(path) ? .writeOnly : .readWrite, options: [.create],
        permissions: FilePermissions(rawValue: 0o600))
    } catch {
      throw RecordingError(error.description)
    }
  }

  /// Makes a file empty that is a recording nobody writes, or empty.
  private static func clear(_ raw: Int32, path: String) throws(RecordingError) {
    let shown = SafeText.clean(path)
    guard flock(raw, LOCK_EX | LOCK_NB) == 0 else {
      throw RecordingError("another perfhud writes \(shown); name another file with --record FILE")
    }
    var head = [UInt8](repeating: 0, count: BlockFrame.magic.count)
    let count = unsafe head.withUnsafeMutableBytes {
      unsafe pread(raw, $0.baseAddress, $0.count, 0)
    }
    guard count == 0 || head == BlockFrame.magic else {
      throw RecordingError(
        "\(shown) is there and is no recording; remove it or name another file with --record FILE")
    }
    guard ftruncate(raw, 0) == 0 else {
      let error = SystemError(call: "write to", subject: path, code: Errno(rawValue: errno))
      throw RecordingError(error.description)
    }
  }

  private static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  private static func isRegular(_ raw: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(raw, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Why the recording has ended early, once.
  package mutating func takeProblem() -> String? { problem.take() }

  // MARK: Records

  /// Adds a record. It is on its way to the file when the block is complete: see `deadline`.
  package mutating func add(_ record: borrowing Record) {
    guard output != nil else { return }
    if opened == nil {
      opened = record.time
      if hasWrittenHead { encoder.begin(at: record.time) }
    }
    // The head of the file needs the first sample, so the first records wait for it.
    guard hasWrittenHead else {
      let copy = copy record
      if firstSample == nil, case .sample(let sample) = copy { firstSample = sample }
      firstBlock.append(copy)
      if firstBlock.count >= RecordingWriter.firstBlockLimit { endBlock() }
      return
    }
    encoder.add(record, keepsCommands: keepsCommands)
    if encoder.count >= BlockFrame.limit { endBlock() }
  }

  /// As many records may wait for the first sample.
  private static let firstBlockLimit = 1024

  /// When the open block is to be written; `nil` while there is none.
  package var deadline: Instant? {
    guard output != nil else { return nil }
    let due = opened?.advanced(byNanoseconds: RecordingWriter.blockNanoseconds)
    guard !pending.isEmpty, let retry else { return due }
    return due.map { min($0, retry) } ?? retry
  }

  private var retry: Instant?

  /// Writes what is due.
  package mutating func writeIfDue(now: Instant) {
    if let due = opened?.advanced(byNanoseconds: RecordingWriter.blockNanoseconds), now >= due {
      endBlock()
    }
    if !pending.isEmpty {
      writePending()
      retry = now.advanced(byNanoseconds: RecordingWriter.retryNanoseconds)
    }
  }

  /// Writes the last block and the index. A pipe that takes nothing is waited for a second at most.
  package mutating func finish(_ end: RecordingEnd?) {
    guard output != nil else { return }
    if !hasWrittenHead { writeHead() }
    if let end {
      if opened == nil {
        opened = end.time
        encoder.begin(at: end.time)
      }
      encoder.add(end)
    }
    endBlock()
    let offset = written
    var bytes = [UInt8](repeating: 0, count: BlockFrame.headBytes)
    index.append(to: &bytes)
    BlockFrame.fill(&bytes, .index, number: number, time: 0)
    bytes.append(contentsOf: BlockIndex.trailer)
    bytes.append(littleEndian: offset)
    put(bytes)
    waitForReader()
    reportLostBlocks()
    output = nil
  }

  // MARK: Blocks

  private mutating func writeHead() {
    if let firstSample { header.base = encoder.makeBase(firstSample) }
    var block = [UInt8](repeating: 0, count: BlockFrame.headBytes)
    block.append(contentsOf: header.text.utf8)
    BlockFrame.fill(&block, .header, number: 0, time: header.run.start.nanoseconds)
    // Twice, so that no damaged byte makes the whole file useless.
    put(BlockFrame.magic + block + block)
    hasWrittenHead = true
    let waiting = firstBlock
    firstBlock = []
    opened = nil
    for record in waiting { add(record) }
  }

  private mutating func endBlock() {
    if !hasWrittenHead { writeHead() }
    guard let time = opened, output != nil else { return }
    opened = nil
    encoder.end(.records, number: number)
    number &+= 1
    guard pending.count + encoder.bytes.count <= RecordingWriter.pendingLimit else {
      lostBlocks += 1
      return
    }
    index.add(offset: written, time: time.nanoseconds)
    putEncoded()
  }

  private mutating func putEncoded() {
    let bytes = encoder.bytes
    put(bytes)
  }

  private mutating func put(_ bytes: [UInt8]) {
    guard output != nil else { return }
    written += UInt64(bytes.count)
    guard isRegular else {
      pending.append(contentsOf: bytes)
      writePending()
      return
    }
    do {
      try unsafe bytes.withUnsafeBytes { try unsafe output?.writeAll($0) }
    } catch {
      giveUp(error as? Errno ?? .ioError)
    }
  }

  /// Writes what a pipe takes without waiting. Source: `poll(2)`.
  private mutating func writePending() {
    var done = 0
    while done < pending.count, let raw = output?.raw,
      RecordingWriter.isWritable(raw, milliseconds: 0)
    {
      let piece = min(RecordingWriter.pipePiece, pending.count - done)
      do {
        done += try unsafe pending.withUnsafeBytes {
          try unsafe output?.write(UnsafeRawBufferPointer(rebasing: $0[done..<done + piece])) ?? 0
        }
      } catch {
        let code = error as? Errno ?? .ioError
        if code != .resourceTemporarilyUnavailable { giveUp(code) }
        break
      }
    }
    pending.removeFirst(min(done, pending.count))
  }

  private mutating func waitForReader() {
    let limit = Instant.now().advanced(bySeconds: 1)
    while !pending.isEmpty, let raw = output?.raw, Instant.now() < limit {
      if RecordingWriter.isWritable(raw, milliseconds: 50) { writePending() }
    }
  }

  private static func isWritable(_ raw: Int32, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: raw, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&entry, 1, milliseconds) > 0
  }

  private mutating func giveUp(_ error: Errno) {
    let failure = SystemError(
      call: "write to", subject: name, code: error, advice: "the recording ends there")
    problem =
      error == .brokenPipe
      ? "nobody reads \(name) any more: the recording ends there" : failure.description
    output = nil
    pending = []
    opened = nil
  }

  private mutating func reportLostBlocks() {
    guard lostBlocks > 0, problem == nil else { return }
    problem = "\(name) was read too slowly: \(lostBlocks) s of the recording were left out"
  }
}

/// What is wrong with a recording: one line that says what to do.
package struct RecordingError: Error, Equatable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

extension Record {
  /// When it happened.
  package var time: Instant {
    switch self {
    case .sample(let sample): sample.time
    case .memory(let memory): memory.time
    case .processes(let table): table.time
    case .phasePending(let time), .frame(let time, _, _), .mergedFrame(let time),
      .updateFrame(let time), .output(_, let time), .cells(_, _, let time), .answer(_, let time),
      .unclearAnswer(let time), .event(_, let time), .loadingEnded(let time),
      .loadingGroup(_, let time), .unansweredKey(_, let time), .target(_, let time),
      .program(_, let time), .mark(let time), .peaksReset(let time), .interval(_, let time),
      .resumed(let time), .clock(_, let time), .lost(_, let time), .eventsLost(_, let time),
      .listener(_, let time), .eventsBad(_, let time), .machine(_, let time):
      time
    }
  }
}
