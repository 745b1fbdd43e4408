import Glibc
import Metrics
import PerfHUDBase
import Sampler
import SystemPackage

/// Writes the records of a run to a file, block by block; or keeps the newest blocks in memory.
///
/// A block is written at most one second after its first record, so a killed process does not lose more. If writing
/// fails, the recording ends and the run continues: `takeProblem` has the reason. If the reader of a pipe stops, blocks
/// are lost; readers notice this by the block numbers.
package struct RecordingWriter: ~Copyable {
  private var file: BlockFile?
  /// The blocks, if they are kept in memory.
  private var ring: BlockRing?
  private let limit: RecordingLimit?
  /// The file that will replace one that reaches its limit. It already contains the newest blocks.
  private var successor: BlockFile?
  private let name: String
  private var header: RecordingHeader
  private let keepsCommands: Bool
  /// Whether a write always takes everything at once, as with a file but not with a pipe.
  private let isRegular: Bool
  private var encoder = RecordEncoder()
  /// The samples of the first block, which each block starts from.
  private var firstSamples: [Sample] = []
  private var firstBlock: [Record] = []
  private var hasWrittenHead = false
  /// The first time of the open block; `nil` if the block has no record.
  private var opened: Instant?
  /// The state after the last record, and the state before the open block.
  private var state: CarriedState
  private var openedState: CarriedState
  /// Bytes that a pipe has not taken yet.
  private var pending: [UInt8] = []
  private var problem: String?
  /// The number of blocks without room in a pipe.
  private var lostBlocks = 0

  /// How long a block stays open, in nanoseconds; and how long until the loop must wake up for it, if it does not wake
  /// up anyway. Together with the time that this takes, it is less than a second.
  private static let blockNanoseconds: Int64 = 880_000_000
  private static let longestBlock: Int64 = 950_000_000
  /// The maximum number of bytes waiting for a pipe.
  private static let pendingLimit = 1 << 20
  /// A writable pipe takes at least this many bytes at once. Source: pipe(7), PIPE_BUF.
  private static let pipePiece = 4096
  private static let retryNanoseconds: Int64 = 50_000_000

  /// - Parameters:
  ///   - output: see `open`.
  ///   - limit: the maximum size of the file.
  ///   - name: the file's name, for messages.
  ///   - keepsCommand: whether to keep arguments, or only the program's name.
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
  ///   - capacity: the maximum number of bytes; if reached, they reach less far back.
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
    if !keepsCommand, !run.isCgroup {
      run.command = run.startedProgram.isEmpty ? run.name.text : run.startedProgram
    }
    self.header = RecordingHeader(run: run, host: host)
    state = CarriedState(origins: run.phaseOrigins)
    openedState = state
    firstBlock.reserveCapacity(256)
  }

  /// Why the recording has ended early; returned only once.
  package mutating func takeProblem() -> String? { problem.take() }

  /// Whether records are accepted: nothing has failed.
  private var isOpen: Bool { ring != nil || file != nil }

  // MARK: Records

  /// Adds a record. It is written when its block is complete: see `deadline`.
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

  /// Adds something frequent: the same as adding its record, but faster.
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

  /// The maximum number of records that wait for the head.
  private static let firstBlockLimit = 1024
  /// The maximum number of samples in the head.
  private static let baseSamples = 16

  /// When to write the open block; `nil` if there is none.
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

  /// Writes the last block and the index. Waits at most a second for a pipe.
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

  /// Ends the open block, and builds a file from the blocks in memory.
  ///
  /// - Returns: the file; `nil` if nothing has been recorded yet.
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

  /// The beginning of a file that contains only a later part of the run: its heads, and the state at its start.
  ///
  /// - Parameters:
  ///   - positions: set to the positions within these bytes.
  ///   - state: the state before the first record.
  ///   - time: the time of the first record.
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

  /// Once a file of limited size is half full, begins its successor, which receives each block too.
  private mutating func beginSuccessorIfDue(at time: Instant) {
    guard let limit, successor == nil, let written = file?.positions.written,
      written >= limit.bytes / 2
    else { return }
    do throws(RecordingError) {
      var next = BlockFile(try limit.openNext())
      var positions = BlockPositions()
      let bytes = beginPart(&positions, state, time)
      // If the disk is full for the successor, it is full for the file itself too.
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

  /// Continues in the successor if the file has no more room for the block and the index.
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

  /// The maximum size of a block in addition to what its encoder counts.
  private static let blockOverhead: UInt64 = 64

  private mutating func dropSuccessor() {
    guard successor.take() != nil else { return }
    limit?.removeNext()
  }

  // MARK: Pipes

  /// Writes as much as a pipe takes without waiting. Source: `poll(2)`.
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
