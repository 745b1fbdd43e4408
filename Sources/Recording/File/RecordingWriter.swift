import Glibc
import Metrics
import PerfHUDBase
import Sampler
import SystemPackage

/// Writes the records of a run to a file, a block at a time; or keeps the newest blocks in memory for a file.
///
/// A block is written at the latest one second after its first record, so a process that is killed loses no more. Where
/// writing fails, the recording ends and the run goes on: `takeProblem` has the reason. A pipe whose reader stops loses
/// blocks, which readers see from the numbers of the blocks.
package struct RecordingWriter: ~Copyable {
  private var file: BlockFile?
  /// The blocks, where they are kept in memory.
  private var ring: BlockRing?
  private let limit: RecordingLimit?
  /// What takes the place of a file that reaches its limit: it has the newest blocks already.
  private var successor: BlockFile?
  private let name: String
  private var header: RecordingHeader
  private let keepsCommands: Bool
  /// Whether a write always takes everything at once: a file, not a pipe.
  private let isRegular: Bool
  private var encoder = RecordEncoder()
  /// The samples of the first block: what each block starts with.
  private var firstSamples: [Sample] = []
  private var firstBlock: [Record] = []
  private var hasWrittenHead = false
  /// The first time of the open block; `nil` if it has no record.
  private var opened: Instant?
  /// What holds after the last record, and what held before the open block.
  private var state: CarriedState
  private var openedState: CarriedState
  /// What a pipe has not taken yet.
  private var pending: [UInt8] = []
  private var problem: String?
  /// Blocks that a pipe had no room for.
  private var lostBlocks = 0

  /// How long a block is open, in nanoseconds; and how long until the loop has to wake for it, if it does not anyway:
  /// with the time that takes, less than a second.
  private static let blockNanoseconds: Int64 = 880_000_000
  private static let longestBlock: Int64 = 950_000_000
  /// A pipe may be late by this many bytes.
  private static let pendingLimit = 1 << 20
  /// A pipe that can be written to takes at least this many bytes at once. Source: pipe(7), PIPE_BUF.
  private static let pipePiece = 4096
  private static let retryNanoseconds: Int64 = 50_000_000

  /// - Parameters:
  ///   - output: see `open`.
  ///   - limit: how large the file may become.
  ///   - name: of the file, for messages.
  ///   - keepsCommand: whether arguments are kept; else the name of the program alone.
  package init(
    output: consuming Descriptor, limit: RecordingLimit? = nil, name: String, header: RunHeader,
    host: HostFacts, keepsCommand: Bool
  ) {
    let isRegular = RecordingWriter.isRegular(output.raw)
    self.init(
      file: BlockFile(output), ring: nil, limit: limit, isRegular: isRegular, name: name,
      header: header, host: host, keepsCommand: keepsCommand)
  }

  /// Keeps the newest blocks in memory: see `takePart`.
  ///
  /// - Parameters:
  ///   - span: how far back they reach, in nanoseconds.
  ///   - capacity: how many bytes they have at most; then they reach less far back.
  package init(
    keepingLast span: Int64, capacity: Int, header: RunHeader, host: HostFacts, keepsCommand: Bool
  ) {
    self.init(
      file: nil, ring: BlockRing(span: span, capacity: capacity), limit: nil, isRegular: true,
      name: "", header: header, host: host, keepsCommand: keepsCommand)
  }

  private init(
    file: consuming BlockFile?, ring: BlockRing?, limit: RecordingLimit?, isRegular: Bool,
    name: String, header: RunHeader, host: HostFacts, keepsCommand: Bool
  ) {
    self.file = file
    self.ring = ring
    self.limit = limit
    self.isRegular = isRegular
    self.name = name
    keepsCommands = keepsCommand
    var run = header
    if !keepsCommand { run.command = run.isCgroup ? run.command : run.name.text }
    self.header = RecordingHeader(run: run, host: host)
    state = CarriedState(origins: run.phaseOrigins)
    openedState = state
    firstBlock.reserveCapacity(256)
  }

  /// Why the recording has ended early, once.
  package mutating func takeProblem() -> String? { problem.take() }

  /// Whether records are taken: nothing has failed.
  private var isOpen: Bool { ring != nil || file != nil }

  // MARK: Records

  /// Adds a record. It is on its way to the file when the block is complete: see `deadline`.
  package mutating func add(_ record: borrowing Record) {
    guard isOpen else { return }
    if opened == nil { openBlock(at: record.time) }
    // The head of the file needs the first samples, so the first records wait for them.
    guard hasWrittenHead else {
      let copy = copy record
      if case .sample(let sample) = copy { firstSamples.append(sample) }
      firstBlock.append(copy)
      if firstBlock.count >= RecordingWriter.firstBlockLimit { endBlock() }
      return
    }
    state.take(record)
    encoder.add(record, keepsCommands: keepsCommands)
    if encoder.count >= BlockFrame.limit { endBlock() }
  }

  /// Adds something that happens often: the same as adding its record, but faster.
  package mutating func add(activity: Activity) {
    guard isOpen, hasWrittenHead else { return add(.activity(activity)) }
    if opened == nil { openBlock(at: activity.time) }
    encoder.add(activity: activity)
    if encoder.count >= BlockFrame.limit { endBlock() }
  }

  private mutating func openBlock(at time: Instant) {
    opened = time
    openedState = state
    guard hasWrittenHead else { return }
    beginSuccessorIfDue(at: time)
    encoder.begin(at: time)
  }

  /// As many records may wait for the head.
  private static let firstBlockLimit = 1024
  /// As many samples are in the head at most.
  private static let baseSamples = 16

  /// When the open block is to be written; `nil` while there is none.
  package var deadline: Instant? {
    guard isOpen else { return nil }
    let due = opened?.advanced(byNanoseconds: RecordingWriter.longestBlock)
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
    guard isOpen else { return }
    if !hasWrittenHead { writeHead() }
    if let end {
      if opened == nil {
        opened = end.time
        openedState = state
        encoder.begin(at: end.time)
      }
      encoder.add(end)
    }
    endBlock()
    makeRoom(for: 0)
    if let bytes = file?.positions.end { put(bytes) }
    dropSuccessor()
    waitForReader()
    reportLostBlocks()
    file = nil
  }

  /// Ends the open block, and makes a file of the blocks that are kept in memory.
  ///
  /// - Returns: the file; `nil` before anything was recorded.
  package mutating func takePart() -> [UInt8]? {
    endBlock()
    guard let ring, let beginning = ring.beginning else { return nil }
    var positions = BlockPositions()
    var bytes = header.bytes
    if ring.isWhole {
      positions.note(bytes: bytes.count)
    } else {
      bytes = beginPart(&positions, beginning.state, beginning.time)
    }
    for (block, time) in ring.blocks {
      var block = block
      BlockFrame.renumber(&block, positions.number)
      positions.note(blockAt: time)
      positions.note(bytes: block.count)
      bytes += block
    }
    return bytes + positions.end
  }

  // MARK: Blocks

  private mutating func writeHead() {
    if !firstSamples.isEmpty {
      header.base = encoder.makeBase(firstSamples.suffix(RecordingWriter.baseSamples))
    }
    firstSamples = []
    if ring == nil { put(header.bytes) }
    hasWrittenHead = true
    let waiting = firstBlock
    firstBlock = []
    opened = nil
    for record in waiting { add(record) }
  }

  private mutating func endBlock() {
    if !hasWrittenHead { writeHead() }
    guard let time = opened, isOpen else { return }
    opened = nil
    makeRoom(for: encoder.count)
    let number = file?.positions.number ?? 0
    encoder.end(.records, number: number)
    let block = encoder.bytes
    if ring != nil {
      ring?.add(block, time: time, state: openedState)
      return
    }
    guard pending.count + block.count <= RecordingWriter.pendingLimit else {
      lostBlocks += 1
      file?.positions.noteLostBlock()
      return
    }
    file?.positions.note(blockAt: time)
    put(block)
    putToSuccessor(block, at: time)
  }

  private mutating func put(_ bytes: [UInt8]) {
    guard isRegular else {
      file?.positions.note(bytes: bytes.count)
      pending.append(contentsOf: bytes)
      writePending()
      return
    }
    do throws(Errno) {
      try file?.write(bytes)
    } catch {
      giveUp(error)
    }
  }

  // MARK: Parts

  /// The beginning of a file that has only a later part of the run: its heads, and what holds at its start.
  ///
  /// - Parameters:
  ///   - positions: becomes what is noted of these bytes.
  ///   - state: what held before the first record.
  ///   - time: of the first record.
  private mutating func beginPart(
    _ positions: inout BlockPositions, _ state: CarriedState, _ time: Instant
  ) -> [UInt8] {
    var part = header
    part.began = header.run.start
    part.run.start = time
    part.run.wallClockOffset = state.wallClockOffset ?? header.run.wallClockOffset
    var bytes = part.bytes
    positions = BlockPositions()
    positions.note(bytes: bytes.count)
    let records = state.records(at: time)
    guard !records.isEmpty else { return bytes }
    encoder.begin(at: time)
    for record in records { encoder.add(record, keepsCommands: keepsCommands) }
    encoder.end(.records, number: positions.number)
    positions.note(blockAt: time)
    positions.note(bytes: encoder.bytes.count)
    bytes += encoder.bytes
    return bytes
  }

  /// Once a file of limited size is half full, each block goes to its successor too, which begins here.
  private mutating func beginSuccessorIfDue(at time: Instant) {
    guard let limit, successor == nil, let written = file?.positions.written,
      written >= limit.bytes / 2
    else { return }
    do throws(RecordingError) {
      var next = BlockFile(try limit.openNext())
      var positions = BlockPositions()
      let bytes = beginPart(&positions, state, time)
      // What a full disk does not take, the file itself cannot take either.
      do throws(Errno) { try next.write(bytes) } catch { return giveUp(error) }
      next.positions = positions
      successor = consume next
    } catch {
      giveUp(because: error.description)
    }
  }

  private mutating func putToSuccessor(_ block: [UInt8], at time: Instant) {
    guard let number = successor?.positions.number else { return }
    var block = block
    BlockFrame.renumber(&block, number)
    successor?.positions.note(blockAt: time)
    do throws(Errno) { try successor?.write(block) } catch { giveUp(error) }
  }

  /// Goes on in the successor where a block and the index have no room in the file any more.
  ///
  /// - Parameter count: the size of the block.
  private mutating func makeRoom(for count: Int) {
    guard let limit, successor != nil, let positions = file?.positions else { return }
    let needed =
      positions.written + UInt64(count) + RecordingWriter.blockOverhead + positions.endBytes
    guard needed > limit.bytes else { return }
    guard let next = successor.take(), let old = file.take() else { return }
    do throws(Errno) {
      try limit.replace(old.output, by: next.output)
      file = consume next
    } catch {
      giveUp(error)
    }
  }

  /// What a block has at most beside what its encoder counts.
  private static let blockOverhead: UInt64 = 64

  private mutating func dropSuccessor() {
    guard successor.take() != nil else { return }
    limit?.removeNext()
  }

  // MARK: Pipes

  /// Writes what a pipe takes without waiting. Source: `poll(2)`.
  private mutating func writePending() {
    var done = 0
    while done < pending.count, let raw = file?.output.raw,
      RecordingWriter.isWritable(raw, milliseconds: 0)
    {
      let piece = min(RecordingWriter.pipePiece, pending.count - done)
      do {
        done += try unsafe pending.withUnsafeBytes {
          try unsafe file?.output.write(UnsafeRawBufferPointer(rebasing: $0[done..<done + piece]))
            ?? 0
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
    while !pending.isEmpty, let raw = file?.output.raw, Instant.now() < limit {
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
    giveUp(
      because: error == .brokenPipe
        ? "nobody reads \(name) any more: the recording ends there" : failure.description)
  }

  private mutating func giveUp(because reason: String) {
    problem = reason
    file = nil
    dropSuccessor()
    pending = []
    opened = nil
  }

  private mutating func reportLostBlocks() {
    guard lostBlocks > 0, problem == nil else { return }
    problem = "\(name) was read too slowly: \(lostBlocks) s of the recording were left out"
  }
}
