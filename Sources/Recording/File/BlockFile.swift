import PerfHUDBase
import SystemPackage

/// Where the blocks of a file are, and how much of it has been written.
struct BlockPositions {
  /// The number of bytes, including those that a pipe has not taken yet.
  private(set) var written: UInt64 = 0
  /// The number of the next block of records.
  private(set) var number: UInt32 = 0
  private var index = BlockIndex()

  /// Notes the block of records that is written next.
  mutating func note(blockAt time: Instant) {
    index.add(offset: written, time: time.nanoseconds)
    number &+= 1
  }

  /// Notes that a block of records is lost. The number of the next block reveals this.
  mutating func noteLostBlock() { number &+= 1 }

  mutating func note(bytes: Int) { written += UInt64(bytes) }

  /// The last block of the file: its index.
  var end: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: BlockFrame.headBytes)
    index.append(to: &bytes)
    BlockFrame.fill(&bytes, .index, number: number, time: 0)
    bytes.append(contentsOf: BlockIndex.trailer)
    bytes.append(littleEndian: written)
    return bytes
  }

  /// An upper limit of the number of bytes in `end`.
  var endBytes: UInt64 { UInt64(index.entries.count) * 12 + 64 }
}

/// A file, or a pipe, that blocks are written to.
struct BlockFile: ~Copyable {
  let output: Descriptor
  var positions = BlockPositions()

  init(_ output: consuming Descriptor) { self.output = output }

  /// Writes to a file. Not for pipes.
  mutating func write(_ bytes: [UInt8]) throws(Errno) {
    positions.note(bytes: bytes.count)
    try output.writeAll(bytes)
  }
}
