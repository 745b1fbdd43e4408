import PerfHUDBase
import SystemPackage

/// Where the blocks of a file are, and how far it is written.
struct BlockPositions {
  /// How many bytes there are, or will be once a pipe has taken them.
  private(set) var written: UInt64 = 0
  /// The number of the next block of records.
  private(set) var number: UInt32 = 0
  private var index = BlockIndex()

  /// Notes a block of records that is written next.
  mutating func note(blockAt time: Instant) {
    index.add(offset: written, time: time.nanoseconds)
    number &+= 1
  }

  /// Notes a block of records that is lost: the next one shows it by its number.
  mutating func noteLostBlock() { number &+= 1 }

  mutating func note(bytes: Int) { written += UInt64(bytes) }

  /// The block that ends the file: its index.
  var end: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: BlockFrame.headBytes)
    index.append(to: &bytes)
    BlockFrame.fill(&bytes, .index, number: number, time: 0)
    bytes.append(contentsOf: BlockIndex.trailer)
    bytes.append(littleEndian: written)
    return bytes
  }

  /// As many bytes as `end` has, or more.
  var endBytes: UInt64 { UInt64(index.entries.count) * 12 + 64 }
}

/// A file, or a pipe, that blocks are written to.
struct BlockFile: ~Copyable {
  let output: Descriptor
  var positions = BlockPositions()

  init(_ output: consuming Descriptor) { self.output = output }

  /// Writes to a file, not to a pipe.
  mutating func write(_ bytes: [UInt8]) throws(Errno) {
    positions.note(bytes: bytes.count)
    try output.writeAll(bytes)
  }
}
