import Glibc
import Metrics
import PerfHUDBase
import Sampler
import SystemPackage

/// Reads the records of a file block by block, in bounded memory. A file that was cut is read up to its end. After
/// damage, reading continues at the next intact block.
package struct RecordingReader: ~Copyable {
  package let header: RecordingHeader
  /// What could not be read.
  package private(set) var damage = RecordingDamage()
  private let input: Descriptor
  private let name: String
  private var window: BlockWindow
  private var decoder: RecordDecoder
  /// The end of the last intact block.
  private var lastEnd: UInt64 = 0
  private var nextNumber: UInt32? = 0
  private var hasBlock = false
  private var hasIndex = false
  /// The start of the block whose records are being read, or of the first block.
  package private(set) var bookmark: RecordingBookmark
  /// The number of blocks begun so far.
  package private(set) var begunBlocks = 0

  /// How many bytes at the start are searched for the head.
  private static let headLimit = 1 << 20

  /// Opens a recording.
  package init(path: String) throws(RecordingError) {
    let file: Descriptor
    do throws(SystemError) {
      file = try Descriptor(open: path)
    } catch {
      throw RecordingError(error.description)
    }
    try self.init(input: file, name: SafeText.clean(path))
  }

  /// - Parameter name: for messages.
  package init(input: consuming Descriptor, name: String) throws(RecordingError) {
    var window = BlockWindow()
    window.fill(from: input, atLeast: BlockFrame.magic.count)
    guard window.failure == nil else {
      throw RecordingError(
        SystemError(call: "read", subject: name, code: window.failure ?? .ioError).description)
    }
    if window.isEmpty { throw RecordingError("\(name) is empty: nothing was recorded yet") }
    let hasMagic = window.starts(with: BlockFrame.magic)
    if hasMagic { window.consume(BlockFrame.magic.count) }
    var head: RecordingHeader?
    var skipped = hasMagic ? 0 : 1
    while head == nil, window.position < UInt64(RecordingReader.headLimit) {
      guard let block = window.next(from: input) else { break }
      skipped += block.skipped
      if block.frame.kind == .header {
        head = RecordingHeader(window.payload(block.frame))
      }
      window.consume(block.frame.totalBytes)
    }
    guard let head else {
      throw RecordingError(
        hasMagic
          ? "\(name) has no intact head: it was cut or damaged"
          : "\(name) is not a perfhud recording")
    }
    header = head
    if skipped > 0 { damage.add(bytes: UInt64(skipped)) }
    decoder = RecordDecoder(head.schema)
    decoder.setBase(head.base)
    lastEnd = window.position
    bookmark = RecordingBookmark(offset: window.position, number: 0)
    self.window = window
    self.name = name
    self.input = input
  }

  /// How the run ended, once all records are read; `nil` if the file does not contain this.
  package var end: RecordingEnd? {
    guard header.began != nil, var end = decoder.end, let command = end.command else {
      return decoder.end
    }
    // What the command has used includes what came before this part of the run.
    end.command = CommandEnd(status: command.status)
    return end
  }

  /// The next record; `nil` at the end of the file.
  package mutating func next() -> Record? {
    var found = NextRecord()
    if let activity = next(&found) { return .activity(activity) }
    return found.record
  }

  /// The next record that is not a frame or output. Frames and output before it are applied to a run.
  ///
  /// - Parameter last: set to the latest time of what was applied, if that is later.
  /// - Returns: a record that is not applied yet; `nil` at the end of the file.
  package mutating func next(foldingActivityInto run: inout Run, last: inout Instant) -> Record? {
    var found = NextRecord()
    _ = next(&found, foldingInto: &run, last: &last, until: Instant(nanoseconds: .max))
    return found.record
  }

  /// Replaces the records of a batch by the next ones. At the end of the file, the batch is not full.
  mutating func read(_ batch: inout RecordBatch) {
    batch.removeAll()
    while !batch.isFull, hasBlock || nextBlock() {
      do throws(DamagedBlock) {
        if try batch.add(from: &decoder) { continue }
      } catch {
        noteDamagedBlock()
      }
      hasBlock = false
    }
  }

  /// Sets the next record. Frames and output before it, up to a time, are applied to a run.
  ///
  /// - Parameter last: set to the latest time of what was applied, if that is later.
  /// - Returns: the first packed entry after that time. At the end of the file, there is neither an entry nor a record.
  mutating func next(
    _ found: inout NextRecord, foldingInto run: inout Run, last: inout Instant,
    until time: Instant
  ) -> Activity? {
    found.clear()
    while hasBlock || nextBlock() {
      do throws(DamagedBlock) {
        if let activity = try decoder.next(&found, foldingInto: &run, last: &last, until: time) {
          return activity
        }
        if found.isThere { return nil }
      } catch {
        noteDamagedBlock()
      }
      hasBlock = false
    }
    return nil
  }

  private mutating func noteDamagedBlock() {
    damage.add(bytes: 0)
    decoder.noteGap()
  }

  /// Returns the next packed entry, or sets the next record. At the end of the file, there is neither.
  mutating func next(_ found: inout NextRecord) -> Activity? {
    found.clear()
    while true {
      if hasBlock {
        do throws(DamagedBlock) {
          if let activity = try decoder.next(&found) { return activity }
          if found.isThere { return nil }
        } catch {
          noteDamagedBlock()
        }
        hasBlock = false
      }
      guard nextBlock() else { return nil }
    }
  }

  /// - Returns: whether there is another block.
  private mutating func nextBlock() -> Bool {
    while let found = window.next(from: input) {
      if found.skipped > 0 { noteGap(bytes: UInt64(found.skipped)) }
      let frame = found.frame
      let payload = window.payload(frame)
      let offset = window.position
      window.consume(frame.totalBytes)
      lastEnd = window.position
      if frame.kind == .index { hasIndex = true }
      guard frame.kind == .records else { continue }
      if let nextNumber, nextNumber != frame.number {
        damage.add(missingBlocks: Int(frame.number &- nextNumber), wasSeen: found.skipped > 0)
        decoder.noteGap()
      }
      nextNumber = frame.number &+ 1
      lastEnd = window.position
      bookmark = RecordingBookmark(offset: offset, number: frame.number)
      begunBlocks += 1
      decoder.begin(payload, at: frame.time)
      hasBlock = true
      return true
    }
    if hasIndex { return false }
    damage.isCut = true
    damage.tailBytes = window.tail
    return false
  }

  private mutating func noteGap(bytes: UInt64) {
    damage.add(bytes: bytes)
    decoder.noteGap()
  }

  /// Whether nothing is missing so far.
  package var isWhole: Bool { damage == RecordingDamage() }

  /// One line about what could not be read; `nil` if everything was.
  package var remark: String? {
    var parts: [String] = []
    if header.format > RecordingHeader.format {
      parts.append(
        "it is of a newer perfhud (\(header.host.version)): what is not known here is left out")
    }
    if let began = header.began {
      let before = max(0, header.run.start.seconds(since: began)).rounded()
      parts.append(
        "it begins \(NumberFormat.duration(seconds: before)) into the run: what came before was not kept"
      )
    }
    if damage.gaps > 0 {
      let blocks = damage.missingBlocks
      parts.append(
        "\(damage.gaps == 1 ? "a part is" : "\(damage.gaps) parts are") damaged"
          + (blocks > 0 ? ", \(blocks) s at most are missing" : ""))
    }
    if damage.isCut { parts.append("it was cut off; all before that was read") }
    return parts.isEmpty ? nil : "\(name): " + parts.joined(separator: "; ")
  }

  /// Whether a file exists and begins like a recording.
  package static func isRecording(_ path: String) -> Bool {
    var facts = stat()
    // Opening a pipe would wait for its writer.
    guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      let file = try? Descriptor(open: path)
    else { return false }
    var start = [UInt8](repeating: 0, count: BlockFrame.magic.count)
    let count = unsafe start.withUnsafeMutableBytes { (try? unsafe file.read(into: $0)) ?? 0 }
    return count == start.count && start == BlockFrame.magic
  }

  // MARK: Positions

  /// Goes back to the start of a block. Its records are read next.
  ///
  /// - Returns: whether the file is seekable.
  package mutating func resume(at mark: RecordingBookmark) -> Bool {
    guard go(to: mark.offset) else { return false }
    nextNumber = mark.number
    bookmark = mark
    hasBlock = false
    decoder.noteGap()
    return true
  }

  /// Whether another file has replaced this one, in which its writer continues.
  ///
  /// Source: `fstat(2)`, st_nlink.
  package var isReplaced: Bool {
    var facts = stat()
    guard !hasIndex, unsafe fstat(input.raw, &facts) == 0 else { return false }
    return facts.st_nlink == 0
  }

  /// Checks again for data after the last intact block, once `next` has returned `nil` for a file that was still being
  /// written.
  ///
  /// - Returns: whether more may come: `false` once the file is complete.
  package mutating func continueAtEnd() -> Bool {
    var facts = stat()
    // A file that has become shorter is written again from its start, so it is another run.
    guard !hasIndex, unsafe fstat(input.raw, &facts) == 0, UInt64(facts.st_size) >= lastEnd,
      go(to: lastEnd)
    else { return false }
    damage.isCut = false
    damage.tailBytes = 0
    return true
  }

  private mutating func go(to offset: UInt64) -> Bool {
    guard lseek(input.raw, off_t(truncatingIfNeeded: offset), SEEK_SET) >= 0 else { return false }
    window = BlockWindow(position: offset)
    lastEnd = offset
    return true
  }

  /// The index of a file, as read, or rebuilt by checking all blocks.
  package static func index(path: String) throws(RecordingError) -> BlockIndex {
    do throws(SystemError) {
      let file = try Descriptor(open: path)
      return storedIndex(file) ?? scannedIndex(file)
    } catch {
      throw RecordingError(error.description)
    }
  }

  private static func storedIndex(_ file: borrowing Descriptor) -> BlockIndex? {
    let end = lseek(file.raw, 0, SEEK_END)
    var tail = [UInt8](repeating: 0, count: BlockIndex.trailerBytes)
    guard end > tail.count else { return nil }
    let from = Int64(end) - Int64(tail.count)
    let count = unsafe tail.withUnsafeMutableBytes {
      (try? unsafe file.read(into: $0, at: from)) ?? 0
    }
    guard count == tail.count, tail.starts(with: BlockIndex.trailer) else { return nil }
    var reader = ByteReader(tail, from: BlockIndex.trailer.count)
    guard let offset = reader.integer(UInt64.self), offset < UInt64(end),
      lseek(file.raw, off_t(offset), SEEK_SET) >= 0
    else { return nil }
    var window = BlockWindow(position: offset)
    guard let block = window.next(from: file), block.skipped == 0, block.frame.kind == .index else {
      return nil
    }
    return BlockIndex(window.payload(block.frame))
  }

  private static func scannedIndex(_ file: borrowing Descriptor) -> BlockIndex {
    var index = BlockIndex()
    var window = BlockWindow(position: 0)
    guard lseek(file.raw, 0, SEEK_SET) >= 0 else { return index }
    while let block = window.next(from: file) {
      if block.frame.kind == .records {
        index.add(offset: window.position, time: block.frame.time)
      }
      window.consume(block.frame.totalBytes)
    }
    return index
  }
}

/// The start of a block of records.
package struct RecordingBookmark: Equatable, Sendable, BitwiseCopyable {
  /// In bytes from the start of the file.
  var offset: UInt64
  var number: UInt32
}

/// The parts of a recording that could not be read.
package struct RecordingDamage: Equatable, Sendable {
  /// The number of damaged places.
  package private(set) var gaps = 0
  package private(set) var bytes: UInt64 = 0
  /// The number of missing blocks, each covering at most one second.
  package private(set) var missingBlocks = 0
  /// Whether the file has no index: its writer was killed, or is still writing.
  package internal(set) var isCut = false
  /// The number of bytes at the end that are not a complete block.
  package internal(set) var tailBytes = 0

  /// What is missing of the run. A part that was not to be kept does not count, nor does the index.
  ///
  /// - Parameter end: the end of the run, if it was read.
  package func missingPart(_ end: RecordingEnd?) -> MissingPart {
    guard self != RecordingDamage() else { return .none }
    guard end != nil else { return .end }
    return gaps > 0 || missingBlocks > 0 ? .gap : .none
  }

  mutating func add(bytes: UInt64) {
    gaps += 1
    self.bytes += bytes
  }

  mutating func add(missingBlocks count: Int, wasSeen: Bool) {
    if !wasSeen { gaps += 1 }
    missingBlocks += count
  }
}
